//! What `pin` does when it is asked for a part: nothing is left unsaid, and nothing more is done.

use serde_json::json;

use crate::project::{Project, example, files_project, tool};

fn two_tools() -> [serde_json::Value; 2] {
    [
        tool("read_file", &json!({ "path": { "type": "string" } })),
        tool("list_files", &json!({ "folder": { "type": "string" } })),
    ]
}

fn launch(server: &str) -> [&str; 5] {
    [server, "--catalog", "catalog.json", "--log", "requests.log"]
}

#[test]
fn prune_drops_the_servers_that_are_named_or_all_that_no_config_names() {
    let project = files_project(&two_tools());
    let server = example("catalog_server");
    let words = launch(&server);
    project.configure(&[("one", &words), ("two", &words), ("files", &words)]);
    project.expect(0, &["pin"]);
    project.configure(&[("files", &words)]);
    project
        .expect(2, &["pin", "files", "--prune"])
        .says("`files` is configured");
    project.expect(0, &["pin", "one", "--prune"]);
    let lockfile = project.lockfile();
    assert!(!lockfile.contains("name = \"one\"") && lockfile.contains("name = \"two\""));
    project.expect(1, &["pin", "--prune", "--check"]);
    project.expect(0, &["pin", "--prune"]);
    assert!(!project.lockfile().contains("name = \"two\""));
    project.expect(0, &["verify"]);
}

#[test]
fn prune_without_any_config_drops_nothing_unless_it_is_named() {
    let project = Project::new();
    project.advertise(&two_tools());
    let server = example("catalog_server");
    for name in ["a", "b"] {
        project.expect(
            0,
            &[
                "pin",
                "--name",
                name,
                "--",
                &server,
                "--catalog",
                "catalog.json",
            ],
        );
    }
    let before = project.lockfile();
    project
        .expect(2, &["pin", "--prune"])
        .says("would drop them all");
    assert_eq!(before, project.lockfile());
    project.expect(0, &["pin", "a", "--prune"]);
    assert!(!project.lockfile().contains("name = \"a\""));
}

#[test]
fn pinning_only_servers_that_are_switched_off_is_not_a_success() {
    let project = Project::new();
    let config =
        json!({ "mcp": { "off": { "type": "local", "command": ["x"], "enabled": false } } });
    project.write("opencode.json", config.to_string());
    project.expect(2, &["pin"]).says("each one is switched off");
    assert!(!project.has("mcp-lock.toml"));
}

#[test]
fn an_item_of_another_launch_is_not_pinned_under_the_old_one() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    let server = example("catalog_server");
    project.configure(&[(
        "files",
        &[&server, "--catalog", "catalog.json", "--log", "other.log"],
    )]);
    project.advertise(&[two_tools()[0].clone(), tool("list_files", &json!({}))]);
    for more in [&["--yes"][..], &[]] {
        let mut args = vec!["pin", "files", "--item", "tool:list_files"];
        args.extend(more);
        project
            .expect(1, &args)
            .says("other.log")
            .says("accept the launch, and all that it lists");
        assert_eq!(before, project.lockfile());
    }
}

#[test]
fn a_narrowed_pin_proposes_to_accept_those_items_and_tells_what_it_left_out() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    project.advertise(&[
        tool("read_file", &json!({})),
        tool("list_files", &json!({})),
    ]);
    let refused = project.expect(1, &["pin", "files", "--item", "tool:list_files"]);
    refused.says("mcplock pin files --item tool:list_files --yes");
    assert!(
        !refused.stdout.contains("mcplock pin files --yes"),
        "{}",
        refused.stdout
    );
    project
        .expect(
            0,
            &["pin", "files", "--item", "tool:list_files", "--yes", "-v"],
        )
        .says("drift that `--item` left out: 1");
    project.expect(1, &["verify"]).says("read_file");
}

#[cfg(unix)]
#[test]
fn a_redacted_argument_of_a_server_that_no_config_names_is_told_when_pinned_and_when_verified() {
    let project = Project::new();
    project.advertise(&two_tools());
    let server = example("catalog_server");
    let script = "exec \"$$0\" --catalog catalog.json";
    let pinned = project.expect(
        0,
        &[
            "pin",
            "--name",
            "mine",
            "--",
            "sh",
            "-c",
            script,
            &server,
            "-k",
            "hunter2hunter2x",
        ],
    );
    assert!(
        pinned.stderr.contains("can't be started from the lockfile"),
        "{}",
        pinned.stderr
    );
    assert!(!project.lockfile().contains("hunter2"));
    let verified = project.expect(2, &["verify"]);
    verified
        .says("argument 5 is `<redacted>` in the lockfile")
        .says("pin it again with `--name`");
    // With the credential passed by variable, as both messages say, it works.
    let by_variable = ["sh", "-c", script, &server, "-k", "${MINE_KEY}"];
    let mut args = vec!["pin", "--name", "mine", "--yes", "--"];
    args.extend(by_variable);
    let run = |args: &[&str]| {
        let output = project
            .command(args)
            .env("MINE_KEY", "hunter2hunter2x")
            .output()
            .unwrap();
        output.status.code()
    };
    assert_eq!(run(&args), Some(0));
    assert_eq!(run(&["verify"]), Some(0));
    assert!(project.lockfile().contains("${MINE_KEY}"));
}
