//! A config file as a tree in which every value and every member knows its line and column.
//!
//! JSON, JSON with comments and TOML become the same tree, so that one reader serves all. Has no
//! `Debug`: a config may hold credentials.

use std::path::Path;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, ErrorKind, Result};
use crate::json::{DefectKind, Limits};

/// How large a config file may be, in bytes.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A place in a file, from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// Line.
    pub(super) line: usize,
    /// Column.
    pub(super) column: usize,
}

/// A value and where it begins.
pub(super) struct Node {
    /// Where.
    pub(super) spot: Spot,
    /// What.
    pub(super) data: Data,
}

/// A value.
pub(super) enum Data {
    /// `null`
    Null,
    /// A boolean.
    Flag(bool),
    /// A number, as it is spelled.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object or table.
    Table(Vec<Member>),
    /// A date or time (TOML).
    Date,
}

/// A member of an object or table.
pub(super) struct Member {
    /// Its name.
    pub(super) name: String,
    /// Where the name begins.
    pub(super) spot: Spot,
    /// Its value.
    pub(super) node: Node,
}

/// Which kind of text a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// RFC 8259 to the letter: the client loads nothing else.
    Json,
    /// JSON with comments and trailing commas.
    JsonWithComments,
    /// TOML.
    Toml,
}

impl Node {
    /// What it is, for a message.
    pub(super) fn type_name(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Flag(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Table(_) => "a table",
            Data::Date => "a date",
        }
    }

    /// The member called `name`, if this is a table that has one.
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        match &self.data {
            Data::Table(members) => members.iter().find(|member| member.name == name),
            _ => None,
        }
    }
}

/// Reads the file at `path`, at most [`MAX_BYTES`] of it, as UTF-8 without a byte order mark.
pub(super) fn read_text(path: &Path) -> Result<String> {
    use std::io::Read as _;

    let io = |error: std::io::Error| Error::io(path, "read the config", &error);
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(io)?;
    if u64::try_from(bytes.len()).is_ok_and(|size| size > MAX_BYTES) {
        return Err(Error::new(
            ErrorKind::File,
            format!("a config file has at most {} MiB", MAX_BYTES / 1024 / 1024),
        )
        .in_file(path));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good]
            .iter()
            .filter(|&&b| b == b'\n')
            .count()
            + 1;
        Error::config("invalid UTF-8")
            .in_file(path)
            .at_line(line, None)
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Parses `text`, which stands in `file`.
pub(super) fn parse(text: &str, syntax: Syntax, file: &Path) -> Result<Node> {
    let lines = Lines::new(text);
    let node = match syntax {
        Syntax::Json => {
            strict(text, file)?;
            jsonc(text, file, &lines)?
        }
        Syntax::JsonWithComments => jsonc(text, file, &lines)?,
        Syntax::Toml => toml(text, file, &lines)?,
    };
    one_name_each(&node, file)?;
    Ok(node)
}

/// RFC 8259 by our own parser, which also knows lone surrogates and too much depth.
fn strict(text: &str, file: &Path) -> Result<()> {
    let document = crate::json::parse(text.as_bytes(), &Limits::default()).map_err(|error| {
        let mut wrong = Error::config(format!("not JSON: {}", error.message))
            .in_file(file)
            .at_line(error.line, Some(error.column));
        if relaxed(text).is_ok() {
            wrong = wrong.help("the client takes no comments and no trailing commas in this file");
        }
        wrong
    })?;
    let Some(defect) = document
        .defects
        .iter()
        .find(|defect| defect.kind != DefectKind::DuplicateKey)
    else {
        return Ok(());
    };
    let message = match defect.kind {
        DefectKind::LoneSurrogate => "a string holds half a surrogate pair",
        DefectKind::TooDeep => "nested too deep",
        _ => "a value that can't be read exactly",
    };
    let spot = Lines::new(text).spot(defect.offset);
    Err(Error::config(message)
        .in_file(file)
        .at_line(spot.line, Some(spot.column))
        .at_pointer(defect.pointer.as_str()))
}

fn relaxed(
    text: &str,
) -> std::result::Result<Option<ast::Value<'_>>, jsonc_parser::errors::ParseError> {
    let options = jsonc_parser::ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    jsonc_parser::parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &options)
        .map(|result| result.value)
}

