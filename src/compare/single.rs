//! One argument at a time: where a whole schema breaks callers, what each of its properties does.
//!
//! The verdict on a whole schema settles every change when nothing breaks. When something does, it
//! has one witness, and the other changes would stay undecided; so each property that both sides
//! declare at the root is asked about by itself.

use crate::json::{Object, Pointer, Value};
use crate::schema::inclusion::Options;

use super::change::{Basis, Callers, Change, ChangeKind};
use super::effect::{SchemaPair, Side};
use super::verdict::within;

/// How many properties are asked about; the changes of further ones stay undecided.
const MOST: usize = 32;

/// Steps of work for each proof about a property.
const BUDGET: u64 = Options::DEFAULT_BUDGET / 16;

/// Settles what is still undecided in `changes`, property by property. A break that only the schema as
/// a whole was blamed for is told by the properties that are to blame.
pub(super) fn settle(pair: &SchemaPair<'_>, changes: &mut Vec<Change>) {
    if !changes
        .iter()
        .any(|change| change.callers == Callers::Narrower)
    {
        return;
    }
    let map = Pointer::root().key(pair.side.member()).key("properties");
    let mut names: Vec<String> = changes
        .iter()
        .filter(|change| is_open(change))
        .filter_map(|change| below(&map, &change.pointer))
        .collect();
    names.dedup();
    for name in names.iter().take(MOST) {
        settle_property(pair, name, &map, changes);
    }
    let root = Pointer::root().key(pair.side.member());
    let of_the_whole = |change: &Change| {
        change.pointer == root
            && change.old.as_ref() == Some(pair.old)
            && change.new.as_ref() == Some(pair.new)
    };
    let blamed = |change: &Change| change.callers == Callers::Narrower && !of_the_whole(change);
    if changes.iter().any(blamed) {
        changes.retain(|change| !of_the_whole(change));
    }
}

fn settle_property(pair: &SchemaPair<'_>, name: &str, map: &Pointer, changes: &mut [Change]) {
    let (Some(old), Some(new)) = (alone(pair.old, name), alone(pair.new, name)) else {
        return;
    };
    let sides = SchemaPair {
        old: &old,
        new: &new,
        ..*pair
    };
    let effect = within(&sides, BUDGET);
    let mut open: Vec<&mut Change> = changes
        .iter_mut()
        .filter(|change| is_open(change) && below(map, &change.pointer).as_deref() == Some(name))
        .collect();
    match effect.callers {
        Callers::Undecided => {}
        Callers::Same | Callers::Wider => {
            for change in open {
                change.callers = effect.callers;
                change.basis = effect.basis;
            }
        }
        Callers::Narrower => {
            // The call has to be right as a whole: only this property may be to blame.
            let pair = match pair.side {
                Side::Input => SchemaPair { new: &new, ..*pair },
                Side::Output => SchemaPair { old: &old, ..*pair },
            };
            let effect = within(&pair, BUDGET);
            let blamed = open
                .iter()
                .position(|change| narrows(change.kind))
                .unwrap_or(0);
            if let (Some(witness), Some(change)) = (effect.witness, open.get_mut(blamed))
                && effect.callers == Callers::Narrower
            {
                change.callers = Callers::Narrower;
                change.basis = Basis::Witness;
                change.witness = Some(witness);
            }
        }
    }
}

fn is_open(change: &Change) -> bool {
    change.callers == Callers::Undecided && change.basis == Basis::Undecided
}

fn narrows(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::TypeNarrowed
            | ChangeKind::EnumNarrowed
            | ChangeKind::ArgumentRequired
            | ChangeKind::OutputBroken
    )
}

/// The property of the root in which `pointer` stands, below its own declaration or at it.
fn below(map: &Pointer, pointer: &Pointer) -> Option<String> {
    let depth = map.tokens().count();
    let inside = pointer.tokens().take(depth).eq(map.tokens());
    inside.then(|| pointer.tokens().nth(depth)).flatten()
}

/// `schema` reduced to one property: an open object, the definitions, and nothing else. None where
/// something at the root may make the property mean something else.
fn alone(schema: &Value, name: &str) -> Option<Value> {
    let object = schema.as_object()?;
    let property = object.get("properties")?.get(name)?.clone();
    let properties = Object::new(vec![(name.to_owned(), property)]);
    let mut members = vec![
        ("type".to_owned(), Value::String("object".to_owned())),
        ("properties".to_owned(), Value::Object(properties)),
    ];
    for (keyword, value) in object.iter() {
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" | "$id" | "id" | "$anchor"
            | "$dynamicAnchor" | "$recursiveAnchor" => return None,
            "$schema" | "$defs" | "definitions" => {
                members.push((keyword.to_owned(), value.clone()));
            }
            _ => {}
        }
    }
    Some(Value::Object(Object::new(members)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::schema;
    use crate::json::{Limits, parse};

    fn told(old: &str, new: &str) -> Vec<(String, Callers, Basis)> {
        let read = |text: &str| {
            let text = format!(r#"{{"type":"object","properties":{text}}}"#);
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        let (old, new) = (read(old), read(new));
        schema::changes(&SchemaPair {
            side: Side::Input,
            old: &old,
            new: &new,
            old_revision: None,
            new_revision: None,
        })
        .into_iter()
        .map(|change| {
            let last = change
                .pointer
                .as_str()
                .replace("/inputSchema/properties", "");
            (last, change.callers, change.basis)
        })
        .collect()
    }

    #[test]
    fn each_argument_has_its_own_verdict_where_several_change_at_once() {
        let found = told(
            r#"{"a":{"type":"integer"},"b":{"type":"integer","minimum":5},"c":{"type":"string","maxLength":9}}"#,
            r#"{"a":{"type":"integer","minimum":1},"b":{"type":"integer","minimum":1},"c":{"type":"string","maxLength":5}}"#,
        );
        assert_eq!(
            found,
            [
                ("/a/minimum".to_owned(), Callers::Narrower, Basis::Witness),
                ("/b/minimum".to_owned(), Callers::Wider, Basis::Proof),
                ("/c/maxLength".to_owned(), Callers::Narrower, Basis::Witness),
            ]
        );
    }

    #[test]
    fn an_optional_value_that_refuses_null_now_is_told_as_that() {
        let found = told(
            r#"{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}"#,
            r#"{"a":{"type":"string","default":null}}"#,
        );
        assert_eq!(
            found,
            [("/a/anyOf/1".to_owned(), Callers::Narrower, Basis::Witness)]
        );
    }
}
