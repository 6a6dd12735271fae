//! `pin` and `verify` as their users see them: what is written, what is said, what is returned.

use crate::project::{Project, example, files_project, tool};
use serde_json::json;

fn two_tools() -> [serde_json::Value; 2] {
    [
        tool(
            "read_file",
            &json!({ "path": { "type": "string" }, "limit": { "type": "integer" } }),
        ),
        tool("list_files", &json!({ "folder": { "type": "string" } })),
    ]
}

#[test]
fn a_pinned_server_verifies_clean_in_one_line_that_says_how_much_was_compared() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]).says("files");
    let clean = project.expect(0, &["verify"]);
    assert_eq!(clean.stdout.lines().count(), 1, "{}", clean.stdout);
    clean.says("1 server").says("2 items");
}

#[test]
fn pinning_twice_gives_the_same_bytes_and_does_not_write_again() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    let written = std::fs::metadata(project.path("mcp-lock.toml"))
        .unwrap()
        .modified()
        .unwrap();
    project.expect(0, &["pin"]);
    project.expect(0, &["pin", "--yes"]);
    assert_eq!(before, project.lockfile());
    let again = std::fs::metadata(project.path("mcp-lock.toml"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(written, again);
}

#[test]
fn a_removed_argument_fails_and_the_report_says_that_old_calls_are_silently_ignored() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    let mut tools = two_tools();
    tools[0] = tool(
        "read_file",
        &json!({ "file": { "type": "string" }, "limit": { "type": "integer" } }),
    );
    project.advertise(&tools);
    let run = project.expect(1, &["verify"]);
    run.says("breaking")
        .says("path")
        .says("ignored")
        .says("read_file");
    assert_eq!(before, project.lockfile(), "verify never writes");
}

#[test]
fn changed_words_fail_by_default_and_show_old_and_new() {
    let project = files_project(&[tool(
        "search",
        &json!({ "limit": { "type": "integer", "description": "Maximum number of results" } }),
    )]);
    project.expect(0, &["pin"]);
    project.advertise(&[tool(
        "search",
        &json!({ "limit": { "type": "integer", "description": "Page index of results" } }),
    )]);
    let run = project.expect(1, &["verify"]);
    run.says("risky")
        .says("limit")
        .says("Maximum number")
        .says("Page index");
    project.expect(1, &["verify", "--fail-on", "risky"]);
    project.expect(0, &["verify", "--fail-on", "breaking"]);
    project.expect(0, &["verify", "--fail-on", "never"]);
}

#[test]
fn an_item_that_is_new_or_gone_fails_under_every_threshold_but_never() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let [read, list] = two_tools();
    for tools in [
        vec![read.clone()],
        vec![read, list, tool("extra", &json!({}))],
        vec![],
    ] {
        project.advertise(&tools);
        for threshold in ["breaking", "risky", "compatible"] {
            project.expect(1, &["verify", "--fail-on", threshold]);
        }
        project.expect(0, &["verify", "--fail-on", "never"]);
    }
}

#[test]
fn a_server_that_is_not_pinned_fails_under_every_threshold_but_never() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let server = example("catalog_server");
    project.configure(&[
        (
            "files",
            &[
                &server,
                "--catalog",
                "catalog.json",
                "--log",
                "requests.log",
            ],
        ),
        ("other", &[&server, "--catalog", "catalog.json"]),
    ]);
    project
        .expect(1, &["verify"])
        .says("other")
        .says("not pinned");
    project.expect(1, &["verify", "--fail-on", "breaking"]);
    project.expect(0, &["verify", "--fail-on", "never"]);
}

#[test]
fn a_change_of_a_pinned_entry_is_shown_and_needs_a_yes() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    let mut tools = two_tools().to_vec();
    tools.push(tool("extra", &json!({})));
    project.advertise(&tools);
    project.expect(1, &["pin"]).says("extra").says("--yes");
    assert_eq!(before, project.lockfile());
    project.expect(0, &["pin", "--yes"]);
    assert!(project.lockfile().contains("\"extra\""));
    project.expect(0, &["verify"]);
}

