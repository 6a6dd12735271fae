//! The documentation says what the program does: its commands parse, its examples are real output,
//! the page of commands is the help itself.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use mcplock::cli::Cli;

use crate::project::Project;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every page: the README and `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ext| ext == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

/// A fenced block: its language, its text, and the comment directly above it, if any.
struct Fence {
    language: String,
    text: String,
    remark: Option<String>,
}

fn fences(page: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut remark = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push(Fence {
                language: language.to_owned(),
                text: text.join("\n"),
                remark: remark.take(),
            });
        } else if let Some(words) = line
            .strip_prefix("<!-- ")
            .and_then(|rest| rest.strip_suffix(" -->"))
        {
            remark = Some(words.to_owned());
        } else if !line.is_empty() {
            remark = None;
        }
    }
    found
}

/// The command lines after `$ mcplock` in a page, comments cut.
fn commands(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("$ mcplock"))
        .map(|rest| {
            rest.split(" #")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        })
        .collect()
}

#[test]
fn every_command_line_in_the_documentation_is_one_that_the_program_takes() {
    let mut seen = 0;
    for page in pages() {
        for command in commands(&fs::read_to_string(&page).unwrap()) {
            let words = shlex(&command);
            let parsed = Cli::command()
                .try_get_matches_from(std::iter::once("mcplock".to_owned()).chain(words));
            if let Err(error) = parsed {
                panic!("{}: `mcplock {command}`: {error}", page.display());
            }
            seen += 1;
        }
    }
    assert!(seen >= 7, "only {seen} commands were found");
}

/// Splits at spaces outside single quotes: all that the pages use.
fn shlex(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn the_demo_prints_what_the_readme_shows() {
    let project = Project::new();
    let demo = project.expect(0, &["demo"]).stdout;
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let shown = readme
        .split("```text\n")
        .nth(1)
        .unwrap()
        .split("\n```")
        .next()
        .unwrap();
    assert!(
        demo.contains(shown),
        "the README shows:\n{shown}\n--- the demo prints:\n{demo}"
    );
    for code in ["(exit code 0)", "(exit code 1)"] {
        assert!(demo.contains(code), "{demo}");
    }
}

#[test]
fn the_page_of_commands_is_the_help_itself() {
    let mut page = String::from(
        "# Commands\n\nWhat `mcplock COMMAND --help` prints.\n\n\
         <!-- Made by a test. To make it again: MCPLOCK_BLESS=1 cargo test --test cli docs -->\n",
    );
    let mut command = Cli::command().term_width(100);
    command.build();
    let mut section = |title: &str, command: &mut clap::Command| {
        let help = command.render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let help = help.join("\n");
        let _ = write!(page, "\n## {title}\n\n```text\n{}\n```\n", help.trim());
    };
    section("mcplock", &mut command);
    for sub in command
        .get_subcommands_mut()
        .filter(|sub| !sub.is_hide_set())
    {
        let title = format!("mcplock {}", sub.get_name());
        section(&title, &mut sub.clone().term_width(100));
    }
    let path = root().join("docs/commands.md");
    if std::env::var_os("MCPLOCK_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        written, page,
        "make docs/commands.md again: MCPLOCK_BLESS=1 cargo test --test cli docs"
    );
}

#[test]
fn links_between_the_pages_lead_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap();
            if file.is_empty() || link.contains("://") || link.contains(char::is_whitespace) {
                continue;
            }
            let target = page.parent().unwrap().join(file);
            assert!(target.exists(), "{}: {link}", page.display());
        }
    }
}

/// A repository as the pages speak of it: servers `files`, `orders` and `time`, pinned at every
/// revision that a page names, with `npx` and `uvx` that need no network.
#[cfg(unix)]
fn scene() -> Project {
    use std::os::unix::fs::PermissionsExt;

    let project = Project::new();
    let server = crate::project::example("catalog_server");
    let tools = ["read_file", "convert_time"]
        .map(|name| crate::project::tool(name, &serde_json::json!({})));
    let catalog = serde_json::json!({ "tools": tools }).to_string();
    project.write("catalog.json", &catalog);
    for saved in ["old.json", "new.json", "time.json", "saved.json"] {
        project.write(saved, &catalog);
    }
    let launcher = format!("#!/bin/sh\nexec '{server}' --catalog catalog.json\n");
    for name in ["npx", "uvx"] {
        let file = format!("bin/{name}");
        project.write(&file, &launcher);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(project.path(&file), mode).unwrap();
    }
    project.configure(&[
        ("files", &["npx", "-y", "files@1.0.0"]),
        ("orders", &["npx", "-y", "orders@1.0.0"]),
        ("time", &["uvx", "mcp-server-time@2026.10.19"]),
    ]);
    fs::remove_dir(project.path(".git")).unwrap();
    let history = "git init -q -b main && mcplock pin -q && git add mcp-lock.toml && git commit -qm one \
        && git tag v1.0 && git commit -qm two --allow-empty && git tag v1.1 \
        && git update-ref refs/remotes/origin/main HEAD";
    let (code, said) = in_scene(&project, history);
    assert_eq!(code, Some(0), "{said}");
    project
}

