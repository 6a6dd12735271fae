//! One `[[server]]` table (`docs/lockfile.md`, section 1.1).

use toml::de::DeTable;

use crate::config::{Launch, ServerName, Target};
use crate::error::Result;
use crate::json::{Limits, Value, parse};
use crate::protocol::{Kind, Revision};
use crate::text::visible;

use super::fields::{Fields, Text};
use super::item;
use super::lines::Lines;
use crate::lock::build::{sorted_set, text_digest};
use crate::lock::encode::text_value;
use crate::lock::{Entry, PinnedItem, PinnedText, Volatile, Words};

const KEYS: [&str; 18] = [
    "name",
    "profile",
    "command",
    "url",
    "headers",
    "cwd",
    "env",
    "env_values",
    "protocol",
    "capabilities",
    "implementation",
    "instructions",
    "instructions_text",
    "volatile",
    "tool",
    "prompt",
    "resource",
    "resource_template",
];

/// An entry, still without its items, and where the tables stand.
pub(super) struct ReadEntry {
    pub(super) entry: Entry,
    /// Offset of the header.
    pub(super) header: usize,
    /// The items, each with the offset of its header.
    pub(super) items: Vec<(PinnedItem, usize)>,
}

/// Reads a server and its items.
pub(super) fn read(table: &DeTable<'_>, header: usize, lines: &Lines<'_>) -> Result<ReadEntry> {
    // The name first, so that every other message can say whose it is.
    let claimed = table
        .get("name")
        .and_then(|value| value.get_ref().as_str())
        .unwrap_or_default();
    read_named(table, header, lines).map_err(|error| {
        if claimed.is_empty() {
            error
        } else {
            error.for_server(claimed)
        }
    })
}

fn read_named(table: &DeTable<'_>, header: usize, lines: &Lines<'_>) -> Result<ReadEntry> {
    let fields = Fields::new(table, header, lines, &KEYS)?;
    let name = fields.required("name")?;
    let name = ServerName::new(name.value)
        .map_err(|message| fields.error(name.span.start, visible(&message)))?;
    let profile = match fields.text("profile")? {
        None => None,
        Some(text) => {
            // The same rules hold for both.
            ServerName::new(text.value).map_err(|message| {
                fields.error(text.span.start, format!("`profile`: {}", visible(&message)))
            })?;
            Some(text.value.to_owned())
        }
    };
    let protocol = fields.required("protocol")?;
    let protocol = Revision::parse(protocol.value).ok_or_else(|| {
        fields
            .error(
                protocol.span.start,
                format!("unknown protocol revision `{}`", visible(protocol.value)),
            )
            .help("update mcplock, or pin the server again")
    })?;
    let entry = Entry {
        name,
        profile,
        launch: launch(&fields)?,
        protocol,
        capabilities: sorted_set(&fields.list("capabilities")?),
        implementation: fields
            .text("implementation")?
            .map(|text| text.value.to_owned()),
        instructions: instructions(&fields, lines)?,
        volatile: volatile(&fields)?,
        items: Vec::new(),
        line: lines.of(header).0,
    };
    let mut items: Vec<(PinnedItem, usize)> = Vec::new();
    for kind in Kind::ALL {
        let mut seen = std::collections::BTreeMap::new();
        for (table, header) in fields.tables(kind.word())? {
            let item = item::read(kind, table, header, lines)?;
            if let Some(first) = seen.insert(item.key.clone(), item.line) {
                return Err(lines
                    .error(header, format!("it is here twice, first in line {first}"))
                    .for_item(&item.label())
                    .help("delete the wrong one, and run `mcplock pin`"));
            }
            items.push((item, header));
        }
    }
    Ok(ReadEntry {
        entry,
        header,
        items,
    })
}

fn launch(fields: &Fields<'_>) -> Result<Launch> {
    let target = match (fields.has("command"), fields.text("url")?) {
        (true, None) => {
            let words = fields.list("command")?;
            if words.first().is_none_or(String::is_empty) {
                return Err(fields.error_at("command", "`command` names no program"));
            }
            if fields.has("headers") {
                return Err(fields.error_at("headers", "`headers` belong to a `url`"));
            }
            Target::Command(words)
        }
        (false, Some(url)) => Target::Url {
            url: url.value.to_owned(),
            headers: fields.map("headers")?,
        },
        (true, Some(url)) => {
            return Err(fields.error(url.span.start, "a server has `command` or `url`, not both"));
        }
        (false, None) => return Err(fields.error_here("`command` or `url` is missing")),
    };
    Ok(Launch {
        target,
        cwd: fields.text("cwd")?.map(|text| text.value.to_owned()),
        env: sorted_set(&fields.list("env")?),
        env_values: fields.map("env_values")?,
    })
}

fn instructions(fields: &Fields<'_>, lines: &Lines<'_>) -> Result<Option<PinnedText>> {
    let (written, text) = match (
        fields.text("instructions")?,
        fields.text("instructions_text")?,
    ) {
        (None, None) => return Ok(None),
        (Some(digest), Some(text)) => (digest, text),
        (Some(_), None) => {
            return Err(fields.error_at(
                "instructions",
                "`instructions` stands without `instructions_text`",
            ));
        }
        (None, Some(_)) => {
            return Err(fields.error_at(
                "instructions_text",
                "`instructions_text` stands without `instructions`",
            ));
        }
    };
    let digest = item::digest(fields, "instructions", &written)?;
    let text = instructions_text(fields, &text, lines)?;
    if text_digest(&text) != digest {
        return Err(fields.error(
            written.span.start,
            "the instructions do not match their digest: one of the two was edited or badly merged",
        ));
    }
    Ok(Some(PinnedText { digest, text }))
}

fn instructions_text(fields: &Fields<'_>, text: &Text<'_>, lines: &Lines<'_>) -> Result<String> {
    let refused = |what: &str| fields.error(text.span.start, what);
    let document = parse(text.value.as_bytes(), &Limits::default())
        .map_err(|_| refused("`instructions_text` is not one JSON string in three apostrophes"))?;
    match document.sound() {
        Some(Value::String(parsed)) => {
            let expected = text_value(parsed);
            item::refuse_other_layout(fields, "instructions_text", text, &expected, lines)?;
            Ok(parsed.clone())
        }
        _ => Err(refused(
            "`instructions_text` is not one JSON string in three apostrophes",
        )),
    }
}

fn volatile(fields: &Fields<'_>) -> Result<Vec<Volatile>> {
    fields
        .inline_tables("volatile", &["item", "pointer", "pattern"])?
        .iter()
        .map(|rule| {
            let text = |key| Ok(rule.required(key)?.value.to_owned());
            let written = Volatile {
                item: text("item")?,
                pointer: text("pointer")?,
                pattern: text("pattern")?,
            };
            Words::compile(std::slice::from_ref(&written))
                .map_err(|error| rule.error_here(error.message()))?;
            Ok(written)
        })
        .collect()
}
