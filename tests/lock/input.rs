//! From JSON descriptions of servers and their catalogs to what the lockfile is built from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcplock::catalog::{Catalog, Instructions, Item, Kind};
use mcplock::config::{Launch, ServerName, Target};
use mcplock::json::{Limits, Value, parse};
use mcplock::lock::{Built, Entry, Lockfile, Volatile, Words, build_entry};
use mcplock::protocol::Revision;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input<'a> {
    #[serde(borrow)]
    servers: Vec<Server<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server<'a> {
    name: String,
    profile: Option<String>,
    #[serde(default)]
    command: Vec<String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    cwd: Option<String>,
    #[serde(default)]
    env: Vec<String>,
    #[serde(default)]
    env_values: BTreeMap<String, String>,
    protocol: String,
    #[serde(default)]
    capabilities: Vec<String>,
    implementation: Option<String>,
    #[serde(borrow)]
    instructions: Option<&'a RawValue>,
    #[serde(default)]
    volatile: Vec<Rule>,
    #[serde(default, borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    prompts: Vec<&'a RawValue>,
    #[serde(default, borrow)]
    resources: Vec<&'a RawValue>,
    #[serde(default, borrow, rename = "resourceTemplates")]
    templates: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    item: String,
    pointer: String,
    pattern: String,
}

/// The folder of golden files.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/lock/v1")
}

/// The names of golden files without their endings.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".json").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

/// The lockfile that a description stands for.
pub(crate) fn built(name: &str) -> Lockfile {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    lockfile(&text)
}

/// The lockfile that a description stands for.
pub(crate) fn lockfile(text: &str) -> Lockfile {
    let input: Input<'_> = serde_json::from_str(text).unwrap();
    let mut lockfile = Lockfile::default();
    for server in &input.servers {
        let built = build(server);
        assert_eq!(built.odd_rules, [], "{}", server.name);
        lockfile.put(built.entry);
    }
    assert_eq!(lockfile.entries.len(), input.servers.len());
    lockfile
}

/// The one entry of a description.
pub(crate) fn entry(text: &str) -> Entry {
    let mut lockfile = lockfile(text);
    assert_eq!(lockfile.entries.len(), 1);
    lockfile.entries.remove(0)
}

/// A server with the name of its program and tools with these names and descriptions.
pub(crate) fn server(name: &str, tools: &[(&str, &str)]) -> Entry {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let tools: Vec<String> = tools
        .iter()
        .map(|(tool, words)| {
            format!(
                r#"{{"name":{},"description":{},"inputSchema":{{"type":"object"}}}}"#,
                quoted(tool),
                quoted(words)
            )
        })
        .collect();
    entry(&format!(
        r#"{{"servers":[{{"name":{0},"command":[{0}],"protocol":"2025-11-25","tools":[{1}]}}]}}"#,
        quoted(name),
        tools.join(",")
    ))
}

/// An item as a catalog holds it.
pub(crate) fn item(kind: Kind, position: usize, raw: &str) -> Item {
    let document = parse(raw.as_bytes(), &Limits::default()).unwrap();
    let key = document.value.get(kind.key_member());
    Item {
        kind,
        key: key.and_then(Value::as_str).map(str::to_owned),
        position,
        raw: raw.into(),
        document,
    }
}

/// A catalog of these items.
pub(crate) fn catalog(revision: Revision, items: Vec<Item>) -> Catalog {
    Catalog {
        revision: Some(revision),
        declared: Vec::new(),
        implementation: None,
        instructions: Instructions::Absent,
        listed: Kind::ALL.to_vec(),
        unknown: Vec::new(),
        items,
        remarks: Vec::new(),
        doubts: Vec::new(),
    }
}

fn build(server: &Server<'_>) -> Built {
    let launch = Launch {
        target: match &server.url {
            None => Target::Command(server.command.clone()),
            Some(url) => Target::Url {
                url: url.clone(),
                headers: server.headers.clone(),
            },
        },
        cwd: server.cwd.clone(),
        env: server.env.clone(),
        env_values: server.env_values.clone(),
    };
    let lists = [
        &server.tools,
        &server.prompts,
        &server.resources,
        &server.templates,
    ];
    let items = Kind::ALL.into_iter().zip(lists).flat_map(|(kind, list)| {
        list.iter()
            .enumerate()
            .map(move |(position, raw)| item(kind, position, raw.get()))
    });
    let mut catalog = catalog(Revision::parse(&server.protocol).unwrap(), items.collect());
    catalog.declared.clone_from(&server.capabilities);
    catalog.implementation.clone_from(&server.implementation);
    if let Some(raw) = server.instructions {
        let document = parse(raw.get().as_bytes(), &Limits::default()).unwrap();
        catalog.instructions = Instructions::Present(document);
    }
    let rules: Vec<Volatile> = server
        .volatile
        .iter()
        .map(|rule| Volatile {
            item: rule.item.clone(),
            pointer: rule.pointer.clone(),
            pattern: rule.pattern.clone(),
        })
        .collect();
    build_entry(
        &ServerName::new(&server.name).unwrap(),
        server.profile.as_deref(),
        &launch,
        &catalog,
        &Words::compile(&rules).unwrap(),
    )
    .unwrap()
}
