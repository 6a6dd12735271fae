//! Faults of an item's JSON: what two readers would read differently.

use crate::catalog::Item;
use crate::json::DefectKind;

use super::{FaultKind, Report};

/// One fault for each defect of the document.
pub(super) fn check(item: &Item, report: &mut Report) {
    for defect in &item.document.defects {
        let (kind, message) = match defect.kind {
            DefectKind::DuplicateKey => (
                FaultKind::DuplicateKey,
                "the object has two members of this name, and readers differ in which one counts",
            ),
            DefectKind::LoneSurrogate => (
                FaultKind::LoneSurrogate,
                "the string holds half a surrogate pair, which is no text",
            ),
            DefectKind::TooDeep => (
                FaultKind::TooDeep,
                "arrays and objects nest deeper than the limit",
            ),
            DefectKind::ExponentTooLarge => (
                FaultKind::ExponentTooLarge,
                "the number's exponent is too large to compare",
            ),
            DefectKind::NotJson => (FaultKind::NotAnItem, "it is not JSON"),
        };
        report.fault(kind, defect.pointer.clone(), message);
    }
}
