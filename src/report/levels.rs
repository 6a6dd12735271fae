//! Several far sides of one server side by side: how much each loses of each tool.
//!
//! Pure. An adapter that shows its tools in several ways (in full, compact, as a stub) is captured
//! once for each, and the difference between the ways is what is asked for.

use super::{Outcome, Report};
use crate::rules::Level;

/// How much each far side of one server loses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SideBySide<'r> {
    /// The server.
    pub(super) server: &'r str,
    /// The far sides, in the order of the report.
    pub(super) sides: Vec<&'r str>,
    /// For each item of which something is lost on some side: its label, and what each side loses.
    pub(super) rows: Vec<(&'r str, Vec<usize>)>,
}

/// The servers that were compared with more than one far side.
pub(super) fn side_by_side(report: &Report) -> Vec<SideBySide<'_>> {
    let mut found: Vec<SideBySide<'_>> = Vec::new();
    let far = |server: &&super::ServerReport| {
        server.projection.is_some() && matches!(server.outcome, Outcome::Judged)
    };
    for server in report.servers.iter().filter(far) {
        if !found.iter().any(|table| table.server == server.name) {
            found.push(SideBySide {
                server: &server.name,
                sides: Vec::new(),
                rows: Vec::new(),
            });
        }
    }
    for table in &mut found {
        let servers: Vec<_> = report
            .servers
            .iter()
            .filter(far)
            .filter(|server| server.name == table.server)
            .collect();
        table.sides = servers
            .iter()
            .filter_map(|server| server.projection.as_deref())
            .collect();
        let lost = |server: &super::ServerReport, label: &str| {
            let findings = server.findings.iter();
            findings
                .filter(|finding| finding.label == label && finding.level == Level::Unfit)
                .count()
        };
        let mut labels: Vec<&str> = servers
            .iter()
            .flat_map(|server| server.findings.iter())
            .filter(|finding| finding.level == Level::Unfit)
            .map(|finding| finding.label.as_str())
            .collect();
        labels.sort_unstable();
        labels.dedup();
        table.rows = labels
            .into_iter()
            .map(|label| {
                let counts = servers.iter().map(|server| lost(server, label));
                (label, counts.collect())
            })
            .collect();
    }
    found.retain(|table| table.sides.len() > 1);
    found
}
