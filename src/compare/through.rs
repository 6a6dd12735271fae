//! Schemas that are wrapped on one side: behind a reference, in an `allOf` of one, or beside `null`.
//!
//! What a wrapper holds is compared with what stands bare on the other side, at the place where it
//! is used, so that a verdict and a message are about the argument and not about the wrapper.

use crate::json::{Object, Pointer, Value};

use super::change::{Basis, Callers, Change, ChangeKind};
use super::effect::Side;
use super::follow::{Inner, follow, target, wrapper};
use super::nullable::nullable;
use super::place::Place;
use super::reach::{self, Type};
use super::schema::Walk;

/// How many pairs of places references are followed to; beyond that they are compared as they stand.
const FOLLOWED: usize = 512;

impl Walk<'_> {
    /// Compares what stands behind references and single `allOf`s, where only one side has one or
    /// the two may lead to different things. A pair of places is compared once: what is compared
    /// already is taken to be equal. False, and nothing done, where there is nothing to look behind.
    pub(super) fn through(&mut self, old: &Object, new: &Object, place: &Place) -> bool {
        // A longer `allOf` on the other side is compared branch by branch.
        let wraps = |schema: &Object, other: &Object| {
            wrapper(schema).filter(|by| {
                *by != "allOf" || wrapper(other) == Some("allOf") || !other.contains_key("allOf")
            })
        };
        let (a, b) = (wraps(old, new), wraps(new, old));
        let alike = a == b && target(old) == target(new);
        let nothing = a.is_none() && b.is_none();
        let same = alike && (a == Some("allOf") || !self.moved);
        if !self.apart || nothing || same || self.seen.len() > FOLLOWED {
            return false;
        }
        let follows = |schema: &Object, by: Option<&str>, root: &Value| match by {
            None => Some(None),
            Some(_) => follow(root, schema).map(Some),
        };
        let (Some(was), Some(is)) = (
            follows(old, a, self.pair.old),
            follows(new, b, self.pair.new),
        ) else {
            return false;
        };
        let root = Pointer::root().key(self.side().member());
        let mut inner = place.clone();
        for (in_new, side) in [(false, &was), (true, &is)] {
            let Some(side) = side else { continue };
            let here = if in_new { &place.new } else { &place.old };
            let at = match &side.at {
                Inner::Definition(at) => root.join(at),
                Inner::Wrapped => here.key("allOf").index(0),
            };
            self.followed[usize::from(in_new)].insert(at.clone());
            inner = inner.followed(in_new, at, side.beside.clone());
        }
        if !alike {
            for keyword in ["$ref", "allOf"] {
                let held = |schema: &Object, by: Option<&str>| {
                    schema.get(keyword).filter(|_| by == Some(keyword)).cloned()
                };
                let (old, new) = (held(old, a), held(new, b));
                if old.is_some() || new.is_some() {
                    self.spelling(place, keyword, old.as_ref(), new.as_ref());
                }
            }
        }
        if self.seen.insert((inner.old.clone(), inner.new.clone())) {
            let old = was.as_ref().map_or(old, |side| &side.schema);
            let new = is.as_ref().map_or(new, |side| &side.schema);
            self.objects(old, new, &inner);
        }
        true
    }

    /// Compares a nullable schema (`anyOf` with `null`) with one that refuses null, as the schema in
    /// it and null.
    pub(super) fn nulls(&mut self, old: &Object, new: &Object, place: &Place) -> bool {
        let refuses = |schema: &Object| {
            !schema.contains_key("anyOf")
                && !reach::has_reference(schema)
                && schema.contains_key("type")
                && reach::types(schema).is_some_and(|types| !types.contains(&Type::Null))
        };
        let (in_new, taken) = match (nullable(old), nullable(new)) {
            (Some(was), None) if refuses(new) => (false, was),
            (None, Some(is)) if refuses(old) => (true, is),
            _ => return false,
        };
        let at = if in_new { &place.new } else { &place.old }.key("anyOf");
        let null = Value::Object(Object::new(vec![(
            "type".to_owned(),
            Value::String("null".to_owned()),
        )]));
        let lost = (self.side() == Side::Input) != in_new;
        let (callers, basis) = if lost {
            place.lost(true)
        } else {
            self.gained(place)
        };
        let (kind, a, b) = if in_new {
            (ChangeKind::TypeWidened, None, Some(&null))
        } else {
            (ChangeKind::TypeNarrowed, Some(&null), None)
        };
        let change = Change::new(kind, at.index(taken.null), a, b);
        self.push(
            change
                .about(place.subject())
                .callers(callers, basis)
                .detail(if in_new {
                    "null is allowed now"
                } else {
                    "null is not allowed any more"
                }),
        );
        let inner = place.followed(in_new, at.index(taken.at), taken.beside);
        let (old, new) = if in_new {
            (old, &taken.schema)
        } else {
            (&taken.schema, new)
        };
        self.objects(old, new, &inner);
        true
    }

    /// A definition that came or went does nothing by itself; one that was compared where it is
    /// used says nothing new either.
    pub(super) fn definitions(&mut self) {
        if !self.apart {
            return;
        }
        let root = Pointer::root().key(self.side().member());
        let maps = ["$defs", "definitions"].map(|map| root.key(map));
        for change in &mut self.found {
            let in_new = change.new.is_some();
            let alone = change.old.is_some() != in_new;
            let is_definition = change
                .pointer
                .split_last()
                .is_some_and(|(map, _)| maps.contains(&map));
            if alone && is_definition {
                change.callers = Callers::Same;
                change.basis = Basis::Proof;
                if self.followed[usize::from(in_new)].contains(&change.pointer) {
                    *change = change.clone().read_differently(false).spelling();
                }
            }
        }
    }
}
