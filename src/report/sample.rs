//! Reports made by hand, for the tests of every format.

use std::path::{Path, PathBuf};

use crate::compare::{Basis, Witness};
use crate::config::{Origin, SourceKind};
use crate::error::Error;
use crate::exit::Reason;
use crate::json::{Limits, Pointer, Value, parse};
use crate::rules::{Finding, Level};

use super::{Outcome, PinAction, Report, ServerReport};

pub(super) fn value(text: &str) -> Value {
    parse(text.as_bytes(), &Limits::default()).unwrap().value
}

pub(super) fn finding(rule: &'static str, level: Level, label: &str, pointer: &str) -> Finding {
    Finding {
        rule,
        level,
        basis: Basis::Proof,
        label: label.to_owned(),
        pointer: Pointer::parse(pointer).unwrap(),
        message: format!("{} changed", rule.replace('-', " ")),
        old: None,
        new: None,
        witness: None,
        counterpart: None,
        emission: None,
        note: None,
        fingerprint: "0123456789abcdef".to_owned(),
    }
}

pub(super) fn changed(mut finding: Finding, old: &str, new: &str) -> Finding {
    finding.old = (!old.is_empty()).then(|| value(old));
    finding.new = (!new.is_empty()).then(|| value(new));
    finding
}

pub(super) fn saying(mut finding: Finding, message: &str) -> Finding {
    message.clone_into(&mut finding.message);
    finding
}

