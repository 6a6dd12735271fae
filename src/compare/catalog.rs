//! A pinned entry against what is live: items paired by kind and key, and what stands beside them.

use std::collections::{BTreeMap, BTreeSet};

use crate::canonical::Digest;
use crate::catalog::Kind;
use crate::config::Launch;
use crate::json::{Object, Pointer, Value};
use crate::lock::{Entry, PinnedItem, Volatile};
use crate::protocol::Revision;

use super::change::{Basis, Callers, Change, ChangeKind, ItemDrift};
use super::rename::renamed_items;
use super::{emission, launch, prompt, resource, tool};

/// The live side of a comparison: what a server advertises now, or another entry.
///
/// Everything that is `None` or unknown is not judged.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    /// The contracts, in any order.
    pub items: &'a [PinnedItem],
    /// Labels (`tool:NAME`) of items that are listed but have no contract, because they are unfit:
    /// neither gone nor changed.
    pub unfit: &'a [String],
    /// Kinds of which nothing is known.
    pub unknown: &'a [Kind],
    /// The instructions, with volatile words replaced.
    pub instructions: LiveText<'a>,
    /// How the server is started or reached, as it would be stored.
    pub launch: Option<&'a Launch>,
    /// The revision that answers.
    pub protocol: Option<Revision>,
    /// The client capabilities that were declared, sorted.
    pub capabilities: Option<&'a [String]>,
    /// The volatile words that the policy sets now.
    pub volatile: Option<&'a [Volatile]>,
}

/// The live side of a text that may be missing or not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveText<'a> {
    /// The source does not say, or it is unfit: not judged.
    Unknown,
    /// There is none.
    Absent,
    /// The text.
    Text(&'a str),
}

impl<'a> From<&'a Entry> for Live<'a> {
    /// An entry as the newer side of a comparison.
    fn from(entry: &'a Entry) -> Self {
        Live {
            items: &entry.items,
            unfit: &[],
            unknown: &[],
            instructions: entry
                .instructions
                .as_ref()
                .map_or(LiveText::Absent, |pinned| LiveText::Text(&pinned.text)),
            launch: Some(&entry.launch),
            protocol: Some(entry.protocol),
            capabilities: Some(&entry.capabilities),
            volatile: Some(&entry.volatile),
        }
    }
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// What differs: launch, server, instructions, then the items by kind and key.
    pub drifts: Vec<ItemDrift>,
    /// How many items were looked at on either side.
    pub items: usize,
}

/// Compares a pinned entry with the live side.
pub fn compare(pinned: &Entry, live: &Live<'_>) -> Comparison {
    let revisions = (Some(pinned.protocol), live.protocol);
    let mut comparison = compare_items(&pinned.items, live, revisions);
    let beside = [
        ("launch", launch_changes(pinned, live)),
        ("server", server_changes(pinned, live)),
        ("instructions", instructions_changes(pinned, live)),
    ];
    let beside = beside
        .into_iter()
        .filter(|(_, changes)| !changes.is_empty())
        .map(|(label, changes)| ItemDrift {
            kind: None,
            label: label.to_owned(),
            changes,
        });
    comparison.drifts.splice(0..0, beside);
    comparison
}

/// The items of one kind and key.
#[derive(Default)]
struct Sides<'a> {
    pinned: Option<&'a PinnedItem>,
    live: Vec<&'a PinnedItem>,
}

