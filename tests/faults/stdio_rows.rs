//! The rows about processes and what they say over standard streams.

use std::os::unix::fs::PermissionsExt;

use crate::project::Kind;
use crate::table::{Case, Row};

/// The rogue server with these words: its fault, and how much of it.
fn rogue(words: &'static str) -> Case {
    Case::new(words, Kind::Stdio, move |project| {
        project.write("fault", words);
        None
    })
}

/// The same where a revision without a handshake is pinned.
fn modern(words: &'static str) -> Case {
    Case::new(words, Kind::Modern, move |project| {
        project.write("fault", words);
        None
    })
}

/// A script in place of the server; `ROGUE` in it is the rogue server.
fn script(text: &'static str) -> Case {
    Case::new(text, Kind::Stdio, move |project| {
        project.write("fault", "ignores-eof");
        project.script(text, 0o755);
        None
    })
}

fn row(section: &'static str, fault: &'static str, shown_by: Vec<Case>) -> Row {
    Row {
        section,
        fault,
        shown_by,
    }
}

/// What ends at a time-out, ends at these.
const SOON: [&str; 4] = ["--start-timeout", "2", "--request-timeout", "2"];

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = starting();
    rows.extend(messages());
    rows.extend(revisions());
    rows.extend(lists());
    rows
}

fn starting() -> Vec<Row> {
    const HERE: &str = "Starting a process";
    let none = Case::new("nothing there", Kind::Stdio, |project| {
        project.remove();
        None
    });
    let folder = Case::new("a folder", Kind::Stdio, |project| {
        project.remove();
        std::fs::create_dir(project.path("bin/faulty")).unwrap();
        None
    });
    let plain = Case::new("a plain file", Kind::Stdio, |project| {
        project.script("#!/bin/sh\n", 0o644);
        let mode = std::fs::metadata(project.path("bin/faulty")).unwrap();
        assert_eq!(mode.permissions().mode() & 0o111, 0);
        None
    });
    let closes = "#!/bin/sh\nexec 1>&-; exec 2>&-; sleep 3600 & wait\n";
    let stubborn = "#!/bin/sh\ntrap '' TERM\nexec ROGUE ignores-eof\n";
    let chatty = "#!/bin/sh\ntrap '' TERM\nexec ROGUE writes-after-eof\n";
    vec![
        row(HERE, "no such program", vec![none]),
        row(HERE, "a folder, or not executable", vec![folder, plain]),
        row(
            HERE,
            "a script whose interpreter is missing",
            vec![script("#!/no/such/interpreter\n")],
        ),
        row(HERE, "ends at once", vec![rogue("exit-0"), rogue("exit-1")]),
        row(
            HERE,
            "ends after the handshake",
            vec![rogue("exit-after-handshake")],
        ),
        row(
            HERE,
            "killed",
            vec![
                rogue("killed-after-handshake"),
                rogue("killed-while-a-grandchild-waits"),
            ],
        ),
        row(HERE, "closes its output and runs on", vec![script(closes)]),
        row(
            HERE,
            "a child of it holds its output",
            vec![rogue("grandchild-holds-the-pipe")],
        ),
        row(
            HERE,
            "silence, or a byte a second",
            vec![
                rogue("silent").flags(&SOON),
                rogue("a-byte-a-second").flags(&SOON),
                rogue("stderr-flood-for-ever").flags(&SOON),
            ],
        ),
        row(
            HERE,
            "ignores the end of its input, and SIGTERM",
            vec![script(stubborn), script(chatty)],
        ),
        row(
            HERE,
            "leaves processes behind",
            vec![rogue("grandchild-is-left")],
        ),
        row(
            HERE,
            "leaves processes that have left its group (setsid)",
            vec![
                rogue("child-leaves-the-group"),
                rogue("child-leaves-the-group-twice"),
            ],
        ),
        row(
            HERE,
            "ends at once, and leaves such a process",
            vec![rogue("child-leaves-the-group-and-it-ends")],
        ),
    ]
}

