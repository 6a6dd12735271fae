//! Where the suites are.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of suites and recorded catalogs; none, told loudly, when it is not set.
pub(crate) fn suites(what: &str) -> Option<PathBuf> {
    if let Some(root) = std::env::var_os("MCPLOCK_SUITES") {
        return Some(root.into());
    }
    eprintln!("\n!!! SKIPPED: {what}: set MCPLOCK_SUITES to the folder of suites and corpus !!!\n");
    None
}

/// The files of a folder whose names end in `suffix`, in order of their names.
pub(crate) fn files(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(suffix))
        .collect();
    found.sort();
    found
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