/// Compares the items alone, which were served under the given revisions.
pub fn compare_items(
    pinned: &[PinnedItem],
    live: &Live<'_>,
    revisions: (Option<Revision>, Option<Revision>),
) -> Comparison {
    let judged = |kind: Kind| !live.unknown.contains(&kind);
    let unfit: BTreeSet<&str> = live.unfit.iter().map(String::as_str).collect();
    let mut pairs: BTreeMap<(Kind, &str), Sides<'_>> = BTreeMap::new();
    for item in pinned.iter().filter(|item| judged(item.kind)) {
        pairs.entry((item.kind, &item.key)).or_default().pinned = Some(item);
    }
    for item in live.items.iter().filter(|item| judged(item.kind)) {
        pairs
            .entry((item.kind, &item.key))
            .or_default()
            .live
            .push(item);
    }
    let items = pairs.len();
    let tools = pairs
        .iter()
        .filter(|((kind, _), sides)| {
            *kind == Kind::Tool && sides.pinned.is_some() && !sides.live.is_empty()
        })
        .count();
    let renames = renames(&pairs, &unfit);
    let mut drifts = Vec::new();
    for ((kind, key), sides) in pairs {
        let label = format!("{kind}:{key}");
        let changes = match (sides.pinned, sides.live.as_slice()) {
            (Some(_), []) if unfit.contains(label.as_str()) => Vec::new(),
            (Some(old), []) => vec![gone(old, renames.to.get(label.as_str()).copied())],
            (None, [new]) => {
                let from = renames.from.get(label.as_str()).copied();
                let mut changes = vec![added(new, from)];
                changes.extend(from.into_iter().flat_map(|old| rest(old, new, revisions)));
                changes
            }
            (None, news) => news.iter().map(|new| added(new, None)).collect(),
            // Two items of one key are a fault by themselves; neither may pass unseen.
            (Some(old), news) => news
                .iter()
                .flat_map(|new| item_changes(old, new, revisions))
                .collect(),
        };
        if !changes.is_empty() {
            drifts.push(ItemDrift {
                kind: Some(kind),
                label,
                changes,
            });
        }
    }
    emission::settle(&mut drifts, tools);
    Comparison { drifts, items }
}

/// The likely renames of a comparison, by the labels of both ends.
#[derive(Default)]
struct Renames<'a> {
    to: BTreeMap<String, &'a PinnedItem>,
    from: BTreeMap<String, &'a PinnedItem>,
}

/// Which items that went came back under another key. An unfit item is neither gone nor new.
fn renames<'a>(pairs: &BTreeMap<(Kind, &str), Sides<'a>>, unfit: &BTreeSet<&str>) -> Renames<'a> {
    let mut renames = Renames::default();
    for kind in Kind::ALL {
        let of_kind = || {
            pairs
                .iter()
                .filter(move |((other, _), _)| *other == kind)
                .map(|(_, sides)| sides)
        };
        let gone: Vec<&PinnedItem> = of_kind()
            .filter(|sides| sides.live.is_empty())
            .filter_map(|sides| sides.pinned)
            .filter(|old| !unfit.contains(old.label().as_str()))
            .collect();
        let came: Vec<&PinnedItem> = of_kind()
            .filter(|sides| sides.pinned.is_none())
            .filter_map(|sides| match sides.live[..] {
                [one] => Some(one),
                _ => None,
            })
            .collect();
        if gone.is_empty() || came.is_empty() {
            continue;
        }
        let old: Vec<_> = of_kind().filter_map(|sides| sides.pinned).collect();
        let new: Vec<_> = of_kind().flat_map(|sides| sides.live.clone()).collect();
        for (i, j) in renamed_items(&gone, &came, &old, &new) {
            renames.to.insert(gone[i].label(), came[j]);
            renames.from.insert(came[j].label(), gone[i]);
        }
    }
    renames
}

fn gone(old: &PinnedItem, to: Option<&PinnedItem>) -> Change {
    let to = to.map(|new| (new.label(), &new.value));
    Change::new(ChangeKind::Gone, Pointer::root(), Some(&old.value), None)
        .callers(Callers::Narrower, Basis::Proof)
        .read_differently(true)
        .renamed(to.as_ref().map(|(label, value)| (label.as_str(), *value)))
}

fn added(new: &PinnedItem, from: Option<&PinnedItem>) -> Change {
    let from = from.map(|old| (old.label(), &old.value));
    Change::new(ChangeKind::Added, Pointer::root(), None, Some(&new.value))
        .callers(Callers::Wider, Basis::Proof)
        .read_differently(true)
        .renamed(from.as_ref().map(|(label, value)| (label.as_str(), *value)))
}

/// What else changed of an item that was likely renamed: what its callers meet who follow it to its
/// new name.
fn rest(
    old: &PinnedItem,
    new: &PinnedItem,
    revisions: (Option<Revision>, Option<Revision>),
) -> Vec<Change> {
    let key = Pointer::root().key(match old.kind {
        Kind::Tool | Kind::Prompt => "name",
        Kind::Resource => "uri",
        Kind::ResourceTemplate => "uriTemplate",
    });
    let mut changes = member_changes(old, new, revisions);
    changes.retain(|change| change.pointer != key);
    changes
}

