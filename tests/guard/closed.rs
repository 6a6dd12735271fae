//! In every trouble the session starts, each call is refused with the reason, and nothing is sent.

use serde_json::json;

use crate::agent::{Session, log_lines, passed, pinned, refused, search, tools};
use crate::project::{Project, example};

/// Insists that a guard started so refuses every call, and that the server was never started.
#[track_caller]
fn stays_closed(project: &Project, args: &[&str], says: &str) {
    let _ = std::fs::remove_file(project.path("server.pid"));
    let mut agent = Session::start(project, args);
    let opened = agent.handshake();
    assert_eq!(
        opened["result"]["protocolVersion"], "2025-11-25",
        "{opened}"
    );
    assert_eq!(agent.list(), [""; 0]);
    let reply = agent.call("search", &json!({}));
    assert_eq!(refused(&reply), "closed");
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(message.contains(says), "{message}");
    assert!(!project.has("server.pid"), "the server was started: {says}");
    let (code, stderr) = agent.end();
    assert_eq!(code, 0);
    assert!(
        log_lines(&stderr)
            .iter()
            .any(|line| line["reason"] == "closed")
    );
}

#[test]
fn without_a_lockfile_that_can_be_relied_on_nothing_is_started() {
    let project = pinned(&search());
    let lockfile = project.lockfile();
    std::fs::remove_file(project.path("mcp-lock.toml")).unwrap();
    stays_closed(&project, &["files"], "there is no lockfile");
    for (text, says) in [
        (String::new(), "empty"),
        (
            lockfile.replace("version = 1", "version = 99"),
            "newer mcplock",
        ),
        (
            lockfile.replace("Does search", "Does other"),
            "mcp-lock.toml:",
        ),
        (lockfile[..lockfile.len() / 2].to_owned(), "mcp-lock.toml"),
        ("<<<<<<< ours\n".to_owned() + &lockfile, "mcp-lock.toml:1"),
    ] {
        project.write("mcp-lock.toml", &text);
        stays_closed(&project, &["files"], says);
    }
    project.write("mcp-lock.toml", &lockfile);
    stays_closed(&project, &["other"], "no server is called `other`");
    project.write("mcplock.toml", "fail-on = \"nonsense\"\n");
    stays_closed(&project, &["files"], "mcplock.toml");
}

#[test]
fn another_launch_than_the_pinned_one_is_not_started() {
    let project = pinned(&search());
    project.configure(&[("files", &[&example("recorder"), "--other"])]);
    stays_closed(&project, &["files"], "in another way than");
    let recorder = example("recorder");
    let ad_hoc = ["--name", "files", "--", &recorder, "--other"];
    stays_closed(&project, &ad_hoc, "in another way than");
}

#[test]
fn a_server_from_the_command_line_is_guarded_when_it_is_pinned() {
    let project = pinned(&search());
    let recorder = example("recorder");
    let mut agent = Session::start(&project, &["--name", "files", "--", &recorder]);
    agent.handshake();
    passed(&agent.call("search", &json!({})));
    assert_eq!(project.calls().len(), 1);
    drop(agent);
    stays_closed(&project, &["--name", "new", "--", &recorder], "not pinned");
}

#[test]
fn a_server_that_does_not_start_is_told_to_the_agent() {
    let project = pinned(&search());
    let lockfile = project.lockfile().replace("recorder", "no-such-program");
    project.write("mcp-lock.toml", lockfile);
    std::fs::remove_file(project.path(".mcp.json")).unwrap();
    stays_closed(&project, &["files"], "no-such-program");
}

#[test]
fn a_newer_agent_is_answered_in_its_own_era() {
    let project = Project::new();
    let mut agent = Session::start(&project, &["files"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let reply = agent.request("server/discover", &json!({ "_meta": meta }));
    assert!(
        reply["result"]["supportedVersions"]
            .to_string()
            .contains("2026-07-28")
    );
    let reply = agent.request("tools/list", &json!({ "_meta": meta }));
    assert_eq!(reply["result"]["tools"], json!([]));
    let call = json!({ "name": "x", "arguments": {}, "_meta": meta });
    assert_eq!(refused(&agent.request("tools/call", &call)), "closed");
}

#[test]
fn a_lockfile_that_breaks_during_a_session_stops_the_calls_until_it_is_mended() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    agent.list();
    passed(&agent.call("search", &json!({})));
    let lockfile = project.lockfile();
    project.write("mcp-lock.toml", "version = 1\n[[server");
    agent.signal("-HUP");
    let note = agent.line().unwrap();
    assert!(note.contains("list_changed"), "{note}");
    assert_eq!(refused(&agent.call("search", &json!({}))), "closed");
    assert_eq!(agent.list(), [""; 0]);
    assert_eq!(project.calls().len(), 1);
    project.write("mcp-lock.toml", &lockfile);
    agent.signal("-HUP");
    let note = agent.line().unwrap();
    assert!(note.contains("list_changed"), "{note}");
    assert_eq!(agent.list(), ["search"]);
    passed(&agent.call("search", &json!({})));
}

#[test]
fn a_list_that_can_not_be_had_refuses_the_call() {
    let project = pinned(&search());
    for (control, says) in [
        (json!({ "fail": ["tools/list"] }), "error -32603"),
        (json!({ "hang": ["tools/list"] }), "`--request-timeout`"),
    ] {
        project.write("control.json", control.to_string());
        let mut agent = Session::start(&project, &["files", "--request-timeout", "0.3"]);
        agent.handshake();
        let reply = agent.call("search", &json!({}));
        assert_eq!(refused(&reply), "no-list");
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
        assert_eq!(project.calls().len(), 0);
        // It is asked again, and once the server answers, calls flow.
        project.write("control.json", "{}");
        passed(&agent.call("search", &json!({})));
        project.write("server.log", "");
    }
}

#[test]
fn a_list_that_never_settles_refuses_the_call() {
    let project = pinned(&tools(&[("search", json!({})), ("other", json!({}))]));
    // Each page is followed by a change: there is no complete list.
    project.write(
        "control.json",
        json!({ "does": ["notify"], "page_size": 1 }).to_string(),
    );
    let mut agent = Session::start(&project, &["files", "--max-items", "1"]);
    agent.handshake();
    let reply = agent.call("search", &json!({}));
    assert_eq!(refused(&reply), "no-list");
    assert!(
        reply["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`--max-items`"),
        "{reply}"
    );
    assert_eq!(project.calls().len(), 0);
}

#[test]
fn a_wrong_command_line_is_exit_2() {
    let project = pinned(&search());
    project
        .expect(2, &["guard", "files", "--fail-on", "nonsense"])
        .says("no level");
    project
        .expect(2, &["guard", "files", "--max-age", "soon"])
        .says("no duration");
    project.expect(2, &["guard"]).says("required");
    project
        .expect(2, &["guard", "files", "--log", "no/such/folder/log"])
        .says("log");
}
