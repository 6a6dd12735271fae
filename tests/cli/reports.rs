//! Reports as their readers get them: every format of the demo's drifts, the files of a build
//! runner, a hostile server.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::project::{Project, files_project, tool};

/// The formats of `--report`, with a name for the file.
const FORMATS: [&str; 7] = [
    "human", "json", "sarif", "junit", "github", "gitlab", "markdown",
];

/// The project of `mcplock demo`, its server pinned at the first release.
fn demo_project() -> Project {
    let project = Project::new();
    let program = env!("CARGO_BIN_EXE_mcplock");
    project.write("release.txt", "1.0.0");
    project.configure(&[("orders", &[program, "demo-server", "release.txt"])]);
    project.expect(0, &["pin"]);
    project
}

/// What `verify` writes in every format when the demo's server plays `release`.
fn reports(project: &Project, release: &str) -> Vec<(&'static str, String)> {
    project.write("release.txt", release);
    let flags: Vec<String> = FORMATS
        .iter()
        .map(|format| format!("--report={format}=report.{format}"))
        .collect();
    let mut args = vec!["verify"];
    args.extend(flags.iter().map(String::as_str));
    project.expect(1, &args);
    FORMATS
        .into_iter()
        .map(|format| (format, project.read(&format!("report.{format}"))))
        .collect()
}

#[test]
fn every_format_tells_the_drifts_of_the_demo() {
    let project = demo_project();
    let mut pages: Vec<(&str, String)> = FORMATS
        .iter()
        .map(|format| (*format, String::new()))
        .collect();
    for release in ["1.0.1", "1.0.2", "1.0.3"] {
        for ((_, page), (_, report)) in pages.iter_mut().zip(reports(&project, release)) {
            writeln!(page, "===== release {release}").unwrap();
            page.push_str(&report);
        }
    }
    for (format, page) in pages {
        let page = page.replace(env!("CARGO_PKG_VERSION"), "VERSION");
        insta::assert_snapshot!(format!("demo_{format}"), page);
    }
}

/// The folder that `.ci/install-report-tools` fills; a test that needs it says loudly that it is
/// skipped.
pub(crate) fn tools(what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MCPLOCK_REPORT_TOOLS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: {what}: MCPLOCK_REPORT_TOOLS is not set (.ci/install-report-tools)");
    }
    folder
}

