//! The keywords that apply subschemas.

use crate::json::{Object, Value};
use crate::schema::Dialect;

use super::super::ir::{Arena, Id, Node, Types};
use super::keywords::count;
use super::{Lowering, Place};

impl<'v> Lowering<'_, 'v> {
    /// Adds what combinators, properties and items say.
    pub(super) fn applicators(&mut self, place: Place, object: &'v Object, parts: &mut Vec<Id>) {
        let dialect = self.dialect(place);
        for (keyword, value) in object.iter() {
            let id = match keyword {
                "allOf" | "anyOf" | "oneOf" => match value.as_array() {
                    Some(list) => {
                        let sets = list.iter().map(|s| self.sub(place, s)).collect();
                        match keyword {
                            "allOf" => self.arena.and(sets),
                            "anyOf" => self.arena.or(sets),
                            _ => self.arena.exactly_one(sets),
                        }
                    }
                    None => self.unknown(),
                },
                "not" => {
                    let inner = self.sub(place, value);
                    self.arena.not(inner)
                }
                "if" if dialect >= Dialect::Draft7 => self.conditional(place, object, value),
                "contains" if dialect >= Dialect::Draft6 => {
                    self.contains(place, object, value, parts);
                    continue;
                }
                "propertyNames" if dialect >= Dialect::Draft6 => {
                    let names = self.sub(place, value);
                    let others = self.arena.not(names);
                    self.arena.members(others, Arena::FALSE)
                }
                "dependentRequired" | "dependentSchemas" | "dependencies"
                    if (keyword == "dependencies") == (dialect <= Dialect::Draft7) =>
                {
                    self.dependent(place, value)
                }
                // Later drafts dropped the keyword and validators differ.
                "dependencies" => self.unmodelled(dialect, keyword, value),
                _ => continue,
            };
            parts.push(id);
        }
        self.properties(place, object, parts);
        self.items(place, object, parts);
    }

    fn conditional(&mut self, place: Place, object: &'v Object, condition: &'v Value) -> Id {
        let (then, other) = (object.get("then"), object.get("else"));
        if then.is_none() && other.is_none() {
            return Arena::TRUE;
        }
        let condition = self.sub(place, condition);
        let then = then.map_or(Arena::TRUE, |s| self.sub(place, s));
        let other = other.map_or(Arena::TRUE, |s| self.sub(place, s));
        let when = self.arena.implies(condition, then);
        let otherwise = self.arena.or(vec![condition, other]);
        self.arena.and(vec![when, otherwise])
    }

    fn contains(
        &mut self,
        place: Place,
        object: &'v Object,
        value: &'v Value,
        parts: &mut Vec<Id>,
    ) {
        let counts = self.dialect(place) >= Dialect::Draft2019_09;
        let bound = |keyword| object.get(keyword).filter(|_| counts);
        let set = self.sub(place, value);
        match bound("minContains").map_or(Some(1), count) {
            Some(min) => parts.push(self.arena.count(Node::AtLeast(min, set))),
            None => parts.push(self.unknown()),
        }
        match bound("maxContains").map(count) {
            None => {}
            Some(Some(max)) => parts.push(self.arena.count(Node::AtMost(max, set))),
            Some(None) => parts.push(self.unknown()),
        }
    }

    /// When the value is an object that has the name, the rest must hold.
    pub(super) fn when_present(&mut self, name: &str, rest: Id) -> Id {
        let other = self.arena.types(!Types::OBJECT);
        let lacks = self.arena.lacks(name);
        self.arena.or(vec![other, lacks, rest])
    }

    fn dependent(&mut self, place: Place, value: &'v Value) -> Id {
        let Some(map) = value.as_object() else {
            return self.unknown();
        };
        let mut parts = Vec::new();
        for (name, needs) in map.iter() {
            let needs = match needs {
                Value::Array(names) => {
                    let names = self.required(names);
                    self.arena.and(names)
                }
                // Draft 3 wrote a single name so; no later draft does.
                Value::String(_) => self.unknown(),
                schema => self.sub(place, schema),
            };
            parts.push(self.when_present(name, needs));
        }
        self.arena.and(parts)
    }

    fn properties(&mut self, place: Place, object: &'v Object, parts: &mut Vec<Id>) {
        let map = |keyword| object.get(keyword).and_then(Value::as_object);
        let mut names = Vec::new();
        if let Some(properties) = map("properties") {
            for (name, schema) in properties.iter() {
                let set = self.sub(place, schema);
                parts.push(self.arena.member(name, set));
                names.push(name.to_owned());
            }
        }
        let mut covered = vec![self.arena.names(names)];
        if let Some(patterns) = map("patternProperties") {
            for (pattern, schema) in patterns.iter() {
                let set = self.sub(place, schema);
                let class = self.arena.pattern(pattern);
                parts.push(self.arena.members(class, set));
                covered.push(class);
            }
        }
        if let Some(schema) = object.get("additionalProperties") {
            let set = self.sub(place, schema);
            let covered = self.arena.or(covered);
            let others = self.arena.not(covered);
            parts.push(self.arena.members(others, set));
        }
    }

    fn items(&mut self, place: Place, object: &'v Object, parts: &mut Vec<Id>) {
        let (prefix, rest) = split_items(self.dialect(place), object);
        for (i, schema) in prefix.unwrap_or_default().iter().enumerate() {
            let set = self.sub(place, schema);
            parts.push(self.arena.item(i, set));
        }
        if let Some(schema) = rest {
            let set = self.sub(place, schema);
            let from = prefix.map_or(0, <[Value]>::len);
            parts.push(self.arena.items_from(from, set));
        }
    }
}

/// The schemas of the first items and of those after them, in whatever words of the dialect.
pub(super) fn split_items(dialect: Dialect, object: &Object) -> (Option<&[Value]>, Option<&Value>) {
    let items = object.get("items");
    if dialect == Dialect::Draft2020_12 {
        return (object.get("prefixItems").and_then(Value::as_array), items);
    }
    match items {
        Some(Value::Array(prefix)) => (Some(prefix), object.get("additionalItems")),
        items => (None, items),
    }
}
