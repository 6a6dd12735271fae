//! `unevaluatedProperties` and `unevaluatedItems`, without annotations.
//!
//! Each name or index falls into a region that some subschemas evaluate, each under a condition
//! (the branches on the way to it hold). So: for each region, its values are in the keyword's set
//! or one of those conditions holds. That is exact and grows with the schema, not with the number
//! of combinations of branches.

use std::collections::BTreeSet;

use crate::json::{Object, Value};
use crate::schema::Dialect;

use super::super::eval::holds;
use super::super::ir::{Arena, Id};
use super::super::val::Val;
use super::applicators::split_items;
use super::{Lowering, Place};

/// What a subschema evaluates.
pub(super) enum Evaluates<'v> {
    Name(&'v str, &'v Value),
    Pattern(&'v str, &'v Value),
    OtherNames(&'v Value),
    Prefix(&'v [Value]),
    Items(&'v Value),
    Containing(&'v Value),
    /// What `unevaluatedProperties` itself left to itself.
    Unevaluated(&'v Value),
    UnevaluatedItems(&'v Value),
}

/// Something evaluated at a place, if all conditions hold.
pub(super) struct Part<'v> {
    pub(super) place: Place,
    pub(super) conditions: Vec<Id>,
    pub(super) what: Evaluates<'v>,
}

/// More conditional `contains` than this are not combined.
const CONTAINS_LIMIT: usize = 5;
/// More patterns than this are not split into regions.
const PATTERN_LIMIT: usize = 6;
/// How many subschemas may be applied in place.
const PART_LIMIT: usize = 4_000;

/// Walks the subschemas applied in place.
pub(super) struct Walk<'v> {
    pub(super) parts: Vec<Part<'v>>,
    pub(super) visited: Vec<Place>,
    open: Vec<Place>,
    budget: usize,
    /// Whether a loop or the size ended the walk early.
    pub(super) cut: bool,
}

impl Walk<'_> {
    pub(super) fn new() -> Self {
        Walk {
            parts: Vec::new(),
            visited: Vec::new(),
            open: Vec::new(),
            budget: PART_LIMIT,
            cut: false,
        }
    }
}

impl<'v> Lowering<'_, 'v> {
    /// Collects what `place` and the subschemas that it applies in place evaluate. With
    /// `conditions` none, conditions are not wanted and not made.
    pub(super) fn walk(
        &mut self,
        walk: &mut Walk<'v>,
        place: Place,
        conditions: Option<&[Id]>,
        own_unevaluated: bool,
    ) {
        if walk.open.contains(&place) || walk.budget == 0 || walk.open.len() > 60 {
            walk.cut = true;
            return;
        }
        walk.budget -= 1;
        let Value::Object(object) = self.value(place) else {
            return;
        };
        walk.open.push(place);
        walk.visited.push(place);
        for (keyword, link) in self.links.get(&place.0).cloned().unwrap_or_default() {
            match self.target(place, keyword, link) {
                Some(target) => self.walk(walk, target, conditions, true),
                None => walk.cut = true,
            }
        }
        if !self.hides_siblings(place, object) {
            self.own_parts(walk, place, object, conditions, own_unevaluated);
            self.branches(walk, place, object, conditions);
        }
        walk.open.pop();
    }

    fn own_parts(
        &mut self,
        walk: &mut Walk<'v>,
        place: Place,
        object: &'v Object,
        conditions: Option<&[Id]>,
        own_unevaluated: bool,
    ) {
        let dialect = self.dialect(place);
        let mut add = |what| {
            walk.parts.push(Part {
                place,
                conditions: conditions.unwrap_or_default().to_vec(),
                what,
            });
        };
        let map = |keyword| object.get(keyword).and_then(Value::as_object);
        for (name, schema) in map("properties").into_iter().flat_map(Object::iter) {
            add(Evaluates::Name(name, schema));
        }
        for (pattern, schema) in map("patternProperties").into_iter().flat_map(Object::iter) {
            add(Evaluates::Pattern(pattern, schema));
        }
        if let Some(schema) = object.get("additionalProperties") {
            add(Evaluates::OtherNames(schema));
        }
        let (prefix, rest) = split_items(dialect, object);
        if let Some(prefix) = prefix {
            add(Evaluates::Prefix(prefix));
        }
        if let Some(schema) = rest {
            add(Evaluates::Items(schema));
        }
        if dialect == Dialect::Draft2020_12
            && let Some(schema) = object.get("contains")
        {
            add(Evaluates::Containing(schema));
        }
        if own_unevaluated && dialect >= Dialect::Draft2019_09 {
            if let Some(schema) = object.get("unevaluatedProperties") {
                add(Evaluates::Unevaluated(schema));
            }
            if let Some(schema) = object.get("unevaluatedItems") {
                add(Evaluates::UnevaluatedItems(schema));
            }
        }
    }

    fn branches(
        &mut self,
        walk: &mut Walk<'v>,
        place: Place,
        object: &'v Object,
        conditions: Option<&[Id]>,
    ) {
        let dialect = self.dialect(place);
        let list = |keyword| object.get(keyword).and_then(Value::as_array);
        for schema in list("allOf").unwrap_or_default() {
            self.step(walk, place, schema, conditions, None);
        }
        for keyword in ["anyOf", "oneOf"] {
            for schema in list(keyword).unwrap_or_default() {
                let when = conditions.map(|_| self.sub(place, schema));
                self.step(walk, place, schema, conditions, when);
            }
        }
        if dialect >= Dialect::Draft7
            && let Some(condition) = object.get("if")
        {
            let when = conditions.map(|_| self.sub(place, condition));
            let unless = when.map(|when| self.arena.not(when));
            self.step(walk, place, condition, conditions, when);
            if let Some(schema) = object.get("then") {
                self.step(walk, place, schema, conditions, when);
            }
            if let Some(schema) = object.get("else") {
                self.step(walk, place, schema, conditions, unless);
            }
        }
        let keyword = if dialect >= Dialect::Draft2019_09 {
            "dependentSchemas"
        } else {
            "dependencies"
        };
        let dependent = object.get(keyword).and_then(Value::as_object);
        for (name, schema) in dependent.into_iter().flat_map(Object::iter) {
            if matches!(schema, Value::Object(_)) {
                let lacks = self.arena.lacks(name);
                let when = conditions.map(|_| self.arena.not(lacks));
                self.step(walk, place, schema, conditions, when);
            }
        }
    }

    fn step(
        &mut self,
        walk: &mut Walk<'v>,
        place: Place,
        schema: &'v Value,
        conditions: Option<&[Id]>,
        when: Option<Id>,
    ) {
        if matches!(schema, Value::Bool(_)) {
            return;
        }
        let Some(child) = self.child(place, schema) else {
            walk.cut = true;
            return;
        };
        match (conditions, when) {
            (Some(conditions), Some(when)) => {
                let mut conditions = conditions.to_vec();
                conditions.push(when);
                self.walk(walk, child, Some(&conditions), true);
            }
            _ => self.walk(walk, child, conditions, true),
        }
    }

    /// Adds what the two keywords say.
    pub(super) fn unevaluated(&mut self, place: Place, object: &'v Object, parts: &mut Vec<Id>) {
        if self.dialect(place) < Dialect::Draft2019_09 {
            return;
        }
        let properties = object.get("unevaluatedProperties");
        let items = object.get("unevaluatedItems");
        if properties.is_none() && items.is_none() {
            return;
        }
        let mut walk = Walk::new();
        self.walk(&mut walk, place, Some(&[]), false);
        if walk.cut {
            parts.push(self.unknown());
            return;
        }
        if let Some(schema) = properties {
            let set = self.sub(place, schema);
            self.unevaluated_members(&walk, set, parts);
        }
        if let Some(schema) = items {
            let set = self.sub(place, schema);
            self.unevaluated_items(&walk, set, parts);
        }
    }

    fn condition(&mut self, part: &Part<'v>) -> Id {
        self.arena.and(part.conditions.clone())
    }

    fn unevaluated_members(&mut self, walk: &Walk<'v>, set: Id, parts: &mut Vec<Id>) {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mut patterns: BTreeSet<&str> = BTreeSet::new();
        // Conditions under which every name is evaluated.
        let mut all = Vec::new();
        for part in &walk.parts {
            match part.what {
                Evaluates::Name(name, _) => {
                    names.insert(name);
                }
                Evaluates::Pattern(pattern, _) => {
                    patterns.insert(pattern);
                }
                Evaluates::OtherNames(_) | Evaluates::Unevaluated(_) => {
                    let when = self.condition(part);
                    all.push(when);
                }
                _ => {}
            }
        }
        let patterns: Vec<&str> = patterns.into_iter().collect();
        if patterns.len() > PATTERN_LIMIT {
            parts.push(self.unknown());
            return;
        }
        let classes: Vec<Id> = patterns.iter().map(|p| self.arena.pattern(p)).collect();
        for name in &names {
            let mut ways = all.clone();
            for part in &walk.parts {
                let evaluates = match part.what {
                    Evaluates::Name(other, _) => other == *name,
                    Evaluates::Pattern(pattern, _) => {
                        let class = self.arena.pattern(pattern);
                        let name = Val::Str((*name).to_owned());
                        if let Some(matches) = holds(self.arena, class, &name) {
                            matches
                        } else {
                            ways.push(self.unknown());
                            false
                        }
                    }
                    _ => false,
                };
                if evaluates {
                    let when = self.condition(part);
                    ways.push(when);
                }
            }
            let member = self.arena.member(name, set);
            ways.push(member);
            parts.push(self.arena.or(ways));
        }
        let named = self.arena.names(names.iter().map(|n| (*n).to_owned()));
        let unnamed = self.arena.not(named);
        // The other names, by the patterns that match them.
        for choice in 0..1usize << patterns.len() {
            let mut names = vec![unnamed];
            let mut ways = all.clone();
            for (i, class) in classes.iter().enumerate() {
                if choice >> i & 1 == 0 {
                    let other = self.arena.not(*class);
                    names.push(other);
                    continue;
                }
                names.push(*class);
                for part in &walk.parts {
                    if let Evaluates::Pattern(pattern, _) = part.what
                        && pattern == patterns[i]
                    {
                        let when = self.condition(part);
                        ways.push(when);
                    }
                }
            }
            let names = self.arena.and(names);
            let members = self.arena.members(names, set);
            ways.push(members);
            parts.push(self.arena.or(ways));
        }
    }

    fn unevaluated_items(&mut self, walk: &Walk<'v>, set: Id, parts: &mut Vec<Id>) {
        let mut cuts: BTreeSet<usize> = BTreeSet::from([0]);
        let mut always = set;
        let mut sometimes: Vec<(Id, Id)> = Vec::new();
        for part in &walk.parts {
            match part.what {
                Evaluates::Prefix(prefix) => {
                    cuts.extend(0..=prefix.len());
                }
                Evaluates::Containing(schema) => {
                    let inner = self.sub(part.place, schema);
                    let when = self.condition(part);
                    if when == Arena::TRUE {
                        always = self.arena.or(vec![always, inner]);
                    } else {
                        sometimes.push((when, inner));
                    }
                }
                _ => {}
            }
        }
        if sometimes.len() > CONTAINS_LIMIT {
            parts.push(self.unknown());
            return;
        }
        let last = cuts.last().copied().unwrap_or(0);
        for index in cuts {
            let mut ways = Vec::new();
            for part in &walk.parts {
                let covers = match part.what {
                    Evaluates::Prefix(prefix) => prefix.len() > index,
                    Evaluates::Items(_) | Evaluates::UnevaluatedItems(_) => true,
                    _ => false,
                };
                if covers {
                    let when = self.condition(part);
                    ways.push(when);
                }
            }
            for choice in 0..1usize << sometimes.len() {
                let mut ways = ways.clone();
                let mut sets = vec![always];
                for (i, (when, inner)) in sometimes.iter().enumerate() {
                    if choice >> i & 1 == 1 {
                        sets.push(*inner);
                    } else {
                        ways.push(*when);
                    }
                }
                let sets = self.arena.or(sets);
                let items = if index == last {
                    self.arena.items_from(index, sets)
                } else {
                    self.arena.item(index, sets)
                };
                ways.push(items);
                parts.push(self.arena.or(ways));
            }
        }
    }
}
