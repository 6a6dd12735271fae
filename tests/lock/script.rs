//! The script of the documentation against the program: two implementations, one digest.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::input;

fn run(python: &Path, files: &[PathBuf]) -> Output {
    Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/recompute_digests.py"))
        .args(files)
        .env("PYTHONIOENCODING", "utf-8")
        .output()
        .unwrap()
}

/// A Python that can run the script; loud when there is none.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os("MCPLOCK_PYTHON").map_or("python3".into(), PathBuf::from);
    let ready = Command::new(&python)
        .args(["-c", "import tomllib, rfc8785"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !ready {
        println!(
            "SKIPPED: `{}` has no tomllib or rfc8785 (set MCPLOCK_PYTHON), \
             the digests were not recomputed",
            python.display()
        );
    }
    ready.then_some(python)
}

#[test]
fn the_script_recomputes_every_digest_of_every_golden_file() {
    let Some(python) = python() else {
        return;
    };
    let files: Vec<PathBuf> = input::names()
        .iter()
        .map(|name| input::folder().join(format!("{name}.toml")))
        .collect();
    let output = run(&python, &files);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn the_script_names_the_item_whose_digest_does_not_match() {
    let Some(python) = python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mcp-lock.toml");
    let text = std::fs::read_to_string(input::folder().join("example.toml")).unwrap();
    std::fs::write(&file, text.replace("1,200 tickets", "1,300 tickets")).unwrap();
    let output = run(&python, &[file]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.contains("'tickets read-only': tool 'search': contract"),
        "{told}"
    );
    assert!(
        told.contains("'tickets read-only': tool 'search': description"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 2, "{told}");
}
