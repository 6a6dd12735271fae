//! Which far tool stands for which tool of the server: hosts put prefixes before names, replace
//! characters that a provider refuses, cut names short and add hashes.
//!
//! Pure.

/// The longest name that providers take; hosts cut longer ones.
const LONGEST: usize = 64;
/// Names shorter than this were not cut.
const CUT: usize = 55;
/// A hash at the end of a name has no fewer characters than this, and no more than the next one.
const HASH: std::ops::RangeInclusive<usize> = 4..=16;
/// What is left of a name that was cut is at least this long.
const REST: usize = 6;

/// How surely a far name stands for a server's name; the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sureness {
    /// The same name.
    Same,
    /// The same but for characters that a provider refuses.
    Respelled,
    /// Behind a prefix that names the server.
    OwnPrefix,
    /// Behind another prefix.
    OtherPrefix,
    /// Cut short, or with a hash.
    Cut,
}

const SURENESS: [Sureness; 5] = [
    Sureness::Same,
    Sureness::Respelled,
    Sureness::OwnPrefix,
    Sureness::OtherPrefix,
    Sureness::Cut,
];

/// Who stands for whom, by position.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pairing {
    /// Server's tool, far tool.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Tools of the server that nobody stands for.
    pub(super) lost: Vec<usize>,
    /// Far tools that stand for none.
    pub(super) invented: Vec<usize>,
    /// Tools of the server for which several far tools may stand.
    pub(super) ambiguous: Vec<(usize, Vec<usize>)>,
}

/// Pairs the tools of the server called `server` with far tools, by name.
pub(super) fn pair(server: &str, near: &[&str], far: &[&str]) -> Pairing {
    let mut pairing = Pairing::default();
    let mut near_left: Vec<usize> = (0..near.len()).collect();
    let mut far_left: Vec<usize> = (0..far.len()).collect();
    for sureness in SURENESS {
        // For each far tool the longest name that it may stand for.
        let claims: Vec<(usize, usize)> = far_left
            .iter()
            .filter_map(|&there| {
                let fits = |&&here: &&usize| matches(server, near[here], far[there], sureness);
                let here = near_left
                    .iter()
                    .filter(fits)
                    .max_by_key(|&&here| near[here].len())?;
                Some((*here, there))
            })
            .collect();
        for &here in &near_left.clone() {
            let claimants: Vec<usize> = claims
                .iter()
                .filter(|(claimed, _)| *claimed == here)
                .map(|(_, there)| *there)
                .collect();
            match claimants.as_slice() {
                [] => continue,
                [one] => pairing.pairs.push((here, *one)),
                several => pairing.ambiguous.push((here, several.to_vec())),
            }
            near_left.retain(|&left| left != here);
            far_left.retain(|left| !claimants.contains(left));
        }
    }
    pairing.pairs.sort_unstable();
    pairing.ambiguous.sort_unstable();
    pairing.lost = near_left;
    pairing.invented = far_left;
    pairing
}

fn matches(server: &str, near: &str, far: &str, sureness: Sureness) -> bool {
    match sureness {
        Sureness::Same => near == far,
        Sureness::Respelled => respelled(near) == respelled(far),
        Sureness::OwnPrefix => prefixes(far).any(|(prefix, rest)| {
            (rest == near || respelled(rest) == respelled(near)) && names(prefix, server)
        }),
        Sureness::OtherPrefix => {
            prefixes(far).any(|(_, rest)| rest == near || respelled(rest) == respelled(near))
        }
        Sureness::Cut => is_cut(near, far),
    }
}

