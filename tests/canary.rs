//! A credential that is handed to a server in any way appears nowhere: not in the lockfile, in no
//! report, in no log and in no error.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What every credential below begins with.
const CANARY: &str = "c4nary";

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join("release.txt"), "first").unwrap();
        Project(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("MCPLOCK", env!("CARGO_BIN_EXE_mcplock"))).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcplock"));
        command
            .args(args)
            .current_dir(self.path())
            .env("HOME", self.path());
        command.env("BY_VARIABLE", format!("{CANARY}-by-variable-1"));
        command.env("MCPLOCK_INPUT_KEY", format!("{CANARY}-by-input-2"));
        command.output().unwrap()
    }

    /// Runs a command, looks for the canary in all that it says and leaves behind, and gives back
    /// its exit code.
    fn quiet(&self, args: &[&str]) -> i32 {
        let output = self.run(args);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!said.contains(CANARY), "mcplock {args:?} says\n{said}");
        for name in ["mcp-lock.toml", "catalog.json", "report.json"] {
            let text = fs::read_to_string(self.path().join(name)).unwrap_or_default();
            assert!(
                !text.contains(CANARY),
                "mcplock {args:?} leaves in {name}\n{text}"
            );
        }
        output.status.code().unwrap()
    }
}

/// Every way to hand a credential over, to a server that keeps it to itself.
fn discreet(project: &Project) {
    project.write(
        ".mcp.json",
        r#"{"mcpServers":{
        "orders": {
            "command": "sh",
            "args": ["-c", "exec MCPLOCK demo-server release.txt", "sh",
                     "--token", "c4nary-argument-3", "--api-key=c4nary-assigned-4", "-e", "DB_PASSWORD=c4nary-set-5",
                     "-k", "c4nary-key-13", "-u", "me:c4nary-login-14", "--header=X-Api-Key: c4nary-header-15",
                     "Server=h;User Id=u;Password=c4nary-string-16;", "https://h.test/token/c4nary-path-17/sse",
                     "[{\"apiKey\":\"c4nary-json-18\"}]", "--password=c4nary two-words-19",
                     "--password", "${BY_VARIABLE}", "postgres://u:c4nary-user-6@db.example.test/x?token=c4nary-query-7"],
            "env": { "LITERAL": "c4nary-literal-8", "API_KEY": "${BY_VARIABLE}", "NODE_OPTIONS": "--token=c4nary-value-9" }
        }}}"#,
    );
    project.write(".env", "FROM_FILE=c4nary-from-file-10\n");
    project.write(
        ".vscode/mcp.json",
        r#"{"servers":{"by-file":{
            "command": "sh", "args": ["-c", "exec MCPLOCK demo-server release.txt", "sh", "${input:key}"],
            "envFile": "${workspaceFolder}/.env"
        }}}"#,
    );
}

#[test]
fn a_credential_is_in_no_lockfile_and_no_report_of_any_command() {
    let project = Project::new();
    discreet(&project);
    for (code, args) in [
        (0, &["list"][..]),
        (0, &["pin", "-v", "--twice"]),
        (0, &["verify", "-v", "--report", "json=report.json"]),
        (0, &["verify", "--format", "json"]),
        (0, &["diff", "-v"]),
        (0, &["check", "-v"]),
        (0, &["fetch", "orders", "-o", "catalog.json"]),
        (0, &["list", "--format", "json"]),
    ] {
        assert_eq!(project.quiet(args), code, "{args:?}");
    }
    let lockfile = fs::read_to_string(project.path().join("mcp-lock.toml")).unwrap();
    assert!(
        lockfile.contains("<redacted>") && lockfile.contains("${BY_VARIABLE}"),
        "{lockfile}"
    );
    // Drift of the launch shows words of it.
    let config = fs::read_to_string(project.path().join(".mcp.json")).unwrap();
    let changed = config
        .replace("--api-key=", "--other-key=")
        .replace("c4nary-argument-3", "c4nary-another-11");
    fs::write(project.path().join(".mcp.json"), changed).unwrap();
    assert_eq!(project.quiet(&["verify", "-v"]), 1);
    assert_eq!(project.quiet(&["diff", "--format", "json"]), 1);
    assert_eq!(project.quiet(&["pin", "--check"]), 1);
    assert_eq!(project.quiet(&["verify", "--allow-launch-change", "-v"]), 1);
}

