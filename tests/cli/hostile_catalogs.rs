//! Hostile catalogs through the program: each ends soon, in bounded memory, with a verdict, a
//! finding or the limit that it met.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::project::Project;

/// Against a hang; nothing here takes a tenth of it on an idle machine.
const LONGEST: Duration = Duration::from_secs(300);

/// What a run took, and what it said.
struct Taken {
    code: i32,
    stdout: String,
    /// The most memory that it held, in MiB.
    memory: u64,
}

/// The highest resident set of a process so far, in MiB.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

fn check(project: &Project, catalog: &[u8]) -> Taken {
    project.write("hostile.json", catalog);
    let mut child = project
        .command(&["check", "--catalog", "hostile.json", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut output, &mut text).unwrap();
        text
    });
    let start = Instant::now();
    let mut memory = 0;
    let status = loop {
        memory = memory.max(peak(&child).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("it still runs after {LONGEST:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Taken {
        code: status.code().unwrap_or_else(|| panic!("{status}")),
        stdout: reader.join().unwrap(),
        memory,
    }
}

/// The rules of the findings, or the error.
fn said(taken: &Taken) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&taken.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", &taken.stdout[..taken.stdout.len().min(500)])
    });
    let errors = report["errors"].as_array().into_iter().flatten();
    let mut said: Vec<String> = errors
        .map(|error| error["message"].as_str().unwrap().to_owned())
        .collect();
    let servers = report["servers"].as_array().into_iter().flatten();
    for finding in servers.flat_map(|server| server["findings"].as_array().unwrap()) {
        said.push(finding["rule"].as_str().unwrap().to_owned());
    }
    said.dedup();
    said
}

/// A catalog of one tool with that input schema.
fn schema(text: &str) -> Vec<u8> {
    format!(r#"{{"tools":[{{"name":"t","description":"x","inputSchema":{text}}}]}}"#).into_bytes()
}

fn parameter(text: &str) -> Vec<u8> {
    schema(&format!(
        r#"{{"type":"object","properties":{{"a":{text}}}}}"#
    ))
}

fn definitions(count: usize, one: impl Fn(usize) -> String) -> Vec<u8> {
    let all: Vec<String> = (0..count)
        .map(|i| format!(r#""d{i}":{}"#, one(i)))
        .collect();
    schema(&format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{}}}}}"##,
        all.join(",")
    ))
}

