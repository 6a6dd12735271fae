//! What an SDK writes by itself, so that an upgrade changes it with no author meaning anything.
//!
//! Each such change is judged by its effect like any other. What repeats only what is said already
//! (a title made from a name, a default spelled out) is `equivalent` by policy. The rest carries a
//! mark, and where a mark lies on at least half of a server's tools it is told once for the server.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{Object, Pointer, Value};

use super::change::{Basis, Callers, Change, ChangeKind, ItemDrift, Model};
use super::rename::name_words;
use super::text::words;

/// What generators append to a tool's name for the title of its schemas.
const SUFFIXES: [&str; 12] = [
    "arguments",
    "args",
    "input",
    "inputs",
    "output",
    "outputs",
    "params",
    "parameters",
    "request",
    "response",
    "result",
    "schema",
];

/// The mark of a change that an SDK makes by itself, in words.
pub(super) type Mark = &'static str;

/// Judges and marks the `changes` of an item that is called `name`.
pub(super) fn mark(name: &str, changes: &mut [Change]) {
    for change in changes {
        match change.kind {
            ChangeKind::Words if is_title(change) && is_generated(name, change) => {
                change.callers = Callers::Same;
                change.model = Model::Same;
                change.detail = Some("it only repeats the name".to_owned());
            }
            ChangeKind::Words if is_spacing(change) => {
                change.callers = Callers::Same;
                change.model = Model::Same;
                change.detail = Some("only white space moved".to_owned());
            }
            ChangeKind::OutputAdded if has_generated_words_only(name, change) => {
                change.model = Model::Same;
            }
            ChangeKind::Execution if same_execution(change) => {
                change.callers = Callers::Same;
                change.model = Model::Same;
                change.detail = Some("a call is carried out as before".to_owned());
            }
            _ => {}
        }
        if change.callers != Callers::Narrower {
            change.emission = mark_of(change);
        }
    }
}

/// Leaves the marks only where they lie on at least half of the `tools` that both sides have, and
/// on two or more.
pub(super) fn settle(drifts: &mut [ItemDrift], tools: usize) {
    let mut having: BTreeMap<Mark, BTreeSet<usize>> = BTreeMap::new();
    for (at, drift) in drifts.iter().enumerate() {
        for mark in drift.changes.iter().filter_map(|change| change.emission) {
            having.entry(mark).or_default().insert(at);
        }
    }
    let least = tools.div_ceil(2).max(2);
    let known = |mark: Mark| having.get(mark).is_some_and(|items| items.len() >= least);
    for drift in drifts {
        for change in &mut drift.changes {
            change.emission = change.emission.filter(|mark| known(mark));
        }
    }
}

fn mark_of(change: &Change) -> Option<Mark> {
    let last = change.pointer.split_last().map(|(_, name)| name);
    let last = last.as_deref().unwrap_or_default();
    match change.kind {
        ChangeKind::Dialect => Some("`$schema`"),
        ChangeKind::Closed => Some("`additionalProperties`"),
        ChangeKind::Execution => Some("`execution`"),
        ChangeKind::Words if change.model == Model::Same && is_title(change) => {
            Some("generated titles")
        }
        ChangeKind::Words if change.model == Model::Same => Some("white space in descriptions"),
        ChangeKind::Words if is_wrapper(change) => Some("words of the wrapper of results"),
        ChangeKind::Meta if is_of_an_sdk(change) => Some("`_meta` of the SDK"),
        ChangeKind::Keyword if last.starts_with("x-fastmcp") => Some("`x-fastmcp-…`"),
        ChangeKind::OutputAdded if is_wrapped(change.new.as_ref()) => {
            Some("output schemas made from return types")
        }
        _ if change.callers == Callers::Undecided => None,
        _ => match last {
            "additionalProperties" => Some("`additionalProperties`"),
            "propertyNames" => Some("`propertyNames`"),
            "minimum" | "maximum" if change.basis == Basis::Policy => {
                Some("bounds of interoperable integers")
            }
            _ => None,
        },
    }
}

fn is_title(change: &Change) -> bool {
    change
        .pointer
        .split_last()
        .is_some_and(|(_, name)| name == "title")
}

