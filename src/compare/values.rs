//! `type`, `enum` and `const` together: which values and types a place allows.

use std::collections::BTreeSet;

use crate::json::{Object, Value};
use crate::text::visible;

use super::change::{Change, ChangeKind};
use super::place::Place;
use super::reach::{self, Type};
use super::schema::Walk;
use super::text::{has_prose, quoted_list, same_member};

/// The keywords that are read together.
const KEYWORDS: [&str; 3] = ["type", "enum", "const"];

/// Compares what two schemas allow at `place`.
pub(super) fn compare(walk: &mut Walk<'_>, old: &Object, new: &Object, place: &Place) {
    let moved: Vec<&str> = KEYWORDS
        .into_iter()
        .filter(|name| !same_member(old.get(name), new.get(name)))
        .collect();
    if moved.is_empty() {
        return;
    }
    let (Some(before), Some(after)) = (Allowed::of(old), Allowed::of(new)) else {
        for name in moved {
            walk.undecided(place, name, old.get(name), new.get(name));
        }
        return;
    };
    let (from, to) = walk.side().order((old, &before), (new, &after));
    if from.1.lost_in(to.1).is_none() && to.1.lost_in(from.1).is_none() {
        for name in moved {
            walk.spelling(place, name, old.get(name), new.get(name));
        }
        return;
    }
    for name in moved {
        let by_type = name == "type";
        let lost = if by_type {
            from.1.lost_by_type(to.1)
        } else {
            from.1.lost_by_value(to.1)
        };
        let (callers, basis) = match &lost {
            Some(lost) => place.lost(lost.is_allowed_by(from.0) && !reach::has_reference(to.0)),
            None => walk.gained(place),
        };
        let kind = match (by_type, lost.is_some()) {
            (true, true) => ChangeKind::TypeNarrowed,
            (true, false) => ChangeKind::TypeWidened,
            (false, true) => ChangeKind::EnumNarrowed,
            (false, false) => ChangeKind::EnumWidened,
        };
        let (a, b) = (old.get(name), new.get(name));
        let change = Change::new(kind, place.member(name, b.is_some()), a, b);
        walk.push(
            change
                .about(place.subject())
                .callers(callers, basis)
                .read_differently(!by_type && prose(a) != prose(b))
                .detail(if by_type {
                    format!("{} before, {} now", type_words(a), type_words(b))
                } else {
                    told(&before, &after)
                }),
        );
    }
}

/// The values of an `enum` or `const` that read as prose.
fn prose(values: Option<&Value>) -> Vec<String> {
    let list = match values {
        Some(Value::Array(list)) => list.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    let mut found: Vec<String> = list
        .iter()
        .filter(|value| has_prose(value))
        .map(crate::canonical::canonical)
        .collect();
    found.sort();
    found
}

/// The types that `type` names, in words.
fn type_words(named: Option<&Value>) -> String {
    let list = match named {
        None => return "any type".to_owned(),
        Some(Value::Array(list)) => list.as_slice(),
        Some(name) => std::slice::from_ref(name),
    };
    let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
    visible(&words.join(" or "))
}

/// What went and what came, in words.
fn told(before: &Allowed<'_>, after: &Allowed<'_>) -> String {
    let (then, now) = match (&before.listed, &after.listed) {
        (None, Some(now)) => return format!("only {} now", quoted_list(now)),
        (Some(then), None) => return format!("not only {} any more", quoted_list(then)),
        (Some(then), Some(now)) => (then.as_slice(), now.as_slice()),
        (None, None) => (&[][..], &[][..]),
    };
    let gone = quoted_list(&without(then, now));
    let new = quoted_list(&without(now, then));
    match (gone.is_empty(), new.is_empty()) {
        (false, true) => format!("{gone} went"),
        (true, false) => format!("{new} came"),
        (false, false) => format!("{gone} went, {new} came"),
        (true, true) => "none by itself".to_owned(),
    }
}

/// The elements of `a` that are not in `b`.
fn without<'v>(a: &[&'v Value], b: &[&Value]) -> Vec<&'v Value> {
    let known: BTreeSet<String> = b.iter().map(|v| crate::canonical::canonical(v)).collect();
    a.iter()
        .copied()
        .filter(|value| !known.contains(&crate::canonical::canonical(value)))
        .collect()
}

/// What `type`, `enum` and `const` of a schema allow.
struct Allowed<'v> {
    types: BTreeSet<Type>,
    /// What `enum` and `const` list, whatever `type` says.
    listed: Option<Vec<&'v Value>>,
    /// The allowed values, where there are finitely many.
    values: Option<Vec<&'v Value>>,
}

/// Something that one side allows and the other does not.
enum Lost<'v> {
    /// These values.
    Values(Vec<&'v Value>),
    /// Every value of these types.
    Types(Vec<Type>),
    /// All but a few values of these types.
    Rest(Vec<Type>),
}

