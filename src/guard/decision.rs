//! What the gate decides, and why.
//!
//! Pure data. Every text in it is fit to be shown; values of arguments and results never get here.

use crate::canonical::Digest;
use crate::config::Redactor;
use crate::rules::{self, Finding};

/// Why a call passes or does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The live contract is the pinned one.
    Equal,
    /// They differ, but by nothing that reaches the threshold.
    Tolerated,
    /// The policy says that resources are not pinned.
    Ignored,
    /// The live contract has drifted from the pinned one.
    Drift,
    /// It is pinned, and the server lists it no longer.
    Gone,
    /// It is pinned, and not listed to an agent with this revision and these capabilities.
    Unavailable,
    /// It is not pinned.
    NotPinned,
    /// What the server lists under this name has no contract.
    Unfit,
    /// The server lists two of this name.
    Twice,
    /// The agent was last shown another contract than the live one.
    ServedOther,
    /// The agent has not listed it in this session, and `--require-list` is set.
    NotListed,
    /// The lockfile was pinned anew, and the agent has not listed since.
    Stale,
    /// The instructions of the server have drifted.
    Instructions,
    /// The arguments are not valid against the pinned schema.
    Arguments,
    /// An argument is not declared, and `--deny-undeclared` is set.
    Undeclared,
    /// An argument has a name that the policy reserves.
    Reserved,
    /// The pinned schema can't be evaluated, or not within its budget.
    CanNotTell,
    /// The message can't be read, or can be read in two ways.
    Unreadable,
    /// What the server lists now could not be learned.
    NoList,
    /// The guard relays nothing in this session.
    Closed,
    /// The result breaks the pinned output schema.
    Result,
    /// The contract moved while the call ran.
    Moved,
    /// The server ended, or did not take the request.
    Server,
}

impl Reason {
    /// Whether a call for this reason goes through.
    pub fn passes(self) -> bool {
        matches!(self, Reason::Equal | Reason::Tolerated | Reason::Ignored)
    }

    /// The word for it in the log and in errors.
    pub fn word(self) -> &'static str {
        match self {
            Reason::Equal => "equal",
            Reason::Tolerated => "tolerated",
            Reason::Ignored => "ignored-by-policy",
            Reason::Drift => "drift",
            Reason::Gone => "gone",
            Reason::Unavailable => "unavailable",
            Reason::NotPinned => "not-pinned",
            Reason::Unfit => "unfit",
            Reason::Twice => "listed-twice",
            Reason::ServedOther => "served-other",
            Reason::NotListed => "not-listed",
            Reason::Stale => "stale",
            Reason::Instructions => "instructions",
            Reason::Arguments => "arguments",
            Reason::Undeclared => "undeclared-argument",
            Reason::Reserved => "reserved-argument",
            Reason::CanNotTell => "can-not-tell",
            Reason::Unreadable => "unreadable",
            Reason::NoList => "no-list",
            Reason::Closed => "closed",
            Reason::Result => "result",
            Reason::Moved => "moved",
            Reason::Server => "server",
        }
    }
}

/// A decision about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// `tool:NAME` and the like.
    pub item: String,
    /// Why.
    pub reason: Reason,
    /// One sentence fragment for people; empty for a plain pass.
    pub message: String,
    /// What to do about it; empty for a pass.
    pub help: String,
    /// Digest of the pinned contract.
    pub pinned: Option<Digest>,
    /// Digest of the live contract.
    pub live: Option<Digest>,
    /// What the rules say of the difference.
    pub findings: Vec<Finding>,
    /// Things worth logging: an argument that is not declared, an item never listed.
    pub notes: Vec<String>,
}

impl Decision {
    /// A decision about `item` without digests, findings or notes.
    pub(super) fn new(item: impl Into<String>, reason: Reason) -> Self {
        Decision {
            item: item.into(),
            reason,
            message: String::new(),
            help: String::new(),
            pinned: None,
            live: None,
            findings: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn says(mut self, message: impl Into<String>, help: impl Into<String>) -> Self {
        self.message = message.into();
        self.help = help.into();
        self
    }

    /// Whether the call goes through.
    pub fn passes(&self) -> bool {
        self.reason.passes()
    }

    /// The same with the values of secrets masked wherever a server may have repeated them.
    #[must_use]
    pub(super) fn masked(mut self, secrets: &Redactor) -> Self {
        for text in [&mut self.item, &mut self.message, &mut self.help] {
            *text = secrets.mask(text).into_owned();
        }
        for finding in &mut self.findings {
            rules::mask(finding, secrets);
        }
        self
    }
}
