//! Renamed tools, prompts, resources and templates: of one kind the items that went and those that
//! came.
//!
//! What many items of a catalog have says little about any of them (`owner` and `repo` in a
//! server for repositories), so every feature counts by how rare it is.

use std::collections::HashMap;

use crate::canonical::canonical;
use crate::catalog::Kind;
use crate::json::{Object, Value};
use crate::lock::PinnedItem;

use super::super::text::words;
use super::likeness::{name_words, names, shared, text_words};
use super::{Candidate, Pair, Part, THRESHOLD, mean, one_to_one};

/// What the name counts, what a rare word or a rare fact about an argument counts, and what all of
/// them may count.
const NAME: u64 = 20;
const FEATURE: u64 = 8;
const FEATURES: u64 = 40;

/// The least score of two names that differ in case and punctuation alone.
const RESPELLED: u64 = 90;

/// A feature that so many new items have finds no candidates; all are looked at where fewer came.
const COMMON: usize = 32;

/// The likely renames from `gone` to `came`, which are of one kind and come from catalogs that hold
/// `old` and `new`.
pub(in super::super) fn renamed_items(
    gone: &[&PinnedItem],
    came: &[&PinnedItem],
    old: &[&PinnedItem],
    new: &[&PinnedItem],
) -> Vec<Pair> {
    if gone.is_empty() || came.is_empty() {
        return Vec::new();
    }
    let mut vocabulary = Vocabulary::default();
    vocabulary.count(old);
    vocabulary.count(new);
    let describe = |items: &[&PinnedItem]| -> Vec<Features> {
        items.iter().map(|item| vocabulary.describe(item)).collect()
    };
    let (gone_features, came_features) = (describe(gone), describe(came));
    let mut having: HashMap<u32, Vec<usize>> = HashMap::new();
    for (j, features) in came_features.iter().enumerate() {
        for id in features.all() {
            having.entry(id).or_default().push(j);
        }
    }
    let mut candidates = Vec::new();
    for (i, features) in gone_features.iter().enumerate() {
        let mut near: Vec<usize> = features
            .all()
            .filter_map(|id| having.get(&id))
            .filter(|places| places.len() <= COMMON)
            .flatten()
            .copied()
            .collect();
        near.sort_unstable();
        near.dedup();
        for j in near {
            let other = &came_features[j];
            let same_body = features.body == other.body && !features.words.is_empty();
            let score = match vocabulary.score(features, other) {
                _ if same_body => 100,
                score if features.spelled == other.spelled && !other.spelled.is_empty() => {
                    score.max(RESPELLED)
                }
                score => score,
            };
            // Likening names letter by letter is dear, and most pairs are none.
            if score >= THRESHOLD {
                candidates.push(Candidate {
                    score,
                    name: names(&gone[i].key, &came[j].key),
                    pair: (i, j),
                });
            }
        }
    }
    one_to_one(candidates)
}

/// What an item is like, as numbers of the vocabulary, sorted.
struct Features {
    name: Vec<u32>,
    words: Vec<u32>,
    arguments: Vec<u32>,
    /// The name without case and punctuation.
    spelled: String,
    /// All but the name.
    body: String,
}

impl Features {
    fn all(&self) -> impl Iterator<Item = u32> {
        [&self.name, &self.words, &self.arguments]
            .into_iter()
            .flatten()
            .copied()
    }
}

/// Every feature of two catalogs, and how many items of either have it.
#[derive(Default)]
struct Vocabulary {
    numbers: HashMap<String, u32>,
    items: Vec<u64>,
    most: u64,
}

impl Vocabulary {
    /// Counts the items of one catalog.
    fn count(&mut self, items: &[&PinnedItem]) {
        let mut here: HashMap<u32, u64> = HashMap::new();
        for item in items {
            for text in features(item).into_iter().flatten() {
                let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
                let id = *self.numbers.entry(text).or_insert(next);
                *here.entry(id).or_default() += 1;
            }
        }
        self.items.resize(self.numbers.len(), 0);
        for (id, count) in here {
            if let Some(most) = self.items.get_mut(id as usize) {
                *most = count.max(*most);
            }
        }
        self.most = self.most.max(items.len() as u64);
    }

