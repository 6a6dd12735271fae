//! Two catalogs of one server that should be the same: which words of them differ, and the volatile
//! rules that would cover exactly those (`docs/lockfile.md`, section 7).
//!
//! Pure.

mod pattern;
mod shape;

use std::collections::BTreeSet;
use std::fmt;

use crate::json::{Pointer, Value};

use super::volatile::INSTRUCTIONS;
use super::{PinnedItem, Volatile};

/// What one start of a server gave, with the volatile words in force replaced already.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a> {
    /// Its items.
    pub items: &'a [PinnedItem],
    /// Its instructions.
    pub instructions: Option<&'a str>,
}

/// What two starts of one server do not agree on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unsteady {
    /// Rules that cover what differs in words, to be added behind those in force.
    pub words: Vec<Volatile>,
    /// What no rule over words can cover.
    pub open: Vec<Open>,
}

impl Unsteady {
    /// Whether the two starts agree.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.open.is_empty()
    }
}

/// A difference that volatile words can't cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// `tool:NAME` and the like, or `instructions`.
    pub item: String,
    /// JSON Pointer into the item; empty for the whole.
    pub pointer: String,
    /// Why.
    pub why: NotWords,
}

/// Why volatile words can't cover a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NotWords {
    /// The item was listed, or the text given, at the first start alone.
    OnlyFirst,
    /// The same at the second start.
    OnlySecond,
    /// Two numbers, or `true` and `false`.
    Scalars,
    /// Values of two types.
    Types,
    /// An object has other members.
    Members,
    /// An array has another number of elements.
    Length,
    /// Two texts of which no pattern covers the difference and nothing else.
    Text,
    /// Something that is no part of a value: the revision spoken, an item that is unfit once.
    Other,
}

impl fmt::Display for NotWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotWords::OnlyFirst => "was there at the first start only",
            NotWords::OnlySecond => "was there at the second start only",
            NotWords::Scalars => "is another number or switch, and only words can be volatile",
            NotWords::Types => "is a value of another type",
            NotWords::Members => "has other members",
            NotWords::Length => "has another number of elements",
            NotWords::Text => "differs in so many words that no pattern covers them and no others",
            NotWords::Other => "is not the same, and not for its words",
        })
    }
}

/// What two starts do not agree on. Of the items only those in `labels` are looked at: the others
/// are known to mean the same.
pub fn unsteady(first: Start<'_>, second: Start<'_>, labels: &BTreeSet<String>) -> Unsteady {
    let mut found = Unsteady::default();
    for item in first.items {
        let label = item.label();
        if !labels.contains(&label) {
            continue;
        }
        let other = second
            .items
            .iter()
            .find(|other| other.identity() == item.identity());
        match other {
            Some(other) => values(
                &item.value,
                &other.value,
                &Pointer::root(),
                &label,
                &mut found,
            ),
            None => found.leave(&label, &Pointer::root(), NotWords::OnlyFirst),
        }
    }
    for item in second.items {
        let is_new = first
            .items
            .iter()
            .all(|other| other.identity() != item.identity());
        if is_new && labels.contains(&item.label()) {
            found.leave(&item.label(), &Pointer::root(), NotWords::OnlySecond);
        }
    }
    match (first.instructions, second.instructions) {
        (Some(one), Some(two)) => texts(one, two, &Pointer::root(), INSTRUCTIONS, &mut found),
        (Some(_), None) => found.leave(INSTRUCTIONS, &Pointer::root(), NotWords::OnlyFirst),
        (None, Some(_)) => found.leave(INSTRUCTIONS, &Pointer::root(), NotWords::OnlySecond),
        (None, None) => {}
    }
    found
}

impl Unsteady {
    /// Adds each of `labels` that nothing here is about.
    pub fn leave_others(&mut self, labels: &BTreeSet<String>) {
        for label in labels {
            let is_told = self.words.iter().any(|rule| rule.item == *label)
                || self.open.iter().any(|open| open.item == *label);
            if !is_told {
                self.leave(label, &Pointer::root(), NotWords::Other);
            }
        }
    }

    fn leave(&mut self, label: &str, at: &Pointer, why: NotWords) {
        self.open.push(Open {
            item: label.to_owned(),
            pointer: at.as_str().to_owned(),
            why,
        });
    }
}

