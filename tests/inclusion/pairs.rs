//! Schemas as text, for the tests of inclusion.

use mcplock::json::{Limits, Value, parse};
use mcplock::schema::Dialect;
use mcplock::schema::inclusion::{Options, Verdict, inclusion};

/// Parses what a test wrote.
pub(crate) fn json(text: &str) -> Value {
    parse(text.as_bytes(), &Limits { depth: 2_000 })
        .expect("a test writes JSON")
        .value
}

/// Inclusion under 2020-12.
pub(crate) fn verdict(old: &str, new: &str) -> Verdict {
    let options = Options::for_dialect(Dialect::Draft2020_12);
    inclusion(&json(old), &json(new), &options)
}
