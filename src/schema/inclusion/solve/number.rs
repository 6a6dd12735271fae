//! Numbers: an interval, multiples, and values left out.

use super::super::exact::Exact;
use super::super::ir::Types;
use super::super::val::Val;
use super::facts::Facts;
use super::{Answer, Solver};

/// So many candidates are tried one by one.
const TRIES: i128 = 1_000;

impl Solver<'_> {
    /// Whether an integer, or a number that is none, satisfies the facts.
    pub(super) fn number(&mut self, kind: Types, facts: &Facts) -> Answer {
        let whole = kind == Types::INTEGER;
        if let (Some((low, a)), Some((high, b))) = (facts.low, facts.high)
            && (low > high || (low == high && (a || b)))
        {
            return Answer::Empty;
        }
        let step =
            facts
                .multiples
                .iter()
                .try_fold(whole.then_some(Exact::ONE), |step, n| match step {
                    Some(step) => step.lcm(*n).map(Some),
                    None => Some(Some(*n)),
                });
        let Some(step) = step else {
            return Answer::Open(None);
        };
        let Some(step) = step else {
            return dense(facts);
        };
        if !whole && step.is_integer() {
            return Answer::Empty;
        }
        let covered = |m: &Exact| step.is_multiple_of(*m) == Some(true);
        if facts.not_multiples.iter().any(covered) {
            return Answer::Empty;
        }
        self.stepped(whole, step, facts)
    }

    /// Looks through the multiples of `step` in the interval.
    fn stepped(&mut self, whole: bool, step: Exact, facts: &Facts) -> Answer {
        let first = facts.low.map(|(n, exclusive)| {
            let k = n.floor_div(step)?;
            let hit = step.times(k)? == n;
            Some(if hit && !exclusive { k } else { k + 1 })
        });
        let last = facts.high.map(|(n, exclusive)| {
            let k = n.floor_div(step)?;
            let hit = step.times(k)? == n;
            Some(if hit && exclusive { k - 1 } else { k })
        });
        let (first, last) = match (first, last) {
            (Some(None), _) | (_, Some(None)) => return Answer::Open(None),
            (first, last) => (first.flatten(), last.flatten()),
        };
        if let (Some(first), Some(last)) = (first, last)
            && first > last
        {
            return Answer::Empty;
        }
        let mut complete = true;
        for i in 0..TRIES {
            let k = match (first, last) {
                (Some(first), Some(last)) if first + i > last => {
                    return if complete {
                        Answer::Empty
                    } else {
                        Answer::Open(None)
                    };
                }
                (Some(first), _) => first + i,
                (None, Some(last)) => last - i,
                (None, None) if i % 2 == 0 => i / 2,
                (None, None) => -(i + 1) / 2,
            };
            self.spend(1);
            match step.times(k) {
                Some(n) if n.is_integer() == whole && fits(n, facts) => {
                    return Answer::Open(Some(Val::Num(n)));
                }
                Some(_) => {}
                None => complete = false,
            }
        }
        Answer::Open(None)
    }
}

fn fits(n: Exact, facts: &Facts) -> bool {
    facts
        .low
        .is_none_or(|(low, exclusive)| n > low || (!exclusive && n == low))
        && facts
            .high
            .is_none_or(|(high, exclusive)| n < high || (!exclusive && n == high))
        && facts
            .multiples
            .iter()
            .all(|m| n.is_multiple_of(*m) == Some(true))
        && facts
            .not_multiples
            .iter()
            .all(|m| n.is_multiple_of(*m) == Some(false))
        && !facts.excluded.contains(&Val::Num(n))
}

/// Fractions with nothing but bounds: only a single point can be empty.
fn dense(facts: &Facts) -> Answer {
    let (low, high) = (facts.low.map(|b| b.0), facts.high.map(|b| b.0));
    if let (Some(low), Some(high)) = (low, high)
        && low == high
    {
        return if low.is_integer() || !fits(low, facts) {
            Answer::Empty
        } else {
            Answer::Open(Some(Val::Num(low)))
        };
    }
    let base = low.or(high).unwrap_or(Exact::ZERO);
    let middle = low.zip(high).and_then(|(low, high)| low.add(high)?.half());
    let mut candidates: Vec<Exact> = middle.into_iter().collect();
    candidates.extend([low, high].into_iter().flatten());
    for power in 1..30 {
        for digit in [5, 3, 7, 1] {
            let small = Exact::integer(digit).and_then(|d| d.shifted(power));
            candidates.extend(small.and_then(|s| base.add(s)));
            candidates.extend(small.and_then(|s| base.add(s.negate())));
        }
    }
    let found = candidates
        .into_iter()
        .find(|n| !n.is_integer() && fits(*n, facts));
    Answer::Open(found.map(Val::Num))
}
