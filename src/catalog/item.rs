//! One item of a list.

use crate::json::{Defect, DefectKind, Document, Limits, Pointer, Value, parse};
use crate::protocol::Kind;

/// One tool, prompt, resource or template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its kind.
    pub kind: Kind,
    /// Its name or URI; none when the key is missing, not a string, or itself defective.
    pub key: Option<String>,
    /// Position in its list, from 0: names an item that has no key.
    pub position: usize,
    /// The bytes as received.
    pub raw: Box<str>,
    /// The tree and its defects.
    pub document: Document,
}

impl Item {
    /// The item at `position` of its list with the bytes `raw`, whatever they hold: what is wrong
    /// with it stands in its document.
    pub fn new(kind: Kind, position: usize, raw: Box<str>) -> Self {
        let document = document(&raw);
        Item {
            kind,
            key: key(kind, &document),
            position,
            raw,
            document,
        }
    }

    /// `tool:NAME`, or `tool:#3` for an item without a key.
    pub fn label(&self) -> String {
        match &self.key {
            Some(key) => format!("{}:{key}", self.kind),
            None => format!("{}:#{}", self.kind, self.position),
        }
    }

    /// The tree.
    pub fn value(&self) -> &Value {
        &self.document.value
    }
}

/// The document of one raw value; text that is no JSON is a defect of it.
pub(super) fn document(raw: &str) -> Document {
    parse(raw.as_bytes(), &Limits::default()).unwrap_or_else(|error| Document {
        value: Value::Null,
        defects: vec![Defect {
            kind: DefectKind::NotJson,
            pointer: Pointer::root(),
            offset: error.offset,
        }],
    })
}

fn key(kind: Kind, document: &Document) -> Option<String> {
    let members = document.value.as_object()?;
    let mut keys = members
        .iter()
        .filter(|(name, _)| *name == kind.key_member());
    let key = keys.next()?.1.as_str()?;
    // U+FFFD in an unsound document may stand for half a surrogate pair.
    let doubtful = document.sound().is_none() && key.contains(char::REPLACEMENT_CHARACTER);
    (keys.next().is_none() && !doubtful).then(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(raw: &str) -> Item {
        Item::new(Kind::Tool, 3, raw.into())
    }

    #[test]
    fn each_kind_has_its_own_key() {
        let raw = r#"{"name":"n","uri":"u","uriTemplate":"t"}"#;
        let keys = Kind::ALL.map(|kind| Item::new(kind, 0, raw.into()).label());
        assert_eq!(
            keys,
            ["tool:n", "prompt:n", "resource:u", "resource_template:t"]
        );
    }

    #[test]
    fn an_item_without_a_usable_key_goes_by_its_position() {
        for raw in [
            "null",
            "[]",
            "{}",
            r#"{"name":1}"#,
            r#"{"name":null}"#,
            r#"{"name":"a","name":"a"}"#,
            r#"{"name":"a","\u006eame":"b"}"#,
            r#"{"name":"a\ud800"}"#,
            "not json",
        ] {
            assert_eq!(tool(raw).key, None, "{raw}");
            assert_eq!(tool(raw).label(), "tool:#3", "{raw}");
            assert_eq!(&*tool(raw).raw, raw);
        }
    }

    #[test]
    fn a_defect_elsewhere_leaves_the_key() {
        let item = tool(r#"{"name":"pay","description":"a","description":"b"}"#);
        assert_eq!(item.key.as_deref(), Some("pay"));
        assert_eq!(item.document.sound(), None);
        assert_eq!(
            tool("{\"name\":\"\u{fffd}\"}").key.as_deref(),
            Some("\u{fffd}")
        );
    }

    #[test]
    fn text_that_is_no_json_is_a_defect_with_its_place() {
        let item = tool("{\"a\":NaN}");
        assert_eq!(item.document.defects.len(), 1);
        assert_eq!(item.document.defects[0].kind, DefectKind::NotJson);
        assert_eq!(item.document.defects[0].offset, 5);
    }
}
