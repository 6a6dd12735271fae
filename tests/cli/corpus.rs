//! Catalogs of published servers, version against version: no crash, and a table of what would
//! fail a build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcplock::catalog::read_saved;
use mcplock::config::{Launch, ServerName, Target};
use mcplock::lock::{Lockfile, Words, build_entry, encode};

use crate::project::Project;

/// The files of a recorded version that make one catalog.
const FILES: [&str; 5] = [
    "initialize.json",
    "tools.json",
    "prompts.json",
    "resources.json",
    "templates.json",
];

fn corpus() -> Option<PathBuf> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED: MCPLOCK_SUITES is not set, so no corpus is judged");
        return None;
    };
    Some(Path::new(&suites).join("corpus"))
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort_by_key(|path| version(path.file_name().unwrap().to_str().unwrap()));
    found
}

/// Versions in their order: numbers by value, words after them.
fn version(name: &str) -> Vec<(u64, String)> {
    name.split(['.', '-', '_'])
        .map(|part| {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            (digits.parse().unwrap_or(u64::MAX), part.to_owned())
        })
        .collect()
}

/// Copies the lists of a version into the project, and returns their texts.
fn take(project: &Project, from: &Path, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut texts = Vec::new();
    for file in FILES {
        let path = from.join(file);
        if let Ok(text) = fs::read(&path) {
            project.write(&format!("{name}/{file}"), &text);
            texts.push((path, text));
        }
    }
    texts
}

fn launch() -> Launch {
    Launch {
        target: Target::Command(vec!["server".to_owned()]),
        cwd: None,
        env: Vec::new(),
        env_values: BTreeMap::new(),
    }
}

#[test]
fn every_pair_of_versions_is_judged_and_the_same_version_is_clean() {
    let Some(corpus) = corpus() else { return };
    let (mut pairs, mut failing, mut unfit) = (0, 0, 0);
    let mut worst: BTreeMap<String, usize> = BTreeMap::new();
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut bases: BTreeMap<String, usize> = BTreeMap::new();
    for package in folders(&corpus) {
        let mut versions = folders(&package);
        // Some were recorded over HTTP only, in another form.
        versions.retain(|path| path.join("tools.json").exists());
        for pair in versions.windows(2) {
            let [old, new] = pair else { continue };
            let project = Project::new();
            let texts = take(&project, old, "old");
            take(&project, new, "new");
            let mut catalog = read_saved(&texts).unwrap();
            // A list that the server did not answer was not offered.
            catalog.unknown.clear();
            let name = ServerName::new("recorded").unwrap();
            let words = Words::compile(&[]).unwrap();
            let built = build_entry(&name, None, &launch(), &catalog, &words)
                .unwrap_or_else(|not| panic!("{}: {not:?}", old.display()));
            project.write(
                "mcp-lock.toml",
                encode(&Lockfile {
                    entries: vec![built.entry],
                }),
            );
            project.configure(&[("recorded", &["server"])]);

            let same = project.run(&["verify", "recorded", "--catalog", "old"]);
            assert!([0, 4].contains(&same.code), "{}: {same:?}", old.display());
            let run = project.run(&["verify", "recorded", "--catalog", "new", "--format", "json"]);
            assert!([0, 1, 4].contains(&run.code), "{}: {run:?}", new.display());
            let report = run.json();
            pairs += 1;
            failing += usize::from(run.code == 1);
            let mut level = "clean".to_owned();
            for finding in report["servers"][0]["findings"].as_array().unwrap() {
                let text = |key: &str| finding[key].as_str().unwrap().to_owned();
                if ["unfit", "advice"].contains(&text("level").as_str()) {
                    unfit += usize::from(text("level") == "unfit");
                    continue;
                }
                *rules
                    .entry(format!("{} {}", text("level"), text("rule")))
                    .or_default() += 1;
                *bases
                    .entry(format!("{} {}", text("level"), text("basis")))
                    .or_default() += 1;
                let order = ["breaking", "risky", "compatible", "equivalent", "clean"];
                let rank = |word: &str| order.iter().position(|other| *other == word);
                if rank(&text("level")) < rank(&level) {
                    level = text("level");
                }
            }
            *worst.entry(level).or_default() += 1;
        }
    }
    eprintln!("{pairs} pairs of versions: {failing} fail with the default threshold");
    eprintln!("worst finding of a pair: {worst:?}; unfit findings: {unfit}");
    eprintln!("by level and basis: {bases:?}");
    for (rule, count) in rules {
        eprintln!("{count:6} {rule}");
    }
    assert!(pairs > 150, "only {pairs} pairs were found");
}
