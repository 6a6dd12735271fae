//! Whether a conjunction of sets is empty: the proof half, and the source of most witnesses.
//!
//! `old` is within `new` when `old and not new` is empty. A goal is a set of literals about one
//! value; it is split by kind of value and by the disjunctions in it, until what is left are facts
//! about one kind that a decider of its own judges. [`Answer::Empty`] is a proof; everything else
//! is "not proved", with a value that belongs to the goal when one was made and tried.
//!
//! A goal met again inside itself is taken to be empty: each step into a member or an item makes
//! the value smaller, so the smallest value of a goal can't contain another one of it.

mod array;
mod facts;
mod number;
mod object;
mod split;
mod text;

use std::collections::HashMap;

use super::eval::{holds_all, kinds};
use super::ir::{Arena, Id, Lit, Node, Types};
use super::val::Val;

/// What became of a goal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// No value satisfies it: proved.
    Empty,
    /// Not proved; a value that satisfies it, if one was found.
    Open(Option<Val>),
}

impl Answer {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Answer::Empty
    }

    pub(crate) fn value(self) -> Option<Val> {
        match self {
            Answer::Empty => None,
            Answer::Open(value) => value,
        }
    }
}

/// Goals and splits nested deeper than this are given up.
const DEPTH_LIMIT: usize = 120;

/// The state of one proof.
pub(crate) struct Solver<'a> {
    pub(crate) arena: &'a mut Arena,
    memo: HashMap<Vec<Lit>, Answer>,
    open: HashMap<Vec<Lit>, usize>,
    /// The outermost open goal that the current one was assumed empty by.
    lowest: usize,
    depth: usize,
    steps: u64,
    limit: u64,
}

impl<'a> Solver<'a> {
    pub(crate) fn new(arena: &'a mut Arena, limit: u64) -> Self {
        Solver {
            arena,
            memo: HashMap::new(),
            open: HashMap::new(),
            lowest: usize::MAX,
            depth: 0,
            steps: 0,
            limit,
        }
    }

    /// Whether the steps are used up.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps + self.arena.terms.steps / 8 > self.limit
    }

    fn spend(&mut self, steps: usize) -> bool {
        self.steps += steps as u64;
        !self.is_spent()
    }

    /// Whether any value satisfies all literals.
    pub(crate) fn goal(&mut self, mut lits: Vec<Lit>) -> Answer {
        lits.retain(|lit| lit.id != Arena::bool(lit.yes));
        lits.sort_unstable();
        lits.dedup();
        let clash = lits.windows(2).any(|pair| pair[0].id == pair[1].id);
        if clash || lits.iter().any(|lit| lit.id == Arena::bool(!lit.yes)) {
            return Answer::Empty;
        }
        // To look a goal up is work as well: a search can consist of nothing else.
        self.steps += 1 + lits.len() as u64 / 4;
        if let Some(answer) = self.memo.get(&lits) {
            return answer.clone();
        }
        if let Some(level) = self.open.get(&lits) {
            self.lowest = self.lowest.min(*level);
            return Answer::Empty;
        }
        if self.depth >= DEPTH_LIMIT || !self.spend(1 + lits.len()) {
            return Answer::Open(None);
        }
        let level = self.open.len();
        let outer = std::mem::replace(&mut self.lowest, usize::MAX);
        self.open.insert(lits.clone(), level);
        self.depth += 1;
        let answer = self.by_kind(&lits);
        self.depth -= 1;
        self.open.remove(&lits);
        let own = std::mem::replace(&mut self.lowest, outer);
        if own < level {
            self.lowest = outer.min(own);
        }
        if own >= level || !answer.is_empty() {
            self.memo.insert(lits, answer.clone());
        }
        answer
    }

    fn by_kind(&mut self, lits: &[Lit]) -> Answer {
        let listed = lits.iter().find_map(|lit| match self.arena.node(lit.id) {
            Node::Enum(values) if lit.yes => Some(values.clone()),
            _ => None,
        });
        if let Some(values) = listed {
            return self.any_of(lits, values);
        }
        let mut open = false;
        for kind in kinds(self.arena, lits).each() {
            let answer = match kind {
                Types::NULL => self.any_of(lits, vec![Val::Null]),
                Types::BOOL => self.any_of(lits, vec![Val::Bool(true), Val::Bool(false)]),
                kind => self.of_kind(kind, lits),
            };
            match answer {
                Answer::Empty => {}
                Answer::Open(None) => open = true,
                found @ Answer::Open(_) => return found,
            }
        }
        if open {
            Answer::Open(None)
        } else {
            Answer::Empty
        }
    }

    /// Decides among finitely many values by trying them.
    fn any_of(&mut self, lits: &[Lit], values: Vec<Val>) -> Answer {
        let mut open = None;
        for value in values {
            self.spend(value.size());
            match holds_all(self.arena, lits, &value) {
                Some(true) => return Answer::Open(Some(value)),
                Some(false) => {}
                None => open = Some(value),
            }
        }
        open.map_or(Answer::Empty, |_| Answer::Open(None))
    }

    /// Whether the set and all literals have no common value.
    fn excludes(&mut self, lits: &[Lit], also: &[Lit]) -> bool {
        let mut all = lits.to_vec();
        all.extend_from_slice(also);
        self.goal(all).is_empty()
    }

    fn none_of(&mut self, values: Vec<Val>) -> Lit {
        no(self.arena.values(values))
    }
}

pub(crate) fn yes(id: Id) -> Lit {
    Lit { id, yes: true }
}

pub(crate) fn no(id: Id) -> Lit {
    Lit { id, yes: false }
}
