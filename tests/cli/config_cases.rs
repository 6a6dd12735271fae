//! Reported troubles with configs and lockfiles, as the program meets them.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::project::{Project, Run, example, tool};

const TOKEN: &str = "a${HOME}b-demo-token-value";

/// The folder of a case; none, after saying so, where the cases are not there.
fn case(name: &str) -> Option<PathBuf> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED case {name}: MCPLOCK_SUITES is not set");
        return None;
    };
    Some(PathBuf::from(suites).join("cases").join(name))
}

/// A project with the config of a case, and the program that these configs start.
fn project(config: &str) -> Project {
    let project = Project::new();
    project.write(".mcp.json", config);
    let catalog = json!({ "tools": [tool("read", &json!({ "path": { "type": "string" } }))] });
    project.write("catalog.json", catalog.to_string());
    // What it was given is kept, so that a second expansion would show.
    let script = format!(
        "#!/bin/sh\nprintf '%s|%s' \"$API_TOKEN\" \"$*\" > given.txt\nexec {} --catalog catalog.json\n",
        example("catalog_server")
    );
    project.write("bin/demo-server", script);
    fs::set_permissions(
        project.path("bin/demo-server"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    project
}

fn run(project: &Project, args: &[&str], token: &str) -> Run {
    let path = format!(
        "{}:{}",
        project.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = project.command(args);
    command
        .env("PATH", path)
        .env("DEMO_TOKEN", token)
        .env_remove("DEMO_NOT_SET");
    Run::of(command.output().unwrap(), args)
}

/// A remote server with one tool, at its port on this machine.
fn remote() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream));
        }
    });
    port
}

fn serve(stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(text) = lower.strip_prefix("content-length:") {
                length = text.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
            head += &line;
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let (status, body) = if head.starts_with("POST") {
            answer(&message)
        } else {
            ("405 Method Not Allowed", String::new())
        };
        let _ = write!(
            writer,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
    }
}

fn answer(message: &Value) -> (&'static str, String) {
    let result = match message["method"].as_str() {
        Some("initialize") => {
            json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "remote", "version": "1.0.0" } })
        }
        Some("tools/list") => json!({ "tools": [tool("find", &json!({}))] }),
        Some(_) if message.get("id").is_some() => {
            let error = json!({ "jsonrpc": "2.0", "id": message["id"],
                "error": { "code": -32601, "message": "Method not found" } });
            return ("200 OK", error.to_string());
        }
        _ => return ("202 Accepted", String::new()),
    };
    let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    ("200 OK", reply.to_string())
}

#[test]
fn placeholders_are_expanded_once_and_a_missing_one_stops_its_server_before_anything_starts() {
    let Some(folder) = case("38-env-placeholders") else {
        return;
    };
    let config = fs::read_to_string(folder.join("config.json")).unwrap();
    let config = config.replace(
        "https://${DEMO_HOST:-mcp.example.test}/mcp",
        &format!("http://${{DEMO_HOST:-127.0.0.1}}:{}/mcp", remote()),
    );
    let project = project(&config);
    let pinned = run(&project, &["pin"], TOKEN);
    assert_eq!(pinned.code, 2, "{}", pinned.stdout);
    pinned
        .says("server `missing`: not judged")
        .says("DEMO_NOT_SET")
        .says("`KEY`");
    pinned.says("2 servers");
    assert_eq!(project.read("given.txt"), format!("{TOKEN}|--region eu"));
    let lockfile = project.lockfile();
    assert!(!lockfile.contains("demo-token-value") && !lockfile.contains("a${HOME}b"));
    for text in [
        "\"${DEMO_REGION:-eu}\"",
        "Bearer ${DEMO_TOKEN}",
        "${DEMO_HOST:-127.0.0.1}",
    ] {
        assert!(lockfile.contains(text), "{text}\n{lockfile}");
    }
    // `missing` alone: nothing was started for it.
    fs::remove_file(project.path("given.txt")).unwrap();
    assert_eq!(run(&project, &["pin", "missing"], TOKEN).code, 2);
    assert!(!project.has("given.txt"));
}

