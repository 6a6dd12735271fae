//! A project with two servers, a healthy one and one that goes wrong, both pinned while all was
//! well.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::rogue_server::RogueServer;
use crate::watch::{MARK, Watched, watched};

/// How the server that goes wrong was launched when it was pinned, and by what it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A process that speaks a revision with a handshake.
    Stdio,
    /// A process that speaks a revision without one.
    Modern,
    /// A URL.
    Http,
    /// A URL that gets a token.
    HttpToken,
    /// A URL that gets the headers that a command prints.
    HttpHelper,
    /// A URL of the old HTTP+SSE transport.
    Sse,
}

/// The token that goes to [`Kind::HttpToken`].
pub(crate) const TOKEN: &str = "tok-abcd1234secret";
/// How long a run may take that waits for nothing: far less than the default time-outs.
pub(crate) const AT_ONCE: Duration = Duration::from_secs(25);

/// A folder with a config and a lockfile.
pub(crate) struct Project {
    folder: TempDir,
    mark: String,
    variables: Vec<(String, String)>,
}

/// A program of `tests/support/`, built beside the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().unwrap().parent().unwrap();
    let file = folder.join("examples").join(name);
    assert!(file.exists(), "{} is not built", file.display());
    file
}

impl Project {
    /// The two servers pinned, both well; nothing runs.
    pub(crate) fn pinned(kind: Kind) -> Self {
        let project = Project::configured(kind);
        project.write("mcp-lock.toml", lockfile(kind));
        project
    }

    fn configured(kind: Kind) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let mut project = Project {
            folder: tempfile::tempdir().unwrap(),
            mark: format!(
                "{}-{}",
                std::process::id(),
                COUNT.fetch_add(1, Ordering::Relaxed)
            ),
            variables: Vec::new(),
        };
        std::fs::create_dir(project.path(".git")).unwrap();
        std::fs::create_dir(project.path("bin")).unwrap();
        project.set("FAULTS_BIN", project.path("bin").to_str().unwrap());
        project.set("FAULTS_TOKEN", TOKEN);
        let healthy = json!({
            "command": example("catalog_server"),
            "args": ["--catalog", "healthy.json"],
            "env": { MARK: format!("${{{MARK}}}") },
        });
        let mut faulty = match kind {
            Kind::Stdio | Kind::Modern => json!({
                "command": "faulty",
                "args": ["@fault"],
                "env": {
                    MARK: format!("${{{MARK}}}"),
                    "PATH": "${FAULTS_BIN}:/usr/bin:/bin",
                    "TOKEN": "${FAULTS_TOKEN}",
                },
            }),
            Kind::Sse => json!({ "type": "sse", "url": "${FAULTS_URL}" }),
            _ => json!({ "type": "http", "url": "${FAULTS_URL}" }),
        };
        match kind {
            Kind::HttpToken => {
                faulty["headers"] = json!({ "Authorization": "Bearer ${FAULTS_TOKEN}" });
            }
            Kind::HttpHelper => faulty["headersHelper"] = json!("./bin/headers"),
            _ => {}
        }
        let servers = json!({ "mcpServers": { "healthy": healthy, "faulty": faulty } });
        project.write(".mcp.json", servers.to_string());
        let tool = |name: &str| json!({ "name": name, "description": name, "inputSchema": { "type": "object" } });
        let catalog = json!({ "tools": [tool("one"), tool("two")], "instructions": "be kind" });
        project.write("healthy.json", catalog.to_string());
        project.link("faulty");
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A variable of the environment in which the program runs.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The value by which everything that a run starts is known.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// Makes `bin/NAME` the rogue server.
    fn link(&self, name: &str) {
        symlink(example("rogue"), self.path("bin").join(name)).unwrap();
    }

    /// Removes the program of the server that goes wrong.
    pub(crate) fn remove(&self) {
        std::fs::remove_file(self.path("bin/faulty")).unwrap();
    }

    /// Makes it a script; `ROGUE` in it is the rogue server.
    pub(crate) fn script(&self, text: &str, mode: u32) {
        self.remove();
        self.executable("faulty", text, mode);
    }

    /// Writes a file into `bin`.
    pub(crate) fn executable(&self, name: &str, text: &str, mode: u32) {
        let rogue = example("rogue").display().to_string();
        let file = self.path("bin").join(name);
        std::fs::write(&file, text.replace("ROGUE", &rogue)).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The program, ready to be run here.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcplock"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.folder.path())
            .env(MARK, &self.mark)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the program and looks that it leaves nothing behind.
    pub(crate) fn run(&self, args: &[&str], most: Duration) -> Watched {
        watched(&mut self.command(args), &self.mark, most)
    }
}

/// What stands of one server in a report.
pub(crate) fn server<'r>(report: &'r Value, name: &str) -> &'r Value {
    let servers = report["servers"].as_array().unwrap();
    let found = servers.iter().find(|server| server["name"] == name);
    found.unwrap_or_else(|| panic!("no server `{name}` in {report}"))
}

/// The lockfile of a project of this kind: pinned once, by the program.
fn lockfile(kind: Kind) -> String {
    static PINNED: [OnceLock<String>; 6] = [const { OnceLock::new() }; 6];
    let pin = || {
        let mut project = Project::configured(kind);
        let well = match kind {
            Kind::Stdio | Kind::Modern => None,
            Kind::Sse => Some(crate::network_rows::old_server(crate::network_rows::HEAD)),
            _ => Some(RogueServer::new(|_, _| false)),
        };
        project.write(
            "fault",
            if kind == Kind::Modern {
                "modern"
            } else {
                "none"
            },
        );
        project.executable("headers", "#!/bin/sh\necho '{}'\n", 0o755);
        if let Some(server) = &well {
            project.set("FAULTS_URL", &server.url);
        }
        let run = project.run(&["pin"], AT_ONCE);
        assert_eq!(run.code, Some(0), "{kind:?}: {}{}", run.stdout, run.stderr);
        project.read("mcp-lock.toml")
    };
    PINNED[kind as usize].get_or_init(pin).clone()
}
