//! What the inclusion of whole schemas says of a change.

use crate::json::{Pointer, Value};
use crate::schema::Undeclared;
use crate::schema::dialect::declared;
use crate::schema::inclusion::{
    Ignored, Options, Verdict, Witness as Refused, tool_input, tool_output,
};
use crate::schema::{Declared, Dialect};

use super::change::{Basis, Callers, Witness};
use super::effect::{Effect, SchemaPair, Side};
use super::safe::without_bounds;

/// The effect of the whole pair; what two readings of an undeclared dialect disagree on is
/// undecided.
pub(super) fn whole(pair: &SchemaPair<'_>) -> Effect {
    within(pair, Options::DEFAULT_BUDGET)
}

/// [`whole`], with so many steps of work for each proof.
pub(super) fn within(pair: &SchemaPair<'_>, budget: u64) -> Effect {
    let mut readings = readings(pair, budget)
        .into_iter()
        .map(|options| read(pair, &options));
    let Some(mut first) = readings.next() else {
        return Effect::undecided();
    };
    for other in readings {
        if other.callers != first.callers {
            first = Effect {
                ignored: first.ignored,
                ..Effect::undecided()
            };
        }
        for ignored in other.ignored {
            if !first.ignored.iter().any(|known| known.name == ignored.name) {
                first.ignored.push(ignored);
            }
        }
    }
    first
}

/// How the two documents may have to be read: once, or in both dialects that an undeclared one of
/// an old revision is read in.
fn readings(pair: &SchemaPair<'_>, budget: u64) -> Vec<Options> {
    let open = |schema: &Value, revision| match Undeclared::for_revision(revision, None) {
        Undeclared::Is(dialect) => Some(dialect),
        Undeclared::Either if declared(schema) == Declared::Absent => None,
        Undeclared::Either => Some(Dialect::Draft2020_12),
    };
    let (old, new) = (
        open(pair.old, pair.old_revision),
        open(pair.new, pair.new_revision),
    );
    let guesses: &[Dialect] = if old.is_none() || new.is_none() {
        &[Dialect::Draft2020_12, Dialect::Draft7]
    } else {
        &[Dialect::Draft2020_12]
    };
    guesses
        .iter()
        .map(|&guess| Options {
            old_dialect: old.unwrap_or(guess),
            new_dialect: new.unwrap_or(guess),
            budget,
        })
        .collect()
}

/// The effect as the documents are written, or, where only bounds beyond every interoperable
/// integer make it what it is, the effect without them, by policy.
fn read(pair: &SchemaPair<'_>, options: &Options) -> Effect {
    let written = as_written(pair, options);
    let (old, new) = (without_bounds(pair.old), without_bounds(pair.new));
    if written.callers == Callers::Same || (old.is_none() && new.is_none()) {
        return written;
    }
    let bare = SchemaPair {
        old: old.as_ref().unwrap_or(pair.old),
        new: new.as_ref().unwrap_or(pair.new),
        ..*pair
    };
    let without = as_written(&bare, options);
    match without.callers {
        Callers::Same | Callers::Wider => Effect {
            basis: Basis::Policy,
            ..without
        },
        Callers::Undecided | Callers::Narrower => written,
    }
}

fn as_written(pair: &SchemaPair<'_>, options: &Options) -> Effect {
    match pair.side {
        Side::Input => {
            let verdict = tool_input(pair.old, pair.new, options);
            let same = verdict.any.is_included() && verdict.back.is_included();
            let undeclared = match (&verdict.any, verdict.careful.is_included()) {
                (Verdict::Broken(refused), true) => Some(witness(refused)),
                _ => None,
            };
            Effect {
                ignored: verdict.ignored,
                undeclared,
                ..effect(&verdict.careful, same)
            }
        }
        Side::Output => {
            let forth = tool_output(pair.old, pair.new, options);
            let same = forth.is_included()
                && tool_output(pair.new, pair.old, &options.swapped()).is_included();
            effect(&forth, same)
        }
    }
}

fn effect(verdict: &Verdict, same: bool) -> Effect {
    match verdict {
        Verdict::Equal | Verdict::Included(_) => Effect {
            callers: if same { Callers::Same } else { Callers::Wider },
            basis: Basis::Proof,
            witness: None,
            ignored: Vec::new(),
            undeclared: None,
        },
        Verdict::Broken(refused) => Effect {
            callers: Callers::Narrower,
            basis: Basis::Witness,
            witness: Some(witness(refused)),
            ignored: Vec::new(),
            undeclared: None,
        },
        Verdict::Undecided(_) => Effect::undecided(),
    }
}

fn witness(refused: &Refused) -> Witness {
    let reason = refused.reasons.first().map_or_else(String::new, |reason| {
        if reason.instance == Pointer::root() {
            reason.message.clone()
        } else {
            let place = crate::text::visible(reason.instance.as_str());
            format!("`{place}` {}", reason.message)
        }
    });
    Witness {
        value: refused.value.clone(),
        reason,
    }
}

/// The call that shows that an argument is silently ignored.
pub(super) fn ignored_call(ignored: &Ignored) -> Option<Witness> {
    Some(Witness {
        value: ignored.call.clone()?,
        reason: format!(
            "accepted, and `{}` is ignored",
            crate::text::visible(&ignored.name)
        ),
    })
}
