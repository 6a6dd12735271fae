//! Catalogs written down as JSON, and the entries that pin them.

use std::collections::BTreeMap;

use mcplock::catalog::{Item, Kind};
use mcplock::config::{Launch, ServerName, Target};
use mcplock::json::{Limits, Value, parse};
use mcplock::lock::{Entry, PinnedItem, Volatile, Words, pin_instructions, pin_item};
use mcplock::protocol::Revision;
use serde_json::value::RawValue;

/// The texts of the elements of a list, exactly as they stand in `text`.
fn elements(text: &str) -> Vec<Box<RawValue>> {
    serde_json::from_str(text).expect("a list")
}

/// The items in a result object (or in a JSON-RPC response), of every kind that it lists.
pub(crate) fn items(text: &str) -> Vec<PinnedItem> {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).expect("an object");
    if let Some(result) = members.get("result") {
        return items(result.get());
    }
    let none = Words::compile(&[]).expect("no patterns");
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let Some(list) = members.get(kind.list_member()) else {
            continue;
        };
        for (position, raw) in elements(list.get()).into_iter().enumerate() {
            let item = Item::new(kind, position, raw.get().into());
            found.push(
                pin_item(&item, &none)
                    .expect("an item that can be pinned")
                    .0,
            );
        }
    }
    found
}

/// The entry that a fixture describes: its lists, and beside them `instructions`, `launch`,
/// `protocol`, `capabilities` and `volatile`, each with something harmless where it is missing.
pub(crate) fn entry(text: &str) -> Entry {
    let whole = parse(text.as_bytes(), &Limits::default())
        .expect("JSON")
        .value;
    let none = Words::compile(&[]).expect("no patterns");
    let instructions = whole.get("instructions").map(|value| {
        let text = mcplock::canonical::canonical(value);
        let document = parse(text.as_bytes(), &Limits::default()).expect("JSON");
        pin_instructions(&document, &none).expect("a text").0
    });
    let protocol = text_of(whole.get("protocol")).unwrap_or("2025-11-25".to_owned());
    Entry {
        name: ServerName::new("server").expect("a name"),
        profile: None,
        launch: launch(whole.get("launch")),
        protocol: Revision::parse(&protocol).expect("a revision"),
        capabilities: texts(whole.get("capabilities")),
        implementation: None,
        instructions,
        volatile: volatile(whole.get("volatile")),
        items: items(text),
        line: 0,
    }
}

fn text_of(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(|text| text_of(Some(text))).collect()
}

fn launch(value: Option<&Value>) -> Launch {
    let member = |name: &str| value.and_then(|value| value.get(name));
    let mut command = texts(member("command"));
    if command.is_empty() {
        command.push("server".to_owned());
    }
    Launch {
        target: Target::Command(command),
        cwd: None,
        env: texts(member("env")),
        env_values: BTreeMap::new(),
    }
}

fn volatile(value: Option<&Value>) -> Vec<Volatile> {
    let list = value.and_then(Value::as_array).unwrap_or_default();
    let entry = |value: &Value| Volatile {
        item: text_of(value.get("item")).expect("an item"),
        pointer: text_of(value.get("pointer")).expect("a pointer"),
        pattern: text_of(value.get("pattern")).expect("a pattern"),
    };
    list.iter().map(entry).collect()
}
