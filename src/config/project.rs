//! Where the project is: its folder, its lockfile, its policy.
//!
//! Looks at which files exist, reads none.

use std::path::{Path, PathBuf};

use super::clients::{Client, format};
use super::paths::{normal, shown};
use super::policy::POLICY_NAME;

/// The name of the lockfile.
pub const LOCKFILE_NAME: &str = "mcp-lock.toml";

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Where the program was started; absolute.
    pub working_folder: PathBuf,
    /// The project folder, which holds the configs; absolute.
    pub folder: PathBuf,
    /// The lockfile, absolute; it need not exist yet.
    pub lockfile: PathBuf,
}

impl Project {
    /// Finds the project of `working_folder` (absolute).
    ///
    /// The lockfile is the one named, else the nearest one upward to the git root, else it will
    /// stand in the project folder. The project folder is the nearest one upward that holds a
    /// lockfile, else a `mcplock.toml`, else a client's project file; the working folder if none
    /// does. Without a git root only the working folder itself is looked at.
    pub fn find(working_folder: &Path, lockfile: Option<&Path>) -> Project {
        let working_folder = normal(working_folder);
        let folders = upward(&working_folder);
        let nearest =
            |test: &dyn Fn(&Path) -> bool| folders.iter().find(|folder| test(folder)).cloned();
        let folder = nearest(&|folder| folder.join(LOCKFILE_NAME).is_file())
            .or_else(|| nearest(&|folder| folder.join(POLICY_NAME).is_file()))
            .or_else(|| nearest(&has_project_file))
            .unwrap_or_else(|| working_folder.clone());
        let lockfile = match lockfile {
            Some(named) => normal(&working_folder.join(named)),
            None => folder.join(LOCKFILE_NAME),
        };
        Project {
            working_folder,
            folder,
            lockfile,
        }
    }

    /// Absolute folder of the lockfile.
    pub fn lock_folder(&self) -> &Path {
        self.lockfile.parent().unwrap_or(&self.folder)
    }

    /// `path`, which is absolute, as a person in the working folder would write it.
    pub fn shown(&self, path: &Path) -> PathBuf {
        shown(&self.working_folder, path)
    }

    /// The `mcplock.toml` of the project, absolute: beside the lockfile, in the project folder, or
    /// upward to the git root.
    pub(super) fn policy(&self) -> Option<PathBuf> {
        [self.lock_folder(), &self.folder]
            .into_iter()
            .map(Path::to_path_buf)
            .chain(upward(&self.folder))
            .map(|folder| folder.join(POLICY_NAME))
            .find(|file| file.is_file())
    }
}

/// `folder` and those above it up to the git root; `folder` alone where there is none.
fn upward(folder: &Path) -> Vec<PathBuf> {
    let all: Vec<PathBuf> = folder.ancestors().map(Path::to_path_buf).collect();
    // In a worktree or submodule `.git` is a file.
    match all.iter().position(|folder| folder.join(".git").exists()) {
        Some(root) => all[..=root].to_vec(),
        None => all[..1].to_vec(),
    }
}

fn has_project_file(folder: &Path) -> bool {
    Client::ALL
        .into_iter()
        .flat_map(|client| format(client).project)
        .any(|file| folder.join(file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lockfile_is_looked_for_upward_to_the_git_root_and_no_further() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("repo");
        let deep = root.join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(outside.path().join(LOCKFILE_NAME), "").unwrap();
        assert_eq!(Project::find(&deep, None).folder, deep);
        std::fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(Project::find(&deep, None).folder, deep);
        std::fs::create_dir_all(root.join("a/.vscode")).unwrap();
        std::fs::write(root.join("a/.vscode/mcp.json"), "{}").unwrap();
        assert_eq!(Project::find(&deep, None).folder, root.join("a"));
        std::fs::write(root.join(LOCKFILE_NAME), "").unwrap();
        let project = Project::find(&deep, None);
        assert_eq!(project.folder, root);
        assert_eq!(
            project.shown(&project.lockfile),
            Path::new("../../mcp-lock.toml")
        );
        let named = Project::find(&deep, Some(Path::new("../x.toml")));
        assert_eq!(
            (named.folder, named.lockfile),
            (root.clone(), root.join("a/x.toml"))
        );
    }
}
