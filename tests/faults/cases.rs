//! Reports from the field about connections, replayed with their own bytes, through the program.
//!
//! Found through `MCPLOCK_SUITES`, skipped aloud without it.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;

use crate::project::{AT_ONCE, Kind, Project, TOKEN, server};
use crate::rogue_server::{Canary, RogueServer};
use crate::watch::Watched;

/// The folder of a case, if the cases are there.
fn case(name: &str) -> Option<PathBuf> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        println!("SKIPPED: MCPLOCK_SUITES is not set, so case {name} is not replayed");
        return None;
    };
    let folder = PathBuf::from(suites).join("cases").join(name);
    assert!(folder.is_dir(), "{} is not there", folder.display());
    Some(folder)
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Pins the server that goes wrong, which nobody has pinned before.
fn pin(project: &Project, flags: &[&str]) -> Watched {
    let lockfile = project.path("mcp-lock.toml");
    if lockfile.exists() {
        std::fs::remove_file(lockfile).unwrap();
    }
    let mut args = vec!["pin", "faulty", "--format", "json"];
    args.extend(flags);
    project.run(&args, AT_ONCE)
}

/// The same, which must end well, with these tools in the lockfile; and the digest of the first.
#[track_caller]
fn pins(project: &Project, flags: &[&str], tools: &[&str]) -> String {
    let run = pin(project, flags);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let lockfile = project.read("mcp-lock.toml");
    let read: toml::Table = toml::from_str(&lockfile).unwrap();
    let pinned = read["server"][0]["tool"].as_array().unwrap();
    let names: Vec<&str> = pinned
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, tools, "{lockfile}");
    assert_eq!(project.run(&["verify", "faulty"], AT_ONCE).code, Some(0));
    pinned[0]["contract"].as_str().unwrap().to_owned()
}

/// What stands of the server in a report.
fn faulty(run: &Watched) -> Value {
    server(&run.json(), "faulty").clone()
}

/// The Python that runs here, which a test's own `PATH` may not reach.
fn python() -> String {
    let asked = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .unwrap();
    String::from_utf8(asked.stdout).unwrap().trim().to_owned()
}

/// A server that is this line of shell.
fn shell(line: &str) -> Project {
    let project = Project::pinned(Kind::Stdio);
    project.script(&format!("#!/bin/sh\n{line}\n"), 0o755);
    project
}

/// A server that writes a file and goes on reading, or ends.
fn dump(folder: &Path, then: &str) -> Project {
    shell(&format!(
        "cat {}; {then}",
        folder.join("server-stdout.raw").display()
    ))
}

/// A server that plays its part of a recorded exchange.
fn replay(transcript: &Path) -> Project {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/replay.py");
    let (python, script) = (python(), script.display().to_string());
    shell(&format!(
        "exec {python} -u {script} {}",
        transcript.display()
    ))
}

fn remote(server: &RogueServer, kind: Kind) -> Project {
    let mut project = Project::pinned(kind);
    project.set("FAULTS_URL", &server.url);
    project
}

#[test]
fn log_lines_on_standard_output_are_told_and_nothing_is_lost() {
    let Some(folder) = case("32-log-lines-on-stdout") else {
        return;
    };
    let project = dump(&folder, "cat > /dev/null");
    pins(&project, &[], &["ping"]);
    let run = project.run(&["verify", "faulty", "--format", "json"], AT_ONCE);
    let notes = faulty(&run)["notes"].to_string();
    assert!(notes.contains("no JSON-RPC and skipped"), "{notes}");
    let run = pin(&project, &["--strict-stdout"]);
    assert_eq!(run.code, Some(3), "{}", run.stdout);
}

#[test]
fn a_byte_order_mark_and_crlf_are_no_trouble() {
    let Some(folder) = case("33-bom-and-crlf") else {
        return;
    };
    pins(&dump(&folder, "cat > /dev/null"), &[], &["ping"]);
}

#[test]
fn an_early_end_with_code_zero_is_told_at_once_with_its_last_words_but_no_secret() {
    let Some(folder) = case("34-exits-early-with-code-zero") else {
        return;
    };
    // The secret that the server was given is the one that it prints.
    let mut project = shell(&format!(
        "exec {} {}",
        python(),
        folder.join("server.py").display()
    ));
    project.set("FAULTS_TOKEN", "abcd1234secret");
    let run = pin(&project, &[]);
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    let error = faulty(&run)["error"].clone();
    assert!(
        error["message"].to_string().contains("exit code 0"),
        "{error}"
    );
    assert!(
        error["detail"]
            .to_string()
            .contains("config missing: TOKEN="),
        "{error}"
    );
    let whole = format!("{}{}", run.stdout, run.stderr);
    assert!(!whole.contains("abcd1234secret"), "{whole}");
    assert!(!project.path("mcp-lock.toml").exists());
    // The start time-out is 60 s; the rest is the machine's.
    assert!(run.took < Duration::from_secs(15), "{:?}", run.took);
}

