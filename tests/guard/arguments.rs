//! Arguments are judged strictly by the pinned schema, and never repaired.

use serde_json::{Value, json};

use crate::agent::{Session, log_lines, passed, pinned, refused, tools};
use crate::project::Project;

fn wait() -> Value {
    tools(&[("wait", json!({ "ms": { "type": "integer", "minimum": 1 } }))])
}

#[test]
fn what_is_sent_on_keeps_every_byte_and_what_is_wrong_is_not_sent() {
    let project = pinned(&wait());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let line = "{\"params\" : {\"arguments\":{ \"ms\":1e2 , \"x\\u0079\":9007199254740993}, \"name\":\"w\\u0061it\",\"_meta\":{\"progressToken\":7}},\"id\":\"a\\u0062\",\"m\\u0065thod\":\"tools\\/call\",\"jsonrpc\":\"2.0\" }";
    agent.send(line);
    passed(&agent.reply(&json!("ab")));
    assert_eq!(project.received().last().unwrap(), line);
    for (arguments, reason) in [
        (r#"{"ms":"100"}"#, "arguments"),
        (r#"{"ms":0.5}"#, "arguments"),
        (r#"{"ms":null}"#, "arguments"),
        (r#"{"ms":0}"#, "arguments"),
        ("[1]", "arguments"),
        (r#"{"ms":1,"ms":2}"#, "unreadable"),
        (r#"{"ms":1e400}"#, "can-not-tell"),
    ] {
        agent.send(&format!(
            r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"wait","arguments":{arguments}}}}}"#
        ));
        assert_eq!(refused(&agent.reply(&json!(9))), reason, "{arguments}");
        assert_eq!(
            project
                .received()
                .iter()
                .filter(|l| l.contains("wait") || l.contains("w\\u0061it"))
                .count(),
            1
        );
    }
    // No arguments at all are an empty object.
    passed(&agent.request("tools/call", &json!({ "name": "wait" })));
}

#[test]
fn a_name_that_is_not_declared_passes_with_a_note_or_is_refused() {
    for deny in [false, true] {
        let project = pinned(&wait());
        let args: &[&str] = if deny {
            &["files", "--deny-undeclared"]
        } else {
            &["files"]
        };
        let mut agent = Session::start(&project, args);
        agent.handshake();
        let reply = agent.call("wait", &json!({ "ms": 1, "seconds": 2 }));
        if deny {
            assert_eq!(refused(&reply), "undeclared-argument");
            assert_eq!(project.calls().len(), 0);
        } else {
            passed(&reply);
            assert!(
                project.calls()[0].contains("seconds"),
                "nothing is taken out"
            );
            let (_, stderr) = agent.end();
            let told = log_lines(&stderr);
            let line = told.iter().find(|line| line["decision"] == "pass").unwrap();
            assert!(line["notes"].to_string().contains("`/seconds`"), "{line}");
        }
    }
}

#[test]
fn a_reserved_argument_is_refused() {
    let project = pinned(&wait());
    project.write("mcplock.toml", "reserved-arguments = [\"session\"]\n");
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let reply = agent.call("wait", &json!({ "ms": 1, "session": "x" }));
    assert_eq!(refused(&reply), "reserved-argument");
    assert_eq!(project.calls().len(), 0);
}

#[test]
fn where_no_dialect_is_stated_both_have_to_agree() {
    // Read as draft-07 `items` is a list of schemas by position; 2020-12 knows no such thing, and
    // `prefixItems` means nothing to draft-07.
    let catalog = tools(&[(
        "size",
        json!({ "a": { "prefixItems": [{ "type": "integer" }] } }),
    )]);
    let project = Project::new();
    project.write("catalog.json", catalog.to_string());
    project.write("control.json", "{}");
    project.configure(&[("files", &[&crate::project::example("recorder")])]);
    project.run(&["pin", "--protocol", "2025-06-18"]);
    project.write("server.log", "");
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake_with(
        "2025-06-18",
        &json!({ "roots": {}, "sampling": {}, "elicitation": {} }),
    );
    passed(&agent.call("size", &json!({ "a": [1] })));
    let reply = agent.call("size", &json!({ "a": ["x"] }));
    assert_eq!(refused(&reply), "can-not-tell");
    assert_eq!(project.calls().len(), 1);
    drop(agent);
    project.write("mcplock.toml", "default-dialect = \"draft-07\"\n");
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake_with(
        "2025-06-18",
        &json!({ "roots": {}, "sampling": {}, "elicitation": {} }),
    );
    passed(&agent.call("size", &json!({ "a": ["x"] })));
}

#[test]
fn check_results_withholds_what_breaks_the_promise() {
    let mut catalog = wait();
    catalog["tools"][0]["outputSchema"] = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let project = pinned(&catalog);
    for (structured, plain, checked) in [
        (json!({ "structured": { "n": 1 } }), true, true),
        (json!({ "structured": { "n": "secret" } }), true, false),
        (json!({}), true, false),
    ] {
        project.write("control.json", structured.to_string());
        for (flag, passes) in [(None, plain), (Some("--check-results"), checked)] {
            let args: Vec<&str> = std::iter::once("files").chain(flag).collect();
            let mut agent = Session::start(&project, &args);
            agent.handshake();
            let reply = agent.call("wait", &json!({ "ms": 1 }));
            if passes {
                passed(&reply);
            } else {
                assert_eq!(refused(&reply), "result", "{structured}");
                assert!(!reply.to_string().contains("secret"));
            }
            let (_, stderr) = agent.end();
            assert!(!stderr.contains("secret"), "{stderr}");
        }
    }
}

#[test]
fn no_value_of_an_argument_or_result_reaches_the_log() {
    let project = pinned(&tools(&[(
        "a",
        json!({ "x": { "type": "string", "maxLength": 20 } }),
    )]));
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    passed(&agent.call("a", &json!({ "x": "topsecret1" })));
    agent.call("a", &json!({ "x": "topsecret-that-is-too-long-for-it" }));
    agent.call("a", &json!({ "x": { "topsecret": 1 } }));
    let (_, stderr) = agent.end();
    assert!(!stderr.contains("topsecret"), "{stderr}");
    assert!(!stderr.contains("called a"), "{stderr}");
    assert_eq!(
        log_lines(&stderr)
            .iter()
            .filter(|line| line["event"] == "call")
            .count(),
        3
    );
}
