//! Paths as text that is the same on every machine.
//!
//! Pure: nothing is looked up, so `..` is taken by the letter and links are not followed.

use std::path::{Component, Path, PathBuf};

/// `path` without `.` and, where a folder stands before it, without `..`.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if matches!(out.components().next_back(), Some(Component::Normal(_))) {
                    out.pop();
                } else if !out.has_root() {
                    out.push("..");
                }
            }
            part => out.push(part),
        }
    }
    out
}

/// The way from the folder `from` to `to`, both absolute, with `/` between its parts; empty when
/// they are the same, none when there is no way (another drive).
pub(super) fn relative(from: &Path, to: &Path) -> Option<String> {
    let (from, to) = (normal(from), normal(to));
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return None;
    }
    let up = std::iter::repeat_n("..".to_owned(), from.len() - shared);
    let down = to[shared..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// `path` as a person in the folder `from` would write it.
pub(super) fn shown(from: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(from) {
        Ok(rest) if rest.as_os_str().is_empty() => PathBuf::from("."),
        Ok(rest) => rest.to_path_buf(),
        Err(_) => match relative(from, path) {
            // One or two steps up are easier to read than the whole path.
            Some(way) if !way.starts_with("../../..") => PathBuf::from(way),
            _ => path.to_path_buf(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_between_folders_has_no_host_path_in_it() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).unwrap();
        assert_eq!(way("/a/b", "/a/b"), "");
        assert_eq!(way("/a/b", "/a/b/c/./d/../e"), "c/e");
        assert_eq!(way("/a/b", "/a/x"), "../x");
        assert_eq!(normal(Path::new("../a/../../b")), Path::new("../../b"));
        assert_eq!(normal(Path::new("/../a")), Path::new("/a"));
    }
}
