//! Small inputs from public bug reports, judged by the program; each with its right outcome.

use std::path::PathBuf;

use crate::project::Project;

/// The folder of a case; none, after saying so, where the cases are not there.
fn case(name: &str) -> Option<PathBuf> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED case {name}: MCPLOCK_SUITES is not set");
        return None;
    };
    let path = PathBuf::from(suites).join("cases").join(name);
    assert!(path.is_dir(), "{} is missing", path.display());
    Some(path)
}

/// Compares two files of a case and returns the worst level of drift, `clean` for none.
fn worst(name: &str, from: &str, to: &str) -> Option<String> {
    let folder = case(name)?;
    let project = Project::new();
    let path = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    let run = project.run(&[
        "diff",
        "--from",
        &path(from),
        "--to",
        &path(to),
        "--format",
        "json",
    ]);
    assert!([0, 1, 4].contains(&run.code), "{name}: {run:?}");
    let report = run.json();
    let levels: Vec<String> = report["servers"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["level"].as_str().unwrap().to_owned())
        .collect();
    let order = ["breaking", "risky", "compatible", "equivalent"];
    let found = order
        .iter()
        .find(|level| levels.iter().any(|other| other == *level));
    let found = found.map_or("clean", |level| *level).to_owned();
    let fails = ["breaking", "risky", "compatible"].contains(&found.as_str());
    assert_eq!(
        run.code == 1,
        fails,
        "{name}: {found} returned {}",
        run.code
    );
    Some(found)
}

#[test]
fn drift_has_the_level_that_the_case_asks_for() {
    let mut wrong = Vec::new();
    for (name, from, to, level) in [
        ("20-rug-pull-description", "old.json", "new.json", "risky"),
        (
            "21-annotations-and-output-schema-count",
            "old.json",
            "new.json",
            "breaking",
        ),
        (
            "26-order-is-not-drift",
            "old.json",
            "reordered.json",
            "equivalent",
        ),
        (
            "26-order-is-not-drift",
            "old.json",
            "tuple.json",
            "breaking",
        ),
        ("60-terminal-escapes", "old.json", "new.json", "risky"),
        (
            "62-injection-below-the-description",
            "old.json",
            "new.json",
            "risky",
        ),
        (
            "68-big-integers-collide",
            "old.raw.json",
            "new.raw.json",
            "compatible",
        ),
        (
            "69-number-spelling",
            "old.raw.json",
            "new.raw.json",
            "clean",
        ),
        (
            "73-enum-added-or-removed",
            "old.json",
            "new.json",
            "breaking",
        ),
        (
            "06-boolean-property-schema",
            "old.json",
            "new-equivalent.json",
            "equivalent",
        ),
        (
            "06-boolean-property-schema",
            "old.json",
            "new-narrower.json",
            "breaking",
        ),
        (
            "75-inline-to-ref-refactor",
            "old.json",
            "new.json",
            "equivalent",
        ),
        (
            "75-inline-to-ref-refactor",
            "old.json",
            "new-rootref.json",
            "equivalent",
        ),
        (
            "75-inline-to-ref-refactor",
            "old.json",
            "new-changed.json",
            "breaking",
        ),
        (
            "76-optional-property-on-open-object",
            "open-old.json",
            "open-new.json",
            "compatible",
        ),
        (
            "76-optional-property-on-open-object",
            "closed-old.json",
            "closed-new.json",
            "compatible",
        ),
        (
            "76-optional-property-on-open-object",
            "closed-old.json",
            "open-old.json",
            "compatible",
        ),
        (
            "76-optional-property-on-open-object",
            "open-old.json",
            "closed-old.json",
            "compatible",
        ),
    ] {
        if let Some(found) = worst(name, from, to)
            && found != level
        {
            wrong.push(format!("{name}: {from} -> {to} is {found}, not {level}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if let Some(found) = worst(
        "69-number-spelling",
        "old.raw.json",
        "off-by-one-ulp.raw.json",
    ) {
        assert_ne!(found, "clean");
        assert_ne!(found, "equivalent");
    }
}

#[test]
fn unfit_tools_are_the_ones_that_the_case_names() {
    for (name, unfit) in [
        (
            "02-external-ref-never-fetched",
            &[
                "leak_file",
                "leak_metadata",
                "leak_protocol_relative",
                "relative",
            ][..],
        ),
        ("04-allof-ref-loop-stack-overflow", &["loop", "self"]),
        ("06-boolean-property-schema", &[]),
        (
            "09-no-arg-tool-without-properties",
            &["array_root", "missing", "no_type"],
        ),
        (
            "11-mixed-dialects-one-list",
            &["private_dialect", "untagged_tuple", "y20_tuple"],
        ),
        ("12-draft04-exclusive-minimum", &["tagged_2020", "untagged"]),
        ("13-regex-flavour", &["bad"]),
        ("29-duplicate-tool-names", &["run"]),
    ] {
        let Some(folder) = case(name) else { continue };
        let project = Project::new();
        // The cases were written for a server that speaks a revision with a default dialect.
        let tools = std::fs::read_to_string(folder.join("tools.json")).unwrap();
        let tools: serde_json::Value = serde_json::from_str(&tools).unwrap();
        let initialize = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "result": {
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "case", "version": "1" } } });
        project.write("case/initialize.json", initialize.to_string());
        project.write("case/tools.json", tools.to_string());
        let run = project.run(&["check", "--catalog", "case", "--format", "json"]);
        assert_eq!(
            run.code,
            if unfit.is_empty() { 0 } else { 4 },
            "{name}: {run:?}"
        );
        let mut found: Vec<String> = run.json()["servers"][0]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| finding["level"] == "unfit")
            .map(|finding| finding["item"].as_str().unwrap().replace("tool:", ""))
            .collect();
        found.sort();
        found.dedup();
        assert_eq!(found, unfit, "{name}");
    }
}

