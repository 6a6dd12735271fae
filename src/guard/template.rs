//! Whether a URI may have come from a URI template (RFC 6570).
//!
//! Pure. Reads templates as servers match them, not as the standard expands them: a value may hold
//! characters that an expansion would have encoded.

use regex::Regex;

/// Longer templates are taken to match everything.
const LONGEST: usize = 4_096;

/// Whether `uri` may be an expansion of `template`. What can't be read as a template may be
/// anything, so it matches.
pub(super) fn matches(template: &str, uri: &str) -> bool {
    pattern(template).is_none_or(|pattern| pattern.is_match(uri))
}

fn pattern(template: &str) -> Option<Regex> {
    if template.len() > LONGEST {
        return None;
    }
    let mut pattern = String::from("(?s)^");
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        let (expression, tail) = after.split_once('}')?;
        pattern.push_str(&regex::escape(literal));
        pattern.push_str(match expression.chars().next()? {
            '+' | '#' => ".*",
            '/' => "(?:/.*)?",
            '?' => r"(?:\?.*)?",
            '&' => "(?:&.*)?",
            ';' => "(?:;.*)?",
            '.' => r"(?:\.[^/]*)?",
            _ => "[^/]*",
        });
        rest = tail;
    }
    pattern.push_str(&regex::escape(rest));
    pattern.push('$');
    Regex::new(&pattern).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simple_variable_stays_within_its_segment_and_a_reserved_one_does_not() {
        assert!(matches("demo://x/{id}", "demo://x/7"));
        assert!(matches("demo://x/{id}", "demo://x/a b:c"));
        assert!(!matches("demo://x/{id}", "demo://x/a/b"));
        assert!(!matches("demo://x/{id}", "demo://y/7"));
        assert!(matches("file:///{+path}", "file:///a/b"));
        assert!(matches("db://t{?limit,from}", "db://t"));
        assert!(matches("db://t{?limit,from}", "db://t?limit=1"));
        assert!(!matches("a.b/{x}", "aXb/1"));
    }

    #[test]
    fn what_is_no_template_may_be_anything() {
        assert!(matches("demo://{", "x"));
        assert!(matches("demo://{}", "x"));
    }
}