fn item_changes(
    old: &PinnedItem,
    new: &PinnedItem,
    revisions: (Option<Revision>, Option<Revision>),
) -> Vec<Change> {
    if old.contract == new.contract {
        return Vec::new();
    }
    let changes = member_changes(old, new, revisions);
    if changes.is_empty() {
        // Digests that differ are drift, whatever a comparison makes of the values.
        return vec![Change::new(
            ChangeKind::Other,
            Pointer::root(),
            Some(&old.value),
            Some(&new.value),
        )];
    }
    changes
}

fn member_changes(
    old: &PinnedItem,
    new: &PinnedItem,
    revisions: (Option<Revision>, Option<Revision>),
) -> Vec<Change> {
    let mut changes = match old.kind {
        Kind::Tool => tool::changes(&old.value, &new.value, revisions),
        Kind::Prompt => prompt::changes(&old.value, &new.value),
        Kind::Resource | Kind::ResourceTemplate => resource::changes(&old.value, &new.value),
    };
    emission::mark(&new.key, &mut changes);
    changes
}

fn launch_changes(pinned: &Entry, live: &Live<'_>) -> Vec<Change> {
    live.launch
        .map(|launch| launch::changes(&pinned.launch, launch))
        .unwrap_or_default()
}

fn instructions_changes(pinned: &Entry, live: &Live<'_>) -> Vec<Change> {
    let old = pinned.instructions.as_ref();
    let new = match live.instructions {
        LiveText::Unknown => return Vec::new(),
        LiveText::Absent => None,
        LiveText::Text(text) => Some(Value::String(text.to_owned())),
    };
    let digest = new
        .as_ref()
        .map(|text| Digest::of(crate::canonical::canonical(text).as_bytes()));
    if old.map(|pinned| pinned.digest) == digest {
        return Vec::new();
    }
    let old = old.map(|pinned| Value::String(pinned.text.clone()));
    let change = Change::new(
        ChangeKind::Instructions,
        Pointer::root(),
        old.as_ref(),
        new.as_ref(),
    );
    vec![change.words()]
}

/// What concerns the entry as a whole.
fn server_changes(pinned: &Entry, live: &Live<'_>) -> Vec<Change> {
    let mut found = Vec::new();
    let text = |text: &str| Value::String(text.to_owned());
    if let Some(protocol) = live.protocol
        && protocol != pinned.protocol
    {
        let change = Change::new(
            ChangeKind::Protocol,
            Pointer::root().key("protocol"),
            Some(&text(pinned.protocol.as_str())),
            Some(&text(protocol.as_str())),
        );
        // A newer revision changes nothing for those who speak the old one; a revision that went
        // does.
        found.push(if protocol > pinned.protocol {
            change
                .callers(Callers::Same, Basis::Policy)
                .detail("the server answered in a newer revision than the pinned one")
        } else {
            change
                .by_policy()
                .detail("the server answered in an older revision than the pinned one")
        });
    }
    if let Some(declared) = live.capabilities
        && declared != pinned.capabilities
    {
        let list = |names: &[String]| Value::Array(names.iter().map(|name| text(name)).collect());
        found.push(
            Change::new(
                ChangeKind::Capabilities,
                Pointer::root().key("capabilities"),
                Some(&list(&pinned.capabilities)),
                Some(&list(declared)),
            )
            .by_policy(),
        );
    }
    if let Some(volatile) = live.volatile
        && volatile != pinned.volatile
    {
        found.push(
            Change::new(
                ChangeKind::Volatile,
                Pointer::root().key("volatile"),
                Some(&volatile_value(&pinned.volatile)),
                Some(&volatile_value(volatile)),
            )
            .by_policy(),
        );
    }
    found
}

fn volatile_value(list: &[Volatile]) -> Value {
    let entry = |entry: &Volatile| {
        let members = [
            ("item", &entry.item),
            ("pointer", &entry.pointer),
            ("pattern", &entry.pattern),
        ];
        let members = members.map(|(name, text)| (name.to_owned(), Value::String(text.clone())));
        Value::Object(Object::new(members.into()))
    };
    Value::Array(list.iter().map(entry).collect())
}
