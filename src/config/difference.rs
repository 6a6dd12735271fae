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
        differing(Side::plain(self), Side::plain(live)).is_empty()
    }

    /// The words that differ from `live`, in the order of the lockfile's keys. A credential in plain
    /// text, as it can stand in a lockfile that was edited by hand, is shown as `<redacted>`.
    pub fn differences(&self, live: &Launch) -> Vec<LaunchDifference> {
        let (shown_pinned, shown_live) = (self.redacted(), live.redacted());
        let side = |launch, shown| Side { launch, shown };
        differing(side(self, &shown_pinned), side(live, &shown_live))
    }
}

/// A launch to be compared, and the same launch as it may be shown.
#[derive(Clone, Copy)]
struct Side<'a> {
    launch: &'a Launch,
    shown: &'a Launch,
}

impl<'a> Side<'a> {
    fn plain(launch: &'a Launch) -> Self {
        Side {
            launch,
            shown: launch,
        }
    }

    /// One part of the launch, to be compared and to be shown.
    fn part<T: ?Sized>(self, part: impl Fn(&'a Launch) -> &'a T) -> [&'a T; 2] {
        [part(self.launch), part(self.shown)]
    }

    fn words(self) -> [&'a [String]; 2] {
        self.part(|launch| match &launch.target {
            Target::Command(words) => words.as_slice(),
            Target::Url { .. } => &[],
        })
    }

    fn url(self) -> [Option<&'a String>; 2] {
        [self.launch, self.shown].map(|launch| match &launch.target {
            Target::Command(_) => None,
            Target::Url { url, headers: _ } => Some(url),
        })
    }

    fn headers(self) -> [Option<&'a BTreeMap<String, String>>; 2] {
        [self.launch, self.shown].map(|launch| match &launch.target {
            Target::Command(_) => None,
            Target::Url { url: _, headers } => Some(headers),
        })
    }
}

fn differing(old: Side<'_>, new: Side<'_>) -> Vec<LaunchDifference> {
    let mut found = Vec::new();
    match (&old.launch.target, &new.launch.target) {
        (Target::Command(_), Target::Command(_)) => command(old.words(), new.words(), &mut found),
        (Target::Url { .. }, Target::Url { .. }) => {
            one("/url", old.url(), new.url(), &mut found);
            map("/headers", old.headers(), new.headers(), &mut found);
        }
        (one, other) => found.extend([
            LaunchDifference {
                pointer: one.pointer().to_owned(),
                old: Some(old.shown.target.text()),
                new: None,
            },
            LaunchDifference {
                pointer: other.pointer().to_owned(),
                old: None,
                new: Some(new.shown.target.text()),
            },
        ]),
    }
    let cwd = |side: Side<'_>| [side.launch.cwd.clone(), side.shown.cwd.clone()];
    let (old_cwd, new_cwd) = (cwd(old), cwd(new));
    one(
        "/cwd",
        old_cwd.each_ref().map(Option::as_ref),
        new_cwd.each_ref().map(Option::as_ref),
        &mut found,
    );
    let names = |side: Side<'_>| -> BTreeMap<String, String> {
        let names = side.launch.env.iter();
        names.map(|name| (name.clone(), name.clone())).collect()
    };
    let (old_names, new_names) = (names(old), names(new));
    map(
        "/env",
        [Some(&old_names); 2],
        [Some(&new_names); 2],
        &mut found,
    );
    let values = |side: Side<'_>| -> [BTreeMap<String, String>; 2] {
        [
            side.launch.env_values.clone(),
            side.shown.env_values.clone(),
        ]
    };
    let (old_values, new_values) = (values(old), values(new));
    map(
        "/env_values",
        old_values.each_ref().map(Some),
        new_values.each_ref().map(Some),
        &mut found,
    );
    found
}

impl Target {
    fn pointer(&self) -> &'static str {
        match self {
            Target::Command(_) => "/command",
            Target::Url { .. } => "/url",
        }
    }

    fn text(&self) -> String {
        match self {
            Target::Command(words) => words.join(" "),
            Target::Url { url, headers: _ } => url.clone(),
        }
    }
}

/// Compares one value that either side may lack.
fn one(
    pointer: &str,
    [old, shown_old]: [Option<&String>; 2],
    [new, shown_new]: [Option<&String>; 2],
    found: &mut Vec<LaunchDifference>,
) {
    let same = match (old, new) {
        (Some(old), Some(new)) => agrees(old, new),
        (None, None) => true,
        _ => false,
    };
    if !same {
        found.push(LaunchDifference {
            pointer: pointer.to_owned(),
            old: shown_old.cloned(),
            new: shown_new.cloned(),
        });
    }
}

fn map(
    pointer: &str,
    old: [Option<&BTreeMap<String, String>>; 2],
    new: [Option<&BTreeMap<String, String>>; 2],
    found: &mut Vec<LaunchDifference>,
) {
    let names: BTreeSet<&String> = [old[0], new[0]]
        .into_iter()
        .flatten()
        .flat_map(BTreeMap::keys)
        .collect();
    for name in names {
        let at = format!("{pointer}{}", Pointer::root().key(name));
        let value =
            |map: Option<&'_ BTreeMap<String, String>>| map.and_then(|map| map.get(name)).cloned();
        let (old, new) = (old.map(value), new.map(value));
        one(
            &at,
            old.each_ref().map(Option::as_ref),
            new.each_ref().map(Option::as_ref),
            found,
        );
    }
}

/// Words up to this count are aligned; longer commands are compared word by word.
const ALIGNED: usize = 512;

/// The words of two commands, aligned by their longest common subsequence.
fn command(
    [old, shown_old]: [&[String]; 2],
    [new, shown_new]: [&[String]; 2],
    found: &mut Vec<LaunchDifference>,
) {
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
                    old: left.map(|&at| shown_old[at].clone()),
                    new: came.map(|&at| shown_new[at].clone()),
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
    fn a_credential_that_was_written_into_the_lockfile_is_not_shown() {
        let pinned = launch(&["s", "--token", "s3cr3t-1", "-v"]);
        assert_eq!(
            shown(&pinned, &launch(&["s", "--token", "<redacted>", "-v"])),
            ["/command/2 <redacted> <redacted>"]
        );
        assert_eq!(
            shown(&pinned, &launch(&["s", "-x", "--token", "s3cr3t-1"])),
            ["/command/1 - -x", "/command/3 -v -"]
        );
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
