//! What a schema certainly accepts, judged by its keywords alone.
//!
//! Every answer is one-sided: `true` is a proof, `false` only means that there is none here. The
//! one thing taken for granted is that a lone `pattern` matches something.

use std::collections::BTreeSet;

use crate::canonical::number;
use crate::json::{Object, Value};

use super::keyword::{Keyword, is_trivial};
use super::text::same;

/// How deep required members and elements are followed.
const DEPTH: usize = 24;

/// The keywords that decide about numbers.
const BOUNDS: [&str; 5] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// The types that `type` can tell apart; `number` is an integer or a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    Null,
    Boolean,
    Object,
    Array,
    String,
    Integer,
    Fraction,
}

impl Type {
    /// Every type.
    pub(super) const ALL: [Type; 7] = [
        Type::Null,
        Type::Boolean,
        Type::Object,
        Type::Array,
        Type::String,
        Type::Integer,
        Type::Fraction,
    ];

    /// The type of a value; `1.0` is an integer, as since draft-06.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Boolean,
            Value::Number(number) if is_integer(number.as_str()) => Type::Integer,
            Value::Number(_) => Type::Fraction,
            Value::String(_) => Type::String,
            Value::Array(_) => Type::Array,
            Value::Object(_) => Type::Object,
        }
    }
}

/// Whether a number token denotes an integer.
fn is_integer(token: &str) -> bool {
    let text = number::canonical(token);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let fraction = mantissa
        .split_once('.')
        .map_or(0, |(_, digits)| digits.len());
    let exponent = exponent.trim_start_matches('+').parse::<i128>();
    exponent.is_ok_and(|exponent| i128::try_from(fraction).is_ok_and(|f| f <= exponent))
}

/// The types that `type` allows; all of them without it, none at all when it is not a type.
pub(super) fn types(schema: &Object) -> Option<BTreeSet<Type>> {
    let named = match schema.get("type") {
        None => return Some(Type::ALL.into()),
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
    };
    let mut found = BTreeSet::new();
    for name in named {
        match name.as_str()? {
            "null" => found.insert(Type::Null),
            "boolean" => found.insert(Type::Boolean),
            "object" => found.insert(Type::Object),
            "array" => found.insert(Type::Array),
            "string" => found.insert(Type::String),
            "integer" => found.insert(Type::Integer),
            "number" => found.insert(Type::Integer) | found.insert(Type::Fraction),
            _ => return None,
        };
    }
    Some(found)
}

/// Whether `schema` refers elsewhere, so that (up to draft-07) its other keywords may not count.
pub(super) fn has_reference(schema: &Object) -> bool {
    ["$ref", "$dynamicRef", "$recursiveRef"]
        .iter()
        .any(|name| schema.contains_key(name))
}

/// Whether `schema` declares properties in ways beside `properties`.
pub(super) fn declares_elsewhere(schema: &Object) -> bool {
    has_reference(schema)
        || [
            "allOf",
            "anyOf",
            "oneOf",
            "if",
            "then",
            "else",
            "not",
            "dependentSchemas",
            "dependencies",
            "patternProperties",
            "propertyNames",
        ]
        .iter()
        .any(|name| schema.contains_key(name))
}

/// Whether some valid value of `schema` has the property `name`, whatever value the schema of that
/// property accepts.
pub(super) fn reaches_property(schema: &Object, name: &str) -> bool {
    is_plain(schema, Type::Object, &[])
        && types(schema).is_some_and(|types| types.contains(&Type::Object))
        && required_are_inhabited(schema, Some(name), DEPTH)
}

/// Whether some valid array of `schema` has elements, and all of them can be any one value that
/// `items` accepts.
pub(super) fn reaches_elements(schema: &Object) -> bool {
    let bound = |name| schema.get(name).map(size);
    let least = bound("minItems").unwrap_or(Some(0.0));
    let most = bound("maxItems").unwrap_or(Some(f64::INFINITY));
    let repeats =
        !matches!(schema.get("uniqueItems"), Some(unique) if unique.as_bool() != Some(false));
    is_plain(
        schema,
        Type::Array,
        &["minItems", "maxItems", "uniqueItems"],
    ) && types(schema).is_some_and(|types| types.contains(&Type::Array))
        && matches!((least, most), (Some(least), Some(most))
            if most >= 1.0 && least <= most && (repeats || least <= 1.0))
}

