//! Catalogs recorded from published servers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcplock::canonical::{Digest, canonical, contract, number};
use mcplock::catalog::{Catalog, Item, Kind, read_saved, write_saved};
use mcplock::json::{Value, parse};
use mcplock::protocol::{Fetched, List, Revision};
use serde_json::value::RawValue;

use super::suites::{files, suites};

/// Names and contents.
type Files = Vec<(PathBuf, Vec<u8>)>;

/// Every folder of the corpus that holds a list or a handshake, with its JSON files.
fn folders(root: &Path) -> Vec<(PathBuf, Files)> {
    let mut found = Vec::new();
    let mut open = vec![root.join("corpus")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("http") {
                open.push(path);
            }
        }
        // What a server listed after `list_changed` is a second listing: another catalog.
        let files: Vec<_> = files(&folder, ".json")
            .into_iter()
            .filter(|path| !path.ends_with("tools_after_list_changed.json"))
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        if files.iter().any(|(path, _)| !path.ends_with("meta.json")) {
            found.push((folder, files));
        }
    }
    found.sort();
    found
}

fn catalogs(what: &str) -> Option<Vec<(PathBuf, Catalog)>> {
    let root = suites(what)?;
    let read = |(folder, files): (PathBuf, Files)| {
        let catalog = read_saved(&files);
        (folder, catalog.unwrap_or_else(|error| panic!("{error}")))
    };
    Some(folders(&root).into_iter().map(read).collect())
}

#[test]
fn every_recorded_folder_reads_as_one_catalog_with_sound_items() {
    let Some(catalogs) = catalogs("recorded catalogs") else {
        return;
    };
    let items: Vec<&Item> = catalogs.iter().flat_map(|(_, c)| &c.items).collect();
    for item in &items {
        assert!(item.key.is_some(), "{}", item.raw);
        assert_eq!(item.document.defects, [], "{}", item.raw);
    }
    for (folder, catalog) in &catalogs {
        let told = catalog
            .remarks
            .iter()
            .filter(|told| !told.contains("meta.json"));
        assert_eq!(
            told.count(),
            0,
            "{}: {:?}",
            folder.display(),
            catalog.remarks
        );
        if folder.join("initialize.json").exists() {
            assert!(catalog.revision.is_some(), "{}", folder.display());
            assert!(catalog.implementation.is_some(), "{}", folder.display());
        }
    }
    let tools = items.iter().filter(|item| item.kind == Kind::Tool).count();
    println!(
        "{} folders, {} items, {tools} tools",
        catalogs.len(),
        items.len()
    );
    assert!(catalogs.len() >= 360, "{}", catalogs.len());
    assert!(tools >= 5_449, "{tools}");
}

#[test]
fn pages_of_a_recorded_list_are_put_together() {
    let Some(catalogs) = catalogs("recorded pages") else {
        return;
    };
    let paged = catalogs.iter().filter(|(folder, _)| {
        let text = fs::read_to_string(folder.join("resources.json"));
        text.is_ok_and(|text| text.trim_end().lines().count() == 10)
    });
    let mut count = 0;
    for (folder, catalog) in paged {
        assert_eq!(
            catalog.of_kind(Kind::Resource).count(),
            100,
            "{}",
            folder.display()
        );
        count += 1;
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn a_recorded_catalog_that_is_written_and_read_keeps_every_byte_of_its_items() {
    let Some(catalogs) = catalogs("writing recorded catalogs") else {
        return;
    };
    for (folder, catalog) in catalogs {
        let list = |kind: &Kind| List {
            kind: *kind,
            items: catalog.of_kind(*kind).map(|item| raw(&item.raw)).collect(),
        };
        let fetched = Fetched {
            revision: catalog.revision.unwrap_or(Revision::V2026_07_28),
            declared: Vec::new(),
            server_info: None,
            capabilities: None,
            instructions: None,
            lists: catalog.listed.iter().map(list).collect(),
            remarks: Vec::new(),
            doubts: Vec::new(),
        };
        let text = write_saved(&fetched);
        let read = read_saved(&[("saved.json", &text)]).unwrap();
        assert_eq!(read.items, catalog.items, "{}", folder.display());
        assert_eq!(read.listed, catalog.listed, "{}", folder.display());
        assert_eq!(read, Catalog::from_fetched(fetched), "{}", folder.display());
    }
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Whether a double holds every number of `value`, so that RFC 8785 alone keeps them.
fn doubles_hold(value: &Value) -> bool {
    match value {
        Value::Number(token) => {
            let double: f64 = token.as_str().parse().unwrap();
            let text = number::Decimal::parse(&format!("{double:e}"));
            double.is_finite() && text == number::Decimal::parse(token.as_str())
        }
        Value::Array(items) => items.iter().all(doubles_hold),
        Value::Object(object) => object.iter().all(|(_, member)| doubles_hold(member)),
        _ => true,
    }
}

#[test]
fn our_digests_are_those_of_another_jcs_library_wherever_doubles_hold_the_numbers() {
    let Some(catalogs) = catalogs("digests of recorded items") else {
        return;
    };
    let (mut compared, mut tools) = (0, 0);
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for item in catalogs.iter().flat_map(|(_, catalog)| &catalog.items) {
        let Some(value) = item.document.sound() else {
            *left_out.entry("not sound").or_default() += 1;
            continue;
        };
        if !doubles_hold(value) {
            *left_out.entry("a number that no double holds").or_default() += 1;
            continue;
        }
        let theirs: serde_json::Value = serde_json::from_str(&item.raw).unwrap();
        let theirs = serde_json_canonicalizer::to_vec(&theirs).unwrap();
        assert_eq!(
            Digest::of(canonical(value).as_bytes()),
            Digest::of(&theirs),
            "{}",
            item.raw
        );
        if item.kind != Kind::Resource {
            assert_eq!(
                contract(item).unwrap().digest,
                Digest::of(&theirs),
                "{}",
                item.raw
            );
        }
        compared += 1;
        tools += usize::from(item.kind == Kind::Tool);
    }
    println!("{compared} items compared ({tools} tools); left out: {left_out:?}");
    assert!(compared > 6_500, "{compared}");
}

#[test]
fn a_canonical_form_of_a_recorded_item_is_its_own_canonical_form() {
    let Some(catalogs) = catalogs("canonical forms of recorded items") else {
        return;
    };
    for item in catalogs.iter().flat_map(|(_, catalog)| &catalog.items) {
        let once = contract(item).unwrap().canonical;
        let again = parse(once.as_bytes(), &mcplock::json::Limits::default()).unwrap();
        assert_eq!(canonical(again.sound().unwrap()), once);
    }
}
