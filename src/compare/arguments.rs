//! `properties` and `required` together: which names are declared, and which must be given.

use std::collections::{HashMap, HashSet};

use crate::json::{Object, Value};

use super::change::{Basis, Callers, Change, ChangeKind};
use super::effect::Side;
use super::keyword::is_trivial;
use super::place::Place;
use super::reach;
use super::rename::{ArgumentFacts, renamed_arguments};
use super::schema::Walk;
use super::text::{has_prose, same_member, words};
use super::walk::{Pair, members};

/// Compares what two object schemas declare at `place`.
pub(super) fn compare(walk: &mut Walk<'_>, old: &Object, new: &Object, place: &Place) {
    let nothing = Object::default();
    let (Some(a), Some(b)) = (map(old, &nothing), map(new, &nothing)) else {
        for name in ["properties", "required"] {
            if !same_member(old.get(name), new.get(name)) {
                walk.undecided(place, name, old.get(name), new.get(name));
            }
        }
        return;
    };
    let (was, is) = (
        reach::names(old.get("required")),
        reach::names(new.get("required")),
    );
    let both_listed = was.is_some() && is.is_some();
    let names = Names {
        was: was.unwrap_or_default().into_iter().collect(),
        is: is.unwrap_or_default().into_iter().collect(),
    };
    let before = walk.count();
    let pairs = members(a, b);
    let renames = Renames::of(&pairs);
    for (name, a, b) in pairs {
        match (a, b) {
            (Some(a), Some(b)) => {
                let (from, to) = walk.side().order(old, new);
                walk.schema(a, b, &place.property(name, from, to));
            }
            (Some(gone), None) => {
                let change = removed(walk, old, new, name, gone, &names, place);
                walk.push(change.renamed(renames.to.get(name).copied()));
            }
            (None, Some(added)) => {
                let change = declared(walk, old, new, name, added, &names, place);
                walk.push(change.renamed(renames.from.get(name).copied()));
            }
            (None, None) => {}
        }
    }
    if old.contains_key("properties") != new.contains_key("properties") && before == walk.count() {
        let (a, b) = (old.get("properties"), new.get("properties"));
        walk.spelling(place, "properties", a, b);
    }
    if both_listed {
        required(walk, old, new, &names, place);
    } else if !same_member(old.get("required"), new.get("required")) {
        walk.undecided(place, "required", old.get("required"), new.get("required"));
    }
}

/// The likely renames among the properties of one object, each with what is at its other end.
#[derive(Default)]
struct Renames<'v> {
    to: HashMap<&'v str, (&'v str, &'v Value)>,
    from: HashMap<&'v str, (&'v str, &'v Value)>,
}

impl<'v> Renames<'v> {
    fn of(pairs: &[Pair<'v>]) -> Self {
        let gone: Vec<(&str, &Value)> = pairs
            .iter()
            .filter_map(|(name, old, new)| Some((*name, old.filter(|_| new.is_none())?)))
            .collect();
        let came: Vec<(&str, &Value)> = pairs
            .iter()
            .filter_map(|(name, old, new)| Some((*name, new.filter(|_| old.is_none())?)))
            .collect();
        let facts = |list: &[(&str, &Value)]| -> Vec<ArgumentFacts> {
            list.iter()
                .map(|(name, schema)| ArgumentFacts::of(name, schema))
                .collect()
        };
        let mut renames = Renames::default();
        if gone.is_empty() || came.is_empty() {
            return renames;
        }
        for (i, j) in renamed_arguments(&facts(&gone), &facts(&came)) {
            renames.to.insert(gone[i].0, came[j]);
            renames.from.insert(came[j].0, gone[i]);
        }
        renames
    }
}

/// The names that had to and have to be given.
struct Names<'v> {
    was: HashSet<&'v str>,
    is: HashSet<&'v str>,
}

fn map<'v>(schema: &'v Object, nothing: &'v Object) -> Option<&'v Object> {
    schema
        .get("properties")
        .map_or(Some(nothing), Value::as_object)
}

