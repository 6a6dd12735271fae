//! The keywords that refuse values, and what can be said of one without asking the engine.
//!
//! Pure.

use crate::canonical::canonical;
use crate::json::Value;

/// Keywords that refuse values by themselves.
pub(super) const LEAVES: [&str; 25] = [
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
    "contains",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "anyOf",
    "oneOf",
    "not",
    "if",
];

/// Keywords that count only together with a first one.
pub(super) const COUPLED: [(&str, &str); 6] = [
    ("if", "then"),
    ("if", "else"),
    ("contains", "minContains"),
    ("contains", "maxContains"),
    ("minimum", "exclusiveMinimum"),
    ("maximum", "exclusiveMaximum"),
];

/// Whether a side that says `theirs` under `keyword` refuses all that `own` refuses.
pub(super) fn keeps(keyword: &str, own: &Value, theirs: &Value) -> bool {
    if canonical(own) == canonical(theirs) {
        return true;
    }
    let list = |value: &Value| match value {
        Value::Array(values) => values.iter().map(canonical).collect::<Vec<_>>(),
        one => vec![canonical(one)],
    };
    match keyword {
        "type" => {
            let own = list(own);
            list(theirs).iter().all(|kind| {
                own.contains(kind)
                    || (kind == "\"integer\"" && own.iter().any(|own| own == "\"number\""))
            })
        }
        "enum" => {
            let own = list(own);
            list(theirs).iter().all(|value| own.contains(value))
        }
        _ => false,
    }
}

/// The keywords below `schema` that can refuse a value, each once, in the order met.
pub(super) fn constraints_below(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(schema, &mut found);
    found
}

fn collect(schema: &Value, found: &mut Vec<String>) {
    let Value::Object(object) = schema else {
        return;
    };
    for (keyword, value) in object.iter() {
        match keyword {
            "properties" | "patternProperties" => {
                if let Value::Object(map) = value {
                    for (_, schema) in map.iter() {
                        collect(schema, found);
                    }
                }
                continue;
            }
            "items" | "additionalItems" if value.as_array().is_none() => {
                collect(value, found);
                continue;
            }
            "prefixItems" | "items" => {
                if let Value::Array(list) = value {
                    for schema in list {
                        collect(schema, found);
                    }
                }
                continue;
            }
            "additionalProperties" if is_trivial(value) => continue,
            "$ref" | "allOf" | "required" | "additionalProperties" => {}
            _ if LEAVES.contains(&keyword) => {}
            _ => continue,
        }
        if !found.iter().any(|known| known == keyword) {
            found.push(keyword.to_owned());
        }
    }
}

pub(super) fn is_trivial(schema: &Value) -> bool {
    match schema {
        Value::Bool(accepts) => *accepts,
        Value::Object(object) => object.is_empty(),
        _ => true,
    }
}

pub(super) fn tuple_length(value: Option<&Value>) -> usize {
    value.and_then(Value::as_array).map_or(0, <[Value]>::len)
}
