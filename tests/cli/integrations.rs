//! The action, the commit hooks and the recipes, run as their machines would run them: real shell,
//! real git, the runner's variables faked.
#![cfg(unix)]

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::project::{Project, Run, files_project, tool};
use crate::reports::tools;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

fn pinned() -> Project {
    let project = files_project(&[tool("read", &json!({ "path": { "type": "string" } }))]);
    project.expect(0, &["pin"]);
    project
}

fn drift(project: &Project) {
    project.advertise(&[tool("read", &json!({ "file": { "type": "string" } }))]);
}

/// A program of that name in the project's `bin`, which is first on the path.
fn fake(project: &Project, name: &str, script: &str) {
    let file = format!("bin/{name}");
    project.write(&file, format!("#!/usr/bin/env bash\nset -eu\n{script}\n"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(project.path(&file), mode).unwrap();
}

/// `program` with mcplock and the fakes on the path and the variables of a runner.
fn on_runner(project: &Project, program: &Path) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_mcplock")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [project.path("bin"), own.to_path_buf()].into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap();
    std::fs::create_dir_all(project.path("temp")).unwrap();
    let mut command = Command::new(program);
    command
        .current_dir(project.folder())
        .env("PATH", path)
        .env("CI", "true")
        .env("RUNNER_TEMP", project.path("temp"))
        .env("GITHUB_OUTPUT", project.path("output"))
        .env("GITHUB_STEP_SUMMARY", project.path("summary.md"))
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// Runs the verifying step of the action with these inputs.
fn verify_step(project: &Project, inputs: &[(&str, &str)]) -> Run {
    let _ = std::fs::remove_file(project.path("output"));
    let mut command = on_runner(project, &root().join("action/verify.sh"));
    command.env("ACTION_MCPLOCK", env!("CARGO_BIN_EXE_mcplock"));
    command.envs(inputs.iter().copied());
    Run::of(command.output().unwrap(), &["action/verify.sh"])
}

/// One output of the step.
fn output(project: &Project, name: &str) -> String {
    let all = project.read("output");
    let value = all
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name}=")));
    value.unwrap_or_default().to_owned()
}

#[test]
fn the_action_annotates_writes_its_reports_and_returns_the_exit_code() {
    let project = pinned();
    let clean = verify_step(&project, &[]);
    assert_eq!(clean.code, 0, "{clean:?}");
    assert_eq!(output(&project, "exit-code"), "0");
    drift(&project);
    let run = verify_step(&project, &[("ACTION_SERVERS", "  files  \n\n")]);
    assert_eq!(run.code, 1, "{run:?}");
    run.says("::error file=mcp-lock.toml,line=");
    assert_eq!(output(&project, "exit-code"), "1");
    for (name, content) in [
        ("sarif", "\"2.1.0\""),
        ("markdown", "<!-- mcplock -->"),
        ("json", "\"schema_version\""),
    ] {
        let text = std::fs::read_to_string(output(&project, name)).unwrap();
        assert!(text.contains(content), "{name}: {text}");
    }
    assert!(project.read("summary.md").contains("argument-removed"));
    assert_eq!(
        verify_step(&project, &[("ACTION_FAIL_ON", "never")]).code,
        0
    );
}

#[test]
fn no_input_of_the_action_is_run_or_taken_for_an_option() {
    let project = pinned();
    for servers in [
        "$(touch pwned)",
        "`touch pwned`",
        "files; touch pwned",
        "--report=json=pwned",
        "-h",
    ] {
        let run = verify_step(&project, &[("ACTION_SERVERS", servers)]);
        assert_eq!(run.code, 2, "{servers}: {run:?}");
        assert_eq!(output(&project, "exit-code"), "2");
        assert!(!project.has("pwned"), "{servers}");
    }
    for name in ["ACTION_FAIL_ON", "ACTION_LOCKFILE"] {
        let run = verify_step(&project, &[(name, "$(touch pwned)")]);
        assert_eq!(run.code, 2, "{name}: {run:?}");
        assert!(!project.has("pwned"), "{name}");
    }
    let run = verify_step(&project, &[("ACTION_FOLDER", "$(touch pwned)")]);
    assert_ne!(run.code, 0);
    assert!(!project.has("pwned"));
}

/// The scripts of a workflow or action: what stands behind `run:`, blocks included.
fn scripts(yaml: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = yaml.lines().peekable();
    while let Some(line) = lines.next() {
        let step = line.trim_start().trim_start_matches("- ");
        let Some(script) = step.strip_prefix("run: ") else {
            continue;
        };
        if script != "|" {
            found.push(script.to_owned());
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let mut block = String::new();
        while let Some(next) = lines
            .next_if(|next| next.trim().is_empty() || next.len() - next.trim_start().len() > indent)
        {
            block.push_str(next.trim_start());
            block.push('\n');
        }
        found.push(block);
    }
    found
}

#[test]
fn nothing_is_interpolated_into_a_script() {
    for file in [
        "action.yml",
        "docs/ci/github.yml",
        "docs/ci/repin.yml",
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
    ] {
        for script in scripts(&page(file)) {
            assert!(!script.contains("${{"), "{file}: {script}");
        }
    }
    let action = page("action.yml");
    for input in [
        "servers",
        "fail-on",
        "working-directory",
        "lockfile",
        "mcplock",
    ] {
        assert!(
            action.contains(&format!(": ${{{{ inputs.{input} }}}}")),
            "{input} reaches no variable"
        );
    }
}

/// A `gh` that writes down what it was asked, and answers a search with `found`.
fn fake_gh(project: &Project, found: &str) {
    fake(
        project,
        "gh",
        &format!(
            "printf '%s\\n' \"$*\" >>gh.log\ncase \"$*\" in *--jq*) printf '%s' '{found}' ;; esac"
        ),
    );
}

#[test]
fn the_comment_on_a_pull_request_is_made_once_and_then_kept_up_to_date() {
    let project = pinned();
    project.write("report.md", "<!-- mcplock -->\n");
    let comment = |number: &str| {
        let mut command = on_runner(&project, &root().join("action/comment.sh"));
        command
            .env("ACTION_MARKDOWN", "report.md")
            .env("ACTION_PULL_REQUEST", number);
        Run::of(command.output().unwrap(), &["comment.sh"])
    };
    fake_gh(&project, "");
    assert_eq!(comment("7").code, 0);
    let log = project.read("gh.log");
    assert!(
        log.contains("--method POST repos/owner/name/issues/7/comments -F body=@report.md"),
        "{log}"
    );
    fake_gh(&project, "41\n");
    assert_eq!(comment("7").code, 0);
    let log = project.read("gh.log");
    assert!(
        log.contains("--method PATCH repos/owner/name/issues/comments/41 -F body=@report.md"),
        "{log}"
    );
    for number in ["", "7; touch pwned", "../../x"] {
        assert_eq!(comment(number).code, 2, "{number}");
    }
    assert!(!project.has("pwned"));
}

fn git(project: &Project, args: &[&str]) -> String {
    let mut command = on_runner(project, Path::new("git"));
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "a")
            .env(format!("GIT_{role}_EMAIL"), "a@example.com");
    }
    let run = Run::of(command.args(args).output().unwrap(), args);
    assert_eq!(run.code, 0, "git {args:?}: {}", run.stderr);
    run.stdout
}

