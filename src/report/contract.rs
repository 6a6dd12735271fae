//! A lockfile for reading: a line for each fact of a contract, words a sentence a line.
//!
//! Pure. Made for `git diff` (a text conversion): what did not change gives the same lines wherever
//! it stands, so nothing here depends on a terminal, on colour or on the other items. Each line
//! begins with something of our own, and each block ends with the digest, so that no difference
//! between two contracts can hide.

use std::fmt::Write as _;

use crate::config::Target;
use crate::json::{Pointer, Value};
use crate::lock::{Entry, Lockfile, PinnedItem};

use super::{sanitize, spot, value};

/// Characters of a line of words, and of a list before it is broken up.
const WIDTH: usize = 92;

/// `lockfile` as text for a person; the same lockfile gives the same text everywhere.
pub fn render_lockfile(lockfile: &Lockfile) -> String {
    let mut page = Page::default();
    for entry in &lockfile.entries {
        page.server(entry);
        for item in &entry.items {
            page.item(entry, item);
        }
    }
    page.out
}

/// The text as it grows.
#[derive(Default)]
struct Page {
    out: String,
}

impl Page {
    fn server(&mut self, entry: &Entry) {
        self.heading(&format!("server {}", name_of(entry)));
        match &entry.launch.target {
            Target::Command(words) => self.list("command", words),
            Target::Url { url, headers } => {
                self.fact("url", &quoted(url));
                for (header, template) in headers {
                    self.fact(&format!("header {header}"), &quoted(template));
                }
            }
        }
        if let Some(cwd) = &entry.launch.cwd {
            self.fact("cwd", &quoted(cwd));
        }
        if !entry.launch.env.is_empty() {
            self.list("env", &entry.launch.env);
        }
        for (variable, text) in &entry.launch.env_values {
            self.fact(&format!("env {variable}"), &quoted(text));
        }
        self.fact("protocol", entry.protocol.as_str());
        if !entry.capabilities.is_empty() {
            self.list("capabilities", &entry.capabilities);
        }
        if let Some(implementation) = &entry.implementation {
            self.fact("implementation", &quoted(implementation));
        }
        for volatile in &entry.volatile {
            let place = format!("volatile {} {}", volatile.item, volatile.pointer);
            self.fact(&place, &quoted(&volatile.pattern));
        }
        if let Some(instructions) = &entry.instructions {
            self.text("instructions", &instructions.text);
            self.fact("instructions digest", &instructions.digest.to_string());
        }
    }

    fn item(&mut self, entry: &Entry, item: &PinnedItem) {
        let kind = item.kind.word().replace('_', " ");
        let key = sanitize::literal(&item.key);
        self.heading(&format!("{kind} `{key}` of server {}", name_of(entry)));
        self.value(&Pointer::root(), &item.value);
        self.fact("contract digest", &item.contract.to_string());
    }

