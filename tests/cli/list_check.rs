//! `mcplock list --check`: whether configs and lockfile agree, told without starting anything.

use serde_json::json;

use crate::project::{Project, files_project, tool};

fn pinned() -> Project {
    let project = files_project(&[tool("a", &json!({}))]);
    project.expect(0, &["pin"]);
    // Nothing can be started any more.
    std::fs::remove_file(project.path("catalog.json")).unwrap();
    project
}

#[test]
fn configs_and_lockfile_that_agree_pass_without_a_server_or_its_variables() {
    let project = pinned();
    project
        .expect(0, &["list", "--check"])
        .says("files: pinned");
    project.write(
        ".mcp.json",
        project.read(".mcp.json").replacen(
            "\"args\"",
            "\"env\": { \"TOKEN\": \"${NOT_SET_AT_COMMIT_TIME}\" }, \"args\"",
            1,
        ),
    );
    project
        .expect(1, &["list", "--check"])
        .says("launch changed")
        .says("do not agree on `files`");
}

#[test]
fn a_server_that_is_not_pinned_or_not_configured_fails() {
    let project = pinned();
    let config = project.read(".mcp.json");
    project.write(
        ".mcp.json",
        config.replace(
            "\"files\":",
            "\"more\": {\"command\": \"more\"}, \"files\":",
        ),
    );
    project
        .expect(1, &["list", "--check"])
        .says("do not agree on `more`")
        .says("mcplock pin");
    project.write(".mcp.json", config.replace("\"files\":", "\"renamed\":"));
    project
        .expect(1, &["list", "--check"])
        .says("`files`, `renamed`")
        .says("mcplock pin --prune");
    project.expect(0, &["list"]);
}

#[test]
fn a_broken_lockfile_or_config_and_nothing_at_all_are_errors() {
    let project = pinned();
    let lockfile = project.lockfile();
    project.write("mcp-lock.toml", lockfile.replacen("Does a.", "Does b.", 1));
    project
        .expect(2, &["list", "--check"])
        .says("mcp-lock.toml:");
    project.write("mcp-lock.toml", lockfile);
    project.write(".mcp.json", "{");
    project.expect(2, &["list", "--check"]).says(".mcp.json");
    Project::new()
        .expect(2, &["list", "--check"])
        .says("no server is configured or pinned here");
}
