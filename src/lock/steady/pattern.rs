//! Linear patterns that cover the words in which two texts differ, and no others.
//!
//! Pure. A pattern is made from what differs (a shape such as a date, or the kinds of characters)
//! and as few words around it as tell the place from every other one; it is tried on both texts
//! before it is believed.

use std::ops::Range;

use regex::Regex;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::shape;
use crate::lock::Volatile;
use crate::lock::volatile::{MARK, Words};

/// Most patterns for one text.
const MAX_PATTERNS: usize = 8;
/// Most words that one pattern lets vary: more is another text.
const MAX_WORDS: usize = 12;
/// Longest texts that are compared word by word, in words.
const MAX_TOKENS: usize = 20_000;

/// Words before and behind, in the order in which they are tried, for what says nothing by itself:
/// at least one word tells the place.
const AROUND: [(usize, usize); 9] = [
    (1, 0),
    (2, 0),
    (0, 1),
    (1, 1),
    (2, 1),
    (1, 2),
    (3, 2),
    (6, 0),
    (6, 6),
];

/// A difference between two texts, in bytes of each.
struct Hunk {
    one: Range<usize>,
    two: Range<usize>,
}

/// Patterns that make both texts the same, to be applied in this order; none where there are none.
pub(super) fn covering(one: &str, two: &str) -> Option<Vec<String>> {
    if is_another(one, two)? {
        return None;
    }
    let (mut one, mut two) = (one.to_owned(), two.to_owned());
    let mut patterns = Vec::new();
    while one != two {
        if patterns.len() == MAX_PATTERNS {
            return None;
        }
        let hunks = hunks(&one, &two)?;
        let (pattern, regex) = candidates(&one, &two, &hunks)
            .into_iter()
            .find_map(|candidate| tried(candidate, &one, &two, &hunks))?;
        one = replaced(&regex, &one);
        two = replaced(&regex, &two);
        patterns.push(pattern);
    }
    Some(patterns)
}

/// Whether most words differ, so that it is another text rather than one with words that vary.
fn is_another(one: &str, two: &str) -> Option<bool> {
    let words = |text: &str| text.split_whitespace().count();
    let hunks = hunks(one, two)?;
    let differing: usize = hunks
        .iter()
        .map(|hunk| words(&one[hunk.one.clone()]).max(words(&two[hunk.two.clone()])))
        .sum();
    let most = 2 * differing > words(one).max(words(two));
    Some(differing > MAX_WORDS && most && shape::reordered(one, two).is_none())
}

/// The candidate, if it compiles as a volatile rule and matches what differs and nothing else.
fn tried(pattern: String, one: &str, two: &str, hunks: &[Hunk]) -> Option<(String, Regex)> {
    let rule = Volatile {
        item: "instructions".to_owned(),
        pointer: String::new(),
        pattern: pattern.clone(),
    };
    Words::compile(&[rule]).ok()?;
    let regex = Regex::new(&pattern).ok()?;
    let covers = |text: &str, ranges: Vec<&Range<usize>>| {
        let matches: Vec<Range<usize>> = regex.find_iter(text).map(|found| found.range()).collect();
        !matches.is_empty()
            && matches.iter().all(|found| {
                ranges
                    .iter()
                    .any(|range| found.start <= range.start && range.end <= found.end)
            })
    };
    let fits = covers(one, hunks.iter().map(|hunk| &hunk.one).collect())
        && covers(two, hunks.iter().map(|hunk| &hunk.two).collect())
        && progress(&regex, one, two, hunks.len());
    fits.then_some((pattern, regex))
}

/// Whether fewer differences are left once the matches are replaced.
fn progress(regex: &Regex, one: &str, two: &str, before: usize) -> bool {
    let (one, two) = (replaced(regex, one), replaced(regex, two));
    one == two || hunks(&one, &two).is_some_and(|left| left.len() < before)
}

fn replaced(regex: &Regex, text: &str) -> String {
    regex
        .replace_all(text, regex::NoExpand(MARK.encode_utf8(&mut [0; 4])))
        .into_owned()
}

/// The patterns for the first difference, the best first.
fn candidates(one: &str, two: &str, hunks: &[Hunk]) -> Vec<String> {
    let mut out = Vec::new();
    let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else {
        return out;
    };
    let whole = Hunk {
        one: first.one.start..last.one.end,
        two: first.two.start..last.two.end,
    };
    if let Some(core) = shape::reordered(&one[whole.one.clone()], &two[whole.two.clone()]) {
        around(one, &whole, one.len(), &core, &mut out);
    }
    let (was, is) = (&one[first.one.clone()], &two[first.two.clone()]);
    // Text behind the first difference is the same in both up to the next one.
    let end = hunks.get(1).map_or(one.len(), |next| next.one.start);
    for core in shape::shared(was, is) {
        out.push(core.to_owned());
        around(one, first, end, core, &mut out);
    }
    let long = [was, is]
        .iter()
        .any(|text| text.split_whitespace().count() > MAX_WORDS);
    if let (Some(class), false) = (shape::class(was, is), long) {
        let many = if was.is_empty() || is.is_empty() {
            '*'
        } else {
            '+'
        };
        let greedy = format!("{class}{many}");
        around(one, first, end, &greedy, &mut out);
        // As little as reaches the words behind.
        around(one, first, end, &format!("{greedy}?"), &mut out);
    }
    out
}