/// The names in `required` that both sides declare, or neither.
fn required(walk: &mut Walk<'_>, old: &Object, new: &Object, names: &Names<'_>, place: &Place) {
    let (a, b) = (old.get("required"), new.get("required"));
    if same_member(a, b) {
        return;
    }
    if names.was == names.is {
        return walk.spelling(place, "required", a, b);
    }
    let declares = |schema: &Object, name: &str| {
        schema
            .get("properties")
            .is_some_and(|map| map.get(name).is_some())
    };
    for name in reach::names(b).unwrap_or_default() {
        let told = declares(new, name) && !declares(old, name);
        if !names.was.contains(name) && !told {
            demanded(walk, old, new, name, place);
        }
    }
    for name in reach::names(a).unwrap_or_default() {
        let told = declares(old, name) && !declares(new, name);
        if !names.is.contains(name) && !told {
            let pointer = if declares(new, name) {
                place.new.key("properties").key(name)
            } else {
                listed(place, a, name, false)
            };
            let (callers, basis) = match walk.side() {
                Side::Input => walk.gained(place),
                Side::Output => place.lost(unanswered(old, new, name)),
            };
            let change = Change::new(ChangeKind::ArgumentOptional, pointer, a, b);
            walk.push(
                change
                    .about(place.subject_of(name))
                    .callers(callers, basis)
                    .detail("it need not be there any more"),
            );
        }
    }
}

/// A name that has to be given now, and was declared before if it is now.
fn demanded(walk: &mut Walk<'_>, old: &Object, new: &Object, name: &str, place: &Place) {
    let property = new.get("properties").and_then(|map| map.get(name));
    let pointer = if property.is_some() {
        place.new.key("properties").key(name)
    } else {
        listed(place, new.get("required"), name, true)
    };
    let change = Change::new(
        ChangeKind::ArgumentRequired,
        pointer,
        old.get("required"),
        new.get("required"),
    );
    let (callers, basis) = match walk.side() {
        Side::Input if !reach::has_reference(new) => place.lost(reach::accepts_without(old, name)),
        Side::Input => (Callers::Undecided, Basis::Undecided),
        Side::Output => walk.gained(place),
    };
    walk.push(
        change
            .about(place.subject_of(name))
            .callers(callers, basis)
            .detail(match (walk.side(), property) {
                (Side::Output, _) => "it is always there now",
                (_, Some(schema)) if schema.get("default").is_some() => {
                    "it was optional; its default does not help, since a call without it is refused"
                }
                _ => "it was optional",
            }),
    );
}

/// A property that is declared no longer.
fn removed(
    walk: &Walk<'_>,
    old: &Object,
    new: &Object,
    name: &str,
    gone: &Value,
    names: &Names<'_>,
    place: &Place,
) -> Change {
    let pointer = place.old.key("properties").key(name);
    let change = Change::new(ChangeKind::ArgumentRemoved, pointer, Some(gone), None)
        .about(place.subject_of(name))
        .read_differently(!words(gone).is_empty());
    match walk.side() {
        Side::Input => {
            let given = reach::reaches_property(old, name) && reach::is_inhabited(gone);
            let known = !reach::declares_elsewhere(new);
            let (callers, basis) = place.lost(given && known);
            let change = change.callers(callers, basis);
            match others(new) {
                Others::Refused if basis == Basis::Proof => {
                    change.detail("the object is closed, so a call that still sends it is refused")
                }
                Others::Ignored if basis == Basis::Proof => change.detail(
                    "the object is open, so a call that still sends it is accepted and the \
                     argument silently ignored",
                ),
                _ => change.callers(Callers::Undecided, Basis::Undecided).detail(
                    "whether a call that still sends it is refused, ignored or understood \
                         could not be decided",
                ),
            }
        }
        Side::Output if names.was.contains(name) && !names.is.contains(name) => {
            let (callers, basis) = place.lost(unanswered(old, new, name));
            change
                .callers(callers, basis)
                .detail("it was always there; now a result need not have it")
        }
        Side::Output => change.detail("it is promised no longer"),
    }
}

