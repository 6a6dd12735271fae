//! The one byte form of a lockfile (`docs/lockfile.md`, sections 3 to 5).
//!
//! Pure. Its own writer, since a TOML library would choose the form of a string by its content and
//! write hidden characters raw.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::canonical::{self, number};
use crate::config::{ServerName, Target};
use crate::json::Value;
use crate::protocol::Kind;
use crate::text::is_hidden;

use super::{Entry, Lockfile, PinnedItem, VERSION, Volatile};

/// The lockfile that holds exactly `lockfile`; entries and items are put in order.
pub fn encode(lockfile: &Lockfile) -> String {
    let mut out = head();
    for entry in in_order(&lockfile.entries, Entry::identity) {
        push_block(&mut out, &server_block(entry));
        for item in in_order(&entry.items, PinnedItem::identity) {
            push_block(&mut out, &item_block(item));
        }
    }
    out
}

/// What stands above the first table.
pub(super) fn head() -> String {
    format!(
        "# Written by mcplock. Review it like code; change it with `mcplock pin`.\n\
         version = {VERSION}\n"
    )
}

/// Adds a table, which ends with a newline, after a blank line.
pub(super) fn push_block(out: &mut String, block: &str) {
    out.push('\n');
    out.push_str(block);
}

/// The elements by their identity.
pub(super) fn in_order<'a, T, K: Ord>(
    elements: &'a [T],
    identity: impl Fn(&'a T) -> K,
) -> Vec<&'a T> {
    let mut sorted: Vec<&T> = elements.iter().collect();
    sorted.sort_by_key(|element| identity(element));
    sorted
}

/// A `[[server]]` table without its items.
pub(super) fn server_block(entry: &Entry) -> String {
    let mut out = String::from("[[server]]\n");
    member(&mut out, "name", &basic(entry.name.as_str()));
    if let Some(profile) = &entry.profile {
        member(&mut out, "profile", &basic(profile));
    }
    match &entry.launch.target {
        Target::Command(words) => list(&mut out, "command", words),
        Target::Url { url, headers } => {
            member(&mut out, "url", &basic(url));
            inline_table(&mut out, "headers", headers);
        }
    }
    if let Some(cwd) = &entry.launch.cwd {
        member(&mut out, "cwd", &basic(cwd));
    }
    list(&mut out, "env", &entry.launch.env);
    inline_table(&mut out, "env_values", &entry.launch.env_values);
    member(&mut out, "protocol", &basic(entry.protocol.as_str()));
    list(&mut out, "capabilities", &entry.capabilities);
    if let Some(implementation) = &entry.implementation {
        member(&mut out, "implementation", &basic(implementation));
    }
    if let Some(instructions) = &entry.instructions {
        member(
            &mut out,
            "instructions",
            &basic(&instructions.digest.to_string()),
        );
        member(
            &mut out,
            "instructions_text",
            &text_value(&instructions.text),
        );
    }
    volatile(&mut out, &entry.volatile);
    out
}

/// The table of one item.
pub(super) fn item_block(item: &PinnedItem) -> String {
    let mut out = format!("[[server.{}]]\n", item.kind);
    member(&mut out, key_name(item.kind), &basic(&item.key));
    for (key, digest) in [
        ("contract", Some(item.contract)),
        ("schema", item.schema),
        ("description", item.description),
    ] {
        if let Some(digest) = digest {
            member(&mut out, key, &basic(&digest.to_string()));
        }
    }
    member(&mut out, "definition", &definition_value(&item.value));
    out
}

/// The key that names an item of `kind` in the lockfile.
pub(super) fn key_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool | Kind::Prompt => "name",
        Kind::Resource => "uri",
        Kind::ResourceTemplate => "uri_template",
    }
}

/// The value of `definition`, delimiters included.
pub(super) fn definition_value(value: &Value) -> String {
    format!("'''\n{}'''", layout(value))
}

/// The value of `instructions_text`, delimiters included.
pub(super) fn text_value(text: &str) -> String {
    let mut out = String::from("'''");
    json_string(&mut out, text);
    out.push_str("'''");
    out
}

/// The layout of a definition: the canonical form of `value`, one member or element a line, hidden
/// characters and runs of apostrophes escaped, a newline at the end.
pub fn layout(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, 0);
    out.push('\n');
    out
}

fn write_value(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(n) => out.push_str(&number::canonical(n.as_str())),
        Value::String(text) => json_string(out, text),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                next_line(out, i > 0, depth + 1);
                write_value(out, item, depth + 1);
            }
            next_line(out, false, depth);
            out.push(']');
        }
        Value::Object(object) if object.is_empty() => out.push_str("{}"),
        Value::Object(object) => {
            out.push('{');
            for (i, (key, member)) in canonical::sorted(object).iter().enumerate() {
                next_line(out, i > 0, depth + 1);
                json_string(out, key);
                out.push_str(": ");
                write_value(out, member, depth + 1);
            }
            next_line(out, false, depth);
            out.push('}');
        }
    }
}

