//! A schema as a reader meets it at one place: what `$ref` and `allOf` bring there is all there.
//!
//! Pure.

use std::collections::{HashMap, HashSet};

use crate::json::{Object, Pointer, Value};
use crate::schema::dialect::declared;
use crate::schema::{Declared, Dialect, Target, references};

/// Parts that are gathered at one place; more are not looked at.
const MOST_PARTS: usize = 64;

/// One document, with its references resolved.
pub(super) struct View<'v> {
    pub(super) root: &'v Value,
    pub(super) dialect: Dialect,
    /// Place of a `$ref` keyword, and where it leads.
    targets: HashMap<Pointer, Pointer>,
    /// Places of references that lead nowhere.
    broken: HashSet<Pointer>,
    /// Whether the document names parts of itself by address or anchor, so that a part of it can't
    /// be read apart from it.
    pub(super) has_addresses: bool,
}

/// A schema that holds at a place, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Part<'v> {
    pub(super) at: Pointer,
    pub(super) object: &'v Object,
    /// Whether the schema is one of a single reference, as far as its dialect goes.
    pub(super) is_mere_reference: bool,
    /// The `allOf` branches and references that led here, outermost first.
    pub(super) groups: Vec<Pointer>,
}

/// All that holds at one place.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts<'v> {
    pub(super) list: Vec<Part<'v>>,
    /// `false` stands here: nothing is admitted.
    pub(super) refuses_all: bool,
    /// A reference here leads nowhere.
    pub(super) is_broken: bool,
}

impl<'v> View<'v> {
    /// Reads `root`, in `dialect` unless it declares one; none when it is too large.
    pub(super) fn of(root: &'v Value, dialect: Dialect) -> Option<Self> {
        let dialect = match declared(root) {
            Declared::Known(own) => own,
            _ => dialect,
        };
        let found = references(root, dialect).ok()?;
        let mut targets = HashMap::new();
        let mut broken = HashSet::new();
        let mut has_addresses = has_addresses(root, true);
        for reference in found.references {
            match reference.target {
                Target::Resolved(target) if reference.keyword.word() == "$ref" => {
                    has_addresses |= !reference.text.starts_with("#/") && reference.text != "#";
                    targets.insert(reference.pointer, target);
                }
                Target::Resolved(_) | Target::Metaschema => has_addresses = true,
                Target::External | Target::Dangling | Target::Ambiguous | Target::NotASchema(_) => {
                    broken.insert(reference.pointer);
                }
            }
        }
        Some(View {
            root,
            dialect,
            targets,
            broken,
            has_addresses,
        })
    }

    /// The places of references that lead nowhere, sorted.
    pub(super) fn broken_references(&self) -> Vec<&Pointer> {
        let mut places: Vec<&Pointer> = self.broken.iter().collect();
        places.sort();
        places
    }

    /// What holds at the root.
    pub(super) fn start(&self) -> Parts<'v> {
        self.gather([Pointer::root()])
    }

    /// What holds where the schemas at `places` all do.
    pub(super) fn gather(&self, places: impl IntoIterator<Item = Pointer>) -> Parts<'v> {
        let mut parts = Parts::default();
        let mut seen = HashSet::new();
        for at in places {
            self.add(&at, &[], &mut seen, &mut parts);
        }
        parts
    }

    fn add(
        &self,
        at: &Pointer,
        groups: &[Pointer],
        seen: &mut HashSet<Pointer>,
        parts: &mut Parts<'v>,
    ) {
        if parts.list.len() >= MOST_PARTS || !seen.insert(at.clone()) {
            return;
        }
        let object = match at.find(self.root) {
            Some(Value::Object(object)) => object,
            Some(Value::Bool(false)) => {
                parts.refuses_all = true;
                return;
            }
            _ => return,
        };
        let reference = at.key("$ref");
        let target = self.targets.get(&reference);
        let is_reference = target.is_some() || self.broken.contains(&reference);
        let is_mere_reference = self.dialect.ref_hides_siblings() && is_reference;
        parts.is_broken |= self.broken.contains(&reference);
        parts.list.push(Part {
            at: at.clone(),
            object,
            is_mere_reference,
            groups: groups.to_vec(),
        });
        let inside = |place: Pointer| {
            let mut groups = groups.to_vec();
            groups.push(place);
            groups
        };
        if let Some(target) = target {
            self.add(target, &inside(reference), seen, parts);
        }
        if is_mere_reference {
            return;
        }
        if let Some(Value::Array(branches)) = object.get("allOf") {
            for i in 0..branches.len() {
                let branch = at.key("allOf").index(i);
                self.add(&branch, &inside(branch.clone()), seen, parts);
            }
        }
    }
}

impl<'v> Parts<'v> {
    /// The parts whose keywords count.
    pub(super) fn effective(&self) -> impl Iterator<Item = &Part<'v>> {
        self.list.iter().filter(|part| !part.is_mere_reference)
    }

    /// The values of `keyword` here, each with its place.
    pub(super) fn values<'k>(
        &'k self,
        keyword: &'k str,
    ) -> impl Iterator<Item = (Pointer, &'v Value)> + 'k {
        self.effective()
            .filter_map(move |part| Some((part.at.key(keyword), part.object.get(keyword)?)))
    }

    /// The first value of `keyword` here.
    pub(super) fn value<'k>(&'k self, keyword: &'k str) -> Option<&'v Value> {
        self.values(keyword).next().map(|(_, value)| value)
    }

    /// The places of the schemas under `keyword`, of those that are maps.
    pub(super) fn members(&self, keyword: &str, name: &str) -> Vec<Pointer> {
        self.values(keyword)
            .filter(|(_, map)| map.get(name).is_some())
            .map(|(at, _)| at.key(name))
            .collect()
    }

    /// The names in the maps under `keyword`, sorted.
    pub(super) fn names(&self, keyword: &str) -> Vec<String> {
        let maps = self.values(keyword).filter_map(|(_, map)| map.as_object());
        let mut names: Vec<String> = maps
            .flat_map(|map| map.iter().map(|(name, _)| name.to_owned()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Where the parts stand, for recognising a place that was seen.
    pub(super) fn places(&self) -> Vec<Pointer> {
        self.list.iter().map(|part| part.at.clone()).collect()
    }
}

/// Whether anything in `value` names a schema by address or anchor; the root's own address, which
/// nothing refers to, does not count.
fn has_addresses(value: &Value, is_root: bool) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(name, value)| {
            let named = matches!(
                name,
                "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$recursiveRef" | "$recursiveAnchor"
            ) || (!is_root && matches!(name, "$id" | "id"));
            (named && matches!(value, Value::String(_) | Value::Bool(_)))
                || has_addresses(value, false)
        }),
        Value::Array(items) => items.iter().any(|item| has_addresses(item, false)),
        _ => false,
    }
}
