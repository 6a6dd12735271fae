//! Two launches compared: which words differ.
//!
//! Pure. A later stage decides what a difference is worth.

use std::collections::{BTreeMap, BTreeSet};

use super::launch::{Launch, REDACTED, Target};
use crate::json::Pointer;

/// One difference between a pinned launch and a live one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchDifference {
    /// Where, as a JSON Pointer into the lockfile's entry: `/command/2`, `/url`,
    /// `/headers/authorization`, `/cwd`, `/env/TOKEN`, `/env_values/PATH`. A word that was added
    /// stands at its live place, every other one at its pinned place.
    pub pointer: String,
    /// The pinned word; none where only live has one.
    pub old: Option<String>,
    /// The live word; none where only pinned has one.
    pub new: Option<String>,
}

impl Launch {
    /// Whether `live` is this pinned launch. A pinned `<redacted>` equals any text in its place, within
    /// the limits of `docs/lockfile.md`, section 6; a live one equals only a pinned one.
    pub fn matches(&self, live: &Launch) -> bool {
        self.differences(live).is_empty()
    }

    /// The words that differ from `live`, in the order of the lockfile's keys.
    pub fn differences(&self, live: &Launch) -> Vec<LaunchDifference> {
        let mut found = Vec::new();
        match (&self.target, &live.target) {
            (Target::Command(old), Target::Command(new)) => command(old, new, &mut found),
            (
                Target::Url {
                    url: old,
                    headers: old_headers,
                },
                Target::Url {
                    url: new,
                    headers: new_headers,
                },
            ) => {
                one("/url", Some(old), Some(new), &mut found);
                map("/headers", old_headers, new_headers, &mut found);
            }
            (old, new) => found.extend([
                difference(old.pointer(), Some(&old.shown()), None),
                difference(new.pointer(), None, Some(&new.shown())),
            ]),
        }
        one("/cwd", self.cwd.as_ref(), live.cwd.as_ref(), &mut found);
        let names = |launch: &Launch| -> BTreeMap<String, String> {
            launch
                .env
                .iter()
                .map(|name| (name.clone(), name.clone()))
                .collect()
        };
        map("/env", &names(self), &names(live), &mut found);
        map(
            "/env_values",
            &self.env_values,
            &live.env_values,
            &mut found,
        );
        found
    }
}

impl Target {
    fn pointer(&self) -> &'static str {
        match self {
            Target::Command(_) => "/command",
            Target::Url { .. } => "/url",
        }
    }

    fn shown(&self) -> String {
        match self {
            Target::Command(words) => words.join(" "),
            Target::Url { url, headers: _ } => url.clone(),
        }
    }
}

fn difference(
    pointer: impl Into<String>,
    old: Option<&str>,
    new: Option<&str>,
) -> LaunchDifference {
    LaunchDifference {
        pointer: pointer.into(),
        old: old.map(str::to_owned),
        new: new.map(str::to_owned),
    }
}

fn one(
    pointer: &str,
    old: Option<&String>,
    new: Option<&String>,
    found: &mut Vec<LaunchDifference>,
) {
    let same = match (old, new) {
        (Some(old), Some(new)) => agrees(old, new),
        (None, None) => true,
        _ => false,
    };
    if !same {
        found.push(difference(
            pointer,
            old.map(String::as_str),
            new.map(String::as_str),
        ));
    }
}

fn map(
    pointer: &str,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    found: &mut Vec<LaunchDifference>,
) {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let at = format!("{pointer}{}", Pointer::root().key(name));
        one(&at, old.get(name), new.get(name), found);
    }
}

/// Words up to this count are aligned; longer commands are compared word by word.
const ALIGNED: usize = 512;

/// The words of two commands, aligned by their longest common subsequence.
fn command(old: &[String], new: &[String], found: &mut Vec<LaunchDifference>) {
    let same = |i: usize, j: usize| agrees(&old[i], &new[j]);
    let head = (0..old.len().min(new.len()))
        .take_while(|&i| same(i, i))
        .count();
    let tail = (0..old.len().min(new.len()) - head)
        .take_while(|&i| same(old.len() - 1 - i, new.len() - 1 - i))
        .count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let (rows, columns) = (old_end - head, new_end - head);
    // `common[i][j]`: length of the longest common subsequence of what follows i and j.
    let mut common = vec![vec![0_usize; columns + 1]; rows + 1];
    if rows <= ALIGNED && columns <= ALIGNED {
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                common[i][j] = if same(head + i, head + j) {
                    common[i + 1][j + 1] + 1
                } else {
                    common[i + 1][j].max(common[i][j + 1])
                };
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut gone, mut added): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    loop {
        let meet = i < rows
            && j < columns
            && same(head + i, head + j)
            && common[i][j] == common[i + 1][j + 1] + 1;
        if meet || (i == rows && j == columns) {
            // A run of words that left and one that came: paired in order.
            for k in 0..gone.len().max(added.len()) {
                let (left, came) = (gone.get(k), added.get(k));
                let at = left.or(came).map_or(0, |&at| at);
                found.push(LaunchDifference {
                    pointer: format!("/command/{at}"),
                    old: left.map(|&at| old[at].clone()),
                    new: came.map(|&at| new[at].clone()),
                });
            }
            gone.clear();
            added.clear();
            if !meet {
                return;
            }
            i += 1;
            j += 1;
        } else if j == columns || (i < rows && common[i + 1][j] >= common[i][j + 1]) {
            gone.push(head + i);
            i += 1;
        } else {
            added.push(head + j);
            j += 1;
        }
    }
}