/// A property that is declared now.
fn declared(
    walk: &Walk<'_>,
    old: &Object,
    new: &Object,
    name: &str,
    added: &Value,
    names: &Names<'_>,
    place: &Place,
) -> Change {
    let pointer = place.new.key("properties").key(name);
    let must = names.is.contains(name) && !names.was.contains(name);
    let kind = if must && walk.side() == Side::Input {
        ChangeKind::ArgumentRequired
    } else {
        ChangeKind::ArgumentAdded
    };
    let prose = has_prose(&Value::String(name.to_owned()));
    let change = Change::new(kind, pointer, None, Some(added))
        .about(place.subject_of(name))
        .read_differently(prose || !words(added).is_empty());
    match walk.side() {
        Side::Input if must => {
            let refused = !reach::has_reference(new) && reach::accepts_without(old, name);
            let (callers, basis) = place.lost(refused);
            change.callers(callers, basis).detail("it is new")
        }
        Side::Input => {
            let untyped = !matches!(others(old), Others::Typed);
            let (callers, basis) = if untyped {
                walk.unnoticed(place, old)
            } else {
                (Callers::Undecided, Basis::Undecided)
            };
            change.callers(callers, basis).detail("it may be left out")
        }
        Side::Output => match others(old) {
            Others::Refused => {
                let sent = reach::reaches_property(new, name) && reach::is_inhabited(added);
                let (callers, basis) = place.lost(sent && !reach::has_reference(old));
                change
                    .callers(callers, basis)
                    .detail("the result was promised to hold declared members only")
            }
            Others::Ignored => {
                let (callers, basis) = walk.unnoticed(place, old);
                change
                    .callers(callers, basis)
                    .detail("it is new, and readers were told to expect undeclared members")
            }
            Others::Typed => change.detail("undeclared members were promised to look otherwise"),
        },
    }
}

/// Whether a result can certainly lack `name` now that was promised.
fn unanswered(old: &Object, new: &Object, name: &str) -> bool {
    !reach::has_reference(old) && reach::accepts_without(new, name)
}

/// What an object schema does with names that it does not declare.
enum Others {
    /// They are refused.
    Refused,
    /// Any value is accepted.
    Ignored,
    /// They are declared as a whole.
    Typed,
}

fn others(schema: &Object) -> Others {
    let keyword = ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .find_map(|name| schema.get(name));
    match keyword {
        None => Others::Ignored,
        Some(Value::Bool(false)) => Others::Refused,
        Some(schema) if is_trivial(schema) => Others::Ignored,
        Some(_) => Others::Typed,
    }
}

/// The pointer to `name` in the list `required`.
fn listed(place: &Place, list: Option<&Value>, name: &str, in_new: bool) -> crate::json::Pointer {
    let at = place.member("required", in_new);
    let names = reach::names(list).unwrap_or_default();
    match names.iter().position(|listed| *listed == name) {
        Some(i) => at.index(i),
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_to_an_undeclared_name_is_read_off_the_object() {
        let of = |text: &str| {
            let limits = crate::json::Limits::default();
            let document = crate::json::parse(text.as_bytes(), &limits).expect("JSON");
            match others(document.value.as_object().expect("an object")) {
                Others::Refused => "refused",
                Others::Ignored => "ignored",
                Others::Typed => "typed",
            }
        };
        assert_eq!(of("{}"), "ignored");
        assert_eq!(of(r#"{"additionalProperties":true}"#), "ignored");
        assert_eq!(of(r#"{"additionalProperties":{}}"#), "ignored");
        assert_eq!(of(r#"{"additionalProperties":false}"#), "refused");
        assert_eq!(of(r#"{"unevaluatedProperties":false}"#), "refused");
        assert_eq!(of(r#"{"additionalProperties":{"type":"string"}}"#), "typed");
    }
}
