//! The vocabulary of a comparison: a change, its two axes, and why it is believed.

use crate::catalog::Kind;
use crate::json::{Pointer, Value};

use super::cues::{About, cues};

/// What pinned and live say differently of one item, of `instructions`, of the launch, or of the
/// server itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemDrift {
    /// The item's kind; none for `instructions` and `launch`.
    pub kind: Option<Kind>,
    /// `tool:NAME` and the like, `instructions`, `launch`, or `server` for what concerns the entry
    /// as a whole.
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
    /// Where in the item (for a schema: from the item's root, so `/inputSchema/…`). It leads into
    /// the live item wherever that has a value there, else into the pinned one.
    pub pointer: Pointer,
    /// What the place is called, in words: ``argument `filters[].op` ``, `the result`. Server text
    /// in it has passed [`crate::text::visible`].
    pub subject: Option<String>,
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
    /// What this was likely renamed to (where it went) or from (where it came).
    pub counterpart: Option<Counterpart>,
    /// What an SDK wrote of its own accord, as a fragment, where it did so on most of a server's
    /// tools; never set where callers are worse off.
    pub emission: Option<&'static str>,
    /// What a caller who sends undeclared names may meet, though careful callers do not. Server
    /// text in it has passed [`crate::text::visible`].
    pub note: Option<String>,
}

/// The other end of a likely rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterpart {
    /// Its name: `tool:NAME` and the like for an item, the bare name for an argument. Server text,
    /// not made visible.
    pub name: String,
    /// What it is: the item, or the argument's schema.
    pub value: Value,
}

impl Change {
    /// A difference about which nothing is known yet: undecided, and the model reads the same.
    pub(super) fn new(
        kind: ChangeKind,
        pointer: Pointer,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Self {
        Change {
            kind,
            pointer,
            subject: None,
            old: old.cloned(),
            new: new.cloned(),
            callers: Callers::Undecided,
            model: Model::Same,
            basis: Basis::Undecided,
            witness: None,
            detail: None,
            counterpart: None,
            emission: None,
            note: None,
        }
    }

    /// With the other end of a likely rename.
    pub(super) fn renamed(mut self, counterpart: Option<(&str, &Value)>) -> Self {
        self.counterpart = counterpart.map(|(name, value)| Counterpart {
            name: name.to_owned(),
            value: value.clone(),
        });
        self
    }

    /// With what the place is called.
    pub(super) fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// With its effect on callers, and why that is believed.
    pub(super) fn callers(mut self, callers: Callers, basis: Basis) -> Self {
        self.callers = callers;
        self.basis = basis;
        self
    }

    /// With [`Model::Changed`] if `changed`.
    pub(super) fn read_differently(mut self, changed: bool) -> Self {
        self.model = if changed { Model::Changed } else { Model::Same };
        self
    }

    /// With what the kind alone does not say.
    pub(super) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Text for readers alone: no call is affected. Says what it may mean where that can be named.
    pub(super) fn words(mut self) -> Self {
        if let (Some(Value::String(old)), Some(Value::String(new))) = (&self.old, &self.new)
            && matches!(self.kind, ChangeKind::Words | ChangeKind::Instructions)
        {
            let argument = |name: String| name == "properties" || name == "arguments";
            let about = if self.pointer.tokens().any(argument) {
                About::Argument
            } else {
                About::Whole
            };
            let cues = cues(old, new, about);
            self.detail = (!cues.is_empty()).then(|| cues.join("; "));
        }
        self.callers(Callers::Same, Basis::Policy)
            .read_differently(true)
    }

    /// Nobody can say what it does to a call, so a person has to look.
    pub(super) fn by_policy(self) -> Self {
        self.callers(Callers::Undecided, Basis::Policy)
    }

    /// No effect at all, by proof.
    pub(super) fn spelling(mut self) -> Self {
        self.kind = ChangeKind::Spelling;
        self.callers(Callers::Same, Basis::Proof)
    }
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

/// The kinds of difference; each has one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The pinned item is not listed any more.
    Gone,
    /// A listed item is not pinned.
    Added,
    /// A declared argument of a tool or prompt is no longer declared.
    ArgumentRemoved,
    /// An argument must be given now.
    ArgumentRequired,
    /// An optional argument is declared that was not.
    ArgumentAdded,
    /// An argument that had to be given need not be given any more.
    ArgumentOptional,
    /// A value is no longer allowed by `enum` or `const`.
    EnumNarrowed,
    /// A value is newly allowed by `enum` or `const`.
    EnumWidened,
    /// A type is no longer allowed.
    TypeNarrowed,
    /// A type is newly allowed.
    TypeWidened,
    /// An object accepts undeclared names no longer, or again.
    Closed,
    /// The input schema declared arguments, and now says nothing at all.
    InputSchemaEmptied,
    /// Another change of an input schema.
    InputSchema,
    /// A tool promises nothing about its result any more.
    OutputRemoved,
    /// A tool promises something about its result that promised nothing.
    OutputAdded,
    /// A result can be outside what was promised.
    OutputBroken,
    /// More is promised about a result than was, and nothing less.
    OutputExtended,
    /// Another change of an output schema.
    OutputSchema,
    /// `$schema` changed, so the other keywords may mean something else.
    Dialect,
    /// A description, title, comment or example changed, at any depth.
    Words,
    /// A default changed.
    Default,
    /// `format` or a `content…` keyword changed.
    Format,
    /// A keyword that no validator asserts changed, e.g. `readOnly` or `x-mcp-header`.
    Keyword,
    /// A hint of a tool moved toward danger, e.g. from read-only to writing.
    AnnotationsDanger,
    /// Another change of `annotations`.
    Annotations,
    /// `execution` changed: how a call is carried out.
    Execution,
    /// The icons changed.
    Icons,
    /// `_meta` changed.
    Meta,
    /// A resource's or template's media type changed.
    MimeType,
    /// A prompt's list of arguments changed and can't be paired by name.
    PromptArguments,
    /// The server's instructions changed.
    Instructions,
    /// How the server is started or reached changed.
    Launch,
    /// The list of volatile words differs.
    Volatile,
    /// The revision of the protocol that answers is another one.
    Protocol,
    /// The client capabilities that were declared differ.
    Capabilities,
    /// Only the order of a set-like array, or a spelling without meaning, changed.
    Spelling,
    /// Any other member changed.
    Other,
}
