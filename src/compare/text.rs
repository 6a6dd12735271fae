//! What of a schema a model reads as words, and how values are named in a message.

use crate::canonical::canonical;
use crate::json::Value;
use crate::text::visible;

use super::keyword::{Keyword, subschemas};

/// How many characters of a value a message quotes.
const QUOTED: usize = 60;

/// Whether two values are the same JSON value: neither key order nor number spelling counts.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    a == b || canonical(a) == canonical(b)
}

/// [`same`] for members that may be absent.
pub(super) fn same_member(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// Every text of `schema` that a model reads as words, in canonical form, sorted: descriptions,
/// titles, comments, examples, defaults, and allowed values that are prose.
pub(super) fn words(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![schema];
    while let Some(schema) = left.pop() {
        let Value::Object(object) = schema else {
            continue;
        };
        for (name, value) in object.iter() {
            match Keyword::of(name) {
                Keyword::Words | Keyword::Default => found.push(canonical(value)),
                Keyword::Values if has_prose(value) => found.push(canonical(value)),
                _ => {}
            }
        }
        left.extend(subschemas(object).into_iter().map(|(_, schema)| schema));
    }
    found.sort();
    found
}

/// [`words`] of a definition that only one side has. A title that repeats the definition's name is
/// what a generator writes, and says nothing.
pub(super) fn words_of_definition(name: &str, schema: &Value) -> Vec<String> {
    let mut found = words(schema);
    let title = schema.get("title");
    if let Some(title) = title.filter(|title| title.as_str() == Some(name)) {
        let generated = canonical(title);
        if let Some(at) = found.iter().position(|text| *text == generated) {
            found.remove(at);
        }
    }
    found
}

/// Whether a string in `value` reads as a sentence rather than as a token: it holds white space,
/// or is longer than any name needs to be.
pub(super) fn has_prose(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() > 64 || text.contains(char::is_whitespace),
        Value::Array(items) => items.iter().any(has_prose),
        Value::Object(object) => object.iter().any(|(_, value)| has_prose(value)),
        _ => false,
    }
}

/// `value` for a message: canonical, visible, and cut short.
pub(crate) fn quoted(value: &Value) -> String {
    let text = visible(&canonical(value));
    if text.chars().count() <= QUOTED {
        return format!("`{text}`");
    }
    let head: String = text.chars().take(QUOTED).collect();
    format!("`{head}…`")
}

/// Some values for a message: the first few quoted, the rest counted.
pub(super) fn quoted_list(values: &[&Value]) -> String {
    let shown: Vec<String> = values.iter().take(5).map(|value| quoted(value)).collect();
    match values.len().checked_sub(5) {
        Some(more) if more > 0 => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// A name for a message.
pub(super) fn named(name: &str) -> String {
    format!("`{}`", visible(name))
}
