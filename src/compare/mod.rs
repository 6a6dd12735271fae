//! Two catalogs, or an entry and a catalog, compared: what changed, where, and what it does.
//!
//! Pure. Yields [`Change`]s; [`crate::rules`] decides their level.

use crate::catalog::Kind;
use crate::json::{Pointer, Value};

/// What pinned and live say of one item, or of `instructions` or the launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemDrift {
    /// The item's kind; none for `instructions` and `launch`.
    pub kind: Option<Kind>,
    /// `tool:NAME` and the like, `instructions`, or `launch`.
    pub label: String,
    /// The changes, in document order; one of kind [`ChangeKind::Gone`] or [`ChangeKind::Added`]
    /// for an item that only one side has.
    pub changes: Vec<Change>,
}

/// One difference between pinned and live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What kind of difference; each has a rule.
    pub kind: ChangeKind,
    /// Where in the item (for a schema: from the item's root, so `/inputSchema/…`).
    pub pointer: Pointer,
    /// The pinned value; none where only live has one.
    pub old: Option<Value>,
    /// The live value; none where only pinned has one.
    pub new: Option<Value>,
    /// What callers can no longer do, or can do now.
    pub callers: Callers,
    /// Whether the model reads something else.
    pub model: Model,
    /// Why this is believed.
    pub basis: Basis,
    /// A value that shows the change, checked against both sides.
    pub witness: Option<Witness>,
    /// What exactly, as a fragment for people, when the kind alone does not say it. Server text in
    /// it has passed [`crate::text::visible`].
    pub detail: Option<String>,
}

/// The first axis: the set of calls (or results) and their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Callers {
    /// The same calls, with the same meaning.
    Same,
    /// Proved: every call that was right still is, and more are.
    Wider,
    /// Neither proved nor refuted.
    Undecided,
    /// Some call that was right is refused, ignored in part, or answered outside the promise.
    Narrower,
}

/// The second axis: what a model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Model {
    /// Nothing that a model reads has changed.
    Same,
    /// Words, defaults, hints or examples changed.
    Changed,
}

/// Why a change is believed to have its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Basis {
    /// A concrete value shows it, checked by a validator on both sides.
    Witness,
    /// A structural rule proves it.
    Proof,
    /// This project's policy says so.
    Policy,
    /// It could not be decided.
    Undecided,
}

/// A concrete value that shows a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The arguments object, or for an output the result.
    pub value: Value,
    /// Why the side that refuses it does so, in the validator's words, made visible.
    pub reason: String,
}

/// The kinds of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The pinned item is not listed any more.
    Gone,
    /// A listed item is not pinned.
    Added,
    /// An argument that was declared is no longer.
    ArgumentRemoved,
    /// An argument must be given now.
    ArgumentRequired,
    /// An argument is declared that was not.
    ArgumentAdded,
    /// A value is no longer in an `enum`.
    EnumNarrowed,
    /// A value is new in an `enum`.
    EnumWidened,
    /// A type is no longer allowed.
    TypeNarrowed,
    /// Another change of an input schema.
    InputSchema,
    /// A change of an output schema.
    OutputSchema,
    /// A description or title changed, at any depth.
    Words,
    /// A default changed.
    Default,
    /// A tool's or resource's annotations changed.
    Annotations,
    /// The server's instructions changed.
    Instructions,
    /// How the server is started or reached changed.
    Launch,
    /// The list of volatile words differs.
    Volatile,
    /// The revision of the protocol that answers is another one.
    Protocol,
    /// A prompt's arguments changed.
    PromptArguments,
    /// Only the order of a set-like array, or a spelling without meaning, changed.
    Spelling,
    /// Any other member changed.
    Other,
}
