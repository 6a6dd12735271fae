//! From an item to its contract.

use std::borrow::Cow;

use crate::catalog::{Item, Kind};
use crate::json::{Object, Value};

use super::{Digest, jcs};

/// The part of an item that reaches a model or a host, in canonical form, with its digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// Canonical form of the contract.
    pub canonical: String,
    /// Digest of the whole contract.
    pub digest: Digest,
    /// Digest of `inputSchema`; only for a tool that has one.
    pub schema: Option<Digest>,
    /// Digest of `description`; only for a tool that has one.
    pub description: Option<Digest>,
}

/// The contract of `item`; none when its document is not sound, so that it has no canonical form.
pub fn contract(item: &Item) -> Option<Contract> {
    let value = cut(item.kind, item.document.sound()?);
    // White space and escapes make the raw text the longer one, almost always.
    Some(Contract::with_capacity(item.raw.len(), item.kind, &value))
}

impl Contract {
    /// The contract with the value `value`, which has been cut by [`contract_value`].
    pub fn of(kind: Kind, value: &Value) -> Self {
        Contract::with_capacity(0, kind, value)
    }

    fn with_capacity(capacity: usize, kind: Kind, value: &Value) -> Self {
        let mut canonical = String::with_capacity(capacity);
        let (mut schema, mut description) = (None, None);
        match value {
            // The parts stand inside the whole in their own canonical form: no second pass.
            Value::Object(object) if kind == Kind::Tool => {
                jcs::write_object(&mut canonical, object, |name, range| match name {
                    "inputSchema" => schema = Some(range),
                    "description" => description = Some(range),
                    _ => {}
                });
            }
            _ => jcs::write(&mut canonical, value),
        }
        let part = |range| Digest::of(&canonical.as_bytes()[range]);
        Contract {
            digest: Digest::of(canonical.as_bytes()),
            schema: schema.map(part),
            description: description.map(part),
            canonical,
        }
    }
}

/// What of an item's value is contract: all of it, but of a concrete resource not `size` and
/// `annotations.lastModified`, which describe data. An `annotations` that this empties stays `{}`.
pub fn contract_value(kind: Kind, value: &Value) -> Value {
    cut(kind, value).into_owned()
}

fn cut(kind: Kind, value: &Value) -> Cow<'_, Value> {
    let Value::Object(object) = value else {
        return Cow::Borrowed(value);
    };
    if kind != Kind::Resource {
        return Cow::Borrowed(value);
    }
    let members = object.iter().filter(|(key, _)| *key != "size");
    Cow::Owned(Value::Object(Object::new(
        members
            .map(|(key, member)| {
                let member = match member {
                    Value::Object(inner) if key == "annotations" => without_last_modified(inner),
                    _ => member.clone(),
                };
                (key.to_owned(), member)
            })
            .collect(),
    )))
}

fn without_last_modified(annotations: &Object) -> Value {
    let kept = annotations.members().iter();
    Value::Object(Object::new(
        kept.filter(|(key, _)| key != "lastModified")
            .cloned()
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::canonical;

    fn of(kind: Kind, text: &str) -> Contract {
        contract(&Item::new(kind, 0, text.into())).unwrap()
    }

    #[test]
    fn every_member_of_a_tool_counts_known_or_not() {
        let plain = of(
            Kind::Tool,
            r#"{"name":"a","inputSchema":{"type":"object"}}"#,
        );
        for more in [
            r#""x":1"#,
            r#""_meta":{"k":null}"#,
            r#""execution":{"taskSupport":"required"}"#,
            r#""size":3"#,
            r#""annotations":{"lastModified":"2026-01-01"}"#,
        ] {
            let other = of(
                Kind::Tool,
                &format!(r#"{{"name":"a",{more},"inputSchema":{{"type":"object"}}}}"#),
            );
            assert_ne!(other.digest, plain.digest, "{more}");
            assert_eq!(other.schema, plain.schema, "{more}");
        }
    }

    #[test]
    fn the_digests_of_the_parts_are_those_of_their_own_canonical_forms() {
        let text = r#"{"name":"a","inputSchema":{"type":"object","properties":{"b":{},"a":{"minimum":1.0}}},"description":"d\u00e9"}"#;
        let tool = of(Kind::Tool, text);
        let digest = |text: &str| Some(Digest::of(text.as_bytes()));
        assert_eq!(
            tool.schema,
            digest(r#"{"properties":{"a":{"minimum":1},"b":{}},"type":"object"}"#)
        );
        assert_eq!(tool.description, digest("\"dé\""));
        assert_eq!(Some(tool.digest), digest(&tool.canonical));
    }

    #[test]
    fn a_digest_is_absent_exactly_when_its_member_is() {
        let bare = of(Kind::Tool, r#"{"name":"a"}"#);
        assert_eq!((bare.schema, bare.description), (None, None));
        let null = of(
            Kind::Tool,
            r#"{"name":"a","description":null,"inputSchema":null}"#,
        );
        assert_eq!(null.schema, Some(Digest::of(b"null")));
        assert_eq!(null.description, Some(Digest::of(b"null")));
        let prompt = of(
            Kind::Prompt,
            r#"{"name":"a","description":"d","inputSchema":{}}"#,
        );
        assert_eq!((prompt.schema, prompt.description), (None, None));
    }

    #[test]
    fn size_and_time_of_a_concrete_resource_are_data() {
        let one = of(
            Kind::Resource,
            r#"{"uri":"u","size":1,"annotations":{"lastModified":"a"},"name":"n"}"#,
        );
        let two = of(
            Kind::Resource,
            r#"{"uri":"u","size":2e9,"annotations":{},"name":"n"}"#,
        );
        assert_eq!(one, two);
        assert_eq!(one.canonical, r#"{"annotations":{},"name":"n","uri":"u"}"#);
        let none = of(Kind::Resource, r#"{"uri":"u","name":"n"}"#);
        assert_ne!(none.digest, one.digest);
    }

    #[test]
    fn only_the_resource_itself_is_cut_not_what_it_holds() {
        let text = r#"{"_meta":{"size":1},"annotations":{"audience":["user"],"x":{"lastModified":1}},"lastModified":"l","uri":"u"}"#;
        assert_eq!(of(Kind::Resource, text).canonical, text);
        let template = r#"{"annotations":{"lastModified":"a"},"size":1,"uriTemplate":"u"}"#;
        assert_eq!(of(Kind::ResourceTemplate, template).canonical, template);
    }

    #[test]
    fn the_cut_value_has_the_contract_of_the_item() {
        let item = Item::new(
            Kind::Resource,
            0,
            r#"{"uri":"u","size":1,"annotations":{"lastModified":"a","priority":0.50}}"#.into(),
        );
        let value = contract_value(item.kind, item.value());
        assert_eq!(contract(&item), Some(Contract::of(item.kind, &value)));
        assert_eq!(contract(&item).unwrap().canonical, canonical(&value));
    }

    #[test]
    fn an_item_that_is_not_sound_has_no_contract() {
        let item = Item::new(Kind::Tool, 0, r#"{"name":"a","name":"b"}"#.into());
        assert_eq!(contract(&item), None);
    }
}
