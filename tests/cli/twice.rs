//! `pin --twice`: words that depend on the machine or the moment are found before they are pinned,
//! and the entries that it prints are the ones that help.

use std::path::Path;

use serde_json::json;

use crate::project::{Project, Run, example};

/// A project whose server puts what it sees of its machine into its catalog.
fn project(catalog: &serde_json::Value) -> Project {
    let project = Project::new();
    project.write("catalog.json", catalog.to_string());
    let server = example("catalog_server");
    project.configure(&[("clock", &[&server, "--catalog", "catalog.json", "--expand"])]);
    project
}

fn tool_that_says(description: &str) -> serde_json::Value {
    json!({ "tools": [{ "name": "now", "description": description, "inputSchema": { "type": "object" } }] })
}

/// What is between `[[server]]` and the end of its list: what a person copies.
fn entries(run: &Run) -> String {
    let (_, rest) = run.stdout.split_once("[[server]]").unwrap();
    let (list, _) = rest.split_once("\n]\n").unwrap();
    format!("[[server]]{list}\n]\n")
}

#[test]
fn a_server_that_says_the_same_everywhere_is_pinned_as_without_twice() {
    let catalog = tool_that_says("Tells the time, at most 10 times.");
    let steady = project(&catalog);
    steady.expect(0, &["pin", "--twice"]);
    let once = project(&catalog);
    once.expect(0, &["pin"]);
    assert_eq!(steady.lockfile(), once.lockfile());
    steady.expect(0, &["verify"]);
}

#[test]
fn words_of_the_machine_are_not_pinned_until_the_entries_that_are_printed_are_added() {
    for description in [
        "Works in @CWD@. Reads 10 files.",
        "Keeps its data in @VAR:HOME@/data, at most 10 files.",
        "Use '@VAR:TZ@' as local timezone, or 'Europe/London'.",
        "Built at @VAR:SOURCE_DATE_EPOCH@, by 12 people.",
        "Worker @PID@ of 8.",
        "@PID@",
        "In @CWD@ for @VAR:HOME@ by process @PID@ at @VAR:TZ@, with 3 more.",
    ] {
        let project = project(&tool_that_says(description));
        let run = project.expect(1, &["pin", "--twice"]);
        run.says("two starts gave two catalogs")
            .says("mcplock.toml");
        assert!(!project.has("mcp-lock.toml"), "{description}");
        project.write("mcplock.toml", entries(&run));
        let quiet = project.expect(0, &["pin", "--twice"]);
        assert!(!quiet.stdout.contains("volatile"), "{}", quiet.stdout);
        project.expect(0, &["verify"]);
        // Every other word is pinned still.
        let text = project.read("catalog.json");
        project.write(
            "catalog.json",
            text.replace("\"description\":\"", "\"description\":\"New: "),
        );
        project.expect(1, &["verify"]).says("now");
    }
}

#[test]
fn instructions_and_every_kind_of_item_are_looked_at() {
    let project = project(&json!({
        "instructions": "Paths are below @CWD@.",
        "prompts": [{ "name": "p", "description": "for @VAR:HOME@" }],
        "resources": [{ "name": "r", "uri": "file:///fixed", "description": "worker @PID@" }],
        "resourceTemplates": [{ "name": "t", "uriTemplate": "x://{a}", "title": "of process @PID@" }],
    }));
    let run = project.expect(1, &["pin", "--twice", "--format", "json"]);
    let report = run.json();
    let server = &report["servers"][0];
    assert_eq!(server["action"], "unsteady");
    let items: Vec<&str> = server["unsteady"]["volatile"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["item"].as_str().unwrap())
        .collect();
    assert_eq!(
        items,
        [
            "prompt:p",
            "resource:file:///fixed",
            "resource_template:x://{a}",
            "instructions"
        ]
    );
    let human = project.expect(1, &["pin", "--twice"]);
    project.write("mcplock.toml", entries(&human));
    project.expect(0, &["pin", "--twice"]);
    project.expect(0, &["verify"]);
}

