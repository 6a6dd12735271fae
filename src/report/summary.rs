//! What a run comes to in numbers, and the sentence that ends every report.
//!
//! Pure. All formats count here, so that they agree.

use std::fmt::Write as _;

use crate::exit::Reason;
use crate::rules::{Finding, Level};

use super::{Outcome, PinAction, Report, ServerReport};

/// Levels, worst first.
pub(super) const LEVELS: [Level; 6] = [
    Level::Unfit,
    Level::Breaking,
    Level::Risky,
    Level::Compatible,
    Level::Equivalent,
    Level::Advice,
];

/// The numbers of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Servers judged to the end (for `pin`: fetched and fit to be written).
    pub(super) judged: usize,
    /// Servers that could not be judged.
    pub(super) not_judged: usize,
    /// Configured, not in the lockfile.
    pub(super) not_pinned: usize,
    /// In the lockfile, configured no more.
    pub(super) not_configured: usize,
    /// Switched off in their config.
    pub(super) disabled: usize,
    /// Far sides that servers were compared with.
    pub(super) projections: usize,
    /// Items of the judged servers.
    pub(super) items: usize,
    /// Findings by level, as [`LEVELS`] orders them.
    pub(super) levels: [usize; 6],
    /// Notes of the report and its servers, those apart that are told in any event.
    pub(super) notes: usize,
}

impl Counts {
    /// Counts a report.
    pub(super) fn of(report: &Report) -> Self {
        let mut counts = Counts {
            notes: report.notes.len(),
            ..Counts::default()
        };
        for server in &report.servers {
            match server.outcome {
                // The server itself is counted where it was judged.
                Outcome::Judged if server.projection.is_some() => counts.projections += 1,
                Outcome::Judged | Outcome::Pinned(_) => {
                    counts.judged += 1;
                    counts.items += server.items;
                }
                Outcome::NotJudged(_) | Outcome::NotStarted => counts.not_judged += 1,
                Outcome::NotPinned => counts.not_pinned += 1,
                Outcome::NotConfigured => counts.not_configured += 1,
                Outcome::Disabled => counts.disabled += 1,
            }
            counts.notes += server.notes.len();
            for finding in &server.findings {
                counts.levels[position(finding.level)] += 1;
            }
        }
        counts
    }

    /// Findings of `level`.
    pub(super) fn level(&self, level: Level) -> usize {
        self.levels[position(level)]
    }
}

fn position(level: Level) -> usize {
    LEVELS.iter().position(|&l| l == level).unwrap_or_default()
}

/// `1 server`, `2 servers`.
pub(super) fn number(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// `1 breaking, 2 risky`; empty when there is none of `levels`.
pub(super) fn by_level(counts: &Counts, levels: &[Level]) -> String {
    let parts: Vec<_> = levels
        .iter()
        .filter(|&&level| counts.level(level) > 0)
        .map(|&level| format!("{} {}", counts.level(level), level.word()))
        .collect();
    parts.join(", ")
}

/// A question about an outcome.
type Holds = fn(&Outcome) -> bool;

/// What was looked at and what came of it, without the exit code: `compared 2 servers, 41 items:
/// 1 breaking, 2 risky; not judged: web`.
pub(super) fn verdict(report: &Report) -> String {
    let counts = Counts::of(report);
    let mut parts = Vec::new();
    let mut first = looked_at(report, &counts);
    let levels = by_level(&counts, &LEVELS);
    if !levels.is_empty() {
        first.push_str(": ");
        first.push_str(&levels);
    } else if counts.judged > 0 && report.reasons.code() == crate::exit::OK {
        first.push_str(match report.command {
            "check" => ", all fit",
            "pin" => "",
            _ => ", no drift",
        });
    }
    parts.push(first);
    let listed: [(&str, Holds); 5] = [
        ("not started", |o| matches!(o, Outcome::NotStarted)),
        ("not judged", |o| matches!(o, Outcome::NotJudged(_))),
        ("not pinned", |o| matches!(o, Outcome::NotPinned)),
        ("pinned but not configured", |o| {
            matches!(o, Outcome::NotConfigured)
        }),
        ("skipped as disabled", |o| matches!(o, Outcome::Disabled)),
    ];
    for (label, holds) in listed {
        let names: Vec<_> = report
            .servers
            .iter()
            .filter(|server| holds(&server.outcome))
            .map(ServerReport::title)
            .collect();
        if !names.is_empty() {
            parts.push(format!("{label}: {}", some(&names)));
        }
    }
    let unknown: Vec<_> = report
        .servers
        .iter()
        .filter(|server| !server.unknown.is_empty())
        .map(|server| format!("{} of {}", server.unknown.join(", "), server.title()))
        .collect();
    if !unknown.is_empty() {
        parts.push(format!("the source does not tell: {}", some(&unknown)));
    }
    parts.join("; ")
}

fn looked_at(report: &Report, counts: &Counts) -> String {
    if counts.judged == 0 {
        return "nothing was compared".to_owned();
    }
    let what = format!(
        "{}, {}",
        number(counts.judged, "server"),
        number(counts.items, "item")
    );
    let what = match counts.projections {
        0 => what,
        count => format!("{what}, {}", number(count, "projection")),
    };
    match report.command {
        "check" => format!("checked {what}"),
        "pin" => {
            let done = |action| {
                report
                    .servers
                    .iter()
                    .filter(|server| matches!(server.outcome, Outcome::Pinned(a) if a == action))
                    .count()
            };
            let parts: Vec<_> = PinAction::ALL
                .into_iter()
                .filter(|&action| done(action) > 0)
                .map(|action| format!("{} {}", done(action), action.word()))
                .collect();
            if parts.is_empty() {
                format!("looked at {what}")
            } else {
                format!("{what} ({})", parts.join(", "))
            }
        }
        _ => format!("compared {what}"),
    }
}

/// The first few of a list, and how many more.
pub(super) fn some<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let mut out = shown.join(", ");
    if let Some(more) = names.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        // Writing to a string can't fail.
        let _ = write!(out, " and {more} more");
    }
    out
}

