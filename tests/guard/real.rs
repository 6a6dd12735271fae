//! Published servers behind the guard.
//!
//! `MCPLOCK_REAL_SERVERS` names the folder that `.ci/install-real-servers` filled. Without it, or
//! where a server is missing, the test says loudly what it left out.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::agent::{Session, passed, refused};
use crate::project::{Project, example};

fn installed(version: &str, package: &str) -> Option<String> {
    let Some(root) = std::env::var_os("MCPLOCK_REAL_SERVERS") else {
        eprintln!("SKIPPED {version}: MCPLOCK_REAL_SERVERS is not set");
        return None;
    };
    let script = PathBuf::from(root)
        .join(version)
        .join("node_modules/@modelcontextprotocol")
        .join(package)
        .join("dist/index.js");
    if !script.is_file() {
        eprintln!("SKIPPED {version}: {} is not installed", script.display());
        return None;
    }
    Some(script.display().to_string())
}

/// What an agent asks of the filesystem server, and what it got; with ids that are always the same.
fn conversation(agent: &mut Session, file: &str) -> Vec<Value> {
    let mut got = Vec::new();
    got.push(agent.handshake_with("2025-11-25", &json!({})));
    got.push(agent.request("tools/list", &json!({})));
    got.push(agent.call("read_text_file", &json!({ "path": file })));
    got.push(agent.call("get_file_info", &json!({ "path": "/no/such/file" })));
    got.push(agent.request("ping", &json!({})));
    got.push(agent.request("x/unknown", &json!({})));
    got
}

#[test]
fn the_filesystem_server_says_the_same_through_the_guard_as_without_it() {
    let Some(script) = installed("filesystem-new", "server-filesystem") else {
        return;
    };
    let project = Project::new();
    project.write("hello.txt", "hello");
    let file = project.path("hello.txt").display().to_string();
    project.configure(&[("files", &["node", &script, "."])]);
    project.expect(0, &["pin"]);
    let mut direct = Command::new("node");
    direct.args([&script, "."]).current_dir(project.folder());
    let mut direct = Session::of(direct);
    let plain = conversation(&mut direct, &file);
    let mut guarded = Session::start(&project, &["files"]);
    let through = conversation(&mut guarded, &file);
    assert_eq!(plain, through);
    assert!(through[2].to_string().contains("hello"));
    let mut strict = Session::start(&project, &["files"]);
    strict.handshake();
    let reply = strict.call("read_text_file", &json!({ "path": 7 }));
    assert_eq!(refused(&reply), "arguments");
}

#[test]
fn the_everything_server_is_guarded_with_all_that_it_offers() {
    let Some(script) = installed("everything-new", "server-everything") else {
        return;
    };
    let project = Project::new();
    project.configure(&[("everything", &["node", &script])]);
    project.expect(0, &["pin"]);
    let mut agent = Session::start(&project, &["everything"]);
    agent.handshake();
    let names = agent.list();
    assert!(names.len() > 10, "{names:?}");
    passed(&agent.call("echo", &json!({ "message": "hi" })));
    let reply = agent.call("echo", &json!({ "message": 5 }));
    assert_eq!(refused(&reply), "arguments");
    let prompts = agent.request("prompts/list", &json!({}));
    let first = prompts["result"]["prompts"][0]["name"].clone();
    passed(&agent.request("prompts/get", &json!({ "name": first })));
    let resources = agent.request("resources/list", &json!({}));
    let uri = resources["result"]["resources"][0]["uri"].clone();
    passed(&agent.request("resources/read", &json!({ "uri": uri })));
    let (code, _) = agent.end();
    assert_eq!(code, 0);
}

#[test]
fn another_version_of_a_published_server_is_stopped() {
    let (Some(old), Some(new)) = (
        installed("filesystem-old", "server-filesystem"),
        installed("filesystem-new", "server-filesystem"),
    ) else {
        return;
    };
    let project = Project::new();
    project.write("hello.txt", "hello");
    // One path for both, as an update puts one in the place of the other.
    let link = project.path("server.js").display().to_string();
    let script = |target: &str| {
        let text = format!("import({:?});", format!("file://{target}"));
        project.write("server.js", text);
    };
    script(&old);
    project.configure(&[("files", &["node", &link, "."])]);
    project.expect(0, &["pin"]);
    script(&new);
    let mut agent = Session::start(&project, &["files"]);
    agent.handshake();
    let file = project.path("hello.txt").display().to_string();
    let reply = agent.call("read_text_file", &json!({ "path": file }));
    assert!(reply.get("error").is_some(), "{reply}");
    assert!(!reply.to_string().contains("hello\""), "{reply}");
    let _ = example("recorder");
}
