//! The page that leads from a clone to a red build: its commands are run, and print what it shows.
#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::project::{example, tool};

/// A part of the page: text, or a block of commands with what they print.
enum Part {
    Text(String),
    Console(Vec<(String, String)>),
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/getting-started.md")
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("```console\n") {
        let (block, tail) = after.split_once("```").unwrap();
        parts.push(Part::Text(before.to_owned()));
        let mut commands: Vec<(String, String)> = Vec::new();
        for line in block.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => {
                    let _ = writeln!(output, "{line}");
                }
                (None, None) => panic!("output without a command: {line}"),
            }
        }
        parts.push(Part::Console(commands));
        rest = tail;
    }
    parts.push(Part::Text(rest.to_owned()));
    parts
}

/// The files that the page shows, each in a block behind its name.
fn files(text: &str) -> Vec<(String, String)> {
    text.split("```json\n")
        .collect::<Vec<_>>()
        .windows(2)
        .map(|pair| {
            let name = pair[0].trim_end().rsplit('`').nth(1).unwrap().to_owned();
            (name, pair[1].split("```").next().unwrap().to_owned())
        })
        .collect()
}

fn program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// `npx` and `uvx` that start the two servers of the page: as they are installed, or servers with
/// as many tools.
fn runners(bin: &Path, root: &Path) {
    fs::create_dir_all(bin).unwrap();
    let installed = std::env::var_os("MCPLOCK_REAL_SERVERS").map(PathBuf::from);
    for (runner, count, real, args) in [
        (
            "npx",
            14,
            "filesystem-new/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
            ".",
        ),
        (
            "uvx",
            2,
            "time-new/venv/bin/mcp-server-time",
            "--local-timezone UTC",
        ),
    ] {
        let real = installed.as_ref().map(|folder| folder.join(real));
        let script = match real.filter(|path| path.exists()) {
            Some(path) if runner == "npx" => format!("exec node {} {args}", path.display()),
            Some(path) => format!("exec {} {args}", path.display()),
            None => {
                eprintln!("SKIPPED the real server behind {runner}: a stand-in answers");
                let tools: Vec<_> = (0..count)
                    .map(|n| tool(&format!("{runner}_{n}"), &json!({})))
                    .collect();
                let catalog = root.join(format!("{runner}.json"));
                fs::write(&catalog, json!({ "tools": tools }).to_string()).unwrap();
                format!(
                    "exec {} --catalog {}",
                    example("catalog_server"),
                    catalog.display()
                )
            }
        };
        program(&bin.join(runner), &script);
    }
}

/// A shell command in a folder, with nothing of this machine's configuration.
fn shell(root: &Path, folder: &Path, script: &str) -> Option<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_mcplock"));
    let path = format!(
        "{}:{}:{}",
        root.join("bin").display(),
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .env("HOME", root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .ok()?;
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_commands_of_the_page_print_what_it_shows_in_a_real_clone() {
    let text = fs::read_to_string(page()).unwrap();
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    runners(&root.join("bin"), root);
    let remote = root.join("remote/shop");
    fs::create_dir_all(&remote).unwrap();
    for (name, content) in files(&text) {
        let path = remote.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let config = format!(
        "[user]\nname = a\nemail = a@example.test\n[init]\ndefaultBranch = main\n\
         [url \"{}/\"]\ninsteadOf = https://git.example.test/team/\n",
        root.join("remote").display()
    );
    fs::write(root.join(".gitconfig"), config).unwrap();
    let made = shell(
        root,
        &remote,
        "git init -q && git add . && git commit -qm first && git status --short && echo made",
    );
    if made.as_deref() != Some("made\n") {
        eprintln!("SKIPPED the page of the first steps: git is not there: {made:?}");
        return;
    }
    // One shell for the whole page; `$?` goes from each command to the next.
    let mut script = String::new();
    for part in parts(&text) {
        if let Part::Console(commands) = part {
            for (command, _) in commands {
                let _ = write!(script, "{command}\ncode=$?; printf '@@\\n'; (exit $code)\n");
            }
        }
    }
    let work = root.join("work");
    fs::create_dir_all(&work).unwrap();
    let said = shell(root, &work, &script).unwrap();
    let mut outputs = said.split("@@\n");
    let mut written = String::new();
    for part in parts(&text) {
        match part {
            Part::Text(text) => written += &text,
            Part::Console(commands) => {
                written += "```console\n";
                for (command, _) in commands {
                    let _ = write!(written, "$ {command}\n{}", outputs.next().unwrap());
                }
                written += "```";
            }
        }
    }
    if std::env::var_os("MCPLOCK_BLESS").is_some() {
        fs::write(page(), &written).unwrap();
    }
    assert_eq!(
        text, written,
        "make the outputs again: MCPLOCK_BLESS=1 cargo test --test cli getting_started"
    );
    for shown in ["\n0\n", "\n1\n"] {
        assert!(
            written.contains(&format!("$ echo $?{shown}")),
            "both exit codes are shown"
        );
    }
}
