//! The lockfile of another git revision, read through the `git` program.
//!
//! Nothing is written, nothing is fetched from a remote, and no name reaches a shell or is taken for
//! an option: the revision is resolved to a commit first, and only that commit's hash is used from
//! there on.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::error::{Error, Result};
use crate::text::visible;

use super::decode::MAX_BYTES;
use super::{Lockfile, decode};

/// Reads the lockfile that stood at `path` in `revision`: anything that names a commit of the
/// repository around `path`, e.g. `HEAD~1`, `main`, `v1.2.0`, a hash.
///
/// # Errors
///
/// A name that `git` does not resolve to a commit ([`crate::error::ErrorKind::Usage`]), a commit
/// without that file, and whatever [`decode`] refuses; each names the revision and the path.
pub fn load_revision(path: &Path, revision: &str) -> Result<Lockfile> {
    let shown = format!("{}@{revision}", path.display());
    let place = |error: Error| error.in_file(Path::new(&shown));
    let (folder, name) = split(path).ok_or_else(|| {
        place(Error::usage(
            "the path of the lockfile names no file that git could know",
        ))
    })?;
    let commit = commit(folder, revision).map_err(place)?;
    // `./` is relative to the folder that git runs in, wherever the repository begins.
    let blob = format!("{commit}:./{name}");
    let size = git(folder, &["cat-file", "-s", &blob]).map_err(place)?;
    if !size.status.success() {
        let revision = visible(revision);
        return Err(place(
            Error::lockfile(format!("the revision `{revision}` has no such lockfile"))
                .detail(said(&size))
                .help("compare with a revision in which the servers were pinned already"),
        ));
    }
    let size = String::from_utf8_lossy(&size.stdout);
    if size
        .trim()
        .parse::<usize>()
        .is_ok_and(|size| size > MAX_BYTES)
    {
        let most = MAX_BYTES >> 20;
        return Err(place(Error::lockfile(format!(
            "the lockfile is larger than {most} MiB"
        ))));
    }
    let content = git(folder, &["cat-file", "blob", &blob]).map_err(place)?;
    if !content.status.success() {
        return Err(place(
            Error::lockfile("git could not read the lockfile").detail(said(&content)),
        ));
    }
    let source = decode(&content.stdout).map_err(place)?;
    Ok(source.into_lockfile())
}

/// The folder of `path`, and its name there.
fn split(path: &Path) -> Option<(&Path, &str)> {
    let name = path.file_name()?.to_str()?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Some((folder, name))
}

/// The hash of the commit that `revision` names.
fn commit(folder: &Path, revision: &str) -> Result<String> {
    let unknown = || {
        Error::usage(format!("git knows no commit `{}`", visible(revision))).help(
            "name a commit, branch or tag of this repository; a shallow clone holds the last \
             commit only (`fetch-depth: 0` in GitHub's checkout)",
        )
    };
    if revision.is_empty() || revision.starts_with('-') || revision.contains('\0') {
        return Err(unknown());
    }
    let wanted = format!("{revision}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--end-of-options", &wanted];
    let output = git(folder, &arguments)?;
    let hash = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let is_hash = hash.len() >= 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    if output.status.success() && is_hash {
        Ok(hash)
    } else {
        Err(unknown().detail(said(&output)))
    }
}

/// Runs `git` in `folder` without a shell, a terminal or a network.
fn git(folder: &Path, arguments: &[&str]) -> Result<Output> {
    Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            Error::usage(format!("could not run git: {error}"))
                .help("`git:REVISION` needs the `git` program on the PATH")
        })
}

/// What git said, for a person.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<String> = text.lines().map(visible).collect();
    lines.join("\n")
}
