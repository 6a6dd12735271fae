//! Looks for a witness where the proof came to nothing: one change at a time.
//!
//! From values that the documents accept, each part is replaced, dropped, added or repeated, with
//! what was harvested from both documents. It proves nothing when it finds nothing.

use super::super::val::Val;
use super::harvest::Harvest;

/// No more values are tried.
const TRIES: usize = 1_500;
/// Changes are made this deep.
const DEPTH: usize = 5;

/// A value near one of `bases` that `shows` what is looked for.
pub(crate) fn search(
    bases: &[Val],
    harvest: &Harvest,
    mut shows: impl FnMut(&Val) -> bool,
) -> Option<Val> {
    let mut tries = TRIES;
    let mut attempt = |value: Val| {
        if tries == 0 {
            return Some(None);
        }
        tries -= 1;
        shows(&value).then_some(Some(value))
    };
    for value in bases.iter().chain(&harvest.values) {
        if let Some(end) = attempt(value.clone()) {
            return end;
        }
    }
    for base in bases {
        let mut end = None;
        changes(base, harvest, DEPTH, &mut |value| {
            end = attempt(value);
            end.is_some()
        });
        if end.is_some() {
            return end.flatten();
        }
    }
    None
}

/// Hands each changed value to `take` until that says stop.
fn changes(
    value: &Val,
    harvest: &Harvest,
    depth: usize,
    take: &mut dyn FnMut(Val) -> bool,
) -> bool {
    for other in &harvest.values {
        if other != value && take(other.clone()) {
            return true;
        }
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match value {
        Val::Obj(members) => {
            for name in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(name);
                if take(Val::Obj(fewer)) {
                    return true;
                }
            }
            for (name, member) in members {
                let mut wrap = |member| {
                    let mut other = members.clone();
                    other.insert(name.clone(), member);
                    take(Val::Obj(other))
                };
                if changes(member, harvest, depth, &mut wrap) {
                    return true;
                }
            }
            for name in harvest.names.iter().filter(|n| !members.contains_key(*n)) {
                for value in harvest.values.iter().take(12) {
                    let mut more = members.clone();
                    more.insert(name.clone(), value.clone());
                    if take(Val::Obj(more)) {
                        return true;
                    }
                }
            }
        }
        Val::Arr(items) => {
            for (i, item) in items.iter().enumerate() {
                let mut wrap = |item| {
                    let mut other = items.clone();
                    other[i] = item;
                    take(Val::Arr(other))
                };
                if changes(item, harvest, depth, &mut wrap) {
                    return true;
                }
            }
            for extra in items
                .last()
                .into_iter()
                .chain(harvest.values.iter().take(30))
            {
                let mut more = items.clone();
                more.push(extra.clone());
                if take(Val::Arr(more)) {
                    return true;
                }
            }
        }
        _ => {}
    }
    false
}
