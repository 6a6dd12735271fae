//! A config entry that runs the guard stands for the server that it guards.

use serde_json::json;

use crate::agent::{Session, passed, pinned, search};
use crate::project::{example, files_project, tool};

#[test]
fn pin_verify_and_list_see_through_an_entry_that_runs_the_guard() {
    let project = files_project(&[tool("a", &json!({}))]);
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    project.configure(&[(
        "files",
        &["mcplock", "guard", "files", "--log", "guard.log"],
    )]);
    project.expect(0, &["list"]).says("files: pinned");
    project.expect(0, &["verify"]).says("1 server");
    project.advertise(&[tool("a", &json!({ "x": { "type": "string" } }))]);
    project.expect(1, &["verify"]).says("argument-added");
    project.expect(0, &["pin", "--yes"]);
    assert_ne!(project.lockfile(), before);
    let report = project.expect(0, &["verify", "--format", "json"]).json();
    assert_eq!(report["servers"][0]["name"], "files");
    assert!(project.folder().join("requests.log").is_file());
}

#[test]
fn an_entry_that_gives_the_guard_a_command_stands_for_that_command() {
    let project = pinned(&search());
    std::fs::remove_file(project.path("mcp-lock.toml")).unwrap();
    let recorder = example("recorder");
    project.configure(&[(
        "any",
        &[
            "mcplock",
            "guard",
            "--max-age",
            "30s",
            "--name",
            "files",
            "--",
            &recorder,
        ],
    )]);
    // Without any pin before: the command is there.
    project.expect(0, &["pin"]);
    assert!(project.lockfile().contains("name = \"files\""));
    assert!(!project.lockfile().contains("--max-age"));
    let mut agent = Session::start(
        &project,
        &["--max-age", "30s", "--name", "files", "--", &recorder],
    );
    agent.handshake();
    project.write("server.log", "");
    passed(&agent.call("search", &json!({})));
    assert_eq!(project.calls().len(), 1);
}