#[test]
fn a_flood_on_standard_error_blocks_nothing_and_is_not_kept() {
    let Some(folder) = case("35-stderr-flood") else {
        return;
    };
    let script = folder.join("server.py");
    let project = shell(&format!("exec {} -u {}", python(), script.display()));
    pins(&project, &[], &["ping"]);
    let run = project.run(&["verify", "faulty"], AT_ONCE);
    assert!(run.peak < 64 << 10, "{} KiB", run.peak);
}

#[test]
fn a_refused_stream_and_a_refused_farewell_are_normal() {
    let Some(folder) = case("40-get-405-is-fine") else {
        return;
    };
    let steps = lines(&folder.join("http.jsonl"));
    let server = RogueServer::new(move |request, out| {
        let step = steps.iter().find(|step| {
            let wanted = &step["request"];
            wanted["method"] == *request.method
                && wanted["body"]["method"].as_str().unwrap_or_default()
                    == request.body["method"].as_str().unwrap_or_default()
        });
        let Some(step) = step else { return false };
        for (name, value) in step["request"]["headers"].as_object().into_iter().flatten() {
            assert_eq!(request.headers[name], value.as_str().unwrap());
        }
        let reply = &step["reply"];
        let headers = reply["headers"].as_object().into_iter().flatten();
        let headers: Vec<String> = headers
            .map(|(name, value)| format!("{name}: {}", value.as_str().unwrap()))
            .collect();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let mut body = reply["body"].clone();
        let text = if body.is_null() {
            String::new()
        } else {
            body["id"] = request.body["id"].clone();
            body.to_string()
        };
        out.reply(&format!("{} X", reply["status"]), &headers, &text);
        true
    });
    pins(&remote(&server, Kind::Http), &[], &["ping"]);
    assert_eq!(server.times("DELETE"), 2, "of pin and of verify");
}

#[test]
fn redirects_of_the_field_are_followed_or_refused_as_they_should() {
    let Some(folder) = case("42-redirects-and-trailing-slash") else {
        return;
    };
    for step in lines(&folder.join("http.jsonl")) {
        let from = step["request"]["path"].as_str().unwrap().to_owned();
        let status = step["reply"]["status"].to_string();
        let location = step["reply"]["headers"]["location"]
            .as_str()
            .unwrap()
            .to_owned();
        let path = from.clone();
        let mut server = RogueServer::new(move |request, out| {
            let first = request.path == from;
            if first {
                let location = format!("Location: {location}");
                out.reply(&format!("{status} X"), &[&location], "");
            }
            first
        });
        server.url = server.url.replace("/mcp", &path);
        let project = remote(&server, Kind::HttpToken);
        let name = step["case"].as_str().unwrap();
        if name == "same-origin-307" {
            pins(&project, &[], &["ping"]);
            let last = server.requests().pop().unwrap();
            assert_eq!(last.headers["authorization"], format!("Bearer {TOKEN}"));
        } else {
            let run = pin(&project, &[]);
            assert_eq!(run.code, Some(3), "{name}: {}", run.stdout);
            let message = faulty(&run)["error"]["message"].to_string();
            assert!(message.contains("redirects"), "{name}: {message}");
            assert!(server.requests().len() <= 6, "{name}");
            assert_eq!(server.times("GET"), 0, "{name}");
        }
    }
}

#[test]
fn streams_of_the_field_give_their_one_tool() {
    let Some(folder) = case("43-sse-comments-pings-multiline") else {
        return;
    };
    for file in ["stream.raw", "stream-crlf.raw"] {
        let stream = std::fs::read_to_string(folder.join(file)).unwrap();
        let carriage = stream.replace("\r\n", "\n").replace('\n', "\r");
        for stream in [stream, carriage] {
            let server = RogueServer::new(move |request, out| {
                let list = request.asks() == "tools/list";
                if list {
                    let id = format!("\"id\":{},", request.body["id"]);
                    out.events();
                    out.raw(stream.replace("\"id\":2,", &id));
                }
                list
            });
            pins(
                &remote(&server, Kind::Http),
                &["--protocol", "2025-06-18"],
                &["ping"],
            );
        }
    }
}

