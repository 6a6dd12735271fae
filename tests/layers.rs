//! Data flows in one direction: a stage may name the stages before it, never those after it.
#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

/// The stages of `src/`, first to last. `error`, `exit`, `json` and `text` stand below them all;
/// siblings of one row may not know each other.
const STAGES: &[&[&str]] = &[
    &["exit", "text"],
    &["error", "json"],
    &["config"],
    &["transport"],
    &["protocol"],
    &["catalog"],
    &["canonical"],
    &["lock"],
    &["schema"],
    &["fitness", "compare"],
    &["projection"],
    &["rules"],
    &["report"],
    &["guard"],
    &["cli"],
];

fn rank(stage: &str) -> usize {
    STAGES
        .iter()
        .position(|row| row.contains(&stage))
        .unwrap_or_else(|| panic!("`src/{stage}` has no place in the order of stages"))
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            into.push(path);
        }
    }
}

/// The stages that `source` names through `crate::…`, comments and doc links apart.
fn named_stages(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            // `use crate::{a::B, c};`: the names at depth one.
            let mut depth = 1;
            let mut word = String::new();
            let mut fresh = true;
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => fresh = true,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                if fresh && (c.is_alphanumeric() || c == '_') {
                    word.push(c);
                } else if !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                    fresh = c == ',';
                }
            }
            if !word.is_empty() {
                found.push(word);
            }
        } else {
            found.push(
                rest.chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect(),
            );
        }
    }
    found.retain(|name| name.chars().next().is_some_and(char::is_lowercase));
    found
}

#[test]
fn no_stage_names_a_later_one() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    assert!(
        files.len() > 20,
        "found only {} files: is this the right folder?",
        files.len()
    );
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let stage = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap();
        let stage = stage.strip_suffix(".rs").unwrap_or(stage);
        if matches!(stage, "lib" | "main") {
            continue;
        }
        for named in named_stages(&fs::read_to_string(&file).unwrap()) {
            if named != stage && rank(&named) >= rank(stage) {
                wrong.push(format!("{}: `{stage}` names `{named}`", inside.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "imports against the flow:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_reader_of_imports_sees_every_form() {
    let source = "use crate::a::B;\nuse crate::{c, d::{E, f}, g::H};\n// crate::hidden\nlet x = crate::i::j();";
    assert_eq!(named_stages(source), ["a", "c", "d", "g", "i"]);
}

#[test]
fn only_the_stages_meant_for_it_touch_streams_files_and_processes() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let forbidden: &[(&str, &[&str])] = &[
        (
            "std::fs",
            &["config", "transport", "lock", "cli", "report", "guard"],
        ),
        ("std::process::Command", &["transport", "cli"]),
        ("tokio::process", &["transport"]),
        ("std::env::var", &["config"]),
        ("println!", &[]),
        ("std::io::stdout", &["cli"]),
        ("tools/call", &["guard"]),
    ];
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let stage = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap();
        let stage = stage.strip_suffix(".rs").unwrap_or(stage).to_owned();
        let source = fs::read_to_string(&file).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap();
        for line in code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for (what, allowed) in forbidden {
                if line.contains(what) && !allowed.contains(&stage.as_str()) {
                    wrong.push(format!("{}: `{what}` in `{stage}`", inside.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The guard relays an agent's own call. To know one it has to spell the method, once, in a pattern:
/// never in a message that it writes.
#[test]
fn the_name_of_the_method_that_calls_a_tool_is_spelled_once_and_only_to_be_recognised() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let mut spelled = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap();
        for line in code.lines() {
            let line = line.trim();
            let names =
                line.contains("tools/call") || line.contains("\"call\"") && line.contains("tools/");
            if names && !line.starts_with("//") {
                spelled.push((file.clone(), line.to_owned()));
            }
        }
    }
    let [(file, line)] = spelled.as_slice() else {
        panic!("spelled elsewhere: {spelled:?}");
    };
    assert!(file.ends_with("guard/message.rs"), "{}", file.display());
    assert_eq!(line, "const TOOL: &str = \"tools/call\";");
    let source = fs::read_to_string(file).unwrap();
    let code = source.split("#[cfg(test)]").next().unwrap();
    let uses: Vec<&str> = code
        .lines()
        .map(str::trim)
        .filter(|line| {
            line.contains("TOOL") && !line.starts_with("const") && !line.starts_with("//")
        })
        .collect();
    assert_eq!(uses, ["TOOL => Some(CallKind::Tool),"]);
}
