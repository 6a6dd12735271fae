//! What is wrong with a server as a whole, and the order of all results: for formats that know
//! nothing but a list of results.
//!
//! Pure. A server that could not be judged is a result of its own here, so that "could not tell"
//! never looks like "clean" in a tool that counts results.

use crate::rules::{Finding, Level};

use super::group::{self, Block};
use super::{Outcome, PinAction, Report, ServerReport};

/// The rule ids of results about a server as a whole, and what they say.
pub(super) const RULES: [(&str, &str); 6] = [
    (
        NOT_STARTED,
        "A server was not started because its launch is not the pinned one",
    ),
    (
        NOT_JUDGED,
        "A server could not be judged: it did not start, answer, authenticate or finish listing",
    ),
    (NOT_PINNED, "A configured server is not in the lockfile"),
    (NOT_CONFIGURED, "A pinned server is no longer configured"),
    (
        WOULD_CHANGE,
        "The lockfile's entry of a server would change",
    ),
    (UNSTEADY, "Two starts of a server gave two catalogs"),
];

const NOT_STARTED: &str = "server-not-started";
const NOT_JUDGED: &str = "server-not-judged";
const NOT_PINNED: &str = "server-not-pinned";
const NOT_CONFIGURED: &str = "server-not-configured";
const WOULD_CHANGE: &str = "entry-would-change";
const UNSTEADY: &str = "server-unsteady";

/// One thing that is wrong with a server as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    /// One of [`RULES`].
    pub(super) rule: &'static str,
    /// What it is, as a fragment.
    pub(super) message: String,
    /// More about it, several lines perhaps.
    pub(super) detail: Option<String>,
    /// What to do.
    pub(super) help: Option<String>,
}

/// What is wrong with `server` as a whole, if anything is.
pub(super) fn of(server: &ServerReport) -> Option<Trouble> {
    let (rule, message) = match &server.outcome {
        Outcome::NotJudged(error) => {
            return Some(Trouble {
                rule: NOT_JUDGED,
                message: error.message().to_owned(),
                detail: error.detail_text().map(str::to_owned),
                help: error.help_text().map(str::to_owned),
            });
        }
        Outcome::NotStarted => (
            NOT_STARTED,
            "not started, so that its contracts were not judged: its launch is not the pinned one",
        ),
        Outcome::NotPinned => (NOT_PINNED, "configured but not pinned"),
        Outcome::NotConfigured => (NOT_CONFIGURED, "pinned but not configured any more"),
        Outcome::Pinned(PinAction::Unsteady) => {
            (UNSTEADY, "two starts of the server gave two catalogs")
        }
        Outcome::Pinned(PinAction::WouldWrite) => (WOULD_CHANGE, "not as pinned"),
        Outcome::Judged | Outcome::Pinned(_) | Outcome::Disabled => return None,
    };
    Some(Trouble {
        rule,
        message: message.to_owned(),
        detail: None,
        help: None,
    })
}

/// All findings that a list of results should have, worst first, with their servers. Equivalent
/// changes are left out: they are no results but the absence of one.
pub(super) fn results(report: &Report) -> Vec<(&ServerReport, &Finding)> {
    let mut all: Vec<_> = report
        .servers
        .iter()
        .flat_map(|server| of_list(server).map(move |finding| (server, finding)))
        .collect();
    all.sort_by_key(|(_, finding)| finding.level);
    all
}

/// [`results`], with the same edit in several items as one result: the first, and all labels.
pub(super) fn joined_results(report: &Report) -> Vec<(&ServerReport, &Finding, Vec<&str>)> {
    let mut all = Vec::new();
    for server in &report.servers {
        let findings: Vec<_> = of_list(server).collect();
        for block in group::blocks(&findings) {
            match block {
                Block::Item(label, findings) => {
                    all.extend(
                        findings
                            .into_iter()
                            .map(|finding| (server, finding, vec![label])),
                    );
                }
                Block::Same(finding, labels) => all.push((server, finding, labels)),
            }
        }
    }
    all.sort_by_key(|(_, finding, _)| finding.level);
    all
}

fn of_list(server: &ServerReport) -> impl Iterator<Item = &Finding> {
    server
        .findings
        .iter()
        .filter(|finding| finding.level != Level::Equivalent)
}

/// A fingerprint of 16 hex digits for a result about a server as a whole.
pub(super) fn fingerprint(server: &ServerReport, rule: &str) -> String {
    let key = format!("{rule}\n{}", server.title());
    crate::canonical::Digest::of(key.as_bytes())
        .to_string()
        .trim_start_matches("sha256:")
        .chars()
        .take(16)
        .collect()
}

/// The path of `path` inside a repository as a relative URI (RFC 3986): forward slashes, and each
/// byte that isn't unreserved in `%XX`.
pub(super) fn relative_uri(path: &std::path::Path) -> String {
    use std::fmt::Write as _;
    let text = path.display().to_string().replace('\\', "/");
    let text = text.trim_start_matches("./");
    let mut uri = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// The file that a result about `server` points into and its line: its place in the lockfile, else
/// in its config, else the lockfile's first line.
pub(super) fn place<'r>(
    report: &'r Report,
    server: &'r ServerReport,
    label: Option<&str>,
) -> (&'r std::path::Path, usize) {
    let line = label.map_or(server.line, |label| server.line_of(label));
    let config = server
        .origin
        .as_ref()
        .and_then(|o| Some((o.file.as_deref()?, o.line)));
    match (report.lockfile.as_deref(), line, config) {
        (Some(lockfile), Some(line), _) => (lockfile, line),
        (_, _, Some((config, line))) => (config, line.unwrap_or(1)),
        (Some(lockfile), None, None) => (lockfile, 1),
        (None, _, None) => (std::path::Path::new("mcp-lock.toml"), line.unwrap_or(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_relative_uri() {
        let uri = |path: &str| relative_uri(std::path::Path::new(path));
        assert_eq!(uri("./a b/mcp-lock.toml"), "a%20b/mcp-lock.toml");
        assert_eq!(uri("ü.toml"), "%C3%BC.toml");
    }
}