/// Whether some valid object of `schema` lacks the property `name`.
pub(super) fn accepts_without(schema: &Object, name: &str) -> bool {
    let required = names(schema.get("required"));
    is_plain(schema, Type::Object, &[])
        && types(schema).is_some_and(|types| types.contains(&Type::Object))
        && required.is_some_and(|names| !names.contains(&name))
        && required_are_inhabited(schema, None, DEPTH)
}

/// Whether `schema` certainly accepts some value.
pub(super) fn is_inhabited(schema: &Value) -> bool {
    inhabited(schema, DEPTH)
}

/// Whether `schema`, which lists no values, certainly accepts a value of `kind`, its `type` aside.
pub(super) fn is_inhabited_by(schema: &Object, kind: Type) -> bool {
    inhabited_by(schema, kind, DEPTH)
}

/// Whether `schema`, which lists no values, certainly accepts more values of `kind` than any list
/// holds, its `type` aside.
pub(super) fn is_endless_in(schema: &Object, kind: Type) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| schema.contains_key(name));
    let ends = match kind {
        Type::Null | Type::Boolean => true,
        Type::Integer | Type::Fraction => {
            has(&["minimum", "exclusiveMinimum"]) && has(&["maximum", "exclusiveMaximum"])
        }
        Type::String => has(&["maxLength", "pattern"]),
        Type::Array => has(&["maxItems", "items"]),
        Type::Object => has(&["additionalProperties"]),
    };
    !ends && inhabited_by(schema, kind, DEPTH)
}

/// Whether every keyword of `schema` but `type`, `enum` and `const` leaves a value of `kind` alone.
pub(super) fn leaves_alone(schema: &Object, kind: Type) -> bool {
    schema.iter().all(|(name, _)| {
        matches!(Keyword::of(name), Keyword::Type | Keyword::Values) || !may_refuse(name, kind)
    })
}

/// The strings of a list of distinct or repeated names; the empty list where there is none.
pub(super) fn names(list: Option<&Value>) -> Option<Vec<&str>> {
    match list {
        None => Some(Vec::new()),
        Some(Value::Array(names)) => names.iter().map(Value::as_str).collect(),
        Some(_) => None,
    }
}

/// [`names`] as a set.
pub(super) fn name_set(list: Option<&Value>) -> Option<BTreeSet<&str>> {
    names(list).map(|names| names.into_iter().collect())
}

/// Whether the keywords that can refuse a value of `kind` are those that decide about its members
/// or elements one by one, or stand in `known`.
fn is_plain(schema: &Object, kind: Type, known: &[&str]) -> bool {
    schema.iter().all(|(name, _)| {
        matches!(
            name,
            "type" | "properties" | "required" | "additionalProperties" | "items"
        ) || known.contains(&name)
            || !may_refuse(name, kind)
    })
}

/// Whether the keyword `name` can refuse a value of `kind`.
fn may_refuse(name: &str, kind: Type) -> bool {
    let among = |kinds: &[Type]| kinds.contains(&kind);
    match name {
        name if BOUNDS.contains(&name) => among(&[Type::Integer, Type::Fraction]),
        "minLength" | "maxLength" | "pattern" => among(&[Type::String]),
        "items" | "prefixItems" | "additionalItems" | "contains" | "minContains"
        | "maxContains" | "minItems" | "maxItems" | "uniqueItems" | "unevaluatedItems" => {
            among(&[Type::Array])
        }
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "propertyNames"
        | "required"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "dependencies"
        | "unevaluatedProperties" => among(&[Type::Object]),
        "$defs" | "definitions" | "$id" | "$anchor" | "$vocabulary" => false,
        _ => !Keyword::of(name).is_silent(),
    }
}

