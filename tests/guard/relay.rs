//! Bytes pass untouched, both ways and in order.

use std::time::Duration;

use serde_json::{Value, json};

use crate::agent::{Session, passed, pinned, refused, search};

#[test]
fn requests_of_the_server_and_the_answers_to_them_pass_while_a_call_runs() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "does": ["ask-on-call"], "flood_on_call": 3 }).to_string(),
    );
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let one = agent.ask("tools/call", &json!({ "name": "search", "arguments": {} }));
    let asked = loop {
        let line = agent.line().unwrap();
        if line.contains("sampling/createMessage") {
            break line;
        }
    };
    assert_eq!(
        asked,
        r#"{"jsonrpc":"2.0","id":"ask-1","method":"sampling/createMessage","params":{}}"#
    );
    // A second call waits for a list, which waits for the answer to the first: the answer must
    // overtake it.
    let two = agent.ask("tools/call", &json!({ "name": "search", "arguments": {} }));
    std::thread::sleep(Duration::from_millis(100));
    let answer = r#"{ "result":{"role":"assistant"} ,"id":"ask-1","jsonrpc":"2.0"}"#;
    agent.send(answer);
    passed(&agent.reply(&one));
    agent.send(r#"{"id":"ask-2","jsonrpc":"2.0","result":{}}"#);
    passed(&agent.reply(&two));
    assert!(project.received().contains(&answer.to_owned()));
    assert_eq!(project.calls().len(), 2);
}

#[test]
fn whatever_the_guard_does_not_decide_about_arrives_byte_for_byte() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let lines = [
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1.50}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#" {"id" : 3.0, "jsonrpc":"2.0", "method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"t","method":"tasks/get","params":{"taskId":"é\u00e9"}}"#,
        r#"{"jsonrpc":"2.0","id":-1,"method":"x/unknown","params":{"z":1,"a":[1E2]}}"#,
    ];
    for line in lines {
        agent.send(line);
    }
    assert_eq!(agent.reply(&json!(3.0))["result"], json!({}));
    assert_eq!(agent.reply(&json!("t"))["error"]["code"], -32601);
    assert_eq!(agent.reply(&json!(-1))["error"]["code"], -32601);
    let received = project.received();
    assert_eq!(received[received.len() - lines.len()..], lines);
}

#[test]
fn every_reply_is_the_line_that_the_server_sent() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    agent.list();
    passed(&agent.call("search", &json!({})));
    agent.request("ping", &json!({}));
    let sent: Vec<String> = project
        .book()
        .into_iter()
        .filter(|(way, line)| way == "out" && !line.contains("\"id\":\"mcplock-"))
        .map(|(_, line)| line)
        .collect();
    drop(agent);
    // The same again, and this time every line is looked at.
    project.write("server.log", "");
    let mut agent = Session::start(&project, &["files"]);
    let mut got = Vec::new();
    for (id, method, params) in [
        (
            101,
            "initialize",
            json!({ "protocolVersion": "2025-11-25",
            "capabilities": { "roots": {}, "sampling": {}, "elicitation": {} } }),
        ),
        (102, "tools/list", json!({})),
        (
            103,
            "tools/call",
            json!({ "name": "search", "arguments": {} }),
        ),
        (104, "ping", json!({})),
    ] {
        agent.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string(),
        );
        got.push(agent.line().unwrap());
    }
    assert_eq!(got, sent);
}

#[test]
fn a_call_that_is_called_off_while_it_waits_never_arrives() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "hang": ["tools/list"] }).to_string(),
    );
    let mut agent = Session::start(&project, &["files", "--request-timeout", "1"]);
    agent.handshake();
    let id = agent.ask("tools/call", &json!({ "name": "search", "arguments": {} }));
    std::thread::sleep(Duration::from_millis(200));
    project.write("control.json", "{}");
    agent.send(&format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    ));
    agent.request("ping", &json!({}));
    assert!(agent.line_within(Duration::from_millis(1_200)).is_none());
    assert_eq!(project.calls(), [""; 0]);
    let received = project.received();
    assert!(
        !received.iter().any(|line| line.contains("cancelled")),
        "the server knows of nothing"
    );
    // A call that has arrived is called off by the server itself.
    project.write(
        "control.json",
        json!({ "hang": ["tools/call"] }).to_string(),
    );
    let id = agent.ask("tools/call", &json!({ "name": "search", "arguments": {} }));
    let note = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    );
    std::thread::sleep(Duration::from_millis(200));
    agent.send(&note);
    agent.request("ping", &json!({}));
    assert!(project.received().contains(&note));
}

#[test]
fn a_message_that_can_be_read_in_two_ways_goes_nowhere() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    agent.request("ping", &json!({}));
    let before = project.received().len();
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"search"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","name":"wipe"}}"#,
        "{\"x\":\r{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\"}}\r}",
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"a":NaN}}}"#,
        "tools/call",
    ] {
        agent.send(line);
        let reply: Value = serde_json::from_str(&agent.line().unwrap()).unwrap();
        assert!(reply.get("error").is_some(), "{line}: {reply}");
    }
    assert_eq!(project.received().len(), before, "{:?}", project.received());
}

#[test]
fn each_message_of_a_batch_is_judged_alone() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    agent.send(
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe","arguments":{}}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{}}}]"#,
    );
    assert_eq!(agent.reply(&json!(1))["result"], json!({}));
    assert_eq!(refused(&agent.reply(&json!(2))), "not-pinned");
    passed(&agent.reply(&json!(3)));
    assert_eq!(project.calls().len(), 1);
    assert!(project.calls()[0].contains("search"));
}

#[test]
fn a_large_result_passes_whole() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "result_bytes": 3_000_000 }).to_string(),
    );
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    for _ in 0..3 {
        let reply = agent.call("search", &json!({}));
        assert_eq!(
            reply["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .len(),
            3_000_013
        );
    }
}
