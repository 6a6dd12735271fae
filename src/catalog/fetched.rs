//! From what a session brought to a catalog.

use crate::json::{Document, Value};
use crate::protocol::Fetched;
use crate::text::visible;

use super::item::document;
use super::{Catalog, Instructions, Item};

impl Catalog {
    /// The catalog of what a session brought. Nothing is lost: an item that is no object, lacks its
    /// key or has defects stays in its place.
    pub fn from_fetched(fetched: Fetched) -> Catalog {
        let mut remarks = fetched.remarks;
        let instructions = match &fetched.instructions {
            None => Instructions::Absent,
            Some(raw) => instructions(raw.get(), &mut remarks),
        };
        let mut lists = fetched.lists;
        lists.sort_by_key(|list| list.kind);
        Catalog {
            revision: Some(fetched.revision),
            declared: fetched.declared,
            implementation: fetched
                .server_info
                .and_then(|raw| implementation(&document(raw.get()))),
            instructions,
            listed: lists.iter().map(|list| list.kind).collect(),
            unknown: Vec::new(),
            items: lists
                .into_iter()
                .flat_map(|list| {
                    let items = list.items.into_iter().enumerate();
                    items.map(move |(position, raw)| Item::new(list.kind, position, raw.into()))
                })
                .collect(),
            remarks,
            doubts: fetched.doubts,
        }
    }
}

/// The `instructions` that a server sent. No client shows `null`, which some SDKs send for "none".
pub(super) fn instructions(raw: &str, remarks: &mut Vec<String>) -> Instructions {
    if raw == "null" {
        remarks.push("the server sent `null` as its instructions, read as none".to_owned());
        return Instructions::Absent;
    }
    Instructions::Present(document(raw))
}

/// Name and version from a `serverInfo`, as far as they are strings.
pub(super) fn implementation(server_info: &Document) -> Option<String> {
    let info = server_info.sound()?;
    let parts: Vec<&str> = ["name", "version"]
        .into_iter()
        .filter_map(|member| info.get(member).and_then(Value::as_str))
        .filter(|part| !part.is_empty())
        .collect();
    (!parts.is_empty()).then(|| brief(&parts.join(" ")))
}

/// How many characters of a server's short texts are kept.
const BRIEF: usize = 200;

/// A short text of a server, safe to show and to store; what is too long ends in an ellipsis.
pub(super) fn brief(text: &str) -> String {
    let shown = visible(text);
    if shown.chars().count() <= BRIEF {
        return shown;
    }
    shown.chars().take(BRIEF - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::protocol::{Kind, List, Revision};

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn fetched(lists: Vec<(Kind, &[&str])>) -> Fetched {
        Fetched {
            revision: Revision::V2025_11_25,
            declared: vec!["roots".to_owned()],
            server_info: Some(raw(r#"{"name":"files","version":"0.2.0"}"#)),
            capabilities: None,
            instructions: None,
            lists: lists
                .into_iter()
                .map(|(kind, items)| List {
                    kind,
                    items: items.iter().map(|text| raw(text)).collect(),
                })
                .collect(),
            remarks: vec!["told".to_owned()],
            doubts: vec!["doubtful".to_owned()],
        }
    }

    #[test]
    fn one_bad_item_never_hides_another() {
        let items = [
            r#"{"name":"a" , "x":1.0}"#,
            "7",
            r#"{"name":"b","name":"b"}"#,
            r#"{"name":"c","deep":"\ud800"}"#,
            r#"{"name":"d"}"#,
        ];
        let catalog = Catalog::from_fetched(fetched(vec![(Kind::Tool, &items)]));
        let labels: Vec<_> = catalog.items.iter().map(Item::label).collect();
        assert_eq!(labels, ["tool:a", "tool:#1", "tool:#2", "tool:c", "tool:d"]);
        let raws: Vec<_> = catalog.items.iter().map(|item| &*item.raw).collect();
        assert_eq!(raws, items);
        let sound: Vec<_> = catalog
            .items
            .iter()
            .map(|i| i.document.sound().is_some())
            .collect();
        assert_eq!(sound, [true, true, false, false, true]);
    }

    #[test]
    fn lists_stand_in_the_order_of_the_kinds_and_an_empty_list_is_a_list() {
        let catalog = Catalog::from_fetched(fetched(vec![
            (Kind::Resource, &[r#"{"uri":"u"}"#]),
            (Kind::Tool, &[r#"{"name":"t"}"#]),
            (Kind::Prompt, &[]),
        ]));
        assert_eq!(catalog.listed, [Kind::Tool, Kind::Prompt, Kind::Resource]);
        assert_eq!(catalog.unknown, []);
        let labels: Vec<_> = catalog.items.iter().map(Item::label).collect();
        assert_eq!(labels, ["tool:t", "resource:u"]);
        assert_eq!(catalog.remarks, ["told"]);
        assert_eq!(catalog.doubts, ["doubtful"]);
    }

    #[test]
    fn instructions_are_absent_present_or_whatever_the_server_sent() {
        let with = |text: Option<&str>| {
            let mut fetched = fetched(vec![]);
            fetched.instructions = text.map(raw);
            Catalog::from_fetched(fetched)
        };
        assert_eq!(with(None).instructions, Instructions::Absent);
        assert_eq!(with(Some("null")).instructions, Instructions::Absent);
        assert_eq!(with(Some("null")).remarks.len(), 2);
        assert_eq!(
            with(Some(r#""a""#)).instructions,
            Instructions::Present(document(r#""a""#))
        );
        assert_eq!(
            with(Some("[1]")).instructions,
            Instructions::Present(document("[1]"))
        );
    }

    #[test]
    fn the_implementation_is_what_is_a_string_of_name_and_version() {
        let of = |text: &str| implementation(&document(text));
        assert_eq!(of(r#"{"name":"a","version":"1"}"#).as_deref(), Some("a 1"));
        assert_eq!(of(r#"{"name":"a","version":1}"#).as_deref(), Some("a"));
        assert_eq!(of(r#"{"version":"1"}"#).as_deref(), Some("1"));
        for text in [
            "{}",
            "[]",
            "null",
            r#"{"name":""}"#,
            r#"{"name":"a\ud800"}"#,
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_long_name_is_cut_once_and_for_all() {
        let text = format!(r#"{{"name":"{}"}}"#, "é".repeat(10_000));
        let name = implementation(&document(&text)).unwrap();
        assert_eq!(name.chars().count(), BRIEF);
        assert_eq!(brief(&name), name);
    }
}