fn jsonc(text: &str, file: &Path, lines: &Lines<'_>) -> Result<Node> {
    let value = relaxed(text).map_err(|error| {
        let spot = lines.spot(error.range().start);
        let kind = error.kind().to_string();
        let mut first = kind.chars();
        let message: String = first
            .next()
            .map(|c| c.to_lowercase().collect::<String>() + first.as_str())
            .unwrap_or_default();
        Error::config(format!("not JSON: {message}"))
            .in_file(file)
            .at_line(spot.line, Some(spot.column))
    })?;
    match value {
        Some(value) => Ok(from_json(&value, lines)),
        None => Err(Error::config("not JSON: the file is empty").in_file(file)),
    }
}

fn from_json(value: &ast::Value<'_>, lines: &Lines<'_>) -> Node {
    let data = match value {
        ast::Value::NullKeyword(_) => Data::Null,
        ast::Value::BooleanLit(flag) => Data::Flag(flag.value),
        ast::Value::NumberLit(number) => Data::Number(number.value.to_owned()),
        ast::Value::StringLit(text) => Data::Text(text.value.clone().into_owned()),
        ast::Value::Array(items) => Data::List(
            items
                .elements
                .iter()
                .map(|item| from_json(item, lines))
                .collect(),
        ),
        ast::Value::Object(object) => Data::Table(
            object
                .properties
                .iter()
                .map(|property| Member {
                    name: property.name.as_str().to_owned(),
                    spot: lines.spot(property.name.start()),
                    node: from_json(&property.value, lines),
                })
                .collect(),
        ),
    };
    Node {
        spot: lines.spot(value.start()),
        data,
    }
}

fn toml(text: &str, file: &Path, lines: &Lines<'_>) -> Result<Node> {
    let table = DeTable::parse(text).map_err(|error| {
        let message = error.message().trim().replace('\n', ", ");
        let wrong = Error::config(format!("not TOML: {message}")).in_file(file);
        match error.span() {
            Some(span) => {
                let spot = lines.spot(span.start);
                wrong.at_line(spot.line, Some(spot.column))
            }
            None => wrong,
        }
    })?;
    Ok(Node {
        spot: Spot { line: 1, column: 1 },
        data: from_toml_table(table.get_ref(), lines),
    })
}

fn from_toml_table(table: &DeTable<'_>, lines: &Lines<'_>) -> Data {
    let mut members: Vec<Member> = table
        .iter()
        .map(|(name, value)| Member {
            name: name.get_ref().clone().into_owned(),
            spot: lines.spot(name.span().start),
            node: from_toml(value.get_ref(), value.span().start, lines),
        })
        .collect();
    // The table is sorted by name; messages and servers come in the order of the file.
    members.sort_by_key(|member| (member.spot.line, member.spot.column));
    Data::Table(members)
}

