//! Faults of a tool's schemas: missing, no schema, of no known dialect, not well-formed.

use crate::catalog::Item;
use crate::json::{Pointer, Value};
use crate::schema::dialect::declared;
use crate::schema::{
    Declared, Dialect, Flaw, Outline, Undeclared, flaws, settled, unknown_vocabulary,
};

use super::references::{self, RefFault};
use super::{FaultKind, Reading, Report, headers, meaning, names, patterns, values, words};

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
        Some(schema) => {
            one(schema, "inputSchema", true, reading, report);
            let at = Pointer::root().key("inputSchema");
            words::reserved(schema, &at, reading.reserved, report);
        }
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
    if let Some(place) = unknown_vocabulary(schema) {
        return report.fault(
            FaultKind::UnknownVocabulary,
            at.join(&place),
            "the schema asks its readers to know a vocabulary that is not known here",
        );
    }
    let settled = settled(schema);
    let schema = settled.as_ref().unwrap_or(schema);
    match (declared(schema), reading.undeclared) {
        (Declared::Unknown, _) => report.fault(
            FaultKind::UnknownDialect,
            at.key("$schema"),
            "`$schema` names no dialect that is known, so the schema can't be read",
        ),
        (Declared::Known(dialect), _) | (Declared::Absent, Undeclared::Is(dialect)) => {
            let Ok(outline) = Outline::of(schema, dialect) else {
                return too_large(&at, report);
            };
            let outline = outline.with(reading.formats);
            let judgement = Judgement::of(&outline, schema, dialect);
            if judgement.is_sound() {
                meaning::check(&outline, &at, report);
                details(&outline, schema, &at, report);
            }
            judgement.report(&at, report);
        }
        (Declared::Absent, Undeclared::Either) => {
            let newest = Outline::of(schema, Dialect::Draft2020_12);
            let common = Outline::of(schema, Dialect::Draft7);
            let (Ok(newest), Ok(common)) = (newest, common) else {
                return too_large(&at, report);
            };
            let newest = newest.with(reading.formats);
            let in_newest = Judgement::of(&newest, schema, Dialect::Draft2020_12);
            let in_common = Judgement::of(&common, schema, Dialect::Draft7);
            if in_newest.is_sound() && in_common.is_sound() {
                meaning::compare(&newest, &common, &at, report);
                details(&newest, schema, &at, report);
            }
            either(in_newest, &in_common, &at, report);
        }
    }
}

/// What is told of a schema that is sound as a whole.
fn details(outline: &Outline, schema: &Value, at: &Pointer, report: &mut Report) {
    values::check(outline, at, report);
    patterns::check(outline, at, report);
    names::parameters(outline, at, report);
    headers::check(outline, schema, at, report);
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

impl Judgement {
    fn of(outline: &Outline, schema: &Value, dialect: Dialect) -> Self {
        Judgement {
            references: references::faults(&outline.references()),
            flaws: flaws(schema, dialect),
        }
    }

    fn is_sound(&self) -> bool {
        self.flaws.is_empty() && self.references.is_empty()
    }

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
fn either(newest: Judgement, common: &Judgement, at: &Pointer, report: &mut Report) {
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
