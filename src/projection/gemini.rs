//! Gemini's `Schema`, a cut of `OpenAPI` 3.0, as JSON Schema.
//!
//! Pure. Places stay where they are: only the spelling of a keyword's value changes. The type names
//! are upper case, `nullable` admits null, 64-bit integers are strings, and the client libraries
//! write the names of members in snake case.

use crate::json::{Number, Object, Value};

/// Whether `schema` is spelled in upper-case types, as only Gemini's is.
pub(super) fn is_open_api(schema: Option<&Value>) -> bool {
    schema
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str)
        .is_some_and(|kind| kind.len() > 1 && kind.chars().all(|c| c.is_ascii_uppercase()))
}

/// `schema` in JSON Schema.
pub(super) fn json_schema(schema: &Value) -> Value {
    let Value::Object(object) = schema else {
        return schema.clone();
    };
    let nullable = object.get("nullable").and_then(Value::as_bool) == Some(true);
    let mut members: Vec<(String, Value)> = Vec::new();
    for (name, value) in object.iter() {
        let name = keyword(name);
        let value = match name {
            "nullable" | "propertyOrdering" => continue,
            "type" => match kind(value, nullable) {
                Some(kind) => kind,
                None => continue,
            },
            "enum" if nullable => with_null(value),
            "properties" | "$defs" => map(value),
            "items" | "additionalProperties" => json_schema(value),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => list(value),
            "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties"
            | "maxProperties" => count(value),
            _ => value.clone(),
        };
        members.push((name.to_owned(), value));
    }
    if nullable && !object.contains_key("type") && object.contains_key("anyOf") {
        let null = Value::Object(Object::new(vec![("type".to_owned(), text("null"))]));
        for (name, value) in &mut members {
            if let ("anyOf", Value::Array(branches)) = (name.as_str(), value) {
                branches.push(null.clone());
            }
        }
    }
    Value::Object(Object::new(members))
}

/// The keyword that a member name in snake case stands for.
fn keyword(name: &str) -> &str {
    match name {
        "any_of" => "anyOf",
        "min_items" => "minItems",
        "max_items" => "maxItems",
        "min_length" => "minLength",
        "max_length" => "maxLength",
        "min_properties" => "minProperties",
        "max_properties" => "maxProperties",
        "additional_properties" => "additionalProperties",
        "property_ordering" => "propertyOrdering",
        "defs" => "$defs",
        "ref" => "$ref",
        other => other,
    }
}

/// A type in lower case, with null where it is nullable; none where it is unspecified.
fn kind(value: &Value, nullable: bool) -> Option<Value> {
    let Value::String(kind) = value else {
        return Some(value.clone());
    };
    if kind == "TYPE_UNSPECIFIED" {
        return None;
    }
    let kind = text(&kind.to_ascii_lowercase());
    Some(if nullable {
        Value::Array(vec![kind, text("null")])
    } else {
        kind
    })
}

fn with_null(value: &Value) -> Value {
    match value {
        Value::Array(values) if !values.contains(&Value::Null) => {
            let mut values = values.clone();
            values.push(Value::Null);
            Value::Array(values)
        }
        other => other.clone(),
    }
}

fn map(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(name, schema)| (name.to_owned(), json_schema(schema)));
            Value::Object(Object::new(members.collect()))
        }
        other => other.clone(),
    }
}

fn list(value: &Value) -> Value {
    match value {
        Value::Array(schemas) => Value::Array(schemas.iter().map(json_schema).collect()),
        other => other.clone(),
    }
}

fn count(value: &Value) -> Value {
    match value {
        Value::String(digits)
            if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            Value::Number(Number::new(digits))
        }
        other => other.clone(),
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}