fn repository() -> Project {
    let project = pinned();
    std::fs::remove_dir(project.path(".git")).unwrap();
    git(&project, &["init", "--quiet", "--initial-branch=main"]);
    git(&project, &["add", "mcp-lock.toml", ".mcp.json"]);
    git(&project, &["commit", "--quiet", "--message", "pin"]);
    project
}

#[test]
fn the_recipe_that_pins_again_opens_a_pull_request_only_when_something_has_changed() {
    let project = repository();
    git(&project, &["init", "--quiet", "--bare", "remote.git"]);
    git(&project, &["remote", "add", "origin", "remote.git"]);
    fake_gh(&project, "0");
    let script = scripts(&page("docs/ci/repin.yml")).pop().unwrap();
    let run = || {
        let mut command = on_runner(&project, Path::new("bash"));
        // As the runner does it.
        command.args(["-e", "-c", &script]);
        Run::of(command.output().unwrap(), &["repin.yml"])
    };
    let idle = run();
    assert_eq!(idle.code, 0, "{idle:?}");
    idle.says("nothing has changed");
    assert!(!project.has("gh.log"));

    drift(&project);
    let changed = run();
    assert_eq!(changed.code, 0, "{changed:?}");
    let body = project.read("temp/body.md");
    assert!(body.contains("argument-removed"), "{body}");
    let log = project.read("gh.log");
    assert!(log.contains("pr create --head mcplock/repin"), "{log}");
    let pushed = git(
        &project,
        &["--git-dir=remote.git", "log", "--oneline", "mcplock/repin"],
    );
    assert_eq!(pushed.lines().count(), 2, "{pushed}");

    // A contract that is unfit is not pinned, and the job says so.
    let mut unfit = tool("read", &json!({ "path": { "$ref": "#/nowhere" } }));
    unfit["description"] = json!("Else.");
    project.advertise(&[unfit]);
    assert_eq!(run().code, 4);
}