fn inhabited(schema: &Value, depth: usize) -> bool {
    let Value::Object(object) = schema else {
        return is_trivial(schema);
    };
    if let Some(Value::Array(branches)) = object.get("anyOf")
        && let Some(depth) = depth.checked_sub(1)
        && is_alone(object, "anyOf")
    {
        return branches.iter().any(|branch| inhabited(branch, depth));
    }
    let Some(types) = types(object) else {
        return false;
    };
    if let Some(values) = listed(object) {
        let mut typed = values.into_iter().map(Type::of);
        return typed.any(|kind| types.contains(&kind) && leaves_alone(object, kind));
    }
    types
        .into_iter()
        .any(|kind| inhabited_by(object, kind, depth))
}

/// Whether no keyword beside `name` can refuse anything.
fn is_alone(schema: &Object, name: &str) -> bool {
    let mut others = schema.iter().filter(|(other, _)| *other != name);
    others.all(|(other, _)| Keyword::of(other).is_silent())
}

/// Whether `schema`, its `type`, `enum` and `const` aside, accepts some value of `kind`.
fn inhabited_by(schema: &Object, kind: Type, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match kind {
        Type::Null | Type::Boolean => leaves_alone(schema, kind),
        Type::Object => is_plain(schema, kind, &[]) && required_are_inhabited(schema, None, depth),
        // The empty array does where nothing asks for elements.
        Type::Array => {
            is_plain(schema, kind, &["uniqueItems", "maxItems", "minItems"])
                && match schema.get("minItems") {
                    None => true,
                    Some(least) if size(least) == Some(0.0) => true,
                    Some(_) => {
                        reaches_elements(schema)
                            && schema
                                .get("items")
                                .is_none_or(|items| inhabited(items, depth))
                    }
                }
        }
        Type::String => {
            let lengths = ["minLength", "maxLength"];
            let bounded = lengths.iter().any(|name| schema.contains_key(name));
            is_plain(schema, kind, &["minLength", "maxLength", "pattern"])
                && !(bounded && schema.contains_key("pattern"))
                && in_order(schema.get("minLength"), schema.get("maxLength"))
        }
        Type::Integer | Type::Fraction => numbers_inhabited(schema, kind),
    }
}

/// Whether bounds and steps leave some number of `kind`.
fn numbers_inhabited(schema: &Object, kind: Type) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| schema.contains_key(name));
    let low = has(&["minimum", "exclusiveMinimum"]);
    let high = has(&["maximum", "exclusiveMaximum"]);
    let left = match (low, high) {
        // Numbers go on without end on the open side, but not in steps of any kind.
        (true, false) | (false, true) => !has(&["multipleOf"]),
        (true, true) if !has(&["exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) => {
            match (schema.get("minimum"), schema.get("maximum")) {
                (Some(low), Some(high)) => holds_number(low, high, kind),
                _ => false,
            }
        }
        (true, true) => false,
        // Zero is a multiple of everything.
        (false, false) => kind == Type::Integer || !has(&["multipleOf"]),
    };
    left && is_plain(schema, kind, &BOUNDS)
}

/// Whether a value of `kind` certainly lies between two bounds, both allowed themselves.
fn holds_number(low: &Value, high: &Value, kind: Type) -> bool {
    match (size(low), size(high)) {
        (Some(a), Some(b)) if kind == Type::Integer => {
            a.abs() < 1e15 && b.abs() < 1e15 && Type::of(low) == Type::Integer && a <= b
        }
        (Some(a), Some(b)) => a < b,
        _ => false,
    }
}

/// Whether every required property but `except` certainly has a value that its schema accepts.
fn required_are_inhabited(schema: &Object, except: Option<&str>, depth: usize) -> bool {
    let Some(required) = names(schema.get("required")) else {
        return false;
    };
    let properties = schema.get("properties");
    let others = schema.get("additionalProperties");
    required
        .into_iter()
        .filter(|name| Some(*name) != except)
        .all(|name| match properties.and_then(|map| map.get(name)) {
            Some(property) => inhabited(property, depth),
            None => others.is_none_or(|others| inhabited(others, depth)),
        })
}

