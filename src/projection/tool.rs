//! One tool of a server against the far tool that stands for it.

use crate::canonical::canonical;
use crate::compare::{Basis, Witness};
use crate::json::{Object, Pointer, Value};
use crate::schema::Dialect;
use crate::text::visible;

use super::engine::{Answer, Direction, Engine};
use super::found::{Found, Hit, Missing, Wanted};
use super::fragment::without;
use super::loss::{Loss, LossKind};
use super::view::View;
use super::walk::{Walk, member_path};
use super::words;

/// One tool on both sides.
pub(super) struct Pair<'v> {
    /// `tool:NAME`.
    pub(super) label: &'v str,
    /// The server's input schema.
    pub(super) near: &'v Value,
    /// How it is read, unless it says so.
    pub(super) near_dialect: Dialect,
    /// The far side's schema.
    pub(super) far: &'v Value,
}

/// What the schema of the far side loses.
pub(super) fn compare(pair: &Pair<'_>) -> Vec<Loss> {
    let root = Pointer::root().key("inputSchema");
    let not_compared = |side: &str, why: &str| {
        vec![Loss {
            basis: Basis::Undecided,
            ..Loss::new(
                LossKind::NotCompared,
                pair.label,
                root.clone(),
                format!(
                    "what is lost could not be decided: the schema of the {side} can't be used, {why}"
                ),
            )
        }]
    };
    if same_dialect(pair) && canonical(pair.near) == canonical(pair.far) {
        return Vec::new();
    }
    let near_dialect = pair.near_dialect;
    let Some(near) = View::of(pair.near, near_dialect) else {
        return not_compared("server", "it is too large");
    };
    // A far side that drops `$schema` does not make the schema mean anything else.
    let far_dialect = near.dialect;
    let Some(far) = View::of(pair.far, far_dialect) else {
        return not_compared("far side", "it is too large");
    };
    // What a reader makes of a reference that leads nowhere: it takes anything.
    let mut readable = pair.far.clone();
    for at in far.broken_references() {
        readable = without(&readable, at);
    }
    let engine = |own, other, direction| Engine::new(own, other, direction);
    let (near_doc, far_doc) = ((near.root, near.dialect), (&readable, far.dialect));
    let lost = match engine(near_doc, far_doc, Direction::Lost) {
        Ok(engine) => engine,
        Err((true, why)) => return not_compared("server", &why),
        Err((false, why)) => return not_compared("far side", &why),
    };
    let narrowed = match engine(far_doc, near_doc, Direction::Narrowed) {
        Ok(engine) => engine,
        Err((_, why)) => return not_compared("far side", &why),
    };
    let admits = lost.ask_whole();
    let refuses = narrowed.ask_whole();
    let wanted = |words, answer: &Answer| Wanted {
        words,
        constraints: !matches!(answer, Answer::Kept),
    };
    let from = Walk::through(&near, &far, &lost, wanted(true, &admits));
    let to = Walk::through(&far, &near, &narrowed, wanted(false, &refuses));
    let mut losses = Vec::new();
    arguments(pair, &from, &to, &lost, &narrowed, &mut losses);
    let told = losses.len();
    losses.extend(constraints(pair, &from));
    if losses.len() == told && from.missing.is_empty() && to.missing.is_empty() {
        losses.extend(unplaced(pair, admits, LossKind::ConstraintLost));
    }
    let told = losses.len();
    if !matches!(refuses, Answer::Kept) {
        losses.extend(narrowings(pair, &to));
        if losses.len() == told && from.missing.is_empty() && to.missing.is_empty() {
            losses.extend(unplaced(pair, refuses, LossKind::Narrowed));
        }
    }
    if from.gave_up || to.gave_up {
        losses.extend(not_compared(
            "server",
            "it has more constraints than are asked about",
        ));
    }
    losses.extend(from.words.iter().map(|difference| {
        let message = about(&difference.path, &difference.what);
        Loss::new(
            difference.kind,
            pair.label,
            root.join(&difference.at),
            message,
        )
        .values(difference.old.as_ref(), difference.new.as_ref())
    }));
    losses
}

