//! Whether every value that one schema accepts is accepted by another.
//!
//! Pure. "Included" is said on a proof only, "broken" only with a value that the validator judged
//! against both documents; everything else is undecided, and says why. All work is counted in
//! steps, so two runs say the same.

mod eval;
mod exact;
mod ir;
mod lower;
mod passes;
mod regex;
mod solve;
mod val;
mod witness;

use crate::canonical::canonical;
use crate::json::Value;

use super::Dialect;
use super::dialect::{Declared, declared};
use super::graph::Graph;
use super::reason::Reason as Refusal;
use super::verdict::Unusable;

pub use passes::{Ignored, InputVerdict, careful, tool_input, tool_output};

use eval::holds;
use ir::{Arena, Id, Lit, Node};
use lower::Lowering;
use solve::{Solver, no, yes};
use val::Val;
use witness::{Judges, harvest, search, shrink};

/// How the two documents are read, and how much work may be done.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The dialect of the old document, unless it declares a known one.
    pub old_dialect: Dialect,
    /// The dialect of the new document, unless it declares a known one.
    pub new_dialect: Dialect,
    /// Steps of one proof; a step is about one subschema looked at once.
    pub budget: u64,
}

impl Options {
    /// Enough for real schemas, and well under two seconds.
    pub const DEFAULT_BUDGET: u64 = 400_000;

    /// Both documents in one dialect, with the default budget.
    pub fn for_dialect(dialect: Dialect) -> Self {
        Options {
            old_dialect: dialect,
            new_dialect: dialect,
            budget: Self::DEFAULT_BUDGET,
        }
    }

    /// For the question asked the other way round.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Options {
            old_dialect: self.new_dialect,
            new_dialect: self.old_dialect,
            budget: self.budget,
        }
    }
}

/// How inclusion was proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Proof {
    /// No value is in the old set and outside the new one: shown case by case.
    Structure,
    /// The old schema lists its values, and the validator finds each accepted by the new one.
    Values,
}

/// A value that shows a difference, as the validator judged it against both documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The value: the old document accepts it, the new one refuses it.
    pub value: Value,
    /// Why it is refused (the first few reasons).
    pub reasons: Vec<Refusal>,
}

/// Why nothing could be said.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// One of the documents can't be used; true for the old one.
    Unusable(bool, Unusable),
    /// The work was given up at its bound.
    OverBudget,
    /// `\d` or `\w` of a pattern meets text beyond ASCII, which engines read differently.
    PatternReading,
    /// Neither a proof nor a witness was found.
    NeitherProvedNorShown,
}

/// What is known of the question whether `old` is within `new`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The two accept the same values, since they are the same up to spelling.
    Equal,
    /// Everything that `old` accepts is accepted by `new`.
    Included(Proof),
    /// `old` accepts this, `new` does not.
    Broken(Witness),
    /// Not decided.
    Undecided(Reason),
}

impl Verdict {
    /// Whether inclusion is proved.
    pub fn is_included(&self) -> bool {
        matches!(self, Verdict::Equal | Verdict::Included(_))
    }
}

/// Whether every value that `old` accepts is accepted by `new`.
pub fn inclusion(old: &Value, new: &Value, options: &Options) -> Verdict {
    let same_dialect = read_as(old, options.old_dialect) == read_as(new, options.new_dialect);
    if same_dialect && canonical(old) == canonical(new) {
        return Verdict::Equal;
    }
    let verdict = Comparison::with(old, new, options, |comparison| {
        let (old, new) = comparison.ids();
        if old == new {
            return Verdict::Equal;
        }
        comparison.decide(&[yes(old), no(new)], None)
    });
    verdict.unwrap_or_else(Verdict::Undecided)
}

/// Whether every value that both `old` and `within` accept is accepted by `new`; `within` is read
/// as `new` is.
///
/// Asks what a single constraint of `new` is worth: `within` is `new` without it.
pub fn inclusion_within(old: &Value, new: &Value, within: &Value, options: &Options) -> Verdict {
    let Some(dialect) = read_as(within, options.new_dialect) else {
        return Verdict::Undecided(Reason::NeitherProvedNorShown);
    };
    let Ok(graph) = Graph::of(within, dialect) else {
        return Verdict::Undecided(Reason::OverBudget);
    };
    let verdict = Comparison::with(old, new, options, |comparison| {
        let (old, new) = comparison.ids();
        let within = Lowering::new(&graph, comparison.arena).root();
        comparison.decide(&[yes(old), yes(within), no(new)], Some(within))
    });
    verdict.unwrap_or_else(Verdict::Undecided)
}

/// Two documents in one arena, with their validators.
struct Comparison<'a, 'v> {
    arena: &'a mut Arena,
    old_graph: &'a Graph<'v>,
    new_graph: &'a Graph<'v>,
    judges: &'a mut Judges<'v>,
    budget: u64,
}

