//! Real servers as they are started and reached: published ones, and those of this folder that are
//! made with an official SDK.
//!
//! `MCPLOCK_REAL_SERVERS` names the folder that `.ci/install-real-servers` filled. What is missing
//! there is said aloud.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(120);
/// How often another port is tried, when somebody else was quicker to take one.
const PORTS: usize = 3;

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Standard streams.
    Pipes,
    /// Streamable HTTP.
    Http,
    /// The old HTTP+SSE.
    Sse,
}

/// A server as it is started.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) reach: Reach,
    /// Program and arguments; `{port}` in them is the port.
    pub(crate) words: Vec<String>,
}

/// The folder with the installed servers.
#[derive(Debug)]
pub(crate) struct Installed(PathBuf);

impl Installed {
    /// The folder, where it holds all of `folders`; none, after saying what is missing.
    pub(crate) fn with(folders: &[&str]) -> Option<Self> {
        let Some(root) = std::env::var_os("MCPLOCK_REAL_SERVERS") else {
            skipped(folders, "MCPLOCK_REAL_SERVERS is not set");
            return None;
        };
        let root = PathBuf::from(root);
        let missing: Vec<&str> = folders
            .iter()
            .copied()
            .filter(|folder| !root.join(folder).join(".done").exists())
            .collect();
        if missing.is_empty() {
            return Some(Installed(root));
        }
        skipped(&missing, "not installed (Node or Python missing?)");
        None
    }

    fn path(&self, below: &str) -> String {
        self.0.join(below).display().to_string()
    }

    /// A server of this package's tests on the TypeScript SDK, which speaks all eras.
    pub(crate) fn typescript(&self, reach: Reach) -> Peer {
        let sdk = self.path("typescript-sdk");
        of_port(
            "typescript",
            reach,
            &["node", &support("sdk_server.mjs"), &sdk],
        )
    }

    /// A server of this package's tests on FastMCP.
    pub(crate) fn fastmcp(&self, reach: Reach) -> Peer {
        let python = self.path("fastmcp/venv/bin/python");
        let mut peer = of_port("fastmcp", reach, &[&python, &support("fastmcp_server.py")]);
        if reach == Reach::Sse {
            peer.words.push("--sse".to_owned());
        }
        peer
    }

    /// The reference server with everything in it, newest release.
    pub(crate) fn everything(&self, reach: Reach) -> Peer {
        let script =
            "everything-new/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
        let transport = match reach {
            Reach::Pipes => "stdio",
            Reach::Http => "streamableHttp",
            Reach::Sse => "sse",
        };
        peer(
            "everything",
            reach,
            &["node", &self.path(script), transport],
        )
    }

    /// The browser server, newest release; it starts no browser to be listed.
    pub(crate) fn playwright(&self, reach: Reach) -> Peer {
        let script = self.path("playwright-new/node_modules/@playwright/mcp/cli.js");
        of_port("playwright", reach, &["node", &script])
    }

    /// Twenty servers: fourteen processes, six on loopback. `files` is started from the folder
    /// `files`, which holds one of its releases.
    pub(crate) fn twenty(&self, files: &str) -> Vec<Peer> {
        let npm = |folder: &str, package: &str| {
            format!("{folder}/node_modules/@modelcontextprotocol/server-{package}/dist/index.js")
        };
        let old_browser = self.path("playwright-old/node_modules/@playwright/mcp/cli.js");
        let python = |path: &str| self.path(path);
        let pipes = |name: &str, words: &[&str]| peer(name, Reach::Pipes, words);
        let zone = ["--local-timezone", "UTC"];
        let named = |name: &str, peer: Peer| Peer {
            name: name.to_owned(),
            ..peer
        };
        vec![
            self.everything(Reach::Pipes),
            named("everything-http", self.everything(Reach::Http)),
            named("everything-sse", self.everything(Reach::Sse)),
            pipes("files", &["node", &npm(files, "filesystem"), "."]),
            pipes(
                "files-old",
                &[
                    "node",
                    &self.path(&npm("filesystem-old", "filesystem")),
                    ".",
                ],
            ),
            pipes(
                "memory",
                &["node", &self.path(&npm("memory-new", "memory"))],
            ),
            pipes(
                "memory-old",
                &["node", &self.path(&npm("memory-old", "memory"))],
            ),
            self.playwright(Reach::Pipes),
            pipes("playwright-old", &["node", &old_browser, "--caps", "pdf"]),
            named("playwright-http", self.playwright(Reach::Http)),
            pipes(
                "time-new",
                &[
                    &python("time-new/venv/bin/mcp-server-time"),
                    zone[0],
                    zone[1],
                ],
            ),
            pipes("time-old", &[&python("time-old/venv/bin/mcp-server-time")]),
            pipes("git-new", &[&python("git-new/venv/bin/mcp-server-git")]),
            pipes("git-old", &[&python("git-old/venv/bin/mcp-server-git")]),
            self.typescript(Reach::Pipes),
            named("typescript-http", self.typescript(Reach::Http)),
            rmcp(Reach::Pipes),
            named("rmcp-http", rmcp(Reach::Http)),
            self.fastmcp(Reach::Pipes),
            named("fastmcp-http", self.fastmcp(Reach::Http)),
        ]
    }
}

