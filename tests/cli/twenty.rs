//! Twenty real servers, processes and remote ones, judged in one run.

use serde_json::{Value, json};

use crate::project::Project;
use crate::real::{Installed, Started, TWENTY};

#[test]
fn twenty_servers_are_judged_together_and_the_one_that_changed_alone_is_told() {
    let Some(installed) = Installed::with(&TWENTY) else {
        return;
    };
    let project = Project::new();
    let link = project.path("files");
    let install = |version: &str| {
        let root = std::env::var_os("MCPLOCK_REAL_SERVERS").unwrap();
        let folder = std::path::absolute(root).unwrap().join(version);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(folder, &link).unwrap();
    };
    install("filesystem-new");
    let peers = installed.twenty("files");
    assert_eq!(peers.len(), 20);
    let started: Vec<Started> = peers.iter().map(|peer| peer.start(None)).collect();
    assert_eq!(started.iter().filter(|s| s.listens.is_some()).count(), 6);
    let servers: serde_json::Map<String, Value> = peers
        .iter()
        .zip(&started)
        .map(|(peer, started)| (peer.name.clone(), started.entry.clone()))
        .collect();
    project.write(".mcp.json", json!({ "mcpServers": servers }).to_string());

    project.expect(0, &["pin"]);
    let pinned = project.lockfile();
    let verified = project.expect(0, &["verify", "--format", "json"]).json();
    let judged = verified["servers"].as_array().unwrap();
    let names: Vec<&str> = judged.iter().map(|s| s["name"].as_str().unwrap()).collect();
    let mut sorted: Vec<&str> = peers.iter().map(|peer| peer.name.as_str()).collect();
    sorted.sort_unstable();
    assert_eq!(names, sorted, "in a stable order");
    for server in judged {
        assert_eq!(server["outcome"], "judged", "{server:#}");
        assert!(server["items"].as_u64().unwrap() > 0, "{server:#}");
    }

    install("filesystem-old");
    let run = project.expect(1, &["verify", "--report", "json=report.json"]);
    let drifted: Value = serde_json::from_str(&project.read("report.json")).unwrap();
    let told: Vec<&str> = drifted["servers"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|server| server["findings"] != findings(&verified, &server["name"]))
        .map(|server| server["name"].as_str().unwrap())
        .collect();
    assert_eq!(told, ["files"]);
    run.says("server `files`").says("compared 20 servers");
    assert_eq!(run.stdout.matches("server `").count(), 1, "{}", run.stdout);
    assert_eq!(project.lockfile(), pinned);
}

/// The findings of one server in a report.
fn findings(report: &Value, name: &Value) -> Value {
    let servers = report["servers"].as_array().unwrap();
    let server = servers.iter().find(|server| server["name"] == *name);
    server.unwrap()["findings"].clone()
}
