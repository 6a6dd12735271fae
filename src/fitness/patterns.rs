//! Patterns that not every reader reads alike, or that none should be asked to match.

use crate::json::{Pointer, Value};
use crate::schema::pattern::{self, Pattern};
use crate::schema::validate::{MAX_PATTERN_ATOMS, MAX_PATTERN_LENGTH, evaluates};
use crate::schema::{Outline, Subschema};

use super::{FaultKind, Report};

/// Every pattern of a well-formed schema.
pub(super) fn check(outline: &Outline, at: &Pointer, report: &mut Report) {
    for subschema in outline.subschemas() {
        if !subschema.is_mere_reference() {
            patterns(subschema, at, report);
        }
    }
}

fn patterns(subschema: Subschema, at: &Pointer, report: &mut Report) {
    let Value::Object(object) = subschema.value() else {
        return;
    };
    let here = || at.join(&subschema.pointer());
    if let Some(Value::String(text)) = object.get("pattern") {
        one(text, || here().key("pattern"), report);
    }
    if let Some(Value::Object(map)) = object.get("patternProperties") {
        for (key, _) in map.iter() {
            one(key, || here().key("patternProperties").key(key), report);
        }
    }
}

fn one(text: &str, pointer: impl Fn() -> Pointer, report: &mut Report) {
    let Ok(pattern) = pattern::check(text) else {
        return;
    };
    if pattern.needs_legacy_syntax {
        report.fault(
            FaultKind::PatternNeedsNonUnicode,
            pointer(),
            "the pattern is a regular expression only without the `u` flag, which JSON Schema \
             recommends to set",
        );
    }
    if text.len() > MAX_PATTERN_LENGTH || pattern.expanded > MAX_PATTERN_ATOMS {
        report.fault(
            FaultKind::PatternNotEvaluated,
            pointer(),
            "the pattern is too large to be evaluated, so arguments can't be checked against it",
        );
    } else if !is_everyday(text, pattern) && !evaluates(text) {
        report.fault(
            FaultKind::PatternNotEvaluated,
            pointer(),
            "the pattern uses what the engine does not know, so arguments can't be checked \
             against it",
        );
    }
}

/// Patterns that the engine is known to take: asking it costs more than all the rest.
fn is_everyday(text: &str, pattern: Pattern) -> bool {
    let unusual = [
        "\\p", "\\P", "\\u", "\\c", "(?<", "(?i", "(?m", "(?s", "(?-", "[]", "[^]",
    ];
    !pattern.needs_legacy_syntax
        && !pattern.backtracks
        && pattern.expanded <= 2_000
        && !unusual.iter().any(|part| text.contains(part))
}
