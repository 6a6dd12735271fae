//! The effect of a changed schema as a whole, and how it meets its single changes.
//!
//! Single changes are judged where they stand, by rules that hold whatever else the schema says.
//! A verdict on the whole schema is stronger: it settles what the single rules left open.

use crate::json::{Pointer, Value};
use crate::protocol::Revision;

use crate::schema::inclusion::Ignored;

use super::change::{Basis, Callers, Change, ChangeKind, Model, Witness};
use super::text::quoted;
use super::verdict;

/// Which way a schema is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// What callers may send: every call that was right must still be.
    Input,
    /// What is promised about results: every result now must be one that was promised.
    Output,
}

impl Side {
    /// The member of a tool that holds the schema.
    pub fn member(self) -> &'static str {
        match self {
            Side::Input => "inputSchema",
            Side::Output => "outputSchema",
        }
    }

    /// Of the pinned and the live value the one whose values have to be accepted, then the one
    /// that has to accept them.
    pub(super) fn order<T>(self, old: T, new: T) -> (T, T) {
        match self {
            Side::Input => (old, new),
            Side::Output => (new, old),
        }
    }
}

/// A schema before and after, and all that is known of how to read it.
#[derive(Debug, Clone, Copy)]
pub struct SchemaPair<'a> {
    /// Which way it is read.
    pub side: Side,
    /// The pinned schema, a whole document.
    pub old: &'a Value,
    /// The live schema, a whole document.
    pub new: &'a Value,
    /// The revision that served the pinned one, if known; it decides the dialect where `$schema`
    /// does not.
    pub old_revision: Option<Revision>,
    /// The revision that serves the live one.
    pub new_revision: Option<Revision>,
}

/// What a change of a schema does to callers (or, for an output, to readers).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The effect on the set of calls.
    pub callers: Callers,
    /// Why it is believed.
    pub basis: Basis,
    /// A value that shows it.
    pub witness: Option<Witness>,
    /// Declared arguments that are accepted and silently ignored now.
    pub ignored: Vec<Ignored>,
    /// Where careful callers are safe: a call with undeclared names that is refused now.
    pub undeclared: Option<Witness>,
}

impl Effect {
    /// Nothing is known.
    pub(super) fn undecided() -> Self {
        Effect {
            callers: Callers::Undecided,
            basis: Basis::Undecided,
            witness: None,
            ignored: Vec::new(),
            undeclared: None,
        }
    }
}

/// The effect of the whole pair: for an input, whether every call that uses declared names only
/// is still accepted; for an output, whether every result still keeps what was promised.
pub fn callers_effect(pair: &SchemaPair<'_>) -> Effect {
    verdict::whole(pair)
}

/// Lets the effect of a whole schema settle its single `changes`.
///
/// A whole proved to be the same or wider settles every change that was undecided. It never
/// outvotes a single change that narrows: an argument that is silently ignored narrows no set of
/// calls, but their meaning. A whole that narrows with a witness marks the changes that are to
/// blame, or adds one on the schema itself when none of them stands out.
pub(super) fn settle(pair: &SchemaPair<'_>, effect: Effect, changes: &mut Vec<Change>) {
    ignored_arguments(&effect.ignored, changes);
    match effect.callers {
        Callers::Undecided => {}
        Callers::Same | Callers::Wider => {
            if let Some(call) = &effect.undeclared {
                note(call, changes);
            }
            let open = changes.iter_mut().filter(|change| {
                let ignored = change.kind == ChangeKind::ArgumentRemoved
                    && effect.ignored.iter().any(|ignored| names(change, ignored));
                !ignored && change.callers == Callers::Undecided && change.basis == Basis::Undecided
            });
            for change in open {
                change.callers = effect.callers;
                change.basis = effect.basis;
            }
            if effect.callers == Callers::Same {
                // What one place gained, another lost: as a whole nothing moved.
                let gains = changes
                    .iter_mut()
                    .filter(|change| change.callers == Callers::Wider);
                gains.for_each(|change| change.callers = Callers::Same);
            }
        }
        Callers::Narrower => {
            let narrows = |change: &&mut Change| {
                change.callers == Callers::Narrower && change.basis != Basis::Witness
            };
            if let Some(change) = changes.iter_mut().find(narrows) {
                change.basis = effect.basis;
                change.witness = effect.witness;
                return;
            }
            let mut open = changes
                .iter_mut()
                .filter(|change| change.callers == Callers::Undecided);
            match (open.next(), open.next()) {
                (Some(only), None) => {
                    only.callers = Callers::Narrower;
                    only.basis = effect.basis;
                    only.witness = effect.witness;
                }
                _ => changes.push(whole(pair, effect)),
            }
        }
    }
}