/// The hooks of `.pre-commit-hooks.yaml`: id, entry, pattern of files.
fn hooks() -> Vec<(String, String, Option<String>)> {
    let text = page(".pre-commit-hooks.yaml");
    let blocks = text.split("- id: ").skip(1);
    blocks
        .map(|block| {
            let field = |name: &str| {
                let start = format!("  {name}: ");
                let line = block.lines().find_map(|line| line.strip_prefix(&start));
                line.map(str::to_owned)
            };
            let id = block.lines().next().unwrap().to_owned();
            (id, field("entry").unwrap(), field("files"))
        })
        .collect()
}

#[test]
fn the_offline_hook_looks_at_every_file_that_servers_come_from() {
    let (_, _, files) = hooks().swap_remove(0);
    let pattern = regex::Regex::new(&files.unwrap()).unwrap();
    // The table of clients: the second column holds their project files.
    let configs = page("docs/configs.md");
    let named: Vec<&str> = configs
        .lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(|line| line.split('|').nth(2))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(named.len() > 8, "{named:?}");
    for file in named
        .into_iter()
        .chain(["mcp-lock.toml", "mcplock.toml", "sub/.mcp.json"])
    {
        assert!(pattern.is_match(file), "{file}");
    }
    assert!(!pattern.is_match("src/main.rs"));
}

#[test]
fn the_hooks_run_under_pre_commit() {
    let Some(tools) = tools("the hooks under pre-commit") else {
        return;
    };
    let project = repository();
    let hooks = hooks();
    assert_eq!(hooks.len(), 2);
    // As in the manifest, but with the program of this build in place of one built for the hook.
    let mut config = String::from("repos:\n- repo: local\n  hooks:\n");
    let manifest = page(".pre-commit-hooks.yaml").replace("language: rust", "language: system");
    for line in manifest.lines().filter(|line| !line.starts_with('#')) {
        writeln!(config, "  {line}").unwrap();
    }
    project.write(".pre-commit-config.yaml", config);
    git(&project, &["add", ".pre-commit-config.yaml"]);
    let run = |hook: &str, stage: &str| {
        let mut command = on_runner(&project, &tools.join("python/bin/pre-commit"));
        command.env("PRE_COMMIT_HOME", project.path("cache"));
        command.args([
            "run",
            hook,
            "--all-files",
            "--hook-stage",
            stage,
            "--verbose",
        ]);
        Run::of(command.output().unwrap(), &["pre-commit", hook])
    };
    for (hook, stage) in [
        ("mcplock-lockfile", "pre-commit"),
        ("mcplock-verify", "pre-push"),
    ] {
        let clean = run(hook, stage);
        assert_eq!(clean.code, 0, "{}\n{}", clean.stdout, clean.stderr);
        clean.says("Passed");
    }
    drift(&project);
    let drifted = run("mcplock-verify", "pre-push");
    assert_eq!(drifted.code, 1, "{drifted:?}");
    drifted.says("argument-removed");
    project.configure(&[("other", &["other"])]);
    let apart = run("mcplock-lockfile", "pre-commit");
    assert_eq!(apart.code, 1, "{apart:?}");
    apart.says("do not agree on `files`, `other`");
}

/// The program and arguments of GitLab's recipe.
#[test]
fn the_gitlab_recipe_writes_the_reports_that_it_hands_over() {
    let recipe = page("docs/ci/gitlab-ci.yml");
    let words: Vec<&str> = recipe
        .split("script:\n    - >-\n")
        .nth(1)
        .unwrap()
        .split("  artifacts:")
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let project = pinned();
    drift(&project);
    assert_eq!(words[0], "mcplock");
    project.expect(1, &words[1..]);
    let handed: Vec<PathBuf> = ["mcplock.xml", "mcplock-quality.json", "mcplock.json"]
        .map(|file| project.path(file))
        .to_vec();
    for file in handed {
        assert!(file.exists(), "{}", file.display());
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            recipe.matches(name).count() >= 2,
            "{name} is written and handed over"
        );
    }
}
