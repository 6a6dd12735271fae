//! Which constraint inside a union was lost: a branch of `anyOf` says nothing by itself, so each
//! constraint in it is taken out alone, and the engine looks for a call that only this one refuses.

use crate::canonical::canonical;
use crate::compare::Witness;
use crate::json::{Object, Pointer, Value};

use super::engine::{Answer, Engine};
use super::fragment::without;

/// The keywords that are looked into.
pub(super) const IS_ONE: [&str; 2] = ["anyOf", "oneOf"];

/// Constraints of one union that are taken out in turn.
const MOST: usize = 48;

/// Keywords that are taken out.
const CONSTRAINTS: [&str; 20] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
    "additionalProperties",
    "propertyNames",
    "items",
];

/// The constraints inside the union `keyword` of `schema` that were lost, each with its place in
/// `schema`, its value, and a call. `whole` is a document that says only this union, at `prefix`;
/// `theirs` are the unions of the other side at this place.
pub(super) fn inside(
    engine: &Engine<'_>,
    whole: &Value,
    prefix: &Pointer,
    schema: &Object,
    keyword: &str,
    theirs: &[&Value],
) -> Vec<(Pointer, Value, Witness)> {
    let Some(Value::Array(branches)) = schema.get(keyword) else {
        return Vec::new();
    };
    let kept: Vec<String> = theirs
        .iter()
        .filter_map(|value| value.as_array())
        .flatten()
        .map(canonical)
        .collect();
    let mut places = Vec::new();
    for (i, branch) in branches.iter().enumerate() {
        if !kept.contains(&canonical(branch)) {
            gather(branch, &Pointer::root().key(keyword).index(i), &mut places);
        }
    }
    places.truncate(MOST);
    places
        .into_iter()
        .filter_map(|(place, value)| {
            let within = without(whole, &prefix.join(&place));
            match engine.ask_within(whole, &within) {
                Answer::Lost(witness) => Some((place, value, witness)),
                Answer::Kept | Answer::Undecided => None,
            }
        })
        .collect()
}

fn gather(schema: &Value, at: &Pointer, places: &mut Vec<(Pointer, Value)>) {
    let Value::Object(object) = schema else {
        return;
    };
    for (keyword, value) in object.iter() {
        let here = at.key(keyword);
        match (keyword, value) {
            ("properties" | "patternProperties", Value::Object(map)) => {
                for (name, schema) in map.iter() {
                    gather(schema, &here.key(name), places);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(list)) => {
                for (i, schema) in list.iter().enumerate() {
                    gather(schema, &here.index(i), places);
                }
            }
            ("items" | "additionalProperties", Value::Object(_)) => gather(value, &here, places),
            _ if CONSTRAINTS.contains(&keyword) => places.push((here, value.clone())),
            _ => {}
        }
    }
}
