//! Which revision is spoken over standard streams, and how that is found out.

use std::time::Duration;

use crate::run::Rogue;
use mcplock::protocol::{Fetched, Revision};
use mcplock::transport::Limits;

const ONE_TOOL: [&str; 1] = [r#"{"name":"ping","inputSchema":{"type":"object"}}"#];

fn tools(fetched: &Fetched) -> Vec<&str> {
    let lists = fetched.lists.iter();
    lists
        .flat_map(|list| list.items.iter().map(|item| item.get()))
        .collect()
}

/// What a server was sent, and what came of it.
struct Told {
    fetched: mcplock::error::Result<Fetched>,
    methods: Vec<String>,
    messages: Vec<serde_json::Value>,
}

fn run(fault: &str, protocol: Option<Revision>) -> Told {
    run_within(fault, protocol, Limits::default())
}

fn run_within(fault: &str, protocol: Option<Revision>, limits: Limits) -> Told {
    let mut rogue = Rogue::new(fault).limits(limits);
    rogue.options.protocol = protocol;
    let log = rogue.log();
    let fetched = rogue.fetch();
    let messages: Vec<serde_json::Value> = std::fs::read_to_string(log.path())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let methods = messages
        .iter()
        .map(|message| message["method"].as_str().unwrap().to_owned())
        .collect();
    Told {
        fetched,
        methods,
        messages,
    }
}

/// Time-outs under which silence is short.
fn hasty() -> Limits {
    Limits {
        start: Duration::from_secs(6),
        ..Limits::default()
    }
}

const HANDSHAKE: [&str; 5] = [
    "server/discover",
    "initialize",
    "notifications/initialized",
    "tools/list",
    "ping",
];

#[test]
fn a_server_of_the_new_era_is_listed_without_handshake_ping_or_second_look() {
    for fault in ["modern", "modern-changes"] {
        let told = run(fault, None);
        let fetched = told.fetched.unwrap();
        assert_eq!(told.methods, ["server/discover", "tools/list"], "{fault}");
        assert_eq!(fetched.revision, Revision::V2026_07_28);
        assert_eq!(tools(&fetched), ONE_TOOL);
        assert_eq!(fetched.instructions.unwrap().get(), "\"words\"");
        assert!(fetched.server_info.unwrap().get().contains("rogue"));
        for message in &told.messages {
            let meta = &message["params"]["_meta"];
            assert_eq!(
                meta["io.modelcontextprotocol/protocolVersion"],
                "2026-07-28"
            );
            assert!(meta["io.modelcontextprotocol/clientCapabilities"]["roots"].is_object());
        }
    }
}

#[test]
fn the_items_of_both_eras_are_the_same_bytes() {
    let modern = run("modern", None).fetched.unwrap();
    let legacy = run("none", None).fetched.unwrap();
    assert_eq!(tools(&modern), tools(&legacy));
}

#[test]
fn whatever_an_older_server_says_to_the_probe_the_handshake_follows() {
    for fault in [
        "none",
        "probe-is-answered-with-nothing",
        "probe-names-old-revisions",
    ] {
        let told = run(fault, None);
        let fetched = told.fetched.unwrap();
        assert_eq!(told.methods, HANDSHAKE, "{fault}");
        assert_eq!(fetched.revision, Revision::V2025_11_25);
        assert_eq!(fetched.remarks, [""; 0], "{fault}");
    }
}

#[test]
fn a_server_that_takes_the_probe_for_the_handshake_is_listed() {
    let told = run("probe-is-taken-for-initialize", None);
    assert_eq!(tools(&told.fetched.unwrap()), ONE_TOOL);
}

#[test]
fn silence_brings_the_handshake_behind_the_probe_and_the_first_answer_decides() {
    let told = run_within("probe-is-not-answered", None, hasty());
    assert_eq!(told.methods, HANDSHAKE);
    assert_eq!(told.fetched.unwrap().revision, Revision::V2025_11_25);
    // The process was only slow. Which of the two it goes by nobody knows, so another one is asked
    // for one thing alone.
    let told = run_within("probe-is-answered-late", None, hasty());
    assert_eq!(
        told.methods,
        [
            "server/discover",
            "initialize",
            "server/discover",
            "tools/list"
        ]
    );
    let fetched = told.fetched.unwrap();
    assert_eq!(fetched.revision, Revision::V2026_07_28);
    assert!(fetched.remarks[0].contains("asked in 2026-07-28 alone"));
}

#[test]
fn a_process_that_ends_on_the_probe_is_started_again_once_and_told() {
    let told = run("probe-ends-it", None);
    assert_eq!(told.methods, HANDSHAKE);
    let remarks = told.fetched.unwrap().remarks;
    assert!(remarks[0].contains("was started again"), "{remarks:?}");
    let told = run("exit-1", None);
    assert!(
        told.fetched
            .unwrap_err()
            .message()
            .contains("before it answered `initialize`")
    );
}

#[test]
fn a_revision_that_is_asked_for_is_the_only_one_that_is_tried() {
    let told = run("modern", Some(Revision::V2026_07_28));
    assert_eq!(told.methods, ["server/discover", "tools/list"]);
    let told = run("none", Some(Revision::V2025_11_25));
    assert_eq!(told.methods, HANDSHAKE[1..]);
    assert!(told.fetched.is_ok());
}

#[test]
fn a_server_that_no_longer_speaks_the_pinned_revision_is_told_as_such() {
    for (fault, revision) in [
        ("none", Revision::V2026_07_28),
        ("probe-names-old-revisions", Revision::V2026_07_28),
        ("probe-ends-it", Revision::V2026_07_28),
        ("modern", Revision::V2025_11_25),
        ("old-version", Revision::V2025_11_25),
    ] {
        let error = run(fault, Some(revision)).fetched.unwrap_err();
        let says = format!("it no longer speaks {revision}");
        assert!(error.message().contains(&says), "{fault}: {error}");
        assert!(error.help_text().unwrap().contains("--protocol"), "{fault}");
    }
    let error = run("modern", Some(Revision::V2025_11_25))
        .fetched
        .unwrap_err();
    assert!(error.message().contains("2026-07-28"), "{error}");
}

#[test]
fn revisions_that_are_all_unknown_are_named() {
    let error = run("probe-names-new-revisions", None).fetched.unwrap_err();
    assert!(
        error
            .message()
            .contains("no protocol revision that mcplock knows: 2031-01-01"),
        "{error}"
    );
}

#[test]
fn a_list_that_is_not_complete_is_an_error() {
    let error = run("modern-asks-for-input", None).fetched.unwrap_err();
    assert!(
        error
            .message()
            .contains("the `resultType` \"input_required\", not `complete`"),
        "{error}"
    );
}
