//! Reports from the field over standard streams, replayed with their own bytes.
//!
//! Found through `MCPLOCK_SUITES`, skipped aloud without it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::run::{Rogue, SECRET};
use mcplock::protocol::Fetched;

/// The folder of a case, if the cases are there.
fn case(name: &str) -> Option<PathBuf> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        println!("SKIPPED: MCPLOCK_SUITES is not set, so case {name} is not replayed");
        return None;
    };
    let folder = PathBuf::from(suites).join("cases").join(name);
    assert!(folder.is_dir(), "{} is not there", folder.display());
    Some(folder)
}

fn replay(folder: &Path) -> Rogue {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/replay.py");
    Rogue::python(&script, &[&folder.join("transcript.jsonl")])
}

/// A server that writes a file and goes on reading what it is sent, or ends.
fn dump(folder: &Path, then: &str) -> Rogue {
    let file = folder.join("server-stdout.raw");
    Rogue::shell(&format!("echo $$ > \"$1\"; cat {}; {then}", file.display()))
}

fn names(fetched: &Fetched) -> Vec<String> {
    fetched
        .lists
        .iter()
        .flat_map(|list| &list.items)
        .map(|item| serde_json::from_str::<serde_json::Value>(item.get()).unwrap())
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The names that the case expects.
fn expected(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("expect.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let tools = value["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_cursor_that_does_not_advance_ends_the_run() {
    let Some(folder) = case("24-cursor-does-not-advance") else {
        return;
    };
    let error = replay(&folder).fetch().unwrap_err();
    assert!(
        error.message().contains("\"OA==\" a second time"),
        "{error}"
    );
}

#[test]
fn every_page_is_read_over_an_empty_one_and_with_the_cursor_unchanged() {
    let Some(folder) = case("25-pages-ignored") else {
        return;
    };
    assert_eq!(names(&replay(&folder).fetch().unwrap()), expected(&folder));
}

#[test]
fn log_lines_on_standard_output_are_skipped_and_told() {
    let Some(folder) = case("32-log-lines-on-stdout") else {
        return;
    };
    for then in ["cat > /dev/null", "exit 0"] {
        let fetched = dump(&folder, then).fetch().unwrap();
        assert_eq!(names(&fetched), expected(&folder));
        let noise = "5 lines on its standard output were no JSON-RPC";
        assert!(
            fetched.remarks.iter().any(|said| said.contains(noise)),
            "{:?}",
            fetched.remarks
        );
    }
    let error = dump(&folder, "exit 0").strict().fetch().unwrap_err();
    assert!(error.message().contains("Demo server v1.2"), "{error}");
}

#[test]
fn byte_order_marks_and_crlf_are_no_trouble() {
    let Some(folder) = case("33-bom-and-crlf") else {
        return;
    };
    assert_eq!(
        names(&dump(&folder, "exit 0").fetch().unwrap()),
        expected(&folder)
    );
}

#[test]
fn a_server_that_ends_with_code_zero_is_told_at_once_without_its_secret() {
    let Some(folder) = case("34-exits-early-with-code-zero") else {
        return;
    };
    let started = Instant::now();
    let error = Rogue::python(&folder.join("server.py"), &[])
        .fetch()
        .unwrap_err();
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "the start time-out is 60 s"
    );
    assert!(error.message().contains("exit code 0"), "{error}");
    let detail = error.detail_text().unwrap();
    assert!(
        detail.contains("config missing: TOKEN=<redacted>"),
        "{detail}"
    );
    assert!(!detail.contains(SECRET), "{detail}");
}

#[test]
fn a_flood_on_standard_error_does_not_block_the_server() {
    let Some(folder) = case("35-stderr-flood") else {
        return;
    };
    let fetched = Rogue::python(&folder.join("server.py"), &[])
        .fetch()
        .unwrap();
    assert_eq!(names(&fetched), expected(&folder));
}

#[test]
fn a_server_that_asks_first_is_answered_whatever_its_ids() {
    let Some(folder) = case("45-server-asks-first") else {
        return;
    };
    let mut rogue = replay(&folder);
    rogue.options.declared = BTreeSet::new();
    assert_eq!(names(&rogue.fetch().unwrap()), expected(&folder));
}
