//! A command that prints headers (`headersHelper`): how to run it, and what its output means.
//!
//! Pure: the transport starts it, never through a shell.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Secret;
use crate::error::{Error, Result};
use crate::json::{Limits, Value};

/// A command that prints a JSON object of header names and values.
#[derive(Debug, Clone)]
pub struct HeadersHelper {
    /// The program, looked up through `PATH`.
    pub program: String,
    /// Its arguments.
    pub args: Vec<Secret>,
    /// Its whole environment.
    pub env: BTreeMap<String, Secret>,
    /// Its working folder.
    pub cwd: PathBuf,
}

impl HeadersHelper {
    /// The headers in what the command printed, their names in small letters. No message repeats
    /// what it printed.
    pub fn headers(output: &[u8]) -> Result<BTreeMap<String, Secret>> {
        let wrong = |what: &str| {
            Error::config(format!("the `headersHelper` printed {what}"))
                .help("it must print one JSON object of header names and string values")
        };
        let document =
            crate::json::parse(output, &Limits::default()).map_err(|_| wrong("no JSON"))?;
        let Some(Value::Object(members)) = document.sound() else {
            return Err(wrong("no JSON object, or one with a name twice"));
        };
        members
            .iter()
            .map(|(name, value)| {
                let name = name.to_ascii_lowercase();
                match value.as_str() {
                    Some(value) if is_header(&name, value) => Ok((name, Secret::credential(value))),
                    _ => Err(wrong("a header that is none")),
                }
            })
            .collect()
    }
}

/// Whether a name and a value can be sent (RFC 9110, sections 5.1 and 5.5).
pub(super) fn is_header(name: &str, value: &str) -> bool {
    is_header_name(name) && !value.contains(['\r', '\n', '\0'])
}

/// Whether `name` is a token of RFC 9110, section 5.6.2.
pub(super) fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// The words of a command line, with single and double quotes and backslashes as a POSIX shell has
/// them; none when a quote is open. Anything else that a shell would act on is plain text.
pub(super) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_as_a_shell_would_and_never_run_by_one() {
        let split = |line: &str| words(line).unwrap_or_else(|| vec!["open".to_owned()]);
        assert_eq!(
            split("./get  --for 'a b' \"c \\\"d\\\"\" e\\ f ''"),
            ["./get", "--for", "a b", "c \"d\"", "e f", ""]
        );
        assert_eq!(
            split("x; rm -rf $HOME | y"),
            ["x;", "rm", "-rf", "$HOME", "|", "y"]
        );
        for open in ["'a", "\"a", "a\\"] {
            assert_eq!(words(open), None);
        }
    }

    #[test]
    fn headers_are_read_and_a_wrong_output_is_never_repeated() {
        let headers = HeadersHelper::headers(b"{\"Authorization\": \"Bearer s3cr3t\"}").unwrap();
        assert!(headers["authorization"].is_credential());
        assert_eq!(headers["authorization"].expose(), "Bearer s3cr3t");
        for output in [
            "s3cr3t",
            "[\"s3cr3t\"]",
            "{\"a\": 1, \"b\": \"s3cr3t\"}",
            "{\"a\": \"s3cr3t\\r\\nx: y\"}",
            "{\"s3cr3t x\": \"1\"}",
            "{\"a\": \"1\", \"a\": \"s3cr3t\"}",
        ] {
            let error = HeadersHelper::headers(output.as_bytes()).unwrap_err();
            assert!(!format!("{error:?}").contains("s3cr3t"), "{error:?}");
        }
    }
}
