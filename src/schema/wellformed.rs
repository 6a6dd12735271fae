//! Whether a schema keeps to the metaschema of its dialect, and where not.
//!
//! A walk over the table of [`super::keywords`] in place of the metaschemas themselves: it costs
//! next to nothing, recurses nowhere, and says what is wrong in words that hold nothing of the
//! schema but keywords. Tests hold it against the library's verdict in every dialect. Beyond the
//! metaschemas, which leave `format` unasserted, a pattern must be one of ECMA-262.

use std::collections::HashSet;

use crate::canonical::number::{Decimal, canonical};
use crate::json::{Object, Pointer, Value};

use super::dialect::{Declared, Dialect, declared};
use super::keywords::{Shape, shape};
use super::pattern;
use super::trail::{Trail, Trails};
use super::uri::Uri;

/// One place where a schema is not well-formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The place in the schema.
    pub pointer: Pointer,
    /// What is wrong, as a fragment; holds no text of the schema but keywords.
    pub reason: String,
}

/// No more flaws than this are listed for one schema.
pub const MAX_FLAWS: usize = 20;

/// What is wrong with `schema`, whose root is read in `dialect` unless it declares a known one:
/// the first [`MAX_FLAWS`] flaws, in document order.
pub fn flaws(schema: &Value, dialect: Dialect) -> Vec<Flaw> {
    let mut check = Check {
        trails: Trails::default(),
        queue: vec![(schema, Trail::ROOT, dialect)],
        flaws: Vec::new(),
    };
    while let Some((value, at, dialect)) = check.queue.pop() {
        if check.flaws.len() >= MAX_FLAWS {
            break;
        }
        let before = check.queue.len();
        check.schema(value, at, dialect);
        check.queue[before..].reverse();
    }
    check.flaws.truncate(MAX_FLAWS);
    check.flaws
}

struct Check<'v> {
    trails: Trails<'v>,
    queue: Vec<(&'v Value, Trail, Dialect)>,
    flaws: Vec<Flaw>,
}

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

impl<'v> Check<'v> {
    fn flaw(&mut self, at: Trail, reason: impl Into<String>) {
        self.flaws.push(Flaw {
            pointer: self.trails.pointer(at),
            reason: reason.into(),
        });
    }

    fn schema(&mut self, value: &'v Value, at: Trail, dialect: Dialect) {
        let object = match value {
            Value::Object(object) => object,
            Value::Bool(_) if dialect.has_boolean_schemas() => return,
            other => {
                let found = other.type_name();
                let wanted = if dialect.has_boolean_schemas() {
                    "an object or a boolean"
                } else {
                    "an object"
                };
                return self.flaw(at, format!("a schema must be {wanted}, not {found}"));
            }
        };
        let dialect = own_dialect(value, object, at, dialect);
        if dialect == Dialect::Draft4 {
            for (keyword, needed) in [
                ("exclusiveMinimum", "minimum"),
                ("exclusiveMaximum", "maximum"),
            ] {
                if object.contains_key(keyword) && !object.contains_key(needed) {
                    self.flaw(at, format!("`{keyword}` stands without `{needed}`"));
                }
            }
        }
        for (keyword, value) in object.iter() {
            if let Some(shape) = shape(dialect, keyword) {
                let here = self.trails.key(at, keyword);
                self.keyword(keyword, shape, value, here, dialect);
            }
        }
    }

    fn keyword(&mut self, keyword: &str, shape: Shape, value: &'v Value, at: Trail, own: Dialect) {
        match (shape, value) {
            (Shape::SchemaOrBoolean | Shape::Boolean, Value::Bool(_))
            | (Shape::Text, Value::String(_))
            | (Shape::Array, Value::Array(_)) => {}
            (Shape::Schema | Shape::SchemaOrBoolean, value) => self.subschema(value, at, own),
            (Shape::SchemaOrSchemas, Value::Object(_) | Value::Bool(_)) => {
                self.subschema(value, at, own);
            }
            (Shape::Schemas | Shape::SchemaOrSchemas, Value::Array(list)) => {
                if list.is_empty() {
                    self.flaw(at, format!("`{keyword}` must not be empty"));
                }
                for (i, value) in list.iter().enumerate() {
                    let here = self.trails.index(at, i);
                    self.subschema(value, here, own);
                }
            }
            (Shape::SchemaMap | Shape::PatternMap, Value::Object(map)) => {
                for (key, value) in map.iter() {
                    let here = self.trails.key(at, key);
                    if shape == Shape::PatternMap {
                        self.pattern(key, here);
                    }
                    self.subschema(value, here, own);
                }
            }
            (Shape::Dependencies, Value::Object(map)) => {
                let shape = if own == Dialect::Draft4 {
                    Shape::SomeNames
                } else {
                    Shape::Names
                };
                for (key, value) in map.iter() {
                    let here = self.trails.key(at, key);
                    if matches!(value, Value::Array(_)) {
                        self.keyword(keyword, shape, value, here, own);
                    } else {
                        self.subschema(value, here, own);
                    }
                }
            }
            (Shape::NamesMap, Value::Object(map)) => {
                for (key, value) in map.iter() {
                    let here = self.trails.key(at, key);
                    self.keyword(keyword, Shape::Names, value, here, own);
                }
            }
            (Shape::Vocabularies, Value::Object(map)) => {
                for (key, value) in map.iter() {
                    if value.as_bool().is_none() {
                        let here = self.trails.key(at, key);
                        self.wrong(keyword, "an object of booleans", value, here);
                    }
                }
            }
            (Shape::Names | Shape::SomeNames, Value::Array(list)) => {
                if list.is_empty() && shape == Shape::SomeNames {
                    self.flaw(at, format!("`{keyword}` must not be empty"));
                }
                self.names(keyword, list, at);
            }
            (Shape::Types, value) => self.types(value, at),
            (Shape::Number | Shape::Count | Shape::Positive, Value::Number(number)) => {
                self.number(keyword, shape, number.as_str(), at);
            }
            (Shape::Pattern, Value::String(text)) => self.pattern(text, at),
            (Shape::Id, Value::String(text)) => {
                if text.trim_end_matches('#').contains('#') || text.ends_with("##") {
                    self.flaw(at, format!("`{keyword}` must not have a fragment"));
                }
            }
            (Shape::Anchor, Value::String(text)) => {
                if !is_anchor(text, own) {
                    self.flaw(at, format!("`{keyword}` is not a plain name"));
                }
            }
            (shape, value) => self.wrong(keyword, wanted(shape), value, at),
        }
    }

