//! Bounds beyond which no interoperable integer lies.
//!
//! Some generators write `maximum: 9007199254740991` (2^53 - 1) for every integer, others nothing.
//! RFC 8259 section 6 calls integers in that range interoperable and promises nothing beyond, so
//! that such a bound is worth nothing, by policy. A schema is compared as written first; what only
//! these bounds tell apart is then found by leaving them out.

use crate::json::{Object, Value};

use super::keyword::Keyword;
use super::reach::{self, Type};

/// The bound of either keyword that says nothing.
fn limit(keyword: &str) -> Option<&'static str> {
    match keyword {
        "maximum" => Some("9007199254740991"),
        "minimum" => Some("-9007199254740991"),
        _ => None,
    }
}

/// Whether the member `keyword` of `schema` is such a bound.
fn is_idle(schema: &Object, keyword: &str, value: &Value) -> bool {
    let Value::Number(number) = value else {
        return false;
    };
    let integers = reach::types(schema).is_some_and(|types| !types.contains(&Type::Fraction));
    integers
        && limit(keyword)
            .is_some_and(|limit| crate::canonical::number::canonical(number.as_str()) == limit)
}

/// Whether the bounds `keyword` of two schemas differ in nothing but such a bound.
pub(super) fn same_bound(keyword: &str, old: &Object, new: &Object) -> bool {
    let idle = |schema: &Object| {
        schema
            .get(keyword)
            .is_none_or(|value| is_idle(schema, keyword, value))
    };
    let integers = |schema: &Object| {
        reach::types(schema).is_some_and(|types| !types.contains(&Type::Fraction))
    };
    limit(keyword).is_some() && integers(old) && integers(new) && idle(old) && idle(new)
}

/// `schema` without such bounds; none where it has none.
pub(super) fn without_bounds(schema: &Value) -> Option<Value> {
    let mut cut = 0;
    let schema = bare(schema, &mut cut);
    (cut > 0).then_some(schema)
}

fn bare(schema: &Value, cut: &mut usize) -> Value {
    let Value::Object(object) = schema else {
        return schema.clone();
    };
    let mut members = Vec::new();
    for (name, value) in object.iter() {
        if is_idle(object, name, value) {
            *cut += 1;
            continue;
        }
        let value = match (Keyword::of(name), value) {
            (Keyword::Schema | Keyword::Items, Value::Object(_)) => bare(value, cut),
            (
                Keyword::Properties | Keyword::SchemaMap | Keyword::DependencyMap,
                Value::Object(map),
            ) => {
                let entries = map
                    .iter()
                    .map(|(name, schema)| (name.to_owned(), bare(schema, cut)));
                Value::Object(Object::new(entries.collect()))
            }
            (Keyword::SchemaSet | Keyword::Tuple | Keyword::Items, Value::Array(list)) => {
                Value::Array(list.iter().map(|schema| bare(schema, cut)).collect())
            }
            _ => value.clone(),
        };
        members.push((name.to_owned(), value));
    }
    Value::Object(Object::new(members))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::canonical;
    use crate::json::{Limits, parse};

    #[test]
    fn only_the_bounds_of_integers_at_the_edge_are_idle() {
        let read = |text: &str| {
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        let cut = |text: &str| without_bounds(&read(text)).map(|schema| canonical(&schema));
        assert_eq!(
            cut(r#"{"properties":{"a":{"type":"integer","maximum":9007199254740991.0,"minimum":1}}}"#).as_deref(),
            Some(r#"{"properties":{"a":{"minimum":1,"type":"integer"}}}"#)
        );
        assert_eq!(cut(r#"{"type":"number","maximum":9007199254740991}"#), None);
        assert_eq!(
            cut(r#"{"type":"integer","maximum":9007199254740990}"#),
            None
        );
        assert_eq!(
            cut(r#"{"default":{"type":"integer","maximum":9007199254740991}}"#),
            None
        );
    }
}
