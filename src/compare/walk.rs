//! Two JSON trees side by side, where no schema says what their members mean.
//!
//! Objects are paired by name, so key order never counts. Arrays are paired from both ends, and by
//! position in between.

use std::collections::HashMap;

use crate::json::{Object, Pointer, Value};

use super::text::same;

/// A member of two objects: its name and its value on either side.
pub(super) type Pair<'v> = (&'v str, Option<&'v Value>, Option<&'v Value>);

/// The members of two objects, paired by name: the old ones in their order, then the new ones.
pub(super) fn members<'v>(old: &'v Object, new: &'v Object) -> Vec<Pair<'v>> {
    let in_new = index(new);
    let in_old = index(old);
    let kept = old
        .iter()
        .map(|(name, value)| (name, Some(value), in_new.get(name).copied()));
    let added = new
        .iter()
        .filter(|(name, _)| !in_old.contains_key(name))
        .map(|(name, value)| (name, None, Some(value)));
    kept.chain(added).collect()
}

/// The members of an object by name.
pub(super) fn index(object: &Object) -> HashMap<&str, &Value> {
    object.iter().collect()
}

/// A difference between two trees.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference<'v> {
    /// Where: in the new tree if it has a value there, else in the old one.
    pub(super) pointer: Pointer,
    /// The old value.
    pub(super) old: Option<&'v Value>,
    /// The new value.
    pub(super) new: Option<&'v Value>,
}

/// Every difference between two trees that stand at `at`, in document order.
pub(super) fn differences<'v>(
    old: Option<&'v Value>,
    new: Option<&'v Value>,
    at: &Pointer,
) -> Vec<Difference<'v>> {
    let mut found = Vec::new();
    tree(old, new, at, at, &mut found);
    found
}

fn tree<'v>(
    old: Option<&'v Value>,
    new: Option<&'v Value>,
    old_at: &Pointer,
    new_at: &Pointer,
    found: &mut Vec<Difference<'v>>,
) {
    match (old, new) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            for (name, old, new) in members(a, b) {
                tree(old, new, &old_at.key(name), &new_at.key(name), found);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => array(a, b, old_at, new_at, found),
        (Some(a), Some(b)) if same(a, b) => {}
        (None, None) => {}
        _ => found.push(Difference {
            pointer: if new.is_some() { new_at } else { old_at }.clone(),
            old,
            new,
        }),
    }
}

fn array<'v>(
    old: &'v [Value],
    new: &'v [Value],
    old_at: &Pointer,
    new_at: &Pointer,
    found: &mut Vec<Difference<'v>>,
) {
    let shorter = old.len().min(new.len());
    let head = (0..shorter).take_while(|&i| same(&old[i], &new[i])).count();
    let tail = (0..shorter - head)
        .take_while(|&i| same(&old[old.len() - 1 - i], &new[new.len() - 1 - i]))
        .count();
    for i in head..old.len().max(new.len()) - tail {
        let within = |list: &'v [Value]| (i < list.len() - tail).then(|| &list[i]);
        let (a, b) = (within(old), within(new));
        tree(a, b, &old_at.index(i), &new_at.index(i), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn pointers(old: &str, new: &str) -> Vec<String> {
        let read = |text: &str| {
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        let (old, new) = (read(old), read(new));
        differences(Some(&old), Some(&new), &Pointer::root())
            .iter()
            .map(|difference| difference.pointer.to_string())
            .collect()
    }

    #[test]
    fn key_order_and_number_spelling_are_no_difference() {
        assert!(pointers(r#"{"a":1.0,"b":[1e2]}"#, r#"{"b":[100],"a":1}"#).is_empty());
    }

    #[test]
    fn an_element_put_into_an_array_is_one_difference() {
        assert_eq!(pointers("[1,2,3]", "[1,9,2,3]"), ["/1"]);
        assert_eq!(pointers("[1,9,2,3]", "[1,2,3]"), ["/1"]);
        assert_eq!(pointers("[1,2,3]", "[1,5,3]"), ["/1"]);
        assert_eq!(pointers("[]", r#"[{"a":1}]"#), ["/0"]);
    }

    #[test]
    fn members_are_told_where_they_are_or_were() {
        assert_eq!(
            pointers(r#"{"a":{"x":1},"b":2}"#, r#"{"a":{"x":2},"c":2}"#),
            ["/a/x", "/b", "/c"]
        );
        assert_eq!(pointers(r#"{"a":null}"#, "{}"), ["/a"]);
        assert_eq!(pointers("{}", "[]"), [""]);
    }
}
