//! A reference on one side and what it leads to spelled out on the other: compared as if both were
//! spelled out, so that moving a schema into `$defs` (or back, or to another name) is no change of
//! what stands in it.
//!
//! Only plain references into the root's definitions are followed, and only where nothing but
//! words and other silent keywords stands beside them: then the place means the same either way in
//! every dialect.

use crate::json::{Object, Pointer, Value};

use super::keyword::Keyword;

/// A reference taken away: the schema that it leads to, with what stood beside it.
pub(super) struct Followed {
    /// The target's members and those beside the reference, which go first.
    pub(super) schema: Object,
    /// Where the target stands in its schema document.
    pub(super) at: Pointer,
    /// The names of the members that stood beside the reference.
    pub(super) beside: Vec<String>,
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

/// Follows the reference of `schema`, which stands in the document `root`. A title that repeats the
/// definition's name is what a generator writes, and is left out.
pub(super) fn follow(root: &Value, schema: &Object) -> Option<Followed> {
    let (map, name) = target(schema)?;
    let beside: Vec<(String, Value)> = schema
        .iter()
        .filter(|(keyword, _)| *keyword != "$ref")
        .map(|(keyword, value)| (keyword.to_owned(), value.clone()))
        .collect();
    if !beside
        .iter()
        .all(|(keyword, _)| Keyword::of(keyword).is_silent())
    {
        return None;
    }
    let found = root.get(map)?.get(&name)?.as_object()?;
    let generated =
        |keyword: &str, value: &Value| keyword == "title" && value.as_str() == Some(name.as_str());
    let own = found
        .iter()
        .filter(|(keyword, value)| !schema.contains_key(keyword) && !generated(keyword, value))
        .map(|(keyword, value)| (keyword.to_owned(), value.clone()));
    // A target that is a reference itself keeps it; it is followed in its turn.
    let next = found
        .get("$ref")
        .map(|value| ("$ref".to_owned(), value.clone()));
    let members = own.chain(next).chain(beside.iter().cloned()).collect();
    Some(Followed {
        schema: Object::new(members),
        at: Pointer::root().key(map).key(&name),
        beside: beside.into_iter().map(|(keyword, _)| keyword).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::canonical;
    use crate::json::{Limits, parse};

    fn followed(schema: &str) -> Option<String> {
        let root = r##"{"$defs":{"A":{"title":"A","type":"string","description":"a"},"B":true}}"##;
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
            r##"{"type":"string"}"##,
        ] {
            assert_eq!(followed(schema), None, "{schema}");
        }
    }
}