fn from_toml(value: &DeValue<'_>, start: usize, lines: &Lines<'_>) -> Node {
    let data = match value {
        DeValue::String(text) => Data::Text(text.clone().into_owned()),
        DeValue::Integer(number) => Data::Number(number.to_string()),
        DeValue::Float(number) => Data::Number(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Data::Flag(*flag),
        DeValue::Datetime(_) => Data::Date,
        DeValue::Array(items) => Data::List(
            items
                .iter()
                .map(|item| from_toml(item.get_ref(), item.span().start, lines))
                .collect(),
        ),
        DeValue::Table(table) => from_toml_table(table, lines),
    };
    Node {
        spot: lines.spot(start),
        data,
    }
}

/// No object may have two members of one name: readers disagree about which of them counts.
fn one_name_each(root: &Node, file: &Path) -> Result<()> {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.data {
            Data::List(items) => waiting.extend(items),
            Data::Table(members) => {
                let mut seen = std::collections::BTreeMap::new();
                for member in members {
                    if let Some(first) = seen.insert(member.name.as_str(), member.spot.line) {
                        return Err(Error::config(format!(
                            "`{}` stands twice in one object, first in line {first}",
                            crate::text::visible(&member.name)
                        ))
                        .in_file(file)
                        .at_line(member.spot.line, Some(member.spot.column))
                        .help("remove one of the two: clients disagree about which one counts"));
                    }
                    waiting.push(&member.node);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where the lines of a text begin.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Lines { text, starts }
    }

    fn spot(&self, offset: usize) -> Spot {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line.saturating_sub(1)];
        Spot {
            line,
            column: self
                .text
                .get(start..offset)
                .map_or(0, |run| run.chars().count())
                + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, syntax: Syntax) -> String {
        match parse(text, syntax, Path::new("c.json")) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn every_message_has_a_line_and_a_column() {
        assert_eq!(
            error("{\n  \"a\": 1,\n  \"é\": tru\n}", Syntax::Json),
            "c.json:3:8: not JSON: expected a value"
        );
        assert!(
            error("{\n \"a\" 1}", Syntax::JsonWithComments).starts_with("c.json:2:6: not JSON: ")
        );
        assert!(error("a = 1\nb = = 2", Syntax::Toml).starts_with("c.json:2:5: not TOML: "));
        assert!(error("", Syntax::Json).contains("not JSON"));
        assert!(error("// nothing", Syntax::JsonWithComments).contains("empty"));
    }

    #[test]
    fn a_name_that_stands_twice_is_an_error_in_every_syntax() {
        let twice = "c.json:2:2: `\u{61}` stands twice in one object, first in line 1";
        assert_eq!(error("{\"a\":1,\n \"\\u0061\":2}", Syntax::Json), twice);
        assert_eq!(
            error("{\"a\":1,\n \"a\":2}", Syntax::JsonWithComments),
            twice
        );
        assert!(error("a = 1\na = 2", Syntax::Toml).starts_with("c.json:2"));
    }

    #[test]
    fn comments_and_trailing_commas_are_taken_only_where_the_client_takes_them() {
        let text = "{ // note\n \"a\": [1, 2,], /* b */ }";
        assert_eq!(error(text, Syntax::JsonWithComments), "");
        let strict = parse(text, Syntax::Json, Path::new("c.json"))
            .err()
            .unwrap();
        assert!(strict.help_text().unwrap().contains("no comments"));
        for loose in [
            "{a: 1}",
            "{'a': 1}",
            "{\"a\": 0x10}",
            "{\"a\": .5}",
            "{\"a\": NaN}",
            "{\"a\":1 \"b\":2}",
        ] {
            assert_ne!(error(loose, Syntax::JsonWithComments), "", "{loose}");
        }
    }

    #[test]
    fn too_much_depth_is_an_error_and_no_crash() {
        let deep = "[".repeat(100_000);
        assert!(error(&deep, Syntax::Json).contains("JSON"));
        assert!(error(&deep, Syntax::JsonWithComments).contains("depth"));
        assert!(error(&format!("a = {deep}"), Syntax::Toml).contains("TOML"));
        let closed = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(error(&closed, Syntax::Json).contains("too deep"));
    }

    #[test]
    fn toml_members_come_in_the_order_of_the_file() {
        let node = parse(
            "b = 1\na = 2\n[z]\nc = 3\n[d]",
            Syntax::Toml,
            Path::new("x"),
        )
        .unwrap_or_else(|_| panic!());
        let Data::Table(members) = node.data else {
            panic!()
        };
        let names: Vec<&str> = members.iter().map(|m| m.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "z", "d"]);
    }
}