#[test]
fn sarif_is_valid_against_the_published_schema() {
    let Some(tools) = tools("SARIF against its schema") else {
        return;
    };
    let path = tools.join("sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
    // Published with a stray bracket in a pattern, which ECMA-262 refuses.
    let text = std::fs::read_to_string(path).unwrap();
    let schema: Value = serde_json::from_str(&text.replace("{2}]?$", "{2}$")).unwrap();
    let schema = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    for project in [demo_project(), hostile_project()] {
        let text = project.run(&["verify", "--format", "sarif"]).stdout;
        let log: Value = serde_json::from_str(&text).unwrap();
        let faults: Vec<String> = schema.iter_errors(&log).map(|e| e.to_string()).collect();
        assert!(faults.is_empty(), "{faults:#?}\n{text}");
    }
    let broken = json!({ "version": "2.1.0", "runs": [{ "results": 1 }] });
    assert!(
        !schema.is_valid(&broken),
        "the schema refuses what is wrong"
    );
}

#[test]
fn junit_is_valid_against_the_published_schema() {
    let Some(tools) = tools("JUnit against its schema") else {
        return;
    };
    let check = "import sys; from lxml import etree\n\
        schema = etree.XMLSchema(etree.parse(sys.argv[1]))\n\
        schema.assertValid(etree.parse(sys.argv[2]))\n";
    let valid = |schema: &str, file: PathBuf| {
        let output = Command::new(tools.join("python/bin/python"))
            .args(["-c", check])
            .arg(tools.join("junit/test/resources").join(schema))
            .arg(file)
            .output()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    for project in [demo_project(), hostile_project(), unjudged_project()] {
        project.run(&["verify", "--report", "junit=report.xml"]);
        let (ok, said) = valid("jenkins-junit.xsd", project.path("report.xml"));
        assert!(ok, "{said}\n{}", project.read("report.xml"));
    }
    let project = Project::new();
    project.write("bad.xml", "<testsuites><testsuite/></testsuites>");
    let (ok, _) = valid("jenkins-junit.xsd", project.path("bad.xml"));
    assert!(!ok, "the schema refuses what is wrong");
}

/// A server that is pinned and can't be started.
fn unjudged_project() -> Project {
    let project = files_project(&[tool("a", &json!({}))]);
    project.expect(0, &["pin"]);
    std::fs::remove_file(project.path("catalog.json")).unwrap();
    project
}

/// Text that attacks each of the formats.
const ATTACK: &str = "x\n::error::gotcha\n##[error]a ##vso[task.complete] \u{1b}[2J\u{1b}]0;t\u{7} \
    \u{202e}evil\u{2066} ``` ` ]]></failure></testsuites> </script><img src=x onerror=alert(1)> \
    </pre></details> @octocat [a](javascript:b) | b | {0} %0A::set-output name=a::b";

/// A server whose words, names and values turn hostile after it was pinned.
fn hostile_project() -> Project {
    let project = files_project(&[tool("read", &json!({ "path": { "type": "string" } }))]);
    project.expect(0, &["pin"]);
    let mut read = tool(
        "read",
        &json!({
            "path": { "type": "string", "description": ATTACK, "default": ATTACK },
            ATTACK: { "enum": [ATTACK] },
        }),
    );
    read["title"] = json!(ATTACK);
    read["annotations"] = json!({ ATTACK: ATTACK });
    let mut other = tool(ATTACK, &json!({}));
    other["description"] = json!(ATTACK);
    project.advertise(&[read, other]);
    project
}

#[test]
fn a_hostile_server_is_harmless_in_every_format() {
    let project = hostile_project();
    for format in FORMATS {
        for extra in ["--no-progress", "--verbose"] {
            let run = project.run(&["verify", "--format", format, extra]);
            assert!([1, 4].contains(&run.code), "{format}: {}", run.stderr);
            for text in [&run.stdout, &run.stderr] {
                harmless(format, text);
            }
        }
    }
}

fn harmless(format: &str, text: &str) {
    for c in ['\u{1b}', '\u{7}', '\u{202e}', '\u{2066}', '\r'] {
        assert!(!text.contains(c), "{format}: {c:?}\n{text}");
    }
    for line in text.lines().map(str::trim_start) {
        let ours = format == "github"
            && ["::error ", "::warning ", "::notice "]
                .iter()
                .any(|command| line.starts_with(command));
        assert!(ours || !line.starts_with("::"), "{format}: {line}");
        assert!(
            !line.contains("##[") && !line.contains("##vso["),
            "{format}: {line}"
        );
    }
    let forbidden: &[&str] = match format {
        "human" | "github" => &[],
        "junit" | "markdown" => &["</script>", "<img", "</details> @", "]]>"],
        _ => &["</script>", "</details>"],
    };
    for markup in forbidden {
        assert!(!text.contains(markup), "{format}: {markup}\n{text}");
    }
    match format {
        "junit" if !text.is_empty() => {
            roxmltree::Document::parse(text).unwrap();
        }
        "json" | "sarif" | "gitlab" if !text.is_empty() => {
            serde_json::from_str::<Value>(text).unwrap();
        }
        _ => {}
    }
}

#[test]
fn what_a_step_has_no_annotations_for_is_appended_to_its_summary() {
    let project = demo_project();
    project.write("release.txt", "1.0.1");
    project.write("summary.md", "# Of an earlier step\n");
    let run = |format: &str| {
        let output = project
            .command(&["verify", "--format", format])
            .env("GITHUB_STEP_SUMMARY", "summary.md")
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(run("human").0, Some(1));
    assert_eq!(project.read("summary.md"), "# Of an earlier step\n");
    assert_eq!(run("github").0, Some(1));
    let summary = project.read("summary.md");
    assert!(summary.starts_with("# Of an earlier step\n"), "{summary}");
    assert!(summary.contains("argument-removed"), "{summary}");

    // The runner drops a summary of more than a mebibyte as a whole.
    project.write("summary.md", "x".repeat(1_000_000));
    let (code, said) = run("github");
    assert_eq!(code, Some(1), "the verdict stands");
    assert!(said.contains("step summary"), "{said}");
    assert_eq!(project.read("summary.md").len(), 1_000_000);

    project.write("summary.md", "x".repeat(990_000));
    assert_eq!(run("github"), (Some(1), String::new()));
    assert!(project.read("summary.md").len() > 990_000);
}

#[test]
fn quiet_prints_nothing_on_success_and_one_line_on_failure() {
    let project = demo_project();
    let clean = project.expect(0, &["verify", "-q"]);
    assert_eq!((clean.stdout.as_str(), clean.stderr.as_str()), ("", ""));
    project.write("release.txt", "1.0.3");
    let drifted = project.expect(1, &["verify", "-q"]);
    assert_eq!(drifted.stdout.lines().count(), 1, "{}", drifted.stdout);
    drifted.says("failed: ");
}
