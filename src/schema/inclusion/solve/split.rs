//! Splits a goal about one kind of value by the disjunctions in it.

use std::collections::HashSet;

use super::super::eval::{holds_all, kinds};
use super::super::ir::{Id, Lit, Node, Types};
use super::super::val::Val;
use super::facts::Facts;
use super::{Answer, Solver};

/// A choice: one of these sets of literals.
type Options = Vec<Vec<Lit>>;

/// More branches of an `oneOf` than this are not told apart.
const BRANCH_LIMIT: usize = 40;

/// A goal while it is split.
#[derive(Clone)]
struct Branch {
    kind: Types,
    assumed: HashSet<Lit>,
    facts: Facts,
    choices: Vec<Options>,
    listed: Option<Vec<Val>>,
}

impl Solver<'_> {
    /// Whether a value of this kind satisfies the literals.
    pub(super) fn of_kind(&mut self, kind: Types, lits: &[Lit]) -> Answer {
        let mut branch = Branch {
            kind,
            assumed: HashSet::new(),
            facts: Facts::default(),
            choices: Vec::new(),
            listed: None,
        };
        if !self.assume(&mut branch, lits.to_vec()) {
            return Answer::Empty;
        }
        self.split(branch, lits, false)
    }

    /// Adds literals and what follows from each alone; false when they contradict.
    fn assume(&mut self, branch: &mut Branch, mut queue: Vec<Lit>) -> bool {
        while let Some(lit) = queue.pop() {
            if branch.assumed.contains(&lit.flip()) {
                return false;
            }
            if !branch.assumed.insert(lit) {
                continue;
            }
            self.spend(1);
            let node = self.arena.shared(lit.id);
            let every = |ids: &[Id]| -> Vec<Lit> {
                ids.iter()
                    .map(|id| Lit {
                        id: *id,
                        yes: lit.yes,
                    })
                    .collect()
            };
            match (&*node, lit.yes) {
                (Node::True, yes) => {
                    if !yes {
                        return false;
                    }
                }
                (Node::False, yes) => {
                    if yes {
                        return false;
                    }
                }
                (Node::Types(types), yes) => {
                    if types.has(branch.kind) != yes {
                        return false;
                    }
                }
                (Node::Enum(values), true) => {
                    let fits = |v: &&Val| {
                        v.kind() == branch.kind
                            && branch.listed.as_ref().is_none_or(|old| old.contains(v))
                    };
                    branch.listed = Some(values.iter().filter(fits).cloned().collect());
                }
                (Node::Enum(values), false) => {
                    let of_kind = values.iter().filter(|v| v.kind() == branch.kind);
                    branch.facts.excluded.extend(of_kind.cloned());
                }
                (Node::And(parts), true) | (Node::Or(parts), false) => queue.extend(every(parts)),
                (Node::And(parts), false) | (Node::Or(parts), true) => {
                    branch
                        .choices
                        .push(every(parts).into_iter().map(|lit| vec![lit]).collect());
                }
                (Node::Not(inner), yes) => queue.push(Lit {
                    id: *inner,
                    yes: !yes,
                }),
                (Node::ExactlyOne(parts), yes) if parts.len() <= BRANCH_LIMIT => {
                    branch.choices.push(exactly_one(parts, yes));
                }
                (Node::Ref(slot), yes) => {
                    if let Some(id) = self.arena.filled(*slot) {
                        queue.push(Lit { id, yes });
                    }
                }
                (Node::ExactlyOne(_) | Node::Opaque(_), _) => {}
                (Node::Members(names, set), yes)
                    if matches!(self.arena.node(*names), Node::Enum(_)) =>
                {
                    let members = self.by_name(*names, *set);
                    if yes {
                        queue.extend(members.into_iter().map(super::yes));
                    } else {
                        let options = members.into_iter().map(|id| vec![super::no(id)]);
                        branch.choices.push(options.collect());
                    }
                }
                (leaf, yes) => {
                    if !branch.facts.add(leaf, yes, branch.kind) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// One leaf for each name of a finite set of names.
    fn by_name(&mut self, names: Id, set: Id) -> Vec<Id> {
        let Node::Enum(values) = self.arena.node(names) else {
            return Vec::new();
        };
        let names: Vec<String> = values
            .iter()
            .filter_map(|v| match v {
                Val::Str(name) => Some(name.clone()),
                _ => None,
            })
            .collect();
        names
            .iter()
            .map(|name| self.arena.member(name, set))
            .collect()
    }

    /// Decides the choices that are left one by one.
    fn split(&mut self, mut branch: Branch, goal: &[Lit], chosen: bool) -> Answer {
        if !self.settle(&mut branch) {
            return Answer::Empty;
        }
        if branch.choices.is_empty() {
            return self.leaf(&branch, goal, true);
        }
        if self.depth >= super::DEPTH_LIMIT || !self.spend(1) {
            return Answer::Open(None);
        }
        // What is known may be impossible already, whatever is chosen.
        if (chosen || branch.choices.len() > 1) && self.leaf(&branch, goal, false).is_empty() {
            return Answer::Empty;
        }
        let fewest = branch
            .choices
            .iter()
            .enumerate()
            .min_by_key(|(_, options)| options.len())
            .map_or(0, |(i, _)| i);
        let options = branch.choices.swap_remove(fewest);
        let mut open = false;
        self.depth += 1;
        let mut found = None;
        for option in options {
            // To copy what is known is work too.
            self.spend(branch.assumed.len() / 4 + branch.choices.len());
            let mut next = branch.clone();
            let answer = if self.assume(&mut next, option) {
                self.split(next, goal, true)
            } else {
                Answer::Empty
            };
            match answer {
                Answer::Empty => {}
                Answer::Open(None) => open = true,
                Answer::Open(value) => {
                    found = value;
                    break;
                }
            }
        }
        self.depth -= 1;
        if open || found.is_some() {
            Answer::Open(found)
        } else {
            Answer::Empty
        }
    }

    /// Drops options that can't be and choices that are made; false when a choice has no option.
    fn settle(&mut self, branch: &mut Branch) -> bool {
        loop {
            let mut forced = Vec::new();
            let mut kept = Vec::with_capacity(branch.choices.len());
            for mut options in std::mem::take(&mut branch.choices) {
                self.spend(options.len());
                let made = |option: &Vec<Lit>| option.iter().all(|l| branch.assumed.contains(l));
                if options.iter().any(made) {
                    continue;
                }
                options.retain(|option| {
                    option
                        .iter()
                        .all(|lit| !branch.assumed.contains(&lit.flip()))
                        && kinds(self.arena, option).has(branch.kind)
                });
                match options.len() {
                    0 => return false,
                    1 => forced.extend(options.remove(0)),
                    _ => kept.push(options),
                }
            }
            branch.choices = kept;
            if forced.is_empty() {
                return true;
            }
            if !self.assume(branch, forced) {
                return false;
            }
        }
    }

    /// Judges the facts of a branch; without `build`, only whether they are impossible.
    fn leaf(&mut self, branch: &Branch, goal: &[Lit], build: bool) -> Answer {
        if let Some(values) = &branch.listed {
            let values = values.iter().filter(|v| !branch.facts.excluded.contains(v));
            let values: Vec<Val> = values.cloned().collect();
            if values.is_empty() {
                return Answer::Empty;
            }
            return self.any_of(goal, values);
        }
        let facts = &branch.facts;
        let answer = match branch.kind {
            Types::STRING => self.text(facts),
            Types::ARRAY => self.array(facts.clone(), build),
            Types::OBJECT => self.object(facts, build),
            kind => self.number(kind, facts),
        };
        match answer {
            Answer::Open(Some(value)) if build => {
                self.spend(value.size());
                // What is made from parts may break what ties the parts together.
                let holds = holds_all(self.arena, goal, &value);
                Answer::Open(holds.filter(|holds| *holds).map(|_| value))
            }
            answer => answer,
        }
    }
}

/// All ways in which exactly one branch holds, or in which not exactly one does.
fn exactly_one(parts: &[Id], yes: bool) -> Options {
    let others = |keep: &[usize]| {
        let keep = keep.to_vec();
        parts
            .iter()
            .enumerate()
            .filter(move |(i, _)| !keep.contains(i))
            .map(|(_, id)| super::no(*id))
            .collect::<Vec<Lit>>()
    };
    if yes {
        return (0..parts.len())
            .map(|i| {
                let mut option = others(&[i]);
                option.push(super::yes(parts[i]));
                option
            })
            .collect();
    }
    let mut options = vec![others(&[])];
    for i in 0..parts.len() {
        for j in i + 1..parts.len() {
            options.push(vec![super::yes(parts[i]), super::yes(parts[j])]);
        }
    }
    options
}
