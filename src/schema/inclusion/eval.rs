//! Whether a value is in a set of the arena: exact, with three answers.
//!
//! Finite sets are decided by trying their values, and each value that the decision procedure
//! makes up is tried here before a validator is asked.

use super::exact::Exact;
use super::ir::{Arena, Id, Lit, Node, Types};
use super::val::Val;

/// How far below a set its kinds are looked for.
const SURFACE: usize = 8;
/// Nesting of sets and values together; deeper is not decided.
const DEPTH: usize = 120;

/// Whether `value` is in the set; none when that can't be told.
pub(crate) fn holds(arena: &mut Arena, id: Id, value: &Val) -> Option<bool> {
    eval(arena, id, value, DEPTH)
}

/// Whether `value` satisfies every literal.
pub(crate) fn holds_all(arena: &mut Arena, lits: &[Lit], value: &Val) -> Option<bool> {
    all(lits.iter().map(|lit| {
        let holds = eval(arena, lit.id, value, DEPTH)?;
        Some(holds == lit.yes)
    }))
}

fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(answers.map(|a| a.map(|a| !a))).map(|a| !a)
}

fn eval(arena: &mut Arena, id: Id, value: &Val, depth: usize) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let node = arena.shared(id);
    match (&*node, value) {
        (Node::True, _) => Some(true),
        (Node::False, _) => Some(false),
        (Node::Types(types), _) => Some(types.has(value.kind())),
        (Node::Enum(values), _) => Some(values.binary_search(value).is_ok()),
        (Node::And(parts), _) => all(parts.iter().map(|p| eval(arena, *p, value, depth))),
        (Node::Or(parts), _) => any(parts.iter().map(|p| eval(arena, *p, value, depth))),
        (Node::Not(inner), _) => eval(arena, *inner, value, depth).map(|a| !a),
        (Node::ExactlyOne(parts), _) => {
            let (mut hits, mut unknown) = (0, false);
            for part in parts {
                match eval(arena, *part, value, depth) {
                    Some(true) => hits += 1,
                    Some(false) => {}
                    None => unknown = true,
                }
            }
            match (hits, unknown) {
                (2.., _) => Some(false),
                (_, true) => None,
                (hits, false) => Some(hits == 1),
            }
        }
        (Node::Ref(slot), _) => eval(arena, arena.filled(*slot)?, value, depth),
        (Node::Opaque(_), _)
        | (Node::Min(..) | Node::Max(..) | Node::Multiple(_), Val::Big(..)) => None,
        (Node::Min(..) | Node::Max(..) | Node::Multiple(_), Val::Num(n)) => number(&node, *n),
        (Node::MinLength(min), Val::Str(text)) => Some(text.chars().count() as u64 >= *min),
        (Node::MaxLength(max), Val::Str(text)) => Some(text.chars().count() as u64 <= *max),
        (Node::Pattern(pattern), Val::Str(text)) => arena.matches(*pattern, text),
        (_, Val::Arr(items)) => array(arena, &node, items, depth),
        (_, Val::Obj(members)) => match &*node {
            Node::MinProperties(min) => Some(members.len() as u64 >= *min),
            Node::MaxProperties(max) => Some(members.len() as u64 <= *max),
            Node::Required(name) => Some(members.contains_key(name)),
            Node::Member(name, set) => members
                .get(name)
                .map_or(Some(true), |member| eval(arena, *set, member, depth)),
            Node::Members(names, set) => all(members.iter().map(|(name, member)| {
                match eval(arena, *names, &Val::Str(name.clone()), depth) {
                    Some(false) => Some(true),
                    Some(true) => eval(arena, *set, member, depth),
                    None => eval(arena, *set, member, depth).filter(|holds| *holds),
                }
            })),
            _ => Some(true),
        },
        _ => Some(true),
    }
}

