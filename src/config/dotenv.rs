//! Files of variables (`envFile`): `NAME=value` by line.
//!
//! Pure. Nothing in them is expanded, and no message repeats a value.

use std::path::Path;

use super::Secret;
use super::document::Spot;
use super::fields::error_at;
use super::template::is_variable_name;
use crate::error::Result;

/// The variables of `text`, which stands in `file`; the last one of a name counts.
pub(super) fn parse(text: &str, file: &Path) -> Result<Vec<(String, Secret)>> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let spot = Spot {
            line: at + 1,
            column: 1,
        };
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").map_or(line, str::trim_start);
        let Some((name, value)) = line.split_once('=') else {
            return Err(error_at(file, spot, "a line without `=`"));
        };
        let name = name.trim_end();
        if !is_variable_name(name) {
            return Err(error_at(
                file,
                spot,
                "what stands before `=` is not the name of a variable",
            ));
        }
        let value = value.trim_start();
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => {
                let mut quoted = value[1..].to_owned();
                // A quoted value may go on over several lines.
                let end = loop {
                    if let Some(end) = closing(&quoted, quote) {
                        break end;
                    }
                    let Some((_, more)) = lines.next() else {
                        return Err(error_at(
                            file,
                            spot,
                            format!("`{name}` has no closing quote"),
                        ));
                    };
                    quoted.push('\n');
                    quoted.push_str(more);
                };
                quoted.truncate(end);
                if quote == '"' {
                    unescape(&quoted)
                } else {
                    quoted
                }
            }
            _ => value
                .find(" #")
                .map_or(value, |comment| &value[..comment])
                .trim_end()
                .to_owned(),
        };
        found.push((name.to_owned(), Secret::new(value)));
    }
    Ok(found)
}

/// Where the quoted text ends.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices()
        .find(|&(_, c)| {
            let ends = c == quote && !escaped;
            escaped = quote == '"' && c == '\\' && !escaped;
            ends
        })
        .map(|(at, _)| at)
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(c @ ('"' | '\\' | '$')) => out.push(c),
            Some(c) => out.extend(['\\', c]),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_comments_exports_and_several_lines_are_read() {
        let text = "# note\nA=1\r\nexport B = two words # note\nC=\"x\\n\\\"y\\\"\" # note\nD='${A} \\n'\nE=\"one\ntwo\"\nF=\nG=a#b\n";
        let found: Vec<(String, String)> = parse(text, Path::new(".env"))
            .unwrap()
            .into_iter()
            .map(|(name, value)| (name, value.expose().to_owned()))
            .collect();
        let expected = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "x\n\"y\""),
            ("D", "${A} \\n"),
            ("E", "one\ntwo"),
            ("F", ""),
            ("G", "a#b"),
        ];
        let expected: Vec<(String, String)> = expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_wrong_line_is_named_by_its_number_and_never_shown() {
        for text in ["A=1\ns3cr3t", "A=1\ns3 cr3t=1", "A=1\nB='s3cr3t"] {
            let error = parse(text, Path::new(".env")).unwrap_err();
            assert!(error.to_string().starts_with(".env:2:1: "), "{error}");
            assert!(!error.to_string().contains("cr3t"));
        }
    }
}
