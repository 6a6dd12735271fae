//! Whether one item, alone, can be relied on.
//!
//! Pure. Yields [`Fault`]s; [`crate::rules`] decides what they are worth.

use crate::catalog::Kind;
use crate::json::{Pointer, Value};

/// What is wrong, or merely worth telling, about one item or one catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What it is; each kind has a rule.
    pub kind: FaultKind,
    /// The item's kind; none for a fault of `instructions`.
    pub item: Option<Kind>,
    /// The item's label as [`crate::catalog::Item::label`] gives it; `instructions` for those.
    pub label: String,
    /// Where in the item.
    pub pointer: Pointer,
    /// What exactly, as a fragment. Server text in it has passed [`crate::text::visible`].
    pub message: String,
    /// The value at the place, when it helps to see it.
    pub value: Option<Value>,
}

/// The kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two members of one object have one name.
    DuplicateKey,
    /// A string holds half a surrogate pair.
    LoneSurrogate,
    /// Nested deeper than the limit.
    TooDeep,
    /// A number whose exponent nothing can compare.
    ExponentTooLarge,
    /// Not an object, or its key is missing, not a string or empty.
    NotAnItem,
    /// Two items of one kind have one key.
    DuplicateItem,
    /// A tool without `inputSchema`.
    InputSchemaMissing,
    /// `inputSchema` is not a schema whose root has `type: "object"`.
    RootNotObject,
    /// `$schema` names a dialect that is not known.
    UnknownDialect,
    /// Not valid against the metaschema of its dialect.
    NotWellFormed,
    /// A `$ref` points outside the document.
    ExternalRef,
    /// A `$ref` points at nothing in the document.
    DanglingRef,
    /// References that lead back to themselves without consuming any of the instance.
    RefLoop,
    /// `instructions` is not a string.
    InstructionsNotText,
}