/// The values that `enum` and `const` list, whatever `type` says; `None` when there is neither, and
/// nothing where `enum` is no list.
pub(super) fn listed(schema: &Object) -> Option<Vec<&Value>> {
    let list = schema
        .get("enum")
        .map(|list| list.as_array().unwrap_or_default());
    match (list, schema.get("const")) {
        (Some(list), Some(only)) => Some(list.iter().filter(|value| same(value, only)).collect()),
        (Some(list), None) => Some(list.iter().collect()),
        (None, Some(only)) => Some(vec![only]),
        (None, None) => None,
    }
}

fn in_order(low: Option<&Value>, high: Option<&Value>) -> bool {
    match (low, high) {
        (Some(low), Some(high)) => matches!((size(low), size(high)), (Some(a), Some(b)) if a <= b),
        (None, Some(high)) => size(high).is_some_and(|high| high >= 0.0),
        (Some(low), None) => size(low).is_some(),
        (None, None) => true,
    }
}

/// A number as the nearest double.
fn size(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn read(text: &str) -> Value {
        parse(text.as_bytes(), &Limits::default())
            .expect("JSON")
            .value
    }

    fn object(text: &str) -> Object {
        read(text).as_object().expect("an object").clone()
    }

    #[test]
    fn a_number_is_an_integer_by_its_value() {
        for token in ["1", "1.0", "-0.0", "1.5e1", "1e400", "1.25e+30", "100e-2"] {
            assert!(is_integer(token), "{token}");
        }
        for token in ["1.5", "1e-1", "0.000001", "1e-7", "1.25e1"] {
            assert!(!is_integer(token), "{token}");
        }
    }

    #[test]
    fn ordinary_schemas_are_inhabited() {
        for text in [
            "true",
            "{}",
            r#"{"type":"string","minLength":1}"#,
            r#"{"type":"integer","minimum":1,"maximum":1}"#,
            r#"{"type":"number","exclusiveMinimum":0}"#,
            r#"{"enum":["a"],"type":"string"}"#,
            r#"{"type":"array","minItems":2,"items":{"type":"string"}}"#,
            r#"{"type":"object","properties":{"a":{"type":"null"}},"required":["a"]}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"A"}"#,
        ] {
            assert!(is_inhabited(&read(text)), "{text}");
        }
    }

    #[test]
    fn nothing_is_claimed_of_a_schema_that_may_refuse_everything() {
        for text in [
            "false",
            r#"{"type":"string","minLength":2,"maxLength":1}"#,
            r#"{"type":"integer","minimum":1.1,"maximum":1.9}"#,
            r#"{"enum":[1],"type":"string"}"#,
            r#"{"not":{}}"#,
            r#"{"anyOf":[false]}"#,
            r#"{"anyOf":[{"type":"string"}],"type":"null"}"#,
            r#"{"type":"object","required":["a"],"additionalProperties":false}"#,
            r#"{"type":"object","properties":{"a":false},"required":["a"]}"#,
            r#"{"type":"array","minItems":1,"maxItems":0}"#,
            r#"{"type":"array","minItems":2,"uniqueItems":true,"items":{"const":1}}"#,
            r##"{"$ref":"#/$defs/a"}"##,
        ] {
            assert!(!is_inhabited(&read(text)), "{text}");
        }
    }

    #[test]
    fn a_property_is_reached_only_past_keywords_that_decide_one_by_one() {
        assert!(reaches_property(
            &object(r#"{"type":"object","title":"T","required":["b"],"properties":{"b":{}}}"#),
            "a"
        ));
        for text in [
            r#"{"anyOf":[{"required":["a"]}]}"#,
            r#"{"maxProperties":0}"#,
            r#"{"type":"string"}"#,
            r#"{"required":["b"],"properties":{"b":false}}"#,
        ] {
            assert!(!reaches_property(&object(text), "a"), "{text}");
        }
    }
}
