//! `mcplock show`: a lockfile for reading, on a terminal or in `git diff`.

use std::path::Path;
use std::process::ExitCode;

use crate::config::Project;
use crate::error::{Error, Result};
use crate::lock;
use crate::report;
use crate::text::visible;

use super::args::ShowArgs;
use super::{Shell, saved};

/// Runs `mcplock show`.
pub(crate) fn run(shell: &Shell, args: &ShowArgs) -> Result<ExitCode> {
    let text = match &args.file {
        Some(file) => given(file, args.textconv)?,
        None => pinned(shell)?,
    };
    shell
        .printer
        .product(&text)
        .map_err(|error| Error::usage(format!("could not write the contracts: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

/// The project's lockfile.
fn pinned(shell: &Shell) -> Result<String> {
    let here = std::env::current_dir()
        .map_err(|error| Error::usage(format!("could not tell the working folder: {error}")))?;
    let project = Project::find(&here, shell.global.lockfile.as_deref());
    let lockfile = lock::load(&project.shown(&project.lockfile))?;
    Ok(report::render_lockfile(&lockfile))
}

/// The file that was named.
fn given(file: &Path, textconv: bool) -> Result<String> {
    match lock::load(file) {
        Ok(lockfile) => Ok(report::render_lockfile(&lockfile)),
        // git gives up the whole diff when a conversion fails, and the file may be one of a merge
        // that is not done yet.
        Err(error) if textconv => as_it_is(file, &error),
        Err(error) => Err(error),
    }
}

/// A file that is no lockfile, line by line, and why it is none. Git names a temporary file, so the
/// place is left out but for the line.
fn as_it_is(file: &Path, error: &Error) -> Result<String> {
    let bytes = saved::read(file)?;
    let line = error
        .place()
        .line
        .map_or(String::new(), |line| format!(" (line {line})"));
    let mut text = format!("not a valid lockfile: {}{line}\n", error.message());
    for line in String::from_utf8_lossy(&bytes).lines() {
        text.push_str("  │ ");
        text.push_str(&visible(line));
        text.push('\n');
    }
    Ok(text)
}