fn number(node: &Node, n: Exact) -> Option<bool> {
    match node {
        Node::Min(bound, exclusive) => Some(n > *bound || (!exclusive && n == *bound)),
        Node::Max(bound, exclusive) => Some(n < *bound || (!exclusive && n == *bound)),
        Node::Multiple(divisor) => n.is_multiple_of(*divisor),
        _ => Some(true),
    }
}

fn array(arena: &mut Arena, node: &Node, items: &[Val], depth: usize) -> Option<bool> {
    let len = items.len() as u64;
    match node {
        Node::MinItems(min) => Some(len >= *min),
        Node::MaxItems(max) => Some(len <= *max),
        Node::Unique => {
            let mut sorted: Vec<&Val> = items.iter().collect();
            sorted.sort_unstable();
            Some(sorted.windows(2).all(|pair| pair[0] != pair[1]))
        }
        Node::Item(index, set) => items
            .get(*index)
            .map_or(Some(true), |item| eval(arena, *set, item, depth)),
        Node::ItemsFrom(index, set) => all(items
            .iter()
            .skip(*index)
            .map(|item| eval(arena, *set, item, depth))),
        Node::AtLeast(count, set) | Node::AtMost(count, set) => {
            let (mut hits, mut unknown) = (0, 0);
            for item in items {
                match eval(arena, *set, item, depth) {
                    Some(true) => hits += 1,
                    Some(false) => {}
                    None => unknown += 1,
                }
            }
            let at_least = |count: u64| match (hits >= count, hits + unknown >= count) {
                (true, _) => Some(true),
                (_, false) => Some(false),
                _ => None,
            };
            if matches!(node, Node::AtLeast(..)) {
                at_least(*count)
            } else {
                at_least(*count + 1).map(|a| !a)
            }
        }
        _ => Some(true),
    }
}

/// The kinds of value that could satisfy the literals, as far as their surface tells.
pub(crate) fn kinds(arena: &Arena, lits: &[Lit]) -> Types {
    lits.iter().fold(Types::ALL, |types, lit| {
        types & surface(arena, lit.id, lit.yes, SURFACE)
    })
}

fn surface(arena: &Arena, id: Id, yes: bool, depth: usize) -> Types {
    if depth == 0 {
        return Types::ALL;
    }
    let meet = |parts: &[Id], yes: bool| {
        parts
            .iter()
            .fold(Types::ALL, |t, p| t & surface(arena, *p, yes, depth - 1))
    };
    let join = |parts: &[Id], yes: bool| {
        parts
            .iter()
            .fold(Types::NONE, |t, p| t | surface(arena, *p, yes, depth - 1))
    };
    match (arena.node(id), yes) {
        (Node::True, false) | (Node::False, true) => Types::NONE,
        (Node::Types(types), true) => *types,
        (Node::Types(types), false) => !*types,
        (Node::Enum(values), true) => values.iter().fold(Types::NONE, |t, v| t | v.kind()),
        (Node::And(parts), true) | (Node::Or(parts), false) => meet(parts, yes),
        (Node::And(parts), false) => join(parts, false),
        (Node::Or(parts) | Node::ExactlyOne(parts), true) => join(parts, true),
        (Node::Not(inner), _) => surface(arena, *inner, !yes, depth - 1),
        (Node::Min(..) | Node::Max(..) | Node::Multiple(_), false) => Types::NUMBER,
        (Node::MinLength(_) | Node::MaxLength(_) | Node::Pattern(_), false) => Types::STRING,
        (
            Node::MinItems(_)
            | Node::MaxItems(_)
            | Node::Unique
            | Node::Item(..)
            | Node::ItemsFrom(..)
            | Node::AtLeast(..)
            | Node::AtMost(..),
            false,
        ) => Types::ARRAY,
        (
            Node::MinProperties(_)
            | Node::MaxProperties(_)
            | Node::Required(_)
            | Node::Member(..)
            | Node::Members(..),
            false,
        ) => Types::OBJECT,
        _ => Types::ALL,
    }
}
