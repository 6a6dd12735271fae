//! Lists of schemas: `allOf`, `anyOf` and `oneOf`, whose order means nothing, and tuples.

use std::collections::HashMap;

use crate::canonical::canonical;
use crate::json::Value;

use super::change::{Basis, Callers, Change, ChangeKind};
use super::normal::normal;
use super::place::Place;
use super::schema::Walk;
use super::text::{same_member, words};

/// `allOf`, `anyOf`, `oneOf`: equal branches are paired first, wherever they stand.
pub(super) fn set(
    walk: &mut Walk<'_>,
    name: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    place: &Place,
) {
    let (Some(Value::Array(a)), Some(Value::Array(b))) = (old, new) else {
        if !same_member(old, new) {
            walk.undecided(place, name, old, new);
        }
        return;
    };
    let partners = partners(a, b);
    let (a_left, b_left) = (partners.old, partners.new);
    for &(i, j) in &partners.alike {
        walk.schema(&a[i], &b[j], &place.branch(name, i, j));
    }
    if a_left.is_empty() && b_left.is_empty() {
        if partners.moved || partners.alike.iter().any(|(i, j)| i != j) {
            walk.spelling(place, name, old, new);
        }
    } else if a_left.len() == b_left.len() {
        for (&i, &j) in a_left.iter().zip(&b_left) {
            walk.schema(&a[i], &b[j], &place.branch(name, i, j));
        }
    } else {
        let (from_left, to_left) = walk.side().order(&a_left, &b_left);
        let only_gained = match name {
            "anyOf" => from_left.is_empty(),
            "allOf" => to_left.is_empty(),
            _ => false,
        };
        let (callers, basis) = if only_gained && !walk.counts_evaluation() {
            walk.gained(place)
        } else {
            (Callers::Undecided, Basis::Undecided)
        };
        let read = |list: &[Value], left: &[usize]| {
            let mut all: Vec<String> = left.iter().flat_map(|&i| words(&list[i])).collect();
            all.sort();
            all
        };
        let change = Change::new(ChangeKind::InputSchema, place.member(name, true), old, new);
        walk.push(
            change
                .about(place.subject())
                .callers(callers, basis)
                .read_differently(read(a, &a_left) != read(b, &b_left))
                .detail(match (a_left.len(), b_left.len()) {
                    (0, came) => format!("{came} of {} alternatives came", b.len()),
                    (went, 0) => format!("{went} of {} alternatives went", a.len()),
                    (went, came) => format!("{went} alternatives went, {came} came"),
                }),
        );
    }
}

/// Schemas by position.
pub(super) fn tuple(
    walk: &mut Walk<'_>,
    name: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    place: &Place,
) {
    let (Some(Value::Array(a)), Some(Value::Array(b))) = (old, new) else {
        if !same_member(old, new) {
            walk.undecided(place, name, old, new);
        }
        return;
    };
    for i in 0..a.len().max(b.len()) {
        let inner = place.branch(name, i, i);
        match (a.get(i), b.get(i)) {
            (Some(a), Some(b)) => walk.schema(a, b, &inner),
            (a, b) => walk.at(&inner, a, b, (Callers::Undecided, Basis::Undecided)),
        }
    }
}

/// How the elements of two lists belong together.
struct Partners {
    /// Positions of elements that mean the same and are spelled otherwise.
    alike: Vec<(usize, usize)>,
    /// Positions in the old list without a partner.
    old: Vec<usize>,
    /// Positions in the new list without a partner.
    new: Vec<usize>,
    /// Whether an equal element stands elsewhere.
    moved: bool,
}

/// Pairs equal elements first, then those that differ in spelling alone.
fn partners(old: &[Value], new: &[Value]) -> Partners {
    let all = |list: &[Value]| (0..list.len()).collect::<Vec<_>>();
    let (equal, old_left, new_left) = paired(old, new, all(old), all(new), canonical);
    let (alike, old_left, new_left) = paired(old, new, old_left, new_left, normal);
    Partners {
        alike,
        old: old_left,
        new: new_left,
        moved: equal.iter().any(|(i, j)| i != j),
    }
}

type Pairs = Vec<(usize, usize)>;

/// Pairs the elements at the given positions that have one form, those at one position first.
fn paired(
    old: &[Value],
    new: &[Value],
    old_at: Vec<usize>,
    new_at: Vec<usize>,
    form: fn(&Value) -> String,
) -> (Pairs, Vec<usize>, Vec<usize>) {
    let mut free: HashMap<String, Vec<usize>> = HashMap::new();
    for j in new_at {
        free.entry(form(&new[j])).or_default().push(j);
    }
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for i in old_at {
        let found = free.get_mut(&form(&old[i])).and_then(|places| {
            let here = places.iter().position(|&j| j == i).unwrap_or(0);
            (!places.is_empty()).then(|| places.remove(here))
        });
        match found {
            Some(j) => pairs.push((i, j)),
            None => left.push(i),
        }
    }
    let mut rest: Vec<usize> = free.into_values().flatten().collect();
    rest.sort_unstable();
    (pairs, left, rest)
}
