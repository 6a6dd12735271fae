//! Words that are missing, and arguments that a host keeps for itself.

use crate::catalog::{Item, Kind};
use crate::json::{Object, Pointer, Value};

use super::{FaultKind, Report};

/// A tool that says nothing of itself.
pub(super) fn check(item: &Item, report: &mut Report) {
    let says_something = |member: &str| {
        item.value()
            .get(member)
            .and_then(Value::as_str)
            .is_some_and(|text| !text.trim().is_empty())
    };
    if item.kind == Kind::Tool
        && item.value().as_object().is_some()
        && !says_something("description")
    {
        report.fault(
            FaultKind::DescriptionMissing,
            Pointer::root(),
            "the tool has no description, so a model knows it by its name alone",
        );
    }
}

/// Arguments of an input schema that the host takes out of, or puts into, every call: declared at
/// the root, in a part of it that is combined with it, or only required.
pub(super) fn reserved(schema: &Value, at: &Pointer, reserved: &[String], report: &mut Report) {
    if reserved.is_empty() {
        return;
    }
    let mut fault = |pointer| {
        report.fault(
            FaultKind::ReservedArgument,
            pointer,
            "the host reserves this argument (`reserved-arguments`), so the server never gets what \
             the model puts there",
        );
    };
    let is_reserved = |name: &str| reserved.iter().any(|reserved| reserved == name);
    let mut told: Vec<&str> = Vec::new();
    let mut queue = vec![(schema, at.clone())];
    while let Some((schema, at)) = queue.pop() {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, _) in properties.into_iter().flat_map(Object::iter) {
            if is_reserved(name) {
                fault(at.key("properties").key(name));
                told.push(name);
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        for (i, name) in required.into_iter().flatten().enumerate() {
            if let Some(name) = name.as_str()
                && is_reserved(name)
                && !told.contains(&name)
            {
                fault(at.key("required").index(i));
            }
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let parts = schema.get(keyword).and_then(Value::as_array);
            for (i, part) in parts.into_iter().flatten().enumerate() {
                queue.push((part, at.key(keyword).index(i)));
            }
        }
    }
}
