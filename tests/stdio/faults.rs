//! What happens when a server over standard streams does something wrong: the message, and that
//! nothing of it is left.

use std::time::{Duration, Instant};

use crate::run::{Rogue, SECRET, example};
use mcplock::error::ErrorKind;
use mcplock::protocol::{Fetched, Revision};
use mcplock::transport::{Limits, cancellation};

fn tools(fetched: &Fetched) -> Vec<&str> {
    fetched
        .lists
        .iter()
        .flat_map(|list| list.items.iter().map(|item| item.get()))
        .collect()
}

/// The fault is an error whose message says each of these.
#[track_caller]
fn fails(rogue: Rogue, says: &[&str]) -> mcplock::error::Error {
    let fault = rogue.fault().to_owned();
    let error = rogue.fetch().unwrap_err();
    let whole = format!("{error}\n{}", error.detail_text().unwrap_or_default());
    assert_eq!(error.kind(), ErrorKind::Server, "{fault}");
    assert_eq!(error.place().server.as_deref(), Some("rogue"), "{fault}");
    assert!(error.help_text().is_some(), "{fault}: {whole}");
    for part in says {
        assert!(whole.contains(part), "{fault}: `{part}` is not in: {whole}");
    }
    assert!(!whole.contains(SECRET), "{fault}: {whole}");
    error
}

/// The catalog arrives whole, with a remark that says this.
#[track_caller]
fn passes(rogue: Rogue, remark: &str) -> Fetched {
    let fault = rogue.fault().to_owned();
    let fetched = rogue
        .fetch()
        .unwrap_or_else(|error| panic!("{fault}: {error}"));
    if remark.is_empty() {
        assert_eq!(fetched.remarks, [""; 0], "{fault}");
        assert_eq!(fetched.doubts, [""; 0], "{fault}");
    } else {
        let mut said = fetched.remarks.iter().chain(&fetched.doubts);
        assert!(
            said.any(|said| said.contains(remark)),
            "{fault}: `{remark}` is not in {:?} {:?}",
            fetched.remarks,
            fetched.doubts
        );
    }
    fetched
}

const ONE_TOOL: [&str; 1] = [r#"{"name":"ping","inputSchema":{"type":"object"}}"#];

#[test]
fn a_server_that_does_nothing_wrong_is_listed_without_a_remark() {
    let fetched = passes(Rogue::new("none"), "");
    assert_eq!(tools(&fetched), ONE_TOOL);
    assert_eq!(fetched.revision, Revision::V2025_11_25);
    assert_eq!(fetched.declared, ["elicitation", "roots", "sampling"]);
}

#[test]
fn no_tool_is_ever_called() {
    let mut rogue = Rogue::new("none");
    let log = rogue.log();
    rogue.fetch().unwrap();
    let log = std::fs::read_to_string(log.path()).unwrap();
    let methods: Vec<String> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|message| message["method"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/list",
        "ping",
    ];
    assert_eq!(methods, expected);
}

#[test]
fn a_program_that_is_not_there_is_told_with_what_to_do() {
    fails(
        Rogue::program("no-such-program-here"),
        &["no program `no-such-program-here`"],
    );
    fails(Rogue::program("/no/such/file"), &["there is no file"]);
    fails(Rogue::program("/"), &["is a folder"]);
    fails(Rogue::program("/etc/passwd"), &["is not executable"]);
}

#[test]
fn a_script_whose_interpreter_is_missing_is_told_as_such() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script");
    std::fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let error = fails(
        Rogue::program(&file.display().to_string()),
        &["can't be started"],
    );
    assert!(error.help_text().unwrap().contains("interpreter"));
}

#[test]
fn an_early_end_is_told_at_once_with_its_code_and_last_words_but_no_secret() {
    for (fault, code) in [("exit-0", "exit code 0"), ("exit-1", "exit code 1")] {
        let started = Instant::now();
        fails(
            Rogue::new(fault),
            &[
                code,
                "before it answered `initialize`",
                "config missing: TOKEN=<redacted>",
            ],
        );
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "the start time-out is 60 s"
        );
    }
}

