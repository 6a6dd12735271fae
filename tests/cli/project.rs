//! A temporary project and the program run in it, as a user would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder with configs and a lockfile; gone when dropped.
pub(crate) struct Project {
    folder: TempDir,
}

/// What a run of the program returned.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; a run that a signal ended fails the test at once.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Stops the search for a lockfile here.
        fs::create_dir(folder.path().join(".git")).unwrap();
        Project { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn lockfile(&self) -> String {
        self.read("mcp-lock.toml")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Writes a `.mcp.json` with these servers: name, command line.
    pub(crate) fn configure(&self, servers: &[(&str, &[&str])]) {
        let servers: serde_json::Map<_, _> = servers
            .iter()
            .map(|(name, words)| {
                let entry = serde_json::json!({ "command": words[0], "args": &words[1..] });
                ((*name).to_owned(), entry)
            })
            .collect();
        self.write(
            ".mcp.json",
            serde_json::json!({ "mcpServers": servers }).to_string(),
        );
    }

    /// The program, ready to be run here, with an environment that the test's own can't change.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcplock"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        for name in ["CI", "NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS"] {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("MCPLOCK") || name.starts_with("GITHUB_") {
                command.env_remove(name);
            }
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().unwrap(), args)
    }

    /// Runs and insists on an exit code; the output is in the message when it differs.
    pub(crate) fn expect(&self, code: i32, args: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(
            run.code, code,
            "mcplock {args:?}\n--- stdout\n{}\n--- stderr\n{}",
            run.stdout, run.stderr
        );
        run
    }
}

impl Run {
    pub(crate) fn of(output: Output, args: &[&str]) -> Self {
        let code = output.status.code().unwrap_or_else(|| {
            panic!(
                "mcplock {args:?} ended by a signal: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        });
        Run {
            code,
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The JSON report on standard output.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// Insists that standard output and error together hold `text`.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(
            self.stdout.contains(text) || self.stderr.contains(text),
            "does not say {text:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }
}

/// A program of `tests/support/`, built beside the tests.
pub(crate) fn example(name: &str) -> String {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    let path = path.join("examples").join(name);
    assert!(
        path.exists(),
        "{} is not built: run the whole `cargo test`",
        path.display()
    );
    path.to_str().unwrap().to_owned()
}

/// A tool with an open object of these properties.
pub(crate) fn tool(name: &str, properties: &serde_json::Value) -> serde_json::Value {
    serde_json::json!({
        "name": name,
        "description": format!("Does {name}."),
        "inputSchema": { "type": "object", "properties": properties },
    })
}

/// A project with one server, `files`, that advertises what `catalog.json` says at the time.
pub(crate) fn files_project(tools: &[serde_json::Value]) -> Project {
    let project = Project::new();
    project.advertise(tools);
    let server = example("catalog_server");
    project.configure(&[(
        "files",
        &[
            &server,
            "--catalog",
            "catalog.json",
            "--log",
            "requests.log",
        ],
    )]);
    project
}

impl Project {
    /// Lets the server of [`files_project`] advertise these tools from now on.
    pub(crate) fn advertise(&self, tools: &[serde_json::Value]) {
        self.write(
            "catalog.json",
            serde_json::json!({ "tools": tools }).to_string(),
        );
    }
}
