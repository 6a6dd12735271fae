//! `anyOf` of a schema and `null`, as generators write an optional value: set beside a schema
//! without it, it is that schema and `null`, not another combination.

use crate::json::{Object, Value};

use super::keyword::Keyword;

/// A nullable schema taken apart.
pub(super) struct Nullable {
    /// The schema besides `null`, with what stood beside `anyOf`, which goes first.
    pub(super) schema: Object,
    /// The position of that schema in `anyOf`.
    pub(super) at: usize,
    /// The position of `null`.
    pub(super) null: usize,
    /// The names of the members that stood beside `anyOf`.
    pub(super) beside: Vec<String>,
}

/// Takes `schema` apart, if it is `anyOf` of one object schema and `null` with nothing beside but
/// words and other silent keywords.
pub(super) fn nullable(schema: &Object) -> Option<Nullable> {
    let [a, b] = schema.get("anyOf")?.as_array()? else {
        return None;
    };
    let (inner, at, null) = match (is_null(a), is_null(b)) {
        (false, true) => (a.as_object()?, 0, 1),
        (true, false) => (b.as_object()?, 1, 0),
        _ => return None,
    };
    let beside: Vec<(String, Value)> = schema
        .iter()
        .filter(|(keyword, _)| *keyword != "anyOf")
        .map(|(keyword, value)| (keyword.to_owned(), value.clone()))
        .collect();
    if !beside
        .iter()
        .all(|(keyword, _)| Keyword::of(keyword).is_silent())
    {
        return None;
    }
    let own = inner
        .iter()
        .filter(|(keyword, _)| *keyword == "anyOf" || !schema.contains_key(keyword))
        .map(|(keyword, value)| (keyword.to_owned(), value.clone()));
    Some(Nullable {
        schema: Object::new(own.chain(beside.iter().cloned()).collect()),
        at,
        null,
        beside: beside.into_iter().map(|(keyword, _)| keyword).collect(),
    })
}

fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|object| {
        object.len() == 1 && object.get("type").and_then(Value::as_str) == Some("null")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::canonical;
    use crate::json::{Limits, parse};

    fn apart(schema: &str) -> Option<String> {
        let schema = parse(schema.as_bytes(), &Limits::default())
            .expect("JSON")
            .value;
        let found = nullable(schema.as_object().expect("an object"))?;
        Some(canonical(&Value::Object(found.schema)))
    }

    #[test]
    fn an_optional_value_is_taken_apart_and_other_combinations_are_not() {
        assert_eq!(
            apart(r#"{"anyOf":[{"type":"null"},{"type":"string","title":"in"}],"title":"out"}"#)
                .as_deref(),
            Some(r#"{"title":"out","type":"string"}"#)
        );
        for other in [
            r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"null"},{"type":"integer"}]}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"null"}],"minLength":1}"#,
            r#"{"anyOf":[true,{"type":"null"}]}"#,
            r#"{"type":["string","null"]}"#,
        ] {
            assert_eq!(apart(other), None, "{other}");
        }
    }
}