#[test]
fn pin_of_one_item_leaves_the_others_byte_for_byte() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    project.advertise(&[
        tool("read_file", &json!({ "path": { "type": "string" } })),
        tool("list_files", &json!({})),
    ]);
    project.expect(0, &["pin", "files", "--item", "tool:list_files", "--yes"]);
    let after = project.lockfile();
    let part = |text: &str, name: &str| {
        let from = text.find(&format!("name = \"{name}\"")).unwrap();
        let rest = &text[from..];
        rest[..rest.find("[[server.").unwrap_or(rest.len())].to_owned()
    };
    assert_eq!(part(&before, "read_file"), part(&after, "read_file"));
    assert_ne!(part(&before, "list_files"), part(&after, "list_files"));
    project
        .expect(2, &["pin", "files", "--item", "tool:nothing", "--yes"])
        .says("nothing");
    project
        .expect(2, &["pin", "files", "--item", "gadget:x"])
        .says("gadget");
}

#[test]
fn pin_check_writes_nothing_and_returns_one_when_it_would() {
    let project = files_project(&two_tools());
    project.expect(1, &["pin", "--check"]);
    assert!(!project.has("mcp-lock.toml"));
    project.expect(0, &["pin"]);
    project.expect(0, &["pin", "--check"]);
    project.advertise(&two_tools()[..1]);
    let before = project.lockfile();
    project.expect(1, &["pin", "--check"]);
    assert_eq!(before, project.lockfile());
}

#[test]
fn pin_of_one_server_neither_starts_nor_touches_another() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let server = example("catalog_server");
    project.configure(&[
        ("alpha", &[&server, "--catalog", "catalog.json"]),
        ("files", &["no-such-program-anywhere"]),
    ]);
    let before = project.lockfile();
    project.expect(0, &["pin", "alpha"]);
    assert!(
        project
            .lockfile()
            .contains(before.split_once("[[server]]").unwrap().1)
    );
    let unknown = project.expect(2, &["pin", "alpah"]);
    unknown.says("alpah").says("alpha");
}

#[test]
fn a_server_that_fails_keeps_its_bytes_while_the_others_are_written() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let server = example("catalog_server");
    project.configure(&[
        ("files", &["no-such-program-anywhere"]),
        ("other", &[&server, "--catalog", "catalog.json"]),
    ]);
    let before = project.lockfile();
    let run = project.expect(3, &["pin", "--yes"]);
    run.says("files").says("no-such-program-anywhere");
    let after = project.lockfile();
    assert!(after.contains(before.split_once("[[server]]").unwrap().1));
    assert!(after.contains("\"other\""));
}

#[test]
fn a_stale_entry_is_reported_by_verify_and_dropped_only_on_request() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let server = example("catalog_server");
    project.configure(&[("other", &[&server, "--catalog", "catalog.json"])]);
    project.expect(0, &["pin", "other"]);
    project.expect(1, &["verify"]).says("files").says("--prune");
    project.expect(0, &["pin"]);
    assert!(project.lockfile().contains("\"files\""));
    project.expect(0, &["pin", "--prune"]);
    assert!(!project.lockfile().contains("\"files\""));
    project.expect(0, &["verify"]);
}

#[test]
fn verify_never_passes_without_a_comparison() {
    let empty = Project::new();
    empty
        .expect(2, &["verify"])
        .says("mcp-lock.toml")
        .says("mcplock pin");
    empty.expect(2, &["pin"]);
    assert!(!empty.has("mcp-lock.toml"));

    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    project.configure(&[]);
    assert_ne!(project.run(&["verify"]).code, 0);
    project.expect(2, &["verify", "nobody"]);
}

