//! What a schema declares: the names, and whether others are tolerated.

use std::collections::BTreeMap;

use crate::json::{Object, Value};

use super::super::eval::holds;
use super::super::val::Val;
use super::unevaluated::{Evaluates, Walk};
use super::{Lowering, Place};

/// What is said of names that are not declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Openness {
    /// Nothing, or that anything goes.
    Open,
    /// That they are refused, in some branch at least.
    Closed,
    /// That their values have a schema.
    Typed,
}

/// The declarations of one object or array, from every subschema applied to it.
#[derive(Debug)]
pub(crate) struct Declared<'v> {
    /// Each name, with the subschemas of its value.
    pub(crate) names: BTreeMap<&'v str, Vec<Place>>,
    /// Each pattern, with the subschema of the values.
    pub(crate) patterns: Vec<(&'v str, Place)>,
    /// What is said of other names.
    pub(crate) openness: Openness,
    /// Whether other names are expressly allowed.
    pub(crate) expressly_open: bool,
    /// The subschemas of items.
    pub(crate) items: Vec<Place>,
}

impl<'v> Lowering<'_, 'v> {
    /// What the subschemas of one location declare together, whichever branches hold.
    pub(crate) fn declared(&mut self, places: &[Place]) -> Declared<'v> {
        let mut walk = Walk::new();
        for place in places {
            self.walk(&mut walk, *place, None, true);
        }
        let mut declared = Declared {
            names: BTreeMap::new(),
            patterns: Vec::new(),
            openness: Openness::Open,
            expressly_open: false,
            items: Vec::new(),
        };
        for part in &walk.parts {
            let child = |this: &mut Self, schema| this.child(part.place, schema);
            match part.what {
                Evaluates::Name(name, schema) => {
                    let child = child(self, schema);
                    declared.names.entry(name).or_default().extend(child);
                }
                Evaluates::Pattern(pattern, schema) => {
                    let child = child(self, schema);
                    declared.patterns.extend(child.map(|c| (pattern, c)));
                }
                Evaluates::OtherNames(schema) | Evaluates::Unevaluated(schema) => {
                    let said = match schema {
                        Value::Bool(false) => Openness::Closed,
                        Value::Bool(true) => Openness::Open,
                        Value::Object(object) if object.is_empty() => Openness::Open,
                        _ => Openness::Typed,
                    };
                    declared.expressly_open |= said != Openness::Closed;
                    declared.openness = declared.openness.max(said);
                }
                Evaluates::Prefix(prefix) => {
                    for schema in prefix {
                        let child = child(self, schema);
                        declared.items.extend(child);
                    }
                }
                Evaluates::Items(schema)
                | Evaluates::Containing(schema)
                | Evaluates::UnevaluatedItems(schema) => {
                    let child = child(self, schema);
                    declared.items.extend(child);
                }
            }
        }
        for place in &walk.visited {
            for name in demanded(self.value(*place)) {
                declared.names.entry(name).or_default();
            }
        }
        for places in declared.names.values_mut() {
            places.sort_unstable();
            places.dedup();
        }
        declared.items.sort_unstable();
        declared.items.dedup();
        declared
    }

    /// Every subschema that says something about the member.
    pub(crate) fn of_member(&mut self, declared: &Declared<'v>, name: &str) -> Vec<Place> {
        let mut places = declared.names.get(name).cloned().unwrap_or_default();
        let text = Val::Str(name.to_owned());
        for (pattern, place) in &declared.patterns {
            let class = self.arena.pattern(pattern);
            if holds(self.arena, class, &text) != Some(false) {
                places.push(*place);
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Names that a schema demands: to demand a name is to declare it.
fn demanded(schema: &Value) -> impl Iterator<Item = &str> {
    let object = schema.as_object();
    let own = object.and_then(|o| o.get("required"));
    let dependent = ["dependentRequired", "dependencies"]
        .into_iter()
        .filter_map(move |keyword| object?.get(keyword)?.as_object())
        .flat_map(Object::iter)
        .map(|(_, names)| names);
    own.into_iter()
        .chain(dependent)
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_str)
}
