//! How a server is started or reached, word by word.
//!
//! Works on launches as they are stored: templates, never values.

use crate::config::Launch;
use crate::json::{Pointer, Value};

use super::change::{Change, ChangeKind};
use super::text::named;

/// Every word of the launch that changed. A pinned credential that was redacted equals what stands
/// in its place now.
pub(super) fn changes(old: &Launch, new: &Launch) -> Vec<Change> {
    old.differences(new)
        .into_iter()
        .map(|found| {
            let value = |word: Option<String>| word.map(Value::String);
            let pointer = Pointer::parse(&found.pointer).unwrap_or_default();
            let (old, new) = (value(found.old), value(found.new));
            let subject = subject(&pointer, old.as_ref(), new.as_ref());
            Change::new(ChangeKind::Launch, pointer, old.as_ref(), new.as_ref())
                .about(subject)
                .by_policy()
        })
        .collect()
}

/// What a word of the launch is called in a message.
fn subject(pointer: &Pointer, old: Option<&Value>, new: Option<&Value>) -> String {
    let tokens: Vec<String> = pointer.tokens().collect();
    let name = tokens.get(1).map_or_else(String::new, |name| named(name));
    match tokens.first().map(String::as_str) {
        Some("command") => match tokens.get(1).map(String::as_str) {
            Some("0") => "the program".to_owned(),
            Some(position) => format!("argument {position} of the command"),
            None if old.is_none() || new.is_none() => "whether it is a program or a URL".to_owned(),
            None => "the command".to_owned(),
        },
        Some("url") => "the URL".to_owned(),
        Some("headers") if tokens.len() > 1 => format!("header {name}"),
        Some("headers") => "the headers".to_owned(),
        Some("cwd") => "the working folder".to_owned(),
        Some("env") => format!("variable {name} that the config sets"),
        Some("env_values") => format!("the value of {name}"),
        _ => "the launch".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::Target;

    fn command(words: &[&str]) -> Launch {
        Launch {
            target: Target::Command(words.iter().map(|&word| word.to_owned()).collect()),
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        }
    }

    fn told(old: &Launch, new: &Launch) -> Vec<(String, Option<String>)> {
        changes(old, new)
            .into_iter()
            .map(|change| (change.pointer.to_string(), change.subject))
            .collect()
    }

    #[test]
    fn the_word_that_changed_is_named() {
        assert_eq!(
            told(
                &command(&["npx", "-y", "a@1"]),
                &command(&["npx", "-y", "a@2"])
            ),
            [(
                "/command/2".to_owned(),
                Some("argument 2 of the command".to_owned())
            )]
        );
        assert_eq!(
            told(&command(&["npx", "a"]), &command(&["bunx", "a"])),
            [("/command/0".to_owned(), Some("the program".to_owned()))]
        );
        let mut set = command(&["npx"]);
        set.env.push("TOKEN".to_owned());
        assert_eq!(
            told(&command(&["npx"]), &set),
            [(
                "/env/TOKEN".to_owned(),
                Some("variable `TOKEN` that the config sets".to_owned())
            )]
        );
    }

    #[test]
    fn a_redacted_credential_equals_whatever_stands_in_its_place() {
        let redacted = command(&["srv", "--token=<redacted>", "<redacted>"]);
        let template = command(&["srv", "--token=${TOKEN}", "secret"]);
        assert_eq!(told(&redacted, &template), []);
        assert_eq!(told(&redacted, &redacted), []);
    }

    #[test]
    fn only_the_credential_is_a_wildcard() {
        let old = command(&["srv", "--token=<redacted>"]);
        let new = command(&["srv", "--user=${TOKEN}"]);
        assert_eq!(told(&old, &new).len(), 1);
    }
}