#[test]
fn an_end_in_the_middle_is_told_with_what_was_open() {
    fails(
        Rogue::new("exit-after-handshake"),
        &["exit code 1", "before it answered `tools/list`"],
    );
    fails(
        Rogue::new("killed-after-handshake"),
        &["signal 9 (SIGKILL)", "before it answered `tools/list`"],
    );
    fails(
        Rogue::new("exit-mid-line"),
        &["ended in the middle of a message (line 3 of its standard output)"],
    );
}

#[test]
fn a_reply_that_only_lacks_its_line_break_counts() {
    let fetched = passes(Rogue::new("exit-without-line-break"), "ended by itself");
    assert_eq!(tools(&fetched), ONE_TOOL);
}

#[test]
fn silence_ends_at_the_limit_that_it_names() {
    let limits = Limits {
        start: Duration::from_millis(300),
        ..Limits::default()
    };
    fails(
        Rogue::new("silent").limits(limits),
        &["did not answer `initialize` in time (limit 0.3 s, `--start-timeout`)"],
    );
    fails(
        Rogue::new("a-byte-a-second").limits(limits),
        &["`--start-timeout`"],
    );
    let limits = Limits {
        request: Duration::from_millis(300),
        ..Limits::default()
    };
    fails(
        Rogue::new("silent-list").limits(limits),
        &["did not answer `tools/list` in time (limit 0.3 s, `--request-timeout`)"],
    );
    let limits = Limits {
        total: Duration::from_millis(300),
        ..Limits::default()
    };
    fails(
        Rogue::new("silent-list").limits(limits),
        &["did not finish in time: `tools/list` was open (limit 0.3 s, `--timeout`)"],
    );
}

#[test]
fn a_message_without_end_is_given_up_at_the_limit() {
    for fault in ["endless-line", "endless-message"] {
        fails(
            Rogue::new(fault),
            &["line 1 of its standard output is too long (limit 16 MiB, `--max-message`)"],
        );
    }
    fails(
        Rogue::new("big-message").count(17 << 20),
        &["line 3 of its standard output is too long (limit 16 MiB, `--max-message`)"],
    );
    passes(Rogue::new("big-message").count(15 << 20), "");
}

#[test]
fn output_that_never_ends_is_given_up_at_the_limit() {
    for fault in ["endless-noise", "request-storm", "notification-storm"] {
        fails(
            Rogue::new(fault),
            &["too many messages that answer nothing (limit 10000, `--max-unasked`)"],
        );
    }
}

#[test]
fn noise_is_skipped_counted_and_shown_without_its_control_characters() {
    let fetched = passes(
        Rogue::new("noise"),
        "5 lines on its standard output were no JSON-RPC and skipped; the first: \
         `Demo server v1.2 starting on stdio`",
    );
    assert_eq!(tools(&fetched), ONE_TOOL);
    fails(
        Rogue::new("noise").strict(),
        &["line 1 of its standard output is no JSON-RPC message: `Demo server"],
    );
}

#[test]
fn a_message_that_is_no_json_is_an_error_with_its_place() {
    fails(
        Rogue::new("partial-json"),
        &[
            "line 3 of its standard output is no valid message: unexpected end",
            "at byte 31",
            "near: ",
        ],
    );
    fails(Rogue::new("nul"), &["control character in a string"]);
    fails(Rogue::new("nan"), &["expected a value", "NaN"]);
    fails(Rogue::new("invalid-utf8"), &["invalid UTF-8 at byte"]);
}

#[test]
fn characters_split_over_writes_arrive_whole() {
    let fetched = passes(Rogue::new("split-utf8"), "");
    assert!(tools(&fetched)[0].contains("pïng€😀"));
}

#[test]
fn a_flood_on_standard_error_blocks_nothing() {
    assert_eq!(tools(&passes(Rogue::new("stderr-flood"), "")), ONE_TOOL);
    let limits = Limits {
        start: Duration::from_millis(300),
        ..Limits::default()
    };
    fails(
        Rogue::new("stderr-flood-for-ever").limits(limits),
        &["`--start-timeout`"],
    );
}

#[test]
fn a_server_that_ignores_the_end_of_its_input_and_sigterm_is_killed() {
    passes(Rogue::new("ignores-eof").ignoring_sigterm(), "");
    passes(Rogue::new("writes-after-eof").ignoring_sigterm(), "");
}

