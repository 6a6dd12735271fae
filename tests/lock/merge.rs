//! Branches that pin different things are merged by git without help.

use std::path::Path;
use std::process::Command;

use mcplock::config::LOCKFILE_NAME as FILE_NAME;
use mcplock::lock::{Entry, decode, load, update};

use crate::input;

/// A repository whose lockfile is at its root; none, loudly, without git.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let found = Command::new("git")
            .args(["init", "-q", "-b", "main"])
            .current_dir(folder.path())
            .output();
        if !found.is_ok_and(|output| output.status.success()) {
            println!("SKIPPED: there is no git, merges were not tried");
            return None;
        }
        Some(Repository(folder))
    }

    fn git(&self, args: &[&str]) -> bool {
        Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.test"])
            .args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"])
            .args(args)
            .current_dir(self.path())
            .output()
            .unwrap()
            .status
            .success()
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn commit(&self, entries: Vec<Entry>) {
        update(&self.path().join(FILE_NAME), |lockfile| {
            for entry in entries {
                lockfile.put(entry);
            }
            Ok(())
        })
        .unwrap();
        assert!(self.git(&["add", "."]));
        assert!(self.git(&["commit", "-qm", "pin"]));
    }

    /// Commits `base`, then `ours` and `theirs` on branches of their own; tells whether git
    /// merges them.
    fn merges(&self, base: Vec<Entry>, ours: Vec<Entry>, theirs: Vec<Entry>) -> bool {
        self.commit(base);
        assert!(self.git(&["checkout", "-qb", "theirs"]));
        self.commit(theirs);
        assert!(self.git(&["checkout", "-q", "main"]));
        self.commit(ours);
        self.git(&["merge", "-q", "theirs"])
    }
}

#[test]
fn branches_that_pin_different_servers_merge() {
    let Some(repository) = Repository::new() else {
        return;
    };
    let server = |name, words| input::server(name, &[("t", words)]);
    let merged = repository.merges(
        vec![server("b", "one"), server("d", "one"), server("f", "one")],
        vec![server("a", "new"), server("d", "ours")],
        vec![
            server("c", "new"),
            server("f", "theirs"),
            server("g", "new"),
        ],
    );
    assert!(merged);
    let expected = [
        server("a", "new"),
        server("b", "one"),
        server("c", "new"),
        server("d", "ours"),
        server("f", "theirs"),
        server("g", "new"),
    ];
    assert_eq!(
        load(&repository.path().join(FILE_NAME)).unwrap().entries,
        expected
    );
}

#[test]
fn branches_that_pin_different_tools_of_one_server_merge() {
    let Some(repository) = Repository::new() else {
        return;
    };
    let merged = repository.merges(
        vec![input::server(
            "a",
            &[("b", "one"), ("d", "one"), ("f", "one")],
        )],
        vec![input::server(
            "a",
            &[("a", "new"), ("b", "ours"), ("d", "one"), ("f", "one")],
        )],
        vec![input::server(
            "a",
            &[("b", "one"), ("d", "one"), ("e", "new"), ("f", "theirs")],
        )],
    );
    assert!(merged);
    let expected = input::server(
        "a",
        &[
            ("a", "new"),
            ("b", "ours"),
            ("d", "one"),
            ("e", "new"),
            ("f", "theirs"),
        ],
    );
    assert_eq!(
        load(&repository.path().join(FILE_NAME)).unwrap().entries,
        [expected]
    );
}

#[test]
fn branches_that_pin_one_tool_differently_conflict_and_the_result_is_refused() {
    let Some(repository) = Repository::new() else {
        return;
    };
    let server = |words| vec![input::server("a", &[("t", words)])];
    assert!(!repository.merges(server("one"), server("ours"), server("theirs")));
    let file = repository.path().join(FILE_NAME);
    let error = load(&file).unwrap_err();
    assert!(error.message().contains("merge conflict"), "{error}");

    // Resolved with a mix of both sides, as an editor that takes "both" where it can does.
    let text = std::fs::read_to_string(&file).unwrap();
    let mut keep_ours = true;
    let mixed: String = text
        .lines()
        .filter(|line| {
            let ours = !line.starts_with('<') && !line.starts_with('>') && !line.starts_with('=');
            if !ours {
                keep_ours = line.starts_with('<');
            }
            ours && (keep_ours || line.contains("\"description\""))
        })
        .flat_map(|line| [line, "\n"])
        .collect();
    assert!(decode(mixed.as_bytes()).is_err());
}
