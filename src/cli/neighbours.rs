//! The servers of one run held against each other: tools that hosts, or people, take for one.

use crate::fitness::{Roster, collisions, shared};
use crate::report::{Outcome, Report};
use crate::rules;
use crate::text::visible;

use super::judge::Terms;
use super::workspace::Workspace;

/// The tools of a server that this run does not judge, as they are pinned.
pub(crate) struct Pinned {
    server: String,
    profile: Option<String>,
    tools: Vec<String>,
}

/// What is pinned of the servers that are configured and switched on.
pub(crate) fn pinned(workspace: &Workspace) -> Vec<Pinned> {
    workspace
        .configured_entries()
        .map(|entry| Pinned {
            server: entry.name.as_str().to_owned(),
            profile: entry.profile.clone(),
            tools: entry.tools().map(str::to_owned).collect(),
        })
        .collect()
}

/// Adds a finding for each tool that is taken for another one, of this server or of another; and
/// remarks: names that several servers have, and servers whose names are not known.
///
/// `pinned` stands in for servers that were not judged.
pub(crate) fn compare(report: &mut Report, pinned: &[Pinned], terms: &Terms<'_>) {
    let of_report: Vec<Roster<'_>> = report
        .servers
        .iter()
        .map(|server| Roster {
            server: &server.name,
            profile: server.profile.as_deref(),
            tools: server.tools.as_deref().unwrap_or_default(),
            judged: server.tools.is_some(),
        })
        .collect();
    let is_judged = |other: &Pinned| {
        of_report.iter().any(|roster| {
            roster.judged
                && roster.server == other.server
                && roster.profile == other.profile.as_deref()
        })
    };
    let beside = pinned.iter().filter(|other| !is_judged(other));
    let mut rosters = of_report.clone();
    rosters.extend(beside.map(|other| Roster {
        server: &other.server,
        profile: other.profile.as_deref(),
        tools: &other.tools,
        judged: false,
    }));
    if !of_report.iter().any(|roster| roster.judged) {
        return;
    }
    let notes = remarks(report, &rosters, pinned);
    let found = collisions(&rosters);
    for (which, fault) in found {
        let Some(server) = report.servers.get_mut(which) else {
            continue;
        };
        let mut finding = [rules::judge_fault(&server.title(), &fault)];
        let key = (server.name.as_str(), server.profile.as_deref());
        terms.adjustments.relevel(&mut finding, key);
        server.findings.extend(finding);
        rules::sort(&mut server.findings);
    }
    report.notes.extend(notes);
}

/// Names that are listed in one remark.
const MAX_LISTED: usize = 5;

fn remarks(report: &Report, rosters: &[Roster<'_>], pinned: &[Pinned]) -> Vec<String> {
    let mut remarks = Vec::new();
    let shared: Vec<String> = shared(rosters)
        .into_iter()
        .map(|(tool, servers)| {
            let servers: Vec<String> = servers.into_iter().map(visible).collect();
            format!("`{}` ({})", visible(tool), servers.join(", "))
        })
        .collect();
    if !shared.is_empty() {
        let listed = shared[..shared.len().min(MAX_LISTED)].join(", ");
        let more = match shared.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        remarks.push(format!(
            "tools of several servers have one name, which only matters in hosts that don't put the \
             server's name before it: {listed}{more}"
        ));
    }
    let unknown: Vec<String> = report
        .servers
        .iter()
        .filter(|server| {
            matches!(
                server.outcome,
                Outcome::NotJudged(_) | Outcome::NotStarted | Outcome::NotPinned
            )
        })
        .filter(|server| {
            !pinned
                .iter()
                .any(|other| other.server == server.name && other.profile == server.profile)
        })
        .map(|server| format!("`{}`", visible(&server.title())))
        .collect();
    if !unknown.is_empty() {
        remarks.push(format!(
            "whether tools have names that hosts make one of could not be told of {}, whose tools are \
             not known",
            unknown.join(", ")
        ));
    }
    remarks
}