#[test]
fn what_no_pattern_over_words_can_cover_is_named_with_the_reason() {
    let project = project(&json!({ "tools": [
        { "name": "a", "inputSchema": { "type": "object",
          "properties": { "n": { "type": "integer", "default": "@PID@" } } } },
        { "name": "of-@PID@", "inputSchema": { "type": "object" } },
    ]}));
    // A number, not text.
    let text = project.read("catalog.json").replace("\"@PID@\"", "@PID@");
    project.write("catalog.json", text);
    let run = project.expect(1, &["pin", "--twice"]);
    run.says("`tool:a` at `/inputSchema/properties/n/default` is another number")
        .says("was there at the first start only")
        .says("was there at the second start only");
    assert!(!project.has("mcp-lock.toml"));
}

#[test]
fn a_set_in_another_order_means_the_same_and_is_no_reason_to_refuse() {
    let project = Project::new();
    project.write(
        "one.json",
        r#"{"tools":[{"name":"a","inputSchema":{"type":"object","required":["x","y"]}}]}"#,
    );
    project.write(
        "two.json",
        r#"{"tools":[{"name":"a","inputSchema":{"type":"object","required":["y","x"]}}]}"#,
    );
    let server = example("catalog_server");
    let script = format!(
        "if [ -e ran ]; then exec {server} --catalog two.json; else : > ran; exec {server} --catalog one.json; fi"
    );
    project.configure(&[("set", &["sh", "-c", &script])]);
    project.expect(0, &["pin", "--twice"]);
    assert!(project.has("ran"));
}

#[test]
fn a_second_start_that_fails_could_not_tell_and_pins_nothing() {
    let project = Project::new();
    project.write("catalog.json", tool_that_says("x").to_string());
    let server = example("catalog_server");
    let home = std::env::var("HOME").unwrap_or_default();
    let script =
        format!("[ \"$HOME\" = '{home}' ] || exit 7; exec {server} --catalog catalog.json");
    project.configure(&[("picky", &["sh", "-c", &script])]);
    let run = project.expect(3, &["pin", "--twice"]);
    run.says("the second start").says("could not be told");
    assert!(!project.has("mcp-lock.toml"));
    project.expect(0, &["pin"]);
}

#[test]
fn a_pinned_server_that_is_not_steady_stays_as_it_was_pinned_even_with_a_yes() {
    let project = project(&tool_that_says("Worker @PID@."));
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    project.expect(1, &["pin", "--twice", "--yes"]);
    assert_eq!(before, project.lockfile());
    project.expect(1, &["pin", "--twice", "--check"]);
}

#[test]
fn the_folders_of_the_second_start_are_gone_afterwards() {
    let project = project(&tool_that_says("Works in @CWD@."));
    let temporary = tempfile::tempdir().unwrap();
    let mut command = project.command(&["pin", "--twice"]);
    let output = command.env("TMPDIR", temporary.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
    assert!(
        project.has("catalog.json"),
        "what the links led to is there"
    );
}

/// The two published servers whose words depend on their machine.
#[test]
fn real_servers_that_tell_their_machine_are_found_and_covered() {
    let Some(root) = std::env::var_os("MCPLOCK_REAL_SERVERS") else {
        eprintln!("SKIPPED real servers, twice: MCPLOCK_REAL_SERVERS is not set");
        return;
    };
    let root = Path::new(&root);
    let path = |file: &str| root.join(file).display().to_string();
    let script =
        path("filesystem-new/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    for (name, words, is_steady) in [
        (
            "time",
            vec![path("time-new/venv/bin/mcp-server-time")],
            false,
        ),
        ("git", vec![path("git-new/venv/bin/mcp-server-git")], true),
        (
            "files",
            vec!["node".to_owned(), script, ".".to_owned()],
            true,
        ),
    ] {
        let program = words.iter().find(|word| word.starts_with('/')).unwrap();
        if !Path::new(program).exists() {
            eprintln!("SKIPPED {name}, twice: not installed");
            continue;
        }
        let project = Project::new();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        project.configure(&[(name, &words)]);
        let run = project.run(&["pin", "--twice"]);
        eprintln!("{name}: exit {}\n{}", run.code, run.stdout);
        assert_eq!(
            run.code,
            i32::from(!is_steady),
            "{}{}",
            run.stdout,
            run.stderr
        );
        if !is_steady {
            project.write("mcplock.toml", entries(&run));
            project.expect(0, &["pin", "--twice"]);
            project.expect(0, &["verify"]);
        }
    }
}