#[test]
fn a_broken_lockfile_is_an_error_of_its_own_and_never_replaced_in_silence() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let good = project.lockfile();
    let newer = good.replace("version = 1", "version = 99");
    let twisted = good.replacen("Does read_file", "Does reed_file", 1);
    let conflict = good.replacen("[[server]]", "<<<<<<< ours\n[[server]]", 1);
    for bad in ["", &good[..good.len() / 2], &newer, &twisted, &conflict] {
        project.write("mcp-lock.toml", bad);
        for command in [&["verify"][..], &["diff"], &["pin"], &["pin", "--yes"]] {
            let run = project.expect(2, command);
            run.says("mcp-lock.toml");
            assert_eq!(project.lockfile(), bad, "{command:?}");
        }
    }
}

#[test]
fn a_lockfile_with_crlf_or_a_byte_order_mark_is_the_same_lockfile() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let good = project.lockfile();
    for text in [good.replace('\n', "\r\n"), format!("\u{feff}{good}")] {
        project.write("mcp-lock.toml", &text);
        project.expect(0, &["verify"]);
        project.expect(0, &["pin"]);
        assert_eq!(
            project.lockfile(),
            text,
            "an unchanged lockfile is not rewritten"
        );
    }
}

#[test]
fn an_unfit_contract_stops_pin_and_is_reported_by_verify() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    let mut tools = two_tools();
    tools[1]["inputSchema"]["properties"]["folder"] =
        json!({ "$ref": "https://example.test/x.json" });
    project.advertise(&tools);
    project
        .expect(4, &["pin", "--yes"])
        .says("external-ref")
        .says("list_files");
    assert_eq!(before, project.lockfile());
    // Drift wins over unfit in the code; both are named.
    project.expect(1, &["verify"]).says("external-ref");
    project.expect(4, &["verify", "--fail-on", "never"]);
}

#[test]
fn a_changed_launch_is_drift_and_is_not_started() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let server = example("catalog_server");
    project.configure(&[(
        "files",
        &[&server, "--catalog", "catalog.json", "--log", "other.log"],
    )]);
    let run = project.expect(1, &["verify"]);
    run.says("launch")
        .says("other.log")
        .says("--allow-launch-change");
    assert!(!project.has("other.log"), "the server was started");
    project
        .expect(1, &["verify", "--allow-launch-change"])
        .says("launch");
    assert!(project.has("other.log"));
    project.expect(0, &["pin", "--yes"]);
    project.expect(0, &["verify"]);
}

#[test]
fn an_unset_variable_stops_that_server_only_and_is_named() {
    let project = files_project(&two_tools());
    let server = example("catalog_server");
    project.write(
        ".mcp.json",
        json!({ "mcpServers": {
            "missing": { "command": server, "args": ["--catalog", "catalog.json"],
                         "env": { "KEY": "${DEMO_NOT_SET}" } },
            "ok": { "command": server, "args": ["--catalog", "${DEMO_CATALOG:-catalog.json}"],
                    "env": { "API_TOKEN": "${DEMO_TOKEN}" } },
        } })
        .to_string(),
    );
    let run = |token: &str| {
        let args = ["pin", "--yes"];
        crate::project::Run::of(
            project
                .command(&args)
                .env("DEMO_TOKEN", token)
                .output()
                .unwrap(),
            &args,
        )
    };
    let first = run("a${HOME}b-secret-value");
    assert_eq!(first.code, 2, "{first:?}");
    first.says("DEMO_NOT_SET").says("missing");
    let lockfile = project.lockfile();
    assert!(lockfile.contains("\"ok\"") && !lockfile.contains("\"missing\""));
    assert!(
        !lockfile.contains("secret-value") && lockfile.contains("${DEMO_CATALOG:-catalog.json}")
    );
    run("quite-another-token");
    assert_eq!(
        lockfile,
        project.lockfile(),
        "the value of a variable moved the lockfile"
    );
}

#[test]
fn only_the_implementation_moving_is_no_drift_and_writes_nothing() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    let mut catalog: serde_json::Value =
        serde_json::from_str(&project.read("catalog.json")).unwrap();
    catalog["serverInfo"] = json!({ "name": "catalog", "version": "99.0.0" });
    project.write("catalog.json", catalog.to_string());
    project.expect(0, &["verify"]);
    project.expect(0, &["pin", "--yes"]);
    assert_eq!(before, project.lockfile());
}

