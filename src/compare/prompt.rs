//! Two versions of one prompt.

use std::collections::HashMap;

use crate::json::{Object, Pointer, Value};

use super::change::{Basis, Callers, Change, ChangeKind};
use super::rename::{ArgumentFacts, renamed_arguments};
use super::text::{has_prose, named, same_member};
use super::tool::{by_member, member};
use super::walk::members;

/// Every change between two versions of a prompt.
pub(super) fn changes(old: &Value, new: &Value) -> Vec<Change> {
    by_member(old, new, |name, old, new| match name {
        "arguments" => arguments(old, new),
        _ => member(name, old, new),
    })
}

/// The arguments of a prompt by name, each with its position.
fn by_name(list: Option<&Value>) -> Option<HashMap<&str, (usize, &Object)>> {
    let Some(list) = list else {
        return Some(HashMap::new());
    };
    let mut found = HashMap::new();
    for (i, argument) in list.as_array()?.iter().enumerate() {
        let object = argument.as_object()?;
        let name = object.get("name")?.as_str()?;
        if found.insert(name, (i, object)).is_some() {
            return None;
        }
    }
    Some(found)
}

/// Arguments are paired by name: their order means nothing to `prompts/get`.
fn arguments(old: Option<&Value>, new: Option<&Value>) -> Vec<Change> {
    if same_member(old, new) {
        return Vec::new();
    }
    let at = Pointer::root().key("arguments");
    let whole = |kind| Change::new(kind, at.clone(), old, new).about("the list of arguments");
    let (Some(before), Some(after)) = (by_name(old), by_name(new)) else {
        return vec![whole(ChangeKind::PromptArguments).read_differently(true)];
    };
    let mut found = Vec::new();
    let mut gone: Vec<_> = before
        .iter()
        .filter(|(name, _)| !after.contains_key(*name))
        .collect();
    gone.sort_by_key(|(_, (i, _))| *i);
    let renames = renames(&gone, &before, &after);
    for (name, (i, argument)) in gone {
        let value = Value::Object((*argument).clone());
        found.push(
            Change::new(
                ChangeKind::ArgumentRemoved,
                at.index(*i),
                Some(&value),
                None,
            )
            .about(subject(name))
            .callers(Callers::Narrower, Basis::Policy)
            .read_differently(true)
            .detail("a request that still gives it is refused, or the argument ignored")
            .renamed(renames.to.get(name).map(|(name, value)| (*name, value))),
        );
    }
    let mut live: Vec<_> = after.into_iter().collect();
    live.sort_by_key(|(_, (i, _))| *i);
    for (name, (i, argument)) in live {
        if let Some((j, was)) = before.get(name) {
            let places = (at.index(*j), at.index(i));
            found.extend(argument_changes(name, was, argument, &places));
        } else {
            let from = renames.from.get(name).map(|(name, value)| (*name, value));
            found.push(added(name, argument, at.index(i)).renamed(from));
        }
    }
    if found.is_empty() {
        found.push(whole(ChangeKind::Spelling).spelling());
    }
    found
}

/// The likely renames among the arguments of a prompt, each with what is at its other end.
#[derive(Default)]
struct Renames<'v> {
    to: HashMap<&'v str, (&'v str, Value)>,
    from: HashMap<&'v str, (&'v str, Value)>,
}

fn renames<'v>(
    gone: &[(&&'v str, &(usize, &'v Object))],
    before: &HashMap<&'v str, (usize, &'v Object)>,
    after: &HashMap<&'v str, (usize, &'v Object)>,
) -> Renames<'v> {
    let mut came: Vec<_> = after
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
        .collect();
    came.sort_by_key(|(_, (i, _))| *i);
    let sides = [gone, came.as_slice()].map(|list| {
        list.iter()
            .map(|(name, (_, argument))| (**name, Value::Object((*argument).clone())))
            .collect::<Vec<_>>()
    });
    let [old, new] = &sides;
    let facts = |list: &[(&str, Value)]| -> Vec<ArgumentFacts> {
        list.iter()
            .map(|(name, value)| ArgumentFacts::of(name, value))
            .collect()
    };
    let mut renames = Renames::default();
    for (i, j) in renamed_arguments(&facts(old), &facts(new)) {
        renames.to.insert(old[i].0, new[j].clone());
        renames.from.insert(new[j].0, old[i].clone());
    }
    renames
}

fn subject(name: &str) -> String {
    format!("argument {}", named(name))
}

/// Whether an argument has to be given (schema.ts, `PromptArgument`: not by default).
fn is_required(argument: &Object) -> Option<bool> {
    argument.get("required").map_or(Some(false), Value::as_bool)
}

