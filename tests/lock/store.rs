//! The file on disk: what a write leaves alone, and what two writers do to each other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcplock::config::LOCKFILE_NAME as FILE_NAME;
use mcplock::config::ServerName;
use mcplock::error::ErrorKind;
use mcplock::lock::{Entry, Outcome, encode, load, update, updated};

use crate::input;

fn put(path: &Path, entry: Entry) -> Outcome {
    update(path, |lockfile| {
        lockfile.put(entry);
        Ok(())
    })
    .unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

struct Place {
    _kept: tempfile::TempDir,
    folder: PathBuf,
    file: PathBuf,
}

fn place() -> Place {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().canonicalize().unwrap();
    Place {
        file: folder.join(FILE_NAME),
        folder,
        _kept: temporary,
    }
}

#[test]
fn a_missing_lockfile_is_an_error_to_a_reader_and_made_by_a_writer() {
    let at = place();
    let error = load(&at.file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Lockfile);
    assert!(error.message().contains("no lockfile"), "{error}");
    assert_eq!(error.place().file.as_deref(), Some(at.file.as_path()));

    assert_eq!(
        put(&at.file, input::server("a", &[("t", "does")])),
        Outcome::Written
    );
    let lockfile = load(&at.file).unwrap();
    assert_eq!(lockfile.entries, [input::server("a", &[("t", "does")])]);
    assert_eq!(fs::read_to_string(&at.file).unwrap(), encode(&lockfile));
    assert_eq!(names(&at.folder), [FILE_NAME], "nothing is left beside it");
}

#[test]
fn a_write_without_a_change_does_not_touch_the_file() {
    let at = place();
    put(&at.file, input::server("a", &[("t", "does")]));
    // As a checkout with another setting for line ends leaves it.
    let crlf = format!(
        "\u{feff}{}",
        fs::read_to_string(&at.file).unwrap().replace('\n', "\r\n")
    );
    fs::write(&at.file, &crlf).unwrap();
    let before = fs::metadata(&at.file).unwrap();
    assert_eq!(
        put(&at.file, input::server("a", &[("t", "does")])),
        Outcome::Unchanged
    );
    assert_eq!(fs::read_to_string(&at.file).unwrap(), crlf);
    let after = fs::metadata(&at.file).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());

    put(&at.file, input::server("a", &[("t", "does more")]));
    let text = fs::read_to_string(&at.file).unwrap();
    assert!(!text.contains('\r') && !text.starts_with('\u{feff}'));
}

#[test]
fn an_update_of_one_server_keeps_the_bytes_of_the_others() {
    let at = place();
    for name in ["alpha", "beta", "gone"] {
        put(
            &at.file,
            input::server(name, &[("t", "does"), ("u", "does")]),
        );
    }
    let text = fs::read_to_string(&at.file).unwrap();
    // Someone's note, and a spelling that mcplock does not write.
    let edited = text.replace(
        "[[server]]\nname = \"beta\"",
        "# ask Ann before this moves\n[[server]]\nname = 'beta'",
    );
    fs::write(&at.file, &edited).unwrap();
    put(&at.file, input::server("alpha", &[("t", "does more")]));
    let after = fs::read_to_string(&at.file).unwrap();
    let rest = &edited[edited.find("# ask Ann").unwrap()..];
    assert!(after.ends_with(rest), "{after}");
    assert!(after.contains("does more"));
}

