//! Where the lockfile is.
//!
//! Looks at names only; opens nothing.

use std::path::{Path, PathBuf};

/// The name of a lockfile.
pub const FILE_NAME: &str = "mcp-lock.toml";

/// The lockfile for a run in `folder`: the nearest [`FILE_NAME`] from there up to the root of the
/// git repository (the folder that holds `.git`). Where there is none, and outside of a repository,
/// it is the one in `folder` itself, which need not exist.
pub fn find(folder: &Path) -> PathBuf {
    let here = folder.join(FILE_NAME);
    let Some(depth) = folder
        .ancestors()
        // A worktree or submodule has a file of that name.
        .position(|folder| folder.join(".git").symlink_metadata().is_ok())
    else {
        return here;
    };
    folder
        .ancestors()
        .take(depth + 1)
        .map(|folder| folder.join(FILE_NAME))
        // A dangling link counts: to go on to a lockfile further up would hide that it is broken.
        .find(|path| path.symlink_metadata().is_ok_and(|found| !found.is_dir()))
        .unwrap_or(here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_lockfile_up_to_the_git_root_is_found() {
        let root = tempfile::tempdir().unwrap();
        let repository = root.path().join("repository");
        let deep = repository.join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::write(root.path().join(FILE_NAME), "").unwrap();

        assert_eq!(
            find(&deep),
            deep.join(FILE_NAME),
            "no repository: only here"
        );
        fs::create_dir(repository.join(".git")).unwrap();
        assert_eq!(find(&deep), deep.join(FILE_NAME), "never above the root");
        fs::write(repository.join(FILE_NAME), "").unwrap();
        assert_eq!(find(&deep), repository.join(FILE_NAME));
        fs::create_dir(repository.join("a").join(FILE_NAME)).unwrap();
        assert_eq!(
            find(&deep),
            repository.join(FILE_NAME),
            "a folder is no file"
        );
        fs::write(deep.join(FILE_NAME), "").unwrap();
        assert_eq!(find(&deep), deep.join(FILE_NAME));
    }

    #[test]
    fn a_worktree_whose_git_is_a_file_is_a_root_too() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(root.path().join(".git"), "gitdir: elsewhere\n").unwrap();
        fs::write(root.path().join(FILE_NAME), "").unwrap();
        assert_eq!(find(&inner), root.path().join(FILE_NAME));
    }
}
