//! What changes and faults are worth: levels, the two-axis table, and the rules with their ids.
//!
//! Pure.

use crate::compare::{Basis, Callers, Model, Witness};
use crate::json::{Pointer, Value};

/// What a finding means for those who rely on the contract; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The contract can't be relied on at all.
    Unfit,
    /// Some call that was right no longer is, or an item is gone.
    Breaking,
    /// Accepted, but it may mean something else, or it could not be decided.
    Risky,
    /// Proved: every call that was right still is and means the same.
    Compatible,
    /// The text differs, the meaning is proved the same.
    Equivalent,
    /// Worth telling the server's author; never drift.
    Advice,
}

impl Level {
    /// The word for it in reports and settings.
    pub fn word(self) -> &'static str {
        match self {
            Level::Unfit => "unfit",
            Level::Breaking => "breaking",
            Level::Risky => "risky",
            Level::Compatible => "compatible",
            Level::Equivalent => "equivalent",
            Level::Advice => "advice",
        }
    }
}

/// The level of a change from its two axes.
pub fn level(callers: Callers, model: Model) -> Level {
    match (callers, model) {
        (Callers::Narrower, _) => Level::Breaking,
        (Callers::Undecided, _) | (_, Model::Changed) => Level::Risky,
        (Callers::Wider, Model::Same) => Level::Compatible,
        (Callers::Same, Model::Same) => Level::Equivalent,
    }
}

/// The lowest level that fails a run (`--fail-on`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FailOn {
    /// Only breaking drift.
    Breaking,
    /// Risky drift and worse.
    Risky,
    /// Any drift that is not proved equivalent.
    #[default]
    Compatible,
    /// No drift at all.
    Never,
}

impl FailOn {
    /// The word for it on the command line and in settings.
    pub fn word(self) -> &'static str {
        match self {
            FailOn::Breaking => "breaking",
            FailOn::Risky => "risky",
            FailOn::Compatible => "compatible",
            FailOn::Never => "never",
        }
    }

    /// Whether drift of `level` fails.
    pub fn fails(self, level: Level) -> bool {
        match self {
            FailOn::Breaking => level == Level::Breaking,
            FailOn::Risky => matches!(level, Level::Breaking | Level::Risky),
            FailOn::Compatible => {
                matches!(level, Level::Breaking | Level::Risky | Level::Compatible)
            }
            FailOn::Never => false,
        }
    }
}

/// A rule's judgement of a change or a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Id of the rule, e.g. `argument-removed`.
    pub rule: &'static str,
    /// What it means.
    pub level: Level,
    /// Why it is believed.
    pub basis: Basis,
    /// `tool:NAME` and the like, `instructions`, or `launch`.
    pub label: String,
    /// Where in the item.
    pub pointer: Pointer,
    /// One sentence fragment for people; server text in it is made visible.
    pub message: String,
    /// The pinned value.
    pub old: Option<Value>,
    /// The live value.
    pub new: Option<Value>,
    /// A value that shows it.
    pub witness: Option<Witness>,
    /// 16 hex digits that stay the same as long as server, item, rule and pointer do.
    pub fingerprint: String,
}
