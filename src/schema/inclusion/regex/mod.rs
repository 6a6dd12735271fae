//! ECMA-262 patterns as exact languages: search semantics, ASCII `\d` and `\w`, code points.
//!
//! What is not regular, or not modelled (back references, look-behind, `\b`, `\p`), has no
//! language, and whoever asks must say "not decided". Everything is bounded by steps.

mod charset;
mod parse;
mod terms;

pub(crate) use terms::{Found, Term, Terms};
