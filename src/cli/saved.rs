//! Files that stand for a server: saved catalogs, and folders of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, read_saved};
use crate::error::{Error, Result};

/// The largest saved catalog that is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The catalog that a file or a folder of files holds.
pub(crate) fn catalog(path: &Path) -> Result<Catalog> {
    let mut files = Vec::new();
    if path.is_dir() {
        let entries =
            fs::read_dir(path).map_err(|error| Error::io(path, "read the folder", &error))?;
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| Error::io(path, "read the folder", &error))?;
            paths.push(entry.path());
        }
        paths.retain(|path| {
            path.is_file()
                && path
                    .extension()
                    .is_some_and(|ext| ext == "json" || ext == "jsonl")
        });
        paths.sort();
        for path in paths {
            let text = read(&path)?;
            files.push((path, text));
        }
        if files.is_empty() {
            return Err(Error::usage("the folder holds no saved catalog")
                .in_file(path)
                .help("`mcplock fetch SERVER -o FILE` saves one"));
        }
    } else {
        files.push((path.to_path_buf(), read(path)?));
    }
    read_saved(&files)
}

/// The bytes of a file that the user named.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |error: &std::io::Error| Error::io(path, "read the file", error);
    let size = fs::metadata(path).map_err(|error| failed(&error))?.len();
    if size > MAX_BYTES {
        return Err(Error::usage(format!(
            "the file has {size} bytes, more than the {MAX_BYTES} that are read"
        ))
        .in_file(path));
    }
    fs::read(path).map_err(|error| failed(&error))
}