#[test]
fn escape_sequences_of_a_server_reach_no_stream_and_begin_no_line() {
    let Some(folder) = case("60-terminal-escapes") else {
        return;
    };
    let project = Project::new();
    let path = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    for format in [
        "human", "json", "github", "markdown", "junit", "sarif", "gitlab",
    ] {
        for more in [&[][..], &["-v"]] {
            let (from, to) = (path("old.json"), path("new.json"));
            let mut args = vec!["diff", "--from", &from, "--to", &to, "--format", format];
            args.extend(more);
            let run = project.expect(1, &args);
            for text in [&run.stdout, &run.stderr] {
                let raw = ['\u{1b}', '\u{7}', '\u{9b}', '\r'];
                assert!(!text.contains(raw), "{format}: {text:?}");
                let hijacked = text.lines().any(|line| {
                    line.starts_with("::")
                        && !line.starts_with("::error")
                        && !line.starts_with("::warning")
                        && !line.starts_with("::notice")
                });
                assert!(!hijacked, "{format}: {text}");
            }
        }
    }
}

/// The findings of `check` on a file of a case: item, rule, level, place.
fn checked(project: &Project, path: &std::path::Path) -> (i32, Vec<[String; 4]>) {
    let tools = std::fs::read_to_string(path).unwrap();
    let initialize = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "result": {
        "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
        "serverInfo": { "name": "case", "version": "1" } } });
    project.write("case/initialize.json", initialize.to_string());
    project.write("case/tools.json", tools);
    let run = project.run(&["check", "--catalog", "case", "--format", "json"]);
    let report = run.json();
    let servers = report["servers"].as_array().into_iter().flatten();
    let findings = servers.flat_map(|server| server["findings"].as_array().unwrap());
    let found = findings.map(|finding| {
        ["item", "rule", "level", "pointer"]
            .map(|member| finding[member].as_str().unwrap_or_default().to_owned())
    });
    (run.code, found.collect())
}

/// Rules of cases that judge what a gateway or a conversion makes of a tool, not the tool.
const OF_PROJECTIONS: [&str; 2] = ["constraint-lost", "narrowed"];

