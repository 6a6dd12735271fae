//! Levels, the two-axis table, and the threshold that fails a run.

use crate::compare::{Callers, Model};

/// What a finding means for those who rely on the contract; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The contract can't be relied on at all.
    Unfit,
    /// Some call that was right no longer is, or an item is gone.
    Breaking,
    /// Accepted, but it may mean something else, or it could not be decided.
    Risky,
    /// Proved: every call that was right still is and means the same.
    Compatible,
    /// The text differs, the meaning is proved the same.
    Equivalent,
    /// Worth telling the server's author; never drift.
    Advice,
}

impl Level {
    /// All levels, the worst first.
    pub const ALL: [Level; 6] = [
        Level::Unfit,
        Level::Breaking,
        Level::Risky,
        Level::Compatible,
        Level::Equivalent,
        Level::Advice,
    ];

    /// The level of that word.
    pub fn parse(word: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.word() == word)
    }

    /// The word for it in reports and settings.
    pub fn word(self) -> &'static str {
        match self {
            Level::Unfit => "unfit",
            Level::Breaking => "breaking",
            Level::Risky => "risky",
            Level::Compatible => "compatible",
            Level::Equivalent => "equivalent",
            Level::Advice => "advice",
        }
    }
}

/// The level of a change from its two axes.
pub fn level(callers: Callers, model: Model) -> Level {
    match (callers, model) {
        (Callers::Narrower, _) => Level::Breaking,
        (Callers::Undecided, _) | (_, Model::Changed) => Level::Risky,
        (Callers::Wider, Model::Same) => Level::Compatible,
        (Callers::Same, Model::Same) => Level::Equivalent,
    }
}

/// The lowest level that fails a run (`--fail-on`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FailOn {
    /// Only breaking drift.
    Breaking,
    /// Risky drift and worse.
    Risky,
    /// Any drift that is not proved equivalent.
    #[default]
    Compatible,
    /// No drift at all.
    Never,
}

impl FailOn {
    /// All thresholds, the least strict last.
    pub const ALL: [FailOn; 4] = [
        FailOn::Breaking,
        FailOn::Risky,
        FailOn::Compatible,
        FailOn::Never,
    ];

    /// The threshold of that word.
    pub fn parse(word: &str) -> Option<FailOn> {
        FailOn::ALL
            .into_iter()
            .find(|threshold| threshold.word() == word)
    }

    /// The word for it on the command line and in settings.
    pub fn word(self) -> &'static str {
        match self {
            FailOn::Breaking => "breaking",
            FailOn::Risky => "risky",
            FailOn::Compatible => "compatible",
            FailOn::Never => "never",
        }
    }

    /// Whether drift of `level` fails.
    pub fn fails(self, level: Level) -> bool {
        match self {
            FailOn::Breaking => level == Level::Breaking,
            FailOn::Risky => matches!(level, Level::Breaking | Level::Risky),
            FailOn::Compatible => {
                matches!(level, Level::Breaking | Level::Risky | Level::Compatible)
            }
            FailOn::Never => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_axis_decides() {
        use Callers::{Narrower, Same, Undecided, Wider};
        for (callers, same, changed) in [
            (Same, Level::Equivalent, Level::Risky),
            (Wider, Level::Compatible, Level::Risky),
            (Undecided, Level::Risky, Level::Risky),
            (Narrower, Level::Breaking, Level::Breaking),
        ] {
            assert_eq!(level(callers, Model::Same), same);
            assert_eq!(level(callers, Model::Changed), changed);
        }
    }

    #[test]
    fn a_lower_threshold_fails_on_all_that_a_higher_one_does() {
        let fails = |fail_on: FailOn| {
            [
                Level::Breaking,
                Level::Risky,
                Level::Compatible,
                Level::Equivalent,
            ]
            .map(|level| fail_on.fails(level))
        };
        assert_eq!(fails(FailOn::Breaking), [true, false, false, false]);
        assert_eq!(fails(FailOn::Risky), [true, true, false, false]);
        assert_eq!(fails(FailOn::Compatible), [true, true, true, false]);
        assert_eq!(fails(FailOn::Never), [false; 4]);
    }
}
