//! From a catalog to what is pinned of it.
//!
//! Pure.

use std::collections::BTreeSet;
use std::fmt;

use crate::canonical::{Contract, Digest, canonical, contract_value, number, sorted};
use crate::catalog::{Catalog, Instructions, Item};
use crate::config::{Launch, ServerName};
use crate::json::{Document, Number, Object, Value};

use super::model::label;
use super::volatile::INSTRUCTIONS;
use super::{Entry, PinnedItem, PinnedText, Replaced, Words};

/// What can't be pinned, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotPinnable {
    /// `tool:NAME`, `tool:#3` for an item without a key, `instructions`, or `protocol`.
    pub label: String,
    /// Why.
    pub why: WhyNot,
}

/// Why something can't be pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WhyNot {
    /// Its document has no canonical form; the document's defects say where.
    Unsound,
    /// It has no key, or one that is not a string.
    NoKey,
    /// It is not a JSON object (an item) or not a string (the instructions).
    WrongType,
    /// Another item of its kind has the same key.
    Duplicate,
    /// The source does not say: a saved catalog without that part.
    Unknown,
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WhyNot::Unsound => "it has no canonical form",
            WhyNot::NoKey => "it has no name or URI",
            WhyNot::WrongType => "it is not of the type that the protocol asks for",
            WhyNot::Duplicate => "it is listed twice",
            WhyNot::Unknown => "the catalog does not say",
        })
    }
}

/// A fresh entry, and what the volatile rules did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The entry.
    pub entry: Entry,
    /// Oddities of volatile rules, by position in the list; see [`Replaced::remark`].
    pub odd_rules: Vec<(usize, Replaced)>,
}

/// Pins one item: its contract with volatile words replaced, and the digests over that. The second
/// part is what the rules for the item did.
///
/// # Errors
///
/// An item without a canonical form or key.
pub fn pin_item(
    item: &Item,
    words: &Words,
) -> Result<(PinnedItem, Vec<(usize, Replaced)>), NotPinnable> {
    let not = |why| NotPinnable {
        label: item.label(),
        why,
    };
    let value = item.document.sound().ok_or_else(|| not(WhyNot::Unsound))?;
    if value.as_object().is_none() {
        return Err(not(WhyNot::WrongType));
    }
    // The member itself, not `item.key`: the lockfile's key has to equal the definition's.
    let key = value
        .get(item.kind.key_member())
        .and_then(Value::as_str)
        .ok_or_else(|| not(WhyNot::NoKey))?;
    let mut value = normal(&contract_value(item.kind, value));
    let did = words.apply(item.kind, key, &mut value);
    let contract = Contract::of(item.kind, &value);
    let pinned = PinnedItem {
        kind: item.kind,
        key: key.to_owned(),
        contract: contract.digest,
        schema: contract.schema,
        description: contract.description,
        value,
        line: 0,
    };
    Ok((pinned, did))
}

/// Pins instructions. The second part is what the rules for them did.
///
/// # Errors
///
/// Instructions that are no sound string.
pub fn pin_instructions(
    document: &Document,
    words: &Words,
) -> Result<(PinnedText, Vec<(usize, Replaced)>), NotPinnable> {
    let not = |why| NotPinnable {
        label: INSTRUCTIONS.to_owned(),
        why,
    };
    let mut value = document
        .sound()
        .ok_or_else(|| not(WhyNot::Unsound))?
        .clone();
    let did = words.apply_to_instructions(&mut value);
    let Value::String(text) = value else {
        return Err(not(WhyNot::WrongType));
    };
    let digest = text_digest(&text);
    Ok((PinnedText { digest, text }, did))
}

/// The digest of a text as canonical JSON.
pub(super) fn text_digest(text: &str) -> Digest {
    Digest::of(canonical(&Value::String(text.to_owned())).as_bytes())
}

/// Builds the entry that pins `catalog`.
///
/// # Errors
///
/// Everything that can't be pinned, in the order of the catalog.
pub fn build_entry(
    name: &ServerName,
    profile: Option<&str>,
    launch: &Launch,
    catalog: &Catalog,
    words: &Words,
) -> Result<Built, Vec<NotPinnable>> {
    let mut not = Vec::new();
    let mut used: Vec<Option<Replaced>> = vec![None; words.len()];
    let mut note = |did: Vec<(usize, Replaced)>| {
        for (position, replaced) in did {
            used[position] = Some(replaced);
        }
    };
    let unknown = |label: &str| NotPinnable {
        label: label.to_owned(),
        why: WhyNot::Unknown,
    };
    if catalog.revision.is_none() {
        not.push(unknown("protocol"));
    }
    let instructions = match &catalog.instructions {
        Instructions::Absent => None,
        Instructions::Unknown => {
            not.push(unknown(INSTRUCTIONS));
            None
        }
        Instructions::Present(document) => match pin_instructions(document, words) {
            Ok((text, did)) => {
                note(did);
                Some(text)
            }
            Err(error) => {
                not.push(error);
                None
            }
        },
    };
    not.extend(catalog.unknown.iter().map(|kind| unknown(kind.word())));
    let mut items: Vec<PinnedItem> = Vec::with_capacity(catalog.items.len());
    let mut seen = BTreeSet::new();
    for item in &catalog.items {
        match pin_item(item, words) {
            Ok((pinned, did)) => {
                note(did);
                if seen.insert((pinned.kind, pinned.key.clone())) {
                    items.push(pinned);
                } else {
                    not.push(NotPinnable {
                        label: label(pinned.kind, &pinned.key),
                        why: WhyNot::Duplicate,
                    });
                }
            }
            Err(error) => not.push(error),
        }
    }
    let Some(protocol) = catalog.revision.filter(|_| not.is_empty()) else {
        return Err(not);
    };
    items.sort_by(|a, b| a.identity().cmp(&b.identity()));
    let entry = Entry {
        name: name.clone(),
        profile: profile.map(str::to_owned),
        launch: launch.clone(),
        protocol,
        capabilities: sorted_set(&catalog.declared),
        implementation: catalog.implementation.clone(),
        instructions,
        volatile: words.list(),
        items,
        line: 0,
    };
    let odd_rules = used
        .into_iter()
        .map(|replaced| replaced.unwrap_or(Replaced::NoItem))
        .enumerate()
        .filter(|(_, replaced)| replaced.remark().is_some())
        .collect();
    Ok(Built { entry, odd_rules })
}

/// The elements in order, each once.
pub(super) fn sorted_set(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    words.sort();
    words.dedup();
    words
}

/// The value with its members in canonical order and its numbers in canonical form.
fn normal(value: &Value) -> Value {
    match value {
        Value::Number(n) => Value::Number(Number::new(&number::canonical(n.as_str()))),
        Value::Array(items) => Value::Array(items.iter().map(normal).collect()),
        Value::Object(object) => Value::Object(Object::new(
            sorted(object)
                .iter()
                .map(|(key, member)| (key.clone(), normal(member)))
                .collect(),
        )),
        other => other.clone(),
    }
}
