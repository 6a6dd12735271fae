//! What varying words look like: dates, paths, numbers … as linear regular expressions.
//!
//! Pure.

use std::fmt::Write as _;

use regex::Regex;

/// Forms that say on their own what varies, the narrowest first.
const SHAPES: [&str; 10] = [
    // Date and time.
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?",
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?",
    // UUID.
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    // A time zone by name.
    r"(?:UTC|GMT|[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z0-9_+-]+)+)",
    // An IPv4 address, with a port perhaps.
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?",
    r"[0-9]+(?:\.[0-9]+)+",
    r"[0-9a-f]{8,}",
    // Absolute paths. A full stop behind one ends a sentence.
    r#"(?:/[^\s/"'`,;:)\]}>]*[^\s/"'`,;:.)\]}>])+/?"#,
    r#"[A-Za-z]:\\[^\s"'`,;:)\]}>]*[^\s"'`,;:.)\]}>]"#,
];

/// The forms that both texts have.
pub(super) fn shared(one: &str, two: &str) -> Vec<&'static str> {
    SHAPES
        .into_iter()
        .filter(|shape| {
            Regex::new(&format!("^(?:{shape})$"))
                .is_ok_and(|regex| regex.is_match(one) && regex.is_match(two))
        })
        .collect()
}

/// Whether a character is of one kind.
type Kind = fn(char) -> bool;

/// A class of all the characters of both texts: letters and digits by kind, every other character
/// alone. None where there is nothing.
pub(super) fn class(one: &str, two: &str) -> Option<String> {
    const KINDS: [(&str, Kind); 5] = [
        ("0-9", |c| c.is_ascii_digit()),
        ("A-Z", |c| c.is_ascii_uppercase()),
        ("a-z", |c| c.is_ascii_lowercase()),
        (r"\s", char::is_whitespace),
        (r"\p{L}\p{M}\p{N}", |c| !c.is_ascii() && c.is_alphanumeric()),
    ];
    let mut class = String::new();
    let chars = || one.chars().chain(two.chars());
    for (written, is_of) in KINDS {
        if chars().any(is_of) {
            class.push_str(written);
        }
    }
    let mut others: Vec<char> = chars()
        .filter(|&c| !KINDS.iter().any(|(_, is_of)| is_of(c)))
        .collect();
    others.sort_unstable();
    others.dedup();
    for c in others {
        // By its number where it could mean something inside a class.
        let _ = if c.is_ascii() && !r"\[]^-&~#".contains(c) && !c.is_ascii_control() {
            write!(class, "{c}")
        } else if c.is_ascii_punctuation() {
            write!(class, "\\{c}")
        } else {
            write!(class, "\\x{{{:x}}}", u32::from(c))
        };
    }
    (!class.is_empty()).then(|| format!("[{class}]"))
}

/// The words of a text in any order, between any of its separators: for a set that is written down
/// as it comes. None unless both texts have the same words, at least two.
pub(super) fn reordered(one: &str, two: &str) -> Option<String> {
    let words = |text: &str| {
        let mut words: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        words.sort();
        words
    };
    let mut found = words(one);
    if found.len() < 2 || found != words(two) {
        return None;
    }
    let separators: String = one
        .chars()
        .chain(two.chars())
        .filter(|&c| !c.is_alphanumeric() && c != '_' && c != '-')
        .collect();
    found.dedup();
    // The longest first: the first that fits is taken.
    found.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let words: Vec<String> = found.iter().map(|word| regex::escape(word)).collect();
    let between = class(&separators, "").map_or_else(String::new, |class| format!("{class}*"));
    let word = format!("(?:{})", words.join("|"));
    Some(format!("{word}(?:{between}{word})*"))
}