/// `core` with more and more of the words around it.
fn around(text: &str, hunk: &Hunk, end: usize, core: &str, out: &mut Vec<String>) {
    let (before, behind) = (&text[..hunk.one.start], &text[hunk.one.end..end]);
    let is_end = end == text.len();
    if before.is_empty() && behind.is_empty() && is_end {
        out.push(format!("^{core}$"));
        return;
    }
    for (left, right) in AROUND {
        // Marks of words that vary elsewhere would tie one rule to another.
        let (left_text, from_start) = last_words(before, left);
        let (right_text, to_end) = first_words(behind, right);
        if left_text.contains(MARK) || right_text.contains(MARK) {
            continue;
        }
        let start = if left > 0 && from_start { "^" } else { "" };
        let finish = if right > 0 && to_end && is_end {
            "$"
        } else {
            ""
        };
        let is_lazy = core.ends_with("+?") || core.ends_with("*?");
        if is_lazy && right_text.is_empty() && finish.is_empty() {
            continue;
        }
        out.push(format!(
            "{start}{}{core}{}{finish}",
            regex::escape(left_text),
            regex::escape(right_text)
        ));
    }
}

/// The last `count` words of `text` with the space behind each, and whether that is all of it.
fn last_words(text: &str, count: usize) -> (&str, bool) {
    if count == 0 {
        return ("", text.is_empty());
    }
    let mut start = text.len();
    for _ in 0..count {
        let rest = text[..start].trim_end();
        start = rest.rfind(char::is_whitespace).map_or(0, |at| {
            at + rest[at..].chars().next().map_or(1, char::len_utf8)
        });
    }
    (&text[start..], start == 0)
}

/// The first `count` words of `text` with the space before each, and whether that is all of it.
fn first_words(text: &str, count: usize) -> (&str, bool) {
    if count == 0 {
        return ("", text.is_empty());
    }
    let mut end = 0;
    for _ in 0..count {
        let rest = &text[end..];
        let gap = rest.len() - rest.trim_start().len();
        end += gap
            + rest[gap..]
                .find(char::is_whitespace)
                .unwrap_or(rest.len() - gap);
    }
    (&text[..end], end == text.len())
}

/// Where two texts differ, word by word; none for texts that are too long to look.
fn hunks(one: &str, two: &str) -> Option<Vec<Hunk>> {
    let (ones, twos) = (tokens(one), tokens(two));
    if ones.len().max(twos.len()) > MAX_TOKENS {
        return None;
    }
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &ones, &twos) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        match found.last_mut() {
            // Only space between the two: one change.
            Some(last)
                if ones[last.0.end..old.start]
                    .iter()
                    .all(|token| token.trim().is_empty()) =>
            {
                last.0.end = old.end;
                last.1.end = new.end;
            }
            _ => found.push((old, new)),
        }
    }
    let hunks = found.into_iter().map(|(old, new)| {
        let (one_range, two_range) = (bytes(&ones, old), bytes(&twos, new));
        let (head, tail) = kept(&one[one_range.clone()], &two[two_range.clone()]);
        Hunk {
            one: one_range.start + head..one_range.end - tail,
            two: two_range.start + head..two_range.end - tail,
        }
    });
    Some(hunks.collect())
}

/// Runs of white space and of anything else.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let space = first.is_whitespace();
        let end = rest
            .find(|c: char| c.is_whitespace() != space)
            .unwrap_or(rest.len());
        let (token, tail) = rest.split_at(end);
        tokens.push(token);
        rest = tail;
    }
    tokens
}

fn bytes(tokens: &[&str], range: Range<usize>) -> Range<usize> {
    let length = |tokens: &[&str]| tokens.iter().map(|token| token.len()).sum::<usize>();
    let start = length(&tokens[..range.start]);
    start..start + length(&tokens[range])
}

