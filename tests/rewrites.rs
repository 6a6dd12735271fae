//! The whole judgement of a tool, not only of its schemas: what is written otherwise and means the
//! same is `equivalent`; what is tightened is `breaking` with a call that shows it, or undecided,
//! and never `compatible`.

#![cfg(test)]

#[path = "support/pinned.rs"]
mod pinned;

use std::fs;
use std::path::{Path, PathBuf};

use mcplock::compare::{Basis, Live, compare};
use mcplock::rules::{Finding, Level, judge};
use serde_json::{Map, Value, json};

fn findings(old: &Value, new: &Value) -> Vec<Finding> {
    let entry = |tool: &Value| pinned::entry(&json!({ "tools": [tool] }).to_string());
    let comparison = compare(&entry(old), &Live::from(&entry(new)));
    comparison
        .drifts
        .iter()
        .flat_map(|drift| judge("server", drift))
        .collect()
}

/// Tools made up here, and the first few of every recorded server.
fn tools() -> Vec<Value> {
    let mut all = vec![
        json!({ "name": "search", "description": "Searches", "inputSchema": {
            "type": "object", "additionalProperties": false, "required": ["query", "kind"],
            "properties": {
                "query": { "type": "string", "minLength": 1, "description": "What to look for" },
                "kind": { "enum": ["a", "b", "c"], "default": "a" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 50 },
                "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 5 },
                "where": { "type": "object", "properties": {
                    "op": { "const": "eq" }, "value": {} }, "required": ["op"] } } } }),
        json!({ "name": "move", "inputSchema": { "type": "object",
            "properties": {
                "from": { "$ref": "#/$defs/Point" }, "to": { "$ref": "#/$defs/Point" },
                "note": { "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null } },
            "required": ["from", "to"],
            "$defs": { "Point": { "type": "object", "description": "A place",
                "properties": { "x": { "type": "number" }, "y": { "type": "number" } },
                "required": ["x", "y"] } } } }),
        json!({ "name": "tree", "inputSchema": { "type": "object",
            "properties": { "root": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": { "type": "object", "properties": {
                "name": { "type": "string" },
                "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } } } } } }),
    ];
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED: MCPLOCK_SUITES is not set, so only made-up tools are rewritten");
        return all;
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
    for package in folders(&Path::new(&suites).join("corpus")) {
        let text = folders(&package)
            .iter()
            .rev()
            .find_map(|version| fs::read_to_string(version.join("tools.json")).ok());
        let tools = text.iter().flat_map(|text| text.lines()).flat_map(|line| {
            let page: Value = serde_json::from_str(line).unwrap_or_default();
            page["result"]["tools"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        });
        all.extend(
            tools
                .filter(|tool| tool["inputSchema"]["properties"].is_object())
                .take(4),
        );
    }
    all
}

fn properties(tool: &mut Value) -> &mut Map<String, Value> {
    tool["inputSchema"]["properties"]
        .as_object_mut()
        .expect("properties")
}

/// Applies `change` to every schema of the arguments, the deepest first.
fn everywhere(schema: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    let Value::Object(members) = schema else {
        return;
    };
    for (name, value) in members.iter_mut() {
        match (name.as_str(), value) {
            ("properties" | "$defs" | "definitions" | "patternProperties", Value::Object(map)) => {
                for schema in map.values_mut() {
                    everywhere(schema, change);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                for schema in list {
                    everywhere(schema, change);
                }
            }
            ("items" | "additionalProperties", schema) => everywhere(schema, change),
            _ => {}
        }
    }
    change(members);
}

/// A rewrite: what it is called, and how a tool is written otherwise; it may have no effect.
type Rewrite = (&'static str, fn(&mut Value));

const REWRITES: &[Rewrite] = &[
    ("sets in another order", |tool| {
        everywhere(&mut tool["inputSchema"], &|schema| {
            for name in ["required", "enum", "type", "anyOf"] {
                if let Some(Value::Array(list)) = schema.get_mut(name) {
                    list.reverse();
                }
            }
        });
    }),
    ("a list of one type", |tool| {
        everywhere(&mut tool["inputSchema"], &|schema| {
            if let Some(kind) = schema.get_mut("type").filter(|kind| kind.is_string()) {
                *kind = json!([*kind]);
            }
        });
    }),
    ("a constant as a list of one value", |tool| {
        everywhere(&mut tool["inputSchema"], &|schema| {
            if let Some(value) = schema.remove("const") {
                schema.insert("enum".to_owned(), json!([value]));
            }
        });
    }),
    ("bounds that bound nothing", |tool| {
        everywhere(&mut tool["inputSchema"], &|schema| {
            match schema.get("type").and_then(Value::as_str) {
                Some("string") => schema.entry("minLength").or_insert(json!(0)),
                Some("array") => schema.entry("minItems").or_insert(json!(0)),
                Some("object") => schema.entry("minProperties").or_insert(json!(0)),
                _ => return,
            };
        });
    }),
    (
        "integers bounded where they stop being interoperable",
        |tool| {
            everywhere(&mut tool["inputSchema"], &|schema| {
                if schema.get("type") == Some(&json!("integer")) {
                    schema
                        .entry("maximum")
                        .or_insert(json!(9_007_199_254_740_991_i64));
                    schema
                        .entry("minimum")
                        .or_insert(json!(-9_007_199_254_740_991_i64));
                }
            });
        },
    ),
    ("every argument in a definition of its own", |tool| {
        let mut moved = Map::new();
        for (i, (_, schema)) in properties(tool).iter_mut().enumerate() {
            let name = format!("Moved{i}");
            let reference = json!({ "$ref": format!("#/$defs/{name}") });
            moved.insert(name, std::mem::replace(schema, reference));
        }
        let defs = tool["inputSchema"]
            .as_object_mut()
            .expect("a schema")
            .entry("$defs")
            .or_insert(json!({}));
        defs.as_object_mut().expect("definitions").extend(moved);
    }),
    ("every argument wrapped as generators do", |tool| {
        for schema in properties(tool).values_mut() {
            *schema = json!({ "allOf": [schema] });
        }
    }),
    ("an empty schema spelled `true`", |tool| {
        for schema in properties(tool).values_mut() {
            if *schema == json!({}) {
                *schema = json!(true);
            }
        }
    }),
    (
        "a definition that nothing uses and that says nothing",
        |tool| {
            let schema = tool["inputSchema"].as_object_mut().expect("a schema");
            let defs = schema.entry("$defs").or_insert(json!({}));
            defs["Unused"] = json!({ "type": "string" });
        },
    ),
    ("titles that repeat names", |tool| {
        for (name, schema) in properties(tool) {
            if let Some(schema) = schema
                .as_object_mut()
                .filter(|schema| !schema.contains_key("title"))
            {
                schema.insert("title".to_owned(), json!(name));
            }
        }
    }),
    ("tasks forbidden in so many words", |tool| {
        if tool.get("execution").is_none() {
            tool["execution"] = json!({ "taskSupport": "forbidden" });
        }
    }),
    ("white space", |tool| {
        if let Some(text) = tool["description"].as_str() {
            tool["description"] = json!(format!("{}\n", text.replace('\n', "\n  ")));
        }
    }),
];

#[test]
fn what_is_written_otherwise_and_means_the_same_is_equivalent() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for tool in tools() {
        for (name, rewrite) in REWRITES {
            let mut other = tool.clone();
            rewrite(&mut other);
            asked += 1;
            for (old, new, way) in [(&tool, &other, "there"), (&other, &tool, "back")] {
                for finding in findings(old, new) {
                    if finding.level != Level::Equivalent {
                        wrong.push(format!(
                            "{} {name} ({way}): {} {} {}",
                            tool["name"],
                            finding.level.word(),
                            finding.pointer,
                            finding.message
                        ));
                    }
                }
            }
        }
    }
    eprintln!(
        "{asked} rewrites judged both ways, {} findings not equivalent",
        wrong.len()
    );
    wrong.truncate(40);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Tightens one argument; false where that changes nothing or can't be told to refuse anything.
type Tightening = (&'static str, fn(&mut Map<String, Value>) -> bool);

fn of_type(schema: &Map<String, Value>, kind: &str) -> bool {
    schema.get("type") == Some(&json!(kind))
        && !schema.contains_key("enum")
        && !schema.contains_key("const")
}

const TIGHTENINGS: &[Tightening] = &[
    ("a string may be one character at most", |schema| {
        let free = of_type(schema, "string")
            && !["maxLength", "minLength", "pattern", "format"]
                .iter()
                .any(|key| schema.contains_key(*key));
        free && schema.insert("maxLength".to_owned(), json!(1)).is_none()
    }),
    ("a string has to begin with x", |schema| {
        let free = of_type(schema, "string")
            && !["maxLength", "minLength", "pattern", "format"]
                .iter()
                .any(|key| schema.contains_key(*key));
        free && schema.insert("pattern".to_owned(), json!("^x")).is_none()
    }),
    ("a number is bounded", |schema| {
        let free = (of_type(schema, "integer") || of_type(schema, "number"))
            && !["maximum", "exclusiveMaximum", "multipleOf"]
                .iter()
                .any(|key| schema.contains_key(*key));
        let lowest = schema.get("minimum").and_then(Value::as_i64).unwrap_or(0);
        free && schema.insert("maximum".to_owned(), json!(lowest)).is_none()
    }),
    ("a list may not be empty", |schema| {
        of_type(schema, "array") && schema.insert("minItems".to_owned(), json!(1)).is_none()
    }),
    ("a value went from the list", |schema| {
        let Some(Value::Array(list)) = schema.get_mut("enum") else {
            return false;
        };
        let kinds = list.len() > 1 && list.iter().all(Value::is_string);
        kinds && list.pop().is_some()
    }),
    ("a boolean has to be true", |schema| {
        of_type(schema, "boolean") && schema.insert("const".to_owned(), json!(true)).is_none()
    }),
    ("a string is a number now", |schema| {
        of_type(schema, "string")
            && !schema.contains_key("maxLength")
            && schema.insert("type".to_owned(), json!("number")).is_some()
    }),
];

#[test]
fn a_single_tightening_breaks_with_a_call_that_shows_it() {
    let (mut asked, mut undecided, mut wrong) = (0, 0, Vec::new());
    for tool in tools() {
        let names: Vec<String> = properties(&mut tool.clone()).keys().cloned().collect();
        for (at, name) in names.iter().enumerate().take(6) {
            let (what, tighten) = TIGHTENINGS[(at + asked) % TIGHTENINGS.len()];
            let mut other = tool.clone();
            let schema = properties(&mut other)[name].as_object_mut();
            if !schema.is_some_and(tighten) {
                continue;
            }
            asked += 1;
            let found = findings(&tool, &other);
            let shown = found
                .iter()
                .any(|finding| finding.level == Level::Breaking && finding.witness.is_some());
            let open = found
                .iter()
                .any(|finding| finding.basis == Basis::Undecided);
            undecided += usize::from(open && !shown);
            if !shown && !open {
                let told: Vec<_> = found.iter().map(|f| (f.level, &f.message)).collect();
                wrong.push(format!("{} {name}, {what}: {told:?}", tool["name"]));
            }
        }
    }
    eprintln!(
        "{asked} tightenings judged, {undecided} undecided, {} wrong",
        wrong.len()
    );
    assert!(asked > 3);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn an_argument_that_must_be_given_or_is_gone_breaks_with_the_old_call() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for tool in tools() {
        let names: Vec<String> = properties(&mut tool.clone()).keys().cloned().collect();
        for name in names.iter().take(3) {
            let required = tool["inputSchema"]["required"]
                .as_array()
                .is_some_and(|list| list.contains(&json!(name)));
            if tool["inputSchema"].to_string().contains(r#""enum":[]"#) {
                // No call was right.
                continue;
            }
            let mut other = tool.clone();
            if required {
                properties(&mut other).remove(name);
                other["inputSchema"]["required"]
                    .as_array_mut()
                    .expect("a list")
                    .retain(|listed| listed != name);
            } else {
                let schema = other["inputSchema"].as_object_mut().expect("a schema");
                let list = schema.entry("required").or_insert(json!([]));
                list.as_array_mut().expect("a list").push(json!(name));
            }
            asked += 1;
            let found = findings(&tool, &other);
            let shown = found
                .iter()
                .any(|finding| finding.level == Level::Breaking && finding.witness.is_some());
            let open = found
                .iter()
                .any(|finding| finding.basis == Basis::Undecided);
            if !shown && !open {
                wrong.push(format!("{} {name}", tool["name"]));
            }
        }
    }
    eprintln!(
        "{asked} arguments demanded or dropped, {} wrong",
        wrong.len()
    );
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
