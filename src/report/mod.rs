//! One report, many renderings.
//!
//! Everything that a run found, as plain data; each format is a function from it to text. The
//! renderers decide nothing, and all server text passes `sanitize` on its way out.

mod contract;
mod detail;
mod evidence;
mod github;
mod gitlab;
mod group;
mod help;
mod human;
mod json;
mod junit;
mod layout;
mod levels;
mod markdown;
mod sanitize;
mod sarif;
mod spot;
mod style;
mod summary;
mod trouble;
mod unsteady;
mod value;
mod words;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use crate::canonical::Digest;
use crate::config::Origin;
use crate::error::{Error, Result};
use crate::exit::{ExitReasons, Reason};
use crate::lock::Unsteady;
use crate::rules::{FailOn, Finding};
use crate::text::address;

pub use contract::render_lockfile;
pub use human::{render_error, render_servers};
pub(crate) use sanitize::json as safe_json;

/// What one run of a command found.
#[derive(Debug, Clone)]
pub struct Report {
    /// The command: `verify`, `diff`, `pin`, `check`.
    pub command: &'static str,
    /// The lockfile, as the user would write it, when there is one.
    pub lockfile: Option<PathBuf>,
    /// The threshold that decided.
    pub fail_on: FailOn,
    /// Whether `mcplock pin` could accept what was found: not where two files were compared.
    pub accept: bool,
    /// The servers, sorted by name and profile.
    pub servers: Vec<ServerReport>,
    /// Errors that belong to no server.
    pub errors: Vec<Error>,
    /// Remarks that belong to no server and never affect the exit code.
    pub notes: Vec<String>,
    /// Why the exit code is what it is.
    pub reasons: ExitReasons,
}

impl Report {
    /// A report of `command` that holds nothing yet.
    pub fn new(command: &'static str) -> Self {
        Report {
            command,
            lockfile: None,
            fail_on: FailOn::default(),
            accept: true,
            servers: Vec::new(),
            errors: Vec::new(),
            notes: Vec::new(),
            reasons: ExitReasons::default(),
        }
    }

    /// The report of a run that `error` ended before any server was judged: the envelope in which
    /// every format tells a wrong command line or config.
    pub fn failed(command: &'static str, error: Error) -> Self {
        let mut report = Report::new(command);
        report.add_error(error);
        report
    }

    /// Adds an error that belongs to no server, and its reason.
    pub fn add_error(&mut self, error: Error) {
        self.reasons.add(error.kind().reason());
        self.errors.push(error);
    }

    /// Adds a reason for a non-zero exit.
    pub fn add_reason(&mut self, reason: Reason) {
        self.reasons.add(reason);
    }
}

/// What was found about one server.
#[derive(Debug, Clone)]
pub struct ServerReport {
    /// Its name.
    pub name: String,
    /// Its profile, if any.
    pub profile: Option<String>,
    /// The far side (a file, or a gateway) that it was compared with, where this is about what a
    /// projection loses.
    pub projection: Option<String>,
    /// How far it was judged.
    pub outcome: Outcome,
    /// How many items were compared (or, for `check`, looked at).
    pub items: usize,
    /// The items themselves as `tool:NAME` and the like, for formats that list them one by one;
    /// may be empty where they were not kept.
    pub labels: Vec<String>,
    /// The names of its tools as they are now, for those who hold servers against each other; none
    /// where they are not known. Not rendered.
    pub tools: Option<Vec<String>>,
    /// The digests of contracts that a waiver could let in, by label.
    pub waivable: Vec<(String, Digest)>,
    /// Kinds of item of which the source does not tell (a saved catalog without that list), in the
    /// plural: not judged.
    pub unknown: Vec<String>,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
    /// Remarks that never affect the exit code.
    pub notes: Vec<String>,
    /// What may be missing from what was judged: remarks that are told even where others are not.
    pub doubts: Vec<String>,
    /// Line of the server's entry in the lockfile, from 1.
    pub line: Option<usize>,
    /// Lines of its items in the lockfile, by label.
    pub item_lines: Vec<(String, usize)>,
    /// Where it is configured, when that is known.
    pub origin: Option<Origin>,
    /// What its two starts did not agree on, for `pin --twice`.
    pub unsteady: Option<Unsteady>,
    /// The items that `pin --item` narrows it to, as `tool:NAME`; empty for all.
    pub narrowed: Vec<String>,
}

impl ServerReport {
    /// A server of which nothing but its name and outcome is known yet.
    pub fn new(name: &str, outcome: Outcome) -> Self {
        ServerReport {
            name: name.to_owned(),
            profile: None,
            projection: None,
            outcome,
            items: 0,
            labels: Vec::new(),
            tools: None,
            waivable: Vec::new(),
            unknown: Vec::new(),
            findings: Vec::new(),
            notes: Vec::new(),
            doubts: Vec::new(),
            line: None,
            item_lines: Vec::new(),
            origin: None,
            unsteady: None,
            narrowed: Vec::new(),
        }
    }

