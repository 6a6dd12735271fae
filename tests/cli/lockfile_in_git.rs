//! The lockfile in a git repository: what a change of it means, and how its diff reads.

use std::process::Command;

use serde_json::json;

use crate::project::{Project, Run, files_project, tool};

/// A repository in which the lockfile was committed twice: tag `one`, then the branch's tip. The
/// server is gone, so that nothing can ask it.
fn repository() -> Project {
    let project = files_project(&[tool(
        "read",
        &json!({
            "path": { "type": "string" },
            "limit": { "type": "integer", "description": "Maximum number of lines. At least one." },
        }),
    )]);
    std::fs::remove_dir(project.path(".git")).unwrap();
    git(&project, &["init", "--quiet"]);
    project.write("README", "nothing is pinned yet\n");
    commit(&project, "README");
    git(&project, &["tag", "zero"]);
    project.expect(0, &["pin"]);
    commit(&project, "mcp-lock.toml");
    git(&project, &["tag", "one"]);
    project.advertise(&[tool(
        "read",
        &json!({
            "file": { "type": "string" },
            "limit": { "type": "integer", "description": "Index of the page. At least one." },
        }),
    )]);
    project.expect(0, &["pin", "--yes"]);
    for gone in ["catalog.json", ".mcp.json", "requests.log"] {
        std::fs::remove_file(project.path(gone)).unwrap();
    }
    project
}

fn commit(project: &Project, file: &str) {
    git(project, &["add", file]);
    git(project, &["commit", "--quiet", "--message", file]);
}

/// Runs git as a user without any configuration of its own would.
fn git(project: &Project, args: &[&str]) -> String {
    let run = Run::of(git_command(project).args(args).output().unwrap(), args);
    assert_eq!(run.code, 0, "git {args:?}: {}", run.stderr);
    run.stdout
}

fn git_command(project: &Project) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(project.folder())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "a")
            .env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    command
}

#[test]
fn a_change_that_pins_again_shows_its_drift_in_meaning_without_any_server() {
    let project = repository();
    let run = project.expect(1, &["diff", "--from", "git:HEAD"]);
    run.says("breaking[argument-removed]")
        .says("`path`")
        .says("words-changed");
    assert!(!project.has("requests.log"), "no server was asked");
    let sarif = project.expect(1, &["diff", "--from", "git:HEAD", "--format", "sarif"]);
    sarif.says("\"uri\": \"mcp-lock.toml\"");

    commit(&project, "mcp-lock.toml");
    project
        .expect(0, &["diff", "--from", "git:HEAD"])
        .says("no drift");
    project
        .expect(1, &["diff", "--from", "git:one", "--to", "git:HEAD"])
        .says("argument-removed");
    project.write("deep/er/file", "");
    let below = project
        .command(&["diff", "--from", "git:HEAD~1"])
        .current_dir(project.path("deep/er"))
        .output()
        .unwrap();
    assert_eq!(below.status.code(), Some(1), "{below:?}");
}

#[test]
fn a_revision_that_can_t_be_read_is_named_with_the_path() {
    let project = repository();
    for revision in ["nowhere", "", "HEAD:mcp-lock.toml", "one two"] {
        project
            .expect(2, &["diff", "--from", &format!("git:{revision}")])
            .says(&format!("git knows no commit `{revision}`"))
            .says(&format!("mcp-lock.toml@{revision}"));
    }
    project
        .expect(2, &["diff", "--from", "git:zero"])
        .says("the revision `zero` has no such lockfile")
        .says("mcp-lock.toml@zero");
    project.write("mcp-lock.toml", "version = 99\n");
    commit(&project, "mcp-lock.toml");
    project
        .expect(2, &["diff", "--from", "git:one", "--to", "git:HEAD"])
        .says("mcp-lock.toml@HEAD:1");
}

