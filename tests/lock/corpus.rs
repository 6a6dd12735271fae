//! Catalogs of published servers: pinned, written, read, written again.

use std::collections::BTreeMap;
use std::path::Path;

use mcplock::catalog::{Item, Kind};
use mcplock::config::{Launch, ServerName, Target};
use mcplock::lock::{Lockfile, Words, build_entry, decode, encode};
use mcplock::protocol::Revision;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::input;

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow)]
    result: BTreeMap<String, &'a RawValue>,
}

fn items(folder: &Path) -> Vec<Item> {
    let files = [
        "tools.json",
        "prompts.json",
        "resources.json",
        "templates.json",
    ];
    let mut items = Vec::new();
    for (kind, file) in Kind::ALL.into_iter().zip(files) {
        let Ok(text) = std::fs::read_to_string(folder.join(file)) else {
            continue;
        };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let reply: Reply<'_> = serde_json::from_str(line).unwrap();
            let Some(list) = reply.result.get(kind.list_member()) else {
                continue;
            };
            let list: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap();
            items.extend(list.iter().map(|raw| input::item(kind, 0, raw.get())));
        }
    }
    items
}

#[test]
fn every_recorded_catalog_is_pinned_to_the_same_bytes_twice() {
    let Some(root) = std::env::var_os("MCPLOCK_SUITES") else {
        println!("SKIPPED: MCPLOCK_SUITES is not set, no recorded catalog was pinned");
        return;
    };
    let launch = Launch {
        target: Target::Command(vec!["run".to_owned()]),
        cwd: None,
        env: Vec::new(),
        env_values: BTreeMap::new(),
    };
    let (mut catalogs, mut pinned, mut bytes) = (0, 0, 0);
    for package in std::fs::read_dir(Path::new(&root).join("corpus")).unwrap() {
        let package = package.unwrap().path();
        if !package.is_dir() {
            continue;
        }
        for version in std::fs::read_dir(&package).unwrap() {
            let version = version.unwrap().path();
            let items = items(&version);
            if items.is_empty() {
                continue;
            }
            let count = items.len();
            let what = version.display();
            let build = |items| {
                let name = ServerName::new("server").unwrap();
                let catalog = input::catalog(Revision::V2025_11_25, items);
                build_entry(&name, None, &launch, &catalog, &Words::default())
                    .unwrap_or_else(|not| panic!("{what}: {not:?}"))
                    .entry
            };
            let mut backwards = items.clone();
            backwards.reverse();
            let lockfile = Lockfile {
                entries: vec![build(items)],
            };
            let text = encode(&lockfile);
            let read = decode(text.as_bytes())
                .unwrap_or_else(|error| panic!("{what}: {error}"))
                .into_lockfile();
            assert_eq!(read, lockfile, "{what}");
            assert!(encode(&read) == text, "{what}");
            let again = Lockfile {
                entries: vec![build(backwards)],
            };
            assert!(encode(&again) == text, "{what}: the order of a list counts");
            catalogs += 1;
            pinned += count;
            bytes += text.len();
        }
    }
    println!("{catalogs} catalogs, {pinned} items, {bytes} bytes of lockfiles");
    assert!(catalogs > 100, "only {catalogs} catalogs were found");
}