#[test]
fn the_cases_of_schemas_security_and_json_come_out_as_they_expect() {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED the cases: MCPLOCK_SUITES is not set");
        return;
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(PathBuf::from(suites).join("cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let project = Project::new();
    let mut judged = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let expect = std::fs::read_to_string(folder.join("expect.json")).unwrap();
        let expect: serde_json::Value = serde_json::from_str(&expect).unwrap();
        let theme = expect["theme"].as_str().unwrap();
        if !["a", "e", "f"].contains(&&theme[..1]) || !folder.join("tools.json").exists() {
            continue;
        }
        let (code, found) = checked(&project, &folder.join("tools.json"));
        let mut wanted = 0;
        let mut waiting = 0;
        for finding in expect["findings"].as_array().into_iter().flatten() {
            let rule = finding["rule"].as_str().unwrap();
            if OF_PROJECTIONS.contains(&rule) {
                waiting += 1;
                continue;
            }
            let elsewhere = finding["in"].as_str();
            let found = match elsewhere {
                Some(file) => checked(&project, &folder.join(file)).1,
                None => found.clone(),
            };
            let item = format!("tool:{}", finding["tool"].as_str().unwrap());
            let pointer = finding["pointer"].as_str().unwrap_or_default();
            let level = match finding["level"].as_str() {
                Some("warning") => "advice",
                _ => "unfit",
            };
            assert!(
                found.iter().any(|[label, id, severity, place]| {
                    *label == item && id == rule && severity == level && place.ends_with(pointer)
                }),
                "{name}: {finding}: {found:?}"
            );
            wanted += usize::from(elsewhere.is_none() && level == "unfit");
        }
        for tool in expect["clean_tools"].as_array().into_iter().flatten() {
            let item = format!("tool:{}", tool.as_str().unwrap());
            assert!(
                found.iter().all(|[label, ..]| *label != item),
                "{name}: {item}: {found:?}"
            );
        }
        let unfit = found
            .iter()
            .filter(|[_, _, level, _]| level == "unfit")
            .count();
        assert_eq!(unfit, wanted, "{name}: {found:?}");
        assert_eq!(code, if unfit > 0 { 4 } else { 0 }, "{name}");
        println!(
            "{name}: {unfit} unfit, {} advice, {waiting} of a projection",
            found.len() - unfit
        );
        judged.push(name[..2].to_owned());
    }
    assert_eq!(
        judged,
        [
            "01", "02", "04", "06", "07", "09", "11", "12", "13", "15", "16", "18", "58"
        ]
    );
}

#[test]
fn hidden_characters_are_shown_by_their_kind_and_never_raw() {
    let Some(folder) = case("58-hidden-unicode-tags") else {
        return;
    };
    let project = Project::new();
    let path = folder.join("tools.json");
    for format in [
        "human", "json", "github", "markdown", "junit", "sarif", "gitlab",
    ] {
        let args = [
            "check",
            "--catalog",
            path.to_str().unwrap(),
            "-v",
            "--format",
            format,
        ];
        let run = project.expect(4, &args);
        for (code, kind) in [
            ("U+E0061", "tag"),
            ("U+200B", "zero-width"),
            ("U+202E", "bidi"),
            ("U+E0120", "variation-selector"),
        ] {
            run.says(code).says(kind);
        }
        let raw = |c: char| "\u{200b}\u{2060}\u{202e}\u{202c}".contains(c) || c >= '\u{e0000}';
        assert!(
            !run.stdout.contains(raw) && !run.stderr.contains(raw),
            "{format}"
        );
    }
}

#[test]
fn what_two_readers_read_differently_is_unfit_and_what_is_no_json_is_no_catalog() {
    let project = Project::new();
    if let Some(folder) = case("66-duplicate-keys") {
        for file in ["tools-description", "tools-escaped", "tools-schema"] {
            let (code, found) = checked(&project, &folder.join(format!("{file}.raw.json")));
            assert_eq!(code, 4, "{file}");
            assert!(
                found.iter().any(|[_, rule, ..]| rule == "duplicate-key"),
                "{file}: {found:?}"
            );
        }
    }
    if let Some(folder) = case("71-nan-and-infinity") {
        let path = folder.join("tools.raw.json");
        let run = project.expect(2, &["check", "--catalog", path.to_str().unwrap()]);
        run.says("tools.raw.json");
    }
    if let Some(folder) = case("68-big-integers-collide") {
        let (code, found) = checked(&project, &folder.join("huge.raw.json"));
        assert_eq!(code, 0, "{found:?}");
    }
}

#[test]
fn what_only_a_caller_of_undeclared_names_meets_is_a_note() {
    let Some(folder) = case("76-optional-property-on-open-object") else {
        return;
    };
    let project = Project::new();
    let path = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    for (from, to, noted) in [
        ("open-old.json", "open-new.json", true),
        ("open-old.json", "closed-old.json", true),
        ("closed-old.json", "closed-new.json", false),
        ("closed-old.json", "open-old.json", false),
    ] {
        let (old, new) = (path(from), path(to));
        let args = ["diff", "--from", &old, "--to", &new];
        let run = project.expect(1, &[&args[..], &["--format", "json"]].concat());
        let findings = run.json()["servers"][0]["findings"].clone();
        let notes: Vec<&str> = findings
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|finding| finding["note"].as_str())
            .collect();
        assert_eq!(!notes.is_empty(), noted, "{from} -> {to}: {notes:?}");
        let shown = project.expect(1, &[&args[..], &["-v"]].concat());
        assert_eq!(shown.stdout.contains("a caller who sends"), noted);
    }
}

#[test]
fn what_an_sdk_writes_by_itself_is_told_once_for_the_server() {
    let project = Project::new();
    let list = |closed: bool| {
        let tool = |name: &str| {
            let mut tool = serde_json::json!({ "name": name, "inputSchema": {
                "type": "object", "properties": { "q": { "type": "string" } } } });
            if closed {
                tool["inputSchema"]["additionalProperties"] = false.into();
                tool["_meta"] = serde_json::json!({ "fastmcp": { "tags": [] } });
            }
            tool
        };
        serde_json::json!({ "tools": [tool("a"), tool("b"), tool("c")] }).to_string()
    };
    project.write("old.json", list(false));
    project.write("new.json", list(true));
    for format in ["human", "markdown"] {
        let run = project.expect(
            1,
            &[
                "diff", "--from", "old.json", "--to", "new.json", "--format", format,
            ],
        );
        let told = run.stdout.to_lowercase();
        assert_eq!(
            told.matches("written anew by the sdk").count(),
            1,
            "{}",
            run.stdout
        );
        assert_eq!(
            told.matches("additionalproperties").count(),
            1,
            "{}",
            run.stdout
        );
    }
}
