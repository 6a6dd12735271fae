//! RFC 8785 over the lossless tree.

use std::cmp::Ordering;
use std::ops::Range;

use crate::json::{Object, Value, write_string};

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

/// Writes the canonical form of `value`.
pub(super) fn write(out: &mut String, value: &Value) {
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
        Value::Object(object) => write_object(out, object, |_, _| ()),
    }
}

/// Writes the canonical form of `object` and tells where in `out` the value of each member stands.
pub(super) fn write_object(
    out: &mut String,
    object: &Object,
    mut wrote: impl FnMut(&str, Range<usize>),
) {
    out.push('{');
    for (i, (key, member)) in sorted(object).into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(out, key);
        out.push(':');
        let start = out.len();
        write(out, member);
        wrote(key, start..out.len());
    }
    out.push('}');
}

/// The members in canonical order (RFC 8785, section 3.2.3); of one name, in the order received.
pub(crate) fn sorted(object: &Object) -> Vec<&(String, Value)> {
    let mut members: Vec<_> = object.members().iter().collect();
    members.sort_by(|a, b| utf16_order(&a.0, &b.0));
    members
}

/// Orders two keys by their UTF-16 code units.
pub(crate) fn utf16_order(a: &str, b: &str) -> Ordering {
    // UTF-8 order is code point order. The two orders differ only between a character above U+FFFF,
    // whose surrogates sort below U+E000, and one from U+E000 on: never where one side is ASCII.
    if a.is_ascii() || b.is_ascii() {
        return a.cmp(b);
    }
    a.encode_utf16().cmp(b.encode_utf16())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Limits, parse};

    fn tree(text: &str) -> Value {
        let document = parse(text.as_bytes(), &Limits::default()).unwrap();
        assert_eq!(document.defects, []);
        document.value
    }

    #[test]
    fn keys_are_ordered_by_utf16_units_not_by_code_points() {
        // U+1F600 begins with the unit D83D, below U+FB33; by code point it would come last.
        let value = tree(r#"{"\ufb33":1,"😀":2,"ö":3,"a":4,"":5}"#);
        assert_eq!(
            canonical(&value),
            "{\"\":5,\"a\":4,\"ö\":3,\"😀\":2,\"\u{fb33}\":1}"
        );
    }

    #[test]
    fn text_is_never_normalised() {
        assert_ne!(
            canonical(&tree("\"A\u{30a}\"")),
            canonical(&tree("\"\u{c5}\""))
        );
    }

    /// A value as text in two spellings: members in another order, numbers and strings written in
    /// another way.
    fn spellings() -> impl Strategy<Value = (String, String)> {
        let leaf = prop_oneof![
            Just(("null".to_owned(), " null".to_owned())),
            Just(("true".to_owned(), "true\n".to_owned())),
            (-2_000_000_000_000_000_000_i64..2_000_000_000_000_000_000).prop_map(|n| {
                (
                    n.to_string(),
                    format!(
                        "{}0.00e-1",
                        if n == 0 { String::new() } else { n.to_string() }
                    ),
                )
            }),
            "[a-z\"\\\\\u{0}\n\u{1f}é😀]{0,6}".prop_map(|text| (quoted(&text), escaped(&text))),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(|items| {
                    let (one, two): (Vec<_>, Vec<_>) = items.into_iter().unzip();
                    (
                        format!("[{}]", one.join(",")),
                        format!("[ {} ]", two.join(" , ")),
                    )
                }),
                prop::collection::btree_map("[a-zé\u{e000}😀\u{ffff}\"\n]{0,4}", inner, 0..20)
                    .prop_map(|members| {
                        let one: Vec<_> = members
                            .iter()
                            .map(|(key, (value, _))| format!("{}:{value}", quoted(key)))
                            .collect();
                        let two: Vec<_> = members
                            .iter()
                            .rev()
                            .map(|(key, (_, value))| format!("{} :\t{value}", escaped(key)))
                            .collect();
                        (
                            format!("{{{}}}", one.join(",")),
                            format!("{{\r\n{}}}", two.join(",")),
                        )
                    }),
            ]
        })
    }

    fn quoted(text: &str) -> String {
        serde_json::to_string(text).unwrap()
    }

    /// Every UTF-16 unit as an escape.
    fn escaped(text: &str) -> String {
        let units: Vec<_> = text
            .encode_utf16()
            .map(|unit| format!("\\u{unit:04X}"))
            .collect();
        format!("\"{}\"", units.concat())
    }

    proptest! {
        #[test]
        fn the_canonical_form_does_not_depend_on_the_spelling((one, two) in spellings()) {
            prop_assert_eq!(canonical(&tree(&one)), canonical(&tree(&two)));
        }

        #[test]
        fn the_canonical_form_is_its_own_canonical_form((text, _) in spellings()) {
            let once = canonical(&tree(&text));
            prop_assert_eq!(canonical(&tree(&once)), once);
        }

        #[test]
        fn an_independent_reader_reads_the_same_value_back((text, _) in spellings()) {
            let ours: serde_json::Value = serde_json::from_str(&canonical(&tree(&text))).unwrap();
            let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn the_order_of_keys_is_that_of_their_utf16_units(
            a in "[a\u{7f}é\u{d7ff}\u{e000}\u{ffff}\u{10000}😀]{0,4}",
            b in "[a\u{7f}é\u{d7ff}\u{e000}\u{ffff}\u{10000}😀]{0,4}",
        ) {
            let units = |text: &str| text.encode_utf16().collect::<Vec<_>>();
            prop_assert_eq!(utf16_order(&a, &b), units(&a).cmp(&units(&b)));
        }
    }
}