/// Says so even where the output of a test that passes is not shown.
fn skipped(folders: &[&str], why: &str) {
    let line = format!("SKIPPED, real servers {folders:?}: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// What [`Installed::twenty`] needs.
pub(crate) const TWENTY: [&str; 13] = [
    "everything-new",
    "filesystem-new",
    "filesystem-old",
    "memory-new",
    "memory-old",
    "playwright-new",
    "playwright-old",
    "time-new",
    "time-old",
    "git-new",
    "git-old",
    "typescript-sdk",
    "fastmcp",
];

/// The server of this package's tests on `rmcp`, built beside them.
pub(crate) fn rmcp(reach: Reach) -> Peer {
    let test = std::env::current_exe().expect("this program");
    let target = test.ancestors().nth(3).expect("the target folder");
    let built = ["debug", "release"].map(|profile| target.join(profile).join("examples"));
    let program = built
        .iter()
        .map(|folder| folder.join("rmcp_server"))
        .find(|program| program.exists())
        .expect("rmcp_server is built by `cargo build --examples`");
    of_port("rmcp", reach, &[&program.display().to_string()])
}

fn support(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support");
    folder.join(file).display().to_string()
}

fn peer(name: &str, reach: Reach, words: &[&str]) -> Peer {
    Peer {
        name: name.to_owned(),
        reach,
        words: words.iter().map(|&word| word.to_owned()).collect(),
    }
}

/// One that listens when it is given a port.
fn of_port(name: &str, reach: Reach, words: &[&str]) -> Peer {
    let mut peer = peer(name, reach, words);
    if reach != Reach::Pipes {
        peer.words.extend(["--port", "{port}"].map(str::to_owned));
    }
    peer
}

/// A server with its entry in a config; one that listens runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Started {
    /// Its entry in a config.
    pub(crate) entry: Value,
    /// The process that listens, and its port.
    pub(crate) listens: Option<(Child, u16)>,
}

impl Peer {
    /// Starts it where it is one that listens: at `port`, or at a free one.
    pub(crate) fn start(&self, port: Option<u16>) -> Started {
        if self.reach == Reach::Pipes {
            return Started {
                entry: json!({ "command": self.words[0], "args": &self.words[1..] }),
                listens: None,
            };
        }
        let (child, port) = (0..PORTS)
            .find_map(|_| self.listen(port.unwrap_or_else(free)))
            .unwrap_or_else(|| panic!("{} does not listen", self.name));
        let (kind, path) = match self.reach {
            Reach::Sse => ("sse", "/sse"),
            _ => ("http", "/mcp"),
        };
        Started {
            entry: json!({ "type": kind, "url": format!("http://localhost:{port}{path}") }),
            listens: Some((child, port)),
        }
    }

    /// Starts it at a port; none when it ended, as where somebody else has taken the port.
    fn listen(&self, port: u16) -> Option<(Child, u16)> {
        let word = |word: &String| word.replace("{port}", &port.to_string());
        let mut child = Command::new(&self.words[0])
            .args(self.words[1..].iter().map(word))
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        let deadline = Instant::now() + START;
        loop {
            let listens = TcpStream::connect(("localhost", port)).is_ok();
            if child.try_wait().expect("its state").is_some() {
                return None;
            }
            if listens {
                return Some((child, port));
            }
            assert!(Instant::now() < deadline, "{} does not listen", self.name);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.listens {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A port that is free when looked at.
fn free() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