#[test]
fn an_update_of_one_tool_keeps_the_bytes_of_the_other_tools() {
    let at = place();
    put(
        &at.file,
        input::server("a", &[("t", "does"), ("u", "does")]),
    );
    let text = fs::read_to_string(&at.file).unwrap();
    let edited = text.replace("name = \"u\"", "name = 'u' # by hand");
    fs::write(&at.file, &edited).unwrap();
    let changed = input::server("a", &[("t", "does more")]);
    update(&at.file, |lockfile| {
        let name = ServerName::new("a").unwrap();
        let mut entry = lockfile.entry(&name, None).cloned().unwrap();
        entry.put(changed.items[0].clone());
        lockfile.put(entry);
        Ok(())
    })
    .unwrap();
    let after = fs::read_to_string(&at.file).unwrap();
    let at_u = |text: &str| text[text.find("name = 'u'").unwrap()..].to_owned();
    assert_eq!(at_u(&after), at_u(&edited));
    assert!(after.contains("does more"));
}

#[test]
fn implementation_is_rewritten_only_together_with_another_change() {
    let old = input::server("a", &[("t", "does")]);
    let mut newer = input::server("a", &[("t", "does")]);
    newer.implementation = Some("srv 2".to_owned());
    assert_eq!(updated(&old, newer).implementation, None);
    let mut other = input::server("a", &[("t", "does more")]);
    other.implementation = Some("srv 2".to_owned());
    assert_eq!(updated(&old, other.clone()), other);
}

#[test]
fn a_change_that_fails_leaves_the_file_as_it_was() {
    let at = place();
    put(&at.file, input::server("a", &[]));
    let before = fs::read(&at.file).unwrap();
    let error = update(&at.file, |lockfile| {
        lockfile.entries.clear();
        Err(mcplock::error::Error::usage("no"))
    })
    .unwrap_err();
    assert_eq!(error.message(), "no");
    assert_eq!(fs::read(&at.file).unwrap(), before);
}

#[test]
fn what_could_not_be_read_again_is_never_written() {
    let at = place();
    put(&at.file, input::server("a", &[("t", "does")]));
    let before = fs::read(&at.file).unwrap();
    let error = update(&at.file, |lockfile| {
        // A digest that is not that of the value.
        let other = input::server("a", &[("t", "does more")]);
        lockfile.entries[0].items[0].contract = other.items[0].contract;
        Ok(())
    })
    .unwrap_err();
    assert!(
        error.help_text().unwrap().contains("fault of mcplock"),
        "{error}"
    );
    assert_eq!(fs::read(&at.file).unwrap(), before);
    assert_eq!(names(&at.folder), [FILE_NAME]);
}

#[test]
fn a_broken_lockfile_is_not_overwritten() {
    let at = place();
    for text in [
        "",
        "version = 2\n",
        "version = 1\n[[server]]\n",
        "<<<<<<< ours\n",
    ] {
        fs::write(&at.file, text).unwrap();
        assert_eq!(load(&at.file).unwrap_err().kind(), ErrorKind::Lockfile);
        let error = update(&at.file, |lockfile| {
            lockfile.put(input::server("a", &[]));
            Ok(())
        })
        .unwrap_err();
        assert_eq!(error.place().file.as_deref(), Some(at.file.as_path()));
        assert_eq!(fs::read_to_string(&at.file).unwrap(), text);
    }
}

#[test]
fn temporary_files_of_killed_runs_are_removed_and_nothing_else() {
    let at = place();
    let left_over = at.folder.join(".mcp-lock.toml.a1B2c3.tmp");
    let kept = [
        ".mcp-lock.toml.a1B2c3",
        ".mcp-lock.toml.a1-2c3.tmp",
        ".mcp-lock.toml.a1B2c3d.tmp",
        ".other.toml.a1B2c3.tmp",
        "mcp-lock.toml.orig",
    ];
    fs::write(&left_over, "version = 1\n[[ser").unwrap();
    for name in kept {
        fs::write(at.folder.join(name), "mine").unwrap();
    }
    put(&at.file, input::server("a", &[]));
    assert!(!left_over.exists());
    let mut expected: Vec<&str> = kept.iter().copied().chain([FILE_NAME]).collect();
    expected.sort_unstable();
    assert_eq!(names(&at.folder), expected);
}

