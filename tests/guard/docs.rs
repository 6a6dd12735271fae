//! What the page of the guard tells people to write works as it stands there.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::agent::{Session, passed, pinned, search};

/// The blocks of config in a page: the files that the paragraph before names, and the text.
fn blocks(page: &str) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut files = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line == "```json" || line == "```toml" {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push((std::mem::take(&mut files), text.join("\n")));
        } else if !line.is_empty() {
            let named = line.split('`').skip(1).step_by(2);
            let named = named.filter(|word| word.contains('.') && !word.contains(' '));
            files.extend(named.map(str::to_owned));
        } else if !line.contains('`') && !page_goes_on(&files) {
            files.clear();
        }
    }
    found
}

/// A blank line stands between the paragraph and its block.
fn page_goes_on(files: &[String]) -> bool {
    files
        .iter()
        .any(|file| Path::new(file).extension().is_some())
}

#[test]
fn every_config_on_the_page_puts_the_guard_in_front_of_the_server() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guard.md");
    let text = fs::read_to_string(page).unwrap();
    let start = text.find("## Where it goes").unwrap();
    let end = start + text[start..].find("## What it decides").unwrap();
    let mut seen = 0;
    for (files, block) in blocks(&text[start..end]) {
        let files: Vec<&String> = files
            .iter()
            .filter(|file| file.ends_with("json") || file.ends_with("toml"))
            .collect();
        assert!(!files.is_empty(), "no file is named for\n{block}");
        for file in files {
            let project = pinned(&search());
            fs::remove_file(project.path(".mcp.json")).unwrap();
            project.write(file, &block);
            let list = project.expect(0, &["list"]);
            list.says("files: pinned")
                .says(&format!("configured in {file}"));
            project.expect(0, &["verify"]);
            seen += 1;
        }
        // And the very words of the entry are a guard.
        let words: Vec<String> = match serde_json::from_str::<Value>(&block) {
            Ok(value) => {
                let entry = value.as_object().unwrap().values().next().unwrap()["files"].clone();
                let list = if entry["command"].is_array() {
                    entry["command"].as_array().unwrap()[1..].to_vec()
                } else {
                    entry["args"].as_array().unwrap().clone()
                };
                list.iter()
                    .map(|word| word.as_str().unwrap().to_owned())
                    .collect()
            }
            Err(_) => vec!["guard".to_owned(), "files".to_owned()],
        };
        let project = pinned(&search());
        let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        assert_eq!(words[0], "guard");
        let mut agent = Session::start(&project, &args);
        agent.handshake();
        passed(&agent.call("search", &json!({})));
        assert_eq!(project.calls().len(), 1);
    }
    assert!(seen >= 7, "only {seen} files were tried");
}