/// Whether the live word is the pinned one (`docs/lockfile.md`, section 6).
fn agrees(pinned: &str, live: &str) -> bool {
    if pinned == live {
        return true;
    }
    // A whole word that was a value must not become an option.
    let becomes_option = pinned == REDACTED && live.starts_with('-');
    // In a URL a wildcard stands only for what can't move the end of the part that it stands in.
    let is_url = pinned.contains("://");
    let allowed = |c: char| {
        !is_url || !(matches!(c, '/' | '?' | '#' | '@' | '&' | '\\') || c.is_whitespace())
    };
    !becomes_option && covers(pinned, live, allowed)
}

/// Whether `live` is `pinned` with every `<redacted>` replaced by text of one or more characters
/// that are `allowed`.
fn covers(pinned: &str, live: &str, allowed: impl Fn(char) -> bool) -> bool {
    let mut pieces = pinned.split(REDACTED);
    let Some(mut rest) = pieces.next().and_then(|first| live.strip_prefix(first)) else {
        return false;
    };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        // The shortest text that works: a later piece can't gain from a longer one. The last piece
        // has to reach the end.
        let found = rest
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .find(|&end| {
                if is_last {
                    &rest[end..] == piece
                } else {
                    rest[end..].starts_with(piece)
                }
            });
        let Some(end) = found else {
            return false;
        };
        if !rest[..end].chars().all(&allowed) {
            return false;
        }
        rest = &rest[end + piece.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn launch(words: &[&str]) -> Launch {
        Launch {
            target: Target::Command(words.iter().map(|w| (*w).to_owned()).collect()),
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        }
    }

    fn shown(old: &Launch, new: &Launch) -> Vec<String> {
        old.differences(new)
            .into_iter()
            .map(|d| {
                format!(
                    "{} {} {}",
                    d.pointer,
                    d.old.as_deref().unwrap_or("-"),
                    d.new.as_deref().unwrap_or("-")
                )
            })
            .collect()
    }

    #[test]
    fn the_word_that_changed_is_named() {
        let old = launch(&["npx", "-y", "srv@1.0.0", "--root", "${workspace}"]);
        assert_eq!(
            shown(
                &old,
                &launch(&["npx", "-y", "srv@1.1.0", "--root", "${workspace}"])
            ),
            ["/command/2 srv@1.0.0 srv@1.1.0"]
        );
        assert_eq!(
            shown(
                &old,
                &launch(&["npx", "srv@1.0.0", "--root", "--all", "${workspace}"])
            ),
            ["/command/1 -y -", "/command/3 - --all"]
        );
        assert_eq!(shown(&old, &old), [""; 0]);
    }

    #[test]
    fn a_pinned_redaction_equals_any_text_in_its_place_only() {
        let pinned = launch(&["s", "--token=<redacted>", "-v"]);
        let variable = launch(&["s", "--token=${TOKEN}", "-v"]);
        assert!(pinned.matches(&variable) && !variable.matches(&pinned));
        assert!(!pinned.matches(&launch(&["s", "--tokens=x", "-v"])));
        assert!(!pinned.matches(&launch(&["s", "--token=", "-v"])));
        assert!(!pinned.matches(&launch(&["s", "-v"])));
        let whole = launch(&["s", "--token", "<redacted>"]);
        assert!(whole.matches(&launch(&["s", "--token", "x"])));
        assert!(!whole.matches(&launch(&["s", "--token", "--evil"])));
        let address = launch(&["s", "postgres://<redacted>@db.test/x"]);
        assert!(address.matches(&launch(&["s", "postgres://${U}:${P}@db.test/x"])));
        assert!(!address.matches(&launch(&["s", "postgres://evil.test/?@db.test/x"])));
    }

    #[test]
    fn names_of_variables_pinned_values_and_headers_are_compared() {
        let mut old = launch(&["s"]);
        old.env = vec!["A".to_owned(), "PATH".to_owned()];
        old.env_values.insert("PATH".to_owned(), "/bin".to_owned());
        let mut new = launch(&["s"]);
        new.env = vec!["B".to_owned(), "PATH".to_owned()];
        new.env_values
            .insert("PATH".to_owned(), "/tmp:/bin".to_owned());
        new.cwd = Some("sub".to_owned());
        assert_eq!(
            shown(&old, &new),
            [
                "/cwd - sub",
                "/env/A A -",
                "/env/B - B",
                "/env_values/PATH /bin /tmp:/bin"
            ]
        );
        let remote = Launch {
            target: Target::Url {
                url: "https://h.test".to_owned(),
                headers: BTreeMap::from([("x-a/b".to_owned(), "1".to_owned())]),
            },
            ..launch(&[])
        };
        assert_eq!(
            shown(&launch(&["s"]), &remote),
            ["/command s -", "/url - https://h.test"]
        );
    }

    proptest! {
        #[test]
        fn every_differing_word_is_reported_once(
            old in prop::collection::vec("[abc]", 0..8),
            new in prop::collection::vec("[abc]", 0..8),
        ) {
            let launch_of = |words: &[String]| launch(&words.iter().map(String::as_str).collect::<Vec<_>>());
            let found = launch_of(&old).differences(&launch_of(&new));
            prop_assert_eq!(found.is_empty(), old == new);
            let gone = found.iter().filter(|d| d.old.is_some()).count();
            let added = found.iter().filter(|d| d.new.is_some()).count();
            prop_assert_eq!(old.len() - gone, new.len() - added);
        }
    }
}
