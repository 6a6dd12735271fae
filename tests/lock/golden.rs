//! The golden files: one byte form, for ever. `MCPLOCK_BLESS=1` writes them anew; a difference in
//! an old file needs another `version`.

use std::path::Path;

use mcplock::lock::{decode, encode};

use crate::input;

fn compare(path: &Path, text: &str) {
    if std::env::var_os("MCPLOCK_BLESS").is_some() {
        std::fs::write(path, text).unwrap();
    }
    let golden =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    first_difference(&golden, text, path);
}

fn first_difference(golden: &str, text: &str, path: &Path) {
    let line = golden
        .lines()
        .zip(text.lines())
        .position(|(a, b)| a != b)
        .map_or(0, |i| i + 1);
    assert!(golden == text, "{} differs at line {line}", path.display());
}

#[test]
fn building_from_the_same_catalogs_gives_the_golden_bytes() {
    let names = input::names();
    assert!(names.len() >= 11, "{names:?}");
    for name in names {
        let path = input::folder().join(format!("{name}.toml"));
        compare(&path, &encode(&input::built(&name)));
    }
}

#[test]
fn reading_a_golden_file_and_writing_it_gives_the_same_bytes_and_meaning() {
    for name in input::names() {
        let golden = std::fs::read(input::folder().join(format!("{name}.toml"))).unwrap();
        let read = decode(&golden).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(*read.lockfile(), input::built(&name), "{name}");
        assert!(encode(read.lockfile()).as_bytes() == golden, "{name}");
    }
}

#[test]
fn golden_files_hold_no_hidden_character_and_no_carriage_return() {
    for name in input::names() {
        let golden = std::fs::read_to_string(input::folder().join(format!("{name}.toml"))).unwrap();
        let hidden = golden
            .chars()
            .find(|&c| c != '\n' && mcplock::text::is_hidden(c));
        assert_eq!(hidden, None, "{name}");
    }
}

#[test]
fn the_example_in_the_root_is_what_mcplock_writes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp-lock.toml.example");
    compare(&path, &encode(&input::built("example")));
}

#[test]
fn lines_of_entries_and_items_are_those_of_their_tables() {
    let golden = std::fs::read_to_string(input::folder().join("example.toml")).unwrap();
    let read = decode(golden.as_bytes()).unwrap();
    let lines: Vec<&str> = golden.lines().collect();
    for entry in &read.lockfile().entries {
        assert_eq!(lines[entry.line - 1], "[[server]]");
        assert_eq!(lines[entry.line], format!("name = \"{}\"", entry.name));
        for item in &entry.items {
            assert_eq!(lines[item.line - 1], format!("[[server.{}]]", item.kind));
            assert!(lines[item.line].contains(&item.key));
        }
    }
}
