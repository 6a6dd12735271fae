//! Reported faults of other tools that these stages decide (theme f: JSON).

use std::fs;
use std::path::PathBuf;

use mcplock::canonical::{contract, number};
use mcplock::catalog::{Catalog, Item, Kind, read_saved};
use mcplock::error::{ErrorKind, Result};
use mcplock::json::{DefectKind, Limits, parse};

use super::suites::suites;

struct Case(PathBuf);

impl Case {
    fn open(name: &str) -> Option<Case> {
        Some(Case(suites(name)?.join("cases").join(name)))
    }

    fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.0.join(file)).unwrap()
    }

    fn catalog(&self, file: &str) -> Result<Catalog> {
        read_saved(&[(file, self.read(file))])
    }

    fn only_tool(&self, file: &str) -> Item {
        let mut items = self.catalog(file).unwrap().items;
        assert_eq!(items.len(), 1);
        items.remove(0)
    }

    fn digest(&self, file: &str) -> String {
        contract(&self.only_tool(file)).unwrap().digest.to_string()
    }
}

#[test]
fn case_66_a_duplicate_key_is_named_with_its_place_and_has_no_contract() {
    let Some(case) = Case::open("66-duplicate-keys") else {
        return;
    };
    for (file, label, pointer, second) in [
        (
            "tools-description.raw.json",
            "tool:pay",
            "/description",
            r#""description":"Send"#,
        ),
        (
            "tools-schema.raw.json",
            "tool:pay",
            "/inputSchema/properties/a",
            r#""a":{}}"#,
        ),
        (
            "tools-escaped.raw.json",
            "tool:#0",
            "/name",
            r#""\u006eame""#,
        ),
    ] {
        let tool = case.only_tool(file);
        assert_eq!(tool.label(), label, "{file}");
        assert_eq!(contract(&tool), None, "{file}");
        let [defect] = tool.document.defects.as_slice() else {
            panic!("{file}: {:?}", tool.document.defects)
        };
        assert_eq!(defect.kind, DefectKind::DuplicateKey, "{file}");
        assert_eq!(defect.pointer.as_str(), pointer, "{file}");
        assert!(tool.raw[defect.offset..].starts_with(second), "{file}");
    }
    let call = parse(&case.read("call.raw.json"), &Limits::default()).unwrap();
    assert_eq!(call.sound(), None);
    assert_eq!(call.defects[0].pointer.as_str(), "/params/arguments/path");
}

#[test]
fn case_68_big_integers_that_differ_by_one_have_two_digests() {
    let Some(case) = Case::open("68-big-integers-collide") else {
        return;
    };
    assert_ne!(case.digest("old.raw.json"), case.digest("new.raw.json"));
    let huge = contract(&case.only_tool("huge.raw.json"))
        .unwrap()
        .canonical;
    for text in [
        "\"maximum\":1.2345678901234567890123456789e+29",
        "\"maximum\":18446744073709551615",
        "\"minimum\":-9223372036854775808",
        "\"maximum\":1e+400",
    ] {
        assert!(huge.contains(text), "{text} in {huge}");
    }
}

#[test]
fn case_69_the_spelling_of_a_number_is_no_drift_but_its_last_digit_is() {
    let Some(case) = Case::open("69-number-spelling") else {
        return;
    };
    assert_eq!(case.digest("old.raw.json"), case.digest("new.raw.json"));
    assert_ne!(
        case.digest("exact.raw.json"),
        case.digest("off-by-one-ulp.raw.json")
    );
    let texts: serde_json::Value = serde_json::from_slice(&case.read("canonical.json")).unwrap();
    let texts = texts.as_object().unwrap();
    assert_eq!(texts.len(), 11);
    for (token, text) in texts {
        assert_eq!(number::canonical(token), text.as_str().unwrap(), "{token}");
    }
}

#[test]
fn case_71_nan_and_infinity_are_refused_with_their_place() {
    let Some(case) = Case::open("71-nan-and-infinity") else {
        return;
    };
    let error = case.catalog("tools.raw.json").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::File);
    assert_eq!(error.message(), "not JSON: expected a value");
    let text = String::from_utf8(case.read("tools.raw.json")).unwrap();
    let column = text.find("NaN").unwrap() + 1;
    assert_eq!(
        (error.place().line, error.place().column),
        (Some(1), Some(column))
    );
    for (file, message, token) in [
        ("call.raw.json", "expected a value", "NaN"),
        (
            "call-trailing-comma.raw.json",
            "expected a member name in double quotes",
            "}}}",
        ),
        (
            "call-leading-zero.raw.json",
            "a number can't begin with 0",
            "1}}}",
        ),
    ] {
        let text = case.read(file);
        let error = parse(&text, &Limits::default()).unwrap_err();
        assert_eq!(error.message, message, "{file}");
        assert!(text[error.offset..].starts_with(token.as_bytes()), "{file}");
    }
}

#[test]
fn case_33_a_byte_order_mark_and_crlf_around_each_line_are_no_part_of_a_message() {
    let Some(case) = Case::open("33-bom-and-crlf") else {
        return;
    };
    let catalog = case.catalog("server-stdout.raw").unwrap();
    let labels: Vec<_> = catalog.items.iter().map(Item::label).collect();
    assert_eq!(labels, ["tool:ping"]);
    assert_eq!(catalog.implementation.as_deref(), Some("demo 1"));
    assert_eq!(catalog.listed, [Kind::Tool]);
    assert_eq!(catalog.remarks, [""; 0]);
}
