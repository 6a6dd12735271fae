//! Which line of a broken definition is to blame.
//!
//! A JSON parser notices a missing bracket only where nothing else makes sense, which may be the
//! end of the text. The layout has one member or element a line, so that the line itself can be
//! judged.

use crate::json::{Limits, parse};

/// The bracket that closes what `open` opens.
fn closing(open: u8) -> &'static str {
    if open == b'{' { "}" } else { "]" }
}

/// Where the first line begins that can't stand in a layout where it stands.
pub(super) fn first_bad_line(text: &str) -> Option<usize> {
    let mut open: Vec<u8> = Vec::new();
    // The line above: its offset, and whether another member or element has to follow.
    let mut above: Option<(usize, Follows)> = None;
    let mut offset = 0;
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        let body = line.trim_start_matches(' ');
        let closes = body.starts_with(['}', ']']);
        let (content, comma) = match body.strip_suffix(',') {
            Some(content) => (content, true),
            None => (body, false),
        };
        let value = value_of(content, open.last() == Some(&b'{'));
        let right = if closes {
            open.pop().is_some_and(|open| content == closing(open))
        } else {
            value.is_some_and(|value| is_value(value, comma))
        };
        let (indent, expected) = (line.len() - body.len(), 2 * open.len());
        match above {
            // Something was opened there.
            Some((at, Follows::End)) if !closes && indent > expected => return Some(at),
            _ if !right || indent < expected => return Some(offset),
            // A comma too few or too many.
            Some((at, Follows::Member)) if closes => return Some(at),
            Some((at, Follows::End)) if !closes => return Some(at),
            _ if indent > expected => return Some(offset),
            _ => {}
        }
        let opens = match value {
            Some("{") => Some(b'{'),
            Some("[") => Some(b'['),
            _ => None,
        };
        open.extend(opens);
        above = Some((
            offset,
            if comma || opens.is_some() {
                Follows::Member
            } else {
                Follows::End
            },
        ));
        offset += line.len() + 1;
    }
    None
}

/// What has to come below a line.
#[derive(Clone, Copy)]
enum Follows {
    /// A member or element: after a comma or an opening bracket.
    Member,
    /// The end of the container.
    End,
}

/// The value in a line: what stands after the member's name in an object.
fn value_of(content: &str, in_object: bool) -> Option<&str> {
    if !in_object {
        return Some(content);
    }
    let inside = content.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    inside[end..].strip_prefix("\": ")
}

/// Whether `value` can end a line: a scalar, an empty container, or one that opens.
fn is_value(value: &str, comma: bool) -> bool {
    match value {
        "{" | "[" => !comma,
        "{}" | "[]" => true,
        _ => !value.starts_with(['{', '[']) && parse(value.as_bytes(), &Limits::default()).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str = "{\n  \"a\": {\n    \"b\\\"\": [\n      1,\n      {},\n      \"{\"\n    ]\n  },\n  \"c\": \"x,\"\n}\n";

    #[test]
    fn a_right_layout_has_no_bad_line() {
        assert_eq!(first_bad_line(RIGHT), None);
        assert_eq!(first_bad_line("\"text\"\n"), None);
    }

    #[test]
    fn a_missing_bracket_comma_or_quote_is_found_in_its_line() {
        for (line, edited) in [
            (1, RIGHT.replacen('{', "", 1)),
            (2, RIGHT.replace("\"a\": {", "\"a\": ")),
            (3, RIGHT.replace(": [", ": ")),
            (4, RIGHT.replace("1,", "1")),
            (5, RIGHT.replace("{},", "{,")),
            (6, RIGHT.replace("\"{\"", "\"{\",")),
            (6, RIGHT.replace("\"{\"", "\"{")),
            (7, RIGHT.replace("    ]", "    ")),
            (7, RIGHT.replace("    ]", "    }")),
            (8, RIGHT.replace("},\n  \"c", " ,\n  \"c")),
            (8, RIGHT.replace("  },\n", "},\n")),
            (9, RIGHT.replace("\"c\": ", "\"c\"; ")),
            (10, RIGHT.replace("\n}\n", "\n]\n")),
        ] {
            let at = first_bad_line(&edited).unwrap();
            assert_eq!(edited[..at].matches('\n').count() + 1, line, "{edited}");
        }
    }
}