fn values(one: &Value, two: &Value, at: &Pointer, label: &str, found: &mut Unsteady) {
    match (one, two) {
        (Value::String(one), Value::String(two)) => texts(one, two, at, label, found),
        (Value::Array(ones), Value::Array(twos)) => {
            if ones.len() != twos.len() {
                return found.leave(label, at, NotWords::Length);
            }
            for (index, (one, two)) in ones.iter().zip(twos).enumerate() {
                values(one, two, &at.index(index), label, found);
            }
        }
        (Value::Object(ones), Value::Object(twos)) => {
            // Members stand in canonical order.
            let same = ones.len() == twos.len()
                && ones
                    .iter()
                    .zip(twos.iter())
                    .all(|((one, _), (two, _))| one == two);
            if !same {
                return found.leave(label, at, NotWords::Members);
            }
            for ((key, one), (_, two)) in ones.iter().zip(twos.iter()) {
                values(one, two, &at.key(key), label, found);
            }
        }
        (one, two) if one == two => {}
        (Value::Number(_), Value::Number(_)) | (Value::Bool(_), Value::Bool(_)) => {
            found.leave(label, at, NotWords::Scalars);
        }
        _ => found.leave(label, at, NotWords::Types),
    }
}

fn texts(one: &str, two: &str, at: &Pointer, label: &str, found: &mut Unsteady) {
    if one == two {
        return;
    }
    match pattern::covering(one, two) {
        Some(patterns) => found
            .words
            .extend(patterns.into_iter().map(|pattern| Volatile {
                item: label.to_owned(),
                pointer: at.as_str().to_owned(),
                pattern,
            })),
        None => found.leave(label, at, NotWords::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Kind;
    use crate::json::{Limits, parse};
    use crate::lock::Words;

    fn item(json: &str) -> PinnedItem {
        let value = parse(json.as_bytes(), &Limits::default()).unwrap().value;
        let digest = crate::canonical::Digest::of(b"");
        PinnedItem {
            kind: Kind::Tool,
            key: value.get("name").unwrap().as_str().unwrap().to_owned(),
            contract: digest,
            schema: None,
            description: None,
            value,
            line: 0,
        }
    }

    fn compared(one: &[&str], two: &[&str]) -> Unsteady {
        let items = |list: &[&str]| list.iter().map(|json| item(json)).collect::<Vec<_>>();
        let (one, two) = (items(one), items(two));
        let labels = one.iter().chain(&two).map(PinnedItem::label).collect();
        let start = |items| Start {
            items,
            instructions: None,
        };
        unsteady(start(&one), start(&two), &labels)
    }

    #[test]
    fn rules_are_made_for_words_and_reasons_given_for_the_rest() {
        let found = compared(
            &[
                r#"{"name":"a","description":"Works in /home/ann/x.","schema":{"default":1,"enum":["u"],"list":[1],"m":{"k":1},"t":"x"}}"#,
                r#"{"name":"gone"}"#,
            ],
            &[
                r#"{"name":"a","description":"Works in /srv/ben/y/z.","schema":{"default":2,"enum":["u"],"list":[1,2],"m":{"l":1},"t":false}}"#,
                r#"{"name":"new"}"#,
            ],
        );
        assert_eq!(found.words.len(), 1, "{found:?}");
        let rule = &found.words[0];
        assert_eq!(
            (rule.item.as_str(), rule.pointer.as_str()),
            ("tool:a", "/description")
        );
        Words::compile(&found.words).unwrap();
        let open: Vec<(&str, &str, NotWords)> = found
            .open
            .iter()
            .map(|open| (open.item.as_str(), open.pointer.as_str(), open.why))
            .collect();
        assert_eq!(
            open,
            [
                ("tool:a", "/schema/default", NotWords::Scalars),
                ("tool:a", "/schema/list", NotWords::Length),
                ("tool:a", "/schema/m", NotWords::Members),
                ("tool:a", "/schema/t", NotWords::Types),
                ("tool:gone", "", NotWords::OnlyFirst),
                ("tool:new", "", NotWords::OnlySecond),
            ]
        );
        for (_, _, why) in open {
            assert!(!why.to_string().is_empty());
        }
    }

    #[test]
    fn two_equal_starts_are_steady() {
        let tool = r#"{"name":"a","description":"x"}"#;
        assert!(compared(&[tool], &[tool]).is_empty());
    }
}