#[test]
fn an_equivalent_change_passes_is_told_with_v_and_leaves_the_entry_as_it_is() {
    let mut tools = two_tools();
    tools[0]["inputSchema"]["required"] = json!(["path", "limit"]);
    let project = files_project(&tools);
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    tools[0]["inputSchema"]["required"] = json!(["limit", "path"]);
    project.advertise(&tools);
    project.expect(0, &["verify"]);
    project.expect(0, &["verify", "-v"]).says("equivalent");
    project.expect(0, &["pin", "--yes"]);
    assert_eq!(before, project.lockfile());
}

#[test]
fn no_command_ever_calls_a_tool() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    project.expect(0, &["verify"]);
    project.expect(0, &["diff"]);
    project.expect(0, &["check"]);
    project.expect(0, &["fetch", "files", "-o", "saved.json"]);
    project.advertise(&two_tools()[..1]);
    project.expect(1, &["verify"]);
    project.expect(0, &["pin", "--yes"]);
    let log = project.read("requests.log");
    assert!(
        log.contains("tools/list") && log.contains("initialize"),
        "{log}"
    );
    assert!(!log.contains("tools/call"), "{log}");
}

#[test]
fn a_saved_catalog_is_judged_offline_as_the_live_one_would_be() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    project.expect(0, &["fetch", "files", "-o", "saved.json"]);
    let requests = project.read("requests.log");
    project
        .expect(0, &["verify", "files", "--catalog", "saved.json"])
        .says("2 items");
    project.write("empty.json", r#"{"tools": []}"#);
    project.expect(1, &["verify", "files", "--catalog", "empty.json"]);
    project.write("prompts.json", r#"{"prompts": []}"#);
    let run = project.run(&["verify", "files", "--catalog", "prompts.json"]);
    assert_ne!(run.code, 0, "nothing pinned was compared: {run:?}");
    project.write("cut.json", r#"{"tools": [{"name": "#);
    project
        .expect(2, &["verify", "files", "--catalog", "cut.json"])
        .says("cut.json");
    assert_eq!(
        requests,
        project.read("requests.log"),
        "a server was started"
    );
}

#[test]
fn diff_compares_two_saved_catalogs_and_two_lockfiles_without_any_server() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    project.expect(0, &["fetch", "files", "-o", "old.json"]);
    std::fs::copy(project.path("mcp-lock.toml"), project.path("old-lock.toml")).unwrap();
    let mut tools = two_tools();
    tools[0]["inputSchema"]["required"] = json!(["path"]);
    project.advertise(&tools);
    project.expect(0, &["fetch", "files", "-o", "new.json"]);
    project.expect(0, &["pin", "--yes"]);
    let requests = project.read("requests.log");
    for (from, to) in [("old.json", "new.json"), ("old-lock.toml", "mcp-lock.toml")] {
        project
            .expect(1, &["diff", "--from", from, "--to", to])
            .says("breaking")
            .says("path");
        project.expect(0, &["diff", "--from", from, "--to", from]);
    }
    assert_eq!(
        requests,
        project.read("requests.log"),
        "a server was started"
    );
}

#[test]
fn a_server_from_the_command_line_is_pinned_and_later_verified_from_its_pinned_launch() {
    let project = Project::new();
    project.advertise(&two_tools());
    let server = example("catalog_server");
    project.expect(
        0,
        &[
            "pin",
            "--name",
            "mine",
            "--",
            &server,
            "--catalog",
            "catalog.json",
        ],
    );
    project.expect(0, &["verify"]).says("1 server");
    project.advertise(&two_tools()[..1]);
    project.expect(1, &["verify", "mine"]);
}

#[test]
fn json_goes_to_standard_output_and_further_reports_to_files_in_the_same_run() {
    let project = files_project(&two_tools());
    project.expect(0, &["pin"]);
    project.advertise(&two_tools()[..1]);
    let run = project.expect(
        1,
        &["verify", "--format", "json", "--report", "human=out.txt"],
    );
    let report = run.json();
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["exit"]["code"], 1);
    assert!(project.read("out.txt").contains("list_files"));
    project
        .expect(2, &["verify", "--format", "jsom"])
        .says("jsom")
        .says("json");
    let missing = project.expect(
        2,
        &["verify", "--format", "json", "--lockfile", "none.toml"],
    );
    assert_eq!(
        missing.json()["exit"]["code"],
        2,
        "errors come in the same envelope"
    );
}

