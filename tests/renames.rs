//! A tool or an argument that went and came back under another name is told as a likely rename, and
//! judged all the same by what it does to callers.

#![cfg(test)]

#[path = "support/pinned.rs"]
mod pinned;

use std::fs;
use std::path::{Path, PathBuf};

use mcplock::compare::{Basis, Change, ChangeKind, Comparison, Live, compare};
use mcplock::rules::{FailOn, Finding, Level, fails, judge};
use proptest::prelude::*;
use serde_json::{Value, json};

fn compared(old: &Value, new: &Value) -> Comparison {
    let old = pinned::entry(&old.to_string());
    let new = pinned::entry(&new.to_string());
    compare(&old, &Live::from(&new))
}

fn findings(old: &Value, new: &Value) -> Vec<Finding> {
    let comparison = compared(old, new);
    comparison
        .drifts
        .iter()
        .flat_map(|drift| judge("server", drift))
        .collect()
}

/// The likely renames of items, old label first.
fn item_renames(comparison: &Comparison) -> Vec<(String, String)> {
    let gone = comparison.drifts.iter().flat_map(|drift| {
        let gone = drift
            .changes
            .iter()
            .filter(|change| change.kind == ChangeKind::Gone);
        gone.filter_map(|change| {
            Some((
                drift.label.clone(),
                change.counterpart.as_ref()?.name.clone(),
            ))
        })
    });
    gone.collect()
}

fn changes(comparison: &Comparison) -> impl Iterator<Item = &Change> {
    comparison.drifts.iter().flat_map(|drift| &drift.changes)
}

/// The newest recorded catalog of every server, as a list of tools.
fn catalogs() -> Vec<Vec<Value>> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED: MCPLOCK_SUITES is not set, so no recorded tool is renamed");
        return Vec::new();
    };
    let folders = |path: &Path| -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = fs::read_dir(path)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_dir())
            .collect();
        found.sort();
        found
    };
    let mut all = Vec::new();
    for package in folders(&Path::new(&suites).join("corpus")) {
        let Some(text) = folders(&package)
            .iter()
            .rev()
            .find_map(|version| fs::read_to_string(version.join("tools.json")).ok())
        else {
            continue;
        };
        let tools: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .flat_map(|page| {
                page["result"]["tools"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default()
            })
            .collect();
        if tools.len() > 1 {
            all.push(tools);
        }
    }
    all
}

fn words(value: &Value) -> usize {
    value["description"]
        .as_str()
        .map_or(0, |text| text.split_whitespace().count())
}

