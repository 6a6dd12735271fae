//! A server as some config describes it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::{Launch, Secret};

/// The name of a server: 1 to 200 characters, none of them hidden, no leading or trailing space.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerName(String);

impl ServerName {
    /// Checks a name.
    pub fn new(name: &str) -> Result<Self, String> {
        if name.is_empty() {
            Err("a server name can't be empty".to_owned())
        } else if name.chars().count() > 200 {
            Err("a server name has at most 200 characters".to_owned())
        } else if name.trim() != name {
            Err("a server name can't begin or end with a space".to_owned())
        } else if let Some(c) = name.chars().find(|&c| crate::text::is_hidden(c)) {
            Err(format!(
                "a server name can't hold the character {}",
                c.escape_unicode()
            ))
        } else {
            Ok(ServerName(name.to_owned()))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which kind of source names a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// `--name N -- CMD ARG…` or `--name N --url U`.
    CommandLine,
    /// The project's `mcplock.toml`.
    Policy,
    /// `.mcp.json` (Claude Code and others).
    McpJson,
    /// The launch stored in the lockfile.
    Lockfile,
}

/// Where a server is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Which kind of source.
    pub kind: SourceKind,
    /// The file; none for the command line.
    pub file: Option<PathBuf>,
    /// Line in the file, from 1.
    pub line: Option<usize>,
}

/// One server as its config describes it, before any variable is expanded.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Its name.
    pub name: ServerName,
    /// The profile, when its catalog depends on credentials, flags or platform.
    pub profile: Option<String>,
    /// The launch as it is stored and compared.
    pub launch: Launch,
    /// The templates as the config has them, credentials included, for [`ServerSpec::resolve`].
    pub(super) private: PrivateLaunch,
    /// Folder that a relative `cwd` and `${workspace}` refer to.
    pub folder: PathBuf,
    /// Where it is configured.
    pub origin: Origin,
    /// The config switches it off: it is told and skipped.
    pub disabled: bool,
}

/// Templates that may hold literal credentials.
#[derive(Debug, Clone, Default)]
pub(super) struct PrivateLaunch {
    /// Program and arguments, or the URL alone.
    pub(super) words: Vec<Secret>,
    /// Variables that the config sets.
    pub(super) env: BTreeMap<String, Secret>,
    /// HTTP headers.
    pub(super) headers: BTreeMap<String, Secret>,
}

/// A launch with every variable expanded, ready to be started; shows nothing when printed.
#[derive(Debug, Clone)]
pub struct ResolvedLaunch {
    /// What to start or reach.
    pub target: ResolvedTarget,
    /// Every value that must not be seen in a message or a lockfile: those of the variables that
    /// the config sets or expands, of headers, and literals that look like credentials.
    pub secrets: Vec<Secret>,
}

/// What to start or reach.
#[derive(Debug, Clone)]
pub enum ResolvedTarget {
    /// A child process.
    Command {
        /// The program, as the config names it; looked up through `PATH`, never by a shell.
        program: String,
        /// Its arguments.
        args: Vec<Secret>,
        /// The whole environment of the child.
        env: BTreeMap<String, Secret>,
        /// Its working folder.
        cwd: PathBuf,
    },
    /// An HTTP endpoint.
    Url {
        /// The URL.
        url: Secret,
        /// Headers sent with every request to its origin.
        headers: BTreeMap<String, Secret>,
    },
}
