//! Arrays: items by index, after a prefix, by count, and their distinctness.

use super::super::ir::{Arena, Lit};
use super::super::val::Val;
use super::facts::Facts;
use super::{Answer, Solver};

/// Longer prefixes are not looked at index by index.
const PREFIX_LIMIT: usize = 64;
/// No more values than this are counted.
const DOMAIN_LIMIT: u64 = 20;
/// More items than this are not made up.
const FILL_LIMIT: u64 = 200;

impl Solver<'_> {
    /// Whether an array satisfies the facts.
    pub(super) fn array(&mut self, mut facts: Facts, build: bool) -> Answer {
        let prefix = prefix(&facts);
        facts.prefix = prefix;
        if prefix > PREFIX_LIMIT {
            return Answer::Open(None);
        }
        self.spend(prefix + 1);
        // The first index that nothing can stand at ends the array.
        for i in 0..=prefix {
            if facts.max.is_some_and(|max| max <= i as u64) {
                break;
            }
            let lits = at(&facts, i, prefix);
            if self.goal(lits).is_empty() {
                facts.max = Some(i as u64);
                break;
            }
        }
        if facts.max.is_some_and(|max| facts.min > max) {
            return Answer::Empty;
        }
        if let Some((from, demand)) = facts.some_item.pop() {
            return self.some_item(&facts, from, demand, prefix, build);
        }
        if !facts.tail.is_empty() {
            let least = (prefix + facts.tail.len()) as u64;
            if facts.max.is_some_and(|max| least > max) {
                return if facts.tail.len() == 1 {
                    Answer::Empty
                } else {
                    Answer::Open(None)
                };
            }
            // Several demands may be met by one item.
            facts.min = facts.min.max(prefix as u64 + 1);
        }
        if self.counts_fail(&facts, prefix) || self.too_few_values(&facts, prefix) {
            return Answer::Empty;
        }
        if facts.max == Some(0) && facts.excluded.contains(&Val::Arr(Vec::new())) {
            return Answer::Empty;
        }
        if facts.unique == Some(false) {
            return self.two_equal(&facts, prefix, build);
        }
        if !build {
            return Answer::Open(None);
        }
        facts.min = facts.min.max((prefix + facts.tail.len()) as u64);
        // A value left out is got round by one more item, or by another value of some item.
        let mut excluded = facts.excluded.len();
        loop {
            let Some(found) = self.build(&facts, prefix) else {
                return Answer::Open(None);
            };
            if excluded == 0 || !facts.excluded.contains(&found) {
                return Answer::Open(Some(found));
            }
            excluded -= 1;
            let Val::Arr(items) = found else {
                return Answer::Open(None);
            };
            if facts.max.is_none_or(|max| max > items.len() as u64) {
                facts.min = items.len() as u64 + 1;
            } else {
                for (i, item) in items.into_iter().enumerate() {
                    let other = self.none_of(vec![item]);
                    let mut lits = at(&facts, i, prefix);
                    lits.push(other);
                    if !self.goal(lits).is_empty() {
                        facts.item.entry(i).or_default().push(other);
                        break;
                    }
                }
            }
        }
    }

    /// Places a demand at each index where it could be met.
    fn some_item(
        &mut self,
        facts: &Facts,
        from: usize,
        demand: Lit,
        prefix: usize,
        build: bool,
    ) -> Answer {
        let mut open = false;
        for i in from..=prefix {
            if facts.max.is_some_and(|max| max <= i as u64) {
                break;
            }
            let mut lits = at(facts, i, prefix);
            lits.push(demand);
            if self.goal(lits).is_empty() {
                continue;
            }
            if !self.spend(1) {
                return Answer::Open(None);
            }
            let mut next = facts.clone();
            if i == prefix {
                next.tail.push(demand);
            } else {
                next.item.entry(i).or_default().push(demand);
                next.min = next.min.max(i as u64 + 1);
            }
            match self.array(next, build) {
                Answer::Empty => {}
                Answer::Open(None) => open = true,
                found @ Answer::Open(_) => return found,
            }
            if open && !build {
                break;
            }
        }
        if open {
            Answer::Open(None)
        } else {
            Answer::Empty
        }
    }

    /// Whether the bounds on how many items are in a set can't be kept.
    fn counts_fail(&mut self, facts: &Facts, prefix: usize) -> bool {
        for (n, lit) in &facts.at_least {
            let mut possible: u64 = 0;
            for i in 0..=prefix {
                let room = facts
                    .max
                    .map_or(u64::MAX, |max| max.saturating_sub(i as u64));
                if room > 0 && !self.excludes(&at(facts, i, prefix), &[*lit]) {
                    possible = possible.saturating_add(if i == prefix { room } else { 1 });
                }
            }
            if possible < *n {
                return true;
            }
        }
        for (n, lit) in &facts.at_most {
            let mut forced: u64 = 0;
            for i in 0..=prefix {
                let there = facts.min.saturating_sub(i as u64);
                if there > 0 && self.excludes(&at(facts, i, prefix), &[lit.flip()]) {
                    forced += if i == prefix { there } else { 1 };
                }
            }
            if forced > *n {
                return true;
            }
        }
        false
    }

    /// Whether distinct items would need more values than there are.
    fn too_few_values(&mut self, facts: &Facts, prefix: usize) -> bool {
        if facts.unique != Some(true) || facts.min < 2 {
            return false;
        }
        let mut values: Vec<Val> = Vec::new();
        for i in 0..=prefix {
            if facts.min <= i as u64 {
                break;
            }
            let lits = at(facts, i, prefix);
            let Some(domain) = self.few(&lits, facts.min) else {
                return false;
            };
            values.extend(domain);
        }
        values.sort_unstable();
        values.dedup();
        (values.len() as u64) < facts.min
    }

    /// All values of a goal, if they are fewer than `limit`.
    fn few(&mut self, lits: &[Lit], limit: u64) -> Option<Vec<Val>> {
        let mut values = Vec::new();
        while (values.len() as u64) < limit.min(DOMAIN_LIMIT) {
            let mut others = lits.to_vec();
            if !values.is_empty() {
                others.push(self.none_of(values.clone()));
            }
            match self.goal(others) {
                Answer::Empty => return Some(values),
                Answer::Open(value) => values.push(value?),
            }
        }
        None
    }

    /// Looks for two places that one value can stand at.
    fn two_equal(&mut self, facts: &Facts, prefix: usize, build: bool) -> Answer {
        let last = facts.max.map_or(prefix + 2, |max| {
            usize::try_from(max).unwrap_or(prefix + 2).min(prefix + 2)
        });
        let mut open = false;
        for i in 0..last {
            for j in i + 1..last {
                let mut lits = at(facts, i, prefix);
                lits.extend(at(facts, j, prefix));
                let value = match self.goal(lits) {
                    Answer::Empty => continue,
                    Answer::Open(value) => value,
                };
                open = true;
                let Some(value) = value.filter(|_| build) else {
                    continue;
                };
                let only = super::yes(self.arena.values(vec![value]));
                let mut next = facts.clone();
                next.unique = None;
                next.item.entry(i).or_default().push(only);
                next.item.entry(j).or_default().push(only);
                next.min = next.min.max(j as u64 + 1);
                // The value chosen may be the wrong one, so that this proves nothing.
                if let Answer::Open(Some(found)) = self.array(next, true) {
                    return Answer::Open(Some(found));
                }
            }
        }
        if open {
            Answer::Open(None)
        } else {
            Answer::Empty
        }
    }

    /// An array of the least length, as far as choices made one by one can give one.
    fn build(&mut self, facts: &Facts, prefix: usize) -> Option<Val> {
        if facts.min > FILL_LIMIT {
            return None;
        }
        let mut length = usize::try_from(facts.min).ok()?;
        let mut lits: Vec<Vec<Lit>> = (0..length).map(|i| at(facts, i, prefix)).collect();
        for (i, demand) in facts.tail.iter().enumerate() {
            lits.get_mut(prefix + i)?.push(*demand);
        }
        for (n, lit) in &facts.at_least {
            let mut missing = *n;
            let mut i = 0;
            while missing > 0 && i < length + usize::try_from(*n).ok()? {
                if i == lits.len() {
                    if facts.max.is_some_and(|max| max <= i as u64) {
                        return None;
                    }
                    lits.push(at(facts, i, prefix));
                }
                if !self.excludes(&lits[i], &[*lit]) {
                    lits[i].push(*lit);
                    missing -= 1;
                }
                i += 1;
            }
            length = lits.len();
        }
        for (_, lit) in &facts.at_most {
            for item in &mut lits {
                if !item.contains(lit) && !self.excludes(item, &[lit.flip()]) {
                    item.push(lit.flip());
                }
            }
        }
        let mut items: Vec<Val> = Vec::with_capacity(lits.len());
        for mut item in lits {
            if facts.unique == Some(true) && !items.is_empty() {
                item.push(self.none_of(items.clone()));
            }
            items.push(self.goal(item).value()?);
        }
        Some(Val::Arr(items))
    }
}

/// How many indexes are told apart.
fn prefix(facts: &Facts) -> usize {
    let items = facts.item.keys().map(|i| i + 1).max().unwrap_or(0);
    let from = facts.from.iter().map(|(i, _)| *i).max().unwrap_or(0);
    let some = facts.some_item.iter().map(|(i, _)| *i).max().unwrap_or(0);
    items.max(from).max(some).max(facts.prefix)
}

/// Everything said about the item at an index; those from `prefix` on are alike.
fn at(facts: &Facts, index: usize, prefix: usize) -> Vec<Lit> {
    let mut lits = facts.item.get(&index).cloned().unwrap_or_default();
    let index = index.min(prefix);
    lits.extend(
        facts
            .from
            .iter()
            .filter(|(from, _)| *from <= index)
            .map(|(_, lit)| *lit),
    );
    if lits.is_empty() {
        lits.push(super::yes(Arena::TRUE));
    }
    lits
}