#[test]
fn a_recorded_tool_under_an_unrelated_name_is_recognised_among_all_others() {
    let (mut asked, mut missed) = (0, Vec::new());
    for tools in catalogs() {
        for at in [0, tools.len() - 1] {
            let tool = &tools[at];
            let mut body = tool.clone();
            body["name"] = json!("");
            let twin = tools.iter().enumerate().any(|(i, other)| {
                let mut other = other.clone();
                other["name"] = json!("");
                i != at && other == body
            });
            if words(tool) < 4 || twin {
                continue;
            }
            let mut renamed = tools.clone();
            renamed[at]["name"] = json!("zzz_quux");
            renamed.reverse();
            let name = tool["name"].as_str().expect("a name");
            let comparison = compared(&json!({ "tools": tools }), &json!({ "tools": renamed }));
            let expected = [(format!("tool:{name}"), "tool:zzz_quux".to_owned())];
            asked += 1;
            if item_renames(&comparison) != expected {
                missed.push(name.to_owned());
            }
            let only = ["item-gone", "item-added"];
            let told = comparison.drifts.iter().flat_map(|drift| judge("s", drift));
            for finding in told {
                assert!(only.contains(&finding.rule), "{name}: {}", finding.message);
                assert!(fails(&finding, FailOn::Breaking));
            }
        }
    }
    eprintln!(
        "{asked} recorded tools renamed, {} not recognised",
        missed.len()
    );
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn a_tool_that_gives_way_to_one_of_another_server_is_no_rename() {
    let all = catalogs();
    let (mut asked, mut wrong) = (0, Vec::new());
    for (i, tools) in all.iter().enumerate() {
        let other = &all[(i + 7) % all.len()];
        for at in 0..tools.len().min(3) {
            let stranger = &other[at % other.len()];
            if tools.iter().any(|tool| tool["name"] == stranger["name"]) {
                continue;
            }
            let mut replaced = tools.clone();
            replaced[at] = stranger.clone();
            let comparison = compared(&json!({ "tools": tools }), &json!({ "tools": replaced }));
            asked += 1;
            wrong.extend(item_renames(&comparison));
        }
    }
    eprintln!(
        "{asked} recorded tools replaced by strangers, {} paired",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_recorded_argument_under_an_unrelated_name_is_recognised_by_its_words() {
    let (mut asked, mut missed) = (0, Vec::new());
    for tools in catalogs() {
        for tool in tools.iter().take(6) {
            let Some(properties) = tool["inputSchema"]["properties"].as_object() else {
                continue;
            };
            let Some((name, schema)) = properties.iter().find(|(_, schema)| words(schema) >= 6)
            else {
                continue;
            };
            let mut renamed = tool.clone();
            let map = renamed["inputSchema"]["properties"]
                .as_object_mut()
                .expect("properties");
            map.remove(name);
            map.insert("zzz".to_owned(), schema.clone());
            let comparison = compared(&json!({ "tools": [tool] }), &json!({ "tools": [renamed] }));
            asked += 1;
            let pair = |kind: &[ChangeKind]| {
                changes(&comparison)
                    .find(|change| kind.contains(&change.kind) && change.counterpart.is_some())
                    .and_then(|change| change.counterpart.clone())
                    .map(|other| other.name)
            };
            let to = pair(&[ChangeKind::ArgumentRemoved]);
            let from = pair(&[ChangeKind::ArgumentAdded, ChangeKind::ArgumentRequired]);
            if to.as_deref() != Some("zzz") || from.as_ref() != Some(name) {
                missed.push(format!("{} {name}", tool["name"]));
            }
        }
    }
    eprintln!(
        "{asked} recorded arguments renamed, {} not recognised",
        missed.len()
    );
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn an_argument_that_is_renamed_in_an_open_object_breaks_by_being_ignored() {
    let tool = |name: &str, closed: bool| {
        json!({ "tools": [{ "name": "search", "inputSchema": {
            "type": "object",
            "properties": { name: { "type": "string" }, "limit": { "type": "integer" } },
            "additionalProperties": !closed,
        } }] })
    };
    for (closed, said) in [(false, "ignored"), (true, "refused")] {
        let found = findings(&tool("query", closed), &tool("q", closed));
        let gone = found
            .iter()
            .find(|finding| finding.rule == "argument-removed")
            .expect("the old name is told");
        assert_eq!(gone.level, Level::Breaking);
        assert_eq!(gone.basis, Basis::Witness);
        let call = &gone.witness.as_ref().expect("the old call").value;
        assert!(call.get("query").is_some());
        assert!(gone.message.contains(said), "{}", gone.message);
        assert!(
            gone.message.ends_with("renamed to `q` (likely)"),
            "{}",
            gone.message
        );
        let new = found
            .iter()
            .find(|finding| finding.rule == "argument-added")
            .expect("the new name is told");
        assert!(
            new.message.ends_with("renamed from `query` (likely)"),
            "{}",
            new.message
        );
    }
}

#[test]
fn a_renamed_argument_is_found_at_any_depth_and_in_results() {
    let tool = |name: &str| {
        let deep = json!({ "type": "object", "properties": {
            name: { "type": "string", "description": "What the filter is compared with" } } });
        json!({ "tools": [{ "name": "search",
            "inputSchema": { "type": "object", "properties": {
                "filters": { "type": "array", "items": deep } } },
            "outputSchema": deep }] })
    };
    let comparison = compared(&tool("operand"), &tool("zzz"));
    let renamed: Vec<String> = changes(&comparison)
        .filter(|change| change.new.is_none())
        .filter_map(|change| {
            Some(format!(
                "{} {}",
                change.pointer,
                change.counterpart.as_ref()?.name
            ))
        })
        .collect();
    assert_eq!(
        renamed,
        [
            "/inputSchema/properties/filters/items/properties/operand zzz",
            "/outputSchema/properties/operand zzz",
        ]
    );
}

#[test]
fn what_else_changed_of_a_renamed_tool_is_told_and_judged() {
    let tool = |name: &str, limit: &str| {
        json!({ "tools": [{ "name": name, "description": "Search the documents of the project",
            "inputSchema": { "type": "object", "properties": {
                "query": { "type": "string", "description": "What to look for" },
                "limit": { "type": limit } }, "required": ["query"] } }] })
    };
    let found = findings(&tool("search", "number"), &tool("find", "integer"));
    let told: Vec<(&str, &str, Level)> = found
        .iter()
        .map(|finding| (finding.label.as_str(), finding.rule, finding.level))
        .collect();
    assert_eq!(
        told,
        [
            ("tool:find", "item-added", Level::Risky),
            ("tool:find", "type-narrowed", Level::Breaking),
            ("tool:search", "item-gone", Level::Breaking),
        ]
    );
    let call = found[1].witness.as_ref().expect("a call of the old tool");
    assert!(call.value.get("limit").is_some());
    assert!(found[0].message.ends_with("renamed from `search` (likely)"));
    assert!(found[2].message.ends_with("renamed to `find` (likely)"));
}

#[test]
fn prompts_their_arguments_and_resources_are_paired_too() {
    let old = json!({
        "prompts": [
            { "name": "simple_prompt", "description": "A greeting for a new user" },
            { "name": "ask", "arguments": [{ "name": "query", "required": true }] },
        ],
        "resources": [{ "uri": "file:///a/guide.md", "name": "guide",
            "description": "How the service is set up and run", "mimeType": "text/markdown" }],
    });
    let new = json!({
        "prompts": [
            { "name": "simple-prompt", "description": "A greeting for a new user" },
            { "name": "ask", "arguments": [{ "name": "q", "required": true }] },
        ],
        "resources": [{ "uri": "docs://guide", "name": "guide",
            "description": "How the service is set up and run", "mimeType": "text/markdown" }],
    });
    let comparison = compared(&old, &new);
    assert_eq!(
        item_renames(&comparison),
        [
            (
                "prompt:simple_prompt".to_owned(),
                "prompt:simple-prompt".to_owned()
            ),
            (
                "resource:file:///a/guide.md".to_owned(),
                "resource:docs://guide".to_owned()
            ),
        ]
    );
    let argument = changes(&comparison)
        .find(|change| change.kind == ChangeKind::ArgumentRemoved)
        .and_then(|change| change.counterpart.as_ref());
    assert_eq!(argument.map(|other| other.name.as_str()), Some("q"));
}

#[test]
fn tools_that_share_arguments_and_no_words_are_not_paired() {
    let tool = |name: &str, says: &str| {
        json!({ "name": name, "description": says, "inputSchema": { "type": "object",
            "properties": { "owner": { "type": "string" }, "repo": { "type": "string" } },
            "required": ["owner", "repo"] } })
    };
    let old =
        json!({ "tools": [tool("list_issues", "All open issues"), tool("kept", "Something")] });
    let new =
        json!({ "tools": [tool("create_fork", "Copies a repository"), tool("kept", "Something")] });
    assert_eq!(item_renames(&compared(&old, &new)), []);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_the_lists_decides_nothing(
        seed in prop::collection::vec((0..6_usize, 0..6_usize, "[a-d]{1,3}"), 2..8),
        turn in 0..8_usize,
    ) {
        let says = ["read the file", "write the file", "list the folder", "drop the table", "", "ping"];
        let side = |salt: usize| -> Vec<Value> {
            let mut tools: Vec<Value> = Vec::new();
            for (i, (a, b, name)) in seed.iter().enumerate() {
                let text = says[(a + salt * b) % says.len()];
                let name = format!("{name}_{}", i * (salt + 1));
                tools.push(json!({ "name": name, "description": text,
                    "inputSchema": { "type": "object", "properties": { name.clone(): {} } } }));
            }
            tools
        };
        let (old, new) = (side(0), side(1));
        let turned = |list: &[Value]| {
            let mut list = list.to_vec();
            let by = turn % list.len();
            list.rotate_left(by);
            list
        };
        let straight = compared(&json!({ "tools": old }), &json!({ "tools": new }));
        let other = compared(&json!({ "tools": turned(&old) }), &json!({ "tools": turned(&new) }));
        prop_assert_eq!(item_renames(&straight), item_renames(&other));
        let to: std::collections::BTreeSet<String> =
            item_renames(&straight).into_iter().map(|(_, to)| to).collect();
        prop_assert_eq!(to.len(), item_renames(&straight).len());
    }
}
