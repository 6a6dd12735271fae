//! The tables of `docs/faults.md`, read: what they promise is what the tests look for.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

/// A row of a table of faults.
#[derive(Debug)]
pub(crate) struct DocRow {
    /// The heading above the table.
    pub(crate) section: String,
    /// Its first cell, as plain text.
    pub(crate) fault: String,
    /// The messages in its second cell; nothing where the fault has none.
    pub(crate) messages: Vec<Message>,
    /// Its third cell.
    pub(crate) exit: Exit,
}

/// A message as the docs print it, with placeholders.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) printed: String,
    pub(crate) pattern: Regex,
}

/// What a fault does to the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The run ends with this code, and the message is an error.
    Code(i32),
    /// The run ends well, and the message is a remark.
    Told,
    /// The run ends well without a word.
    None,
}

/// Every row of every table of faults.
pub(crate) fn rows() -> Vec<DocRow> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/faults.md");
    let text = std::fs::read_to_string(file).unwrap();
    let mut rows = Vec::new();
    let (mut section, mut in_heading) = (String::new(), false);
    let mut cells: Vec<Cell> = Vec::new();
    let mut of_faults = false;
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                section.clear();
                in_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(Tag::TableHead | Tag::TableRow) => cells.clear(),
            Event::End(TagEnd::TableHead) => {
                let head: Vec<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
                of_faults = matches!(head[..], ["fault", _, "exit", "bound"]);
            }
            Event::End(TagEnd::TableRow) if of_faults => rows.push(row(&section, &cells)),
            Event::Start(Tag::TableCell) => cells.push(Cell::default()),
            Event::Text(words) | Event::Code(words) if in_heading => section.push_str(&words),
            Event::Text(words) => {
                if let Some(cell) = cells.last_mut() {
                    cell.text.push_str(&words);
                }
            }
            Event::Code(words) => {
                if let Some(cell) = cells.last_mut() {
                    cell.text.push_str(&words);
                    cell.codes.push(words.to_string());
                }
            }
            _ => {}
        }
    }
    assert!(rows.len() > 80, "only {} rows were read", rows.len());
    rows
}

#[derive(Debug, Default)]
struct Cell {
    text: String,
    codes: Vec<String>,
}

fn row(section: &str, cells: &[Cell]) -> DocRow {
    let [fault, message, exit, _] = cells else {
        panic!("a row of {section} has not four cells: {cells:?}");
    };
    let messages = if message.text.starts_with("none") {
        Vec::new()
    } else {
        message.codes.iter().map(|printed| of(printed)).collect()
    };
    let exit = match exit.text.as_str() {
        "told" => Exit::Told,
        "–" => Exit::None,
        code => Exit::Code(code.parse().unwrap()),
    };
    assert_eq!(
        messages.is_empty(),
        exit == Exit::None,
        "{section}, {}: a message and an exit code that do not fit",
        fault.text
    );
    DocRow {
        section: section.to_owned(),
        fault: fault.text.clone(),
        messages,
        exit,
    }
}

/// The message that stands in the docs as `printed`.
fn of(printed: &str) -> Message {
    let holes = Regex::new(r"…|/PATH|\b(?:NAME|ORIGIN|WHY|N|M)\b|\b[0-9]+\.[0-9] s\b").unwrap();
    let mut pattern = String::new();
    let mut last = 0;
    let printed = printed.trim();
    for hole in holes.find_iter(printed) {
        pattern.push_str(&regex::escape(&printed[last..hole.start()]));
        pattern.push_str(if hole.as_str() == "…" { ".*" } else { ".+" });
        last = hole.end();
    }
    pattern.push_str(&regex::escape(&printed[last..]));
    Message {
        printed: printed.to_owned(),
        pattern: Regex::new(&pattern).unwrap(),
    }
}

#[test]
fn placeholders_stand_for_something_and_all_else_for_itself() {
    let matches = |printed: &str, said: &str| of(printed).pattern.is_match(said);
    assert!(matches("N lines of NAME", "5 lines of `x`"));
    assert!(!matches("N lines of NAME", "lines of `x`"));
    assert!(matches("after 0.1 s, before", "after 12.3 s, before"));
    assert!(matches("after 60 s only", "after 60 s only"));
    assert!(!matches("after 60 s only", "after 61 s only"));
    assert!(matches(
        "it answered … with a (b)",
        "it answered `x` with a (b)"
    ));
    assert!(!matches("a.b", "axb"));
}
