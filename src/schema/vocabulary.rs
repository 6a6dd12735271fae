//! Vocabularies (2019-09 and later): which ones a schema asks its readers to know.
//!
//! A metaschema says so in `$vocabulary`, and the only metaschemas that mcplock sees are the
//! published ones and those embedded in the schema itself. At the root of a schema the keyword is
//! taken for the same wish, though the standard has effect for it in metaschemas alone: who writes
//! it there means it.

use crate::json::{Object, Pointer, Value};

use super::dialect::{Declared, Dialect, declared};

/// The names of the vocabularies of a dialect; those that say what is valid first.
fn names(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Draft2019_09 => &[
            "core",
            "applicator",
            "validation",
            "meta-data",
            "format",
            "content",
        ],
        Dialect::Draft2020_12 => &[
            "core",
            "applicator",
            "validation",
            "unevaluated",
            "meta-data",
            "format-annotation",
            "format-assertion",
            "content",
        ],
        _ => &[],
    }
}

/// How many of [`names`] say what is valid.
fn asserting(dialect: Dialect) -> usize {
    match dialect {
        Dialect::Draft2019_09 => 3,
        Dialect::Draft2020_12 => 4,
        _ => 0,
    }
}

fn uri(dialect: Dialect, name: &str) -> String {
    format!("https://json-schema.org/draft/{dialect}/vocab/{name}")
}

fn is_known(vocabulary: &str) -> bool {
    Dialect::ALL.into_iter().any(|dialect| {
        names(dialect)
            .iter()
            .any(|name| uri(dialect, name) == vocabulary)
    })
}

/// Where `schema`, or the metaschema in it that its `$schema` names, asks for a vocabulary that is
/// not known.
pub fn unknown_vocabulary(schema: &Value) -> Option<Pointer> {
    let root = Pointer::root().key("$vocabulary");
    match declared(schema) {
        Declared::Known(dialect) if dialect < Dialect::Draft2019_09 => None,
        Declared::Unknown => {
            let (place, metaschema) = embedded_metaschema(schema)?;
            asks_for_unknown(metaschema).then(|| place.key("$vocabulary"))
        }
        _ => asks_for_unknown(schema).then_some(root),
    }
}

fn asks_for_unknown(schema: &Value) -> bool {
    let vocabularies = schema.get("$vocabulary").and_then(Value::as_object);
    vocabularies.is_some_and(|vocabularies| {
        vocabularies
            .iter()
            .any(|(name, needed)| *needed == Value::Bool(true) && !is_known(name))
    })
}

/// `schema` with the published dialect in place of its `$schema`, if that names a metaschema which
/// is embedded in it and adds nothing to the dialect that a reader must know.
pub fn settled(schema: &Value) -> Option<Value> {
    if declared(schema) != Declared::Unknown {
        return None;
    }
    let (_, metaschema) = embedded_metaschema(schema)?;
    let Declared::Known(dialect) = declared(metaschema) else {
        return None;
    };
    let vocabularies = metaschema.get("$vocabulary")?;
    let needed = &names(dialect)[..asserting(dialect)];
    let whole = !needed.is_empty()
        && needed
            .iter()
            .all(|name| vocabularies.get(&uri(dialect, name)).is_some());
    if !whole || asks_for_unknown(metaschema) {
        return None;
    }
    let mut members = schema.as_object()?.members().to_vec();
    for (key, value) in &mut members {
        if key == "$schema" {
            *value = Value::String(dialect.uri().to_owned());
        }
    }
    Some(Value::Object(Object::new(members)))
}

/// The schema among the definitions of `schema` whose `$id` is its `$schema`.
fn embedded_metaschema(schema: &Value) -> Option<(Pointer, &Value)> {
    let name = schema.get("$schema")?.as_str()?.trim_end_matches('#');
    ["$defs", "definitions"].into_iter().find_map(|keyword| {
        let definitions = schema.get(keyword)?.as_object()?;
        definitions.iter().find_map(|(key, value)| {
            let id = value.get("$id")?.as_str()?.trim_end_matches('#');
            (id == name).then(|| (Pointer::root().key(keyword).key(key), value))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn value(text: &str) -> Value {
        parse(text.as_bytes(), &Limits::default()).unwrap().value
    }

    /// A schema whose metaschema is embedded and has these vocabularies more.
    fn custom(left_out: &str, more: &str) -> Value {
        let own: Vec<String> = names(Dialect::Draft2020_12)
            .iter()
            .filter(|name| **name != left_out && **name != "format-assertion")
            .map(|name| format!("\"{}\":true", uri(Dialect::Draft2020_12, name)))
            .collect();
        value(&format!(
            r#"{{"$schema":"https://x.example/meta","type":"object","$defs":{{"m":{{
                "$id":"https://x.example/meta","$schema":"https://json-schema.org/draft/2020-12/schema",
                "$vocabulary":{{{}{more}}}}}}}}}"#,
            own.join(",")
        ))
    }

    #[test]
    fn a_vocabulary_that_must_be_known_and_is_not_is_found() {
        let found = unknown_vocabulary(&custom("", r#","https://x.example/v":true"#)).unwrap();
        assert_eq!(found.as_str(), "/$defs/m/$vocabulary");
        let root = value(r#"{"$vocabulary":{"https://x.example/v":true},"type":"object"}"#);
        assert_eq!(unknown_vocabulary(&root).unwrap().as_str(), "/$vocabulary");
    }

    #[test]
    fn one_that_need_not_be_known_leaves_the_dialect_what_it_is() {
        let schema = custom("", r#","https://x.example/v":false"#);
        assert_eq!(unknown_vocabulary(&schema), None);
        let settled = settled(&schema).unwrap();
        assert_eq!(declared(&settled), Declared::Known(Dialect::Draft2020_12));
        let root = value(r#"{"$vocabulary":{"https://x.example/v":false},"type":"object"}"#);
        assert_eq!(unknown_vocabulary(&root), None);
    }

    #[test]
    fn a_metaschema_that_leaves_a_vocabulary_out_is_another_dialect() {
        assert_eq!(settled(&custom("validation", "")), None);
        assert!(settled(&custom("content", "")).is_some());
    }

    #[test]
    fn an_older_dialect_has_no_vocabularies() {
        let schema = value(
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","$vocabulary":{"https://x.example/v":true}}"#,
        );
        assert_eq!(unknown_vocabulary(&schema), None);
    }
}
