//! The one error type: a kind, a sentence fragment, the place, and what to do about it.
//!
//! Messages are lower-case fragments without a final period, so that they fit after
//! "could not …" and into a report line. Text that came from a server or a file must pass
//! [`crate::text::visible`] before it is put into a message.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::exit::Reason;

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, coarse enough to decide the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The command line asks for something impossible.
    Usage,
    /// A client config, `mcplock.toml` or a variable that they name is wrong.
    Config,
    /// The lockfile is missing where one is needed, corrupt, or of another version.
    Lockfile,
    /// A file that was asked for can't be read, parsed or written.
    File,
    /// The server did not start, answer, authenticate or finish listing, or broke the protocol.
    Server,
}

impl ErrorKind {
    /// The reason that this kind adds to the exit code.
    pub fn reason(self) -> Reason {
        match self {
            ErrorKind::Usage | ErrorKind::Config | ErrorKind::Lockfile | ErrorKind::File => {
                Reason::Usage
            }
            ErrorKind::Server => Reason::NotJudged,
        }
    }
}

/// Where something is: any part may be unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user would write it.
    pub file: Option<PathBuf>,
    /// Line in that file, from 1.
    pub line: Option<usize>,
    /// Column in that line, from 1, in characters.
    pub column: Option<usize>,
    /// Name of the server.
    pub server: Option<String>,
    /// The server's profile.
    pub profile: Option<String>,
    /// The item, as `tool:NAME`.
    pub item: Option<String>,
    /// JSON Pointer (RFC 6901) inside the item or file.
    pub pointer: Option<String>,
}

impl Place {
    /// The server as a person names it: `NAME`, or `NAME@PROFILE`.
    pub fn address(&self) -> Option<String> {
        let name = self.server.as_ref()?;
        Some(crate::text::address(name, self.profile.as_deref()))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if let Some(file) = &self.file {
            write!(f, "{}", crate::text::visible(&file.display().to_string()))?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
                if let Some(column) = self.column {
                    write!(f, ":{column}")?;
                }
            }
            gap = ", ";
        }
        for (label, value) in [
            ("server", &self.address()),
            ("", &self.item),
            ("at", &self.pointer),
        ] {
            if let Some(value) = value {
                f.write_str(gap)?;
                if !label.is_empty() {
                    write!(f, "{label} ")?;
                }
                write!(f, "`{}`", crate::text::visible(value))?;
                gap = ", ";
            }
        }
        Ok(())
    }
}

/// An error with its place and a way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    place: Place,
    help: Option<String>,
    detail: Option<String>,
}

impl Error {
    /// An error of `kind` that says `message` (a lower-case fragment without a final period).
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            place: Place::default(),
            help: None,
            detail: None,
        }))
    }

    /// [`ErrorKind::Usage`].
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// [`ErrorKind::Config`].
    pub fn config(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, message)
    }

    /// [`ErrorKind::Lockfile`].
    pub fn lockfile(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Lockfile, message)
    }

    /// [`ErrorKind::Server`].
    pub fn server(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Server, message)
    }

    /// [`ErrorKind::File`], from an I/O error on `path`.
    pub fn io(path: &Path, doing: &str, error: &std::io::Error) -> Self {
        Self::new(ErrorKind::File, format!("could not {doing}: {error}")).in_file(path)
    }

    /// Adds the file.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.0.place.file = Some(path.to_path_buf());
        self
    }

    /// Adds the line and, when known, the column, both from 1.
    #[must_use]
    pub fn at_line(mut self, line: usize, column: Option<usize>) -> Self {
        self.0.place.line = Some(line);
        self.0.place.column = column;
        self
    }

    /// Adds the server, unless one is named already.
    #[must_use]
    pub fn for_server(mut self, name: &str) -> Self {
        self.0.place.server.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Adds the profile of the server that is named.
    #[must_use]
    pub fn for_profile(mut self, profile: Option<&str>) -> Self {
        self.0.place.profile = profile.map(str::to_owned);
        self
    }

    /// Adds the item, as `tool:NAME`.
    #[must_use]
    pub fn for_item(mut self, item: &str) -> Self {
        self.0.place.item = Some(item.to_owned());
        self
    }

    /// Adds the JSON Pointer.
    #[must_use]
    pub fn at_pointer(mut self, pointer: &str) -> Self {
        self.0.place.pointer = Some(pointer.to_owned());
        self
    }

    /// Says what to do about it: an imperative sentence fragment.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Adds longer text below the message, such as the tail of a server's standard error.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// The same error with `mask` applied to all of its text, for one whose words may hold a
    /// secret.
    #[must_use]
    pub fn masked(mut self, mask: impl Fn(&str) -> String) -> Self {
        let inner = &mut *self.0;
        inner.message = mask(&inner.message);
        for text in [&mut inner.help, &mut inner.detail].into_iter().flatten() {
            *text = mask(text);
        }
        self
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message alone.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it happened.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What to do.
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Longer text, several lines perhaps.
    pub fn detail_text(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place().to_string();
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}
