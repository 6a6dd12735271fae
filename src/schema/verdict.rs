//! What the validator is asked and answers: a verdict, the limit that it met, or why it can't be used.

use std::fmt;

use crate::json::Pointer;

use super::reason::Reason;
use super::wellformed::Flaw;

/// A bound that was met before or instead of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// The schema has too many subschemas and references.
    Subschemas,
    /// Schema, references or instance nest too deep.
    Depth,
    /// Too many visits of subschemas to values.
    Steps,
    /// A pattern is too long, or too large when its repetitions are written out.
    PatternSize,
    /// A pattern backtracks too much.
    PatternSteps,
    /// A number is none that a double holds.
    Number,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Subschemas => "the schema has too many subschemas",
            Limit::Depth => "schema or value nest too deep",
            Limit::Steps => "it takes too many steps",
            Limit::PatternSize => "a pattern is too large",
            Limit::PatternSteps => "a pattern backtracks too much",
            Limit::Number => "a number is none that a double holds",
        })
    }
}

/// What `format` and the `content…` keywords are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formats {
    /// They refuse nothing, as the standard has it.
    #[default]
    Noted,
    /// They refuse strings that are not as they say (`assert-format`).
    Asserted,
}

/// Why a schema can't be validated against.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// A `$schema` names no known dialect.
    UnknownDialect(Pointer),
    /// Not valid for its dialect.
    NotWellFormed(Vec<Flaw>),
    /// The reference at this place leads out of the document, to nothing, or to no schema.
    Reference(Pointer),
    /// The reference at this place is part of a loop that consumes nothing.
    Loop(Pointer),
    /// It is larger than what is handed to the library.
    OverBudget(Limit),
    /// The library does not take it, though it is well-formed: a pattern that its engine can't
    /// evaluate, or a place in a metaschema that does not exist.
    NotSupported,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::UnknownDialect(_) => f.write_str("its dialect is not known"),
            Unusable::NotWellFormed(flaws) => match flaws.first() {
                Some(flaw) => write!(f, "it is not well-formed: {}", flaw.reason),
                None => f.write_str("it is not well-formed"),
            },
            Unusable::Reference(_) => f.write_str("a reference can't be resolved"),
            Unusable::Loop(_) => f.write_str("a reference leads back to itself"),
            Unusable::OverBudget(limit) => limit.fmt(f),
            Unusable::NotSupported => f.write_str("the validator does not support it"),
        }
    }
}

/// Whether an instance is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Valid,
    /// It is not, for these reasons (the first few; at least one).
    Invalid(Vec<Reason>),
    /// It could not be told within the bounds.
    OverBudget(Limit),
}

impl Verdict {
    /// Whether it is [`Verdict::Valid`].
    pub fn is_valid(&self) -> bool {
        *self == Verdict::Valid
    }
}