impl Comparison<'_, '_> {
    /// Reads both documents and asks.
    fn with<T>(
        old: &Value,
        new: &Value,
        options: &Options,
        ask: impl FnOnce(&mut Comparison) -> T,
    ) -> Result<T, Reason> {
        let mut judges = Judges::new((old, options.old_dialect), (new, options.new_dialect));
        let (Some(old_dialect), Some(new_dialect)) = (
            read_as(old, options.old_dialect),
            read_as(new, options.new_dialect),
        ) else {
            return Err(why(&mut judges, false));
        };
        let (Ok(old_graph), Ok(new_graph)) =
            (Graph::of(old, old_dialect), Graph::of(new, new_dialect))
        else {
            return Err(why(&mut judges, true));
        };
        Ok(ask(&mut Comparison {
            arena: &mut Arena::default(),
            old_graph: &old_graph,
            new_graph: &new_graph,
            judges: &mut judges,
            budget: options.budget,
        }))
    }

    /// The sets of the two documents.
    fn ids(&mut self) -> (Id, Id) {
        let old = Lowering::new(self.old_graph, self.arena).root();
        let new = Lowering::new(self.new_graph, self.arena).root();
        (old, new)
    }

    /// Whether the goal, which is about values of `old` outside `new`, is empty; a witness must
    /// also be in the set `within`.
    fn decide(&mut self, goal: &[Lit], within: Option<Id>) -> Verdict {
        let mut solver = Solver::new(self.arena, self.budget);
        let answer = solver.goal(goal.to_vec());
        let spent = solver.is_spent();
        if answer.is_empty() {
            return Verdict::Included(Proof::Structure);
        }
        if let Some(value) = answer.value()
            && self.judges.separates(&value)
        {
            return Verdict::Broken(self.confirm(value, within));
        }
        if self.judges.unusable().is_some() {
            return Verdict::Undecided(why(self.judges, spent));
        }
        if let Some(verdict) = self.by_values(goal, within) {
            return verdict;
        }
        match self.look_around(goal, within) {
            Some(value) => Verdict::Broken(self.confirm(value, within)),
            None => Verdict::Undecided(why(self.judges, spent)),
        }
    }

    /// Where `old` lists its values, each is handed to the validator.
    fn by_values(&mut self, goal: &[Lit], within: Option<Id>) -> Option<Verdict> {
        let values = goal.iter().find_map(|lit| match self.arena.node(lit.id) {
            Node::Enum(values) if lit.yes => Some(values.clone()),
            _ => None,
        })?;
        for value in values {
            if within.is_some_and(|id| holds(self.arena, id, &value) != Some(true)) {
                continue;
            }
            let json = value.json();
            if self.arena.has_ambiguous_pattern() && !canonical(&json).is_ascii() {
                return Some(Verdict::Undecided(Reason::PatternReading));
            }
            if self.judges.old.accepts(&json)? && !self.judges.new.accepts(&json)? {
                return Some(Verdict::Broken(self.confirm(value, within)));
            }
        }
        Some(Verdict::Included(Proof::Values))
    }

    /// A witness near values that the documents are known to accept.
    fn look_around(&mut self, goal: &[Lit], within: Option<Id>) -> Option<Val> {
        let mut bases = Vec::new();
        let accepted: Vec<Lit> = goal.iter().copied().filter(|lit| lit.yes).collect();
        let both = goal.iter().map(|lit| yes(lit.id)).collect();
        for goal in [accepted, both] {
            let found = Solver::new(self.arena, self.budget / 8).goal(goal).value();
            bases.extend(found);
        }
        let harvest = harvest(
            self.arena,
            &[self.judges.old.schema, self.judges.new.schema],
        );
        search(&bases, &harvest, |value| {
            within.is_none_or(|id| holds(self.arena, id, value) == Some(true))
                && self.judges.separates(value)
        })
    }

    /// The witness as it is shown: small, and with the reasons.
    fn confirm(&mut self, value: Val, within: Option<Id>) -> Witness {
        let small = shrink(value, |value| {
            within.is_none_or(|id| holds(self.arena, id, value) == Some(true))
                && self.judges.separates(value)
        });
        let value = small.json();
        Witness {
            reasons: self.judges.reasons(&value),
            value,
        }
    }
}

fn why(judges: &mut Judges, spent: bool) -> Reason {
    match judges.unusable() {
        Some((old, unusable)) => Reason::Unusable(old, unusable),
        None if spent => Reason::OverBudget,
        None => Reason::NeitherProvedNorShown,
    }
}

/// The dialect of a document; none for one that is not known.
fn read_as(schema: &Value, otherwise: Dialect) -> Option<Dialect> {
    match declared(schema) {
        Declared::Absent => Some(otherwise),
        Declared::Known(dialect) => Some(dialect),
        Declared::Unknown => None,
    }
}
