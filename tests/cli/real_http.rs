//! A published server over all of its transports: the contracts are the same.
//!
//! `MCPLOCK_REAL_SERVERS` names the folder that `.ci/install-real-servers` filled. Without it, or
//! where the server is missing, the test says loudly what it left out.

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

const SERVER: &str =
    "everything-new/node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// The program of the server; none, after saying so, where it is not installed.
fn installed() -> Option<PathBuf> {
    let Some(root) = std::env::var_os("MCPLOCK_REAL_SERVERS") else {
        eprintln!(
            "SKIPPED: MCPLOCK_REAL_SERVERS is not set, so no real server is reached over HTTP"
        );
        return None;
    };
    let file = Path::new(&root).join(SERVER);
    if !file.exists() {
        eprintln!("SKIPPED: server-everything is not installed (Node missing?)");
        return None;
    }
    Some(file)
}

/// A running server; killed when dropped.
struct Running {
    child: Child,
    port: u16,
}

impl Running {
    fn start(file: &Path, transport: &str) -> Self {
        // Free when looked at; the server is given it at once.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let child = Command::new("node")
            .arg(file)
            .arg(transport)
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let running = Running { child, port };
        let deadline = Instant::now() + Duration::from_secs(120);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "{transport}: it does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        running
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The digests that a lockfile holds, by kind and key, and the revision.
fn pinned(entry: &serde_json::Value) -> (BTreeMap<String, String>, String) {
    let project = tempfile::tempdir().unwrap();
    let config = json!({ "mcpServers": { "everything": entry } });
    std::fs::create_dir(project.path().join(".git")).unwrap();
    std::fs::write(project.path().join(".mcp.json"), config.to_string()).unwrap();
    for command in ["pin", "verify"] {
        let run = Command::new(env!("CARGO_BIN_EXE_mcplock"))
            .arg(command)
            .current_dir(project.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{command} {config}: {said}");
    }
    let lock = std::fs::read_to_string(project.path().join("mcp-lock.toml")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    let server = &lock["server"][0];
    let mut digests = BTreeMap::new();
    for kind in ["tool", "prompt", "resource", "resource_template"] {
        let items = server.get(kind).and_then(toml::Value::as_array);
        for item in items.into_iter().flatten() {
            let key = ["name", "uri", "uri_template"]
                .into_iter()
                .find_map(|key| item.get(key))
                .unwrap();
            let digest = item["contract"].as_str().unwrap().to_owned();
            digests.insert(format!("{kind} {key}"), digest);
        }
    }
    let protocol = server["protocol"].as_str().unwrap().to_owned();
    (digests, protocol)
}

#[test]
fn the_same_server_has_the_same_contracts_over_pipes_http_and_sse() {
    let Some(file) = installed() else { return };
    let pipes = pinned(&json!({ "command": "node", "args": [file] }));
    assert!(pipes.0.len() >= 20, "{:?}", pipes.0);
    let http = Running::start(&file, "streamableHttp");
    let over_http = pinned(&json!({ "type": "http", "url": http.url("/mcp") }));
    assert_eq!(pipes, over_http);
    let sse = Running::start(&file, "sse");
    // As the config says, and found out without it.
    for kind in ["sse", "http"] {
        let over_sse = pinned(&json!({ "type": kind, "url": sse.url("/sse") }));
        assert_eq!(pipes, over_sse, "{kind}");
    }
    eprintln!(
        "server-everything: {} contracts, three transports",
        pipes.0.len()
    );
}
