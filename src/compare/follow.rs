//! A reference on one side and what it leads to spelled out on the other: compared as if both were
//! spelled out, so that moving a schema into `$defs` (or back, or to another name) is no change of
//! what stands in it. An `allOf` of one schema is a wrapper like a reference.
//!
//! Only plain references into the root's definitions are followed, and only where nothing but
//! words and other silent keywords stands beside them: then the place means the same either way in
//! every dialect.

use crate::json::{Object, Pointer, Value};

use super::keyword::Keyword;

/// A wrapper taken away: the schema in it, with what stood beside it.
pub(super) struct Followed {
    /// The inner schema's members and those beside the wrapper, which go first.
    pub(super) schema: Object,
    /// Where the inner schema stands.
    pub(super) at: Inner,
    /// The names of the members that stood beside the wrapper.
    pub(super) beside: Vec<String>,
}

/// Where the schema in a wrapper stands.
pub(super) enum Inner {
    /// At this pointer of the document: a definition.
    Definition(Pointer),
    /// In the `allOf` of the wrapper itself.
    Wrapped,
}

/// The keyword by which `schema` wraps another one.
pub(super) fn wrapper(schema: &Object) -> Option<&'static str> {
    if schema.contains_key("$ref") {
        return Some("$ref");
    }
    let list = schema.get("allOf")?.as_array()?;
    matches!(list, [Value::Object(_)]).then_some("allOf")
}

/// The definition that `schema` refers to, by the name of the map and its own.
pub(super) fn target(schema: &Object) -> Option<(&str, String)> {
    let reference = schema.get("$ref")?.as_str()?;
    let pointer = Pointer::parse(reference.strip_prefix('#')?)?;
    let mut tokens = pointer.tokens();
    let (map, name) = (tokens.next()?, tokens.next()?);
    let map = ["$defs", "definitions"]
        .into_iter()
        .find(|known| *known == map)?;
    (tokens.next().is_none() && !reference.contains('%')).then_some((map, name))
}

/// Takes the wrapper of `schema` away, which stands in the document `root`. A title that repeats a
/// definition's name is what a generator writes, and is left out.
pub(super) fn follow(root: &Value, schema: &Object) -> Option<Followed> {
    let keyword = wrapper(schema)?;
    let (found, at, named) = if keyword == "allOf" {
        let inner = schema.get("allOf")?.as_array()?.first()?;
        (inner.as_object()?, Inner::Wrapped, None)
    } else {
        let (map, name) = target(schema)?;
        let found = root.get(map)?.get(&name)?.as_object()?;
        let at = Pointer::root().key(map).key(&name);
        (found, Inner::Definition(at), Some(name))
    };
    let beside: Vec<(String, Value)> = schema
        .iter()
        .filter(|(other, _)| *other != keyword)
        .map(|(keyword, value)| (keyword.to_owned(), value.clone()))
        .collect();
    let silent = |(keyword, _): &(String, Value)| Keyword::of(keyword).is_silent();
    if !beside.iter().all(silent) {
        return None;
    }
    let generated = |keyword: &str, value: &Value| {
        keyword == "title" && named.is_some() && value.as_str() == named.as_deref()
    };
    let own = found
        .iter()
        .filter(|(keyword, value)| !schema.contains_key(keyword) && !generated(keyword, value))
        .map(|(keyword, value)| (keyword.to_owned(), value.clone()));
    // An inner schema that is such a wrapper itself keeps that; it is followed in its turn.
    let next = found
        .get(keyword)
        .map(|value| (keyword.to_owned(), value.clone()));
    let members = own.chain(next).chain(beside.iter().cloned()).collect();
    Some(Followed {
        schema: Object::new(members),
        at,
        beside: beside.into_iter().map(|(keyword, _)| keyword).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::canonical;
    use crate::json::{Limits, parse};

    fn followed(schema: &str) -> Option<String> {
        let root = r#"{"$defs":{"A":{"title":"A","type":"string","description":"a"},"B":true}}"#;
        let read = |text: &str| {
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        let schema = read(schema);
        let followed = follow(&read(root), schema.as_object().expect("an object"))?;
        Some(canonical(&Value::Object(followed.schema)))
    }

    #[test]
    fn words_beside_a_reference_come_before_those_of_its_target() {
        assert_eq!(
            followed(r##"{"$ref":"#/$defs/A"}"##).as_deref(),
            Some(r#"{"description":"a","type":"string"}"#)
        );
        assert_eq!(
            followed(r##"{"$ref":"#/$defs/A","description":"b"}"##).as_deref(),
            Some(r#"{"description":"b","type":"string"}"#)
        );
    }

    #[test]
    fn only_plain_references_to_definitions_are_followed() {
        for schema in [
            r##"{"$ref":"#/$defs/A","minLength":1}"##,
            r##"{"$ref":"#/$defs/B"}"##,
            r##"{"$ref":"#/$defs/C"}"##,
            r##"{"$ref":"#/properties/a"}"##,
            r##"{"$ref":"#/$defs/A/items"}"##,
            r##"{"$ref":"#"}"##,
            r#"{"allOf":[{},{}]}"#,
            r#"{"allOf":[{}],"minLength":1}"#,
            r#"{"type":"string"}"#,
        ] {
            assert_eq!(followed(schema), None, "{schema}");
        }
    }
}
