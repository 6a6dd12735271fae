//! When the guard lists, and how often.

use std::time::Duration;

use serde_json::json;

use crate::agent::{Session, passed, pinned, refused, search, tools};

#[test]
fn the_whole_list_is_fetched_before_every_call_by_default() {
    let three = tools(&[("a", json!({})), ("b", json!({})), ("c", json!({}))]);
    let project = pinned(&three);
    project.write("control.json", json!({ "page_size": 2 }).to_string());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    for round in 1..=3 {
        passed(&agent.call("a", &json!({})));
        assert_eq!(project.lists(), 2 * round, "both pages");
    }
    let received = project.received();
    let order: Vec<bool> = received[2..]
        .iter()
        .map(|line| line.contains("tools/call"))
        .collect();
    assert_eq!(
        order,
        [false, false, true, false, false, true, false, false, true]
    );
}

#[test]
fn calls_that_come_together_share_one_list() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let lines: Vec<String> = (0..50)
        .map(|id| {
            format!(
                r#"{{"jsonrpc":"2.0","id":"c{id}","method":"tools/call","params":{{"name":"search","arguments":{{}}}}}}"#
            )
        })
        .collect();
    agent.send(&lines.join("\n"));
    for id in 0..50 {
        passed(&agent.reply(&json!(format!("c{id}"))));
    }
    assert_eq!(project.calls(), lines, "in order, each once");
    assert!(
        project.lists() <= 10,
        "{} lists for 50 calls",
        project.lists()
    );
}

#[test]
fn a_young_list_is_used_again_with_max_age_and_an_old_one_is_not() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files", "--max-age", "400ms"]);
    agent.handshake();
    passed(&agent.call("search", &json!({})));
    passed(&agent.call("search", &json!({})));
    assert_eq!(project.lists(), 1);
    std::thread::sleep(Duration::from_millis(500));
    passed(&agent.call("search", &json!({})));
    assert_eq!(project.lists(), 2);
}

#[test]
fn an_agent_without_a_handshake_gets_lists_in_its_own_name() {
    let project = crate::project::Project::new();
    project.write("catalog.json", search().to_string());
    project.write("control.json", json!({ "does": ["modern"] }).to_string());
    project.configure(&[("files", &[&crate::project::example("recorder")])]);
    project.expect(0, &["pin"]);
    project.write("server.log", "");
    let mut agent = Session::start(&project, &["files"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "agent-7", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "roots": {}, "sampling": {}, "elicitation": {} },
        "progressToken": "p1",
    });
    let reply = agent.request("server/discover", &json!({ "_meta": meta }));
    assert_eq!(reply["result"]["supportedVersions"], json!(["2026-07-28"]));
    let reply = agent.request("tools/list", &json!({ "_meta": meta }));
    assert_eq!(reply["result"]["tools"].as_array().unwrap().len(), 1);
    let call = json!({ "name": "search", "arguments": {}, "_meta": meta });
    passed(&agent.request("tools/call", &call));
    let received = project.received();
    let own = received
        .iter()
        .find(|line| line.contains("mcplock-"))
        .unwrap();
    assert!(
        own.contains("agent-7") && own.contains("2026-07-28"),
        "{own}"
    );
    assert!(!own.contains("p1"), "{own}");
    assert!(
        !received.iter().any(|line| line.contains("initialize")),
        "the agent chooses the era"
    );
    let mut drifted = search();
    drifted["tools"][0]["title"] = json!("x");
    project.serve(&drifted);
    assert_eq!(refused(&agent.request("tools/call", &call)), "drift");
    assert_eq!(project.calls().len(), 1);
    // After a new pin the agent hears of it on the stream that it asked for.
    project.write(
        "control.json",
        json!({ "does": ["modern"], "hang": ["subscriptions/listen"] }).to_string(),
    );
    let wants = json!({ "toolsListChanged": true });
    let listen = agent.ask(
        "subscriptions/listen",
        &json!({ "_meta": meta, "notifications": wants }),
    );
    project.expect(0, &["pin", "--yes"]);
    let note: serde_json::Value = serde_json::from_str(&agent.line().unwrap()).unwrap();
    assert_eq!(note["method"], "notifications/tools/list_changed");
    let subscription = &note["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*subscription, listen);
    assert_eq!(refused(&agent.request("tools/call", &call)), "stale");
    let reply = agent.request("tools/list", &json!({ "_meta": meta }));
    assert_eq!(reply["result"]["tools"][0]["title"], "x");
    project.write("server.log", "");
    passed(&agent.request("tools/call", &call));
    assert_eq!(project.calls().len(), 1);
}

#[test]
fn nothing_is_sent_before_the_agent_has_spoken() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(project.received(), [""; 0]);
    agent.handshake();
    passed(&agent.call("search", &json!({})));
    assert!(project.received()[0].contains("initialize"));
}
