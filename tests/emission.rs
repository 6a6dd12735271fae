//! What another version of an SDK writes by itself is judged by its effect and marked, so that a report
//! tells it once for the server; what breaks a caller is never part of that.

#![cfg(test)]

#[path = "support/pinned.rs"]
mod pinned;

use std::fs;
use std::path::{Path, PathBuf};

use mcplock::compare::{Live, compare};
use mcplock::rules::{Finding, Level, judge};
use serde_json::{Value, json};

fn findings(old: &Value, new: &Value) -> Vec<Finding> {
    let entry = |tools: &Value| pinned::entry(&json!({ "tools": tools }).to_string());
    let comparison = compare(&entry(old), &Live::from(&entry(new)));
    comparison
        .drifts
        .iter()
        .flat_map(|drift| judge("server", drift))
        .collect()
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "Does one thing", "inputSchema": {
        "type": "object", "properties": { "count": { "type": "integer" } } } })
}

/// The same tool as another SDK writes it.
fn emitted(name: &str) -> Value {
    json!({ "name": name, "title": name, "description": "Does one thing",
        "execution": { "taskSupport": "forbidden" }, "_meta": { "fastmcp": { "tags": [] } },
        "inputSchema": { "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object", "additionalProperties": false, "title": format!("{name}Arguments"),
            "properties": { "count": { "type": "integer", "title": "Count",
                "minimum": -9_007_199_254_740_991_i64, "maximum": 9_007_199_254_740_991_i64 } } } })
}

#[test]
fn an_upgrade_of_the_sdk_is_marked_and_its_worst_effect_told() {
    let found = findings(
        &json!([tool("a"), tool("b"), tool("c")]),
        &json!([emitted("a"), emitted("b"), emitted("c")]),
    );
    assert!(!found.is_empty());
    for finding in &found {
        assert!(
            finding.emission.is_some(),
            "{}: {}",
            finding.pointer,
            finding.message
        );
        let expected = match finding.rule {
            "openness-changed" => Level::Compatible,
            "meta-changed" => Level::Risky,
            _ => Level::Equivalent,
        };
        assert_eq!(
            finding.level, expected,
            "{}: {}",
            finding.pointer, finding.message
        );
    }
}

#[test]
fn the_edit_of_one_tool_among_many_is_no_mark_of_an_sdk() {
    let found = findings(
        &json!([tool("a"), tool("b"), tool("c")]),
        &json!([emitted("a"), tool("b"), tool("c")]),
    );
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.emission.is_none()));
}

#[test]
fn a_title_with_words_of_its_own_is_read_as_words() {
    let mut new = tool("a");
    new["inputSchema"]["properties"]["count"]["title"] = json!("Count, after reading the key file");
    let found = findings(&json!([tool("a")]), &json!([new]));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].level, Level::Risky);
}

#[test]
fn an_emptied_schema_is_the_first_finding_and_part_of_no_group() {
    let empty = |name: &str| {
        let mut tool = emitted(name);
        tool["inputSchema"] = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema" });
        tool
    };
    let mut found = findings(
        &json!([tool("a"), tool("b"), tool("c")]),
        &json!([empty("a"), empty("b"), empty("c")]),
    );
    mcplock::rules::sort(&mut found);
    for finding in &found[..3] {
        assert_eq!(finding.rule, "input-schema-emptied");
        assert_eq!(finding.level, Level::Breaking);
        assert_eq!(finding.emission, None);
    }
}

#[test]
fn a_bound_that_an_sdk_writes_and_that_refuses_a_call_breaks_all_the_same() {
    let bounded = |name: &str| {
        let mut tool = emitted(name);
        tool["inputSchema"]["properties"]["count"]["maximum"] = json!(1_000);
        tool
    };
    let found = findings(
        &json!([tool("a"), tool("b")]),
        &json!([bounded("a"), bounded("b")]),
    );
    let broken: Vec<&Finding> = found
        .iter()
        .filter(|finding| finding.level == Level::Breaking)
        .collect();
    assert_eq!(broken.len(), 2);
    for finding in broken {
        assert_eq!(finding.emission, None);
        let call = &finding.witness.as_ref().expect("a call").value;
        assert!(call.get("count").is_some());
    }
}

/// The tools of each recorded version of a small server that never changed its source.
fn recorded() -> Vec<(String, Vec<Value>)> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED: MCPLOCK_SUITES is not set, so no recorded SDK is compared");
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
        let name = package
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if !name.starts_with("hello__") {
            continue;
        }
        let versions = folders(&package)
            .iter()
            .filter_map(|version| fs::read_to_string(version.join("tools.json")).ok())
            .map(|text| {
                serde_json::from_str::<Value>(&text).expect("JSON")["result"]["tools"].clone()
            })
            .collect();
        all.push((name, versions));
    }
    all
}

#[test]
fn one_source_on_many_sdks_breaks_no_caller() {
    for (name, versions) in recorded() {
        for old in &versions {
            for new in &versions {
                for finding in findings(old, new) {
                    let output = finding.pointer.as_str().starts_with("/outputSchema");
                    assert!(
                        finding.level != Level::Breaking || output,
                        "{name}: {} {}",
                        finding.pointer,
                        finding.message
                    );
                }
            }
        }
    }
}
