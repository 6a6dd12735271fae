//! From a catalog to an entry: what can't be pinned is named, what is odd is told.

use std::collections::BTreeMap;

use mcplock::catalog::{Catalog, Instructions, Kind};
use mcplock::config::{Launch, ServerName, Target};
use mcplock::json::{Limits, parse};
use mcplock::lock::{Built, NotPinnable, Replaced, Volatile, WhyNot, Words, build_entry, pin_item};
use mcplock::protocol::Revision;

use crate::input;

fn build(catalog: &Catalog, rules: &[Volatile]) -> Result<Built, Vec<NotPinnable>> {
    let launch = Launch {
        target: Target::Command(vec!["run".to_owned()]),
        cwd: None,
        env: Vec::new(),
        env_values: BTreeMap::new(),
    };
    build_entry(
        &ServerName::new("s").unwrap(),
        None,
        &launch,
        catalog,
        &Words::compile(rules).unwrap(),
    )
}

fn tools(raw: &[&str]) -> Catalog {
    let items = raw
        .iter()
        .enumerate()
        .map(|(i, raw)| input::item(Kind::Tool, i, raw))
        .collect();
    input::catalog(Revision::V2025_11_25, items)
}

#[test]
fn every_item_that_can_not_be_pinned_is_named_with_its_reason() {
    let mut catalog = tools(&[
        r#"{"name":"good"}"#,
        r#"{"name":"twice","a":1,"a":2}"#,
        r#"{"name":"half","description":"\ud800"}"#,
        r#"{"title":"no name"}"#,
        r#"{"name":7}"#,
        r#"["no object"]"#,
        r#"{"name":"good","title":"again"}"#,
    ]);
    catalog.instructions = Instructions::Present(parse(b"[1]", &Limits::default()).unwrap());
    catalog.revision = None;
    catalog.unknown = vec![Kind::Prompt];
    let not = build(&catalog, &[]).unwrap_err();
    let told: Vec<(&str, WhyNot)> = not
        .iter()
        .map(|not| (not.label.as_str(), not.why))
        .collect();
    assert_eq!(
        told,
        [
            ("protocol", WhyNot::Unknown),
            ("instructions", WhyNot::WrongType),
            ("prompt", WhyNot::Unknown),
            ("tool:twice", WhyNot::Unsound),
            ("tool:half", WhyNot::Unsound),
            ("tool:#3", WhyNot::NoKey),
            ("tool:#4", WhyNot::NoKey),
            ("tool:#5", WhyNot::WrongType),
            ("tool:good", WhyNot::Duplicate),
        ]
    );
}

#[test]
fn the_order_received_and_the_spelling_of_numbers_do_not_count() {
    let one = build(
        &tools(&[
            r#"{"name":"b","x":1.0,"a":{"z":1,"y":2}}"#,
            r#"{"name":"a"}"#,
        ]),
        &[],
    );
    let other = build(
        &tools(&[
            r#"{"name":"a"}"#,
            r#"{"a":{"y":2,"z":1e0},"x":10e-1,"name":"b"}"#,
        ]),
        &[],
    );
    assert_eq!(one, other);
    let moved = build(
        &tools(&[
            r#"{"name":"a"}"#,
            r#"{"name":"b","x":1.5,"a":{"z":1,"y":2}}"#,
        ]),
        &[],
    );
    assert!(!one.unwrap().entry.agrees_with(&moved.unwrap().entry));
}

#[test]
fn two_integers_that_one_double_stands_for_do_not_agree() {
    let with = |n: &str| {
        build(
            &tools(&[&format!(
                r#"{{"name":"t","inputSchema":{{"maximum":{n}}}}}"#
            )]),
            &[],
        )
        .unwrap()
        .entry
    };
    assert!(!with("9007199254740993").agrees_with(&with("9007199254740992")));
    assert!(with("9007199254740992").agrees_with(&with("9007199254740992.0")));
}

#[test]
fn volatile_words_may_differ_and_the_words_around_them_may_not() {
    let rules = [Volatile {
        item: "tool:t".to_owned(),
        pointer: "/description".to_owned(),
        pattern: "port [0-9]+".to_owned(),
    }];
    let with = |words: &str| {
        build(
            &tools(&[&format!(r#"{{"name":"t","description":"{words}"}}"#)]),
            &rules,
        )
        .unwrap()
    };
    let pinned = with("on port 80, safely");
    assert_eq!(pinned.odd_rules, []);
    assert!(
        pinned
            .entry
            .agrees_with(&with("on port 49152, safely").entry)
    );
    assert!(
        !pinned
            .entry
            .agrees_with(&with("on port 80, unsafely").entry)
    );
    let gone = with("on no port");
    assert_eq!(gone.odd_rules, [(0, Replaced::NoMatch)]);
    assert!(!pinned.entry.agrees_with(&gone.entry));
    let elsewhere = build(&tools(&[r#"{"name":"u"}"#]), &rules).unwrap();
    assert_eq!(elsewhere.odd_rules, [(0, Replaced::NoItem)]);
}

#[test]
fn a_list_of_volatile_words_that_differs_is_a_difference() {
    let catalog = tools(&[r#"{"name":"t","description":"port 1"}"#]);
    let rules = [Volatile {
        item: "tool:u".to_owned(),
        pointer: "/description".to_owned(),
        pattern: "x".to_owned(),
    }];
    let without = build(&catalog, &[]).unwrap().entry;
    let with = build(&catalog, &rules).unwrap().entry;
    assert_eq!(without.items, with.items);
    assert!(!without.agrees_with(&with));
}

#[test]
fn every_part_of_an_item_counts_unknown_members_included() {
    let digest = |raw: &str| {
        let (pinned, _) = pin_item(&input::item(Kind::Tool, 0, raw), &Words::default()).unwrap();
        (pinned.contract, pinned.schema, pinned.description)
    };
    let base = digest(r#"{"name":"t","description":"d","inputSchema":{}}"#);
    for (raw, schema, description) in [
        (
            r#"{"name":"t","description":"d","inputSchema":{},"outputSchema":{}}"#,
            true,
            true,
        ),
        (
            r#"{"name":"t","description":"d","inputSchema":{},"annotations":{"readOnlyHint":true}}"#,
            true,
            true,
        ),
        (
            r#"{"name":"t","description":"d","inputSchema":{},"_meta":{"x":1}}"#,
            true,
            true,
        ),
        (
            r#"{"name":"t","description":"d ","inputSchema":{}}"#,
            true,
            false,
        ),
        (
            r#"{"name":"t","description":"d","inputSchema":{"type":"object"}}"#,
            false,
            true,
        ),
        (
            r#"{"name":"t","description":"d","inputSchema":true}"#,
            false,
            true,
        ),
        (r#"{"name":"t","inputSchema":{}}"#, true, false),
    ] {
        let other = digest(raw);
        assert_ne!(base.0, other.0, "{raw}");
        assert_eq!(base.1 == other.1, schema, "{raw}");
        assert_eq!(base.2 == other.2, description, "{raw}");
    }
}
