//! A well-behaved MCP server over standard streams that serves a catalog from a file.
//!
//!     catalog_server --catalog FILE [--log FILE] [--page-size N] [--instructions TEXT]
//!                    [--name TEXT] [--version TEXT] [--expand]
//!
//! FILE is a JSON object with any of `tools`, `prompts`, `resources`, `resourceTemplates` (arrays)
//! and `instructions` (a string). It is read anew for every reply, so a test can change it between
//! two runs or in the middle of one. Items are served with the very bytes that the file has. The
//! capabilities are those of the lists that are in the file. Any revision with a handshake is
//! agreed to. With `--expand`, `@CWD@`, `@PID@` and `@VAR:NAME@` in FILE are what they are at the
//! moment. `--log` gets every message that was received, a line each.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[derive(Default)]
struct Settings {
    catalog: String,
    log: Option<File>,
    page_size: Option<usize>,
    instructions: Option<String>,
    name: Option<String>,
    version: Option<String>,
    expand: bool,
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        if flag == "--expand" {
            settings.expand = true;
            continue;
        }
        let value = args
            .next()
            .unwrap_or_else(|| panic!("{flag} needs a value"));
        match flag.as_str() {
            "--catalog" => settings.catalog = value,
            "--log" => {
                let file = OpenOptions::new().create(true).append(true).open(&value);
                settings.log = Some(file.expect("a log"));
            }
            "--page-size" => settings.page_size = Some(value.parse().expect("a number")),
            "--instructions" => settings.instructions = Some(value),
            "--name" => settings.name = Some(value),
            "--version" => settings.version = Some(value),
            _ => panic!("unknown flag {flag}"),
        }
    }
    settings
}

type Catalog = BTreeMap<String, Box<RawValue>>;

fn main() {
    let mut settings = settings();
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if let Some(log) = &mut settings.log {
            writeln!(log, "{line}").expect("the log is written");
        }
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else {
            continue;
        };
        let text = std::fs::read_to_string(&settings.catalog).expect("a catalog");
        let text = if settings.expand {
            expanded(&text)
        } else {
            text
        };
        let catalog: Catalog = serde_json::from_str(&text).expect("a catalog is an object");
        let reply = match answer(&settings, &catalog, method, &message["params"]) {
            Some(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
            None => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
            ),
        };
        // The catalog may hold line breaks between its members; a message may not.
        let reply = reply.replace(['\n', '\r'], " ");
        if writeln!(output, "{reply}")
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
    }
}

/// What the text says of the machine, put in.
fn expanded(text: &str) -> String {
    let folder = std::env::current_dir().expect("a working folder");
    let text = text
        .replace("@CWD@", &folder.display().to_string())
        .replace("@PID@", &std::process::id().to_string());
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("@VAR:") {
        let (name, tail) = after.split_once('@').expect("a closed variable");
        out.push_str(before);
        out.push_str(&std::env::var(name).unwrap_or_else(|_| "unset".to_owned()));
        rest = tail;
    }
    out + rest
}

fn answer(settings: &Settings, catalog: &Catalog, method: &str, params: &Value) -> Option<String> {
    match method {
        "ping" => Some("{}".to_owned()),
        "initialize" => Some(initialize(settings, catalog, params)),
        _ => {
            let (_, member) = LISTS.iter().find(|(list, _)| *list == method)?;
            let items: Vec<Box<RawValue>> =
                serde_json::from_str(catalog.get(*member)?.get()).expect("a list is an array");
            Some(page(settings, member, &items, params))
        }
    }
}

fn initialize(settings: &Settings, catalog: &Catalog, params: &Value) -> String {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let agreed = if REVISIONS.contains(&asked) {
        asked
    } else {
        REVISIONS[3]
    };
    let mut capabilities = serde_json::Map::new();
    for (member, capability) in [
        ("tools", "tools"),
        ("prompts", "prompts"),
        ("resources", "resources"),
        ("resourceTemplates", "resources"),
    ] {
        if catalog.contains_key(member) {
            capabilities.insert(capability.to_owned(), json!({}));
        }
    }
    let info = json!({
        "name": settings.name.as_deref().unwrap_or("catalog-server"),
        "version": settings.version.as_deref().unwrap_or("1.0.0"),
    });
    let instructions = match &settings.instructions {
        Some(text) => Some(to_raw_value(text).expect("text")),
        None => catalog.get("instructions").cloned(),
    };
    let instructions =
        instructions.map_or_else(String::new, |raw| format!(r#","instructions":{raw}"#));
    format!(
        r#"{{"protocolVersion":"{agreed}","capabilities":{},"serverInfo":{info}{instructions}}}"#,
        Value::Object(capabilities)
    )
}

fn page(settings: &Settings, member: &str, items: &[Box<RawValue>], params: &Value) -> String {
    let from = params["cursor"]
        .as_str()
        .map_or(0, |cursor| cursor.parse().expect("a cursor of ours"));
    let to = settings
        .page_size
        .map_or(items.len(), |size| (from + size).min(items.len()));
    let shown: Vec<&str> = items[from..to].iter().map(|item| item.get()).collect();
    let next = if to < items.len() {
        format!(r#","nextCursor":"{to}""#)
    } else {
        String::new()
    };
    format!(r#"{{"{member}":[{}]{next}}}"#, shown.join(","))
}
