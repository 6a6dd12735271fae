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
    pages
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