    fn wrong(&mut self, keyword: &str, wanted: &str, value: &Value, at: Trail) {
        let found = value.type_name();
        self.flaw(at, format!("`{keyword}` must be {wanted}, not {found}"));
    }

    fn subschema(&mut self, value: &'v Value, at: Trail, dialect: Dialect) {
        self.queue.push((value, at, dialect));
    }

    fn names(&mut self, keyword: &str, list: &'v [Value], at: Trail) {
        let mut seen = HashSet::new();
        for (i, value) in list.iter().enumerate() {
            let Value::String(name) = value else {
                let here = self.trails.index(at, i);
                return self.wrong(keyword, "an array of strings", value, here);
            };
            if !seen.insert(name.as_str()) {
                let here = self.trails.index(at, i);
                return self.flaw(here, format!("`{keyword}` names the same thing twice"));
            }
        }
    }

    fn types(&mut self, value: &'v Value, at: Trail) {
        let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
        match value {
            Value::Array(list) => {
                if list.is_empty() {
                    self.flaw(at, "`type` must not be empty");
                }
                for (i, value) in list.iter().enumerate() {
                    let here = self.trails.index(at, i);
                    if !is_type(value) {
                        return self.flaw(here, "`type` names no type of JSON Schema");
                    }
                    if list[..i].contains(value) {
                        return self.flaw(here, "`type` names the same type twice");
                    }
                }
            }
            value if is_type(value) => {}
            Value::String(_) => self.flaw(at, "`type` names no type of JSON Schema"),
            value => self.wrong("type", "a string or an array of strings", value, at),
        }
    }

    fn number(&mut self, keyword: &str, shape: Shape, token: &str, at: Trail) {
        let negative = token.starts_with('-') && token.bytes().any(|b| (b'1'..=b'9').contains(&b));
        let zero = Decimal::parse(token) == Decimal::parse("0");
        match shape {
            Shape::Positive if zero || negative => {
                self.flaw(at, format!("`{keyword}` must be above zero"));
            }
            Shape::Count if negative && !zero => {
                self.flaw(at, format!("`{keyword}` must not be negative"));
            }
            Shape::Count if !is_integer(token) => {
                self.flaw(at, format!("`{keyword}` must be an integer"));
            }
            _ => {}
        }
    }

    fn pattern(&mut self, text: &str, at: Trail) {
        if let Err(error) = pattern::check(text) {
            let offset = error.offset;
            let reason = error.reason;
            self.flaw(
                at,
                format!("not a regular expression of ECMA-262: {reason}, at character {offset}"),
            );
        }
    }
}

/// The dialect that `value` declares for itself, where it may: at a resource root.
fn own_dialect(value: &Value, object: &Object, at: Trail, outer: Dialect) -> Dialect {
    let Declared::Known(own) = declared(value) else {
        return outer;
    };
    let has_id = |dialect: Dialect| {
        object
            .get(dialect.id_keyword())
            .and_then(Value::as_str)
            .is_some_and(|id| !Uri::parse(id).is_fragment_only())
    };
    if at == Trail::ROOT || has_id(own) || has_id(outer) {
        own
    } else {
        outer
    }
}

fn wanted(shape: Shape) -> &'static str {
    match shape {
        Shape::Schema | Shape::SchemaOrBoolean => "a schema",
        Shape::Schemas => "an array of schemas",
        Shape::SchemaOrSchemas => "a schema or an array of schemas",
        Shape::SchemaMap | Shape::PatternMap => "an object of schemas",
        Shape::Dependencies => "an object of schemas or arrays of strings",
        Shape::Names | Shape::SomeNames => "an array of strings",
        Shape::NamesMap => "an object of arrays of strings",
        Shape::Count => "a non-negative integer",
        Shape::Number | Shape::Positive => "a number",
        Shape::Boolean => "a boolean",
        Shape::Text | Shape::Pattern | Shape::Id | Shape::Anchor => "a string",
        Shape::Array => "an array",
        Shape::Types => "a string or an array of strings",
        Shape::Vocabularies => "an object of booleans",
    }
}

/// Whether a number without a sign is an integer, however it is spelled. (draft-04 takes `1.0` for
/// none, but half of its readers can't see the difference.)
pub(super) fn is_integer(token: &str) -> bool {
    let text = canonical(token);
    let (mantissa, exponent) = text.split_once("e+").unwrap_or((&text, "0"));
    let fraction = mantissa.split_once('.').map_or(0, |(_, rest)| rest.len());
    !text.contains("e-") && exponent.parse::<usize>().is_ok_and(|e| e >= fraction)
}

fn is_anchor(text: &str, dialect: Dialect) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || (dialect > Dialect::Draft2019_09 && c == '_');
    let rest = |c: char| {
        c.is_ascii_alphanumeric()
            || "-._".contains(c)
            || (dialect == Dialect::Draft2019_09 && c == ':')
    };
    text.starts_with(first) && text.chars().all(rest)
}
