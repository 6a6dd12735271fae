//! Keywords that a schema's dialect does not know, and what depends on the dialect guessed.

use crate::json::{Pointer, Value};
use crate::schema::{Dialect, Outline, Subschema};

use super::{FaultKind, Report};

/// Keywords that constrain, with the first and the last dialect in which they do.
const CONSTRAINING: &[(&str, Dialect, Dialect)] = &[
    ("prefixItems", Dialect::Draft2020_12, Dialect::Draft2020_12),
    ("additionalItems", Dialect::Draft4, Dialect::Draft2019_09),
    ("dependencies", Dialect::Draft4, Dialect::Draft7),
    (
        "dependentRequired",
        Dialect::Draft2019_09,
        Dialect::Draft2020_12,
    ),
    (
        "dependentSchemas",
        Dialect::Draft2019_09,
        Dialect::Draft2020_12,
    ),
    (
        "unevaluatedItems",
        Dialect::Draft2019_09,
        Dialect::Draft2020_12,
    ),
    (
        "unevaluatedProperties",
        Dialect::Draft2019_09,
        Dialect::Draft2020_12,
    ),
    ("minContains", Dialect::Draft2019_09, Dialect::Draft2020_12),
    ("maxContains", Dialect::Draft2019_09, Dialect::Draft2020_12),
    ("contains", Dialect::Draft6, Dialect::Draft2020_12),
    ("const", Dialect::Draft6, Dialect::Draft2020_12),
    ("propertyNames", Dialect::Draft6, Dialect::Draft2020_12),
    ("if", Dialect::Draft7, Dialect::Draft2020_12),
    ("$dynamicRef", Dialect::Draft2020_12, Dialect::Draft2020_12),
    (
        "$recursiveRef",
        Dialect::Draft2019_09,
        Dialect::Draft2019_09,
    ),
];

/// Keywords beside a `$ref` that constrain in every dialect which looks at them.
const BESIDE_A_REFERENCE: &[&str] = &[
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

/// The keywords of `schema` that constrain nothing in its dialect, though they do in another.
fn without_effect<'v>(subschema: &Subschema<'_, 'v>) -> impl Iterator<Item = &'v str> {
    let dialect = subschema.dialect();
    let hidden = subschema.is_mere_reference();
    let object = subschema.value().as_object();
    let has_tuple = matches!(subschema.value().get("items"), Some(Value::Array(_)));
    object
        .into_iter()
        .flat_map(|object| object.iter().map(|(keyword, _)| keyword))
        .filter(move |keyword| {
            if hidden {
                return BESIDE_A_REFERENCE.contains(keyword);
            }
            // without a tuple `additionalItems` says nothing in any dialect
            let counts = *keyword != "additionalItems" || has_tuple;
            let known = CONSTRAINING.iter().find(|(known, ..)| known == keyword);
            counts && known.is_some_and(|(_, first, last)| dialect < *first || dialect > *last)
        })
}

/// A schema that says which dialect it is in, or whose revision does.
pub(super) fn check(outline: &Outline, at: &Pointer, report: &mut Report) {
    for subschema in outline.subschemas() {
        let dialect = subschema.dialect();
        for keyword in without_effect(&subschema) {
            let why = if subschema.is_mere_reference() {
                "everything beside a `$ref` is ignored"
            } else {
                "the keyword is not known"
            };
            report.fault(
                FaultKind::KeywordWithoutEffect,
                at.join(&subschema.pointer()).key(keyword),
                format!("`{keyword}` constrains nothing: in {dialect} {why}"),
            );
        }
    }
}

/// A schema that does not say, read both ways.
pub(super) fn compare(newest: &Outline, common: &Outline, at: &Pointer, report: &mut Report) {
    for (outline, other) in [(newest, Dialect::Draft7), (common, Dialect::Draft2020_12)] {
        for subschema in outline.subschemas() {
            for keyword in without_effect(&subschema) {
                report.fault(
                    FaultKind::DialectDependent,
                    at.join(&subschema.pointer()).key(keyword),
                    format!(
                        "without `$schema`, and the revision leaves the dialect open: `{keyword}` \
                         constrains in {other} only"
                    ),
                );
            }
        }
    }
}
