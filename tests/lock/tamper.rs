//! One altered character in a digest or definition is refused, with its line.

use std::ops::Range;

use mcplock::error::ErrorKind;
use mcplock::lock::decode;

use crate::input;

/// The ranges of all digests and of all texts in three apostrophes, delimiters excluded.
fn guarded(text: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let digests = text
        .match_indices("\"sha256:")
        .map(|(at, _)| at + 1..at + 1 + 71)
        .collect();
    let marks: Vec<usize> = text.match_indices("'''").map(|(at, _)| at).collect();
    let texts = marks.chunks(2).map(|pair| pair[0] + 3..pair[1]).collect();
    (digests, texts)
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// `text` with the character at `at` replaced.
fn replaced(text: &str, at: usize, new: &str) -> String {
    let length = text[at..].chars().next().unwrap().len_utf8();
    format!("{}{new}{}", &text[..at], &text[at + length..])
}

/// Another character for the place of `old` at `at`, or none; a neighbour gets another one, so that
/// all kinds occur in every sort of place.
fn other(old: char, at: usize) -> &'static str {
    let kinds = ["", " ", "  ", "a", "0", "9", "A", "\"", "\n"];
    let new = kinds[at % kinds.len()];
    if new == old.to_string() { "" } else { new }
}

#[test]
fn one_altered_character_in_a_digest_is_refused_in_its_line() {
    for name in ["example", "kinds"] {
        let text = std::fs::read_to_string(input::folder().join(format!("{name}.toml"))).unwrap();
        let (digests, _) = guarded(&text);
        assert!(digests.len() > 5);
        for at in digests.into_iter().flatten() {
            let old = text[at..].chars().next().unwrap();
            let new = other(old, at);
            let altered = replaced(&text, at, new);
            let error = decode(altered.as_bytes())
                .map(|_| ())
                .expect_err(&format!("{name}: {old:?} became {new:?} at {at}"));
            assert_eq!(error.kind(), ErrorKind::Lockfile);
            // A line break inside the quotes is a syntax error that begins in the same line.
            assert_eq!(
                error.place().line,
                Some(line_of(&text, at)),
                "{name}: {error}"
            );
            assert!(error.help_text().is_some(), "{error}");
        }
    }
}

#[test]
fn one_altered_character_in_a_definition_is_refused_in_its_line() {
    for name in ["example", "kinds", "volatile"] {
        let text = std::fs::read_to_string(input::folder().join(format!("{name}.toml"))).unwrap();
        let (_, texts) = guarded(&text);
        assert!(texts.len() > 3);
        for range in texts {
            for (offset, old) in text[range.clone()].char_indices() {
                let at = range.start + offset;
                check(name, &text, &range, at, old, other(old, at));
            }
        }
    }
}

fn check(name: &str, text: &str, range: &Range<usize>, at: usize, old: char, new: &str) {
    let altered = replaced(text, at, new);
    let what = format!(
        "{name}: {old:?} became {new:?} in line {}",
        line_of(text, at)
    );
    let error = decode(altered.as_bytes()).map(|_| ()).expect_err(&what);
    assert_eq!(error.kind(), ErrorKind::Lockfile, "{what}: {error}");
    assert!(error.help_text().is_some(), "{what}: {error}");
    assert!(error.place().server.is_some(), "{what}: {error}");
    let told = error.place().line.expect(&what);
    let altered_line = line_of(text, at);
    let message = error.message();
    if message.contains("match the digest") || message.contains("match their digest") {
        // Only the digest tells: it stands above, or the member that it covers begins there.
        let table = text[..range.start].rfind("\n[[").unwrap();
        let lines = line_of(text, table) + 1..=altered_line;
        assert!(lines.contains(&told), "{what}: {error}");
        if text
            .lines()
            .nth(altered_line - 1)
            .unwrap()
            .starts_with("  \"description\"")
        {
            let tool = text[table..].starts_with("\n[[server.tool]]");
            assert!(!tool || told == altered_line, "{what}: {error}");
        }
    } else if message.contains("size")
        || message.contains("is missing")
        || message.contains("does not have")
    {
        // A member's name was altered, so that its digest or the cut has nothing to cover.
        assert!(told <= altered_line, "{what}: {error}");
    } else if in_member_name(text, at) && message.contains("layout") {
        // Another name may belong further up.
        assert!(told <= altered_line, "{what}: {error}");
    } else {
        // A character that became a line break is in two lines.
        let last = altered_line + new.matches('\n').count();
        assert!((altered_line..=last).contains(&told), "{what}: {error}");
    }
}

/// Whether the character at `at` stands before the `": ` of its line.
fn in_member_name(text: &str, at: usize) -> bool {
    let rest = text[at..].split('\n').next().unwrap_or_default();
    rest.contains("\": ")
}
