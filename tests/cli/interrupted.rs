//! Runs that end too early leave the lockfile whole and no process behind.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::project::{Project, example, files_project, tool};
use serde_json::json;

/// Processes whose command line holds `mark`.
fn processes(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let zombie = std::fs::read_to_string(entry.path().join("stat")).is_ok_and(|stat| {
            stat.rsplit(')')
                .next()
                .is_some_and(|rest| rest.starts_with(" Z"))
        });
        if !zombie && String::from_utf8_lossy(&line).contains(mark) {
            found.push(pid);
        }
    }
    found
}

/// Waits until no process holds `mark`, or fails after ten seconds.
fn gone(mark: &str) {
    let start = Instant::now();
    while !processes(mark).is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "left: {:?}",
            processes(mark)
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .arg(format!("-{name}"))
        .arg(child.id().to_string())
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_pin_that_is_killed_at_any_moment_leaves_the_old_lockfile_or_the_new_one() {
    let few = [tool("a", &json!({}))];
    let many: Vec<_> = (0..60)
        .map(|i| tool(&format!("tool_{i}"), &json!({ "x": {} })))
        .collect();
    let project = files_project(&few);
    project.expect(0, &["pin"]);
    let old = project.lockfile();
    project.advertise(&many);
    let start = Instant::now();
    project.expect(0, &["pin", "--yes"]);
    let whole_run = start.elapsed();
    let new = project.lockfile();
    let (mut saw_old, mut saw_new) = (0, 0);
    for round in 0..200_u32 {
        project.write("mcp-lock.toml", &old);
        let mut child = project
            .command(&["pin", "--yes"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the whole run, the moment of writing included.
        std::thread::sleep(whole_run * (round * 7919 % 200) / 160);
        let _ = child.kill();
        child.wait().unwrap();
        let now = project.lockfile();
        match () {
            () if now == old => saw_old += 1,
            () if now == new => saw_new += 1,
            () => panic!("round {round}: neither the old nor the new lockfile:\n{now}"),
        }
    }
    eprintln!("killed pins: {saw_old} left the old lockfile, {saw_new} the new one");
    assert!(
        saw_old > 0 && saw_new > 0,
        "the moments did not cover the write"
    );
    project.expect(0, &["pin", "--yes"]);
    let litter: Vec<_> = std::fs::read_dir(project.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("mcp-lock") && name != "mcp-lock.toml")
        .collect();
    assert!(litter.is_empty(), "left in the folder: {litter:?}");
}

#[test]
fn an_interrupted_run_leaves_no_process_and_an_untouched_lockfile() {
    for name in ["INT", "TERM"] {
        let project = Project::new();
        let mark = format!("mark-{name}-{}", std::process::id());
        let server = example("rogue");
        project.configure(&[("slow", &[&server, "silent", "--log", &mark])]);
        let mut child = project
            .command(&["pin"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while processes(&mark).is_empty() {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "the server never started"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        signal(&child, name);
        let status = child.wait().unwrap();
        let mut told = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut told)
            .unwrap();
        assert_ne!(status.code(), Some(0), "{told}");
        assert!(!project.has("mcp-lock.toml"));
        gone(&mark);
    }
}

#[test]
fn a_failed_run_leaves_no_process() {
    let project = Project::new();
    let mark = format!("mark-failed-{}", std::process::id());
    let server = example("rogue");
    project.configure(&[("slow", &[&server, "silent", "--log", &mark])]);
    let run = project.expect(3, &["pin", "--start-timeout", "0.3"]);
    run.says("slow").says("--start-timeout");
    gone(&mark);
}