    fn heading(&mut self, text: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A value at `pointer`: an object or list of objects member by member, anything else as a fact.
    fn value(&mut self, pointer: &Pointer, value: &Value) {
        match value {
            Value::Object(object) if !object.is_empty() => {
                for (key, member) in object.iter() {
                    self.value(&pointer.key(key), member);
                }
            }
            Value::Array(items) if items.iter().any(is_container) => {
                for (at, element) in items.iter().enumerate() {
                    self.value(&pointer.key(&at.to_string()), element);
                }
            }
            Value::Array(items) => {
                let elements: Vec<String> = items.iter().map(value::spaced).collect();
                self.elements(&place(pointer), &elements);
            }
            Value::String(text) => self.text(&place(pointer), text),
            scalar => self.fact(&place(pointer), &value::spaced(scalar)),
        }
    }

    fn list(&mut self, place: &str, words: &[String]) {
        let elements: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        self.elements(place, &elements);
    }

    /// A list on one line, or an element a line.
    fn elements(&mut self, place: &str, elements: &[String]) {
        let line = format!("[{}]", elements.join(", "));
        if line.chars().count() <= WIDTH {
            return self.fact(place, &line);
        }
        self.fact(place, "");
        for element in elements {
            self.quote(element);
        }
    }

    /// Words a sentence a line; a name, a pattern or an address as JSON.
    fn text(&mut self, place: &str, text: &str) {
        if !text.contains(char::is_whitespace) {
            return self.fact(place, &quoted(text));
        }
        self.fact(place, "");
        for line in text.split_inclusive('\n') {
            for piece in sentences(line) {
                self.quote(&sanitize::literal(piece));
            }
        }
    }

    fn fact(&mut self, place: &str, text: &str) {
        let place = sanitize::terminal(place);
        let gap = if text.is_empty() { "" } else { " " };
        // Writing to a string can't fail.
        let _ = writeln!(self.out, "  {place}:{gap}{}", sanitize::terminal(text));
    }

    fn quote(&mut self, text: &str) {
        let _ = writeln!(self.out, "    │ {text}");
    }
}

fn name_of(entry: &Entry) -> String {
    let name = format!("`{}`", sanitize::literal(entry.name.as_str()));
    match &entry.profile {
        Some(profile) => format!("{name} ({})", sanitize::literal(profile)),
        None => name,
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

/// A string as JSON, so that where it begins and ends is seen.
fn quoted(text: &str) -> String {
    value::spaced(&Value::String(text.to_owned()))
}

/// A place in words; keywords of the arguments as a whole are told from members of the item.
fn place(pointer: &Pointer) -> String {
    let spot = spot::spot(pointer);
    let words = if spot.path.is_empty() && pointer.as_str().starts_with("/inputSchema/") {
        format!("arguments ({})", spot.member)
    } else {
        spot.words()
    };
    sanitize::literal(&words)
}

/// `line` cut after each sentence, and where it is wider than a line; each cut between two lines
/// takes the place of one space.
fn sentences(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(at) = cut(rest) {
        pieces.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    pieces.push(rest);
    pieces
}

/// The space at which the first line of `text` ends; none where all of it fits in one.
fn cut(text: &str) -> Option<usize> {
    let mut last_space = None;
    let mut before = ' ';
    for (count, (at, c)) in text.char_indices().enumerate() {
        if c == ' ' {
            if matches!(before, '.' | '!' | '?' | ':' | ';') {
                return Some(at);
            }
            if count > WIDTH {
                return last_space.or(Some(at));
            }
            last_space = Some(at);
        }
        before = c;
    }
    last_space.filter(|_| text.chars().count() > WIDTH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Limits, parse};

    fn shown(definition: &str) -> String {
        let mut page = Page::default();
        let value = parse(definition.as_bytes(), &Limits::default())
            .unwrap()
            .value;
        page.value(&Pointer::root(), &value);
        page.out
    }

    #[test]
    fn a_contract_is_a_line_for_each_fact_and_a_line_for_each_sentence() {
        let text = shown(
            r#"{"description":"Look things up. Slow: be patient.\nNew line.","inputSchema":
            {"properties":{"limit":{"maximum":50,"type":"integer"},"q":{"type":["string","null"]}},
            "required":["q"],"type":"object"},"name":"look up","annotations":{}}"#,
        );
        assert_eq!(
            text,
            "  description:\n    │ Look things up.\n    │ Slow:\n    │ be patient.⏎\n    │ New \
             line.\n  limit (maximum): 50\n  limit (type): \"integer\"\n  q (type): [\"string\", \
             \"null\"]\n  arguments (required): [\"q\"]\n  arguments (type): \"object\"\n  name:\n    \
             │ look up\n  annotations: {}\n"
        );
    }

    #[test]
    fn one_changed_sentence_is_one_changed_line() {
        let long =
            "Sentence one of the text. Sentence two of the text. Sentence three. ".repeat(20);
        let old = shown(&serde_json::json!({ "description": long }).to_string());
        let changed = long.replacen("two", "2", 1);
        let new = shown(&serde_json::json!({ "description": changed }).to_string());
        let differing = old.lines().zip(new.lines()).filter(|(a, b)| a != b).count();
        assert_eq!((differing, old.lines().count()), (1, new.lines().count()));
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_begins_with_a_server_s_text(text in any::<String>()) {
            let page = shown(&serde_json::json!({ "a": text, text.clone(): text }).to_string());
            for line in page.lines() {
                prop_assert!(line.starts_with("  "), "{line:?}");
                prop_assert!(!line.chars().any(crate::text::is_hidden), "{line:?}");
                prop_assert!(!line.trim_start().starts_with("::"), "{line:?}");
            }
            let pieces: Vec<&str> = text.split_inclusive('\n').flat_map(sentences).collect();
            let kept: usize = pieces.iter().map(|piece| piece.len()).sum();
            let cuts: usize = text.split_inclusive('\n').map(|line| sentences(line).len() - 1).sum();
            prop_assert_eq!(kept + cuts, text.len());
        }
    }
}