/// Marks the removed arguments that an old call still sends in vain, with that call.
fn ignored_arguments(ignored: &[Ignored], changes: &mut [Change]) {
    for ignored in ignored {
        let removed = changes
            .iter_mut()
            .find(|change| change.kind == ChangeKind::ArgumentRemoved && names(change, ignored));
        if let (Some(change), Some(call)) = (removed, verdict::ignored_call(ignored)) {
            change.callers = Callers::Narrower;
            change.basis = Basis::Witness;
            change.witness = Some(call);
        }
    }
}

/// Notes a call with undeclared names, which only a caller who is not careful makes, with the change
/// that can have caused it.
fn note(call: &Witness, changes: &mut [Change]) {
    let by_kind =
        |change: &Change| matches!(change.kind, ChangeKind::ArgumentAdded | ChangeKind::Closed);
    let at = changes.iter().position(by_kind);
    if let Some(change) = changes.get_mut(at.unwrap_or(0)) {
        change.note = Some(format!(
            "a caller who sends undeclared names may be refused now: {} {}",
            quoted(&call.value),
            call.reason
        ));
    }
}

/// Whether `change` is about the argument that is ignored.
fn names(change: &Change, ignored: &Ignored) -> bool {
    change
        .pointer
        .split_last()
        .is_some_and(|(_, name)| name == ignored.name)
}

/// A change of the schema as a whole.
fn whole(pair: &SchemaPair<'_>, effect: Effect) -> Change {
    Change {
        kind: match pair.side {
            Side::Input => ChangeKind::InputSchema,
            Side::Output => ChangeKind::OutputBroken,
        },
        pointer: Pointer::root().key(pair.side.member()),
        subject: None,
        old: Some(pair.old.clone()),
        new: Some(pair.new.clone()),
        callers: effect.callers,
        model: Model::Same,
        basis: effect.basis,
        witness: effect.witness,
        detail: None,
        counterpart: None,
        emission: None,
        note: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn change(callers: Callers, basis: Basis) -> Change {
        Change {
            kind: ChangeKind::InputSchema,
            pointer: Pointer::root().key("inputSchema").key("minProperties"),
            subject: None,
            old: None,
            new: Some(Value::Null),
            callers,
            model: Model::Same,
            basis,
            witness: None,
            detail: None,
            counterpart: None,
            emission: None,
            note: None,
        }
    }

    fn settled(effect: &Effect, changes: &[Change]) -> Vec<Change> {
        let read = |text: &str| {
            parse(text.as_bytes(), &Limits::default())
                .expect("JSON")
                .value
        };
        let (old, new) = (read("{}"), read(r#"{"minProperties":1}"#));
        let pair = SchemaPair {
            side: Side::Input,
            old: &old,
            new: &new,
            old_revision: None,
            new_revision: None,
        };
        let mut changes = changes.to_vec();
        settle(&pair, effect.clone(), &mut changes);
        changes
    }

    fn narrower() -> Effect {
        Effect {
            callers: Callers::Narrower,
            basis: Basis::Witness,
            witness: Some(Witness {
                value: Value::Null,
                reason: "too few".to_owned(),
            }),
            ignored: Vec::new(),
            undeclared: None,
        }
    }

    #[test]
    fn a_whole_that_is_proved_wider_settles_what_was_open_and_nothing_else() {
        let effect = Effect {
            callers: Callers::Wider,
            basis: Basis::Proof,
            witness: None,
            ignored: Vec::new(),
            undeclared: None,
        };
        let after = settled(
            &effect,
            &[
                change(Callers::Undecided, Basis::Undecided),
                change(Callers::Undecided, Basis::Policy),
                change(Callers::Narrower, Basis::Proof),
            ],
        );
        let callers: Vec<Callers> = after.iter().map(|change| change.callers).collect();
        assert_eq!(
            callers,
            [Callers::Wider, Callers::Undecided, Callers::Narrower]
        );
    }

    #[test]
    fn a_witness_goes_to_the_one_change_that_can_have_caused_it() {
        let after = settled(&narrower(), &[change(Callers::Undecided, Basis::Undecided)]);
        assert_eq!(after.len(), 1);
        assert_eq!(after[0].callers, Callers::Narrower);
        assert!(after[0].witness.is_some());
    }

    #[test]
    fn a_break_that_no_single_change_explains_is_told_of_the_whole_schema() {
        let open = change(Callers::Undecided, Basis::Undecided);
        let after = settled(&narrower(), &[open.clone(), open]);
        assert_eq!(after.len(), 3);
        assert_eq!(after[2].pointer.as_str(), "/inputSchema");
        assert_eq!(after[2].callers, Callers::Narrower);
    }
}
