//! From a change or a fault to a finding.
//!
//! What comes out is what the rules say by themselves; overrides and waivers are applied to it by
//! those who know the policy.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::compare::{Basis, Counterpart, ItemDrift, Witness};
use crate::config::Redactor;
use crate::fitness::Fault;
use crate::json::{Pointer, Value};
use crate::projection::Loss;

use super::items;
use super::level::{FailOn, Level, level};
use super::registry::{Subject, of_change, of_fault, of_loss};
use super::wording::with_counterpart;

/// A rule's judgement of a change or a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Id of the rule, e.g. `argument-removed`.
    pub rule: &'static str,
    /// What it means.
    pub level: Level,
    /// Why it is believed.
    pub basis: Basis,
    /// `tool:NAME` and the like, `instructions`, `launch`, or `server`.
    pub label: String,
    /// Where in the item.
    pub pointer: Pointer,
    /// One sentence fragment for people; server text in it is made visible.
    pub message: String,
    /// The pinned value.
    pub old: Option<Value>,
    /// The live value.
    pub new: Option<Value>,
    /// A value that shows it.
    pub witness: Option<Witness>,
    /// What this was likely renamed to, or from.
    pub counterpart: Option<Counterpart>,
    /// What an SDK wrote of its own accord, where it did so on most of the server's tools.
    pub emission: Option<&'static str>,
    /// What a caller who sends undeclared names may meet, though careful callers do not.
    pub note: Option<String>,
    /// 16 hex digits that stay the same as long as server, item, rule and pointer do.
    pub fingerprint: String,
}

/// The findings about one item (or `instructions`, `launch`, `server`) of the server that is called
/// `server`, in the order of the changes.
pub fn judge(server: &str, drift: &ItemDrift) -> Vec<Finding> {
    drift
        .changes
        .iter()
        .map(|change| {
            let rule = of_change(change.kind);
            let message = match rule.subject {
                Subject::Change { message, .. } => message(change),
                Subject::Fault { .. } | Subject::Loss { .. } => rule.summary.to_owned(),
            };
            Finding {
                rule: rule.id,
                level: level(change.callers, change.model),
                basis: change.basis,
                label: drift.label.clone(),
                pointer: change.pointer.clone(),
                message: with_counterpart(message, change),
                old: change.old.clone(),
                new: change.new.clone(),
                witness: change.witness.clone(),
                counterpart: change.counterpart.clone(),
                emission: change.emission,
                note: change.note.clone(),
                fingerprint: fingerprint(server, &drift.label, rule.id, &change.pointer),
            }
        })
        .collect()
}

/// The finding about one fault of the server that is called `server`.
pub fn judge_fault(server: &str, fault: &Fault) -> Finding {
    let rule = of_fault(fault.kind);
    let level = match rule.subject {
        Subject::Fault { level, .. } => level,
        Subject::Change { .. } | Subject::Loss { .. } => Level::Unfit,
    };
    Finding {
        rule: rule.id,
        level,
        basis: Basis::Proof,
        label: fault.label.clone(),
        pointer: fault.pointer.clone(),
        message: fault.message.clone(),
        old: None,
        new: fault.value.clone(),
        witness: None,
        counterpart: None,
        emission: None,
        note: None,
        fingerprint: fingerprint(server, &fault.label, rule.id, &fault.pointer),
    }
}

/// The finding about one loss on the far side called `far`, of the server that is called `server`.
pub fn judge_loss(server: &str, far: &str, loss: &Loss) -> Finding {
    let rule = of_loss(loss.kind);
    let level = match rule.subject {
        Subject::Loss { level } => level,
        Subject::Change { .. } | Subject::Fault { .. } => Level::Unfit,
    };
    // Two far sides of one server lose the same thing: still two findings.
    let side = format!("{server} -> {far}");
    Finding {
        rule: rule.id,
        level,
        basis: loss.basis,
        label: loss.label.clone(),
        pointer: loss.pointer.clone(),
        message: loss.message.clone(),
        old: loss.old.clone(),
        new: loss.new.clone(),
        witness: loss.witness.clone(),
        counterpart: None,
        emission: None,
        note: None,
        fingerprint: fingerprint(&side, &loss.label, rule.id, &loss.pointer),
    }
}

/// Whether a finding fails a run with this threshold. An item that is new or gone fails under every
/// threshold but [`FailOn::Never`].
pub fn fails(finding: &Finding, fail_on: FailOn) -> bool {
    let presence = [items::GONE.id, items::ADDED.id].contains(&finding.rule);
    fail_on.fails(finding.level)
        || (presence && fail_on != FailOn::Never && finding.level <= Level::Compatible)
}

/// Masks every text of a finding: a server may repeat a secret in words that have changed.
pub fn mask(finding: &mut Finding, secrets: &Redactor) {
    let masked = |text: &mut String| *text = secrets.mask(text).into_owned();
    masked(&mut finding.message);
    masked(&mut finding.label);
    if let Some(pointer) = Pointer::parse(&secrets.mask(finding.pointer.as_str())) {
        finding.pointer = pointer;
    }
    for value in [&mut finding.old, &mut finding.new].into_iter().flatten() {
        mask_value(value, secrets);
    }
    if let Some(counterpart) = &mut finding.counterpart {
        masked(&mut counterpart.name);
        mask_value(&mut counterpart.value, secrets);
    }
    if let Some(witness) = &mut finding.witness {
        mask_value(&mut witness.value, secrets);
        masked(&mut witness.reason);
    }
}

fn mask_value(value: &mut Value, secrets: &Redactor) {
    match value {
        Value::String(text) => *text = secrets.mask(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, secrets)),
        Value::Object(object) => {
            for (key, member) in object.members_mut() {
                *key = secrets.mask(key).into_owned();
                mask_value(member, secrets);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Worst first, then by item, place and rule.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.level, rank(finding.rule));
        key(a)
            .cmp(&key(b))
            .then_with(|| a.label.cmp(&b.label))
            .then_with(|| a.pointer.cmp(&b.pointer))
            .then_with(|| a.rule.cmp(b.rule))
    });
}

/// Within a level: what takes a whole item away stands first, then what moved toward danger.
fn rank(rule: &str) -> u8 {
    match rule {
        "input-schema-emptied" => 0,
        "item-gone" => 1,
        "hint-more-dangerous" => 2,
        _ => 3,
    }
}

/// 16 hex digits of the SHA-256 over server, label, rule and pointer, each with its length, so that
/// it survives moved lines and no two of these run into each other.
pub fn fingerprint(server: &str, label: &str, rule: &str, pointer: &Pointer) -> String {
    let mut hash = Sha256::new();
    for part in [server, label, rule, pointer.as_str()] {
        hash.update(part.len().to_string());
        hash.update(":");
        hash.update(part);
    }
    let digest = hash.finalize();
    digest.iter().take(8).fold(String::new(), |mut out, byte| {
        // Writing to a string never fails.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_depends_on_each_of_its_four_parts() {
        let place = Pointer::root().key("a");
        let all = [
            fingerprint("s", "tool:a", "words-changed", &place),
            fingerprint("t", "tool:a", "words-changed", &place),
            fingerprint("s", "tool:b", "words-changed", &place),
            fingerprint("s", "tool:a", "default-changed", &place),
            fingerprint("s", "tool:a", "words-changed", &place.key("b")),
            fingerprint("st", "ool:a", "words-changed", &place),
        ];
        for (i, one) in all.iter().enumerate() {
            assert_eq!(one.len(), 16);
            assert!(
                one.bytes()
                    .all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase())
            );
            assert!(!all[i + 1..].contains(one), "{one}");
        }
    }
}