fn added(name: &str, argument: &Object, at: Pointer) -> Change {
    let value = Value::Object(argument.clone());
    let (kind, callers, basis, detail) = match is_required(argument) {
        Some(true) => (
            ChangeKind::ArgumentRequired,
            Callers::Narrower,
            Basis::Proof,
            "it is new",
        ),
        Some(false) => (
            ChangeKind::ArgumentAdded,
            Callers::Wider,
            Basis::Proof,
            "it may be left out",
        ),
        None => (
            ChangeKind::ArgumentAdded,
            Callers::Undecided,
            Basis::Undecided,
            "whether it may be left out is not clear",
        ),
    };
    let words = ["title", "description"]
        .iter()
        .any(|member| argument.contains_key(member));
    Change::new(kind, at, None, Some(&value))
        .about(subject(name))
        .callers(callers, basis)
        .read_differently(words || has_prose(&Value::String(name.to_owned())))
        .detail(detail)
}

/// The changes of one argument, which stands at the first place in the old list and at the second
/// in the new one.
fn argument_changes(
    name: &str,
    old: &Object,
    new: &Object,
    (was_at, at): &(Pointer, Pointer),
) -> Vec<Change> {
    let mut found = Vec::new();
    for (key, a, b) in members(old, new) {
        if same_member(a, b) {
            continue;
        }
        let pointer = if b.is_some() { at } else { was_at }.key(key);
        let change = |kind| Change::new(kind, pointer.clone(), a, b).about(subject(name));
        found.push(match key {
            "title" | "description" => change(ChangeKind::Words)
                .about(format!("the {key} of {}", subject(name)))
                .words(),
            "required" => match (is_required(old), is_required(new)) {
                (Some(false), Some(true)) => change(ChangeKind::ArgumentRequired)
                    .callers(Callers::Narrower, Basis::Proof)
                    .detail("it was optional"),
                (Some(true), Some(false)) => change(ChangeKind::ArgumentOptional)
                    .callers(Callers::Wider, Basis::Proof)
                    .detail("it need not be there any more"),
                (Some(_), Some(_)) => change(ChangeKind::Spelling).spelling(),
                _ => change(ChangeKind::PromptArguments)
                    .about(format!("`required` of {}", subject(name))),
            },
            _ => change(ChangeKind::Other)
                .about(format!("{} of {}", named(key), subject(name)))
                .by_policy()
                .read_differently(true),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn told(old: &str, new: &str) -> Vec<(String, ChangeKind, Callers)> {
        let read = |text: &str| {
            let text = format!(r#"{{"name":"p","arguments":{text}}}"#);
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        changes(&read(old), &read(new))
            .into_iter()
            .map(|change| (change.pointer.to_string(), change.kind, change.callers))
            .collect()
    }

    fn one(
        pointer: &str,
        kind: ChangeKind,
        callers: Callers,
    ) -> Vec<(String, ChangeKind, Callers)> {
        vec![(pointer.to_owned(), kind, callers)]
    }

    #[test]
    fn arguments_are_paired_by_name_wherever_they_stand() {
        assert_eq!(
            told(
                r#"[{"name":"a"},{"name":"b","description":"x"}]"#,
                r#"[{"name":"b","description":"y"},{"name":"a"}]"#
            ),
            one("/arguments/0/description", ChangeKind::Words, Callers::Same)
        );
        assert_eq!(
            told(
                r#"[{"name":"a"},{"name":"b"}]"#,
                r#"[{"name":"b"},{"name":"a"}]"#
            ),
            one("/arguments", ChangeKind::Spelling, Callers::Same)
        );
    }

    #[test]
    fn an_argument_that_must_be_given_now_breaks_callers_and_an_optional_one_does_not() {
        assert_eq!(
            told("[]", r#"[{"name":"a","required":true}]"#),
            one(
                "/arguments/0",
                ChangeKind::ArgumentRequired,
                Callers::Narrower
            )
        );
        assert_eq!(
            told(r#"[{"name":"a"}]"#, r#"[{"name":"a","required":true}]"#),
            one(
                "/arguments/0/required",
                ChangeKind::ArgumentRequired,
                Callers::Narrower
            )
        );
        assert_eq!(
            told("[]", r#"[{"name":"a"}]"#),
            one("/arguments/0", ChangeKind::ArgumentAdded, Callers::Wider)
        );
        assert_eq!(
            told(r#"[{"name":"a","required":false}]"#, r#"[{"name":"a"}]"#),
            one("/arguments/0/required", ChangeKind::Spelling, Callers::Same)
        );
    }

    #[test]
    fn arguments_that_share_a_name_are_told_as_a_whole() {
        assert_eq!(
            told(r#"[{"name":"a"}]"#, r#"[{"name":"a"},{"name":"a"}]"#),
            one(
                "/arguments",
                ChangeKind::PromptArguments,
                Callers::Undecided
            )
        );
    }
}
