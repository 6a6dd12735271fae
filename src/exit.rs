//! Exit codes, as documented constants, and which one wins when several hold.
//!
//! Scripts may rely on these numbers; `docs/exit-codes.md` explains them with examples.

use std::collections::BTreeSet;

/// Everything that was asked for was compared, and nothing is at or above the threshold.
pub const OK: u8 = 0;
/// Drift at or above `--fail-on`; something is not pinned or is gone; `--check` would write.
pub const DRIFT: u8 = 1;
/// The command line, a config or the lockfile is wrong.
pub const USAGE: u8 = 2;
/// A server could not be judged: it did not start, answer, authenticate or finish listing.
pub const NOT_JUDGED: u8 = 3;
/// A contract is unfit, or a configured projection loses a constraint.
pub const UNFIT: u8 = 4;

/// One reason for a non-zero exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// See [`USAGE`].
    Usage,
    /// See [`DRIFT`].
    Drift,
    /// See [`UNFIT`].
    Unfit,
    /// See [`NOT_JUDGED`].
    NotJudged,
}

impl Reason {
    /// All reasons; the first that holds decides the exit code.
    pub const ALL: [Reason; 4] = [
        Reason::Usage,
        Reason::Drift,
        Reason::Unfit,
        Reason::NotJudged,
    ];

    /// The exit code for this reason alone.
    pub fn code(self) -> u8 {
        match self {
            Reason::Usage => USAGE,
            Reason::Drift => DRIFT,
            Reason::Unfit => UNFIT,
            Reason::NotJudged => NOT_JUDGED,
        }
    }
}

/// Every reason for a non-zero exit that one run has met.
///
/// The report names them all; the process can only return one: usage, then drift, then unfit,
/// then not judged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExitReasons(BTreeSet<Reason>);

impl ExitReasons {
    /// Adds a reason.
    pub fn add(&mut self, reason: Reason) {
        self.0.insert(reason);
    }

    /// Whether a reason holds.
    pub fn has(&self, reason: Reason) -> bool {
        self.0.contains(&reason)
    }

    /// The reasons, the deciding one first.
    pub fn iter(&self) -> impl Iterator<Item = Reason> + '_ {
        self.0.iter().copied()
    }

    /// The one code that the process returns.
    pub fn code(&self) -> u8 {
        self.0.first().map_or(OK, |reason| reason.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_wins_over_drift_over_unfit_over_not_judged() {
        let mut reasons = ExitReasons::default();
        assert_eq!(reasons.code(), OK);
        for (reason, code) in [
            (Reason::NotJudged, NOT_JUDGED),
            (Reason::Unfit, UNFIT),
            (Reason::Drift, DRIFT),
            (Reason::Usage, USAGE),
        ] {
            reasons.add(reason);
            assert_eq!(reasons.code(), code);
        }
    }
}
