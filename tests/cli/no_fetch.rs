//! Nothing is fetched for a schema: a listener and a file that every reference names are never
//! visited, by no command.
#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::{Project, example};

/// Counts the connections to a port of this machine.
struct Listener {
    port: u16,
    visits: Arc<AtomicUsize>,
}

impl Listener {
    fn new() -> Self {
        let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = socket.local_addr().unwrap().port();
        let visits = Arc::new(AtomicUsize::new(0));
        let seen = visits.clone();
        std::thread::spawn(move || {
            for connection in socket.incoming() {
                seen.fetch_add(1, Ordering::SeqCst);
                drop(connection);
            }
        });
        Listener { port, visits }
    }

    fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }
}

/// Counts who opens a file: it is a pipe with a name, and opening it to write waits for someone who
/// opens it to read.
struct Trap {
    visits: Arc<AtomicUsize>,
}

impl Trap {
    fn new(path: &Path) -> Self {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success(), "mkfifo {}", path.display());
        let visits = Arc::new(AtomicUsize::new(0));
        let (seen, path) = (visits.clone(), path.to_owned());
        std::thread::spawn(move || {
            while let Ok(pipe) = OpenOptions::new().write(true).open(&path) {
                seen.fetch_add(1, Ordering::SeqCst);
                drop(pipe);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        Trap { visits }
    }

    fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }
}

fn wait_for(done: impl Fn() -> bool) {
    for _ in 0..500 {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never happened");
}

/// Every way to name the canaries in a schema that mcplock might be asked to follow.
fn catalog(port: u16, folder: &Path) -> Value {
    let http = format!("http://127.0.0.1:{port}");
    let file = folder.join("canary.json");
    let file = file.to_str().unwrap();
    let mut targets = vec![
        format!("{http}/a"),
        format!("{http}/a#/$defs/x"),
        format!("//127.0.0.1:{port}/b"),
        format!("file://{file}"),
        format!("file://localhost{file}#/x"),
        file.to_owned(),
        "canary.json".to_owned(),
        "./canary.json#/a".to_owned(),
    ];
    targets.push(format!("{}/../canary.json", folder.join("x").display()));
    let mut tools = Vec::new();
    let mut add = |schema: Value| {
        let name = format!("t{}", tools.len());
        tools.push(json!({ "name": name, "description": "Does it.", "inputSchema": schema }));
    };
    for target in &targets {
        add(json!({ "type": "object", "properties": { "a": { "$ref": target } } }));
        add(json!({ "type": "object", "$schema": target }));
        add(json!({ "type": "object", "allOf": [{ "$dynamicRef": target }] }));
        add(
            json!({ "$schema": "https://json-schema.org/draft/2019-09/schema", "type": "object",
            "not": { "$recursiveRef": target } }),
        );
        add(
            json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
            "properties": { "a": { "$ref": target } } }),
        );
        add(
            json!({ "type": "object", "$id": target, "properties": { "a": { "$ref": "other.json" } } }),
        );
        add(
            json!({ "type": "object", "$id": format!("{http}/base/"), "properties": {
            "a": { "$id": target, "$schema": target, "$ref": "x" } } }),
        );
        // sound ones, so that the later stages see them too
        let id = target.split('#').next().unwrap();
        add(
            json!({ "type": "object", "$id": id, "properties": { "a": { "$ref": "#/$defs/a" } },
            "$defs": { "a": { "type": "string" } } }),
        );
        add(
            json!({ "type": "object", "properties": { "$ref": { "type": "string" } },
            "default": { "$ref": target }, "examples": [{ "$ref": target }],
            "x-mcp": { "$ref": target }, "contentSchema": true, "format": target }),
        );
    }
    let n = tools.len();
    tools.push(
        json!({ "name": format!("t{n}"), "description": targets[0], "title": targets[3],
        "icons": [{ "src": targets[0] }, { "src": targets[3] }],
        "inputSchema": { "type": "object" },
        "outputSchema": { "type": "object", "properties": { "a": { "$ref": targets[0] } } },
        "_meta": { "$ref": targets[0] } }),
    );
    json!({
        "tools": tools,
        "prompts": [{ "name": "p", "description": targets[0], "icons": [{ "src": targets[0] }] }],
        "resources": [{ "name": "r", "uri": targets[0] }, { "name": "f", "uri": targets[3] }],
        "resourceTemplates": [{ "name": "x", "uriTemplate": format!("{http}/{{id}}") }],
        "instructions": targets[0],
    })
}

/// The sound ones of these tools: what can be pinned.
fn sound(catalog: &Value) -> Value {
    let mut sound = catalog.clone();
    let tools = sound["tools"].as_array_mut().unwrap();
    tools.retain(|tool| {
        let schema = &tool["inputSchema"];
        schema.get("$defs").is_some() || schema.get("x-mcp").is_some()
    });
    assert!(tools.len() > 10);
    sound
}

#[test]
fn the_traps_see_a_visit() {
    let project = Project::new();
    let (listener, trap) = (Listener::new(), Trap::new(&project.path("canary.json")));
    drop(std::net::TcpStream::connect(("127.0.0.1", listener.port)).unwrap());
    wait_for(|| listener.visits() == 1);
    drop(File::open(project.path("canary.json")).unwrap());
    wait_for(|| trap.visits() == 1);
}

#[test]
fn no_command_follows_a_reference_to_the_network_or_to_a_file() {
    let project = Project::new();
    let listener = Listener::new();
    let trap = Trap::new(&project.path("canary.json"));
    let hostile = catalog(listener.port, project.folder());
    let server = example("catalog_server");
    let words = [&server, "--catalog", "served.json"];
    project.configure(&[("canary", &words)]);
    let mut ran = 0;
    let mut run = |code: i32, args: &[&str]| {
        project.expect(code, args);
        assert_eq!(listener.visits(), 0, "mcplock {args:?} connected");
        assert_eq!(trap.visits(), 0, "mcplock {args:?} opened the file");
        ran += 1;
    };
    // what is sound can be pinned, and then everything drifts to what is not
    project.write("served.json", sound(&hostile).to_string());
    run(0, &["check"]);
    run(0, &["pin"]);
    run(0, &["verify"]);
    run(0, &["diff"]);
    run(0, &["fetch", "canary", "-o", "sound.json"]);
    run(0, &["verify", "canary", "--catalog", "sound.json"]);
    project.write("served.json", hostile.to_string());
    for args in [
        &["check"][..],
        &["check", "--format", "json", "--strict"],
        &["pin", "--yes"],
    ] {
        run(4, args);
    }
    run(1, &["verify"]);
    run(1, &["diff", "-v"]);
    run(0, &["fetch", "canary", "-o", "hostile.json"]);
    run(4, &["check", "--catalog", "hostile.json", "-v"]);
    run(1, &["verify", "canary", "--catalog", "hostile.json"]);
    run(1, &["diff", "canary", "--catalog", "hostile.json"]);
    run(1, &["diff", "--from", "sound.json", "--to", "hostile.json"]);
    run(1, &["diff", "--from", "hostile.json", "--to", "sound.json"]);
    run(
        0,
        &["diff", "--from", "mcp-lock.toml", "--to", "mcp-lock.toml"],
    );
    run(0, &["list"]);
    run(0, &["list", "--format", "json"]);
    run(0, &["explain", "external-ref"]);
    run(0, &["completions", "bash"]);
    run(0, &["demo"]);
    assert!(ran > 20);
}