#[cfg(unix)]
#[test]
fn the_mode_is_kept_and_a_new_file_gets_the_usual_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let at = place();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    put(&at.file, input::server("a", &[]));
    let plain = at.folder.join("plain");
    fs::write(&plain, "").unwrap();
    assert_eq!(mode(&at.file), mode(&plain));
    fs::set_permissions(&at.file, fs::Permissions::from_mode(0o640)).unwrap();
    put(&at.file, input::server("b", &[]));
    assert_eq!(mode(&at.file), 0o640);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_one_and_its_target_is_replaced() {
    let at = place();
    let shared = at.folder.join("shared");
    fs::create_dir(&shared).unwrap();
    std::os::unix::fs::symlink("shared/real.toml", &at.file).unwrap();
    for name in ["a", "b"] {
        put(&at.file, input::server(name, &[]));
        assert!(at.file.symlink_metadata().unwrap().is_symlink());
        assert_eq!(names(&shared), ["real.toml"]);
    }
    assert_eq!(load(&shared.join("real.toml")).unwrap().entries.len(), 2);
    assert_eq!(names(&at.folder), [FILE_NAME, "shared"]);

    let looped = at.folder.join("loop.toml");
    std::os::unix::fs::symlink("loop.toml", &looped).unwrap();
    assert!(
        load(&looped)
            .unwrap_err()
            .message()
            .contains("symbolic links")
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_can_not_be_written_is_told_and_does_not_matter_to_a_reader() {
    use std::os::unix::fs::PermissionsExt as _;
    let at = place();
    put(&at.file, input::server("a", &[]));
    fs::set_permissions(&at.folder, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(at.folder.join("probe"), "").is_ok() {
        println!("SKIPPED: this user may write anywhere, a read-only folder was not tried");
        return;
    }
    assert_eq!(put(&at.file, input::server("a", &[])), Outcome::Unchanged);
    let error = update(&at.file, |lockfile| {
        lockfile.put(input::server("b", &[]));
        Ok(())
    })
    .unwrap_err();
    fs::set_permissions(&at.folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.help_text().unwrap().contains("writable"), "{error}");
    assert_eq!(load(&at.file).unwrap().entries.len(), 1);
}

#[test]
fn a_folder_or_pipe_in_the_place_of_the_lockfile_is_refused() {
    let at = place();
    fs::create_dir(&at.file).unwrap();
    let error = load(&at.file).unwrap_err();
    assert!(error.message().contains("not a regular file"), "{error}");
}

/// How many servers each writer adds, one write each.
const EACH: usize = 6;

fn add_servers(path: &Path, writer: usize) {
    for i in 0..EACH {
        put(
            path,
            input::server(&format!("server-{writer}-{i}"), &[("t", "does")]),
        );
    }
}

#[test]
fn writers_in_threads_lose_nothing() {
    let at = place();
    std::thread::scope(|scope| {
        for writer in 0..6 {
            let file = &at.file;
            scope.spawn(move || add_servers(file, writer));
        }
    });
    assert_eq!(load(&at.file).unwrap().entries.len(), 6 * EACH);
    assert_eq!(names(&at.folder), [FILE_NAME]);
}

/// Names the lockfile and the number of a writer to the process that the next test starts.
const CHILD: &str = "MCPLOCK_TEST_WRITER";

#[test]
fn writers_in_processes_lose_nothing() {
    if let Some(task) = std::env::var_os(CHILD) {
        let task = task.into_string().unwrap();
        let (writer, path) = task.split_once(' ').unwrap();
        add_servers(Path::new(path), writer.parse().unwrap());
        return;
    }
    let at = place();
    let children: Vec<_> = (0..4)
        .map(|writer| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "store::writers_in_processes_lose_nothing"])
                .env(CHILD, format!("{writer} {}", at.file.display()))
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(load(&at.file).unwrap().entries.len(), 4 * EACH);
    assert_eq!(names(&at.folder), [FILE_NAME]);
}