/// Whether both documents are read alike: the far one by what it says, if it says so.
fn same_dialect(pair: &Pair<'_>) -> bool {
    pair.near.get("$schema").map(canonical) == pair.far.get("$schema").map(canonical)
}

/// Where a difference that no single constraint accounts for stands: at the root, with the call.
fn unplaced(pair: &Pair<'_>, answer: Answer, kind: LossKind) -> Option<Loss> {
    let Answer::Lost(witness) = answer else {
        return None;
    };
    let what = match kind {
        LossKind::Narrowed => "the far side refuses a legal call",
        _ => "the far side admits a call that the server refuses",
    };
    Some(Loss {
        basis: Basis::Witness,
        witness: Some(witness),
        ..Loss::new(kind, pair.label, Pointer::root().key("inputSchema"), what)
    })
}

/// Names that one side declares alone.
fn arguments(
    pair: &Pair<'_>,
    from: &Found,
    to: &Found,
    lost: &Engine<'_>,
    narrowed: &Engine<'_>,
    losses: &mut Vec<Loss>,
) {
    let root = Pointer::root().key("inputSchema");
    let mut taken = vec![false; to.missing.len()];
    let silent: Vec<&Missing> = from
        .missing
        .iter()
        .filter(|gone| gone.nothing_declared)
        .collect();
    if let [first, _, ..] = silent.as_slice() {
        let names: Vec<String> = silent
            .iter()
            .map(|gone| format!("`{}`", member_path(&gone.path, &gone.name)))
            .collect();
        let at = first
            .at
            .split_last()
            .map(|(map, _)| map)
            .unwrap_or_default();
        let witness = narrowed.with_member(&first.route, &first.name);
        losses.push(Loss {
            basis: basis(witness.as_ref()),
            witness,
            ..Loss::new(
                LossKind::ArgumentLost,
                pair.label,
                root.join(&at),
                format!("no argument is passed on: {}", names.join(", ")),
            )
            .values(at.find(pair.near), None)
        });
    }
    let told_together = silent.len() > 1;
    for gone in &from.missing {
        if told_together && gone.nothing_declared {
            continue;
        }
        let renamed = renamed(gone, &from.missing, &to.missing, &taken);
        let subject = format!("argument `{}`", member_path(&gone.path, &gone.name));
        let must = if gone.required {
            ", which must be given,"
        } else {
            ""
        };
        // The far side is the own one of `narrowed`: a legal call that it refuses or ignores.
        let witness = narrowed.with_member(&gone.route, &gone.name);
        let (kind, message, new) = match renamed {
            Some(i) => {
                taken[i] = true;
                let new = &to.missing[i];
                let message = format!(
                    "{subject} is called `{}` on the far side",
                    visible(&new.name)
                );
                (LossKind::ArgumentRenamed, message, Some(&new.schema))
            }
            None => (
                LossKind::ArgumentLost,
                format!("{subject}{must} is not passed on"),
                None,
            ),
        };
        losses.push(Loss {
            basis: basis(witness.as_ref()),
            witness,
            ..Loss::new(kind, pair.label, root.join(&gone.at), message)
                .values(Some(&gone.schema), new)
        });
    }
    for (new, _) in to.missing.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        let subject = format!("argument `{}`", member_path(&new.path, &new.name));
        let must = if new.required {
            " and must be given"
        } else {
            ""
        };
        let witness = lost.with_member(&new.route, &new.name);
        losses.push(Loss {
            basis: basis(witness.as_ref()),
            witness,
            ..Loss::new(
                LossKind::ArgumentInvented,
                pair.label,
                root.join(&new.at),
                format!("{subject} is declared on the far side alone{must}"),
            )
            .values(None, Some(&new.schema))
        });
    }
}