/// Why the exit code is what it is: `exit 1: drift at or above `compatible`; also 3: …`.
pub(super) fn exit_sentence(report: &Report) -> String {
    let mut reasons = report.reasons.iter();
    let Some(first) = reasons.next() else {
        let shown = Counts::of(report);
        let drift = [Level::Breaking, Level::Risky, Level::Compatible];
        let judged = report.command != "pin";
        return if judged && drift.iter().any(|&level| shown.level(level) > 0) {
            format!(
                "exit 0: nothing fails with fail-on `{}`",
                report.fail_on.word()
            )
        } else {
            "exit 0".to_owned()
        };
    };
    let mut out = format!("exit {}: {}", first.code(), because(report, first));
    for reason in reasons {
        out.push_str("; also ");
        out.push_str(&reason.code().to_string());
        out.push_str(": ");
        out.push_str(&because(report, reason));
    }
    out
}

/// One reason in words.
pub(super) fn because(report: &Report, reason: Reason) -> String {
    match reason {
        Reason::Usage => match report.errors.first() {
            Some(error) => error.message().to_owned(),
            None => "the command line, a config or the lockfile is wrong".to_owned(),
        },
        Reason::Drift => drift_reason(report),
        Reason::Unfit => {
            let fails = |server: &&ServerReport| {
                let failing = |finding: &Finding| finding.level == Level::Unfit;
                server.findings.iter().any(failing)
            };
            let (far, near): (Vec<_>, Vec<_>) = report
                .servers
                .iter()
                .filter(fails)
                .partition(|server| server.projection.is_some());
            match (far.is_empty(), near.is_empty()) {
                (true, _) => "a contract is unfit",
                (false, true) => "a projection loses something",
                (false, false) => "a contract is unfit and a projection loses something",
            }
            .to_owned()
        }
        Reason::NotJudged => "a server could not be judged".to_owned(),
    }
}

fn drift_reason(report: &Report) -> String {
    let any = |holds: Holds| report.servers.iter().any(|s| holds(&s.outcome));
    if any(|o| matches!(o, Outcome::Pinned(PinAction::Unsteady))) {
        "two starts of a server gave two catalogs".to_owned()
    } else if any(|o| matches!(o, Outcome::Pinned(PinAction::Refused))) {
        "pinned contracts would change, and that needs a yes".to_owned()
    } else if any(|o| matches!(o, Outcome::Pinned(PinAction::WouldWrite))) {
        "the lockfile would change".to_owned()
    } else if report
        .servers
        .iter()
        .flat_map(|server| &server.findings)
        .any(|finding| crate::rules::fails(finding, report.fail_on))
    {
        format!("drift at or above `{}`", report.fail_on.word())
    } else if any(|o| matches!(o, Outcome::NotPinned)) {
        "a server is not pinned".to_owned()
    } else if any(|o| matches!(o, Outcome::NotConfigured)) {
        "a pinned server is not configured".to_owned()
    } else {
        "an item is not pinned or is gone".to_owned()
    }
}