/// A name as a provider takes it: letters, digits, `_` and `-`; anything else becomes `_`. Whether
/// a host wrote `_` or `-` between words is not told apart.
fn respelled(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// Each way to read `far` as a prefix, a separator, and a name.
fn prefixes(far: &str) -> impl Iterator<Item = (&str, &str)> {
    far.char_indices().filter_map(move |(i, c)| {
        let separates = matches!(c, '_' | '-' | '.' | '/' | ':');
        let (prefix, rest) = (&far[..i], &far[i + c.len_utf8()..]);
        (separates && !rest.is_empty()).then_some((prefix, rest))
    })
}

/// Whether a prefix such as `mcp__files_` names the server `files`.
fn names(prefix: &str, server: &str) -> bool {
    let plain = |text: &str| {
        respelled(text)
            .to_ascii_lowercase()
            .trim_matches('_')
            .to_owned()
    };
    let (prefix, server) = (plain(prefix), plain(server));
    !server.is_empty() && (prefix == server || prefix.ends_with(&format!("_{server}")))
}

/// Whether `far` may be `near`, perhaps behind a prefix, cut short or with a hash at its end.
fn is_cut(near: &str, far: &str) -> bool {
    let near = respelled(near);
    let far = respelled(far);
    let begins = |rest: &str| rest.len() >= REST && near.starts_with(rest);
    let whole_or_prefixed = |text: &str, test: &dyn Fn(&str) -> bool| {
        test(text) || prefixes(text).any(|(_, rest)| test(rest))
    };
    let at_the_limit = (CUT..=LONGEST).contains(&far.len());
    if at_the_limit && whole_or_prefixed(&far, &begins) {
        return true;
    }
    let Some((head, hash)) = far.rsplit_once('_') else {
        return false;
    };
    let hashed = HASH.contains(&hash.len())
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        && hash.bytes().any(|byte| byte.is_ascii_digit());
    let head = head.trim_end_matches('_');
    let whole = |rest: &str| rest == near || (at_the_limit && begins(rest));
    hashed && whole_or_prefixed(head, &whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(near: &str, far: &str) -> bool {
        let pairing = pair("files", &[near], &[far]);
        pairing.pairs == [(0, 0)]
    }

    #[test]
    fn the_prefixes_of_hosts_are_stripped() {
        for far in [
            "read_file",
            "mcp__files__read_file",
            "files_read_file",
            "files.read_file",
            "files-read_file",
            "files/read_file",
            "files:read_file",
            "mcp_gateway_read_file",
        ] {
            assert!(one("read_file", far), "{far}");
        }
        assert!(!one("read_file", "thread_file"));
        assert!(!one("read_file", "read_file_now"));
    }

    #[test]
    fn characters_that_a_provider_refuses_are_the_same_as_underscores() {
        assert!(one("get.user/id", "get_user_id"));
        assert!(one("get-user", "files__get_user"));
    }

    #[test]
    fn a_name_that_was_cut_at_64_characters_is_found() {
        let long = "analyse_the_quarterly_revenue_of_every_subsidiary_in_all_regions";
        let far = format!("mcp__files__{long}");
        assert!(one(long, &far[..64]));
        assert!(!one(long, &far[..40]), "nobody cuts so early");
    }

    #[test]
    fn a_name_with_a_hash_is_found() {
        assert!(one("read_file", "read_file_3fa9c2"));
        assert!(one("read_file", "files_read_file_9b1c04de"));
        assert!(!one("read_file", "read_file_added"), "a word is no hash");
    }

    #[test]
    fn the_longest_name_wins_and_the_surest_reading_goes_first() {
        let pairing = pair("fs", &["file", "read_file"], &["fs_read_file", "fs_file"]);
        assert_eq!(pairing.pairs, [(0, 1), (1, 0)]);
        let pairing = pair("fs", &["read"], &["read", "other_read"]);
        assert_eq!(pairing.pairs, [(0, 0)]);
        assert_eq!(pairing.invented, [1]);
    }

    #[test]
    fn two_far_tools_for_one_are_ambiguous_and_neither_is_compared() {
        let pairing = pair("fs", &["read"], &["a_read", "b_read"]);
        assert_eq!(pairing.ambiguous, [(0, vec![0, 1])]);
        assert!(pairing.pairs.is_empty() && pairing.lost.is_empty());
    }
}