#[test]
fn the_catalog_does_not_wait_for_a_server_that_takes_its_time_to_go() {
    let rogue = Rogue::new("ignores-eof").ignoring_sigterm();
    let (catalog, whole) = rogue.timed();
    // The ladder takes 100 ms and 2 s for this one.
    assert!(whole.checked_sub(catalog).unwrap() > Duration::from_millis(1900));
}

#[test]
fn grandchildren_hold_up_nothing_and_are_ended_too() {
    fails(
        Rogue::new("grandchild-holds-the-pipe"),
        &[
            "exit code 7",
            "while a process that it started holds its output open",
        ],
    );
    fails(
        Rogue::new("killed-while-a-grandchild-waits"),
        &["signal 9", "before it answered `tools/list`"],
    );
    passes(Rogue::new("grandchild-is-left"), "");
}

#[test]
fn output_that_is_closed_while_the_server_runs_on_is_told_as_such() {
    let script = "exec 1>&-; exec 2>&-; sleep 3600 & echo $$ > \"$1\"; wait";
    fails(
        Rogue::shell(script),
        &["closed its standard output", "`initialize`"],
    );
}

#[test]
fn a_reply_whose_id_is_the_same_number_written_otherwise_is_the_reply() {
    let fetched = Rogue::new("float-id").fetch().unwrap();
    assert_eq!(fetched.lists[0].items.len(), 1);
    assert_eq!(fetched.remarks, [""; 0]);
}

#[test]
fn replies_to_what_was_never_asked_are_ignored_and_told() {
    let limits = Limits {
        request: Duration::from_millis(300),
        ..Limits::default()
    };
    for fault in ["wrong-id", "text-id"] {
        fails(
            Rogue::new(fault).limits(limits),
            &[
                "did not answer `tools/list`",
                "1 reply to requests that were never made",
            ],
        );
    }
    passes(
        Rogue::new("wrong-id-then-right"),
        "the first with the id `77`",
    );
}

#[test]
fn a_second_reply_is_told_when_equal_and_an_error_when_not() {
    let fetched = passes(
        Rogue::new("duplicate-reply"),
        "1 reply came a second time, unchanged",
    );
    assert_eq!(tools(&fetched), ONE_TOOL);
    fails(
        Rogue::new("two-replies"),
        &["answered `tools/list` twice, and differently"],
    );
}

#[test]
fn an_envelope_that_reads_in_two_ways_is_an_error() {
    fails(
        Rogue::new("result-and-error"),
        &["both a result and an error"],
    );
    fails(Rogue::new("id-twice"), &["`id` stands twice"]);
}

#[test]
fn a_batch_is_read_and_told() {
    let fetched = passes(Rogue::new("batch"), "1 batch of messages");
    assert_eq!(tools(&fetched), ONE_TOOL);
}

#[test]
fn a_server_that_asks_first_gets_its_answer() {
    passes(Rogue::new("asks-ping-first"), "");
    passes(Rogue::new("asks-roots-first"), "");
    passes(
        Rogue::new("asks-sampling-first"),
        "asked for `sampling/createMessage` (1 time) and was declined",
    );
}

#[test]
fn a_handshake_that_fails_says_why() {
    fails(
        Rogue::new("unknown-version"),
        &["protocol revision \"2099-01-01\""],
    );
    fails(
        Rogue::new("modern-version"),
        &["protocol revision \"2026-07-28\""],
    );
    fails(Rogue::new("no-version"), &["no `protocolVersion`"]);
    fails(Rogue::new("no-capabilities"), &["no `capabilities`"]);
    fails(
        Rogue::new("refuses"),
        &["answered `initialize` with error -32000: no key \\u{1b}[31m<redacted>"],
    );
    fails(
        Rogue::new("refuses-without-id"),
        &["answered `initialize` with error -32700"],
    );
}

#[test]
fn an_older_revision_is_taken_unless_another_was_asked_for() {
    let fetched = passes(Rogue::new("old-version"), "");
    assert_eq!(fetched.revision, Revision::V2024_11_05);
    let mut rogue = Rogue::new("old-version");
    rogue.options.protocol = Some(Revision::V2025_06_18);
    fails(
        rogue,
        &["no longer speaks 2025-06-18: it answered with 2024-11-05"],
    );
}

#[test]
fn a_list_that_is_declared_and_unknown_is_not_offered_and_one_that_fails_is_an_error() {
    let fetched = passes(
        Rogue::new("no-such-method"),
        "declares `tools` and does not know",
    );
    assert!(fetched.lists.is_empty());
    fails(
        Rogue::new("list-fails"),
        &["answered `tools/list` with error -32603: database is down"],
    );
}

