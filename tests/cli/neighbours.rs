//! Tools that hosts, or people, take for others: across the servers of a project.

use serde_json::json;

use crate::project::{Project, Run, example, tool};

/// A project whose servers have these tools.
fn servers(servers: &[(&str, &[&str])]) -> Project {
    let project = Project::new();
    let server = example("catalog_server");
    let mut configured = serde_json::Map::new();
    for (at, (name, tools)) in servers.iter().enumerate() {
        let file = format!("catalog-{at}.json");
        configured.insert(
            (*name).to_owned(),
            json!({ "command": server, "args": ["--catalog", file] }),
        );
        offer(&project, at, tools);
    }
    project.write(".mcp.json", json!({ "mcpServers": configured }).to_string());
    project
}

/// Lets the server at that position have these tools.
fn offer(project: &Project, at: usize, tools: &[&str]) {
    let tools: Vec<_> = tools.iter().map(|name| tool(name, &json!({}))).collect();
    project.write(
        &format!("catalog-{at}.json"),
        json!({ "tools": tools }).to_string(),
    );
}

/// The findings as `server item rule level`.
fn found(run: &Run) -> Vec<String> {
    let report = run.json();
    let mut lines = Vec::new();
    for server in report["servers"].as_array().unwrap() {
        for finding in server["findings"].as_array().unwrap() {
            let text = |member: &str| finding[member].as_str().unwrap().to_owned();
            lines.push(format!(
                "{} {} {} {}",
                server["name"].as_str().unwrap(),
                text("item"),
                text("rule"),
                text("level")
            ));
        }
    }
    lines
}

#[test]
fn a_tool_name_that_two_servers_have_is_no_finding_and_is_told_with_v() {
    let project = servers(&[
        ("files", &["search", "read"]),
        ("mail", &["search", "read"]),
    ]);
    let run = project.expect(0, &["check", "--strict"]);
    assert!(!run.stdout.contains("search"), "{}", run.stdout);
    project.expect(0, &["pin"]);
    project.expect(0, &["verify"]);
    project
        .expect(0, &["check", "-v"])
        .says("`search` (files, mail)");
}

#[test]
fn names_that_hosts_make_one_of_are_told_by_every_command_with_both_servers() {
    let project = servers(&[("a", &["b__c", "run"]), ("a__b", &["c", "run"])]);
    let expected = ["a__b tool:c name-collision advice"];
    for args in [
        &["check", "--format", "json"][..],
        &["pin", "--format", "json"],
        &["verify", "--format", "json"],
        &["diff", "--format", "json"],
    ] {
        let run = project.expect(0, args);
        assert_eq!(found(&run), expected, "{args:?}");
        run.says("`c` of server `a__b`")
            .says("`b__c` of server `a`");
    }
    assert_eq!(project.expect(4, &["check", "--strict"]).code, 4);
    let run = project.expect(
        0,
        &[
            "diff",
            "--from",
            "mcp-lock.toml",
            "--to",
            "mcp-lock.toml",
            "--format",
            "json",
        ],
    );
    assert_eq!(found(&run), expected);
}

#[test]
fn a_server_that_is_not_asked_for_counts_as_it_is_pinned() {
    let project = servers(&[("a", &["b__c"]), ("a__b", &["d"])]);
    project.expect(0, &["pin"]);
    offer(&project, 1, &["d", "c"]);
    let run = project.expect(1, &["verify", "a__b", "--format", "json"]);
    assert!(
        found(&run).contains(&"a__b tool:c name-collision advice".to_owned()),
        "{run:?}"
    );
    // The other one is not blamed for it when it alone is judged.
    assert_eq!(
        found(&project.expect(0, &["verify", "a", "--format", "json"])),
        [""; 0]
    );
}

#[test]
fn a_server_whose_tools_are_not_known_is_said_so() {
    let project = servers(&[("a", &["b__c"]), ("a__b", &["c"])]);
    project.write("catalog-1.json", "no catalog");
    let run = project.expect(3, &["check", "--format", "json"]);
    run.says("could not be told of `a__b`");
}

#[test]
fn the_level_of_a_collision_can_be_set() {
    let project = servers(&[("a", &["b__c"]), ("a__b", &["c"])]);
    project.write(
        "mcplock.toml",
        "[[override]]\nrule = \"name-collision\"\nlevel = \"risky\"\nreason = \"our host cuts\"\n",
    );
    let run = project.expect(0, &["check", "--format", "json"]);
    assert_eq!(found(&run), ["a__b tool:c name-collision risky"]);
}

#[test]
fn a_tool_that_imitates_one_of_another_server_is_told() {
    let imitation = "\u{0440}\u{0430}\u{0443}";
    let project = servers(&[("bank", &["pay"]), ("other", &[imitation])]);
    let run = project.expect(0, &["check", "--format", "json"]);
    let lines = found(&run);
    assert!(
        lines.contains(&format!("other tool:{imitation} name-collision advice")),
        "{lines:?}"
    );
}
