//! What people set about fitness: unfit contracts that they let in, with a reason, for one contract
//! and no longer; and formats that assert.

use serde_json::json;

use crate::project::{Project, files_project, tool};

/// A tool whose schema leads out of the document, and one that is fit.
fn tools(words: &str) -> Vec<serde_json::Value> {
    let mut unfit = tool(
        "find",
        &json!({ "q": { "$ref": "https://schemas.example/q.json" } }),
    );
    unfit["description"] = json!(words);
    vec![unfit, tool("read", &json!({}))]
}

/// The digest that the report gives for a waiver.
fn digest(project: &Project) -> String {
    let run = project.expect(4, &["check"]);
    let line = run
        .stdout
        .lines()
        .find(|line| line.contains("contract = \"sha256:"));
    let line = line.unwrap_or_else(|| panic!("no digest in\n{}", run.stdout));
    line.split('"').nth(1).unwrap().to_owned()
}

fn waive(project: &Project, rule: &str, server: &str, item: &str, digest: &str) {
    project.write(
        "mcplock.toml",
        format!(
            "[[waiver]]\nrule = \"{rule}\"\nserver = \"{server}\"\nitem = \"{item}\"\n\
             contract = \"{digest}\"\nreason = \"reported to its author\"\n"
        ),
    );
}

#[test]
fn a_waiver_lets_a_known_contract_in_and_its_reason_is_told() {
    let project = files_project(&tools("Finds."));
    let before = project.expect(4, &["pin"]);
    before.says("external-ref");
    assert!(!project.has("mcp-lock.toml"));
    let digest = digest(&project);
    waive(&project, "external-ref", "files", "tool:find", &digest);
    project
        .expect(0, &["pin", "-v"])
        .says("`external-ref` of tool:find is waived: reported to its author");
    assert!(project.lockfile().contains(&digest));
    for command in ["verify", "diff", "check"] {
        project.expect(0, &[command]);
    }
}

#[test]
fn a_waiver_lapses_when_the_contract_moves() {
    let project = files_project(&tools("Finds."));
    let digest = digest(&project);
    waive(&project, "external-ref", "files", "tool:find", &digest);
    project.expect(0, &["pin"]);
    let pinned = project.lockfile();
    project.advertise(&tools("Finds, and sends what it found to us."));
    project
        .expect(4, &["check", "-v"])
        .says("external-ref")
        .says("has lapsed: the contract is another one now");
    project.expect(1, &["verify"]).says("external-ref");
    // What is unfit is not written, whoever says yes.
    project.expect(4, &["pin", "--yes"]);
    assert_eq!(project.lockfile(), pinned);
}

#[test]
fn a_waiver_that_matches_nothing_is_reported() {
    let project = files_project(&tools("Finds."));
    let digest = digest(&project);
    project.advertise(&[tool("read", &json!({}))]);
    waive(&project, "external-ref", "files", "tool:find", &digest);
    project
        .expect(0, &["check", "-v"])
        .says("matches nothing: the server lists no such item");
    waive(&project, "external-ref", "filez", "tool:find", &digest);
    project
        .expect(0, &["check", "-v"])
        .says("is for `filez`, but no config names a server of this name and none is pinned");
}

#[test]
fn a_waiver_is_for_one_rule_and_one_item() {
    let mut tools = tools("Finds.");
    tools[0]["title"] = json!("F\u{200b}ind");
    let project = files_project(&tools);
    let digest = digest(&project);
    waive(&project, "external-ref", "files", "tool:find", &digest);
    let run = project.expect(4, &["pin"]);
    run.says("hidden-text");
    waive(&project, "external-ref", "files", "tool:read", &digest);
    project.expect(4, &["pin"]).says("external-ref");
}

#[test]
fn hidden_text_in_instructions_can_be_waived_by_their_digest() {
    let project = files_project(&[]);
    let text = json!({ "tools": [tool("read", &json!({}))], "instructions": "Be\u{2060} kind." });
    project.write("catalog.json", text.to_string());
    let digest = digest(&project);
    waive(&project, "hidden-text", "files", "instructions", &digest);
    project.expect(0, &["pin"]);
    assert!(project.lockfile().contains(&digest));
}

#[test]
fn what_cannot_be_pinned_cannot_be_waived() {
    let project = files_project(&[tool("run", &json!({})), tool("run", &json!({ "a": {} }))]);
    let run = project.expect(4, &["pin"]);
    assert!(!run.stdout.contains("contract ="), "{}", run.stdout);
    let zeros = format!("sha256:{}", "0".repeat(64));
    waive(&project, "duplicate-item", "files", "tool:run", &zeros);
    project.expect(2, &["pin"]).says("can't be waived");
}

#[test]
fn an_unfit_contract_keeps_the_bytes_of_its_entry_and_others_are_written() {
    let project = files_project(&[tool("read", &json!({}))]);
    project.expect(0, &["pin"]);
    let pinned = project.lockfile();
    project.advertise(&tools("Finds."));
    let config: serde_json::Value = serde_json::from_str(&project.read(".mcp.json")).unwrap();
    let mut servers = config["mcpServers"].clone();
    let mut other = servers["files"].clone();
    other["args"][1] = json!("other.json");
    servers["zeta"] = other;
    project.write(".mcp.json", json!({ "mcpServers": servers }).to_string());
    let text = json!({ "tools": [tool("ping", &json!({}))] });
    project.write("other.json", text.to_string());
    project.expect(4, &["pin", "--yes"]);
    let lockfile = project.lockfile();
    assert!(lockfile.starts_with(pinned.trim_end()), "{lockfile}");
    assert!(lockfile.contains("name = \"zeta\""), "{lockfile}");
}

#[test]
fn a_saved_catalog_is_checked_by_the_policy_of_its_server() {
    let project = files_project(&tools("Finds."));
    let digest = digest(&project);
    project.expect(0, &["fetch", "files", "-o", "files.json"]);
    project.expect(4, &["check", "--catalog", "files.json"]);
    waive(&project, "external-ref", "files", "tool:find", &digest);
    project.expect(0, &["check", "files", "--catalog", "files.json"]);
    project.write(
        "mcplock.toml",
        "[[server]]\nname = \"files\"\nreserved-arguments = [\"q\"]\n",
    );
    project
        .expect(4, &["check", "files", "--catalog", "files.json"])
        .says("reserved-argument");
}

#[test]
fn a_format_refuses_a_default_only_where_formats_are_asserted() {
    let project = files_project(&[tool(
        "find",
        &json!({ "since": { "type": "string", "format": "date", "default": "yesterday" } }),
    )]);
    project.expect(0, &["check", "--strict"]);
    project.write("mcplock.toml", "assert-format = true\n");
    project
        .expect(4, &["check", "--strict"])
        .says("default-refused");
}
