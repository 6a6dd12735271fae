//! What is known of a value of one kind, once all disjunctions are decided.

use std::collections::{BTreeMap, BTreeSet};

use super::super::exact::Exact;
use super::super::ir::{Arena, Id, Lit, Node, PatternId, Types};
use super::super::val::Val;
use super::no;

/// Facts about a value of the kind being looked at; those of other kinds stay empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// Values that it is not.
    pub(super) excluded: Vec<Val>,
    pub(super) low: Option<(Exact, bool)>,
    pub(super) high: Option<(Exact, bool)>,
    pub(super) multiples: Vec<Exact>,
    pub(super) not_multiples: Vec<Exact>,
    /// Least length, items or members.
    pub(super) min: u64,
    /// Most of them.
    pub(super) max: Option<u64>,
    pub(super) patterns: Vec<(PatternId, bool)>,
    pub(super) unique: Option<bool>,
    /// How many indexes are told apart at least.
    pub(super) prefix: usize,
    pub(super) item: BTreeMap<usize, Vec<Lit>>,
    pub(super) from: Vec<(usize, Lit)>,
    /// Some item from this index on satisfies the literal.
    pub(super) some_item: Vec<(usize, Lit)>,
    /// The same for an item after all that are told apart.
    pub(super) tail: Vec<Lit>,
    pub(super) at_least: Vec<(u64, Lit)>,
    pub(super) at_most: Vec<(u64, Lit)>,
    pub(super) required: BTreeSet<String>,
    pub(super) lacks: BTreeSet<String>,
    pub(super) member: BTreeMap<String, Vec<Lit>>,
    pub(super) members: Vec<(Id, Lit)>,
    /// Some member with a name in the set has a value that satisfies the literal.
    pub(super) some_member: Vec<(Id, Lit)>,
    /// Members under new names that were made for such demands.
    pub(super) fresh: Vec<(String, Option<Val>)>,
}

impl Facts {
    /// Adds what a leaf says, refused or not; false when that can't be.
    pub(super) fn add(&mut self, node: &Node, yes: bool, kind: Types) -> bool {
        let about = match node {
            Node::Min(..) | Node::Max(..) | Node::Multiple(_) => Types::NUMBER,
            Node::MinLength(_) | Node::MaxLength(_) | Node::Pattern(_) => Types::STRING,
            Node::MinItems(_)
            | Node::MaxItems(_)
            | Node::Unique
            | Node::Item(..)
            | Node::ItemsFrom(..)
            | Node::AtLeast(..)
            | Node::AtMost(..) => Types::ARRAY,
            _ => Types::OBJECT,
        };
        if !about.has(kind) {
            return yes;
        }
        match node {
            Node::Min(n, exclusive) if yes => self.above(*n, *exclusive),
            Node::Min(n, exclusive) => self.below(*n, !exclusive),
            Node::Max(n, exclusive) if yes => self.below(*n, *exclusive),
            Node::Max(n, exclusive) => self.above(*n, !exclusive),
            Node::Multiple(n) if yes => self.multiples.push(*n),
            Node::Multiple(n) => self.not_multiples.push(*n),
            Node::Pattern(pattern) => self.patterns.push((*pattern, yes)),
            Node::MinLength(n) | Node::MinItems(n) | Node::MinProperties(n) => {
                return self.count_from(*n, yes);
            }
            Node::MaxLength(n) | Node::MaxItems(n) | Node::MaxProperties(n) => {
                return self.count_to(*n, yes);
            }
            Node::Unique => {
                if self.unique == Some(!yes) {
                    return false;
                }
                self.unique = Some(yes);
                if !yes {
                    self.min = self.min.max(2);
                }
            }
            Node::Item(i, set) if yes => self.item.entry(*i).or_default().push(super::yes(*set)),
            Node::Item(i, set) => {
                self.item.entry(*i).or_default().push(no(*set));
                self.min = self.min.max(*i as u64 + 1);
            }
            Node::ItemsFrom(i, set) if yes => self.from.push((*i, super::yes(*set))),
            Node::ItemsFrom(i, set) => self.some_item.push((*i, no(*set))),
            Node::AtLeast(n, set) => self.at_least_or_below(*n, super::yes(*set), yes),
            Node::AtMost(n, set) => self.at_least_or_below(*n + 1, super::yes(*set), !yes),
            _ => return self.add_member(node, yes),
        }
        true
    }

    fn add_member(&mut self, node: &Node, yes: bool) -> bool {
        match node {
            Node::Required(name) => {
                let set = if yes {
                    &mut self.required
                } else {
                    &mut self.lacks
                };
                set.insert(name.clone());
            }
            Node::Member(name, Arena::FALSE) => {
                let set = if yes {
                    &mut self.lacks
                } else {
                    &mut self.required
                };
                set.insert(name.clone());
            }
            Node::Member(name, set) => {
                let lit = Lit { id: *set, yes };
                self.member.entry(name.clone()).or_default().push(lit);
                if !yes {
                    self.required.insert(name.clone());
                }
            }
            Node::Members(names, set) if yes => self.members.push((*names, super::yes(*set))),
            Node::Members(names, set) => self.some_member.push((*names, no(*set))),
            _ => {}
        }
        match node {
            Node::Required(name) | Node::Member(name, _) => {
                !(self.required.contains(name) && self.lacks.contains(name))
            }
            _ => true,
        }
    }

    fn above(&mut self, n: Exact, exclusive: bool) {
        self.low = self.low.max(Some((n, exclusive)));
    }

    fn below(&mut self, n: Exact, exclusive: bool) {
        // Of two equal bounds the exclusive one is the smaller.
        let tighter = self
            .high
            .is_none_or(|(old, was)| n < old || (n == old && exclusive && !was));
        if tighter {
            self.high = Some((n, exclusive));
        }
    }

    fn count_from(&mut self, n: u64, yes: bool) -> bool {
        if yes {
            self.min = self.min.max(n);
            true
        } else {
            n > 0 && self.count_to(n - 1, true)
        }
    }

    fn count_to(&mut self, n: u64, yes: bool) -> bool {
        if yes {
            self.max = Some(self.max.map_or(n, |max| max.min(n)));
        } else {
            self.min = self.min.max(n.saturating_add(1));
        }
        self.max.is_none_or(|max| self.min <= max)
    }

    fn at_least_or_below(&mut self, n: u64, lit: Lit, at_least: bool) {
        match (n, at_least) {
            (0, _) => {
                // At least none is always so; fewer than none never is.
                if !at_least {
                    self.max = Some(0);
                    self.min = 1;
                }
            }
            (1, true) => self.some_item.push((0, lit)),
            (1, false) => self.from.push((0, lit.flip())),
            (n, true) => {
                self.at_least.push((n, lit));
                self.min = self.min.max(n);
            }
            (n, false) => self.at_most.push((n - 1, lit)),
        }
    }
}
