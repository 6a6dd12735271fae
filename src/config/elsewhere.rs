//! A launch as another machine might start it: another working folder, home folder, time zone and
//! build date, and the same files.
//!
//! Makes temporary folders of links, and starts nothing.

use std::path::{Path, PathBuf};

use super::Secret;
use super::env::{Environment, Platform};
use super::spec::{ResolvedLaunch, ResolvedTarget, ServerSpec};
use crate::error::{Error, Result};

/// The time zone of the second start: one that nobody's machine is likely to be in.
const ZONE: &str = "Pacific/Chatham";
/// Its build date, in seconds since 1970: in the year 2033.
const BUILD_DATE: &str = "2000000000";

/// Folders that stand for a project folder and a home folder elsewhere: each holds links to what
/// the real one holds, so that a server finds its files. They are removed when this is dropped.
#[derive(Debug)]
pub struct Elsewhere {
    environment: Environment,
    folder: tempfile::TempDir,
    /// Working folders that a config sets.
    others: Vec<tempfile::TempDir>,
    _home: Option<tempfile::TempDir>,
}

impl Elsewhere {
    /// Makes the folders for `spec`.
    ///
    /// # Errors
    ///
    /// A file error where they can't be made.
    pub fn new(spec: &ServerSpec, environment: &Environment) -> Result<Self> {
        let folder = mirror(&spec.folder)?;
        let home = environment.home().map(|home| mirror(&home)).transpose()?;
        let environment = match &home {
            Some(home) => environment.with(home_name(environment), &text(home.path())),
            None => environment.clone(),
        };
        Ok(Elsewhere {
            environment,
            folder,
            others: Vec::new(),
            _home: home,
        })
    }

    /// The folder that stands for the project's.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The launch of `spec` as it is started here. What the config sets itself stays.
    ///
    /// # Errors
    ///
    /// Those of [`ServerSpec::resolve`].
    pub fn resolve(&mut self, spec: &ServerSpec) -> Result<ResolvedLaunch> {
        let mut moved = spec.clone();
        moved.folder = self.folder.path().to_path_buf();
        let mut launch = moved.resolve(&self.environment)?;
        let env = match &mut launch.target {
            ResolvedTarget::Command { env, cwd, .. } => {
                // A link to a folder leads back to where it was.
                if *cwd != moved.folder {
                    let other = mirror(cwd)?;
                    *cwd = other.path().to_path_buf();
                    self.others.push(other);
                }
                env
            }
            ResolvedTarget::Url { headers_helper, .. } => match headers_helper {
                Some(helper) => &mut helper.env,
                None => return Ok(launch),
            },
        };
        for (name, value) in [("TZ", ZONE), ("SOURCE_DATE_EPOCH", BUILD_DATE)] {
            env.entry(name.to_owned())
                .or_insert_with(|| Secret::new(value));
        }
        Ok(launch)
    }
}

fn home_name(environment: &Environment) -> &'static str {
    match environment.platform() {
        Platform::Windows => "USERPROFILE",
        Platform::Unix | Platform::MacOs => "HOME",
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A folder of links to everything in `real`; empty for one that is not there.
fn mirror(real: &Path) -> Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new()
        .prefix("elsewhere-")
        .tempdir()
        .map_err(|error| Error::io(&std::env::temp_dir(), "make a temporary folder", &error))?;
    let real: PathBuf = real.canonicalize().unwrap_or_else(|_| real.to_path_buf());
    let Ok(entries) = std::fs::read_dir(&real) else {
        return Ok(folder);
    };
    for entry in entries.flatten() {
        let link = folder.path().join(entry.file_name());
        link_to(&entry.path(), &link)
            .map_err(|error| Error::io(&link, "make a link for the second start", &error))?;
    }
    Ok(folder)
}

#[cfg(unix)]
fn link_to(real: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(real, link)
}

#[cfg(windows)]
fn link_to(real: &Path, link: &Path) -> std::io::Result<()> {
    if real.is_dir() {
        std::os::windows::fs::symlink_dir(real, link)
    } else {
        std::os::windows::fs::symlink_file(real, link)
    }
}
