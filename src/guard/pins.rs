//! The pin that the guard goes by, read from the lockfile, and read again when the file changes.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::config::{Launch, ServerName};
use crate::error::{Error, Result};
use crate::lock;
use crate::text::visible;

use super::decision::{Decision, Reason};
use super::gate::Gate;
use super::settings::Settings;

/// Where a server is pinned.
#[derive(Debug, Clone)]
pub struct Pins {
    /// The lockfile.
    pub lockfile: PathBuf,
    /// The same as the user would write it.
    pub shown: PathBuf,
    /// The server.
    pub name: ServerName,
    /// Its profile.
    pub profile: Option<String>,
    /// How it is started or reached.
    pub launch: Launch,
    /// What decides beside the pin.
    pub settings: Settings,
}

impl Pins {
    /// The gate for what is pinned now.
    ///
    /// # Errors
    ///
    /// A lockfile that is missing, broken or of another version; a server that is not pinned; a
    /// launch that is not the pinned one.
    pub fn gate(&self) -> Result<Gate> {
        let shown = visible(&self.shown.display().to_string());
        let lockfile = lock::load(&self.lockfile).map_err(|error| error.in_file(&self.shown))?;
        let Some(entry) = lockfile.entry(&self.name, self.profile.as_deref()) else {
            return Err(Error::lockfile(format!(
                "`{}` is not pinned in {shown}",
                visible(self.name.as_str())
            ))
            .help(format!(
                "pin it with `mcplock pin {}`, then start the session again",
                visible(self.name.as_str())
            )));
        };
        if !entry.launch.matches(&self.launch) {
            return Err(Error::lockfile(format!(
                "`{}` would be started in another way than {shown} pins",
                visible(self.name.as_str())
            ))
            .help("look at `mcplock diff`, and pin again if the change is wanted"));
        }
        Gate::new(entry.clone(), self.settings.clone())
    }
}

/// A closed gate for an error.
pub(super) fn closed(error: &Error) -> Box<Decision> {
    let decision = Decision::new("session", Reason::Closed);
    let help = error
        .help_text()
        .unwrap_or("mend it, and start the session again");
    Box::new(decision.says(error.to_string(), help))
}

/// What tells that a file was replaced or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp(Option<(Option<SystemTime>, u64, u64)>);

impl Stamp {
    /// The stamp of a file; one that is missing has one too.
    pub(super) fn of(path: &Path) -> Self {
        Stamp(
            std::fs::metadata(path)
                .ok()
                .map(|found| (found.modified().ok(), found.len(), inode(&found))),
        )
    }
}

#[cfg(unix)]
fn inode(found: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> u64 {
    0
}
