//! Makes a witness smaller while it still shows what it shows.

use super::super::exact::Exact;
use super::super::val::Val;

/// So many smaller values are tried.
const TRIES: usize = 200;

/// The smallest value that still `shows`, changing one thing at a time.
pub(crate) fn shrink(value: Val, mut shows: impl FnMut(&Val) -> bool) -> Val {
    let mut best = value;
    let mut tries = TRIES;
    'again: loop {
        for smaller in smaller(&best, 6) {
            if tries == 0 {
                return best;
            }
            tries -= 1;
            if shows(&smaller) {
                best = smaller;
                continue 'again;
            }
        }
        return best;
    }
}

fn smaller(value: &Val, depth: usize) -> Vec<Val> {
    let mut out = Vec::new();
    if depth == 0 {
        return out;
    }
    match value {
        Val::Obj(members) => {
            for name in members.keys() {
                let mut fewer = members.clone();
                fewer.remove(name);
                out.push(Val::Obj(fewer));
            }
            for (name, member) in members {
                for member in smaller(member, depth - 1) {
                    let mut other = members.clone();
                    other.insert(name.clone(), member);
                    out.push(Val::Obj(other));
                }
            }
        }
        Val::Arr(items) => {
            for i in (0..items.len()).rev() {
                let mut fewer = items.clone();
                fewer.remove(i);
                out.push(Val::Arr(fewer));
            }
            for (i, item) in items.iter().enumerate() {
                for item in smaller(item, depth - 1) {
                    let mut other = items.clone();
                    other[i] = item;
                    out.push(Val::Arr(other));
                }
            }
        }
        Val::Str(text) if !text.is_empty() => {
            let chars: Vec<char> = text.chars().collect();
            out.push(Val::Str(String::new()));
            if chars.len() > 1 {
                out.push(Val::Str(chars[..chars.len() / 2].iter().collect()));
                out.push(Val::Str(chars[..chars.len() - 1].iter().collect()));
            }
        }
        Val::Num(n) if *n != Exact::ZERO => {
            out.push(Val::Num(Exact::ZERO));
            if *n != Exact::ONE {
                out.push(Val::Num(Exact::ONE));
            }
        }
        _ => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_dropped() {
        let value = Val::Obj(
            [
                ("a".to_owned(), Val::Str("long text".to_owned())),
                ("b".to_owned(), Val::Arr(vec![Val::Null, Val::Bool(true)])),
            ]
            .into(),
        );
        let small = shrink(value, |v| matches!(v, Val::Obj(m) if m.contains_key("b")));
        assert_eq!(
            small,
            Val::Obj([("b".to_owned(), Val::Arr(Vec::new()))].into())
        );
    }
}
