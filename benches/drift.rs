//! Two catalogs of 1,000 tools compared and judged: one in which most tools were edited, one in
//! which every tool was renamed, one that is equal.
//!
//! Takes recorded tools when `MCPLOCK_SUITES` names their folder, else makes some up, and says which.
//! The whole command, reading included: save two such lists as `{"tools": […]}` and time
//! `mcplock diff --from OLD --to NEW --format json`.

#[path = "../tests/support/pinned.rs"]
mod pinned;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use mcplock::compare::{Live, compare};
use mcplock::lock::Entry;
use mcplock::rules::judge;
use serde_json::{Value, json};

const TOOLS: usize = 1_000;

/// The newest recorded tools of every server; none where they are not at hand.
fn recorded() -> Vec<Value> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        return Vec::new();
    };
    let folders = |path: &Path| -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = fs::read_dir(path)
            .into_iter()
            .flatten()
            .map_while(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir())
            .collect();
        found.sort();
        found
    };
    let mut tools = Vec::new();
    for package in folders(&Path::new(&suites).join("corpus")) {
        let text = folders(&package)
            .iter()
            .rev()
            .find_map(|version| fs::read_to_string(version.join("tools.json")).ok());
        for line in text.iter().flat_map(|text| text.lines()) {
            let page: Value = serde_json::from_str(line).unwrap_or_default();
            tools.extend(
                page["result"]["tools"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default(),
            );
        }
    }
    tools
}

fn made_up() -> Vec<Value> {
    let tool = |i: usize| {
        json!({
            "name": format!("tool_{i}"),
            "description": format!("Does the thing with the number {i}, and says how it went."),
            "inputSchema": { "type": "object", "required": ["path"], "properties": {
                "path": { "type": "string", "description": format!("Where number {i} is") },
                "limit": { "type": "integer", "minimum": 1, "maximum": i + 1 },
                "mode": { "enum": ["fast", "safe"] } } },
        })
    };
    (0..TOOLS).map(tool).collect()
}

fn entry(tools: &[Value]) -> Entry {
    pinned::entry(&json!({ "tools": tools }).to_string())
}

fn edited(tools: &[Value]) -> Vec<Value> {
    let mut tools = tools.to_vec();
    for (i, tool) in tools.iter_mut().enumerate() {
        match i % 4 {
            0 => tool["description"] = json!("Other words than before."),
            1 => tool["inputSchema"]["additionalProperties"] = json!(false),
            2 => {
                let map = tool["inputSchema"]["properties"].as_object_mut();
                if let Some((map, name)) = map.and_then(|map| {
                    let name = map.keys().next()?.clone();
                    Some((map, name))
                }) {
                    let schema = map.remove(&name).unwrap_or_default();
                    map.insert(format!("{name}_id"), schema);
                }
            }
            _ => {}
        }
    }
    tools
}

fn renamed(tools: &[Value]) -> Vec<Value> {
    let mut tools = tools.to_vec();
    for (i, tool) in tools.iter_mut().enumerate() {
        tool["name"] = json!(format!("other_{}", (i * 7_919) % 100_003));
        tool["description"] = json!(format!(
            "{} At last.",
            tool["description"].as_str().unwrap_or_default()
        ));
    }
    tools.reverse();
    tools
}

fn drift(criterion: &mut Criterion) {
    let mut tools = recorded();
    let source = if tools.len() < TOOLS {
        "made up"
    } else {
        "recorded"
    };
    if tools.len() < TOOLS {
        tools = made_up();
    }
    tools.truncate(TOOLS);
    for (i, tool) in tools.iter_mut().enumerate() {
        let name = tool["name"].as_str().unwrap_or_default().to_owned();
        tool["name"] = json!(format!("{name}_{i}"));
    }
    let old = entry(&tools);
    let mut group = criterion.benchmark_group(format!("1,000 tools ({source})"));
    group.sample_size(10);
    for (what, new) in [
        ("equal", tools.clone()),
        ("edited", edited(&tools)),
        ("all renamed", renamed(&tools)),
    ] {
        let new = entry(&new);
        group.bench_function(what, |bencher| {
            bencher.iter(|| {
                let comparison = compare(black_box(&old), &Live::from(black_box(&new)));
                let judged = comparison
                    .drifts
                    .iter()
                    .map(|drift| judge("server", drift).len());
                judged.sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, drift);
criterion_main!(benches);
