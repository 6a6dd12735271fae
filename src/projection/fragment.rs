//! One constraint of a schema by itself: a schema that says nothing else.
//!
//! Pure. The fragment admits all that the whole schema admits, so what it refuses the whole one
//! refuses too.

use crate::json::{Object, Pointer, Value};
use crate::schema::Dialect;
use crate::schema::keywords::{Shape, shape};

use super::view::View;

/// A step from an object or array to what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A declared member.
    Member(String),
    /// The members whose names match a pattern.
    Pattern(String),
    /// The members that are neither among these names nor match one of these patterns.
    Others(Vec<String>, Vec<String>),
    /// The element at a position.
    Element(usize),
    /// The elements from a position on.
    Elements(usize),
}

/// Where the whole document lies in a fragment that refers to it.
const WHOLE: &str = "mcplock";

/// The document of which fragments are cut.
pub(super) struct Source<'v> {
    view: &'v View<'v>,
    /// The whole document, with references that still find their way where it lies in a fragment.
    whole: Value,
}

impl<'v> Source<'v> {
    /// Fragments of the document of `view`.
    pub(super) fn of(view: &'v View<'v>) -> Self {
        let mut whole = moved(view.root, view.dialect);
        if let Value::Object(object) = &mut whole {
            let own = ["$schema", "$id", "id"];
            object
                .members_mut()
                .retain(|(name, _)| !own.contains(&name.as_str()));
        }
        Source { view, whole }
    }

    /// A document that says only `inner`, a cut of a schema of this document, of the values at the
    /// end of `route`; none when `inner` can't be read apart from its document.
    pub(super) fn only(&self, route: &[Step], inner: &Value) -> Option<Value> {
        let inner = moved(inner, self.view.dialect);
        let refers = refers(&inner);
        if refers && self.view.has_addresses {
            return None;
        }
        let mut schema = inner;
        for step in route.iter().rev() {
            schema = self.step(step, schema);
        }
        let Value::Object(object) = &mut schema else {
            return Some(schema);
        };
        let members = object.members_mut();
        if let Some(dialect) = self.view.root.get("$schema") {
            members.insert(0, ("$schema".to_owned(), dialect.clone()));
        }
        if refers {
            let whole = vec![(WHOLE.to_owned(), self.whole.clone())];
            let defs = definitions(self.view.dialect).to_owned();
            members.push((defs, Value::Object(Object::new(whole))));
        }
        Some(schema)
    }

    fn step(&self, step: &Step, inner: Value) -> Value {
        let anything = || Value::Object(Object::default());
        let map = |names: &[String]| {
            let names = names.iter().map(|name| (name.clone(), anything()));
            Value::Object(Object::new(names.collect()))
        };
        let tuple = |count: usize| (0..count).map(|_| anything()).collect::<Vec<_>>();
        let new = self.view.dialect >= Dialect::Draft2020_12;
        match step {
            Step::Member(name) => one("properties", one(name, inner)),
            Step::Pattern(pattern) => one("patternProperties", one(pattern, inner)),
            Step::Others(names, patterns) => Value::Object(Object::new(vec![
                ("properties".to_owned(), map(names)),
                ("patternProperties".to_owned(), map(patterns)),
                ("additionalProperties".to_owned(), inner),
            ])),
            Step::Element(position) => {
                let mut schemas = tuple(*position);
                schemas.push(inner);
                one(
                    if new { "prefixItems" } else { "items" },
                    Value::Array(schemas),
                )
            }
            Step::Elements(0) => one("items", inner),
            Step::Elements(count) => {
                let (first, rest) = if new {
                    ("prefixItems", "items")
                } else {
                    ("items", "additionalItems")
                };
                Value::Object(Object::new(vec![
                    (first.to_owned(), Value::Array(tuple(*count))),
                    (rest.to_owned(), inner),
                ]))
            }
        }
    }
}

/// An object with one member.
pub(super) fn one(name: &str, value: Value) -> Value {
    Value::Object(Object::new(vec![(name.to_owned(), value)]))
}

fn definitions(dialect: Dialect) -> &'static str {
    if dialect >= Dialect::Draft2019_09 {
        "$defs"
    } else {
        "definitions"
    }
}

/// `schema` with its references led to where the whole document lies in a fragment.
fn moved(schema: &Value, dialect: Dialect) -> Value {
    rebuilt(schema, dialect, &|name, value| {
        let text = value.as_str().filter(|_| name == "$ref")?;
        let rest = text.strip_prefix('#')?;
        let place = Pointer::root().key(definitions(dialect)).key(WHOLE);
        Some(Value::String(format!("#{}{rest}", place.as_str())))
    })
}

/// `schema`, and every schema in it, with each member for which `change` gives a value replaced.
fn rebuilt(
    schema: &Value,
    dialect: Dialect,
    change: &dyn Fn(&str, &Value) -> Option<Value>,
) -> Value {
    let again = |schema: &Value| rebuilt(schema, dialect, change);
    let list = |value: &Value| match value {
        Value::Array(schemas) => Value::Array(schemas.iter().map(again).collect()),
        other => again(other),
    };
    let Value::Object(object) = schema else {
        return schema.clone();
    };
    let members = object.iter().map(|(name, value)| {
        let new = change(name, value).unwrap_or_else(|| match shape(dialect, name) {
            Some(Shape::Schema | Shape::SchemaOrBoolean) => again(value),
            Some(Shape::Schemas | Shape::SchemaOrSchemas) => list(value),
            Some(Shape::SchemaMap | Shape::PatternMap | Shape::Dependencies) => match value {
                Value::Object(map) => {
                    let entries = map.iter().map(|(name, schema)| {
                        (
                            name.to_owned(),
                            match schema {
                                Value::Object(_) => again(schema),
                                other => other.clone(),
                            },
                        )
                    });
                    Value::Object(Object::new(entries.collect()))
                }
                other => other.clone(),
            },
            // Another dialect's place for definitions is one here too.
            _ if matches!(name, "$defs" | "definitions") => match value {
                Value::Object(map) => {
                    let entries = map
                        .iter()
                        .map(|(name, schema)| (name.to_owned(), again(schema)));
                    Value::Object(Object::new(entries.collect()))
                }
                other => other.clone(),
            },
            _ => value.clone(),
        });
        (name.to_owned(), new)
    });
    Value::Object(Object::new(members.collect()))
}

/// Whether a reference stands anywhere in `value`.
pub(super) fn refers(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(name, value)| {
            (name == "$ref" && matches!(value, Value::String(_))) || refers(value)
        }),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// `value` without the member at `pointer`, which leads through objects and arrays.
pub(super) fn without(value: &Value, pointer: &Pointer) -> Value {
    let tokens: Vec<String> = pointer.tokens().collect();
    cut(value, &tokens)
}

fn cut(value: &Value, tokens: &[String]) -> Value {
    let Some((first, rest)) = tokens.split_first() else {
        return value.clone();
    };
    match value {
        Value::Object(object) => {
            let members = object.iter().filter_map(|(name, value)| {
                if name != first {
                    return Some((name.to_owned(), value.clone()));
                }
                (!rest.is_empty()).then(|| (name.to_owned(), cut(value, rest)))
            });
            Value::Object(Object::new(members.collect()))
        }
        Value::Array(items) => {
            let position: Option<usize> = first.parse().ok();
            let items = items.iter().enumerate().filter_map(|(i, value)| {
                if Some(i) != position {
                    return Some(value.clone());
                }
                (!rest.is_empty()).then(|| cut(value, rest))
            });
            Value::Array(items.collect())
        }
        other => other.clone(),
    }
}