fn next_line(out: &mut String, comma: bool, depth: usize) {
    if comma {
        out.push(',');
    }
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// A JSON string that can stand in a TOML literal string.
fn json_string(out: &mut String, text: &str) {
    let mut plain = String::with_capacity(text.len() + 2);
    canonical::write_string(&mut plain, text);
    let mut rest = plain.as_str();
    while let Some(c) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches('\'').len();
        if run >= 3 {
            out.extend(std::iter::repeat_n("\\u0027", run));
        } else if run > 0 {
            out.push_str(&rest[..run]);
        } else if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
        rest = &rest[run.max(c.len_utf8())..];
    }
}

fn member(out: &mut String, key: &str, value: &str) {
    out.push_str(key);
    out.push_str(" = ");
    out.push_str(value);
    out.push('\n');
}

fn list(out: &mut String, key: &str, words: &[String]) {
    if !words.is_empty() {
        let words: Vec<String> = words.iter().map(|word| basic(word)).collect();
        member(out, key, &format!("[{}]", words.join(", ")));
    }
}

fn inline_table(out: &mut String, key: &str, members: &BTreeMap<String, String>) {
    if !members.is_empty() {
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("{} = {}", toml_key(name), basic(value)))
            .collect();
        member(out, key, &format!("{{ {} }}", members.join(", ")));
    }
}

fn volatile(out: &mut String, rules: &[Volatile]) {
    if rules.is_empty() {
        return;
    }
    let mut value = String::from("[\n");
    for rule in rules {
        value.push_str("  { item = ");
        value.push_str(&basic(&rule.item));
        value.push_str(", pointer = ");
        value.push_str(&basic(&rule.pointer));
        value.push_str(", pattern = ");
        value.push_str(&basic(&rule.pattern));
        value.push_str(" },\n");
    }
    value.push(']');
    member(out, "volatile", &value);
}

/// Volatile words as they are written into `mcplock.toml`: the `[[server]]` table of one server,
/// with a newline at the end.
pub fn volatile_entries(name: &ServerName, profile: Option<&str>, rules: &[Volatile]) -> String {
    let mut out = String::from("[[server]]\n");
    member(&mut out, "name", &basic(name.as_str()));
    if let Some(profile) = profile {
        member(&mut out, "profile", &basic(profile));
    }
    volatile(&mut out, rules);
    out
}

fn toml_key(name: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !name.is_empty() && name.bytes().all(bare) {
        name.to_owned()
    } else {
        basic(name)
    }
}

/// A TOML basic string on one line.
fn basic(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c if is_hidden(c) => {
                let code = u32::from(c);
                let _ = if code > 0xffff {
                    write!(out, "\\U{code:08x}")
                } else {
                    write!(out, "\\u{code:04x}")
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn laid_out(json: &str) -> String {
        layout(&parse(json.as_bytes(), &Limits::default()).unwrap().value)
    }

    #[test]
    fn empty_containers_stay_on_one_line_and_members_are_sorted() {
        assert_eq!(
            laid_out(r#"{"b":[],"a":{},"c":[1.0,[null,true]]}"#),
            "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    1,\n    [\n      null,\n      true\n    ]\n  ]\n}\n"
        );
    }

    #[test]
    fn one_or_two_apostrophes_stand_raw_and_a_longer_run_is_escaped_whole() {
        assert_eq!(laid_out(r#""'a''""#), "\"'a''\"\n");
        assert_eq!(laid_out(r#""'''a''""#), "\"\\u0027\\u0027\\u0027a''\"\n");
        assert_eq!(
            laid_out(r#""'\u200b''''""#),
            "\"'\\u200b\\u0027\\u0027\\u0027\\u0027\"\n"
        );
    }

    #[test]
    fn hidden_characters_are_escaped_and_letters_are_not() {
        assert_eq!(
            laid_out("\"Я తె 🙂 \u{202e} \u{e0041} \u{7f} \\n \\u0001 \u{fffc}\""),
            "\"Я తె 🙂 \\u202e \\udb40\\udc41 \\u007f \\n \\u0001 \u{fffc}\"\n"
        );
        assert_eq!(
            basic("a\"\\\n\u{1b}\u{202e}\u{e0041}é"),
            r#""a\"\\\n\u001b\u202e\U000e0041é""#
        );
    }

    #[test]
    fn keys_of_inline_tables_are_bare_only_when_toml_allows_it() {
        assert_eq!(toml_key("NODE_OPTIONS"), "NODE_OPTIONS");
        assert_eq!(toml_key("X-Api-Key"), "X-Api-Key");
        assert_eq!(toml_key(""), "\"\"");
        assert_eq!(toml_key("a.b"), "\"a.b\"");
        assert_eq!(toml_key("é"), "\"é\"");
    }
}