#[cfg(unix)]
#[test]
fn a_literal_credential_is_redacted_with_a_warning_and_verifies_all_the_same() {
    let project = Project::new();
    project.advertise(&two_tools());
    let server = example("catalog_server");
    let start = "exec \"$0\" --catalog catalog.json";
    project.configure(&[(
        "files",
        &["sh", "-c", start, &server, "--token", "hunter2hunter2x"],
    )]);
    let pinned = project.expect(0, &["pin"]);
    assert!(
        pinned.stderr.contains("warning") && pinned.stderr.contains("<redacted>"),
        "{pinned:?}"
    );
    assert!(!project.lockfile().contains("hunter2"));
    project.expect(0, &["verify"]);
    project.configure(&[(
        "files",
        &["sh", "-c", start, &server, "--token", "another-token-9"],
    )]);
    project.expect(0, &["verify"]);
}

#[test]
fn a_secret_in_the_version_of_a_server_is_masked_and_one_in_its_words_stops_the_pin() {
    let project = files_project(&two_tools());
    let server = example("catalog_server");
    let config = |args: &[&str]| {
        json!({ "mcpServers": { "files": {
            "command": server,
            "args": args,
            "env": { "API_TOKEN": "${DEMO_TOKEN}" },
        } } })
        .to_string()
    };
    let secret = "s3cr3t-value-of-demo";
    let pin = || {
        let args = ["pin", "--yes"];
        let output = project
            .command(&args)
            .env("DEMO_TOKEN", secret)
            .output()
            .unwrap();
        crate::project::Run::of(output, &args)
    };
    project.write(
        ".mcp.json",
        config(&["--catalog", "catalog.json", "--version", "1 ${DEMO_TOKEN}"]),
    );
    let run = pin();
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        !project.lockfile().contains(secret),
        "{}",
        project.lockfile()
    );
    project.write(
        ".mcp.json",
        config(&[
            "--catalog",
            "catalog.json",
            "--instructions",
            "key ${DEMO_TOKEN}",
        ]),
    );
    let run = pin();
    assert_eq!(run.code, 4, "{run:?}");
    run.says("secret-echo");
    assert!(
        !run.stdout.contains(secret) && !run.stderr.contains(secret),
        "{run:?}"
    );
}

#[test]
fn a_policy_can_not_make_an_unfit_contract_pass() {
    let mut tools = two_tools();
    tools[1]["inputSchema"]["properties"]["folder"] =
        json!({ "$ref": "https://example.test/x.json" });
    let project = files_project(&tools);
    let policy = |text: &str| project.write("mcplock.toml", text);
    policy("[[override]]\nrule = \"external-ref\"\nlevel = \"equivalent\"\nreason = \"x\"\n");
    project
        .expect(2, &["pin"])
        .says("mcplock.toml")
        .says("waiver");
    policy("[[override]]\nrule = \"external-reff\"\nlevel = \"risky\"\nreason = \"x\"\n");
    project.expect(2, &["check"]).says("external-reff");
    let zeros = "0".repeat(64);
    for (rule, code) in [
        ("duplicate-key", 2),
        ("secret-echo", 2),
        ("external-ref", 4),
    ] {
        policy(&format!(
            "[[waiver]]\nrule = \"{rule}\"\nserver = \"files\"\nitem = \"tool:list_files\"\n\
             contract = \"sha256:{zeros}\"\nreason = \"x\"\n"
        ));
        project.expect(code, &["pin"]);
    }
    assert!(!project.has("mcp-lock.toml"));
}
