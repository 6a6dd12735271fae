//! Values worth trying, taken from what two documents say.

use std::collections::BTreeSet;

use crate::json::{Object, Value};

use super::super::exact::Exact;
use super::super::ir::Arena;
use super::super::regex::{Found, Term};
use super::super::val::Val;

/// No more values are kept.
const POOL_LIMIT: usize = 120;
/// No more names are kept.
const NAME_LIMIT: usize = 40;
/// Longer strings are not made up.
const LENGTH_LIMIT: usize = 2_000;
/// States that a search through a pattern's language may visit.
const STATE_LIMIT: usize = 2_000;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    /// Values, the likeliest first.
    pub(crate) values: Vec<Val>,
    /// Names of members.
    pub(crate) names: Vec<String>,
}

/// Collects from documents.
pub(crate) fn harvest(arena: &mut Arena, documents: &[&Value]) -> Harvest {
    let mut found = Collector {
        arena,
        values: BTreeSet::new(),
        names: BTreeSet::new(),
        out: Harvest::default(),
    };
    for document in documents {
        found.schema(document, 40);
    }
    for name in ["a", "A", "0", "", " ", "é"] {
        found.name(name);
        found.value(Val::Str(name.to_owned()));
    }
    for number in ["0", "1", "-1", "0.5", "100"] {
        found.value(Exact::parse(number).map_or(Val::Null, Val::Num));
    }
    found.value(Val::Null);
    found.value(Val::Bool(true));
    found.value(Val::Bool(false));
    found.value(Val::Arr(Vec::new()));
    found.value(Val::Arr(vec![Val::Null]));
    found.value(Val::Arr(vec![Val::Null, Val::Null]));
    found.value(Val::Obj([].into()));
    found.value(Val::Obj([("a".to_owned(), Val::Null)].into()));
    found.out
}

struct Collector<'a> {
    arena: &'a mut Arena,
    values: BTreeSet<Val>,
    names: BTreeSet<String>,
    out: Harvest,
}

impl Collector<'_> {
    fn value(&mut self, value: Val) {
        if self.out.values.len() < POOL_LIMIT
            && value.size() < 50
            && self.values.insert(value.clone())
        {
            self.out.values.push(value);
        }
    }

    fn name(&mut self, name: &str) {
        if self.out.names.len() < NAME_LIMIT && self.names.insert(name.to_owned()) {
            self.out.names.push(name.to_owned());
        }
    }

    fn schema(&mut self, schema: &Value, depth: usize) {
        let (Some(object), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else {
            return;
        };
        for (keyword, value) in object.iter() {
            match (keyword, value) {
                ("const" | "default", value) => self.given(value),
                ("enum" | "examples", Value::Array(list)) => {
                    for value in list {
                        self.given(value);
                    }
                }
                (
                    "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
                    Value::Number(n),
                ) => self.near(n.as_str()),
                ("minLength" | "maxLength", Value::Number(n)) => self.lengths(n.as_str()),
                ("pattern", Value::String(pattern)) => {
                    for text in self.matching(pattern) {
                        self.value(Val::Str(text));
                    }
                }
                ("required", Value::Array(names)) => {
                    for name in names.iter().filter_map(Value::as_str) {
                        self.name(name);
                    }
                }
                (
                    "properties" | "dependentSchemas" | "$defs" | "definitions",
                    Value::Object(map),
                ) => {
                    for (name, schema) in map.iter() {
                        if !keyword.starts_with(['$', 'd']) {
                            self.name(name);
                        }
                        self.schema(schema, depth);
                    }
                }
                ("patternProperties", Value::Object(map)) => self.patterned(map, depth),
                (_, Value::Object(_)) => self.schema(value, depth),
                (_, Value::Array(list)) => {
                    for schema in list {
                        self.schema(schema, depth);
                    }
                }
                _ => {}
            }
        }
    }

    fn patterned(&mut self, map: &Object, depth: usize) {
        for (pattern, schema) in map.iter() {
            for name in self.matching(pattern) {
                self.name(&name);
            }
            self.schema(schema, depth);
        }
    }

    fn given(&mut self, value: &Value) {
        if let Some(value) = Val::of(value) {
            self.value(value);
        }
    }

    fn near(&mut self, token: &str) {
        let Some(n) = Exact::parse(token) else {
            return;
        };
        let steps = ["0", "1", "-1", "0.5", "-0.5"];
        let around = steps.iter().filter_map(|step| n.add(Exact::parse(step)?));
        let around: Vec<Exact> = around.chain(n.times(2)).chain(n.half()).collect();
        for n in around {
            self.value(Val::Num(n));
        }
    }

    fn lengths(&mut self, token: &str) {
        let Some(n) = token.parse::<usize>().ok().filter(|n| *n < LENGTH_LIMIT) else {
            return;
        };
        for length in [n, n + 1, n.saturating_sub(1)] {
            self.value(Val::Str("a".repeat(length)));
        }
    }

    /// Strings that match a pattern, and one that does not. What is not modelled of a pattern is
    /// read loosely: the validator decides anyway.
    fn matching(&mut self, pattern: &str) -> Vec<String> {
        let terms = &mut self.arena.terms;
        let Some(term) = terms
            .pattern(pattern)
            .or_else(|| terms.pattern(&loose(pattern)))
        else {
            return Vec::new();
        };
        let other = terms.not(term);
        let mut found = Vec::new();
        for (term, min) in [(term, 0), (other, 0), (term, 3), (other, 3)] {
            found.extend(self.shortest(term, min));
        }
        found
    }

    fn shortest(&mut self, term: Term, min: u64) -> Option<String> {
        match self.arena.terms.find(term, min, None, STATE_LIMIT) {
            Found::Some(text) => Some(text),
            _ => None,
        }
    }
}

/// A pattern without what has no regular meaning, nearly the same otherwise.
fn loose(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let skip = if rest.starts_with("\\b") || rest.starts_with("\\B") {
            2
        } else if rest.starts_with("\\p{") || rest.starts_with("\\P{") {
            out.push_str("[A-Za-z\u{e9}\u{df}]");
            rest.find('}').map_or(rest.len(), |end| end + 1)
        } else if rest.starts_with("(?<=") || rest.starts_with("(?<!") {
            rest.find(')').map_or(rest.len(), |end| end + 1)
        } else if rest.starts_with("(?i)") {
            4
        } else if c == '\\' {
            let next = rest.chars().nth(1);
            let length = 1 + next.map_or(0, char::len_utf8);
            out.push_str(&rest[..length]);
            length
        } else {
            out.push(c);
            c.len_utf8()
        };
        rest = &rest[skip..];
    }
    out
}
