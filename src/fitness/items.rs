//! Faults of items as members of their list, and of `instructions`.

use std::collections::HashMap;

use crate::catalog::{Instructions, Item, Kind};
use crate::json::{Pointer, Value};

use super::{Fault, FaultKind, Report};

/// The first item of each kind and key.
#[derive(Default)]
pub(super) struct Names<'c>(HashMap<(Kind, &'c str), usize>);

/// Whether `item` is one, and the only one of its key.
pub(super) fn check<'c>(item: &'c Item, names: &mut Names<'c>, report: &mut Report) {
    let member = item.kind.key_member();
    let key = match item.value() {
        Value::Object(object) => object.get(member),
        other => {
            let found = other.type_name();
            let message = format!("a {} must be an object, not {found}", words(item.kind));
            report.fault(FaultKind::NotAnItem, Pointer::root(), message);
            return;
        }
    };
    match key {
        None => {
            let message = format!("the {} has no `{member}`", words(item.kind));
            report.fault(FaultKind::NotAnItem, Pointer::root(), message);
        }
        Some(Value::String(key)) if key.is_empty() => {
            let message = format!("`{member}` is empty");
            report.fault(FaultKind::NotAnItem, Pointer::root().key(member), message);
        }
        Some(Value::String(_)) => {}
        Some(other) => {
            let message = format!("`{member}` must be a string, not {}", other.type_name());
            report.fault(FaultKind::NotAnItem, Pointer::root().key(member), message);
        }
    }
    let Some(key) = item.key.as_deref() else {
        return;
    };
    let first = *names.0.entry((item.kind, key)).or_insert(item.position);
    if first != item.position {
        let message = format!(
            "the {} at position {} has the same `{member}`, and hosts differ in which one they keep",
            words(item.kind),
            first + 1,
        );
        report.fault(
            FaultKind::DuplicateItem,
            Pointer::root().key(member),
            message,
        );
    }
}

fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::ResourceTemplate => "resource template",
        kind => kind.word(),
    }
}

/// Whether `instructions` is text, and sound.
pub(super) fn instructions(instructions: &Instructions, faults: &mut Vec<Fault>) {
    let Instructions::Present(document) = instructions else {
        return;
    };
    let mut fault = |kind, pointer, message: String| {
        faults.push(Fault::of_instructions(kind, pointer, message));
    };
    if document.value.as_str().is_none() {
        let found = document.value.type_name();
        fault(
            FaultKind::InstructionsNotText,
            Pointer::root(),
            format!("`instructions` must be a string, not {found}"),
        );
    } else if let Some(defect) = document.defects.first() {
        fault(
            FaultKind::LoneSurrogate,
            defect.pointer.clone(),
            "the string holds half a surrogate pair, which is no text".to_owned(),
        );
    }
}
