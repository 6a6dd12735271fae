//! One report, many renderings.
//!
//! Everything that a run found, as plain data; each format is a function from it to bytes. All
//! server text passes [`crate::text`] on its way out.

use std::path::PathBuf;

use crate::error::Error;
use crate::exit::ExitReasons;
use crate::rules::{FailOn, Finding};

/// What one run of a command found.
#[derive(Debug, Clone)]
pub struct Report {
    /// The command: `verify`, `diff`, `pin`, `check`.
    pub command: &'static str,
    /// The lockfile, as the user would write it, when there is one.
    pub lockfile: Option<PathBuf>,
    /// The threshold that decided.
    pub fail_on: FailOn,
    /// The servers, sorted by name and profile.
    pub servers: Vec<ServerReport>,
    /// Errors that belong to no server.
    pub errors: Vec<Error>,
    /// Remarks that belong to no server and never affect the exit code.
    pub notes: Vec<String>,
    /// Why the exit code is what it is.
    pub reasons: ExitReasons,
}

/// What was found about one server.
#[derive(Debug, Clone)]
pub struct ServerReport {
    /// Its name.
    pub name: String,
    /// Its profile, if any.
    pub profile: Option<String>,
    /// How far it was judged.
    pub outcome: Outcome,
    /// How many items were compared (or, for `check`, looked at).
    pub items: usize,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    /// Remarks that never affect the exit code.
    pub notes: Vec<String>,
    /// Line of the server's entry in the lockfile, from 1.
    pub line: Option<usize>,
    /// Lines of its items in the lockfile, by label.
    pub item_lines: Vec<(String, usize)>,
}

/// How far a server was judged.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Compared with its pin (or, for `check`, looked at) to the end.
    Judged,
    /// It could not be fetched.
    NotJudged(Error),
    /// It is configured but not in the lockfile.
    NotPinned,
    /// It is in the lockfile but not configured any more.
    NotConfigured,
    /// Written to the lockfile: new, changed, or as it was.
    Pinned(PinAction),
    /// Switched off in its config, and skipped.
    Disabled,
}

/// What `pin` did with a server's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinAction {
    /// A new entry was written.
    Added,
    /// The entry was changed.
    Updated,
    /// The entry is as it was.
    Unchanged,
    /// The change needs a yes (`--yes`), so nothing was written.
    Refused,
    /// The server's contract is unfit, so nothing was written.
    Unfit,
    /// The entry was dropped (`--prune`).
    Pruned,
}
