//! Two versions of one tool.

use crate::json::{Object, Pointer, Value};
use crate::protocol::Revision;

use super::change::{Basis, Callers, Change, ChangeKind};
use super::effect::{SchemaPair, Side};
use super::schema;
use super::text::{named, words};
use super::walk::{differences, members};

/// Every change between two versions of a tool, served under the given revisions.
pub(super) fn changes(
    old: &Value,
    new: &Value,
    revisions: (Option<Revision>, Option<Revision>),
) -> Vec<Change> {
    by_member(old, new, |name, old, new| match name {
        "inputSchema" => schemas(Side::Input, old, new, revisions),
        "outputSchema" => schemas(Side::Output, old, new, revisions),
        "annotations" => annotations(old, new),
        _ => member(name, old, new),
    })
}

/// Every change between two versions of an item, member by member.
pub(super) fn by_member(
    old: &Value,
    new: &Value,
    judge: impl Fn(&str, Option<&Value>, Option<&Value>) -> Vec<Change>,
) -> Vec<Change> {
    let (Value::Object(a), Value::Object(b)) = (old, new) else {
        return vec![Change::new(
            ChangeKind::Other,
            Pointer::root(),
            Some(old),
            Some(new),
        )];
    };
    members(a, b)
        .into_iter()
        .flat_map(|(name, old, new)| judge(name, old, new))
        .collect()
}

/// A member that items of several kinds have, or that nobody knows.
pub(super) fn member(name: &str, old: Option<&Value>, new: Option<&Value>) -> Vec<Change> {
    let kind = match name {
        "title" | "description" | "name" => ChangeKind::Words,
        "icons" => ChangeKind::Icons,
        "_meta" => ChangeKind::Meta,
        "execution" => ChangeKind::Execution,
        "mimeType" => ChangeKind::MimeType,
        _ => ChangeKind::Other,
    };
    differences(old, new, &Pointer::root().key(name))
        .into_iter()
        .map(|difference| {
            let change = Change::new(kind, difference.pointer, difference.old, difference.new)
                .about(match name {
                    "title" | "description" | "name" | "icons" => format!("the {name}"),
                    "mimeType" => "the media type".to_owned(),
                    _ => named(name),
                });
            match kind {
                ChangeKind::Words => change.words(),
                ChangeKind::Icons => change.by_policy(),
                _ => change.by_policy().read_differently(true),
            }
        })
        .collect()
}

fn schemas(
    side: Side,
    old: Option<&Value>,
    new: Option<&Value>,
    (old_revision, new_revision): (Option<Revision>, Option<Revision>),
) -> Vec<Change> {
    let pointer = Pointer::root().key(side.member());
    let change = |kind| Change::new(kind, pointer.clone(), old, new);
    match (side, old, new) {
        (_, Some(old), Some(new)) => schema::changes(&SchemaPair {
            side,
            old,
            new,
            old_revision,
            new_revision,
        }),
        (_, None, None) => Vec::new(),
        (Side::Input, ..) => vec![change(ChangeKind::InputSchema).read_differently(true)],
        (Side::Output, Some(_), None) => {
            vec![change(ChangeKind::OutputRemoved).callers(Callers::Narrower, Basis::Policy)]
        }
        (Side::Output, None, Some(new)) => vec![
            change(ChangeKind::OutputAdded)
                .callers(Callers::Wider, Basis::Proof)
                .read_differently(!words(new).is_empty()),
        ],
    }
}

/// The hints of a tool, one by one.
fn annotations(old: Option<&Value>, new: Option<&Value>) -> Vec<Change> {
    let at = Pointer::root().key("annotations");
    let nothing = Object::default();
    let object = |value: Option<&Value>| match value {
        None => Some(Object::default()),
        Some(value) => value.as_object().cloned(),
    };
    let (Some(a), Some(b)) = (object(old), object(new)) else {
        return differences(old, new, &at)
            .into_iter()
            .map(|found| {
                Change::new(ChangeKind::Annotations, found.pointer, found.old, found.new)
                    .about("the annotations")
                    .by_policy()
                    .read_differently(true)
            })
            .collect();
    };
    if a == nothing && b == nothing && old.is_some() != new.is_some() {
        let change = Change::new(ChangeKind::Spelling, at, old, new);
        return vec![change.about("the annotations").spelling()];
    }
    let mut found = Vec::new();
    for (name, old, new) in members(&a, &b) {
        for difference in differences(old, new, &at.key(name)) {
            let mut change = Change::new(
                ChangeKind::Annotations,
                difference.pointer,
                difference.old,
                difference.new,
            );
            found.push(if name == "title" {
                change.kind = ChangeKind::Words;
                change.about("the title in the annotations").words()
            } else {
                hint(change, name, &a, &b)
            });
        }
    }
    found
}

