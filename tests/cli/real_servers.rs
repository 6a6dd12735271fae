//! Servers as they are published: pinned, verified, and drifted by another version.
//!
//! `MCPLOCK_REAL_SERVERS` names the folder that `.ci/install-real-servers` filled. Without it, or
//! where a server is missing, the test says loudly what it left out.

use std::path::{Path, PathBuf};

use crate::project::Project;

/// A package, how its installed versions are started, and what it lists.
struct Server {
    name: &'static str,
    /// Program and arguments below the folder of one version; `{}` is that folder.
    launch: &'static [&'static str],
    /// Items that its newest version lists, at least.
    items: usize,
}

const SERVERS: [Server; 6] = [
    Server {
        name: "everything",
        launch: &[
            "node",
            "{}/node_modules/@modelcontextprotocol/server-everything/dist/index.js",
        ],
        items: 20,
    },
    Server {
        name: "filesystem",
        launch: &[
            "node",
            "{}/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
            ".",
        ],
        items: 10,
    },
    Server {
        name: "memory",
        launch: &[
            "node",
            "{}/node_modules/@modelcontextprotocol/server-memory/dist/index.js",
        ],
        items: 9,
    },
    Server {
        name: "playwright",
        launch: &["node", "{}/node_modules/@playwright/mcp/cli.js"],
        items: 20,
    },
    Server {
        name: "time",
        launch: &["{}/venv/bin/mcp-server-time", "--local-timezone", "UTC"],
        items: 2,
    },
    Server {
        name: "git",
        launch: &["{}/venv/bin/mcp-server-git"],
        items: 12,
    },
];

/// The folder of one version of a server; none, after saying so, where it is not installed.
fn installed(server: &Server, version: &str) -> Option<PathBuf> {
    let label = format!("{}-{version}", server.name);
    let Some(root) = std::env::var_os("MCPLOCK_REAL_SERVERS") else {
        eprintln!("SKIPPED {label}: MCPLOCK_REAL_SERVERS is not set");
        return None;
    };
    let folder = Path::new(&root).join(&label);
    if !folder.join(".done").exists() {
        eprintln!("SKIPPED {label}: not installed (Node or Python missing?)");
        return None;
    }
    Some(folder)
}

/// A project whose config starts `server` through a link `server`, so that another version can be
/// put in its place without the launch changing.
fn project_of(server: &Server) -> Project {
    let project = Project::new();
    let words: Vec<String> = server
        .launch
        .iter()
        .map(|word| word.replace("{}", "./server"))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    project.configure(&[(server.name, &words)]);
    project
}

fn install(project: &Project, folder: &Path) {
    let link = project.path("server");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(folder, link).unwrap();
}

#[test]
fn each_is_pinned_verified_clean_pinned_again_to_the_same_bytes_and_drifts_with_another_version() {
    let mut judged = 0;
    for server in &SERVERS {
        let (Some(new), Some(old)) = (installed(server, "new"), installed(server, "old")) else {
            continue;
        };
        let project = project_of(server);
        install(&project, &old);
        project.expect(0, &["pin"]);
        let pinned = project.lockfile();
        let verified = project.expect(0, &["verify"]);
        verified.says("1 server");
        project.expect(0, &["pin", "--yes"]);
        assert_eq!(pinned, project.lockfile(), "{}: pinned twice", server.name);

        install(&project, &new);
        let drifted = project.expect(1, &["verify", "--format", "json"]);
        let report = drifted.json();
        let findings = report["servers"][0]["findings"].as_array().unwrap();
        assert!(!findings.is_empty(), "{}: {report:#}", server.name);
        assert_eq!(pinned, project.lockfile(), "{}: verify wrote", server.name);

        project.expect(1, &["pin"]);
        assert_eq!(
            pinned,
            project.lockfile(),
            "{}: pin wrote without a yes",
            server.name
        );
        project.expect(0, &["pin", "--yes"]);
        let report = project.expect(0, &["verify", "--format", "json"]).json();
        let items = report["servers"][0]["items"].as_u64().unwrap();
        assert!(
            items >= server.items as u64,
            "{}: {items} items",
            server.name
        );
        judged += 1;
    }
    eprintln!("real servers judged: {judged} of {}", SERVERS.len());
}