#[test]
fn no_credential_reaches_the_lockfile_and_another_token_changes_no_byte_of_it() {
    let Some(folder) = case("50-secret-in-lock") else {
        return;
    };
    let config = fs::read_to_string(folder.join("config.json")).unwrap();
    let host = format!("127.0.0.1:{}", remote());
    let config = config
        .replace("https://", "http://")
        .replace("mcp.example.test", &host);
    let project = project(&config);
    let secrets = [
        "s3cr3t-pw",
        "QUERYSECRET1",
        "ARGSECRET2",
        "ENVSECRET3",
        "demo-token-value",
    ];
    let quiet = |run: &Run, what: &str| {
        for text in [&run.stdout, &run.stderr, &project.lockfile()] {
            for secret in secrets {
                assert!(!text.contains(secret), "{what}: {secret} in\n{text}");
            }
        }
    };
    let pinned = run(&project, &["pin", "-v"], TOKEN);
    assert_eq!(pinned.code, 0, "{}{}", pinned.stdout, pinned.stderr);
    quiet(&pinned, "pin");
    let before = project.lockfile();
    for what in [
        &["pin", "--yes"][..],
        &["verify", "-v"],
        &["diff", "-v"],
        &["list"],
        &["check", "--format", "json"],
    ] {
        let again = run(&project, what, "another-demo-token-value");
        assert_eq!(again.code, 0, "{what:?}: {}{}", again.stdout, again.stderr);
        quiet(&again, &format!("{what:?}"));
        assert_eq!(before, project.lockfile(), "{what:?}");
    }
    // A lockfile with the secret in it: told, and not shown.
    let bad = before.replace("http://<redacted>@", "http://user:s3cr3t-pw@");
    assert_ne!(before, bad);
    project.write("mcp-lock.toml", bad);
    let told = run(&project, &["verify", "-v"], TOKEN);
    told.says("looks like a credential in plain text");
    assert!(!format!("{}{}", told.stdout, told.stderr).contains("s3cr3t-pw"));
}

#[test]
fn a_partial_pin_changes_its_own_entry_alone_and_a_stale_one_is_told() {
    let Some(folder) = case("54-partial-update") else {
        return;
    };
    let project = project("{}");
    let server = example("catalog_server");
    let lock: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("lock-before.json")).unwrap())
            .unwrap();
    let config: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("config.json")).unwrap()).unwrap();
    let words = [server.as_str(), "--catalog", "catalog.json"];
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let configure = |names: &[String]| {
        let servers: Vec<(&str, &[&str])> = names
            .iter()
            .map(|name| (name.as_str(), &words[..]))
            .collect();
        project.configure(&servers);
    };
    configure(&keys(&lock["servers"]));
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    let configured = keys(&config["mcpServers"]);
    assert!(configured.contains(&"alpha".to_owned()));
    configure(&configured);
    let catalog = json!({ "tools": [tool("other", &json!({}))] });
    project.write("catalog.json", catalog.to_string());
    project.expect(0, &["pin", "alpha", "--yes"]);
    let after = project.lockfile();
    let entry = |text: &str, name: &str| {
        let mut entries = text.split("[[server]]\n");
        entries
            .find(|entry| entry.starts_with(&format!("name = \"{name}\"")))
            .map(str::to_owned)
    };
    for name in keys(&lock["servers"])
        .iter()
        .filter(|name| *name != "alpha")
    {
        assert_eq!(entry(&before, name), entry(&after, name), "{name}");
    }
    assert_ne!(entry(&before, "alpha"), entry(&after, "alpha"));
    project.expect(1, &["verify"]).says("gone");
}

#[test]
fn no_check_passes_without_a_comparison() {
    let Some(folder) = case("55-frozen-is-not-locked") else {
        return;
    };
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let project = Project::new();
    project.advertise(&[tool("read", &json!({}))]);
    let server = example("catalog_server");
    project.configure(&[("demo", &[&server, "--catalog", "catalog.json"])]);
    project.expect(2, &["verify"]).says("mcp-lock.toml");
    project.expect(0, &["pin"]);
    project.expect(0, &["verify"]).says("1 server, 1 item");
    let empty: Value = serde_json::from_str(&read("tools-empty.json")).unwrap();
    let tools = empty
        .get("tools")
        .or_else(|| empty["result"].get("tools"))
        .unwrap();
    project.write("catalog.json", json!({ "tools": tools }).to_string());
    project.expect(1, &["verify"]).says("read");
    project.write(".mcp.json", read("config-empty.json"));
    let run = project.run(&["verify"]);
    assert!([1, 2].contains(&run.code), "{}", run.stdout);
}