fn basis(witness: Option<&Witness>) -> Basis {
    if witness.is_some() {
        Basis::Witness
    } else {
        Basis::Proof
    }
}

/// The far name that `gone` probably has now: of the same object and with the same constraints, and
/// the only one of both sides that is so, or spelled the same but for case and separators.
fn renamed(gone: &Missing, all: &[Missing], new: &[Missing], taken: &[bool]) -> Option<usize> {
    let plain = |name: &str| {
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect::<String>()
    };
    let twins = |other: &Missing| {
        other.path == gone.path && constraints_of(&other.schema) == constraints_of(&gone.schema)
    };
    let candidates: Vec<usize> = (0..new.len())
        .filter(|&i| !taken[i] && new[i].path == gone.path)
        .collect();
    let respelled = candidates
        .iter()
        .find(|&&i| plain(&new[i].name) == plain(&gone.name) && !plain(&gone.name).is_empty());
    if let Some(&i) = respelled {
        return Some(i);
    }
    let same: Vec<usize> = candidates.into_iter().filter(|&i| twins(&new[i])).collect();
    match same.as_slice() {
        [one] if all.iter().filter(|other| twins(other)).count() == 1 => Some(*one),
        _ => None,
    }
}

/// A schema without its words, in canonical text.
fn constraints_of(schema: &Value) -> String {
    match schema {
        Value::Object(object) => {
            let members = object
                .iter()
                .filter(|(name, _)| !matches!(*name, "description" | "title" | "default"))
                .map(|(name, value)| (name.to_owned(), value.clone()));
            canonical(&Value::Object(Object::new(members.collect())))
        }
        other => canonical(other),
    }
}

/// The constraints of the server that the far side lost; a branch or reference of which all are lost
/// is told once.
fn constraints(pair: &Pair<'_>, found: &Found) -> Vec<Loss> {
    let root = Pointer::root().key("inputSchema");
    let mut told: Vec<Pointer> = Vec::new();
    let mut losses = Vec::new();
    for hit in &found.hits {
        let in_group = |group: &Pointer| {
            let lost = found.hits.iter().filter(|hit| hit.groups.contains(group));
            Some(&lost.count()) == found.in_group.get(group)
        };
        if let Some(group) = hit.groups.iter().find(|group| in_group(group)) {
            if !told.contains(group) {
                told.push(group.clone());
                losses.push(group_lost(pair, group, found));
            }
            continue;
        }
        let message = about(&hit.path, &kept_words(hit));
        losses.push(Loss {
            basis: decided(hit),
            witness: hit.witness.clone(),
            ..Loss::new(
                LossKind::ConstraintLost,
                pair.label,
                root.join(&hit.at),
                message,
            )
            .values(hit.own.as_ref(), hit.other.as_ref())
        });
    }
    losses
}

fn group_lost(pair: &Pair<'_>, group: &Pointer, found: &Found) -> Loss {
    let hits: Vec<&Hit> = found
        .hits
        .iter()
        .filter(|hit| hit.groups.contains(group))
        .collect();
    let first = hits
        .iter()
        .find(|hit| hit.witness.is_some())
        .or(hits.first());
    let path = hits.first().map_or("", |hit| hit.path.as_str());
    let what: Vec<String> = hits
        .iter()
        .map(|hit| {
            let keyword = hit.keywords.first().map_or("", String::as_str);
            match &hit.own {
                Some(value) if keyword == "required" => {
                    let names = value.as_array().unwrap_or_default().iter();
                    let names: Vec<String> = names.filter_map(Value::as_str).map(visible).collect();
                    format!("required {}", names.join(", "))
                }
                _ => keyword.to_owned(),
            }
        })
        .collect();
    let mut named: Vec<String> = Vec::new();
    for keyword in what {
        if !named.contains(&keyword) {
            named.push(keyword);
        }
    }
    let is_reference = group.as_str().ends_with("/$ref");
    let part = if is_reference {
        "what the reference stands for is not passed on"
    } else {
        "a part of `allOf` is not passed on"
    };
    let doubt = if first.is_some_and(|hit| hit.witness.is_some()) {
        ""
    } else {
        "; what that admits could not be decided"
    };
    let message = about(path, &format!("{part}: {}{doubt}", named.join(", ")));
    let near = group.find(pair.near);
    Loss {
        basis: first.map_or(Basis::Undecided, |hit| decided(hit)),
        witness: first.and_then(|hit| hit.witness.clone()),
        ..Loss::new(
            LossKind::ConstraintLost,
            pair.label,
            Pointer::root().key("inputSchema").join(group),
            message,
        )
        .values(near, None)
    }
}