/// How many bytes at the beginning and at the end of both belong to what stands around: up to a
/// bracket, a quote or an equals sign, never a part of a number, a path or a name.
fn kept(one: &str, two: &str) -> (usize, usize) {
    let mut head = 0;
    let mut before = ' ';
    for ((at, c), d) in one.char_indices().zip(two.chars()) {
        if c != d {
            break;
        }
        let opens = "\"'`([{<=,".contains(c) || (c == ':' && !before.is_ascii_digit());
        if opens {
            head = at + c.len_utf8();
        }
        before = c;
    }
    let (one, two) = (&one[head..], &two[head..]);
    let tail = one
        .chars()
        .rev()
        .zip(two.chars().rev())
        .take_while(|(c, d)| c == d && "\"'`)]}>,;.:!?".contains(*c))
        .map(|(c, _)| c.len_utf8())
        .sum();
    (head, tail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(one: &str, two: &str) -> String {
        let patterns = covering(one, two).unwrap_or_else(|| panic!("{one:?} {two:?}"));
        patterns.join(" | ")
    }

    #[test]
    fn what_varies_becomes_its_shape_and_the_words_around_it_tell_the_place() {
        for (one, two, expected) in [
            (
                "Listens on port 8080, at most 10 at once.",
                "Listens on port 41733, at most 10 at once.",
                "port [0-9]+",
            ),
            (
                "(e.g., 'Europe/London'). Use 'UTC' as local timezone.",
                "(e.g., 'Europe/London'). Use 'Asia/Tokyo' as local timezone.",
                "Use '(?:UTC|GMT|[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z0-9_+-]+)+)",
            ),
            (
                "2026-10-31T16:26:15.559Z",
                "2026-12-10T16:26:19.780Z",
                shape::shared("2026-10-31T16:26:15Z", "2026-10-31T16:26:15Z")[0],
            ),
            ("default: dev", "default: production", "^default: [a-z]+"),
            ("x", "y", "^[a-z]+$"),
        ] {
            assert_eq!(pattern(one, two), expected);
        }
    }

    #[test]
    fn a_path_of_the_machine_is_covered_to_its_end_and_no_further() {
        for (one, two) in [
            (
                "Local files: paths under /home/user/project. URLs: disabled.",
                "Local files: paths under /home/alice/work/other. URLs: disabled.",
            ),
            ("cwd=/a/b; more", "cwd=/c; more"),
            ("Only in \"C:\\Users\\a\".", "Only in \"D:\\x\"."),
        ] {
            let pattern = pattern(one, two);
            let left = replaced(&Regex::new(&pattern).unwrap(), one);
            assert!(
                left.contains(MARK) && !left.contains("user"),
                "{pattern} {left}"
            );
            assert_eq!(left.split(MARK).count(), 2, "{pattern} {left}");
        }
    }

    #[test]
    fn a_set_in_another_order_is_covered_by_its_own_words_only() {
        let pattern = pattern("One of: b, a, c-d. Or none.", "One of: a, c-d, b. Or none.");
        let regex = Regex::new(&pattern).unwrap();
        let with = |text: &str| replaced(&regex, text);
        assert_eq!(
            with("One of: b, a, c-d. Or none."),
            with("One of: c-d, b, a. Or none.")
        );
        assert_ne!(
            with("One of: b, a, c-d. Or none."),
            with("One of: b, a, e. Or none.")
        );
    }

    #[test]
    fn several_places_of_one_text_are_all_covered() {
        let one = "From 2026-11-30 to 2026-12-01 in /home/a by worker 17 of 20.";
        let two = "From 2026-12-30 to 2027-01-01 in /srv/b by worker 3 of 20.";
        let patterns = covering(one, two).unwrap();
        assert!(patterns.len() <= 3, "{patterns:?}");
    }

    #[test]
    fn another_text_altogether_has_no_pattern() {
        let one = "Reads a file from the disk and gives back its text, all of it, to whoever asks for it here";
        let two = "Sends one message to the person who wrote last, with the words that stand in its argument now";
        assert_eq!(covering(one, two), None);
    }

    proptest! {
        #[test]
        fn patterns_make_both_texts_the_same_and_are_rules_that_compile(
            words in prop::collection::vec("[a-z]{1,6}|[0-9]{1,4}|/[a-z/]{1,8}|[A-Z][é'\"(.]{0,2}", 1..12),
            changes in prop::collection::vec((0..12usize, "[a-z]{1,6}|[0-9]{1,4}|/[a-z]{1,8}|[^a]{0,3}"), 1..4),
        ) {
            let mut other = words.clone();
            for (at, word) in changes {
                let at = at % other.len();
                other[at] = word;
            }
            let (one, two) = (words.join(" "), other.join(" "));
            if let Some(patterns) = covering(&one, &two) {
                let rules: Vec<Volatile> = patterns
                    .into_iter()
                    .map(|pattern| Volatile { item: "instructions".to_owned(), pointer: String::new(), pattern })
                    .collect();
                let rules = Words::compile(&rules).unwrap();
                let applied = |text: &str| {
                    let mut value = crate::json::Value::String(text.to_owned());
                    rules.apply_to_instructions(&mut value);
                    value
                };
                prop_assert_eq!(applied(&one), applied(&two));
            }
        }
    }
}
