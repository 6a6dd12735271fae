//! Published servers that were recorded twice, in another environment: which of them are steady,
//! which are with volatile words, and which are not, and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::project::{Project, example};

const LISTS: [(&str, &str); 4] = [
    ("tools", "tools"),
    ("prompts", "prompts"),
    ("resources", "resources"),
    ("templates", "resourceTemplates"),
];

/// What became of one pair of recordings.
#[derive(Debug, PartialEq, Eq)]
enum Judged {
    Steady,
    Covered(usize),
    Open(Vec<String>),
}

/// The newest version of each package, as its folder and what its record says of variants.
fn newest() -> Vec<(PathBuf, Value)> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED servers recorded twice: MCPLOCK_SUITES is not set");
        return Vec::new();
    };
    let mut found = Vec::new();
    for package in folders(&PathBuf::from(suites).join("corpus")) {
        for version in folders(&package) {
            let Ok(text) = fs::read_to_string(version.join("meta.json")) else {
                continue;
            };
            let meta: Value = serde_json::from_str(&text).unwrap();
            if meta["variants"].is_object() {
                found.push((version, meta["variants"].clone()));
            }
        }
    }
    found
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The catalog of a recording: its lists, all pages of them. A list that is not in `folder` is the
/// one in `base`.
fn catalog(base: &Path, folder: &Path) -> Value {
    let read = |file: &str| {
        let path = [folder.join(file), base.join(file)];
        let path = path.iter().find(|path| path.exists())?;
        Some(fs::read_to_string(path).unwrap())
    };
    let mut catalog = json!({});
    for (file, member) in LISTS {
        let Some(text) = read(&format!("{file}.json")) else {
            continue;
        };
        let pages = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let items: Vec<Value> = pages
            .flat_map(|page| {
                page["result"][member]
                    .as_array()
                    .cloned()
                    .unwrap_or_default()
            })
            .collect();
        catalog[member] = Value::Array(items);
    }
    let hello = ["discover.json", "initialize.json"]
        .iter()
        .find_map(|file| read(file));
    if let Some(hello) = hello {
        let hello: Value = serde_json::from_str(hello.lines().next().unwrap()).unwrap();
        if let Some(text) = hello["result"]["instructions"].as_str() {
            catalog["instructions"] = json!(text);
        }
    }
    catalog
}

/// Pins a server that gives the one catalog at its first start and the other at its second.
fn judged(one: &Value, two: &Value) -> Judged {
    let project = Project::new();
    project.write("one.json", one.to_string());
    project.write("two.json", two.to_string());
    let server = example("catalog_server");
    let script = format!(
        "if [ -e ran ]; then rm ran; exec {server} --catalog two.json; fi; : > ran; exec {server} --catalog one.json"
    );
    // Written through the links of the second start into the same folder.
    project.write("run/keep", "");
    let script = script.replace("ran", "run/ran");
    project.configure(&[("recorded", &["sh", "-c", &script])]);
    let run = project.run(&["pin", "--twice", "--format", "json"]);
    let report = run.json();
    let server = &report["servers"][0];
    match run.code {
        0 => return Judged::Steady,
        // A catalog with an unfit item is not compared.
        4 => return Judged::Open(vec!["a contract is unfit before any comparison".to_owned()]),
        code => assert_eq!(code, 1, "{report:#}"),
    }
    let unsteady = &server["unsteady"];
    let open: Vec<String> = unsteady["open"]
        .as_array()
        .unwrap()
        .iter()
        .map(|open| open["why"].as_str().unwrap().to_owned())
        .collect();
    let words = unsteady["volatile"].as_array().unwrap();
    let mut policy = String::from("[[server]]\nname = \"recorded\"\nvolatile = [\n");
    for rule in words {
        // JSON strings of these are TOML strings too.
        let _ = writeln!(
            policy,
            "{{ item = {}, pointer = {}, pattern = {} }},",
            rule["item"], rule["pointer"], rule["pattern"]
        );
    }
    project.write("mcplock.toml", policy + "]\n");
    let again = project.run(&["pin", "--twice", "--format", "json"]);
    if open.is_empty() {
        assert_eq!(again.code, 0, "the entries cover it all: {}", again.stdout);
        Judged::Covered(words.len())
    } else {
        let left = again.json();
        let left = &left["servers"][0]["unsteady"];
        assert_eq!(left["volatile"], json!([]), "no word is left: {left:#}");
        Judged::Open(open)
    }
}

#[test]
fn servers_recorded_twice_are_steady_or_covered_or_told_with_a_reason() {
    // For each way of recording: recorded, steady, covered, open.
    let mut table: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    let mut lines = Vec::new();
    for (folder, variants) in newest() {
        let name = folder
            .parent()
            .unwrap()
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        for variant in variants.as_object().unwrap().keys() {
            if variant.ends_with("_errors") {
                continue;
            }
            let row = table.entry(variant.clone()).or_default();
            row[0] += 1;
            let other = folder.join("variants").join(variant);
            let (one, two) = (catalog(&folder, &folder), catalog(&folder, &other));
            if one == two {
                row[1] += 1;
                continue;
            }
            match judged(&one, &two) {
                Judged::Steady => row[1] += 1,
                Judged::Covered(count) => {
                    row[2] += 1;
                    lines.push(format!(
                        "{variant:<11} {name}: {count} volatile entries cover it"
                    ));
                }
                Judged::Open(mut reasons) => {
                    row[3] += 1;
                    let count = reasons.len();
                    reasons.sort();
                    reasons.dedup();
                    lines.push(format!(
                        "{variant:<11} {name}: {count} left: {}",
                        reasons.join("; ")
                    ));
                }
            }
        }
    }
    if table.is_empty() {
        return;
    }
    eprintln!("variant     recorded  steady  with words  not");
    for (variant, [recorded, steady, covered, open]) in &table {
        eprintln!("{variant:<11} {recorded:>8}  {steady:>6}  {covered:>10}  {open:>3}");
        assert_eq!(*recorded, steady + covered + open);
    }
    for line in &lines {
        eprintln!("{line}");
    }
    // Words that depend on the machine, the day or chance are words: none is left open.
    for variant in ["same", "env"] {
        let [recorded, _, covered, open] = table[variant];
        assert!(recorded > 80 && covered > 0, "{variant}");
        assert_eq!(open, 0, "{variant}");
    }
}
