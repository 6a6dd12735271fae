//! What a person is told on a screen: what may be missing, without being asked; and nothing that
//! is too long to be read.

use crate::project::{AT_ONCE, Kind, Project, server};

fn project(words: &str) -> Project {
    let project = Project::pinned(Kind::Stdio);
    project.write("fault", words);
    project
}

#[test]
fn what_may_be_missing_from_a_catalog_is_told_without_being_asked() {
    let unlisted = "note: it declares `tools` and does not know `tools/list`: taken as not offered";
    let unheard = "note: it did not answer `ping`, so a change of its lists";
    for (words, note, commands) in [
        (
            "no-such-method",
            unlisted,
            &["check", "pin --yes", "pin --check", "diff", "verify"][..],
        ),
        ("no-ping", unheard, &["check", "pin", "diff", "verify"]),
    ] {
        for command in commands {
            let project = project(words);
            let mut args: Vec<&str> = command.split(' ').collect();
            args.extend(["faulty", "--request-timeout", "0.5"]);
            let run = project.run(&args, AT_ONCE);
            let said = run.stdout.replace("\n      │ ", " ");
            assert!(said.contains(note), "{args:?}: {said}\n{}", run.stderr);
            args.push("--quiet");
            let run = project.run(&args, AT_ONCE);
            assert!(!run.stdout.contains("note:"), "{args:?}: {}", run.stdout);
            args.pop();
            for format in ["github", "markdown", "junit", "json"] {
                let run = project.run(&[&args[..], &["--format", format]].concat(), AT_ONCE);
                // What is between the marks of a name differs with the format.
                let plain = note.trim_start_matches("note: ").split('`').next().unwrap();
                assert!(
                    run.stdout.contains(plain),
                    "{args:?} {format}: {}",
                    run.stdout
                );
            }
        }
        let run = project(words).run(&["fetch", "faulty", "--request-timeout", "0.5"], AT_ONCE);
        assert!(run.stderr.contains(note), "{}", run.stderr);
    }
}

#[test]
fn a_list_that_was_pinned_and_is_not_known_any_more_is_drift() {
    let project = project("no-such-method");
    let run = project.run(&["verify", "--format", "json"], AT_ONCE);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    let report = run.json();
    let findings = &server(&report, "faulty")["findings"];
    assert_eq!(findings[0]["level"], "breaking", "{findings}");
}

#[test]
fn names_and_messages_without_measure_are_cut_on_a_screen_and_whole_in_json() {
    let long = "n".repeat(10_000);
    let tool = |name: &str, properties: &str| {
        format!(
            r#"{{"name":"{name}","description":"one","inputSchema":{{"type":"object","properties":{{{properties}}}}}}}"#
        )
    };
    let project = Project::pinned(Kind::Stdio);
    project.write("fault", "none");
    let argument = tool("one", &format!(r#""{long}":{{"type":"string"}}"#));
    let tools = [argument, tool(&long, ""), tool("two", "")].join(",");
    project.write("healthy.json", format!(r#"{{"tools":[{tools}]}}"#));
    for command in ["verify", "diff", "check", "pin"] {
        for flags in [&[][..], &["-v"]] {
            let mut args = vec![command, "healthy"];
            args.extend(flags);
            let run = project.run(&args, AT_ONCE);
            let said = format!("{}{}", run.stdout, run.stderr);
            // A value may be asked for in full, with `-v`; a name is a name.
            if flags.is_empty() {
                assert!(said.len() < 20_000, "{args:?}: {} bytes", said.len());
            }
            assert!(said.contains("9800 more characters)"), "{args:?}: {said}");
            args.extend(["--format", "json"]);
            let run = project.run(&args, AT_ONCE);
            assert!(run.stdout.contains(&long), "{args:?}: {}", run.stdout);
        }
    }
}