#[test]
fn a_server_that_tells_its_credentials_is_masked_in_every_error() {
    let project = Project::new();
    for script in [
        // Standard error and a line that is no message, then the end.
        "echo \\\"out $2 $LITERAL $API_KEY\\\"; echo \\\"err $2 $LITERAL $API_KEY\\\" >&2; exit 3",
        // The server's own error.
        "read l; printf '{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"error\\\":{\\\"code\\\":-1,\\\"message\\\":\\\"%s %s %s\\\"}}\\n' $2 $LITERAL $API_KEY; cat >/dev/null",
        // No JSON at all.
        "read l; echo \\\"{$2 $LITERAL $API_KEY\\\"; exit 0",
        // Nothing.
        "echo \\\"$2 $LITERAL $API_KEY\\\" >&2; sleep 30",
        // A version that is none.
        "read l; printf '{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"result\\\":{\\\"protocolVersion\\\":\\\"%s\\\",\\\"serverInfo\\\":{\\\"name\\\":\\\"%s\\\",\\\"version\\\":\\\"%s\\\"},\\\"capabilities\\\":{}}}\\n' $2 $LITERAL $API_KEY; cat >/dev/null",
    ] {
        project.write(
            ".mcp.json",
            &format!(
                r#"{{"mcpServers":{{"loud":{{"command":"sh","args":["-c","{script}","sh","--token","c4nary-argument-3"],
                "env":{{"LITERAL":"c4nary-literal-8","API_KEY":"${{BY_VARIABLE}}"}}}}}}}}"#
            ),
        );
        for args in [
            &["pin", "-v", "--start-timeout", "1"][..],
            &["check", "--format", "json", "--start-timeout", "1"],
            &["check", "--strict-stdout", "-v", "--start-timeout", "1"],
            &["fetch", "loud", "-v", "--start-timeout", "1"],
        ] {
            assert_eq!(project.quiet(args), 3, "{script} {args:?}");
        }
    }
}

#[test]
fn a_server_that_repeats_a_credential_in_its_catalog_is_unfit_and_is_not_pinned() {
    for repeated in [
        "$API_KEY",
        "$(printf %s $API_KEY | base64)",
        "$(printf u:%s $API_KEY | base64)",
    ] {
        let project = Project::new();
        project.write(
            ".mcp.json",
            &r#"{"mcpServers":{"echo":{"command":"sh",
            "args":["-c","MCPLOCK demo-server release.txt | sed -u \"s,order,REPEATED,g\""],
            "env":{"API_KEY":"${BY_VARIABLE}"}}}}"#
                .replace("REPEATED", repeated),
        );
        assert_eq!(project.quiet(&["pin", "-v"]), 4, "{repeated}");
        assert_eq!(project.quiet(&["pin", "--twice"]), 4, "{repeated}");
        assert_eq!(project.quiet(&["check", "--format", "json"]), 4);
        assert!(!project.path().join("mcp-lock.toml").exists());
    }
}

#[test]
fn a_credential_that_stands_in_a_lockfile_is_told_and_never_shown() {
    let project = Project::new();
    discreet(&project);
    assert_eq!(project.quiet(&["pin"]), 0);
    let path = project.path().join("mcp-lock.toml");
    let lockfile = fs::read_to_string(&path).unwrap();
    let edited = lockfile.replace(
        "\"--token\", \"<redacted>\"",
        "\"--token\", \"c4nary-in-the-lock-12\"",
    );
    assert_ne!(edited, lockfile);
    fs::write(&path, edited).unwrap();
    for args in [
        &["verify", "-v"][..],
        &["diff", "--format", "json"],
        &["list"],
        &["list", "--format", "json"],
    ] {
        let output = project.run(args);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!said.contains(CANARY), "mcplock {args:?} says\n{said}");
        if args[0] == "verify" {
            assert_eq!(output.status.code(), Some(1));
            assert!(
                said.contains("looks like a credential in plain text"),
                "{said}"
            );
        }
    }
}

#[test]
fn a_broken_config_or_policy_is_told_without_its_credentials() {
    let project = Project::new();
    for (name, text) in [
        (
            ".mcp.json",
            r#"{"mcpServers":{"a":{"command":"x","args":["--token","c4nary-1-abcdef" "y"]}}}"#,
        ),
        (
            ".mcp.json",
            r#"{"mcpServers":{"a":{"command":"x","args":["--token=c4nary-1-abcdef${"]}}}"#,
        ),
        (
            ".mcp.json",
            r#"{"mcpServers":{"a":{"command":"x","env":{"TOKEN":{"c4nary":"c4nary-1-abcdef"}}}}}"#,
        ),
        (
            "mcplock.toml",
            "[[server]]\nname = 'a'\ncommand = ['x', '--token', 'c4nary-1-abcdef'\n",
        ),
        (
            "mcplock.toml",
            "[[server]]\nname = 'a'\nheaders = { Authorization = 'c4nary-1-abcdef' }\n",
        ),
        (
            "mcplock.toml",
            "[[server]]\nname = 'a'\nurl = 'ftp://u:c4nary-1-abcdef@h.test'\nenv = { T = 1 }\n",
        ),
    ] {
        project.write(name, text);
        for args in [
            &["pin", "-v"][..],
            &["list"],
            &["check", "--format", "json"],
        ] {
            assert_eq!(project.quiet(args), 2, "{text} {args:?}");
        }
        fs::remove_file(project.path().join(name)).unwrap();
    }
}