#[test]
fn a_server_that_asks_first_is_answered_whatever_its_ids() {
    let Some(folder) = case("45-server-asks-first") else {
        return;
    };
    let project = Project::pinned(Kind::Stdio);
    // The report is of a client without roots; this one declares them, so it tells its folder.
    let root = project.path("").canonicalize().unwrap();
    let root = format!("file://{}", root.display());
    let mut steps = lines(&folder.join("transcript.jsonl"));
    let asked = steps
        .iter()
        .position(|step| step["msg"]["method"] == "roots/list")
        .unwrap();
    let answer = &mut steps[asked + 1]["msg"];
    answer.as_object_mut().unwrap().remove("error");
    answer["result"] = serde_json::json!({ "roots": [{ "uri": root }] });
    let text: Vec<String> = steps.iter().map(Value::to_string).collect();
    project.write("transcript.jsonl", text.join("\n"));
    let replaying = replay(Path::new("transcript.jsonl"));
    let script = std::fs::read_to_string(replaying.path("bin/faulty")).unwrap();
    project.script(&script, 0o755);
    // The recording begins with the handshake, so the server ends on the question before it.
    let run = pin(&project, &[]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let notes = faulty(&run)["notes"].to_string();
    assert!(
        notes.contains("`sampling/createMessage` (1 time)"),
        "{notes}"
    );
    assert!(project.read("mcp-lock.toml").contains("name = \"ping\""));
}

#[test]
fn pages_are_read_to_their_end_and_one_that_has_none_is_an_error() {
    let (Some(all), Some(never)) = (case("25-pages-ignored"), case("24-cursor-does-not-advance"))
    else {
        return;
    };
    let project = replay(&all.join("transcript.jsonl"));
    let run = pin(&project, &[]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let lockfile = project.read("mcp-lock.toml");
    for name in ["a", "b", "c"] {
        assert!(
            lockfile.contains(&format!("name = \"{name}\"")),
            "{lockfile}"
        );
    }
    let project = replay(&never.join("transcript.jsonl"));
    let run = pin(&project, &[]);
    assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
    let message = faulty(&run)["error"]["message"].to_string();
    assert!(message.contains("a second time"), "{message}");
    assert!(!project.path("mcp-lock.toml").exists());
}

#[test]
fn both_eras_of_the_field_give_the_same_contract() {
    let Some(folder) = case("47-discover-then-initialize") else {
        return;
    };
    let steps = lines(&folder.join("modern.jsonl"));
    let (discovered, listed) = (steps[1]["msg"].clone(), steps[3]["msg"].clone());
    let tool = listed["result"]["tools"][0].to_string();
    let replayed = |message: &Value, id: &Value| {
        let mut message = message.clone();
        message["id"] = id.clone();
        message.to_string()
    };
    let modern = RogueServer::new(move |request, out| {
        let message = match request.asks() {
            "server/discover" => &discovered,
            "tools/list" => &listed,
            other => panic!("a server of the new era was asked for {other}"),
        };
        out.json(&replayed(message, &request.body["id"]));
        true
    });
    let project = remote(&modern, Kind::Http);
    let digest = pins(&project, &[], &["ping"]);
    assert!(
        project
            .read("mcp-lock.toml")
            .contains("protocol = \"2026-07-28\"")
    );
    let mut seen = 0;
    for step in lines(&folder.join("legacy-replies.jsonl")) {
        let error = step["reply"].clone();
        if error.is_null() || error["error"]["code"] == -32022 {
            // Silence is for pipes, and the last one is a server of the new era.
            continue;
        }
        seen += 1;
        let status = step["http_status"].as_u64().unwrap_or(200);
        let tools = Mutex::new(format!(r#"{{"tools":[{tool}]}}"#));
        let legacy = RogueServer::new(move |request, out| {
            match request.asks() {
                "server/discover" => out.reply(
                    &format!("{status} X"),
                    &["Content-Type: application/json"],
                    &replayed(&error, &request.body["id"]),
                ),
                "tools/list" => out.json(&request.result(&tools.lock().unwrap())),
                _ => return false,
            }
            true
        });
        let project = remote(&legacy, Kind::Http);
        assert_eq!(pins(&project, &[], &["ping"]), digest, "{step}");
        assert!(
            project
                .read("mcp-lock.toml")
                .contains("protocol = \"2025-06-18\"")
        );
    }
    assert!(seen >= 3, "{seen}");
}

#[test]
fn a_literal_address_of_the_sixth_protocol_is_reached() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        println!("SKIPPED: this machine has no IPv6");
        return;
    }
    let server = RogueServer::listening("[::1]", None, |_, _| false);
    let mut project = remote(&server, Kind::HttpToken);
    // No proxy is asked for the machine itself, whatever its name.
    let canary = Canary::new();
    project.set("ALL_PROXY", &canary.origin());
    pins(&project, &[], &["ping"]);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.headers["host"].starts_with("[::1]:"))
    );
    canary.is_unvisited();
}
