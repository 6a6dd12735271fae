//! Which of the things that went came back under another name.
//!
//! A rename is a guess and is told as one: it never hides that the old name is gone, and what it
//! does to callers is judged as if nothing had been guessed. A score in whole percents says how
//! much two contracts have in common besides their names; pairs reach [`THRESHOLD`], each side
//! belongs to one pair at most, and where two pairs are equally likely there is none. All of it
//! depends on the contents alone, never on the order of a list. `docs/drift.md` has the numbers.

mod arguments;
mod items;
mod likeness;

pub(super) use arguments::{ArgumentFacts, renamed_arguments};
pub(super) use items::renamed_items;
pub(super) use likeness::name_words;

/// From how many percents on a pair is called a rename.
const THRESHOLD: u64 = 60;

/// One of the old things and one of the new ones, by their positions.
pub(super) type Pair = (usize, usize);

/// A pair that may be a rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    /// How much the two have in common, in percents.
    score: u64,
    /// How much their names have in common; it decides between equal scores.
    name: u64,
    pair: Pair,
}

/// A part of a score: how much of it is shared, in percents, and how much that says.
#[derive(Debug, Clone, Copy)]
struct Part {
    shared: u64,
    weight: u64,
}

/// The weighted mean of some parts.
fn mean(parts: &[Part]) -> u64 {
    let weight: u64 = parts.iter().map(|part| part.weight).sum();
    let sum: u64 = parts.iter().map(|part| part.shared * part.weight).sum();
    sum.checked_div(weight).unwrap_or(0)
}

/// The likeliest pairs first, each side once; equally likely pairs that share a side cancel out.
fn one_to_one(mut candidates: Vec<Candidate>) -> Vec<Pair> {
    candidates.retain(|candidate| candidate.score >= THRESHOLD);
    let rank = |candidate: &Candidate| (candidate.score, candidate.name);
    candidates.sort_by_key(|candidate| (std::cmp::Reverse(rank(candidate)), candidate.pair));
    let (mut old_taken, mut new_taken) = (
        std::collections::HashSet::new(),
        std::collections::HashSet::new(),
    );
    let mut pairs = Vec::new();
    for equal in candidates.chunk_by(|a, b| rank(a) == rank(b)) {
        let free: Vec<Pair> = equal
            .iter()
            .map(|candidate| candidate.pair)
            .filter(|(old, new)| !old_taken.contains(old) && !new_taken.contains(new))
            .collect();
        let (mut per_old, mut per_new) = (
            std::collections::HashMap::new(),
            std::collections::HashMap::new(),
        );
        for (old, new) in &free {
            *per_old.entry(*old).or_insert(0_usize) += 1;
            *per_new.entry(*new).or_insert(0_usize) += 1;
        }
        for (old, new) in free {
            if per_old.get(&old) == Some(&1) && per_new.get(&new) == Some(&1) {
                pairs.push((old, new));
            }
            old_taken.insert(old);
            new_taken.insert(new);
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(score: u64, name: u64, pair: Pair) -> Candidate {
        Candidate { score, name, pair }
    }

    #[test]
    fn the_likeliest_pair_is_taken_first_and_each_side_once() {
        let pairs = one_to_one(vec![
            candidate(70, 0, (0, 0)),
            candidate(90, 0, (0, 1)),
            candidate(80, 0, (1, 1)),
            candidate(66, 0, (1, 0)),
            candidate(THRESHOLD - 1, 0, (2, 2)),
        ]);
        assert_eq!(pairs, [(0, 1), (1, 0)]);
    }

    #[test]
    fn between_equally_likely_pairs_nothing_is_guessed_unless_the_names_decide() {
        assert_eq!(
            one_to_one(vec![candidate(90, 0, (0, 0)), candidate(90, 0, (0, 1))]),
            []
        );
        assert_eq!(
            one_to_one(vec![candidate(90, 0, (0, 0)), candidate(90, 40, (0, 1))]),
            [(0, 1)]
        );
    }
}