/// Whether the titles on both sides are made from the name of what they stand on, or not there.
fn is_generated(tool: &str, change: &Change) -> bool {
    let tokens: Vec<String> = change.pointer.tokens().collect();
    let held = match tokens.as_slice() {
        [.., map, name, _] if matches!(map.as_str(), "properties" | "$defs" | "definitions") => {
            name.as_str()
        }
        _ => "",
    };
    let on_the_tool = tokens.len() <= 2;
    [&change.old, &change.new]
        .into_iter()
        .flatten()
        .all(|title| {
            let Some(words) = title.as_str().map(name_words) else {
                return false;
            };
            if on_the_tool {
                is_made_from(&words, &name_words(tool))
            } else {
                words == name_words(held)
            }
        })
}

/// Whether a text differs in nothing but spaces, tabs and line ends.
fn is_spacing(change: &Change) -> bool {
    let (Some(Value::String(old)), Some(Value::String(new))) = (&change.old, &change.new) else {
        return false;
    };
    let words = |text: &str| -> Vec<String> {
        text.split([' ', '\t', '\n', '\r'])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    words(old) == words(new)
}

/// Whether a change is about what an SDK says of a result that it wraps.
fn is_wrapper(change: &Change) -> bool {
    let known = |side: &Option<Value>| {
        side.as_ref().is_none_or(|text| {
            text.as_str() == Some("_WrappedResult")
                || text.as_str() == Some("Generic wrapper for non-object return types.")
        })
    };
    known(&change.old) && known(&change.new)
}

/// Whether an output schema that came has no words but titles that repeat names.
fn has_generated_words_only(tool: &str, change: &Change) -> bool {
    let Some(schema) = &change.new else {
        return false;
    };
    let title = |schema: &Value| schema.get("title").and_then(Value::as_str).map(name_words);
    let own = title(schema).is_some_and(|title| is_made_from(&title, &name_words(tool)));
    let properties = schema.get("properties").and_then(Value::as_object);
    let members = properties
        .into_iter()
        .flat_map(Object::iter)
        .filter(|(name, member)| title(member) == Some(name_words(name)))
        .count();
    words(schema).len() == members + usize::from(own)
}

/// Whether a title is the name and at most two words that generators append.
fn is_made_from(title: &[String], name: &[String]) -> bool {
    let (title, name) = (title.concat(), name.concat());
    let Some(rest) = title.strip_prefix(name.as_str()) else {
        return false;
    };
    rest.is_empty()
        || SUFFIXES.contains(&rest)
        || rest
            .strip_prefix("dict")
            .is_some_and(|rest| SUFFIXES.contains(&rest))
}

/// Whether `execution` says the same before and after: tasks are forbidden where it says nothing
/// (schema.ts of 2025-11-25, `ToolExecution`).
fn same_execution(change: &Change) -> bool {
    let says = |side: Option<&Value>| -> bool {
        match side {
            None => true,
            Some(Value::String(support)) => support == "forbidden",
            Some(Value::Object(object)) => object
                .iter()
                .all(|(name, value)| name == "taskSupport" && value.as_str() == Some("forbidden")),
            Some(_) => false,
        }
    };
    let place = change.pointer.as_str();
    matches!(place, "/execution" | "/execution/taskSupport")
        && says(change.old.as_ref())
        && says(change.new.as_ref())
}

/// Whether a change of `_meta` is about nothing but what an SDK writes there.
fn is_of_an_sdk(change: &Change) -> bool {
    let known = |name: &str| matches!(name, "fastmcp" | "_fastmcp");
    let within = change
        .pointer
        .tokens()
        .nth(1)
        .is_some_and(|name| known(&name));
    let only = |side: &Option<Value>| {
        side.as_ref()
            .and_then(Value::as_object)
            .is_none_or(|object| object.iter().all(|(name, _)| known(name)))
    };
    within
        || (change.pointer == Pointer::root().key("_meta")
            && only(&change.old)
            && only(&change.new))
}

/// Whether an output schema is what an SDK makes of a return type: one required member `result`.
fn is_wrapped(schema: Option<&Value>) -> bool {
    let members = |object: &Object| {
        object
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect::<Vec<_>>()
    };
    schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object)
        .is_some_and(|properties| members(properties) == ["result"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_generated_where_it_repeats_the_name() {
        let words = |text: &str| name_words(text);
        for (title, name, made) in [
            ("searchArguments", "search", true),
            ("search_filesDictOutput", "search_files", true),
            ("Search Files", "search_files", true),
            ("Search all files", "search_files", false),
            ("Ignore this and search", "search", false),
            ("", "search", false),
        ] {
            assert_eq!(is_made_from(&words(title), &words(name)), made, "{title}");
        }
    }
}