#[test]
fn no_revision_is_taken_for_an_option_or_reaches_a_shell() {
    let project = repository();
    for revision in [
        "--output=pwned",
        "-h",
        "HEAD; touch pwned",
        "$(touch pwned)",
        "HEAD\n--all",
    ] {
        project.expect(2, &["diff", "--from", &format!("git:{revision}")]);
        assert!(!project.has("pwned"), "{revision}");
    }
}

#[test]
fn a_lockfile_is_told_from_a_catalog_by_what_it_holds() {
    let project = repository();
    project.write("old.txt", git(&project, &["show", "one:mcp-lock.toml"]));
    project
        .expect(1, &["diff", "--from", "old.txt", "--to", "mcp-lock.toml"])
        .says("argument-removed");
    let list = |name: &str| json!({ "tools": [tool(name, &json!({}))] }).to_string();
    project.write("old.toml", format!("\n {}", list("a")));
    project.write("new.data", list("b"));
    project
        .expect(1, &["diff", "--from", "old.toml", "--to", "new.data"])
        .says("item-gone");
    project
        .expect(2, &["diff", "--from", "old.toml"])
        .says("one of the two sides is a lockfile");
}

/// Sets git up as `docs/lockfile-in-git.md` says.
fn configure(project: &Project) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/lockfile-in-git.md");
    let page = std::fs::read_to_string(page).unwrap();
    let commands: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("$ git config "))
        .collect();
    assert!(commands.len() >= 3, "{commands:?}");
    for command in commands {
        // The page quotes a value in single quotes, or not at all.
        let (key, value) = command.split_once(' ').unwrap();
        git(project, &["config", key, value.trim_matches('\'')]);
    }
    let attributes = "mcp-lock.toml diff=mcplock";
    assert!(page.contains(attributes));
    project.write(".gitattributes", format!("{attributes}\n"));
}

fn git_diff(project: &Project, args: &[&str]) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_mcplock"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(program.parent().unwrap().to_path_buf());
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
    let output = git_command(project)
        .env("PATH", path)
        .args(["--no-pager", "diff", "--no-color"])
        .args(args)
        .output()
        .unwrap();
    let run = Run::of(output, args);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.stdout
}

#[test]
fn git_diff_shows_the_words_that_moved_and_the_item_that_they_stand_in() {
    let project = repository();
    configure(&project);
    let plain = git_diff(&project, &[]);
    for line in [
        "@@ server `files`",
        "-    │ Maximum number of lines.",
        "+    │ Index of the page.",
        "     │ At least one.",
        "-  path (type): \"string\"",
        "+  file (type): \"string\"",
    ] {
        assert!(plain.contains(line), "{line}\n{plain}");
    }
    assert!(!plain.contains("definition = "), "{plain}");
    let words = git_diff(&project, &["--word-diff=plain"]);
    assert!(
        words.contains("[-Maximum number-]{+Index+} of [-lines-]{+the page+}."),
        "{words}"
    );
}

#[test]
fn git_diff_goes_on_where_the_lockfile_is_broken() {
    let project = repository();
    configure(&project);
    project.write("mcp-lock.toml", "<<<<<<< ours\nversion = 1\n\u{1b}[2J\n");
    let diff = git_diff(&project, &[]);
    assert!(
        diff.contains(
            "+not a valid lockfile: the lockfile holds an unresolved merge conflict (line 1)"
        ),
        "{diff}"
    );
    assert!(!diff.contains('\u{1b}'), "{diff}");
    project.expect(2, &["show", "mcp-lock.toml"]);
    project.expect(2, &["show"]).says("merge conflict");
}

#[test]
fn show_prints_the_same_for_the_same_lockfile_wherever_it_lies() {
    let project = repository();
    let here = project.expect(0, &["show"]).stdout;
    project.write("copy", project.lockfile());
    assert_eq!(here, project.expect(0, &["show", "copy"]).stdout);
    assert_eq!(
        here,
        project
            .expect(0, &["show", "copy", "--color", "always"])
            .stdout
    );
    assert!(here.starts_with("server `files`\n  command:"), "{here}");
}
