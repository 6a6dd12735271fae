//! Raw bytes of an item to its digests, beside `serde_json::Value`, a JCS library and SHA-256.
//!
//! Measures the recorded catalogs when `MCPLOCK_SUITES` names their folder, else a few made-up
//! tools, and says which. Ours does more for its time: it keeps number text, finds duplicate keys
//! and gives three digests; `one digest` is the like for like.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcplock::canonical::{Digest, canonical, contract};
use mcplock::catalog::{Item, Kind, read_saved};
use mcplock::json::{Limits, parse};

/// The newest recorded version of each package is enough; all of them only repeat it.
fn recorded(root: &Path) -> Vec<Item> {
    let folders = |path: PathBuf| {
        let mut found: Vec<PathBuf> = fs::read_dir(path)
            .into_iter()
            .flatten()
            .map_while(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir())
            .collect();
        found.sort();
        found
    };
    let mut items = Vec::new();
    for package in folders(root.join("corpus")) {
        let Some(version) = folders(package).pop() else {
            continue;
        };
        for list in ["tools", "prompts", "resources", "templates"] {
            let path = version.join(list).with_extension("json");
            if let Ok(text) = fs::read(&path)
                && let Ok(catalog) = read_saved(&[(&path, text)])
            {
                items.extend(catalog.items);
            }
        }
    }
    items
}

fn made_up() -> Vec<Item> {
    let property = r#"{"type":"string","description":"Where to look, and \"how\"","minLength":1}"#;
    let tool = |i: usize| {
        let properties: Vec<String> = (0..i % 12)
            .map(|n| format!(r#""p{n}":{property}"#))
            .collect();
        let text = format!(
            r#"{{"name":"tool_{i}","description":"{}","inputSchema":{{"type":"object","properties":{{{}}},"additionalProperties":false}}}}"#,
            "What it does. ".repeat(i % 40),
            properties.join(",")
        );
        Item::new(Kind::Tool, i, text.into())
    };
    (0..500).map(tool).collect()
}

fn digests(c: &mut Criterion) {
    let (items, from) = match std::env::var_os("MCPLOCK_SUITES") {
        Some(root) => (recorded(Path::new(&root)), "recorded"),
        None => (made_up(), "made-up (MCPLOCK_SUITES is not set)"),
    };
    let bytes: usize = items.iter().map(|item| item.raw.len()).sum();
    let mut group = c.benchmark_group(format!("{} {from} items, {bytes} bytes", items.len()));
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("three digests (the product)", |b| {
        b.iter(|| {
            for item in &items {
                let item = Item::new(item.kind, item.position, item.raw.clone());
                black_box(contract(&item));
            }
        });
    });
    group.bench_function("one digest", |b| {
        b.iter(|| {
            for item in &items {
                if let Ok(document) = parse(item.raw.as_bytes(), &Limits::default()) {
                    black_box(Digest::of(canonical(&document.value).as_bytes()));
                }
            }
        });
    });
    group.bench_function("serde_json::Value and serde_json_canonicalizer", |b| {
        b.iter(|| {
            for item in &items {
                if let Ok(value) = serde_json::from_slice::<serde_json::Value>(item.raw.as_bytes())
                    && let Ok(text) = serde_json_canonicalizer::to_vec(&value)
                {
                    black_box(Digest::of(&text));
                }
            }
        });
    });
    group.finish();
}

criterion_group!(benches, digests);
criterion_main!(benches);
