//! The first row of `docs/comparison.md`: what this program says of the changes that the others were
//! shown.

use serde_json::{Value, json};

use crate::project::{Project, files_project};

/// The small server of the comparison, before any change.
fn base() -> Value {
    json!({
        "instructions": "Search before you answer.",
        "tools": [{
            "name": "search",
            "description": "Searches the notes.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "query": { "type": "string" },
                    "limit": { "type": "integer", "description": "max results" },
                    "order": { "enum": ["new", "old", "best"], "default": "new" },
                },
            },
            "outputSchema": { "type": "object", "properties": { "count": { "type": "number" } } },
            "annotations": { "readOnlyHint": true },
        }],
        "prompts": [{ "name": "ask", "arguments": [{ "name": "topic" }] }],
    })
}

fn set(catalog: &mut Value, pointer: &str, value: Value) {
    *catalog.pointer_mut(pointer).unwrap() = value;
}

/// The catalog with the members of its tool in another order.
fn turned(text: &str) -> String {
    let hints = "\"annotations\":{\"readOnlyHint\":true},";
    let name = "\"name\":\"search\"";
    assert!(text.contains(hints) && text.contains(name), "{text}");
    let moved = format!("{name},{}", hints.trim_end_matches(','));
    text.replacen(hints, "", 1).replacen(name, &moved, 1)
}

/// The exit code and the worst level of `verify` after `change`.
fn told(change: impl FnOnce(&mut Value)) -> (i32, Option<String>, String) {
    let project: Project = files_project(&[]);
    project.write("catalog.json", base().to_string());
    project.expect(0, &["pin"]);
    let mut catalog = base();
    change(&mut catalog);
    // A text stands for itself: values can't say in which order their members are written.
    let text = catalog
        .as_str()
        .map_or_else(|| catalog.to_string(), str::to_owned);
    project.write("catalog.json", text);
    let run = project.run(&["verify", "--format", "json"]);
    let report = run.json();
    let findings = report["servers"][0]["findings"].as_array().unwrap().clone();
    let level = findings
        .first()
        .map(|one| one["level"].as_str().unwrap().to_owned());
    (run.code, level, run.stdout)
}

/// A cell of the page; the change; exit code and worst level; what the report says among other things.
type Row = (
    &'static str,
    fn(&mut Value),
    i32,
    Option<&'static str>,
    &'static str,
);

#[test]
fn the_first_row_of_the_comparison_is_what_is_measured() {
    const SCHEMA: &str = "/tools/0/inputSchema/properties";
    let changes: [Row; 8] = [
        (
            "breaking, with the call that is ignored / 1",
            |catalog| {
                let properties = catalog
                    .pointer_mut(SCHEMA)
                    .unwrap()
                    .as_object_mut()
                    .unwrap();
                let query = properties.remove("query").unwrap();
                properties.insert("q".to_owned(), query);
            },
            1,
            Some("breaking"),
            "\"witness\"",
        ),
        (
            "risky, words marked / 1",
            |catalog| {
                set(
                    catalog,
                    &format!("{SCHEMA}/limit/description"),
                    json!("page index"),
                );
            },
            1,
            Some("risky"),
            "page index",
        ),
        (
            "breaking, with the call that is refused / 1",
            |catalog| {
                set(
                    catalog,
                    &format!("{SCHEMA}/order"),
                    json!({ "enum": ["new", "old"], "default": "old" }),
                );
            },
            1,
            Some("breaking"),
            "default-changed",
        ),
        (
            "risky / 1",
            |catalog| {
                set(catalog, "/tools/0/annotations/readOnlyHint", json!(false));
            },
            1,
            Some("risky"),
            "hint-more-dangerous",
        ),
        (
            "quiet / 0",
            |catalog| {
                *catalog = Value::String(turned(&catalog.to_string()));
            },
            0,
            None,
            "",
        ),
        (
            "breaking / 1",
            |catalog| {
                set(
                    catalog,
                    "/tools/0/outputSchema/properties/count/type",
                    json!("string"),
                );
            },
            1,
            Some("breaking"),
            "output-outside-promise",
        ),
        (
            "risky / 1",
            |catalog| {
                set(catalog, "/instructions", json!("Answer at once."));
            },
            1,
            Some("risky"),
            "instructions-changed",
        ),
        (
            "breaking / 1",
            |catalog| {
                let argument = json!({ "name": "depth", "required": true });
                catalog["prompts"][0]["arguments"]
                    .as_array_mut()
                    .unwrap()
                    .push(argument);
            },
            1,
            Some("breaking"),
            "argument-required",
        ),
    ];
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/comparison.md");
    let page = std::fs::read_to_string(page).unwrap();
    let row = page
        .lines()
        .find(|line| line.starts_with("| mcplock (this one)"))
        .unwrap();
    let cells: Vec<&str> = row
        .trim_matches('|')
        .split('|')
        .skip(1)
        .map(str::trim)
        .collect();
    assert_eq!(cells.len(), changes.len());
    for ((cell, change, code, level, text), written) in changes.into_iter().zip(cells) {
        let (returned, worst, report) = told(change);
        assert_eq!(
            (returned, worst.as_deref()),
            (code, level),
            "{cell}\n{report}"
        );
        assert!(report.contains(text), "{cell}: {text}\n{report}");
        assert_eq!(cell, written);
    }
}