#[test]
fn lists_without_end_are_given_up_at_the_limit() {
    fails(
        Rogue::new("repeated-cursor"),
        &["`tools/list` never ends: its page 2 gives the cursor \"OA==\" a second time"],
    );
    fails(
        Rogue::new("cursor-storm"),
        &["too many pages (limit 1000, `--max-pages`)"],
    );
    fails(
        Rogue::new("many-tools").count(10_001),
        &["too many items (limit 10000, `--max-items`)"],
    );
    fails(
        Rogue::new("many-tools-in-pages").count(3_000),
        &["too many items (limit 10000, `--max-items`)"],
    );
    let limits = Limits {
        catalog: 1 << 20,
        items: 1_000_000,
        ..Limits::default()
    };
    fails(
        Rogue::new("many-tools-in-pages")
            .count(3_000)
            .limits(limits),
        &["catalog is too large (limit 1 MiB, `--max-catalog`)"],
    );
}

#[test]
fn a_list_that_changed_is_read_again_until_it_settles_and_not_for_ever() {
    let fetched = passes(Rogue::new("changes-between-pages"), "");
    assert_eq!(
        tools(&fetched),
        [r#"{"name":"new"}"#, r#"{"name":"second"}"#]
    );
    let mut rogue = Rogue::new("changed-before-ping");
    let log = rogue.log();
    passes(rogue, "");
    let log = std::fs::read_to_string(log.path()).unwrap();
    assert_eq!(log.matches("tools/list").count(), 2);
    fails(
        Rogue::new("changed-for-ever"),
        &["never settle", "(limit 5, `--max-relists`)"],
    );
}

#[test]
fn a_server_that_does_not_know_ping_keeps_its_catalog() {
    let limits = Limits {
        request: Duration::from_millis(300),
        ..Limits::default()
    };
    let fetched = passes(
        Rogue::new("no-ping").limits(limits),
        "did not answer `ping`",
    );
    assert_eq!(tools(&fetched), ONE_TOOL);
    assert_eq!(tools(&passes(Rogue::new("no-such-ping"), "")), ONE_TOOL);
    let fetched = passes(
        Rogue::new("ends-before-ping"),
        "ended by itself after its last list",
    );
    assert_eq!(tools(&fetched), ONE_TOOL);
}

#[test]
fn a_run_that_is_called_off_leaves_nothing_behind() {
    let (canceller, cancel) = cancellation();
    let mut rogue = Rogue::new("silent-list").cancel(cancel);
    let log = rogue.log();
    // Called off as soon as the server is seen to have been asked for its tools.
    let watcher = std::thread::spawn(move || {
        let deadline = Instant::now() + Duration::from_secs(30);
        let asked = || std::fs::read_to_string(log.path()).unwrap_or_default();
        while !asked().contains("tools/list") && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        canceller.cancel();
    });
    let error = rogue.fetch().unwrap_err();
    watcher.join().unwrap();
    assert!(
        error
            .message()
            .contains("called off while `tools/list` was open"),
        "{error}"
    );
}

#[test]
fn a_panic_leaves_nothing_behind() {
    Rogue::new("grandchild-is-left").panicking();
    Rogue::new("ignores-eof").ignoring_sigterm().panicking();
}

/// The peak memory of a process that fetches from a rogue, in KiB (0 where it is not known).
fn peak(fault: &str, count: usize) -> u64 {
    let count = count.to_string();
    let output = std::process::Command::new(example("fetch_client"))
        .args([&example("rogue"), fault, "--count", &count])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    said.trim().rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn memory_stays_bounded_whatever_is_sent() {
    for (fault, count, most) in [
        ("none", 0, 20),
        ("stderr-flood", 0, 20),
        ("endless-line", 0, 64),
        ("big-message", 17 << 20, 64),
        ("request-storm", 0, 20),
        ("notification-storm", 0, 20),
        ("endless-noise", 0, 20),
        ("many-tools", 300_000, 100),
        ("cursor-storm", 0, 20),
    ] {
        let peak = peak(fault, count) >> 10;
        assert!(peak < most, "{fault}: {peak} MiB, not below {most} MiB");
    }
}
