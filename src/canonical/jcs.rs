//! RFC 8785 over the lossless tree.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::json::{Object, Value};

use super::number;

/// The canonical form of `value` (RFC 8785, with the exact-number rule).
///
/// Where an object has two members of one name both are written, in their order; such a value has
/// no canonical form, and callers ask [`crate::json::Document::sound`] first.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(n) => out.push_str(&number::canonical(n.as_str())),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (i, (key, member)) in sorted(object).iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write(out, member);
            }
            out.push('}');
        }
    }
}

/// The members in canonical order (RFC 8785, section 3.2.3); already sorted ones are not copied.
pub(crate) fn sorted(object: &Object) -> Cow<'_, [(String, Value)]> {
    let members = object.members();
    if members.is_sorted_by(|a, b| utf16_order(&a.0, &b.0) != Ordering::Greater) {
        return Cow::Borrowed(members);
    }
    let mut members = members.to_vec();
    members.sort_by(|a, b| utf16_order(&a.0, &b.0));
    Cow::Owned(members)
}

/// Orders two keys by their UTF-16 code units.
pub(crate) fn utf16_order(a: &str, b: &str) -> Ordering {
    // UTF-8 order is code point order; the two differ only where one side has a character above
    // U+FFFF (surrogates sort below U+E000).
    if a.is_ascii() || b.is_ascii() {
        return a.cmp(b);
    }
    a.encode_utf16().cmp(b.encode_utf16())
}

/// Writes `text` as a JSON string with the escapes of RFC 8785, section 3.2.2.2.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut start = 0;
    for (i, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x09 => "\\t",
            0x0a => "\\n",
            0x0c => "\\f",
            0x0d => "\\r",
            0..=0x1f => "",
            _ => continue,
        };
        out.push_str(&text[start..i]);
        if escape.is_empty() {
            out.push_str("\\u00");
            for nibble in [byte >> 4, byte & 15] {
                out.push(char::from(b"0123456789abcdef"[usize::from(nibble)]));
            }
        } else {
            out.push_str(escape);
        }
        start = i + 1;
    }
    out.push_str(&text[start..]);
    out.push('"');
}
