//! Faults of a tool's schemas: missing, no schema, of no known dialect, not well-formed.

use crate::catalog::Item;
use crate::json::{Pointer, Value};
use crate::schema::dialect::declared;
use crate::schema::{Declared, Dialect, Flaw, Undeclared, flaws, references};

use super::references::{self, RefFault};
use super::{FaultKind, Reading, Report};

/// Both schemas of a tool.
pub(super) fn check(item: &Item, reading: Reading, report: &mut Report) {
    if item.value().as_object().is_none() {
        return;
    }
    match item.value().get("inputSchema") {
        None => report.fault(
            FaultKind::InputSchemaMissing,
            Pointer::root(),
            "the tool has no `inputSchema`",
        ),
        Some(schema) => one(schema, "inputSchema", true, reading, report),
    }
    if let Some(schema) = item.value().get("outputSchema") {
        let objects = reading.outputs_are_objects;
        one(schema, "outputSchema", objects, reading, report);
    }
}

fn one(schema: &Value, member: &str, is_object: bool, reading: Reading, report: &mut Report) {
    let at = Pointer::root().key(member);
    if is_object && let Some(message) = root_is_not_object(schema, member) {
        report.fault(FaultKind::RootNotObject, at.clone(), message);
        if schema.as_object().is_none() {
            return;
        }
    }
    match (declared(schema), reading.undeclared) {
        (Declared::Unknown, _) => report.fault(
            FaultKind::UnknownDialect,
            at.key("$schema"),
            "`$schema` names no dialect that is known, so the schema can't be read",
        ),
        (Declared::Known(dialect), _) | (Declared::Absent, Undeclared::Is(dialect)) => {
            match judge(schema, dialect) {
                Some(judgement) => judgement.report(&at, report),
                None => too_large(&at, report),
            }
        }
        (Declared::Absent, Undeclared::Either) => {
            let newest = judge(schema, Dialect::Draft2020_12);
            let common = judge(schema, Dialect::Draft7);
            match (newest, common) {
                (Some(newest), Some(common)) => either(newest, common, &at, report),
                _ => too_large(&at, report),
            }
        }
    }
}

fn too_large(at: &Pointer, report: &mut Report) {
    report.fault(
        FaultKind::SchemaTooLarge,
        at.clone(),
        "the schema has too many subschemas and references to be judged",
    );
}

fn root_is_not_object(schema: &Value, member: &str) -> Option<String> {
    let Value::Object(object) = schema else {
        return Some(format!(
            "`{member}` must be an object, not {}",
            schema.type_name()
        ));
    };
    match object.get("type") {
        Some(Value::String(name)) if name == "object" => None,
        Some(_) => Some(format!(
            "the root of `{member}` must have `type: \"object\"`, not another `type`"
        )),
        None => Some(format!(
            "the root of `{member}` must have `type: \"object\"`, and has no `type`"
        )),
    }
}

/// What is wrong with a schema, read in one dialect.
#[derive(PartialEq, Eq)]
struct Judgement {
    flaws: Vec<Flaw>,
    references: Vec<RefFault>,
}

/// None when it is too large to be judged.
fn judge(schema: &Value, dialect: Dialect) -> Option<Judgement> {
    let references = references(schema, dialect).ok()?;
    Some(Judgement {
        references: references::faults(&references),
        flaws: flaws(schema, dialect),
    })
}

impl Judgement {
    fn report(self, at: &Pointer, report: &mut Report) {
        for flaw in self.flaws {
            report.fault(
                FaultKind::NotWellFormed,
                at.join(&flaw.pointer),
                flaw.reason,
            );
        }
        for fault in self.references {
            report.fault(fault.kind, at.join(&fault.pointer), fault.message);
        }
    }
}

/// What both readings find wrong is wrong; what only one does depends on a guess.
fn either(newest: Judgement, common: Judgement, at: &Pointer, report: &mut Report) {
    let both_flawed = !newest.flaws.is_empty() && !common.flaws.is_empty();
    let one_flawed = newest.flaws.is_empty() != common.flaws.is_empty();
    let flawed = if newest.flaws.is_empty() {
        (Dialect::Draft7, common.flaws.first())
    } else {
        (Dialect::Draft2020_12, newest.flaws.first())
    };
    if one_flawed && let (dialect, Some(flaw)) = flawed {
        report.fault(
            FaultKind::DialectDependent,
            at.join(&flaw.pointer),
            format!(
                "without `$schema`, and the revision leaves the dialect open: {} in {dialect} only",
                flaw.reason
            ),
        );
    }
    let mut certain = Vec::new();
    for fault in &newest.references {
        if common.references.contains(fault) {
            certain.push(fault.clone());
        } else {
            guess(fault, Dialect::Draft2020_12, at, report);
        }
    }
    for fault in &common.references {
        if !newest.references.contains(fault) {
            guess(fault, Dialect::Draft7, at, report);
        }
    }
    Judgement {
        flaws: if both_flawed {
            newest.flaws
        } else {
            Vec::new()
        },
        references: certain,
    }
    .report(at, report);
}

fn guess(fault: &RefFault, dialect: Dialect, at: &Pointer, report: &mut Report) {
    report.fault(
        FaultKind::DialectDependent,
        at.join(&fault.pointer),
        format!(
            "without `$schema`, and the revision leaves the dialect open: {} in {dialect} only",
            fault.message
        ),
    );
}