/// The values of the two types that have finitely many.
const NULL: Value = Value::Null;
const TRUE: Value = Value::Bool(true);
const FALSE: Value = Value::Bool(false);

impl<'v> Allowed<'v> {
    fn of(schema: &'v Object) -> Option<Self> {
        let types = reach::types(schema)?;
        if schema
            .get("enum")
            .is_some_and(|list| list.as_array().is_none())
        {
            return None;
        }
        let listed = reach::listed(schema);
        let values = match &listed {
            Some(list) => Some(
                list.iter()
                    .copied()
                    .filter(|value| types.contains(&Type::of(value)))
                    .collect(),
            ),
            None => few(&types),
        };
        Some(Allowed {
            types,
            listed,
            values,
        })
    }

    /// What is allowed here and not there; one of the two reasons is enough.
    fn lost_in(&self, other: &Allowed<'_>) -> Option<Lost<'v>> {
        self.lost_by_type(other)
            .or_else(|| self.lost_by_value(other))
    }

    /// What is allowed here and refused there by `type`.
    fn lost_by_type(&self, other: &Allowed<'_>) -> Option<Lost<'v>> {
        if let Some(values) = &self.values {
            let refused = |value: &&Value| !other.types.contains(&Type::of(value));
            return values_lost(values.iter().copied().filter(refused).collect());
        }
        let types: Vec<Type> = self.types.difference(&other.types).copied().collect();
        (!types.is_empty()).then_some(Lost::Types(types))
    }

    /// What is allowed here and refused there by `enum` or `const`.
    fn lost_by_value(&self, other: &Allowed<'_>) -> Option<Lost<'v>> {
        let there = other.listed.as_ref()?;
        // `few` has taken the types apart that a list can exhaust.
        self.values.as_ref().map_or_else(
            || Some(Lost::Rest(self.types.iter().copied().collect())),
            |values| values_lost(without(values, there)),
        )
    }
}

impl Lost<'_> {
    /// Whether `schema` certainly allows some of it.
    fn is_allowed_by(&self, schema: &Object) -> bool {
        match self {
            Lost::Values(values) => values
                .iter()
                .any(|value| reach::leaves_alone(schema, Type::of(value))),
            Lost::Types(types) => types
                .iter()
                .any(|&kind| reach::is_inhabited_by(schema, kind)),
            Lost::Rest(types) => types.iter().any(|&kind| reach::is_endless_in(schema, kind)),
        }
    }
}

/// The values of `types`, when none of them has more than a few.
fn few<'v>(types: &BTreeSet<Type>) -> Option<Vec<&'v Value>> {
    let mut values: Vec<&Value> = Vec::new();
    for kind in types {
        match kind {
            Type::Null => values.push(&NULL),
            Type::Boolean => values.extend([&TRUE, &FALSE]),
            _ => return None,
        }
    }
    Some(values)
}

fn values_lost(values: Vec<&Value>) -> Option<Lost<'_>> {
    (!values.is_empty()).then_some(Lost::Values(values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn object(text: &str) -> Object {
        let document = parse(text.as_bytes(), &Limits::default()).expect("JSON");
        document.value.as_object().expect("an object").clone()
    }

    fn loses(old: &str, new: &str) -> bool {
        let (old, new) = (object(old), object(new));
        let (old, new) = (
            Allowed::of(&old).expect("types"),
            Allowed::of(&new).expect("types"),
        );
        old.lost_in(&new).is_some()
    }

    #[test]
    fn what_is_lost_is_read_off_type_enum_and_const_together() {
        for (old, new, lost) in [
            (r#"{"type":"integer"}"#, r#"{"type":"number"}"#, false),
            (r#"{"type":"number"}"#, r#"{"type":"integer"}"#, true),
            (
                r#"{"enum":["a","b"]}"#,
                r#"{"enum":["a","b"],"type":"string"}"#,
                false,
            ),
            (
                r#"{"enum":["a",1]}"#,
                r#"{"enum":["a",1],"type":"string"}"#,
                true,
            ),
            (r#"{"enum":["a",1.0]}"#, r#"{"enum":[1,"a"]}"#, false),
            (r#"{"const":"a"}"#, r#"{"enum":["a"]}"#, false),
            (r#"{"type":"boolean"}"#, r#"{"enum":[true,false]}"#, false),
            (
                r#"{"type":["boolean","null"]}"#,
                r#"{"enum":[true,false]}"#,
                true,
            ),
            (r#"{"type":"string"}"#, r#"{"enum":["a"]}"#, true),
            ("{}", r#"{"type":"string"}"#, true),
            (r#"{"type":"string"}"#, "{}", false),
        ] {
            assert_eq!(loses(old, new), lost, "{old} -> {new}");
        }
    }
}
