//! Profiles of one server: each has an address that every command takes and every report gives.

use std::fmt::Write as _;

use serde_json::json;

use crate::project::{Project, example, tool};

/// A server with two profiles and one that has none, whose name begins in the same way.
fn project() -> Project {
    let project = Project::new();
    let server = example("catalog_server");
    let mut policy = String::new();
    for (name, profile, file) in [
        ("files", Some("dev"), "dev.json"),
        ("files", Some("ci"), "ci.json"),
        ("files2", None, "other.json"),
    ] {
        let profile = profile.map_or_else(String::new, |p| format!("profile = \"{p}\"\n"));
        let _ = writeln!(
            policy,
            "[[server]]\nname = \"{name}\"\n{profile}command = [\"{server}\", \"--catalog\", \"{file}\"]"
        );
        advertise(&project, file, "old");
    }
    project.write("mcplock.toml", policy);
    project
}

fn advertise(project: &Project, file: &str, argument: &str) {
    let tools = [tool("read", &json!({ argument: { "type": "string" } }))];
    project.write(file, json!({ "tools": tools }).to_string());
}

#[test]
fn each_profile_is_pinned_judged_and_named_by_its_address() {
    let project = project();
    project.expect(0, &["pin", "files@ci"]);
    let lockfile = project.lockfile();
    assert!(lockfile.contains("profile = \"ci\"") && !lockfile.contains("profile = \"dev\""));
    project.expect(0, &["pin"]);
    project.expect(0, &["verify"]);

    advertise(&project, "ci.json", "new");
    project.expect(0, &["verify", "files@dev"]).says("1 server");
    project.expect(0, &["verify", "files2"]).says("1 server");
    let drifted = project.expect(1, &["verify", "files"]);
    drifted
        .says("server `files@ci`")
        .says("2 servers")
        .says("mcplock pin files@ci --yes");
    project.expect(1, &["diff", "files@ci"]).says("files@ci");
    project.expect(0, &["check", "files@ci"]).says("1 server");
    project.expect(0, &["fetch", "files@ci"]);
    project.expect(1, &["pin", "files@ci", "--check"]);
    let before = project.lockfile();
    // The command that the report proposes.
    project.expect(0, &["pin", "files@ci", "--yes"]);
    assert_ne!(before, project.lockfile());
    project.expect(0, &["verify"]);
}

#[test]
fn reports_tell_the_profiles_apart_in_every_format() {
    let project = project();
    project.expect(0, &["pin"]);
    for file in ["dev.json", "ci.json"] {
        advertise(&project, file, "new");
    }
    for format in ["human", "markdown", "github", "gitlab", "junit", "sarif"] {
        let run = project.expect(1, &["verify", "--format", format]);
        for address in ["files@ci", "files@dev"] {
            // Markdown would make a mention of it.
            let written = match format {
                "markdown" => address.replace('@', "&#64;"),
                _ => address.to_owned(),
            };
            run.says(&written);
        }
    }
    let report = project.expect(1, &["verify", "--format", "json"]).json();
    let mut prints = Vec::new();
    for (at, profile) in [(0, json!("ci")), (1, json!("dev")), (2, json!(null))] {
        assert_eq!(report["servers"][at]["profile"], profile);
        prints.extend(report["servers"][at]["findings"][0]["fingerprint"].as_str());
    }
    prints.dedup();
    assert_eq!(
        prints.len(),
        2,
        "the same finding of two profiles is two findings"
    );
    let listed = project.expect(0, &["list"]);
    listed
        .says("files@ci: pinned")
        .says("files@dev: pinned")
        .says("files2: pinned");
    let listed = project.expect(0, &["list", "--format", "json"]).json();
    assert_eq!(listed["servers"][0]["profile"], "ci");
}

#[test]
fn a_wrong_address_is_told_with_the_one_that_was_meant() {
    let project = project();
    project.expect(0, &["pin"]);
    project
        .expect(2, &["verify", "files@dve"])
        .says("did you mean `files@dev`?");
    // No server of that name goes without a profile.
    project.expect(2, &["verify", "files@"]);
    project.expect(0, &["verify", "files2@"]);
    project
        .expect(2, &["fetch", "files"])
        .says("name one of files@ci, files@dev");
}

