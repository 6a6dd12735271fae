//! Calls taken from reports in the field: each `calls.json` below `MCPLOCK_SUITES`/cases.

use std::fs;
use std::path::Path;

use mcplock::catalog::{Item, Kind};
use mcplock::config::{Launch, ServerName, Target};
use mcplock::lock::{Entry, Words, pin_item, update};
use mcplock::protocol::Revision;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::agent::Session;
use crate::project::{Project, example};

/// Pins what can be pinned of a list, fit or not: the guard has to cope with either.
fn pin(project: &Project, tools: &str) {
    let whole: std::collections::BTreeMap<String, Box<RawValue>> =
        serde_json::from_str(tools).unwrap();
    let list: Vec<Box<RawValue>> = serde_json::from_str(whole["tools"].get()).unwrap();
    let words = Words::default();
    let mut items: Vec<_> = list
        .iter()
        .enumerate()
        .filter_map(|(at, raw)| {
            let item = Item::new(Kind::Tool, at, raw.get().into());
            pin_item(&item, &words).ok().map(|(pinned, _)| pinned)
        })
        .collect();
    items.sort_by(|a, b| a.identity().cmp(&b.identity()));
    items.dedup_by(|a, b| a.identity() == b.identity());
    let entry = Entry {
        name: ServerName::new("files").unwrap(),
        profile: None,
        launch: Launch {
            target: Target::Command(vec![example("recorder")]),
            cwd: None,
            env: Vec::new(),
            env_values: std::collections::BTreeMap::new(),
        },
        protocol: Revision::V2025_11_25,
        capabilities: vec!["elicitation".into(), "roots".into(), "sampling".into()],
        implementation: None,
        instructions: None,
        volatile: Vec::new(),
        items,
        line: 0,
    };
    let _ = fs::remove_file(project.path("mcp-lock.toml"));
    update(&project.path("mcp-lock.toml"), |lockfile| {
        lockfile.put(entry);
        Ok(())
    })
    .unwrap();
    project.write("catalog.json", tools);
    project.write("server.log", "");
}

/// The raw text of the arguments of each call, in order.
fn arguments(text: &str) -> Vec<Box<RawValue>> {
    let calls: Vec<std::collections::BTreeMap<String, Box<RawValue>>> =
        serde_json::from_str(text).unwrap();
    calls
        .into_iter()
        .map(|mut call| call.remove("arguments").unwrap())
        .collect()
}

#[test]
fn every_call_of_the_cases_is_sent_on_unchanged_or_refused_as_it_should_be() {
    let Some(root) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED: MCPLOCK_SUITES is not set, so no case from the field is guarded");
        return;
    };
    let mut seen = 0;
    let mut folders: Vec<_> = fs::read_dir(Path::new(&root).join("cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("calls.json").is_file())
        .collect();
    folders.sort();
    for folder in folders {
        let text = fs::read_to_string(folder.join("calls.json")).unwrap();
        let calls: Vec<Value> = serde_json::from_str(&text).unwrap();
        let raw = arguments(&text);
        for (call, raw) in calls.iter().zip(&raw) {
            let file = call["tools"].as_str().unwrap_or("tools.json");
            let project = Project::new();
            project.write("control.json", "{}");
            pin(&project, &fs::read_to_string(folder.join(file)).unwrap());
            let mut agent = Session::start(&project, &["files"]);
            agent.handshake();
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":{},"arguments":{}}}}}"#,
                call["tool"],
                raw.get().replace('\n', " ")
            );
            agent.send(&line);
            let reply = agent.reply(&Value::from(7));
            let what = format!("{}: {line}\n{reply}", folder.display());
            if call["expect"] == "forward" {
                assert!(reply.get("result").is_some(), "{what}");
                assert_eq!(project.calls(), [line], "{what}");
            } else {
                assert!(reply.get("error").is_some(), "{what}");
                assert_eq!(project.calls(), [""; 0], "{what}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 20, "only {seen} calls were found");
}

#[test]
fn a_tool_whose_schema_can_not_be_relied_on_is_never_called() {
    let project = Project::new();
    project.write("control.json", "{}");
    let tools = r##"{"tools":[
        {"name":"loop","inputSchema":{"type":"object","allOf":[{"$ref":"#"}]}},
        {"name":"private","inputSchema":{"$schema":"https://x.example/own","type":"object"}},
        {"name":"outside","inputSchema":{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:9/x"}}}}]}"##;
    pin(&project, tools);
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    for name in ["loop", "private", "outside"] {
        let reply = agent.call(name, &serde_json::json!({}));
        assert_eq!(crate::agent::refused(&reply), "can-not-tell", "{reply}");
    }
    assert_eq!(project.calls(), [""; 0]);
}