/// Runs one line of a page in bash; its exit code and all that it said.
#[cfg(unix)]
fn in_scene(project: &Project, line: &str) -> (Option<i32>, String) {
    let own = Path::new(env!("CARGO_BIN_EXE_mcplock")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [project.path("bin"), own.to_path_buf()].into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
    let mut command = std::process::Command::new("bash");
    command
        .args(["-c", line])
        .current_dir(project.folder())
        .stdin(std::process::Stdio::null())
        .env("PATH", path)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "a")
            .env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[cfg(unix)]
#[test]
fn every_block_of_commands_is_run_or_says_why_it_is_not() {
    let mut ran = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        if let Some((_, rest)) = text.split_once("<!-- run whole by ") {
            let (test, _) = rest.split_once(" -->").unwrap();
            let test = Path::new(env!("CARGO_MANIFEST_DIR")).join(test);
            assert!(test.exists(), "{}: {}", page.display(), test.display());
            continue;
        }
        for fence in fences(&text) {
            if !matches!(fence.language.as_str(), "console" | "sh" | "bash" | "shell") {
                continue;
            }
            if let Some(reason) = fence
                .remark
                .as_deref()
                .and_then(|remark| remark.strip_prefix("not run here: "))
            {
                assert!(reason.len() > 10, "{}: a reason", page.display());
                continue;
            }
            let project = scene();
            let before = ran;
            for line in fence
                .text
                .lines()
                .filter_map(|line| line.strip_prefix("$ "))
            {
                let (code, said) = in_scene(&project, line);
                assert!(
                    matches!(code, Some(0 | 1)),
                    "{}: `{line}` ended with {code:?}:\n{said}\nMend it, or write above the block \
                     `<!-- not run here: REASON -->`",
                    page.display()
                );
                ran += 1;
            }
            assert!(
                ran > before,
                "{}: no line begins with `$ `:\n{}",
                page.display(),
                fence.text
            );
        }
    }
    assert!(ran >= 10, "only {ran} commands were run");
}

#[test]
fn a_file_that_a_page_shows_is_shown_as_it_is() {
    let mut shown = 0;
    for page in pages() {
        for fence in fences(&fs::read_to_string(&page).unwrap()) {
            let Some(file) = fence
                .remark
                .as_deref()
                .and_then(|r| r.strip_prefix("file: "))
            else {
                continue;
            };
            let written = fs::read_to_string(page.parent().unwrap().join(file)).unwrap();
            assert_eq!(fence.text, written.trim_end(), "{}: {file}", page.display());
            shown += 1;
        }
    }
    assert!(shown >= 3, "{shown}");
}

#[test]
fn the_recording_in_the_readme_is_what_the_demo_prints() {
    use std::io::Write as _;

    let project = Project::new();
    let demo = project
        .command(&["demo", "--color", "always"])
        .env("COLUMNS", "88")
        .output()
        .unwrap();
    let demo = String::from_utf8(demo.stdout).unwrap();
    // Up to the second release: what fits on a first screen.
    let (start, end) = (
        demo.find("Its `.mcp.json`").unwrap(),
        demo.find("== Release 1.0.2").unwrap(),
    );
    let mut drawing = std::process::Command::new(crate::project::example("terminal_svg"))
        .args(["--animate", "--title", "mcplock demo"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The heading's bold begins before its first sign.
    let shown = demo[start..end].trim_end_matches(|c: char| c != '\n');
    drawing
        .stdin
        .take()
        .unwrap()
        .write_all(shown.trim_end().as_bytes())
        .unwrap();
    let drawn = String::from_utf8(drawing.wait_with_output().unwrap().stdout).unwrap();
    let path = root().join("docs/demo.svg");
    if std::env::var_os("MCPLOCK_BLESS").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == drawn,
        "make docs/demo.svg again: MCPLOCK_BLESS=1 cargo test --test cli docs"
    );
    roxmltree::Document::parse(&written).unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("](docs/demo.svg)"));
}
