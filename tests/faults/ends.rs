//! Runs that are interrupted, whatever they do at that moment, leave no server behind.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::project::{Kind, Project};
use crate::watch::{marked, nothing_is_left};

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill")
        .args([format!("-{name}"), pid])
        .status();
    assert!(sent.unwrap().success());
}

/// Waits until `done`, for ten seconds at most.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "{what} never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How often a program was started by this project's run, the run itself apart.
fn servers(project: &Project) -> usize {
    let running = marked(project.mark());
    let rogue = running
        .iter()
        .filter(|(_, line)| line.contains("ignores-eof"));
    rogue.count()
}

/// A server that ends for nothing but SIGKILL, and that has a child outside of its group.
const STUBBORN: &str = "#!/bin/sh\ntrap '' TERM\nsetsid sleep 3600 > /dev/null 2>&1 &\nexec ROGUE ignores-eof --log asked\n";

fn stubborn() -> Project {
    let project = Project::pinned(Kind::Stdio);
    project.script(STUBBORN, 0o755);
    project
}

#[test]
fn an_interrupt_while_servers_are_judged_or_go_away_ends_them_too() {
    for name in ["INT", "TERM", "HUP"] {
        let project = stubborn();
        let mut child = project
            .command(&["verify"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The last request has been answered: the server is on its way out, for two seconds.
        let asked = || std::fs::read_to_string(project.path("asked")).unwrap_or_default();
        until("the last request", || asked().contains("\"ping\""));
        assert_eq!(servers(&project), 1);
        std::thread::sleep(Duration::from_millis(100));
        signal(&child, name);
        let sent = Instant::now();
        let status = child.wait().unwrap();
        // It may have been caught in the last moment of the fetch, which is called off in an
        // orderly way.
        assert!(matches!(status.code(), Some(130 | 3)), "{name}: {status}");
        assert!(sent.elapsed() < Duration::from_secs(10));
        nothing_is_left(project.mark());
    }
}

#[test]
fn two_interrupts_end_a_run_at_once_and_its_servers_with_it() {
    let project = stubborn();
    project.script(&STUBBORN.replace("ignores-eof", "silent"), 0o755);
    let mut child = project
        .command(&["verify"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mark = project.mark();
    let started = || marked(mark).iter().any(|(_, line)| line.contains("silent"));
    until("the server", started);
    signal(&child, "INT");
    signal(&child, "TERM");
    let status = child.wait().unwrap();
    assert!(matches!(status.code(), Some(130 | 3)), "{status}");
    nothing_is_left(mark);
}

#[test]
fn a_program_that_had_children_before_leaves_those_alone() {
    let project = Project::pinned(Kind::Stdio);
    project.write("fault", "none");
    let program = env!("CARGO_BIN_EXE_mcplock");
    let mark = project.mark().to_owned();
    let script = format!("sleep 5 > /dev/null 2>&1 & exec {program} verify");
    let mut command = project.command(&[]);
    let environment: Vec<_> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    command = Command::new("/bin/sh");
    command
        .args(["-c", &script])
        .env_clear()
        .envs(environment)
        .current_dir(project.path("."));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let left = marked(&mark);
    assert!(
        left.len() == 1 && left[0].1.starts_with("sleep"),
        "the child of the shell is not what is left: {left:?}"
    );
    let _ = Command::new("kill").arg(&left[0].0).status();
}
