//! A server as some config describes it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::clients::Client;
use super::template::Template;
use super::{HeadersHelper, Launch, Secret};
use crate::error::Error;
use crate::text::{address, visible};

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

    /// Checks a profile: the rules for names hold for it too.
    pub(super) fn check_profile(profile: &str) -> Result<(), String> {
        match ServerName::new(profile) {
            Ok(_) => Ok(()),
            Err(message) => Err(message.replace("a server name", "a profile")),
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
    /// A client's config, such as `.mcp.json`.
    Client(Client),
    /// The launch stored in the lockfile.
    Lockfile,
}

/// Where a server is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Which kind of source.
    pub kind: SourceKind,
    /// The file, as the user would write it; none for the command line.
    pub file: Option<PathBuf>,
    /// Line in the file, from 1.
    pub line: Option<usize>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => {
                write!(f, "{}:{line}", visible(&file.display().to_string()))
            }
            (Some(file), None) => f.write_str(&visible(&file.display().to_string())),
            (None, _) => f.write_str("the command line"),
        }
    }
}

/// Which of a server's tools its client lets an agent use. Only shown: everything that a server
/// lists is pinned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Only these; none where all are meant.
    pub only: Option<Vec<String>>,
    /// Not these.
    pub without: Vec<String>,
}

impl ToolFilter {
    /// Whether nothing is filtered.
    pub fn is_empty(&self) -> bool {
        self.only.is_none() && self.without.is_empty()
    }
}

impl fmt::Display for ToolFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| {
            names
                .iter()
                .map(|name| visible(name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match (&self.only, self.without.as_slice()) {
            (None, []) => f.write_str("all tools"),
            (None, without) => write!(f, "all tools but {}", list(without)),
            (Some(only), _) if only.is_empty() => f.write_str("no tools"),
            (Some(only), []) => write!(f, "only the tools {}", list(only)),
            (Some(only), without) => {
                write!(
                    f,
                    "only the tools {}, without {}",
                    list(only),
                    list(without)
                )
            }
        }
    }
}

/// Which HTTP transport a config asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpKind {
    /// Streamable HTTP, also when the config does not say.
    #[default]
    Streamable,
    /// The old HTTP+SSE transport.
    Sse,
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
    /// Absolute folder that a relative `cwd` and `${workspace}` refer to.
    pub folder: PathBuf,
    /// Where it is configured.
    pub origin: Origin,
    /// The config switches it off: it is told and skipped.
    pub disabled: bool,
    /// Which tools its client lets an agent use.
    pub tools: ToolFilter,
    /// Which HTTP transport the config asks for; of no meaning for a command.
    pub http: HttpKind,
    /// Remarks about this entry that never affect the exit code, fit to be shown.
    pub notes: Vec<String>,
}

impl ServerSpec {
    /// What it is called where a person names it: `NAME`, or `NAME@PROFILE`.
    pub fn address(&self) -> String {
        address(self.name.as_str(), self.profile.as_deref())
    }

    /// `error` with this server's name and the place of its config, unless it has a place.
    pub fn place(&self, error: Error) -> Error {
        let placed = error.place().file.is_some();
        let error = error
            .for_server(self.name.as_str())
            .for_profile(self.profile.as_deref());
        match (&self.origin.file, self.origin.line) {
            (Some(file), Some(line)) if !placed => error.in_file(file).at_line(line, None),
            (Some(file), None) if !placed => error.in_file(file),
            _ => error,
        }
    }
}

/// A template and its line in the config.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// The template.
    pub(super) template: Template,
    /// The line, from 1; none where there is no file.
    pub(super) line: Option<usize>,
}

/// Templates that may hold literal credentials.
#[derive(Debug, Clone, Default)]
pub(super) struct PrivateLaunch {
    /// Program and arguments, or the URL alone.
    pub(super) words: Vec<Word>,
    /// Variables that the config sets.
    pub(super) env: BTreeMap<String, Word>,
    /// A file with more of them.
    pub(super) env_file: Option<Word>,
    /// The working folder.
    pub(super) cwd: Option<Word>,
    /// HTTP headers, their names in small letters.
    pub(super) headers: BTreeMap<String, Word>,
    /// A command that prints more headers.
    pub(super) headers_helper: Option<Word>,
    /// Literals that were taken out of the stored launch.
    pub(super) credentials: Vec<Secret>,
}

/// A launch with every variable expanded, ready to be started; shows nothing when printed.
#[derive(Debug, Clone)]
pub struct ResolvedLaunch {
    /// What to start or reach.
    pub target: ResolvedTarget,
    /// Every value that must not be seen in a message or a lockfile: those of the variables that
    /// the config sets or expands, of headers, and literals that look like credentials.
    /// [`Secret::is_credential`] tells which of them a catalog must not repeat.
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
        /// Headers sent with every request to its origin, their names in small letters.
        headers: BTreeMap<String, Secret>,
        /// A command that prints more of them, which go before those above.
        headers_helper: Option<HeadersHelper>,
        /// Which HTTP transport the config asks for.
        http: HttpKind,
    },
}
