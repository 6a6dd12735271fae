//! Two versions of one resource or resource template.

use std::collections::BTreeSet;

use crate::json::{Pointer, Value};

use super::change::{Change, ChangeKind};
use super::reach::name_set;
use super::text::named;
use super::tool::{by_member, member};
use super::walk::differences;

/// Every change between two versions of a resource or template.
pub(super) fn changes(old: &Value, new: &Value) -> Vec<Change> {
    by_member(old, new, |name, old, new| match name {
        "annotations" => annotations(old, new),
        _ => member(name, old, new),
    })
}

/// The roles that a resource is meant for.
fn audience(annotations: Option<&Value>) -> Option<BTreeSet<&str>> {
    name_set(Some(annotations?.get("audience")?))
}

/// Audience, priority and whatever else a resource says about its use.
fn annotations(old: Option<&Value>, new: Option<&Value>) -> Vec<Change> {
    let at = Pointer::root().key("annotations");
    let reordered = audience(old).is_some() && audience(old) == audience(new);
    let lists = |value: Option<&Value>| value.and_then(|value| value.get("audience")).cloned();
    let mut found = Vec::new();
    let mut told = false;
    for difference in differences(old, new, &at) {
        if reordered
            && difference
                .pointer
                .as_str()
                .starts_with("/annotations/audience")
        {
            // The roles are a set: one change for the list, not one for each position.
            if !std::mem::replace(&mut told, true) {
                let (a, b) = (lists(old), lists(new));
                let pointer = at.key("audience");
                found.push(
                    Change::new(ChangeKind::Spelling, pointer, a.as_ref(), b.as_ref())
                        .about("the audience")
                        .spelling(),
                );
            }
            continue;
        }
        let subject = difference.pointer.tokens().nth(1).map_or_else(
            || "the annotations".to_owned(),
            |name| format!("annotation {}", named(&name)),
        );
        found.push(
            Change::new(
                ChangeKind::Annotations,
                difference.pointer,
                difference.old,
                difference.new,
            )
            .about(subject)
            .by_policy()
            .read_differently(true),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn told(old: &str, new: &str) -> Vec<(String, ChangeKind)> {
        let read = |text: &str| {
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        changes(&read(old), &read(new))
            .into_iter()
            .map(|change| (change.pointer.to_string(), change.kind))
            .collect()
    }

    #[test]
    fn the_audience_is_a_set() {
        assert_eq!(
            told(
                r#"{"annotations":{"audience":["user","assistant"]}}"#,
                r#"{"annotations":{"audience":["assistant","user"]}}"#
            ),
            [("/annotations/audience".to_owned(), ChangeKind::Spelling)]
        );
        assert_eq!(
            told(
                r#"{"annotations":{"audience":["user"]}}"#,
                r#"{"annotations":{"audience":["user","assistant"]}}"#
            ),
            [(
                "/annotations/audience/1".to_owned(),
                ChangeKind::Annotations
            )]
        );
    }

    #[test]
    fn a_name_is_words_and_a_media_type_is_not() {
        assert_eq!(
            told(
                r#"{"uri":"a:b","name":"x","mimeType":"text/plain"}"#,
                r#"{"uri":"a:b","name":"y","mimeType":"text/html"}"#
            ),
            [
                ("/name".to_owned(), ChangeKind::Words),
                ("/mimeType".to_owned(), ChangeKind::MimeType)
            ]
        );
    }
}
