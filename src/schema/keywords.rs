//! What each keyword of each dialect may hold: the metaschemas as one table.
//!
//! A keyword that the table does not know may hold anything.

use super::Dialect;

/// What a keyword's value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A schema.
    Schema,
    /// A schema or, where booleans are no schemas, a boolean.
    SchemaOrBoolean,
    /// A non-empty array of schemas.
    Schemas,
    /// A schema, or a non-empty array of them.
    SchemaOrSchemas,
    /// An object of schemas.
    SchemaMap,
    /// An object of schemas whose keys are patterns.
    PatternMap,
    /// An object whose values are schemas or arrays of names.
    Dependencies,
    /// An array of different strings.
    Names,
    /// The same, not empty.
    SomeNames,
    /// An object of arrays of different strings.
    NamesMap,
    /// A non-negative integer.
    Count,
    /// A number.
    Number,
    /// A number above zero.
    Positive,
    /// A boolean.
    Boolean,
    /// A string.
    Text,
    /// A string that is a regular expression.
    Pattern,
    /// A string without a fragment, except an empty one.
    Id,
    /// A name for a place.
    Anchor,
    /// An array of anything.
    Array,
    /// A type's name, or a non-empty array of different ones.
    Types,
    /// An object of booleans.
    Vocabularies,
}

/// How a subschema is applied to an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// To the instance itself.
    InPlace,
    /// To parts of it.
    Inside,
    /// Not at all; others refer to it, or it describes decoded content.
    Never,
}

/// What `keyword` must hold in `dialect`; none when anything goes.
pub fn shape(dialect: Dialect, keyword: &str) -> Option<Shape> {
    use Dialect::{Draft4, Draft6, Draft7, Draft2019_09, Draft2020_12};
    let since = |first: Dialect, shape| (dialect >= first).then_some(shape);
    let until = |last: Dialect, shape| (dialect <= last).then_some(shape);
    match keyword {
        "allOf" | "anyOf" | "oneOf" => Some(Shape::Schemas),
        "not" => Some(Shape::Schema),
        "properties" | "definitions" => Some(Shape::SchemaMap),
        "patternProperties" => Some(Shape::PatternMap),
        "additionalProperties" => Some(Shape::SchemaOrBoolean),
        "additionalItems" => until(Draft2019_09, Shape::SchemaOrBoolean),
        "items" if dialect == Draft2020_12 => Some(Shape::Schema),
        "items" => Some(Shape::SchemaOrSchemas),
        "prefixItems" => since(Draft2020_12, Shape::Schemas),
        "contains" | "propertyNames" => since(Draft6, Shape::Schema),
        "if" | "then" | "else" => since(Draft7, Shape::Schema),
        "unevaluatedItems" | "unevaluatedProperties" | "contentSchema" => {
            since(Draft2019_09, Shape::Schema)
        }
        "$defs" | "dependentSchemas" => since(Draft2019_09, Shape::SchemaMap),
        // 2019-09 and 2020-12 keep the old keyword in their metaschema
        "dependencies" => Some(Shape::Dependencies),
        "dependentRequired" => since(Draft2019_09, Shape::NamesMap),
        "required" if dialect == Draft4 => Some(Shape::SomeNames),
        "required" => Some(Shape::Names),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            Some(Shape::Count)
        }
        "minContains" | "maxContains" => since(Draft2019_09, Shape::Count),
        "exclusiveMinimum" | "exclusiveMaximum" if dialect == Draft4 => Some(Shape::Boolean),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Some(Shape::Number),
        "multipleOf" => Some(Shape::Positive),
        "uniqueItems" => Some(Shape::Boolean),
        "deprecated" => since(Draft2019_09, Shape::Boolean),
        "readOnly" | "writeOnly" => since(Draft7, Shape::Boolean),
        "pattern" => Some(Shape::Pattern),
        "title" | "description" | "format" | "$schema" => Some(Shape::Text),
        "$comment" | "contentMediaType" | "contentEncoding" => since(Draft7, Shape::Text),
        "$id" if dialect >= Draft2019_09 => Some(Shape::Id),
        "$ref" | "$id" => since(Draft6, Shape::Text),
        "$dynamicRef" => since(Draft2020_12, Shape::Text),
        "$recursiveRef" => since(Draft2019_09, Shape::Text),
        "$recursiveAnchor" if dialect == Draft2019_09 => Some(Shape::Boolean),
        "$recursiveAnchor" | "$dynamicAnchor" => since(Draft2020_12, Shape::Anchor),
        "id" => until(Draft4, Shape::Text),
        "$anchor" => since(Draft2019_09, Shape::Anchor),
        "$vocabulary" => since(Draft2019_09, Shape::Vocabularies),
        "enum" => Some(Shape::Array),
        "examples" => since(Draft6, Shape::Array),
        "type" => Some(Shape::Types),
        _ => None,
    }
}

/// How the subschemas under `keyword` are applied in `dialect`; none when it holds none.
pub fn application(dialect: Dialect, keyword: &str) -> Option<Application> {
    let shape = shape(dialect, keyword)?;
    match keyword {
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas" => {
            Some(Application::InPlace)
        }
        "dependencies" if dialect < Dialect::Draft2019_09 => Some(Application::InPlace),
        "definitions" | "$defs" | "contentSchema" | "dependencies" => Some(Application::Never),
        _ => matches!(
            shape,
            Shape::Schema
                | Shape::SchemaOrBoolean
                | Shape::Schemas
                | Shape::SchemaOrSchemas
                | Shape::SchemaMap
                | Shape::PatternMap
        )
        .then_some(Application::Inside),
    }
}
