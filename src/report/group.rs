//! The order and the grouping of findings: worst first, one edit over many items told once.
//!
//! Pure.

use std::collections::{BTreeMap, HashMap};

use crate::json::Pointer;
use crate::rules::{Finding, Level};

use super::{Options, Report, ServerReport, Verbosity};

/// From how many items on the same edit is told once, with a list.
const SAME_EDIT: usize = 3;

/// Findings that are told under one heading.
#[derive(Debug, Clone)]
pub(super) enum Block<'r> {
    /// All of one item, worst first.
    Item(&'r str, Vec<&'r Finding>),
    /// The same edit in several items: one of the findings, and all labels.
    Same(&'r Finding, Vec<&'r str>),
}

/// What an SDK wrote of its own accord: one line a mark and level, the worst first.
#[derive(Debug, Clone)]
pub(super) struct Emitted<'r> {
    /// The level, what was written, and in how many places.
    pub(super) lines: Vec<(Level, &'static str, usize)>,
    /// The labels of the items, each once.
    pub(super) labels: Vec<&'r str>,
    /// How many findings are told so.
    pub(super) findings: usize,
}

impl Block<'_> {
    fn worst(&self) -> Level {
        match self {
            Block::Item(_, findings) => findings.iter().map(|f| f.level).min(),
            Block::Same(finding, _) => Some(finding.level),
        }
        .unwrap_or(Level::Advice)
    }
}

/// Whether findings of `level` are printed, or only counted.
pub(super) fn is_shown(report: &Report, options: &Options, level: Level) -> bool {
    match level {
        Level::Unfit | Level::Breaking | Level::Risky | Level::Compatible => true,
        Level::Equivalent => options.verbosity == Verbosity::Verbose,
        Level::Advice => options.verbosity == Verbosity::Verbose || report.command == "check",
    }
}

/// The findings of a server in blocks, the worst block first.
pub(super) fn blocks<'r>(findings: &[&'r Finding]) -> Vec<Block<'r>> {
    let mut blocks: Vec<Block<'r>> = Vec::new();
    let mut by_label: HashMap<&str, usize> = HashMap::new();
    for group in same_edits(findings) {
        if let [first, ..] = group[..]
            && group.len() >= SAME_EDIT
        {
            blocks.push(Block::Same(
                first,
                group.iter().map(|f| f.label.as_str()).collect(),
            ));
            continue;
        }
        for finding in group {
            let at = *by_label.entry(&finding.label).or_insert_with(|| {
                blocks.push(Block::Item(&finding.label, Vec::new()));
                blocks.len() - 1
            });
            if let Some(Block::Item(_, list)) = blocks.get_mut(at) {
                list.push(finding);
            }
        }
    }
    for block in &mut blocks {
        if let Block::Item(_, list) = block {
            list.sort_by_key(|finding| finding.level);
        }
    }
    blocks.sort_by_key(Block::worst);
    blocks
}

/// What an SDK wrote, told once for the server, and all other findings.
pub(super) fn emitted<'r>(findings: &[&'r Finding]) -> (Option<Emitted<'r>>, Vec<&'r Finding>) {
    let mut counts: BTreeMap<(Level, &'static str), usize> = BTreeMap::new();
    let mut labels: Vec<&str> = Vec::new();
    let mut rest = Vec::new();
    for &finding in findings {
        if let Some(mark) = finding.emission {
            *counts.entry((finding.level, mark)).or_default() += 1;
            labels.push(&finding.label);
        } else {
            rest.push(finding);
        }
    }
    labels.sort_unstable();
    labels.dedup();
    let emitted = (!labels.is_empty()).then(|| Emitted {
        lines: counts
            .into_iter()
            .map(|((level, mark), count)| (level, mark, count))
            .collect(),
        labels,
        findings: findings.len() - rest.len(),
    });
    (emitted, rest)
}

/// What is gone was another item each time, and the report doesn't show what it was.
const GONE: &str = "item-gone";

/// Findings that differ in nothing but the item, together; in order of their first.
fn same_edits<'r>(findings: &[&'r Finding]) -> Vec<Vec<&'r Finding>> {
    let mut groups: Vec<Vec<&'r Finding>> = Vec::new();
    let mut by_key: HashMap<(&str, &Pointer, &str), Vec<usize>> = HashMap::new();
    for &finding in findings {
        let alike = by_key
            .entry((finding.rule, &finding.pointer, &finding.message))
            .or_default();
        let found = alike.iter().copied().find(|&at| {
            groups[at]
                .first()
                .is_some_and(|first| is_same_edit(first, finding))
        });
        if let Some(at) = found {
            groups[at].push(finding);
        } else {
            alike.push(groups.len());
            groups.push(vec![finding]);
        }
    }
    groups
}

/// Two findings that differ in nothing but the item.
fn is_same_edit(a: &Finding, b: &Finding) -> bool {
    a.rule == b.rule
        && a.level == b.level
        && a.pointer == b.pointer
        && a.message == b.message
        && a.label != b.label
        && (a.old == b.old || a.rule == GONE)
        && a.new == b.new
        && a.witness == b.witness
}

/// The servers in the order in which people should read them: those with the worst findings, then
/// those not judged, not pinned, gone, then the rest; by name where equal.
pub(super) fn servers(report: &Report) -> Vec<&ServerReport> {
    let mut servers: Vec<_> = report.servers.iter().collect();
    servers.sort_by_key(|server| {
        let worst = server.findings.iter().map(|finding| finding.level).min();
        match (worst, &server.outcome) {
            (Some(Level::Unfit), _) => 0,
            (Some(Level::Breaking), _) => 1,
            (_, super::Outcome::NotJudged(_) | super::Outcome::NotStarted) => 2,
            (_, super::Outcome::NotPinned | super::Outcome::NotConfigured) => 3,
            (Some(Level::Risky), _) => 4,
            (Some(Level::Compatible), _) => 5,
            (Some(_), _) => 6,
            (None, _) => 7,
        }
    });
    servers
}
