//! The keywords that say something about a value itself.

use crate::json::{Object, Value};
use crate::schema::Dialect;

use super::super::exact::Exact;
use super::super::ir::{Id, Node, Types};
use super::super::val::Val;
use super::{Lowering, Place};

impl<'v> Lowering<'_, 'v> {
    /// Adds what type, values, bounds, lengths, counts and patterns say.
    pub(super) fn keywords(&mut self, place: Place, object: &'v Object, parts: &mut Vec<Id>) {
        let dialect = self.dialect(place);
        for (keyword, value) in object.iter() {
            let id = match keyword {
                "type" => self.types(value),
                "enum" => self.listed(value.as_array()),
                "const" if dialect >= Dialect::Draft6 => {
                    self.listed(Some(std::slice::from_ref(value)))
                }
                "minimum" | "maximum" => {
                    let exclusive = dialect == Dialect::Draft4
                        && object.get(&exclusive_name(keyword)) == Some(&Value::Bool(true));
                    self.bound(keyword == "minimum", exclusive, value)
                }
                "exclusiveMinimum" | "exclusiveMaximum" if dialect >= Dialect::Draft6 => {
                    self.bound(keyword == "exclusiveMinimum", true, value)
                }
                "multipleOf" => self.multiple(value),
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
                | "maxProperties" => self.counted(keyword, value),
                "pattern" => match value.as_str() {
                    Some(text) => self.arena.pattern(text),
                    None => self.unknown(),
                },
                "uniqueItems" => match value {
                    Value::Bool(true) => self.arena.add(Node::Unique),
                    Value::Bool(false) => continue,
                    _ => self.unknown(),
                },
                "required" => match value.as_array() {
                    Some(names) => {
                        parts.extend(self.required(names));
                        continue;
                    }
                    None => self.unknown(),
                },
                _ => continue,
            };
            parts.push(id);
        }
    }

    fn types(&mut self, value: &Value) -> Id {
        let names = match value {
            Value::Array(names) => names.as_slice(),
            other => std::slice::from_ref(other),
        };
        let types = names.iter().try_fold(Types::NONE, |types, name| {
            Some(types | Types::named(name.as_str()?)?)
        });
        match types {
            Some(types) => self.arena.types(types),
            None => self.unknown(),
        }
    }

    fn listed(&mut self, values: Option<&[Value]>) -> Id {
        let values: Option<Vec<Val>> =
            values.and_then(|values| values.iter().map(Val::of).collect());
        match values {
            Some(values) => self.arena.values(values),
            None => self.unknown(),
        }
    }

    fn bound(&mut self, lower: bool, exclusive: bool, value: &Value) -> Id {
        match exact(value) {
            Some(n) if lower => self.arena.add(Node::Min(n, exclusive)),
            Some(n) => self.arena.add(Node::Max(n, exclusive)),
            None => self.unknown(),
        }
    }

    fn multiple(&mut self, value: &Value) -> Id {
        match exact(value).filter(|n| n.is_positive()) {
            Some(n) => self.arena.add(Node::Multiple(n)),
            None => self.unknown(),
        }
    }

    fn counted(&mut self, keyword: &str, value: &Value) -> Id {
        let Some(n) = count(value) else {
            return self.unknown();
        };
        self.arena.count(match keyword {
            "minLength" => Node::MinLength(n),
            "maxLength" => Node::MaxLength(n),
            "minItems" => Node::MinItems(n),
            "maxItems" => Node::MaxItems(n),
            "minProperties" => Node::MinProperties(n),
            _ => Node::MaxProperties(n),
        })
    }

    /// One leaf a name.
    pub(super) fn required(&mut self, names: &[Value]) -> Vec<Id> {
        let mut parts = Vec::with_capacity(names.len());
        for name in names {
            parts.push(match name.as_str() {
                Some(name) => self.arena.add(Node::Required(name.to_owned())),
                None => self.unknown(),
            });
        }
        parts
    }
}

fn exclusive_name(keyword: &str) -> String {
    let (first, rest) = keyword.split_at(1);
    format!("exclusive{}{rest}", first.to_uppercase())
}

fn exact(value: &Value) -> Option<Exact> {
    match value {
        Value::Number(n) => Exact::parse(n.as_str()),
        _ => None,
    }
}

/// A non-negative whole number, however it is spelled.
pub(super) fn count(value: &Value) -> Option<u64> {
    let n = exact(value).filter(|n| n.is_integer())?;
    u64::try_from(n.floor_div(Exact::ONE)?).ok()
}
