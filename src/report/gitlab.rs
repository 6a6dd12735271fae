//! GitLab's code quality report: a JSON array, one object a result.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::Result;
use crate::rules::Level;

use super::{Report, json, sanitize, trouble};

/// Renders `report` for GitLab.
pub(super) fn render(report: &Report) -> Result<String> {
    let mut issues: Vec<Issue> = Vec::new();
    for (i, error) in report.errors.iter().enumerate() {
        let file = error
            .place()
            .file
            .clone()
            .or_else(|| report.lockfile.clone());
        issues.push(Issue {
            description: sanitize::terminal(error.message()),
            check_name: "mcplock",
            fingerprint: format!("{i:016x}"),
            severity: "blocker",
            location: Location {
                path: file.map_or("mcp-lock.toml".to_owned(), |file| path(&file)),
                lines: Lines {
                    begin: error.place().line.unwrap_or(1),
                },
            },
        });
    }
    for server in &report.servers {
        let Some(trouble) = trouble::of(server) else {
            continue;
        };
        let (file, line) = trouble::place(report, server, None);
        issues.push(Issue {
            description: sanitize::terminal(&format!(
                "server {}: {}",
                server.title(),
                trouble.message
            )),
            check_name: trouble.rule,
            fingerprint: trouble::fingerprint(server, trouble.rule),
            severity: "critical",
            location: Location {
                path: path(file),
                lines: Lines { begin: line },
            },
        });
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (server, finding) in trouble::results(report) {
        let (file, line) = trouble::place(report, server, Some(&finding.label));
        // GitLab drops all but one of the issues that share a fingerprint.
        let count = seen.entry(&finding.fingerprint).or_default();
        *count += 1;
        issues.push(Issue {
            description: sanitize::terminal(&format!(
                "{}: server {}, {}: {}",
                finding.level.word(),
                server.title(),
                sanitize::literal(&finding.label),
                finding.message
            )),
            check_name: finding.rule,
            fingerprint: if *count == 1 {
                finding.fingerprint.clone()
            } else {
                format!("{}-{count}", finding.fingerprint)
            },
            severity: severity(finding.level),
            location: Location {
                path: path(file),
                lines: Lines { begin: line },
            },
        });
    }
    json::to_text(&issues)
}

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::Unfit | Level::Breaking => "critical",
        Level::Risky => "major",
        Level::Compatible => "minor",
        Level::Equivalent | Level::Advice => "info",
    }
}

/// A path as GitLab wants it: relative, without `./`, with forward slashes.
fn path(path: &std::path::Path) -> String {
    let text = path.display().to_string().replace('\\', "/");
    text.trim_start_matches("./").to_owned()
}
