//! Either side fails: what is open is answered, memory stays bounded, nothing is left running.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::agent::{Session, ends, log_lines, passed, pinned, refused, search};
use crate::project::Project;

fn server_pid(project: &Project) -> String {
    project.read("server.pid")
}

/// Kibibytes of anonymous memory of a process.
fn anonymous(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("RssAnon"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_server_that_ends_in_a_call_is_told_for_every_open_request_and_is_exit_3() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "does": ["exit-on-call"] }).to_string(),
    );
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let reply = agent.call("search", &json!({}));
    assert_eq!(refused(&reply), "server");
    assert!(
        reply["error"]["message"]
            .as_str()
            .unwrap()
            .contains("exit code 7"),
        "{reply}"
    );
    assert_eq!(agent.line(), None);
    let (code, stderr) = agent.wait();
    assert_eq!(code, 3);
    assert!(
        log_lines(&stderr)
            .iter()
            .any(|line| line["message"] == "the server ended by itself")
    );
    assert_eq!(project.calls().len(), 1, "sent once, and not again");
}

#[test]
fn a_server_that_is_killed_leaves_no_call_without_an_answer() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "hang": ["tools/call"] }).to_string(),
    );
    let mut agent = Session::start(&project, &["files", "--max-age", "1m"]);
    agent.handshake();
    let ids: Vec<_> = (0..20)
        .map(|_| agent.ask("tools/call", &json!({ "name": "search", "arguments": {} })))
        .collect();
    while project.calls().len() < 20 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = server_pid(&project);
    std::process::Command::new("kill")
        .args(["-KILL", &pid])
        .status()
        .unwrap();
    for id in &ids {
        assert_eq!(refused(&agent.reply(id)), "server");
    }
    assert_eq!(agent.wait().0, 3);
    assert_eq!(project.calls().len(), 20);
}

#[test]
fn when_the_agent_hangs_up_what_it_asked_for_is_still_answered() {
    let project = pinned(&search());
    project.write("control.json", json!({ "call_takes": 300 }).to_string());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let id = agent.ask("tools/call", &json!({ "name": "search", "arguments": {} }));
    agent.hang_up();
    passed(&agent.reply(&id));
    assert_eq!(agent.line(), None);
    assert_eq!(agent.wait().0, 0);
    ends(&server_pid(&project));
}

#[test]
fn when_the_agent_is_killed_the_server_ends_too() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "hang": ["tools/call"] }).to_string(),
    );
    let mut command = project.command(&["guard", "files"]);
    let mut guard = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = guard.stdin.take().unwrap();
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{}}}
"#;
    std::io::Write::write_all(&mut input, line.as_bytes()).unwrap();
    while project.calls().is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Both ends of an agent that is killed close at the same time, with a call under way.
    drop(guard.stdout.take());
    drop(input);
    ends(&server_pid(&project));
    assert!(guard.wait().unwrap().success());
}

#[test]
fn sigterm_ends_both_sides_cleanly() {
    for hang in [json!([]), json!(["tools/call"])] {
        let project = pinned(&search());
        project.write("control.json", json!({ "hang": hang }).to_string());
        let mut agent = Session::start(&project, &["files"]);
        agent.handshake();
        let id = agent.ask("tools/call", &json!({ "name": "search", "arguments": {} }));
        while project.calls().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = id;
        agent.signal("-TERM");
        assert_eq!(agent.wait().0, 0);
        ends(&server_pid(&project));
    }
}

#[test]
fn when_the_guard_is_killed_the_server_sees_the_end_of_its_input() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    agent.kill();
    ends(&server_pid(&project));
}

#[test]
fn an_agent_that_stops_reading_holds_up_the_server_and_not_the_memory() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "flood_on_call": 300_000 }).to_string(),
    );
    let mut command = project.command(&["guard", "files"]);
    let mut guard = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = guard.stdin.take().unwrap();
    let lines = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{}}}
"#;
    std::io::Write::write_all(&mut input, lines.as_bytes()).unwrap();
    // Until the flood stands still, because every pipe is full.
    let size = || std::fs::metadata(project.path("server.log")).unwrap().len();
    let mut before = 0;
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = size();
        if now == before && now > 100_000 {
            break;
        }
        before = now;
    }
    let memory = anonymous(guard.id());
    assert!(memory < 24 << 10, "{memory} KiB");
    // And when it reads again, everything is there, in order.
    let mut output = guard.stdout.take().unwrap();
    drop(input);
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    let notes: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("notifications/message"))
        .collect();
    assert_eq!(notes.len(), 300_000);
    for (number, note) in notes.iter().enumerate().step_by(9_999) {
        assert!(note.contains(&format!("{number:080}")), "{note}");
    }
    assert!(text.contains("called search"));
    let memory = text.len();
    assert!(
        memory > 24 << 20,
        "the flood is larger than what the guard may hold"
    );
    assert!(guard.wait().unwrap().success());
}

#[test]
fn a_server_that_does_not_read_holds_up_the_agent_and_not_the_memory() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "does": ["stop-reading"] }).to_string(),
    );
    let mut agent = Session::start(&project, &["files", "--max-age", "1m"]);
    let pid = agent.pid();
    let line = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"x":"{}"}}}}"#,
        "x".repeat(1 << 20)
    );
    let (done, waiting) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for _ in 0..200 {
            agent.send(&line);
        }
        let _ = done.send(());
    });
    assert!(
        waiting.recv_timeout(Duration::from_secs(3)).is_err(),
        "it took all of 200 MB"
    );
    assert!(anonymous(pid) < 24 << 10, "{} KiB", anonymous(pid));
    std::process::Command::new("kill")
        .args(["-TERM", &pid.to_string()])
        .status()
        .unwrap();
    ends(&pid.to_string());
    ends(&server_pid(&project));
}

#[test]
fn a_message_that_is_too_long_ends_the_session_with_an_answer_to_every_call() {
    let project = pinned(&search());
    project.write(
        "control.json",
        json!({ "result_bytes": 100_000 }).to_string(),
    );
    let mut agent = Session::start(&project, &["files", "--max-message", "50000"]);
    agent.handshake();
    let reply = agent.call("search", &json!({}));
    assert_eq!(refused(&reply), "server");
    assert!(
        reply["error"]["message"]
            .as_str()
            .unwrap()
            .contains("--max-message"),
        "{reply}"
    );
    assert_eq!(agent.wait().0, 3);
    ends(&server_pid(&project));
}

#[test]
fn memory_stays_flat_over_many_calls() {
    let project = pinned(&search());
    let mut agent = Session::start(&project, &["files", "--log", "/dev/null"]);
    agent.handshake();
    let mut rounds = |count: usize| {
        for _ in 0..count {
            passed(&agent.call("search", &json!({ "query": "a" })));
        }
        anonymous(agent.pid())
    };
    let before = rounds(200);
    let after = rounds(1_000);
    assert!(after < before + 1_024, "{before} KiB, then {after} KiB");
    assert_eq!(project.calls().len(), 1_200);
    assert_eq!(project.lists(), 1_200);
}
