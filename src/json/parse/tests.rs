//! What the parser keeps, and what it says about oddities and their places.

use proptest::prelude::*;

use super::*;

fn document(text: &str) -> Document {
    parse(text.as_bytes(), &Limits::default()).unwrap()
}

/// Kind, pointer and offset of each defect.
fn defects(text: &str) -> Vec<(DefectKind, String, usize)> {
    document(text)
        .defects
        .into_iter()
        .map(|defect| (defect.kind, defect.pointer.to_string(), defect.offset))
        .collect()
}

/// The text from the offset of the only defect on.
fn at_defect(text: &str) -> (DefectKind, String, &str) {
    let mut found = defects(text);
    assert_eq!(found.len(), 1, "{found:?}");
    let (kind, pointer, offset) = found.remove(0);
    (kind, pointer, &text[offset..])
}

#[test]
fn number_text_key_order_and_duplicates_are_kept() {
    let value = document(r#"{"b":1.50,"a":1E+2,"b":-0}"#).value;
    let members: Vec<_> = value
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, member)| match member {
            Value::Number(number) => (key, number.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(members, [("b", "1.50"), ("a", "1E+2"), ("b", "-0")]);
}

#[test]
fn escapes_mean_what_they_stand_for() {
    let value = document(r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000""#).value;
    assert_eq!(value.as_str().unwrap(), "\"\\/\u{8}\u{c}\n\r\té😀\u{0}");
}

#[test]
fn a_key_spelled_in_two_ways_is_a_duplicate_at_the_second() {
    let (kind, pointer, rest) = at_defect(r#"{"name":1,"\u006eame":2}"#);
    assert_eq!(
        (kind, pointer.as_str()),
        (DefectKind::DuplicateKey, "/name")
    );
    assert!(rest.starts_with(r#""\u006eame""#));
}

#[test]
fn a_nested_duplicate_has_the_whole_pointer() {
    let (kind, pointer, rest) = at_defect(r#"[0,{"a/b":{"x~":[1],"y":0, "x~":2}}]"#);
    assert_eq!(kind, DefectKind::DuplicateKey);
    assert_eq!(pointer, "/1/a~1b/x~0");
    assert_eq!(rest, r#""x~":2}}]"#);
}

#[test]
fn duplicates_are_found_on_both_sides_of_the_switch_to_a_set() {
    for first in 0..20 {
        for copy in [15, 16, 17, 18, 40] {
            let mut members: Vec<String> = (0..copy).map(|i| format!("\"k{i}\":{i}")).collect();
            if first >= members.len() {
                continue;
            }
            members.push(format!("\"k{first}\":true"));
            members.push("\"last\":null".to_owned());
            let text = format!("{{{}}}", members.join(","));
            let (kind, pointer, rest) = at_defect(&text);
            assert_eq!(kind, DefectKind::DuplicateKey);
            assert_eq!(pointer, format!("/k{first}"));
            assert!(rest.ends_with(":true,\"last\":null}"), "{rest}");
        }
    }
}

#[test]
fn many_different_keys_are_no_duplicates() {
    let members: Vec<String> = (0..500).map(|i| format!("\"k{i}\":{i}")).collect();
    assert_eq!(defects(&format!("{{{}}}", members.join(","))), []);
}

#[test]
fn half_a_surrogate_pair_is_a_defect_of_its_string() {
    for text in [
        r#"{"a":["x","\ud800"]}"#,
        r#"{"a":["x","\udc00"]}"#,
        r#"{"a":["x","\ud800\ud800"]}"#,
        r#"{"a":["x","\udc00\ud800"]}"#,
        r#"{"a":["x","\ud800\n"]}"#,
        r#"{"a":["x","\ud800z"]}"#,
        r#"{"a":["x","\ud800\u0041"]}"#,
    ] {
        let (kind, pointer, rest) = at_defect(text);
        assert_eq!(kind, DefectKind::LoneSurrogate, "{text}");
        assert_eq!(pointer, "/a/1", "{text}");
        assert!(rest.starts_with(r#""\ud"#), "{text}");
    }
    let value = document(r#"["\ud800\u0041","\ud800\ud83d\ude00"]"#).value;
    let strings: Vec<_> = value
        .as_array()
        .unwrap()
        .iter()
        .map(Value::as_str)
        .collect();
    assert_eq!(strings, [Some("\u{fffd}A"), Some("\u{fffd}😀")]);
}

#[test]
fn half_a_surrogate_pair_in_a_key_is_a_defect_of_the_member() {
    let (kind, pointer, rest) = at_defect(r#"{"o":{"k\ud800":1}}"#);
    assert_eq!(kind, DefectKind::LoneSurrogate);
    assert_eq!(pointer, "/o/k\u{fffd}");
    assert_eq!(rest, r#""k\ud800":1}}"#);
}

#[test]
fn keys_with_different_halves_are_not_called_duplicates() {
    let kinds: Vec<_> = defects(r#"{"\ud800":1,"\ud801":2}"#)
        .into_iter()
        .map(|defect| defect.0)
        .collect();
    assert_eq!(kinds, [DefectKind::LoneSurrogate; 2]);
}

#[test]
fn nesting_to_the_limit_is_sound_and_one_more_is_not() {
    for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
        let nested = |depth: usize| {
            format!(
                "{}{}",
                open.repeat(depth - 1),
                if open == "[" { "[]" } else { "{}" }
            ) + &close.repeat(depth - 1)
        };
        let limits = Limits { depth: 5 };
        let sound = parse(nested(5).as_bytes(), &limits).unwrap();
        assert_eq!(sound.defects, []);
        let text = nested(6);
        let deep = parse(text.as_bytes(), &limits).unwrap();
        assert_eq!(deep.defects.len(), 1);
        assert_eq!(deep.defects[0].kind, DefectKind::TooDeep);
        assert_eq!(deep.defects[0].offset, open.len() * 5);
        assert_eq!(
            deep.defects[0].pointer.as_str(),
            if open == "[" {
                "/0".repeat(5)
            } else {
                "/k".repeat(5)
            }
        );
        assert_eq!(
            deep.defects[0].pointer.find(&deep.value),
            Some(&Value::Null)
        );
    }
}

#[test]
fn what_follows_a_container_that_is_too_deep_is_still_read() {
    let text = r#"{"a":[[{"x":["}",1e5,true,null,{}]},[]],7],"b":8}"#;
    let read = parse(text.as_bytes(), &Limits { depth: 2 }).unwrap();
    assert_eq!(read.value, document(r#"{"a":[null,7],"b":8}"#).value);
    assert!(parse(b"[[1,}],2]", &Limits { depth: 1 }).is_err());
}

#[test]
fn a_hundred_thousand_levels_do_not_touch_the_stack() {
    let text = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(defects(&text)[0].0, DefectKind::TooDeep);
    assert!(parse("[".repeat(100_000).as_bytes(), &Limits::default()).is_err());
}

#[test]
fn an_exponent_of_more_than_17_digits_is_a_defect() {
    assert_eq!(defects("[1e99999999999999999]"), []);
    assert_eq!(defects("[1E-000000000000000000000000012]"), []);
    for text in ["[0,1e100000000000000000]", "[0,-1.5E-123456789012345678]"] {
        let (kind, pointer, rest) = at_defect(text);
        assert_eq!(kind, DefectKind::ExponentTooLarge);
        assert_eq!(pointer, "/1");
        assert_eq!(rest, &text[3..]);
    }
}

#[test]
fn text_with_a_defect_at_every_turn_costs_no_more_than_the_text() {
    let name = "k".repeat(1 << 20);
    let text = format!("{{\"{name}\":{{{}\"z\":0}}}}", "\"a\":0,".repeat(10_000));
    let found = document(&text);
    assert!(found.sound().is_none());
    assert!(found.defects.len() <= DEFECTS_KEPT);
    let pointers: usize = found.defects.iter().map(|d| d.pointer.as_str().len()).sum();
    assert!(pointers <= 3 << 20, "{pointers}");
    let many = document(&format!("{{{}\"z\":0}}", "\"a\":0,".repeat(10_000)));
    assert_eq!(many.defects.len(), DEFECTS_KEPT);
}

#[test]
fn a_broken_text_is_refused_with_its_place() {
    for (text, message, line, column) in [
        ("", "unexpected end", 1, 1),
        ("{\"a\":", "unexpected end", 1, 6),
        ("{\"a\"", "unexpected end", 1, 5),
        ("[1", "unexpected end", 1, 3),
        ("\"a\\", "unexpected end inside a string", 1, 4),
        ("[1,]", "expected a value", 1, 4),
        (
            "{\"a\":1,}",
            "expected a member name in double quotes",
            1,
            8,
        ),
        ("{'a':1}", "expected a member name in double quotes", 1, 2),
        ("[\n  NaN]", "expected a value", 2, 3),
        ("[-Infinity]", "expected a digit", 1, 3),
        ("[01]", "a number can't begin with 0", 1, 3),
        ("[1.]", "expected a digit", 1, 4),
        ("[1 2]", "expected `,` or `]`", 1, 4),
        ("{\"a\":1]", "expected `,` or `}`", 1, 7),
        ("[1] x", "text after the end of the value", 1, 5),
        ("[\"\u{1}\"]", "control character in a string", 1, 3),
        ("[\"é\\x\"]", "unknown escape", 1, 5),
        ("\u{feff}[]", "expected a value", 1, 1),
        ("[/*c*/]", "expected a value", 1, 2),
    ] {
        let error = parse(text.as_bytes(), &Limits::default()).unwrap_err();
        assert_eq!(
            (error.message, error.line, error.column),
            (message, line, column),
            "{text:?}"
        );
    }
    let error = parse(b"[\"a\xffb\"]", &Limits::default()).unwrap_err();
    assert_eq!((error.message, error.offset), ("invalid UTF-8", 3));
}

proptest! {
    /// Nothing panics, and a defect's pointer leads to a member that exists.
    #[test]
    fn whatever_is_accepted_has_defects_that_can_be_found(
        text in r#"(\{("a":|"\\u0061":|"\\ud800":|"b":)(1|\[[\[\]]{0,6}|"\\udc00"|1e99|1e123456789123456789|\{)[,}\]]{0,4}){1,6}[}\]]{0,6}"#
    ) {
        if let Ok(document) = parse(text.as_bytes(), &Limits { depth: 4 }) {
            for defect in &document.defects {
                prop_assert!(defect.pointer.find(&document.value).is_some(), "{text}");
                prop_assert!(text.is_char_boundary(defect.offset));
            }
        }
    }

    /// The parser refuses exactly what `serde_json`'s raw values refuse, which split messages.
    #[test]
    fn messages_and_items_have_one_grammar(text in r#"[\[\]{}",:\\u0019a.eE+ \-truefalsn]{0,24}"#) {
        let raw = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        prop_assert_eq!(parse(text.as_bytes(), &Limits::default()).is_ok(), raw, "{}", text);
    }
}
