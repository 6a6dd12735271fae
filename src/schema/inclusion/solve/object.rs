//! Objects: members by name, by class of names, and how many.

use std::collections::{BTreeMap, BTreeSet};

use super::super::eval::holds;
use super::super::ir::{Arena, Id, Lit, Node, Types};
use super::super::val::Val;
use super::facts::Facts;
use super::{Answer, Solver, no, yes};

/// More classes of names than this are not told apart.
const CLASS_LIMIT: usize = 9;
/// More members than this are not made up.
const FILL_LIMIT: u64 = 200;

/// Whether there can be a member under a name that nobody speaks of.
enum Fresh {
    Impossible,
    /// Not shown to be impossible, but none was made.
    Possible,
    /// Its name, and its value if one was made.
    Found((String, Option<Val>)),
}

impl Solver<'_> {
    /// Whether an object satisfies the facts.
    pub(super) fn object(&mut self, facts: &Facts, build: bool) -> Answer {
        let most = facts.max.unwrap_or(u64::MAX);
        if (facts.required.len() as u64) > most {
            return Answer::Empty;
        }
        for name in &facts.required {
            let value = self.value_of(facts, name);
            if facts.lacks.contains(name) || self.goal(value).is_empty() {
                return Answer::Empty;
            }
        }
        let mut names: BTreeSet<String> = facts.member.keys().cloned().collect();
        names.extend(facts.required.iter().cloned());
        names.extend(facts.lacks.iter().cloned());
        for (class, _) in facts.members.iter().chain(&facts.some_member) {
            self.mentioned(*class, &mut names, 12);
        }
        let names: Vec<String> = names.into_iter().collect();
        self.spend(names.len());
        if facts.some_member.len() > 1 {
            // What can't be met alone can't be met together with others.
            for demand in &facts.some_member {
                let mut alone = facts.clone();
                alone.some_member = vec![*demand];
                if self.demands(alone, &names, false).is_empty() {
                    return Answer::Empty;
                }
            }
        }
        self.demands(facts.clone(), &names, build)
    }

    /// Everything said about the value of one member.
    fn value_of(&mut self, facts: &Facts, name: &str) -> Vec<Lit> {
        let mut lits = facts.member.get(name).cloned().unwrap_or_default();
        for (class, lit) in &facts.members {
            let name = Val::Str(name.to_owned());
            if holds(self.arena, *class, &name) == Some(true) {
                lits.push(*lit);
            }
        }
        lits
    }

    /// Names that a class speaks of.
    fn mentioned(&self, class: Id, names: &mut BTreeSet<String>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        match self.arena.node(class) {
            Node::Enum(values) => names.extend(values.iter().filter_map(|v| match v {
                Val::Str(name) => Some(name.clone()),
                _ => None,
            })),
            Node::And(parts) | Node::Or(parts) | Node::ExactlyOne(parts) => {
                for part in parts {
                    self.mentioned(*part, names, depth);
                }
            }
            Node::Not(inner) => self.mentioned(*inner, names, depth),
            Node::Ref(slot) => {
                if let Some(id) = self.arena.filled(*slot) {
                    self.mentioned(id, names, depth);
                }
            }
            _ => {}
        }
    }

    /// Finds a member for each demand, trying every name that is spoken of and one that is not.
    fn demands(&mut self, mut facts: Facts, names: &[String], build: bool) -> Answer {
        let Some((class, demand)) = facts.some_member.pop() else {
            return self.counted(&facts, names, build);
        };
        let most = facts.max.unwrap_or(u64::MAX);
        let room = ((facts.required.len() + facts.fresh.len()) as u64) < most;
        // New names may turn out to be one, so only without any is "no room" certain.
        let uncertain = !facts.fresh.is_empty() && !room;
        let mut open = uncertain;
        for name in names {
            let own = facts.required.contains(name);
            if facts.lacks.contains(name) || (!own && !room) {
                continue;
            }
            let text = Val::Str(name.clone());
            if holds(self.arena, class, &text) == Some(false) {
                continue;
            }
            self.spend(1 + facts.member.len() + facts.members.len());
            let mut next = facts.clone();
            next.required.insert(name.clone());
            next.member.entry(name.clone()).or_default().push(demand);
            let value = self.value_of(&next, name);
            if self.goal(value).is_empty() {
                continue;
            }
            if !self.spend(1) {
                return Answer::Open(None);
            }
            match self.demands(next, names, build) {
                Answer::Empty => {}
                Answer::Open(None) => open = true,
                found @ Answer::Open(_) => return found,
            }
            if open && !build {
                return Answer::Open(None);
            }
        }
        if room {
            match self.fresh(&facts, names, class, demand) {
                Fresh::Impossible => {}
                Fresh::Possible => open = true,
                Fresh::Found(member) => {
                    // One new name stands for all of them, but may meet another demand too.
                    let last = facts.some_member.is_empty();
                    facts.fresh.push(member);
                    match self.demands(facts, names, build) {
                        Answer::Empty => open |= !last,
                        Answer::Open(None) => open = true,
                        found @ Answer::Open(_) => return found,
                    }
                }
            }
        }
        if open {
            Answer::Open(None)
        } else {
            Answer::Empty
        }
    }

    /// Looks for a member under a name that nobody speaks of.
    fn fresh(&mut self, facts: &Facts, names: &[String], class: Id, demand: Lit) -> Fresh {
        let string = yes(self.arena.types(Types::STRING));
        let mut taken: Vec<Val> = names.iter().cloned().map(Val::Str).collect();
        taken.extend(facts.fresh.iter().map(|(name, _)| Val::Str(name.clone())));
        let others = self.none_of(taken);
        let mut classes: Vec<(Id, Lit)> = Vec::new();
        let mut value = vec![demand];
        for (names, lit) in &facts.members {
            if *names == Arena::TRUE || *names == class {
                value.push(*lit);
            } else {
                classes.push((*names, *lit));
            }
        }
        if classes.len() > CLASS_LIMIT {
            return Fresh::Possible;
        }
        self.fresh_in(&classes, vec![yes(class), string, others], value)
    }

    fn fresh_in(&mut self, classes: &[(Id, Lit)], name: Vec<Lit>, value: Vec<Lit>) -> Fresh {
        let name_answer = self.goal(name.clone());
        let value_answer = self.goal(value.clone());
        if name_answer.is_empty() || value_answer.is_empty() {
            return Fresh::Impossible;
        }
        let Some(((class, lit), rest)) = classes.split_first() else {
            return match name_answer.value() {
                Some(Val::Str(name)) => Fresh::Found((name, value_answer.value())),
                _ => Fresh::Possible,
            };
        };
        let mut outside = name.clone();
        outside.push(no(*class));
        let mut inside = name;
        inside.push(yes(*class));
        let mut inner = value.clone();
        inner.push(*lit);
        let first = self.fresh_in(rest, outside, value);
        if matches!(first, Fresh::Found(_)) {
            return first;
        }
        let second = self.fresh_in(rest, inside, inner);
        match (first, second) {
            (Fresh::Impossible, second) => second,
            (first, Fresh::Impossible) => first,
            (_, second) => second,
        }
    }

    fn counted(&mut self, facts: &Facts, names: &[String], build: bool) -> Answer {
        let count = (facts.required.len() + facts.fresh.len()) as u64;
        if facts.max.is_some_and(|max| count > max) {
            return if facts.fresh.len() <= 1 {
                Answer::Empty
            } else {
                Answer::Open(None)
            };
        }
        let mut optional = Vec::new();
        let mut facts = facts.clone();
        if count < facts.min {
            for name in names {
                if !facts.required.contains(name) && !facts.lacks.contains(name) {
                    let value = self.value_of(&facts, name);
                    if !self.goal(value).is_empty() {
                        optional.push(name.clone());
                    }
                }
            }
            let fresh = self.fresh(&facts, names, Arena::TRUE, yes(Arena::TRUE));
            if matches!(fresh, Fresh::Impossible) && count + (optional.len() as u64) < facts.min {
                return Answer::Empty;
            }
        }
        let empty = Val::Obj(BTreeMap::new());
        if facts.max == Some(0) && facts.excluded.contains(&empty) {
            return Answer::Empty;
        }
        if !build {
            return Answer::Open(None);
        }
        let mut missing = facts.min.saturating_sub(count);
        if missing > FILL_LIMIT {
            return Answer::Open(None);
        }
        for name in optional {
            if missing == 0 {
                break;
            }
            facts.required.insert(name);
            missing -= 1;
        }
        while missing > 0 {
            match self.fresh(&facts, names, Arena::TRUE, yes(Arena::TRUE)) {
                Fresh::Found(member) => facts.fresh.push(member),
                _ => return Answer::Open(None),
            }
            missing -= 1;
        }
        let mut excluded = facts.excluded.len();
        loop {
            let Some(found) = self.assemble(&facts) else {
                return Answer::Open(None);
            };
            if excluded == 0 || !facts.excluded.contains(&found) {
                return Answer::Open(Some(found));
            }
            // A value left out is got round by one more member, or by another value of one.
            excluded -= 1;
            if let Fresh::Found(member) = self.fresh(&facts, names, Arena::TRUE, yes(Arena::TRUE)) {
                facts.fresh.push(member);
                continue;
            }
            let Val::Obj(members) = found else {
                return Answer::Open(None);
            };
            for (name, value) in members {
                let other = self.none_of(vec![value]);
                let mut lits = self.value_of(&facts, &name);
                lits.push(other);
                if !self.goal(lits).is_empty() {
                    facts.member.entry(name).or_default().push(other);
                    break;
                }
            }
        }
    }

    fn assemble(&mut self, facts: &Facts) -> Option<Val> {
        let mut members = BTreeMap::new();
        for name in &facts.required {
            let value = self.value_of(facts, name);
            members.insert(name.clone(), self.goal(value).value()?);
        }
        for (name, value) in &facts.fresh {
            members.insert(name.clone(), value.clone()?);
        }
        Some(Val::Obj(members))
    }
}
