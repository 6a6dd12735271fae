//! What the keywords of JSON Schema hold, in every dialect from draft-04 to 2020-12.
//!
//! A schema is walked by these positions, so that a property called `description` is never taken
//! for words, and what stands in `enum`, `const`, `default` or `examples` never for a schema.

use crate::json::{Object, Value};

/// What stands under a keyword of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    /// Text for readers: `description`, `title`, `$comment`, `examples`.
    Words,
    /// `default`.
    Default,
    /// `type`.
    Type,
    /// `enum`, `const`: the allowed values themselves.
    Values,
    /// `properties`.
    Properties,
    /// `required`.
    Required,
    /// A map from names to schemas.
    SchemaMap,
    /// A map from names to sets of names, or (`dependencies`) to schemas.
    DependencyMap,
    /// One schema.
    Schema,
    /// `items`: one schema, or (up to 2019-09) a tuple of them.
    Items,
    /// A list of schemas whose order means nothing: `allOf`, `anyOf`, `oneOf`.
    SchemaSet,
    /// A list of schemas by position: `prefixItems`.
    Tuple,
    /// `format` and `content…`, which are not asserted.
    Format,
    /// `$schema`.
    Dialect,
    /// Any other keyword that decides what is valid: bounds, patterns, references, identifiers.
    Assertion,
    /// A keyword that decides nothing: `readOnly`, `x-mcp-header`, anything unknown.
    Annotation,
}

impl Keyword {
    /// What stands under the keyword `name`.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "description" | "title" | "$comment" | "examples" => Keyword::Words,
            "default" => Keyword::Default,
            "type" => Keyword::Type,
            "enum" | "const" => Keyword::Values,
            "properties" => Keyword::Properties,
            "required" => Keyword::Required,
            "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                Keyword::SchemaMap
            }
            "dependencies" | "dependentRequired" => Keyword::DependencyMap,
            "additionalProperties"
            | "additionalItems"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "contains"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else" => Keyword::Schema,
            "items" => Keyword::Items,
            "allOf" | "anyOf" | "oneOf" => Keyword::SchemaSet,
            "prefixItems" => Keyword::Tuple,
            "format" | "contentEncoding" | "contentMediaType" | "contentSchema" => Keyword::Format,
            "$schema" => Keyword::Dialect,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
            | "minLength" | "maxLength" | "pattern" | "minItems" | "maxItems" | "uniqueItems"
            | "minContains" | "maxContains" | "minProperties" | "maxProperties" | "$ref"
            | "$dynamicRef" | "$recursiveRef" | "$id" | "id" | "$anchor" | "$dynamicAnchor"
            | "$recursiveAnchor" | "$vocabulary" => Keyword::Assertion,
            _ => Keyword::Annotation,
        }
    }

    /// Whether nothing under the keyword can refuse a value.
    pub(super) fn is_silent(self) -> bool {
        matches!(
            self,
            Keyword::Words
                | Keyword::Default
                | Keyword::Format
                | Keyword::Dialect
                | Keyword::Annotation
        )
    }
}

/// Whether `schema` accepts every value and says nothing: `true` or `{}`.
pub(super) fn is_trivial(schema: &Value) -> bool {
    match schema {
        Value::Bool(accepts) => *accepts,
        Value::Object(object) => object.is_empty(),
        _ => false,
    }
}

/// The direct subschemas of `schema`, each with the keyword that holds it.
pub(super) fn subschemas(schema: &Object) -> Vec<(&str, &Value)> {
    let mut found = Vec::new();
    for (name, value) in schema.iter() {
        match (Keyword::of(name), value) {
            (Keyword::Schema, _) | (Keyword::Items, Value::Object(_) | Value::Bool(_)) => {
                found.push((name, value));
            }
            (Keyword::Properties | Keyword::SchemaMap, Value::Object(map)) => {
                found.extend(map.iter().map(|(_, schema)| (name, schema)));
            }
            (Keyword::DependencyMap, Value::Object(map)) => {
                let schemas = map.iter().filter(|(_, value)| value.as_array().is_none());
                found.extend(schemas.map(|(_, schema)| (name, schema)));
            }
            (Keyword::SchemaSet | Keyword::Tuple | Keyword::Items, Value::Array(list)) => {
                found.extend(list.iter().map(|schema| (name, schema)));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn a_property_called_description_is_a_schema_and_an_example_is_not() {
        let text = br#"{"properties":{"description":{"type":"string"}},
            "examples":[{"properties":{}}],"items":[true,{}],"dependencies":{"a":["b"],"c":{}}}"#;
        let document = parse(text, &Limits::default()).expect("JSON");
        let schema = document.value.as_object().expect("an object");
        let names: Vec<&str> = subschemas(schema).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["properties", "items", "items", "dependencies"]);
    }
}
