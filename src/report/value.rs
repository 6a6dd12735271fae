//! JSON values as text: compact and exact, for a line of a report or a field of a format.
//!
//! Pure. Number text, key order and duplicate keys stay as they were.

use crate::canonical::write_string;
use crate::json::{Object, Value};

use super::sanitize;

/// `value` as JSON without spaces; hidden code points as `\uXXXX`.
pub(super) fn exact(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, ("", ""));
    sanitize::json(&out)
}

/// `value` as JSON on one line with a space after each comma and colon, for reading.
pub(super) fn spaced(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, (", ", ": "));
    sanitize::json(&out)
}

fn write(out: &mut String, value: &Value, gaps: (&str, &str)) {
    let comma = if gaps.0.is_empty() { "," } else { gaps.0 };
    let colon = if gaps.1.is_empty() { ":" } else { gaps.1 };
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(comma);
                }
                write(out, item, gaps);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (i, (key, member)) in object.iter().enumerate() {
                if i > 0 {
                    out.push_str(comma);
                }
                write_string(out, key);
                out.push_str(colon);
                write(out, member, gaps);
            }
            out.push('}');
        }
    }
}

/// One argument of a tool or prompt, as far as it fits on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argument {
    /// Its name.
    pub(super) name: String,
    /// Its `type`, or what stands in its place.
    pub(super) kind: String,
    /// Whether a call must give it.
    pub(super) required: bool,
}

/// The arguments that an item declares at the top; nothing for an item without any.
pub(super) fn arguments(item: &Value) -> Vec<Argument> {
    if let Some(list) = item.get("arguments").and_then(Value::as_array) {
        return list.iter().filter_map(prompt_argument).collect();
    }
    let Some(schema) = item.get("inputSchema") else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .map(Object::iter)
        .into_iter()
        .flatten()
        .map(|(name, property)| Argument {
            name: name.to_owned(),
            kind: kind_of(property),
            required: required.is_some_and(|names| names.iter().any(|r| r.as_str() == Some(name))),
        })
        .collect()
}

fn prompt_argument(argument: &Value) -> Option<Argument> {
    Some(Argument {
        name: argument.get("name")?.as_str()?.to_owned(),
        kind: "text".to_owned(),
        required: argument.get("required").and_then(Value::as_bool) == Some(true),
    })
}

fn kind_of(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" or ")
        }
        _ => ["enum", "const", "$ref", "anyOf", "oneOf", "allOf"]
            .into_iter()
            .find(|keyword| schema.get(keyword).is_some())
            .unwrap_or("anything")
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn value(text: &str) -> Value {
        parse(text.as_bytes(), &Limits::default()).unwrap().value
    }

    #[test]
    fn number_text_key_order_and_duplicate_keys_stay() {
        let text = r#"{"b":1e400,"a":0.10,"b":12345678901234567890}"#;
        assert_eq!(exact(&value(text)), text);
        assert_eq!(spaced(&value(r#"{"a":[1,2]}"#)), r#"{"a": [1, 2]}"#);
    }

    #[test]
    fn the_arguments_of_a_tool_are_named_with_type_and_need() {
        let tool = value(
            r#"{"inputSchema":{"properties":{"q":{"type":"string"},"n":{"type":["integer","null"]},
            "any":true},"required":["q"]}}"#,
        );
        let shown: Vec<_> = arguments(&tool)
            .into_iter()
            .map(|a| (a.name, a.kind, a.required))
            .collect();
        assert_eq!(
            shown,
            [
                ("q".to_owned(), "string".to_owned(), true),
                ("n".to_owned(), "integer or null".to_owned(), false),
                ("any".to_owned(), "anything".to_owned(), false),
            ]
        );
    }
}
