//! Finds the program that a launch names, the way a shell would but without one.
//!
//! Looks at files; starts nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::text::visible;

/// The file that `program` names, for a child with the search path `path` and the working folder
/// `cwd`. A name with a separator in it is a path, relative to `cwd`.
pub(super) fn locate(program: &str, path: Option<&OsStr>, cwd: &Path) -> Result<PathBuf> {
    if !cwd.is_dir() {
        return Err(Error::server(format!(
            "can't be started: its working folder `{}` is not there",
            visible(&cwd.display().to_string())
        ))
        .help("correct `cwd` in the config, or make the folder"));
    }
    if program.is_empty() {
        return Err(Error::server("can't be started: its command is empty")
            .help("name a program in the config"));
    }
    if program.contains(std::path::is_separator) {
        let file = cwd.join(program);
        return match obstacle(&file) {
            None => Ok(file),
            Some(obstacle) => Err(refusal(program, obstacle, &file)),
        };
    }
    if let Ok(found) = which::which_in(program, path, cwd) {
        return Ok(found);
    }
    // Something of that name that can't be started explains more than "not found".
    let near = path
        .into_iter()
        .flat_map(std::env::split_paths)
        .map(|folder| cwd.join(folder).join(program))
        .find_map(|file| match obstacle(&file) {
            None | Some(Obstacle::Missing) => None,
            Some(obstacle) => Some((obstacle, file)),
        });
    Err(match near {
        Some((obstacle, file)) => refusal(program, obstacle, &file),
        None => Error::server(format!(
            "can't be started: no program `{}` in any folder of `PATH`",
            visible(program)
        ))
        .help(missing_help(program)),
    })
}

/// Why a file can't be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    Missing,
    Folder,
    NotExecutable,
}

fn obstacle(file: &Path) -> Option<Obstacle> {
    if file.is_dir() {
        Some(Obstacle::Folder)
    } else if !file.exists() {
        Some(Obstacle::Missing)
    } else if is_executable(file) {
        None
    } else {
        Some(Obstacle::NotExecutable)
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}

fn refusal(program: &str, obstacle: Obstacle, file: &Path) -> Error {
    let shown = visible(&file.display().to_string());
    let (what, help) = match obstacle {
        Obstacle::Missing => (
            format!("can't be started: there is no file `{shown}`"),
            missing_help(program),
        ),
        Obstacle::Folder => (
            format!("can't be started: `{shown}` is a folder"),
            "name the program inside it".to_owned(),
        ),
        Obstacle::NotExecutable => (
            format!("can't be started: `{shown}` is not executable"),
            format!("run `chmod +x {shown}`, or start it through its interpreter"),
        ),
    };
    Error::server(what).help(help)
}

/// What to do about a program that is not there.
fn missing_help(program: &str) -> String {
    match program {
        "npx" | "npm" | "node" => format!("install Node.js, which brings `{program}`"),
        "uvx" | "uv" => format!("install uv, which brings `{program}`"),
        _ if program.starts_with('~') => {
            "write the folder in full: no shell expands `~` here".to_owned()
        }
        _ if program.contains(char::is_whitespace) => {
            "name the program alone and put its arguments into `args`: no shell splits words here"
                .to_owned()
        }
        _ => "install it, or name it with its full path".to_owned(),
    }
}

/// The error of a program that was found and could not be started all the same.
pub(super) fn not_started(file: &Path, error: &std::io::Error) -> Error {
    let shown = visible(&file.display().to_string());
    let help = match error.kind() {
        std::io::ErrorKind::NotFound => {
            "the interpreter that its first line names is missing: install it or correct the line"
        }
        std::io::ErrorKind::PermissionDenied => "check the permissions of the file and its folders",
        std::io::ErrorKind::ArgumentListTooLong => "shorten its arguments or its environment",
        _ => {
            "check that it is a program for this machine; a script needs a first line like \
              `#!/usr/bin/env python3`"
        }
    };
    Error::server(format!("`{shown}` can't be started: {error}")).help(help)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in [("run", 0o755), ("plain", 0o644)] {
            let file = folder.path().join(name);
            std::fs::write(&file, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        folder
    }

    fn message(program: &str, folder: &Path, path: Option<&Path>) -> (String, String) {
        let error = locate(program, path.map(Path::as_os_str), folder).unwrap_err();
        (
            error.message().to_owned(),
            error.help_text().unwrap_or_default().to_owned(),
        )
    }

    #[test]
    fn a_bare_name_is_looked_up_in_the_path_of_the_child_alone() {
        let here = folder();
        let found = locate("run", Some(here.path().as_os_str()), Path::new("/")).unwrap();
        assert_eq!(found, here.path().join("run"));
        assert!(locate("run", Some(OsStr::new("/nowhere")), here.path()).is_err());
        assert!(locate("sh", None, here.path()).is_err());
    }

    #[test]
    fn a_name_with_a_separator_is_relative_to_the_working_folder() {
        let here = folder();
        assert!(locate("./run", None, here.path()).is_ok());
        let (message, _) = message("./none", here.path(), None);
        assert!(message.contains("there is no file"), "{message}");
    }

    #[test]
    fn what_is_in_the_way_is_named_with_a_way_out() {
        let here = folder();
        let path = Some(here.path());
        for (program, says, helps) in [
            ("plain", "is not executable", "chmod +x"),
            ("./plain", "is not executable", "chmod +x"),
            ("sub", "is a folder", "inside it"),
            ("npx", "no program `npx`", "Node.js"),
            ("run me", "no program", "`args`"),
            ("~/run", "there is no file", "no shell expands"),
            ("", "empty", "name a program"),
        ] {
            let (message, help) = message(program, here.path(), path);
            assert!(message.contains(says), "{program}: {message}");
            assert!(help.contains(helps), "{program}: {help}");
        }
        let (message, _) = message("run", &here.path().join("gone"), path);
        assert!(message.contains("working folder"), "{message}");
    }
}