    fn describe(&self, item: &PinnedItem) -> Features {
        let [name, words, arguments] = features(item).map(|list| {
            let mut ids: Vec<u32> = list
                .iter()
                .filter_map(|text| self.numbers.get(text).copied())
                .collect();
            ids.sort_unstable();
            ids
        });
        Features {
            name,
            words,
            arguments,
            spelled: name_words(&item.key).concat(),
            body: body(item),
        }
    }

    /// 1 for what every item has, and 1 more each time that half as many have it.
    fn weight(&self, id: u32) -> u64 {
        let count = self.items.get(id as usize).copied().unwrap_or(1).max(1);
        1 + u64::from((self.most / count).max(1).ilog2())
    }

    fn score(&self, a: &Features, b: &Features) -> u64 {
        let rarest = 1 + u64::from(self.most.max(1).ilog2());
        let weight = |id: &u32| self.weight(*id);
        let mut parts = vec![Part {
            shared: shared(&a.name, &b.name, weight).unwrap_or(0),
            weight: NAME,
        }];
        for (a, b) in [(&a.words, &b.words), (&a.arguments, &b.arguments)] {
            if let Some(shared) = shared(a, b, weight) {
                let says: u64 = a.iter().chain(b).map(weight).sum();
                parts.push(Part {
                    shared,
                    weight: (says * FEATURE / (2 * rarest)).min(FEATURES),
                });
            }
        }
        if parts.len() == 1 { 0 } else { mean(&parts) }
    }
}

/// The features of an item: of its name, its words, and its arguments.
fn features(item: &PinnedItem) -> [Vec<String>; 3] {
    let mut name: Vec<String> = name_words(&item.key)
        .into_iter()
        .map(|word| format!("name {word}"))
        .collect();
    let text = |member: &str| item.value.get(member).and_then(Value::as_str);
    let mut prose: Vec<String> = ["title", "description"]
        .into_iter()
        .chain((!matches!(item.kind, Kind::Tool | Kind::Prompt)).then_some("name"))
        .filter_map(text)
        .filter(|words| name_words(words) != name_words(&item.key))
        .flat_map(text_words)
        .map(|word| format!("word {word}"))
        .collect();
    let mut about = match item.kind {
        Kind::Tool => tool_arguments(&item.value),
        Kind::Prompt => prompt_arguments(&item.value),
        Kind::Resource | Kind::ResourceTemplate => text("mimeType")
            .map(|kind| format!("media {kind}"))
            .into_iter()
            .collect(),
    };
    for list in [&mut name, &mut prose, &mut about] {
        list.sort_unstable();
        list.dedup();
    }
    [name, prose, about]
}

fn tool_arguments(tool: &Value) -> Vec<String> {
    let properties = tool
        .get("inputSchema")
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object);
    let mut found = Vec::new();
    for (name, schema) in properties.into_iter().flat_map(Object::iter) {
        found.push(format!("argument {name}"));
        if let Some(kind) = schema
            .get("type")
            .or(schema.get("enum"))
            .or(schema.get("anyOf"))
        {
            found.push(format!("argument {name} is {}", canonical(kind)));
        }
        let said = words(schema);
        if !said.is_empty() {
            found.push(format!("argument {name} says {}", said.join(" ")));
        }
    }
    found
}

fn prompt_arguments(prompt: &Value) -> Vec<String> {
    let list = prompt.get("arguments").and_then(Value::as_array);
    let mut found = Vec::new();
    for argument in list.unwrap_or_default() {
        let member = |name: &str| argument.get(name).map(canonical).unwrap_or_default();
        let name = member("name");
        found.push(format!("argument {name}"));
        found.push(format!("argument {name} is {}", member("required")));
        found.push(format!("argument {name} says {}", member("description")));
    }
    found
}

/// The whole item but for what names it.
fn body(item: &PinnedItem) -> String {
    let key = match item.kind {
        Kind::Tool | Kind::Prompt => "name",
        Kind::Resource => "uri",
        Kind::ResourceTemplate => "uriTemplate",
    };
    let members = item.value.as_object().into_iter().flat_map(Object::iter);
    let rest = members
        .filter(|(name, _)| *name != key)
        .map(|(name, value)| (name.to_owned(), value.clone()));
    canonical(&Value::Object(Object::new(rest.collect())))
}