/// The drifts of a search server, one of each level.
pub(super) fn drifted() -> ServerReport {
    let mut server = ServerReport::new("search", Outcome::Judged);
    server.items = 12;
    server.line = Some(4);
    server.item_lines = vec![
        ("tool:search".to_owned(), 12),
        ("tool:delete_all".to_owned(), 90),
    ];
    server.labels = ["tool:search", "tool:delete_all", "tool:fetch", "prompt:ask"]
        .map(str::to_owned)
        .to_vec();
    server.origin = Some(Origin {
        kind: SourceKind::Policy,
        file: Some(PathBuf::from(".mcp.json")),
        line: Some(7),
    });
    let mut removed = saying(
        changed(
            finding(
                "argument-removed",
                Level::Breaking,
                "tool:search",
                "/inputSchema/properties/query",
            ),
            r#"{"type":"string","description":"What to look for"}"#,
            "",
        ),
        "argument `query` is not declared any more, and is silently ignored",
    );
    removed.basis = Basis::Witness;
    removed.witness = Some(Witness {
        value: value(r#"{"query":"rust","limit":10}"#),
        reason: "`query` is dropped: the object is open and nothing declares it".to_owned(),
    });
    let words = saying(
        changed(
            finding(
                "words-changed",
                Level::Risky,
                "tool:search",
                "/inputSchema/properties/limit/description",
            ),
            r#""Maximum number of results to return. Must be at least 1, and at most 50. Results are sorted by relevance, then by date; the newest come first unless `sort` says otherwise.""#,
            r#""Zero-based index of the page of results to return. Must be at least 1, and at most 50. Results are sorted by relevance, then by date; the newest come first unless `sort` says otherwise.""#,
        ),
        "the description of `limit` changed",
    );
    let narrowed = saying(
        changed(
            finding(
                "enum-narrowed",
                Level::Breaking,
                "tool:search",
                "/inputSchema/properties/filters/items/properties/op/enum",
            ),
            r#"["eq","ne","lt","gt","contains"]"#,
            r#"["eq","ne","lt","gt"]"#,
        ),
        "`contains` is no longer allowed",
    );
    let mut other = changed(
        finding(
            "input-schema-changed",
            Level::Risky,
            "tool:search",
            "/inputSchema/properties/when/pattern",
        ),
        r#""^[0-9]{4}-[0-9]{2}-[0-9]{2}$""#,
        r#""^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?$""#,
    );
    other.basis = Basis::Undecided;
    let wider = saying(
        changed(
            finding(
                "argument-added",
                Level::Compatible,
                "tool:fetch",
                "/inputSchema/properties/timeout",
            ),
            "",
            r#"{"type":"integer","minimum":1,"default":30}"#,
        ),
        "optional argument `timeout` is new",
    );
    let new = saying(
        changed(
            finding("item-added", Level::Risky, "tool:delete_all", ""),
            "",
            r#"{"name":"delete_all","description":"Deletes everything.\n\nUse with care.","inputSchema":{"type":"object","properties":{"confirm":{"type":"boolean"},"scope":{"type":["string","null"]}},"required":["confirm"]}}"#,
        ),
        "is new and not pinned",
    );
    let gone = saying(
        changed(
            finding("item-gone", Level::Breaking, "prompt:ask", ""),
            r#"{"name":"ask","arguments":[{"name":"topic","required":true}]}"#,
            "",
        ),
        "is not listed any more",
    );
    let order = saying(
        changed(
            finding(
                "order-only",
                Level::Equivalent,
                "tool:fetch",
                "/inputSchema/required",
            ),
            r#"["a","b"]"#,
            r#"["b","a"]"#,
        ),
        "only the order of `required` changed",
    );
    let advice = saying(
        changed(
            finding(
                "dialect-dependent",
                Level::Advice,
                "tool:fetch",
                "/inputSchema/properties/depth/default",
            ),
            "",
            r#""3""#,
        ),
        "the default of `depth` is refused by its own schema",
    );
    server.findings = vec![
        removed, narrowed, gone, words, other, new, wider, order, advice,
    ];
    server.findings.extend((1..=9).map(|i| {
        saying(
            changed(
                finding(
                    "member-changed",
                    Level::Risky,
                    &format!("tool:list_{i}"),
                    "/execution/taskSupport",
                ),
                "",
                r#""forbidden""#,
            ),
            "`execution.taskSupport` is new",
        )
    }));
    server.notes = vec!["the launch names no version: `npx -y search-server`".to_owned()];
    server
}

pub(super) fn launch_drift() -> ServerReport {
    let mut server = ServerReport::new("git", Outcome::Judged);
    server.profile = Some("staging".to_owned());
    server.items = 3;
    server.line = Some(2);
    server.findings = vec![
        saying(
            changed(
                finding("launch-changed", Level::Risky, "launch", "/command"),
                r#"["npx","-y","@modelcontextprotocol/server-git@2026.1.14","${workspace}"]"#,
                r#"["npx","-y","@modelcontextprotocol/server-git@2026.8.31","${workspace}"]"#,
            ),
            "the command that starts the server changed",
        ),
        saying(
            finding(
                "dangling-ref",
                Level::Unfit,
                "tool:blame",
                "/inputSchema/properties/a/$ref",
            ),
            "`#/$defs/Gone` points at nothing",
        ),
    ];
    server
}

pub(super) fn not_judged() -> ServerReport {
    let error = Error::server("the server ended before it answered `initialize` (exit code 1)")
        .in_file(Path::new(".mcp.json"))
        .at_line(9, None)
        .for_server("web")
        .detail("node:internal/modules/cjs/loader:1143\n  throw err;\nError: Cannot find module 'web-server'")
        .help("run its command by hand: `npx -y web-server`");
    ServerReport::new("web", Outcome::NotJudged(error))
}

/// A report with every outcome and every level.
pub(super) fn everything() -> Report {
    let mut report = Report::new("verify");
    report.lockfile = Some(PathBuf::from("mcp-lock.toml"));
    let mut clean = ServerReport::new("clean", Outcome::Judged);
    clean.items = 4;
    clean.labels = ["tool:a", "tool:b", "tool:c", "tool:d"]
        .map(str::to_owned)
        .to_vec();
    clean.unknown = vec!["prompts".to_owned(), "resources".to_owned()];
    let mut gone = ServerReport::new("old", Outcome::NotConfigured);
    gone.line = Some(200);
    report.servers = vec![
        clean,
        launch_drift(),
        ServerReport::new("moved", Outcome::NotStarted),
        ServerReport::new("new", Outcome::NotPinned),
        ServerReport::new("off", Outcome::Disabled),
        gone,
        drifted(),
        not_judged(),
    ];
    report.notes = vec!["the waiver for `tool:x` matches nothing".to_owned()];
    for reason in [Reason::Drift, Reason::Unfit, Reason::NotJudged] {
        report.add_reason(reason);
    }
    report
}

/// Nothing drifted.
pub(super) fn clean() -> Report {
    let mut report = Report::new("verify");
    for (name, items) in [("files", 14), ("memory", 9)] {
        let mut server = ServerReport::new(name, Outcome::Judged);
        server.items = items;
        report.servers.push(server);
    }
    report
}

/// `pin` with one server for each action.
pub(super) fn pinned() -> Report {
    let mut report = Report::new("pin");
    report.lockfile = Some(PathBuf::from("mcp-lock.toml"));
    for (i, action) in PinAction::ALL.into_iter().enumerate() {
        let mut server = ServerReport::new(action.word(), Outcome::Pinned(action));
        server.items = i + 1;
        if action == PinAction::Refused {
            server.findings = drifted().findings[..2].to_vec();
        }
        report.servers.push(server);
    }
    report.add_reason(Reason::Drift);
    report.add_reason(Reason::Unfit);
    report
}

/// A report in which every text that a server can choose is `text`.
pub(super) fn hostile(text: &str) -> Report {
    let mut report = Report::new("verify");
    report.lockfile = Some(PathBuf::from("mcp-lock.toml"));
    let string = Value::String(text.to_owned());
    let mut object = crate::json::Object::default();
    object.members_mut().push((text.to_owned(), string.clone()));
    object
        .members_mut()
        .push(("description".to_owned(), string.clone()));
    let object = Value::Object(object);
    let shown = crate::text::visible(text);
    let mut server = ServerReport::new("bad", Outcome::Judged);
    server.items = 4;
    server.labels = vec![format!("tool:{text}"), "instructions".to_owned()];
    let sides = [
        (
            Some(string.clone()),
            Some(Value::String(format!("a {text} b"))),
        ),
        (None, Some(object.clone())),
        (Some(object.clone()), Some(string.clone())),
        (
            Some(Value::Array(vec![string.clone(), Value::Null])),
            Some(object.clone()),
        ),
        (
            Some(Value::String(format!("some words before {text} after"))),
            Some(Value::String(format!(
                "some words before, other {text} after"
            ))),
        ),
    ];
    for (i, (old, new)) in sides.into_iter().enumerate() {
        let pointers = [
            Pointer::root().key("description"),
            Pointer::root(),
            Pointer::root()
                .key("inputSchema")
                .key("properties")
                .key(text),
        ];
        for (j, pointer) in pointers.into_iter().enumerate() {
            let level = [Level::Breaking, Level::Risky, Level::Unfit][j];
            let mut one = finding("words-changed", level, &format!("tool:{text}"), "");
            one.pointer = pointer;
            one.message = format!("the text of `{shown}` changed");
            one.old.clone_from(&old);
            one.new.clone_from(&new);
            one.fingerprint = format!("{i:08x}{j:08x}");
            one.witness = Some(Witness {
                value: object.clone(),
                reason: shown.clone(),
            });
            server.findings.push(one);
        }
    }
    server.notes = vec![shown.clone()];
    let error = Error::server(format!("the server said `{shown}`"))
        .for_server("worse")
        .for_item(&format!("tool:{text}"))
        .at_pointer(text)
        .detail(text)
        .help(format!("look at `{shown}`"));
    report.servers = vec![
        server,
        ServerReport::new("worse", Outcome::NotJudged(error.clone())),
    ];
    report.notes = vec![shown];
    report.add_error(error);
    report.add_reason(Reason::Drift);
    report
}
