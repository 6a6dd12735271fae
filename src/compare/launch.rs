//! How a server is started or reached, word by word.
//!
//! Works on launches as they are stored: templates, never values.

use crate::config::{Launch, REDACTED, Target};
use crate::json::{Object, Pointer, Value};

use super::change::{Change, ChangeKind};
use super::text::named;
use super::walk::differences;

/// Every word of the launch that changed. A redacted credential equals anything that stands in its
/// place.
pub(super) fn changes(old: &Launch, new: &Launch) -> Vec<Change> {
    let (a, b) = (value(old), value(new));
    differences(Some(&a), Some(&b), &Pointer::root())
        .into_iter()
        .filter(|found| match (found.old, found.new) {
            (Some(Value::String(old)), Some(Value::String(new))) => {
                !matches(old, new) && !matches(new, old)
            }
            _ => true,
        })
        .map(|found| {
            let subject = subject(&found.pointer, found.old, found.new);
            Change::new(ChangeKind::Launch, found.pointer, found.old, found.new)
                .about(subject)
                .by_policy()
        })
        .collect()
}

/// A launch as JSON, in which a pointer names a word. Names of variables are members, so that one
/// more of them is one difference.
fn value(launch: &Launch) -> Value {
    let text = |text: &String| Value::String(text.clone());
    let mut members = Vec::new();
    match &launch.target {
        Target::Command(words) => {
            members.push((
                "command".to_owned(),
                Value::Array(words.iter().map(text).collect()),
            ));
        }
        Target::Url { url, headers } => {
            let headers = headers
                .iter()
                .map(|(name, value)| (name.clone(), text(value)));
            members.push(("url".to_owned(), text(url)));
            members.push((
                "headers".to_owned(),
                Value::Object(Object::new(headers.collect())),
            ));
        }
    }
    members.extend(launch.cwd.iter().map(|cwd| ("cwd".to_owned(), text(cwd))));
    let env = launch
        .env
        .iter()
        .map(|name| (name.clone(), Value::Bool(true)));
    members.push(("env".to_owned(), Value::Object(Object::new(env.collect()))));
    let values = launch
        .env_values
        .iter()
        .map(|(name, value)| (name.clone(), text(value)));
    members.push((
        "env_values".to_owned(),
        Value::Object(Object::new(values.collect())),
    ));
    Value::Object(Object::new(members))
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

/// Whether `text` is `pattern`, in which each [`REDACTED`] stands for any text at all.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once(REDACTED) else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split(REDACTED).collect();
    let tail = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match text.find(piece) {
            Some(i) => text = &text[i + piece.len()..],
            None => return false,
        }
    }
    text.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

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
        assert_eq!(told(&template, &redacted), []);
        assert_eq!(told(&redacted, &redacted), []);
    }

    #[test]
    fn only_the_credential_is_a_wildcard() {
        let old = command(&["srv", "--token=<redacted>"]);
        let new = command(&["srv", "--user=${TOKEN}"]);
        assert_eq!(told(&old, &new).len(), 1);
        assert!(matches("a<redacted>b<redacted>c", "aXbYc"));
        assert!(!matches("a<redacted>bc", "ab"));
        assert!(!matches("ab<redacted>b", "ab"));
    }
}