#[test]
fn an_address_that_two_servers_have_is_refused() {
    let project = project();
    let server = example("catalog_server");
    project.configure(&[("files@ci", &[&server, "--catalog", "other.json"])]);
    project.expect(0, &["pin"]);
    project
        .expect(2, &["verify", "files@ci"])
        .says("the profile `ci` of `files`")
        .says("the server `files@ci`");
    project.expect(0, &["verify", "files@dev"]);
    project.expect(0, &["verify"]).says("4 servers");
}

#[test]
fn an_error_of_one_profile_is_told_with_its_address_and_stops_no_other() {
    let project = project();
    let policy = project
        .read("mcplock.toml")
        .replace("\"ci.json\"", "\"${NOT_SET_ANYWHERE}\"");
    project.write("mcplock.toml", policy);
    let run = project.expect(2, &["pin"]);
    run.says("files@ci").says("NOT_SET_ANYWHERE");
    let report = project.expect(2, &["pin", "--format", "json"]).json();
    assert_eq!(report["servers"][0]["name"], "files");
    assert_eq!(report["servers"][0]["profile"], "ci");
    assert!(project.lockfile().contains("profile = \"dev\""));
    project.expect(0, &["verify", "files@dev"]);
}

#[test]
fn the_command_line_gives_a_server_a_profile() {
    let project = Project::new();
    let server = example("catalog_server");
    for (profile, file) in [("a", "a.json"), ("b", "b.json")] {
        advertise(&project, file, profile);
        let args = [
            "pin",
            "--name",
            "n",
            "--profile",
            profile,
            "--",
            &server,
            "--catalog",
            file,
        ];
        project.expect(0, &args);
    }
    advertise(&project, "b.json", "c");
    project.expect(0, &["verify", "n@a"]);
    project.expect(1, &["verify", "n@b"]);
    project
        .expect(2, &["pin", "--name", "n", "--profile", "", "--", &server])
        .says("profile");
}

#[test]
fn an_override_is_for_one_profile_or_for_all_of_them() {
    let project = project();
    project.expect(0, &["pin"]);
    for file in ["dev.json", "ci.json"] {
        let tools = json!({ "tools": [{ "name": "read", "description": "Other words.",
            "inputSchema": { "type": "object", "properties": { "old": { "type": "string" } } } }] });
        project.write(file, tools.to_string());
    }
    let policy = project.read("mcplock.toml");
    let with = |server: &str| {
        format!(
            "{policy}[[override]]\nrule = \"words-changed\"\nlevel = \"equivalent\"\nserver = \"{server}\"\nreason = \"a test\"\n"
        )
    };
    project.expect(1, &["verify", "files"]);
    project.write("mcplock.toml", with("files"));
    project.expect(0, &["verify", "files"]);
    project.write("mcplock.toml", with("files@ci"));
    project.expect(0, &["verify", "files@ci"]);
    project.expect(1, &["verify", "files@dev"]);
}

#[test]
fn a_policy_entry_for_a_server_that_nothing_names_is_told_with_the_name_that_was_meant() {
    let project = project();
    project.expect(0, &["pin"]);
    let policy = project.read("mcplock.toml");
    for (entry, what) in [
        (
            "[[override]]\nrule = \"words-changed\"\nlevel = \"equivalent\"\nserver = \"fiels@ci\"\nreason = \"r\"\n",
            "`[[override]]`",
        ),
        (
            "[[waiver]]\nrule = \"not-well-formed\"\nserver = \"fiels@ci\"\nitem = \"tool:x\"\ncontract = \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\nreason = \"r\"\n",
            "`[[waiver]]`",
        ),
        (
            "[[server]]\nname = \"fiels\"\nprofile = \"ci\"\nresources = \"ignore\"\n",
            "`[[server]]`",
        ),
    ] {
        project.write("mcplock.toml", format!("{policy}{entry}"));
        let run = project.expect(0, &["verify"]);
        assert!(run.stderr.contains(what), "{}", run.stderr);
        run.says("did you mean `files@ci`?");
    }
    project.write("mcplock.toml", policy);
    let run = project.expect(0, &["verify"]);
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}
