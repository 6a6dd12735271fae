//! Words that are missing, and arguments that a host keeps for itself.

use crate::catalog::{Item, Kind};
use crate::json::{Pointer, Value};

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

/// Arguments of an input schema that the host takes out of, or puts into, every call.
pub(super) fn reserved(schema: &Value, at: &Pointer, reserved: &[String], report: &mut Report) {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    for (name, _) in properties.iter() {
        if reserved.iter().any(|reserved| reserved == name) {
            report.fault(
                FaultKind::ReservedArgument,
                at.key("properties").key(name),
                "the host reserves this argument (`reserved-arguments`), so the server never gets \
                 what the model puts there",
            );
        }
    }
}