/// What the change of the hint `name` means, by the defaults that the protocol gives to hints that
/// are not there (schema.ts of every revision, `ToolAnnotations`).
fn hint(mut change: Change, name: &str, old: &Object, new: &Object) -> Change {
    let danger = dangerous(name, old).zip(dangerous(name, new));
    change.subject = Some(format!("hint {}", named(name)));
    match danger {
        Some((false, true)) => {
            change.kind = ChangeKind::AnnotationsDanger;
            change
                .by_policy()
                .read_differently(true)
                .detail(match name {
                    "readOnlyHint" => "the tool may change things now",
                    "destructiveHint" => "what it changes may be destroyed now",
                    "idempotentHint" => "calling it twice may do more than calling it once now",
                    _ => "it may reach beyond a closed set of things now",
                })
        }
        Some((true, false)) => change
            .by_policy()
            .read_differently(true)
            .detail("toward safety, if it is true"),
        Some(_) => change
            .callers(Callers::Same, Basis::Policy)
            .detail("the hint means what it meant"),
        None => change.by_policy().read_differently(true),
    }
}

/// Whether a tool with these hints has the danger that the hint `name` speaks of.
fn dangerous(name: &str, hints: &Object) -> Option<bool> {
    let flag = |name: &str, default: bool| match hints.get(name) {
        None => Some(default),
        Some(value) => value.as_bool(),
    };
    let writes = !flag("readOnlyHint", false)?;
    match name {
        "readOnlyHint" => Some(writes),
        "destructiveHint" => Some(writes && flag("destructiveHint", true)?),
        "idempotentHint" => Some(writes && !flag("idempotentHint", false)?),
        "openWorldHint" => flag("openWorldHint", true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn kinds(old: &str, new: &str) -> Vec<(String, ChangeKind, Callers)> {
        let read = |text: &str| {
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        changes(&read(old), &read(new), (None, None))
            .into_iter()
            .map(|change| (change.pointer.to_string(), change.kind, change.callers))
            .collect()
    }

    #[test]
    fn hints_are_judged_by_what_they_mean_when_absent() {
        let of = |old: &str, new: &str| {
            kinds(
                &format!(r#"{{"annotations":{old}}}"#),
                &format!(r#"{{"annotations":{new}}}"#),
            )
        };
        let at = |name: &str| format!("/annotations/{name}");
        assert_eq!(
            of("{}", r#"{"readOnlyHint":false}"#),
            [(at("readOnlyHint"), ChangeKind::Annotations, Callers::Same)]
        );
        assert_eq!(
            of(r#"{"readOnlyHint":true}"#, r#"{"destructiveHint":true}"#),
            [
                (
                    at("readOnlyHint"),
                    ChangeKind::AnnotationsDanger,
                    Callers::Undecided
                ),
                (
                    at("destructiveHint"),
                    ChangeKind::AnnotationsDanger,
                    Callers::Undecided
                ),
            ]
        );
        assert_eq!(
            of(r#"{"openWorldHint":true}"#, r#"{"openWorldHint":false}"#),
            [(
                at("openWorldHint"),
                ChangeKind::Annotations,
                Callers::Undecided
            )]
        );
        assert_eq!(
            of("{}", r#"{"readOnlyHint":"no"}"#),
            [(
                at("readOnlyHint"),
                ChangeKind::Annotations,
                Callers::Undecided
            )]
        );
    }

    #[test]
    fn no_annotations_and_empty_annotations_mean_the_same() {
        assert_eq!(
            kinds("{}", r#"{"annotations":{}}"#),
            [(
                "/annotations".to_owned(),
                ChangeKind::Spelling,
                Callers::Same
            )]
        );
    }

    #[test]
    fn a_promise_about_results_that_goes_breaks_readers() {
        let schema = r#"{"outputSchema":{"type":"object"}}"#;
        assert_eq!(
            kinds(schema, "{}"),
            [(
                "/outputSchema".to_owned(),
                ChangeKind::OutputRemoved,
                Callers::Narrower
            )]
        );
        assert_eq!(
            kinds("{}", schema),
            [(
                "/outputSchema".to_owned(),
                ChangeKind::OutputAdded,
                Callers::Wider
            )]
        );
    }
}