fn decided(hit: &Hit) -> Basis {
    if hit.witness.is_some() {
        Basis::Witness
    } else {
        Basis::Undecided
    }
}

/// What became of a constraint of the server.
fn kept_words(hit: &Hit) -> String {
    let doubt = if hit.witness.is_some() {
        ""
    } else {
        "; what that admits could not be decided"
    };
    match (hit.keywords.as_slice(), &hit.own, &hit.other) {
        ([one], Some(own), Some(other)) if canonical(own) != canonical(other) => format!(
            "`{one}` {} became {}{doubt}",
            words::quoted(own),
            words::quoted(other)
        ),
        ([one], Some(_), Some(_)) => format!("`{one}` no longer refuses what it did{doubt}"),
        ([one], Some(own), None) => {
            format!("`{one}` {} is not passed on{doubt}", words::quoted(own))
        }
        (several, ..) => format!("{} are not passed on{doubt}", listed(several)),
    }
}

fn listed(keywords: &[String]) -> String {
    let named: Vec<String> = keywords
        .iter()
        .map(|keyword| format!("`{}`", visible(keyword)))
        .collect();
    match named.as_slice() {
        [] => "constraints".to_owned(),
        several => several.join(", "),
    }
}

/// The constraints of the far side that refuse legal calls, one finding a place.
fn narrowings(pair: &Pair<'_>, found: &Found) -> Vec<Loss> {
    let root = Pointer::root().key("inputSchema");
    let mut losses: Vec<Loss> = Vec::new();
    for hit in &found.hits {
        let keyword = hit.keywords.first().map_or("", String::as_str);
        let whole = hit.place == Pointer::root() || keyword == "required";
        let at = root.join(if whole { &hit.at } else { &hit.place });
        let doubt = if hit.witness.is_some() {
            ""
        } else {
            "; which legal calls that refuses could not be decided"
        };
        let own = hit.own.as_ref().map(words::quoted).unwrap_or_default();
        let what = match &hit.other {
            Some(near) => format!(
                "the far side's `{keyword}` {own} refuses what the server's {} takes{doubt}",
                words::quoted(near)
            ),
            None => format!(
                "the far side's {} {own} refuses what the server takes{doubt}",
                listed(&hit.keywords)
            ),
        };
        let loss = Loss {
            basis: decided(hit),
            witness: hit.witness.clone(),
            ..Loss::new(LossKind::Narrowed, pair.label, at, about(&hit.path, &what))
                .values(hit.other.as_ref(), hit.own.as_ref())
        };
        match losses
            .iter_mut()
            .find(|known| known.pointer == loss.pointer)
        {
            Some(known) if known.basis == Basis::Undecided && loss.basis != Basis::Undecided => {
                *known = loss;
            }
            Some(_) => {}
            None => losses.push(loss),
        }
    }
    losses
}

/// A sentence about one argument, or about all of them.
fn about(path: &str, what: &str) -> String {
    if path.is_empty() {
        format!("arguments: {what}")
    } else {
        format!("argument `{path}`: {what}")
    }
}
