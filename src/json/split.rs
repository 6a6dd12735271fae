//! Splitting a text into JSON values without reading them: each stays the exact bytes it was.
//!
//! The strict counterpart of `serde_json`'s `RawValue` for files: same grammar as [`super::parse`],
//! places in the whole text, and no member of an envelope lost to a second one of its name.

use std::ops::Range;

use super::SyntaxError;
use super::scan::{Scanner, Step};

/// The bytes of the next value at or after `at`, without the white space around it; none when only
/// white space is left. The value is checked to its end.
pub fn next_value(text: &str, at: usize) -> Result<Option<Range<usize>>, SyntaxError> {
    scan(text, at, |scanner| {
        scanner.space();
        if scanner.peek().is_none() {
            return Ok(None);
        }
        let start = scanner.at;
        scanner.skip_value()?;
        Ok(Some(start..scanner.at))
    })
}

/// The elements of the array that begins at `at`.
pub fn elements(text: &str, at: usize) -> Result<Vec<Range<usize>>, SyntaxError> {
    scan(text, at, |scanner| {
        let mut found = Vec::new();
        if !scanner.eat(b'[') {
            return Err("expected an array");
        }
        scanner.space();
        if scanner.eat(b']') {
            return Ok(found);
        }
        loop {
            found.push(value(scanner)?);
            if !scanner.more(false)? {
                return Ok(found);
            }
        }
    })
}

/// The members of the object that begins at `at`: names, and the bytes of the values.
///
/// Two members of one name are an error, and so is a name that is no Unicode text: which member
/// another reader would take can't be known.
pub fn members(text: &str, at: usize) -> Result<Vec<(String, Range<usize>)>, SyntaxError> {
    scan(text, at, |scanner| {
        let mut found: Vec<(String, Range<usize>)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        if !scanner.eat(b'{') {
            return Err("expected an object");
        }
        scanner.space();
        if scanner.eat(b'}') {
            return Ok(found);
        }
        loop {
            scanner.space();
            let start = scanner.at;
            let (name, lone) = scanner.member_name()?;
            if lone {
                scanner.at = start;
                return Err("half a surrogate pair in a member name");
            }
            if !seen.insert(name.clone()) {
                scanner.at = start;
                return Err("a second member of the same name");
            }
            found.push((name, value(scanner)?));
            if !scanner.more(true)? {
                return Ok(found);
            }
        }
    })
}

fn value(scanner: &mut Scanner<'_>) -> Step<Range<usize>> {
    scanner.space();
    let start = scanner.at;
    scanner.skip_value()?;
    let end = scanner.at;
    scanner.space();
    Ok(start..end)
}

fn scan<T>(
    text: &str,
    at: usize,
    step: impl FnOnce(&mut Scanner<'_>) -> Step<T>,
) -> Result<T, SyntaxError> {
    let mut scanner = Scanner::new(text.as_bytes(), at);
    step(&mut scanner).map_err(|message| SyntaxError::at(text.as_bytes(), scanner.at, message))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_one_after_another_keep_their_bytes() {
        let text = " {\"a\" : [1 , 2]}\r\n[]\n\"x\" 1.50";
        let mut at = 0;
        let mut found = Vec::new();
        while let Some(range) = next_value(text, at).unwrap() {
            at = range.end;
            found.push(&text[range]);
        }
        assert_eq!(found, ["{\"a\" : [1 , 2]}", "[]", "\"x\"", "1.50"]);
    }

    #[test]
    fn elements_and_members_are_cut_at_their_edges() {
        let text = r#"{ "a\u0062" : [ 1 , {"x" : [] } ] , "c":null }"#;
        let members = members(text, 0).unwrap();
        assert_eq!(members[0].0, "ab");
        assert_eq!(&text[members[0].1.clone()], r#"[ 1 , {"x" : [] } ]"#);
        assert_eq!(&text[members[1].1.clone()], "null");
        let elements = elements(text, members[0].1.start).unwrap();
        assert_eq!(&text[elements[1].clone()], r#"{"x" : [] }"#);
    }

    #[test]
    fn an_envelope_with_two_members_of_one_name_is_refused_at_the_second() {
        let error = members(r#"{"tools":[],"too\u006cs":[]}"#, 0).unwrap_err();
        assert_eq!(error.message, "a second member of the same name");
        assert_eq!(error.offset, 12);
    }

    #[test]
    fn a_broken_value_is_refused_with_its_place_in_the_whole_text() {
        let error = next_value("{}\n{\"a\": NaN}", 2).unwrap_err();
        assert_eq!((error.line, error.column), (2, 7));
        assert_eq!(error.message, "expected a value");
    }

    proptest! {
        /// One grammar: what the splitter skips is what the parser reads, and the other way round.
        #[test]
        fn the_splitter_and_the_parser_accept_the_same_texts(
            text in r#"[\[\]{}",:\\u0019a.eE+ \-truefalsn]{0,24}"#
        ) {
            let parsed = super::super::parse(text.as_bytes(), &super::super::Limits::default());
            let whole = match next_value(&text, 0) {
                Ok(Some(range)) => text[range.end..].trim_matches([' ', '\t', '\r', '\n']).is_empty(),
                _ => false,
            };
            prop_assert_eq!(parsed.is_ok(), whole);
        }
    }
}
