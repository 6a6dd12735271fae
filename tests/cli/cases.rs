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
