//! What an agent was last shown in this session.
//!
//! Pure. An agent that was shown one contract must not call another, even one that is pinned: it
//! has read other words.

use std::collections::{BTreeSet, HashMap};

use crate::canonical::Digest;
use crate::catalog::Kind;

use super::view::Standing;

/// The contracts of the lists that an agent was handed, and what it must list before it may call.
#[derive(Debug, Clone, Default)]
pub struct Served {
    shown: HashMap<(Kind, String), Shown>,
    /// Counts the listings of each kind.
    rounds: HashMap<Kind, u64>,
    must_list: BTreeSet<Kind>,
    instructions: Option<Standing>,
}

#[derive(Debug, Clone, Copy)]
struct Shown {
    contract: Digest,
    round: u64,
}

impl Served {
    /// The agent begins to list a kind: what it is shown from now on replaces what it saw before.
    pub fn begin(&mut self, kind: Kind) {
        *self.rounds.entry(kind).or_default() += 1;
    }

    /// The agent is shown an item.
    pub fn show(&mut self, kind: Kind, key: &str, contract: Digest) {
        let round = self.rounds.get(&kind).copied().unwrap_or_default();
        self.shown
            .insert((kind, key.to_owned()), Shown { contract, round });
    }

    /// The agent has seen the last page: what was not shown again is shown no longer.
    pub fn end(&mut self, kind: Kind) {
        let round = self.rounds.get(&kind).copied().unwrap_or_default();
        self.shown
            .retain(|(of, _), shown| *of != kind || shown.round == round);
        self.must_list.remove(&kind);
    }

    /// The agent is shown the instructions of the server, which stand so.
    pub fn instruct(&mut self, standing: Standing) {
        self.instructions = Some(standing);
    }

    /// From now on every kind must be listed before anything of it is called.
    pub fn forget(&mut self) {
        self.must_list = Kind::ALL.into_iter().collect();
    }

    /// The contract that the agent was last shown.
    pub fn contract(&self, kind: Kind, key: &str) -> Option<Digest> {
        let shown = self.shown.get(&(kind, key.to_owned()))?;
        Some(shown.contract)
    }

    /// Whether the agent has to list a kind first.
    pub fn must_list(&self, kind: Kind) -> bool {
        self.must_list.contains(&kind)
    }

    /// How the instructions stand that the agent was shown.
    pub fn instructions(&self) -> Option<&Standing> {
        self.instructions.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_last_listing_left_out_is_shown_no_longer() {
        let (a, b) = (Digest::of(b"a"), Digest::of(b"b"));
        let mut served = Served::default();
        served.begin(Kind::Tool);
        served.show(Kind::Tool, "x", a);
        served.show(Kind::Tool, "y", a);
        served.show(Kind::Prompt, "x", a);
        served.end(Kind::Tool);
        served.begin(Kind::Tool);
        served.show(Kind::Tool, "y", b);
        assert_eq!(
            served.contract(Kind::Tool, "x"),
            Some(a),
            "a page is missing"
        );
        served.end(Kind::Tool);
        assert_eq!(served.contract(Kind::Tool, "x"), None);
        assert_eq!(served.contract(Kind::Tool, "y"), Some(b));
        assert_eq!(served.contract(Kind::Prompt, "x"), Some(a));
    }

    #[test]
    fn after_a_new_pin_each_kind_is_to_be_listed_to_its_end() {
        let mut served = Served::default();
        served.forget();
        served.begin(Kind::Tool);
        assert!(served.must_list(Kind::Tool));
        served.end(Kind::Tool);
        assert!(!served.must_list(Kind::Tool) && served.must_list(Kind::Prompt));
    }
}