#[test]
fn each_hostile_catalog_ends_in_a_finding_or_a_limit_within_bounds() {
    let long = |n: usize| "x".repeat(n);
    let next = |i: usize, last: usize| match i {
        i if i == last => r#"{"type":"integer"}"#.to_owned(),
        i => format!(r##"{{"$ref":"#/$defs/d{}"}}"##, i + 1),
    };
    let doubled = |i: usize| match i {
        22 => r#"{"type":"integer"}"#.to_owned(),
        i => {
            let one = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, i + 1);
            format!(r#"{{"default":"x","allOf":[{one},{one}]}}"#)
        }
    };
    let numbers: Vec<String> = (0..1_000_000).map(|i| i.to_string()).collect();
    let project = Project::new();
    let mut rows = Vec::new();
    for (name, catalog, code, rule) in [
        (
            "100,000 levels",
            parameter(&(r#"{"not":"#.repeat(100_000) + "{}" + &"}".repeat(100_000))),
            4,
            Some("too-deep"),
        ),
        ("2^22 visits by doubling", definitions(23, doubled), 0, None),
        (
            "a default for each doubling",
            definitions(23, |i| doubled(i).replace(r#""x""#, "[1]")),
            0,
            None,
        ),
        (
            "an enum of a million",
            parameter(&format!(r#"{{"enum":[{}]}}"#, numbers.join(","))),
            0,
            None,
        ),
        (
            "an enum of a million that none is right of",
            parameter(&format!(
                r#"{{"type":"string","enum":[{}]}}"#,
                numbers.join(",")
            )),
            0,
            Some("value-refused"),
        ),
        (
            "10,000 references in a chain",
            definitions(10_001, |i| next(i, 10_000)),
            0,
            None,
        ),
        (
            "10,000 references in a ring",
            definitions(10_000, |i| {
                format!(r##"{{"$ref":"#/$defs/d{}"}}"##, (i + 1) % 10_000)
            }),
            4,
            Some("ref-loop"),
        ),
        (
            "60,000 parameters",
            schema(&format!(
                r#"{{"type":"object","properties":{{{}}}}}"#,
                (0..60_000)
                    .map(|i| format!(r#""p{i}":true"#))
                    .collect::<Vec<_>>()
                    .join(",")
            )),
            4,
            Some("schema-too-large"),
        ),
        (
            "an exploding pattern",
            parameter(r#"{"pattern":"^((?=a)a|a)*!$","default":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"#),
            0,
            None,
        ),
        (
            "a pattern that grows",
            parameter(r#"{"pattern":"((a{1000}){1000}){1000}"}"#),
            0,
            Some("pattern-not-evaluated"),
        ),
        (
            "a pattern of 10 MB",
            parameter(&format!(r#"{{"pattern":"({}"}}"#, long(10_000_000))),
            4,
            Some("not-well-formed"),
        ),
        ("1e400", parameter(r#"{"maximum":1e400}"#), 0, Some("inexact-number")),
        (
            "an exponent of 20 digits",
            parameter(r#"{"maximum":1e99999999999999999999}"#),
            4,
            Some("exponent-too-large"),
        ),
        (
            "a number of a million digits",
            parameter(&format!(r#"{{"maximum":{}}}"#, "9".repeat(1_000_000))),
            0,
            Some("inexact-number"),
        ),
        (
            "a string of 100 MB",
            schema(&format!(
                r#"{{"type":"object","description":"{}"}}"#,
                long(100_000_000)
            )),
            0,
            None,
        ),
        (
            "a name of 10 MB in look-alike letters",
            format!(
                r#"{{"tools":[{{"name":"{}","description":"x","inputSchema":{{"type":"object"}}}}]}}"#,
                "\u{430}a".repeat(3_000_000)
            )
            .into_bytes(),
            4,
            Some("mixed-script"),
        ),
        (
            "a million hidden characters",
            parameter(&format!(r#"{{"title":"{}"}}"#, "\u{200b}".repeat(1_000_000))),
            4,
            Some("hidden-text"),
        ),
        (
            "a hundred thousand references to nothing",
            format!(
                r#"{{"tools":[{}]}}"#,
                (0..5)
                    .map(|tool| {
                        let properties: Vec<String> = (0..20_000)
                            .map(|i| format!(r##""p{i}":{{"$ref":"#/x"}}"##))
                            .collect();
                        format!(
                            r#"{{"name":"t{tool}","description":"x","inputSchema":{{"type":"object","properties":{{{}}}}}}}"#,
                            properties.join(",")
                        )
                    })
                    .collect::<Vec<_>>()
                    .join(",")
            )
            .into_bytes(),
            4,
            Some("dangling-ref"),
        ),
        (
            "300 MB",
            schema(&format!(r#"{{"type":"object","title":"{}"}}"#, long(300_000_000))),
            2,
            Some("more than the"),
        ),
    ] {
        let start = Instant::now();
        let size = catalog.len() as u64 / (1024 * 1024);
        let taken = check(&project, &catalog);
        let said = said(&taken);
        rows.push(format!(
            "{name}: {size} MiB in, {:?}, {} MiB held, exit {}, {said:?}",
            start.elapsed(),
            taken.memory,
            taken.code
        ));
        let row = rows.last().unwrap();
        println!("{row}");
        assert_eq!(taken.code, code, "{row}");
        match rule {
            Some(rule) => assert!(said.iter().any(|text| text.contains(rule)), "{row}"),
            None => assert!(
                said.iter().all(|rule| ["default-refused", "unsatisfiable"].contains(&&**rule)),
                "{row}"
            ),
        }
        let bound = 256 + 12 * size;
        assert!(taken.memory < bound, "{row}: more than {bound} MiB");
    }
    std::io::stdout().flush().unwrap();
}