    /// What it is called where a person names it: `files`, `files@staging`; with its far side, if it
    /// has one: `files -> full.json`.
    pub fn title(&self) -> String {
        let name = address(&self.name, self.profile.as_deref());
        match &self.projection {
            Some(far) => format!("{name} -> {far}"),
            None => name,
        }
    }

    /// The lockfile line of an item, or of the server's entry for one that has none.
    pub fn line_of(&self, label: &str) -> Option<usize> {
        self.item_lines
            .iter()
            .find(|(item, _)| item == label)
            .map(|(_, line)| *line)
            .or(self.line)
    }
}

/// How far a server was judged.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Compared with its pin (or, for `check`, looked at) to the end.
    Judged,
    /// Its launch is not the pinned one, so it was not started; the findings say what differs.
    NotStarted,
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
    /// The entry would be written, but `--check` writes nothing.
    WouldWrite,
    /// Two starts gave two catalogs (`--twice`), so nothing was written.
    Unsteady,
    /// The server's contract is unfit, so nothing was written.
    Unfit,
    /// The entry was dropped (`--prune`).
    Pruned,
}

impl PinAction {
    /// Every action, in the order in which a summary names them.
    pub const ALL: [PinAction; 8] = [
        PinAction::Added,
        PinAction::Updated,
        PinAction::Unchanged,
        PinAction::Refused,
        PinAction::WouldWrite,
        PinAction::Unsteady,
        PinAction::Unfit,
        PinAction::Pruned,
    ];

    /// One word for it: in summaries and, with dashes, in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            PinAction::Added => "added",
            PinAction::Updated => "updated",
            PinAction::Unchanged => "unchanged",
            PinAction::Refused => "refused",
            PinAction::WouldWrite => "would-write",
            PinAction::Unsteady => "unsteady",
            PinAction::Unfit => "unfit",
            PinAction::Pruned => "pruned",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            PinAction::Added => "pinned",
            PinAction::Updated => "pinned again",
            PinAction::Unchanged => "as pinned",
            PinAction::Refused => "not written, the change needs a yes",
            PinAction::WouldWrite => "not as pinned",
            PinAction::Unsteady => "not written, two starts gave two catalogs",
            PinAction::Unfit => "not written, its contract is unfit",
            PinAction::Pruned => "dropped from the lockfile",
        }
    }
}

/// How a report is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Columns of the terminal; [`Options::WIDTH`] where there is none.
    pub width: usize,
    /// Whether escape sequences for colour may be written.
    pub color: bool,
    /// How much is told.
    pub verbosity: Verbosity,
}

impl Options {
    /// Columns where the width of the terminal is not known.
    pub const WIDTH: usize = 80;
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: Options::WIDTH,
            color: false,
            verbosity: Verbosity::default(),
        }
    }
}

/// How much a report for people tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// Nothing on success, else the last line only.
    Quiet,
    /// What needs a decision.
    #[default]
    Normal,
    /// Equivalent changes, notes, pointers and whole values as well.
    Verbose,
}

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// For people.
    Human,
    /// Versioned JSON; `schemas/report.v1.schema.json`.
    Json,
    /// SARIF 2.1.0, as GitHub code scanning wants it.
    Sarif,
    /// `JUnit` XML.
    Junit,
    /// GitHub workflow commands; see also [`step_summary`].
    Github,
    /// GitLab's code quality report.
    Gitlab,
    /// A comment on a pull request.
    Markdown,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Human,
        Format::Json,
        Format::Sarif,
        Format::Junit,
        Format::Github,
        Format::Gitlab,
        Format::Markdown,
    ];

    /// The name that `--format` and `--report` take.
    pub fn name(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Junit => "junit",
            Format::Github => "github",
            Format::Gitlab => "gitlab",
            Format::Markdown => "markdown",
        }
    }

    /// The format of that name.
    pub fn parse(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Renders `report` in `format`. Ends with a line feed.
pub fn render(format: Format, report: &Report, options: &Options) -> Result<String> {
    match format {
        Format::Human => Ok(human::render(report, options)),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Junit => Ok(junit::render(report)),
        Format::Github => Ok(github::render(report)),
        Format::Gitlab => gitlab::render(report),
        Format::Markdown => Ok(markdown::render(report, markdown::COMMENT)),
    }
}

/// The whole report as Markdown for the file that `GITHUB_STEP_SUMMARY` names: what the
/// annotations of [`Format::Github`] have no room for. `used` is the size of that file in bytes;
/// none if what is left is too little to say anything.
pub fn step_summary(report: &Report, used: usize) -> Option<String> {
    let room = markdown::STEP_SUMMARY.checked_sub(used)?;
    (room >= markdown::LEAST).then(|| markdown::render(report, room))
}
