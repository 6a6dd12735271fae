//! The form of a schema in which spellings without meaning are gone.
//!
//! Two schemas of one form accept the same values; it serves to find partners, not to be shown.

use crate::canonical::canonical;
use crate::json::{Object, Value};

use super::keyword::Keyword;

/// `schema` in canonical text, with every list sorted whose order means nothing, and `{}` for
/// `true`.
pub(super) fn normal(schema: &Value) -> String {
    canonical(&form(schema))
}

fn form(schema: &Value) -> Value {
    match schema {
        Value::Bool(true) => Value::Object(Object::default()),
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(name, value)| (name.to_owned(), member(Keyword::of(name), value)));
            Value::Object(Object::new(members.collect()))
        }
        other => other.clone(),
    }
}

fn member(keyword: Keyword, value: &Value) -> Value {
    match (keyword, value) {
        (Keyword::Type | Keyword::Values | Keyword::Required, Value::Array(list)) => {
            sorted(list, Value::clone)
        }
        (Keyword::SchemaSet, Value::Array(list)) => sorted(list, form),
        (Keyword::Tuple | Keyword::Items, Value::Array(list)) => {
            Value::Array(list.iter().map(form).collect())
        }
        (Keyword::Properties | Keyword::SchemaMap | Keyword::DependencyMap, Value::Object(map)) => {
            let entries = map.iter().map(|(name, entry)| {
                let entry = match entry {
                    Value::Array(names) => sorted(names, Value::clone),
                    schema => form(schema),
                };
                (name.to_owned(), entry)
            });
            Value::Object(Object::new(entries.collect()))
        }
        (Keyword::Schema | Keyword::Items, schema) => form(schema),
        (_, value) => value.clone(),
    }
}

fn sorted(list: &[Value], form: impl Fn(&Value) -> Value) -> Value {
    let mut list: Vec<Value> = list.iter().map(form).collect();
    list.sort_by_cached_key(canonical);
    Value::Array(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn of(text: &str) -> String {
        normal(
            &parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value,
        )
    }

    #[test]
    fn order_without_meaning_is_gone_at_any_depth() {
        assert_eq!(
            of(r#"{"anyOf":[{"required":["b","a"]},true],"enum":[2.0,1]}"#),
            of(r#"{"enum":[1,2],"anyOf":[{},{"required":["a","b"]}]}"#)
        );
    }

    #[test]
    fn order_with_meaning_and_data_stay() {
        assert_ne!(
            of(r#"{"prefixItems":[true,false]}"#),
            of(r#"{"prefixItems":[false,true]}"#)
        );
        assert_ne!(
            of(r#"{"const":{"enum":[1,2]}}"#),
            of(r#"{"const":{"enum":[2,1]}}"#)
        );
        assert_ne!(
            of(r#"{"default":["a","b"]}"#),
            of(r#"{"default":["b","a"]}"#)
        );
    }
}
