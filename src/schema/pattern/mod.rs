//! Whether a pattern is a regular expression of ECMA-262 (section 22.2.1 and annex B.1.2).
//!
//! Only the syntax and the size; matching is the validator's. Iterative, so that nested groups
//! cost no stack.

mod parser;

use std::collections::HashSet;

use parser::{Edit, Parser};

/// What a well-formed pattern needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// It is well-formed only without the `u` flag, which JSON Schema recommends to set.
    pub needs_legacy_syntax: bool,
    /// How many atoms it has when bounded repetitions are written out.
    pub expanded: u64,
    /// It looks around or refers back, so that no engine matches it in linear time.
    pub backtracks: bool,
}

/// Why a pattern is no regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternError {
    /// As a fragment ("a group is not closed").
    pub reason: &'static str,
    /// Where, in characters from the start.
    pub offset: usize,
}

/// Checks `pattern`, with the `u` flag first and then without.
pub fn check(pattern: &str) -> Result<Pattern, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let (groups, names) = capture_groups(&chars);
    let parse = |unicode| {
        let mut parser = Parser {
            chars: &chars,
            at: 0,
            unicode,
            groups,
            names: &names,
            backtracks: false,
            edits: Vec::new(),
        };
        let expanded = parser.pattern()?;
        Ok(Pattern {
            needs_legacy_syntax: !unicode,
            expanded,
            backtracks: parser.backtracks,
        })
    };
    parse(true).or_else(|_: PatternError| parse(false))
}

/// `pattern`, which [`check`] finds to need the syntax without the `u` flag, in the syntax with it;
/// none where the two do not differ by needless or missing escapes alone.
pub fn modernized(pattern: &str) -> Option<String> {
    let chars: Vec<char> = pattern.chars().collect();
    let (groups, names) = capture_groups(&chars);
    let mut parser = Parser {
        chars: &chars,
        at: 0,
        unicode: false,
        groups,
        names: &names,
        backtracks: false,
        edits: Vec::new(),
    };
    parser.pattern().ok()?;
    parser.edits.sort_unstable_by_key(|(at, _)| *at);
    let mut edits = parser.edits.iter().peekable();
    let mut out = String::with_capacity(pattern.len());
    for (at, &c) in chars.iter().enumerate() {
        match edits.next_if(|(place, _)| *place == at) {
            Some((_, Edit::Escape)) => out.extend(['\\', c]),
            Some((_, Edit::Drop)) => {}
            None => out.push(c),
        }
    }
    check(&out)
        .is_ok_and(|checked| !checked.needs_legacy_syntax)
        .then_some(out)
}

/// How many groups capture, and the names of those that have one: references may come first.
fn capture_groups(chars: &[char]) -> (usize, HashSet<String>) {
    let mut names = HashSet::new();
    let mut count = 0;
    let mut in_class = false;
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => match (chars.get(at + 1), chars.get(at + 2), chars.get(at + 3)) {
                (Some('?'), Some('<'), Some('=' | '!')) => {}
                (Some('?'), Some('<'), _) => {
                    count += 1;
                    let name = chars[at + 3..].iter().take_while(|&&c| c != '>');
                    names.insert(name.collect());
                }
                (Some('?'), ..) => {}
                _ => count += 1,
            },
            _ => {}
        }
        at += 1;
    }
    (count, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_the_wild_are_well_formed() {
        for pattern in [
            "",
            "^[a-z0-9[\\]._-]+$",
            "^\\d+$",
            "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}|0{8}-0{4})$",
            "(?<year>\\d{4})-\\k<year>",
            "(?<=a)b(?<!c)(?=d)(?!e)",
            "\\p{L}\\P{Script=Greek}\\u{1F600}\\u00e9\\x41\\cA\\0",
            "a|b|",
            "(a)(b)\\2\\1",
            "[\\b\\-\\d]",
            "a{0}b{2,}c{1,3}?d*?",
            "[]",
            "[^]",
            "(?i:a)(?-s:b)",
        ] {
            let checked = check(pattern);
            assert!(
                matches!(checked, Ok(p) if !p.needs_legacy_syntax),
                "{pattern}: {checked:?}"
            );
        }
    }

    #[test]
    fn some_patterns_are_well_formed_only_without_the_u_flag() {
        for pattern in [
            "^https\\:\\/\\/",
            "a{",
            "a{,5}",
            "]",
            "}",
            "[\\w-.]",
            "\\_",
            "\\8",
            "(?=a)*",
            "\\k",
            "\\u12",
            "\\c",
            "[\\'\"]",
        ] {
            let checked = check(pattern);
            assert!(
                matches!(checked, Ok(p) if p.needs_legacy_syntax),
                "{pattern}: {checked:?}"
            );
        }
    }

    #[test]
    fn needless_and_missing_escapes_are_mended() {
        for (pattern, modern) in [
            ("^https\\:\\/\\/", "^https:\\/\\/"),
            ("a{", "a\\{"),
            ("a{,5}", "a\\{,5\\}"),
            ("]}", "\\]\\}"),
            ("[\\w-.]", "[\\w\\-.]"),
            ("[\\'\\\"\\_]", "['\"_]"),
        ] {
            assert_eq!(modernized(pattern).as_deref(), Some(modern), "{pattern}");
        }
        for pattern in ["\\8", "(?=a)*", "\\k", "\\c", "\\q", "[\\u12]", "a\\-b"] {
            assert_eq!(modernized(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn what_no_engine_of_ecmascript_reads_is_refused() {
        for pattern in [
            "^(abc$",
            "abc)",
            "[a",
            "[z-a]",
            "*a",
            "a**",
            "+",
            "?",
            "{1}",
            "a{2,1}",
            "(?P<name>a)",
            "(?i)a",
            "(?#comment)",
            "(?<1>a)",
            "(?<a>b)\\k<c>",
            "(?<=a)*",
            "\\",
            "^*",
            "(?>a)",
            "a++",
        ] {
            assert!(check(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn repetitions_are_counted_as_if_written_out() {
        assert_eq!(check("abc").unwrap().expanded, 3);
        assert_eq!(check("a{100}").unwrap().expanded, 100);
        assert!(check("((a{100}){100}){100}").unwrap().expanded >= 1_000_000);
        assert!(check("(a{999999999999}){999999999999}").unwrap().expanded > 1 << 60);
    }

    #[test]
    fn a_hundred_thousand_groups_cost_no_stack() {
        let nested = "(".repeat(100_000) + &")".repeat(100_000);
        assert!(check(&nested).is_ok());
        assert!(check(&"(".repeat(100_000)).is_err());
    }
}
