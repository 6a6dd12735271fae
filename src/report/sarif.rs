//! SARIF 2.1.0 (OASIS standard), as GitHub code scanning wants it.
//!
//! One run; every result has a location in the repository (the item's line in the lockfile), a
//! related one where the server is configured, and a fingerprint that does not depend on the line.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::Result;
use crate::exit::OK;
use crate::rules::Level;

use super::trouble::{self, Trouble};
use super::{Report, ServerReport, detail, json, sanitize, summary};

/// GitHub shows this many results of a run; the rest is told as a notification.
const MOST_RESULTS: usize = 5_000;
/// Columns of the text of a result.
const WIDTH: usize = 100;

/// Renders `report` as SARIF.
pub(super) fn render(report: &Report) -> Result<String> {
    json::to_text(&Log::of(report))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    automation_details: AutomationDetails,
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<ResultOut>,
}

#[derive(Serialize)]
struct AutomationDetails {
    id: String,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<RuleOut>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleOut {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    help: Help,
    default_configuration: Configuration,
    properties: RuleProperties,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RuleProperties {
    tags: Vec<&'static str>,
    /// What GitHub ranks security alerts by: 0.1 to 10, as CVSS has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    security_severity: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
    exit_code_description: String,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultOut {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: Fingerprints,
    properties: ResultProperties,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    /// The one that GitHub compares; it wants `HASH:COUNT`.
    primary_location_line_hash: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    #[serde(rename = "physicalLocation")]
    place: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
}

#[derive(Serialize)]
struct ResultProperties {
    server: String,
    item: Option<String>,
    pointer: Option<String>,
    level: &'static str,
    basis: Option<&'static str>,
}

impl Log {
    fn of(report: &Report) -> Self {
        let mut rules = Rules::default();
        let mut results = Vec::new();
        let mut notifications: Vec<Notification> = report
            .errors
            .iter()
            .map(|error| notification("error", &error.to_string()))
            .collect();
        for server in &report.servers {
            if let Some(trouble) = trouble::of(server) {
                results.push(of_server(report, server, &trouble, &mut rules));
            }
        }
        results.extend(of_findings(report, &mut rules));
        if let Some(more) = results
            .len()
            .checked_sub(MOST_RESULTS)
            .filter(|&more| more > 0)
        {
            results.truncate(MOST_RESULTS);
            notifications.push(notification(
                "warning",
                &format!("{more} more findings, none worse than these, were left out"),
            ));
        }
        let exit_code = report.reasons.code();
        Log {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [Run {
                tool: Tool {
                    driver: Driver {
                        name: env!("CARGO_PKG_NAME"),
                        semantic_version: env!("CARGO_PKG_VERSION"),
                        rules: rules.out,
                    },
                },
                automation_details: AutomationDetails {
                    id: format!("mcplock/{}/", report.command),
                },
                column_kind: "unicodeCodePoints",
                invocations: [Invocation {
                    // Drift and unfit contracts are results of a run that did succeed.
                    execution_successful: report.errors.is_empty()
                        && !report.reasons.has(crate::exit::Reason::NotJudged)
                        && !report.reasons.has(crate::exit::Reason::Usage),
                    exit_code,
                    exit_code_description: if exit_code == OK {
                        "nothing fails".to_owned()
                    } else {
                        sanitize::terminal(&summary::exit_sentence(report))
                    },
                    tool_execution_notifications: notifications,
                }],
                results,
            }],
        }
    }
}

fn notification(level: &'static str, text: &str) -> Notification {
    Notification {
        level,
        message: Message {
            text: sanitize::sarif_message(text),
        },
    }
}

/// The rules that results refer to, each once, in order of first use.
#[derive(Default)]
struct Rules {
    out: Vec<RuleOut>,
    index: HashMap<&'static str, usize>,
}

impl Rules {
    fn index(&mut self, id: &'static str, level: &'static str) -> usize {
        *self.index.entry(id).or_insert_with(|| {
            let (summary, text, markdown) = rule_words(id);
            self.out.push(RuleOut {
                id,
                short_description: Message {
                    text: sanitize::sarif_message(&summary),
                },
                full_description: Message {
                    text: sanitize::sarif_message(&summary),
                },
                help_uri: help_uri(env!("CARGO_PKG_REPOSITORY"), id),
                help: Help { text, markdown },
                default_configuration: Configuration { level },
                properties: properties(id),
            });
            self.out.len() - 1
        })
    }
}

/// Rules about what an attacker would do, with the severity that GitHub ranks them by: text that a
/// reader doesn't see and a secret that leaks above words that merely moved. Other rules are about
/// correctness and have none.
const SECURITY: [(&str, &str); 13] = [
    ("secret-echo", "9.1"),
    ("hidden-text", "8.8"),
    ("launch-changed", "8.1"),
    ("hint-more-dangerous", "8.1"),
    ("external-ref", "7.5"),
    ("look-alike-name", "7.5"),
    ("mixed-script", "7.0"),
    ("duplicate-item", "7.0"),
    ("duplicate-key", "7.0"),
    ("instructions-changed", "6.5"),
    ("item-added", "5.5"),
    ("words-changed", "5.0"),
    ("server-not-started", "8.1"),
];

fn properties(id: &str) -> RuleProperties {
    let severity = SECURITY.iter().find(|(rule, _)| *rule == id);
    let mut tags = vec!["mcp-contract"];
    tags.extend(severity.map(|_| "security"));
    RuleProperties {
        tags,
        security_severity: severity.map(|(_, severity)| *severity),
    }
}

/// Where a rule is documented: an absolute address, as SARIF wants it (section 3.49.12), and so
/// none for a build whose package names no repository.
fn help_uri(repository: &str, id: &str) -> Option<String> {
    let page = if crate::rules::rule(id).is_some() {
        format!("rules.md#{id}")
    } else {
        "exit-codes.md".to_owned()
    };
    let repository = repository.trim_end_matches('/');
    (!repository.is_empty()).then(|| format!("{repository}/blob/HEAD/docs/{page}"))
}

/// What a rule is about in one line, and its help as plain text and as Markdown.
fn rule_words(id: &str) -> (String, String, String) {
    if let Some(rule) = crate::rules::rule(id) {
        let markdown = format!(
            "{}\n\n**Level:** {}.\n\n**What to do:** {}\n\n`mcplock explain {id}` says the same; so \
             does `{}`.\n",
            rule.meaning,
            rule.levels(),
            rule.action,
            rule.anchor(),
        );
        let text = format!("{} {}", rule.meaning, rule.action);
        return (rule.summary.to_owned(), text, markdown);
    }
    let own = trouble::RULES.iter().find(|(rule, _)| *rule == id);
    let summary = own.map_or(id, |(_, text)| *text).to_owned();
    (summary.clone(), summary.clone(), format!("{summary}.\n"))
}

/// The SARIF level of a level.
fn level_word(level: Level) -> &'static str {
    match level {
        Level::Unfit | Level::Breaking => "error",
        Level::Risky => "warning",
        Level::Compatible | Level::Equivalent | Level::Advice => "note",
    }
}

fn of_server(
    report: &Report,
    server: &ServerReport,
    trouble: &Trouble,
    rules: &mut Rules,
) -> ResultOut {
    let mut text = format!("server {}: {}", server.title(), trouble.message);
    if let Some(help) = &trouble.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    ResultOut {
        rule_id: trouble.rule,
        rule_index: rules.index(trouble.rule, "error"),
        level: "error",
        message: Message {
            text: message(&text),
        },
        locations: [location(report, server, None)],
        related_locations: config_location(report, server),
        partial_fingerprints: Fingerprints {
            primary_location_line_hash: trouble::fingerprint(server, trouble.rule) + ":1",
        },
        properties: ResultProperties {
            server: server.title(),
            item: None,
            pointer: None,
            level: "breaking",
            basis: None,
        },
    }
}

fn of_findings(report: &Report, rules: &mut Rules) -> Vec<ResultOut> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    trouble::results(report)
        .into_iter()
        .take(MOST_RESULTS * 2)
        .map(|(server, finding)| {
            let count = seen.entry(&finding.fingerprint).or_default();
            *count += 1;
            let level = level_word(finding.level);
            let text = format!(
                "server {}, {}: {}",
                server.title(),
                finding.label,
                detail::plain(finding, WIDTH)
            );
            ResultOut {
                rule_id: finding.rule,
                rule_index: rules.index(finding.rule, level),
                level,
                message: Message {
                    text: message(&text),
                },
                locations: [location(report, server, Some(&finding.label))],
                related_locations: config_location(report, server),
                partial_fingerprints: Fingerprints {
                    primary_location_line_hash: format!("{}:{count}", finding.fingerprint),
                },
                properties: ResultProperties {
                    server: server.title(),
                    item: Some(finding.label.clone()),
                    pointer: Some(finding.pointer.as_str().to_owned()),
                    level: finding.level.word(),
                    basis: Some(json::basis_word(finding.basis)),
                },
            }
        })
        .collect()
}

/// A text of several lines, each made harmless.
fn message(text: &str) -> String {
    let lines: Vec<_> = text
        .trim_end()
        .split('\n')
        .map(sanitize::sarif_message)
        .collect();
    lines.join("\n")
}

fn location(report: &Report, server: &ServerReport, label: Option<&str>) -> Location {
    let (file, line) = trouble::place(report, server, label);
    let mut name = server.title();
    if let Some(label) = label {
        name.push('/');
        name.push_str(label);
    }
    Location {
        id: None,
        place: physical(file, line),
        logical_locations: vec![LogicalLocation {
            fully_qualified_name: sanitize::literal(&name),
        }],
        message: None,
    }
}

fn physical(file: &std::path::Path, line: usize) -> PhysicalLocation {
    PhysicalLocation {
        artifact_location: ArtifactLocation {
            uri: trouble::relative_uri(file),
            uri_base_id: "%SRCROOT%",
        },
        region: Region { start_line: line },
    }
}

/// Where the server is configured, when the result itself points elsewhere.
fn config_location(report: &Report, server: &ServerReport) -> Vec<Location> {
    let Some(origin) = &server.origin else {
        return Vec::new();
    };
    let Some(file) = &origin.file else {
        return Vec::new();
    };
    if report.lockfile.is_none() || server.line.is_none() {
        return Vec::new();
    }
    vec![Location {
        id: Some(1),
        place: physical(file, origin.line.unwrap_or(1)),
        logical_locations: Vec::new(),
        message: Some(Message {
            text: "configured here".to_owned(),
        }),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_with_a_severity_is_a_rule_and_the_severity_is_one_that_github_reads() {
        for (id, severity) in SECURITY {
            let own = trouble::RULES.iter().any(|(rule, _)| *rule == id);
            assert!(own || crate::rules::rule(id).is_some(), "{id}");
            let severity: f32 = severity.parse().unwrap();
            assert!((0.1..=10.0).contains(&severity), "{id}");
        }
        assert_eq!(properties("order-only").security_severity, None);
    }

    #[test]
    fn help_is_at_the_anchor_of_the_rule_where_the_package_names_a_repository() {
        assert_eq!(help_uri("", "item-gone"), None);
        assert_eq!(
            help_uri("https://example.com/a/mcplock/", "item-gone").as_deref(),
            Some("https://example.com/a/mcplock/blob/HEAD/docs/rules.md#item-gone")
        );
        assert_eq!(
            help_uri("https://example.com/a/mcplock", "server-not-judged").as_deref(),
            Some("https://example.com/a/mcplock/blob/HEAD/docs/exit-codes.md")
        );
    }
}