fn messages() -> Vec<Row> {
    const HERE: &str = "Messages over standard streams";
    vec![
        row(
            HERE,
            "log lines, NUL bytes, other noise",
            vec![rogue("noise")],
        ),
        row(
            HERE,
            "the same with --strict-stdout",
            vec![rogue("noise").flags(&["--strict-stdout"])],
        ),
        row(
            HERE,
            "a line without end, or of 17 MiB",
            vec![
                rogue("endless-line"),
                rogue("endless-message"),
                rogue("big-message --count 17825792"),
            ],
        ),
        row(
            HERE,
            "half a message, NaN, a NUL byte in it, invalid UTF-8",
            vec![
                rogue("partial-json"),
                rogue("nan"),
                rogue("nul"),
                rogue("invalid-utf8"),
            ],
        ),
        row(
            HERE,
            "characters split over several writes",
            vec![rogue("split-utf8").check()],
        ),
        row(
            HERE,
            "output ends in a message",
            vec![rogue("exit-mid-line")],
        ),
        row(HERE, "floods standard error", vec![rogue("stderr-flood")]),
        row(
            HERE,
            "a reply whose id is the same number, written otherwise (2.0)",
            vec![rogue("float-id")],
        ),
        row(
            HERE,
            "a reply with another id",
            vec![rogue("wrong-id-then-right")],
        ),
        row(
            HERE,
            "several messages in one (a batch)",
            vec![rogue("batch")],
        ),
        row(HERE, "the same reply twice", vec![rogue("duplicate-reply")]),
        row(HERE, "two different replies", vec![rogue("two-replies")]),
        row(
            HERE,
            "a result and an error in one",
            vec![rogue("result-and-error")],
        ),
        row(
            HERE,
            "requests or notifications without end",
            vec![
                rogue("request-storm"),
                rogue("notification-storm"),
                rogue("endless-noise"),
            ],
        ),
        row(
            HERE,
            "asks for ping before it answers",
            vec![rogue("asks-ping-first")],
        ),
        row(
            HERE,
            "asks for what is not granted",
            vec![rogue("asks-sampling-first")],
        ),
    ]
}

fn revisions() -> Vec<Row> {
    const HERE: &str = "Revisions";
    vec![
        row(
            HERE,
            "says nothing to the first question",
            vec![rogue("probe-is-not-answered").check()],
        ),
        row(
            HERE,
            "answers the first question late, with initialize behind it",
            vec![rogue("probe-is-answered-late --pid started").check()],
        ),
        row(
            HERE,
            "ends on the first question",
            vec![rogue("probe-ends-it").check()],
        ),
        row(
            HERE,
            "an unknown revision",
            vec![rogue("unknown-version"), rogue("unknown-version").check()],
        ),
        row(
            HERE,
            "only revisions that mcplock doesn't know",
            vec![rogue("probe-names-new-revisions").check()],
        ),
        row(
            HERE,
            "not the revision that is pinned",
            vec![rogue("old-version")],
        ),
        row(
            HERE,
            "not the revision that --protocol asks for",
            vec![
                rogue("old-version")
                    .check()
                    .flags(&["--protocol", "2025-11-25"]),
            ],
        ),
        row(
            HERE,
            "refuses a revision that it names itself",
            vec![rogue("probe-names-its-own-revision").check()],
        ),
        row(
            HERE,
            "goes back on its revision in mid-run",
            vec![
                modern("modern-forgets-its-revision"),
                crate::http_rows::other_revision_after_the_session(),
            ],
        ),
        row(HERE, "refuses the handshake", vec![rogue("refuses")]),
    ]
}

fn lists() -> Vec<Row> {
    const HERE: &str = "Lists";
    vec![
        row(
            HERE,
            "declared and unknown (-32601)",
            vec![rogue("no-such-method").check()],
        ),
        row(HERE, "an error", vec![rogue("list-fails")]),
        row(
            HERE,
            "a result that asks for input (2026-07-28)",
            vec![modern("modern-asks-for-input")],
        ),
        row(
            HERE,
            "a cursor that comes again",
            vec![rogue("repeated-cursor")],
        ),
        row(HERE, "pages without end", vec![rogue("cursor-storm")]),
        row(
            HERE,
            "a million tools",
            vec![
                rogue("many-tools --count 300000"),
                rogue("many-tools-in-pages --count 100000"),
            ],
        ),
        row(
            HERE,
            "a catalog that is too large",
            vec![rogue("many-tools-in-pages --count 3000").flags(&[
                "--max-catalog",
                "1048576",
                "--max-items",
                "1000000",
            ])],
        ),
        row(
            HERE,
            "changes while it is read",
            vec![rogue("changed-before-ping")],
        ),
        row(
            HERE,
            "changes again and again",
            vec![rogue("changed-for-ever")],
        ),
        row(
            HERE,
            "does not answer ping",
            vec![rogue("no-ping").flags(&["--request-timeout", "2"])],
        ),
    ]
}
