//! `JUnit` XML: a suite per server, a case per item; what could not be judged is an error.
//!
//! Written by hand: the format is a few elements, and every text passes one function.

use std::fmt::Write as _;

use crate::rules::{Finding, Level, fails};

use super::trouble::{self, Trouble};
use super::{Outcome, Report, ServerReport, detail, sanitize};

/// Columns of the text of a failure.
const WIDTH: usize = 100;

/// Renders `report` as `JUnit` XML.
pub(super) fn render(report: &Report) -> String {
    let mut suites: Vec<Suite> = report
        .servers
        .iter()
        .map(|server| Suite::of(report, server))
        .collect();
    if !report.errors.is_empty() {
        suites.insert(0, Suite::of_errors(report));
    }
    let total = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string can't fail.
    let _ = writeln!(
        out,
        "<testsuites name=\"mcplock {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
        sanitize::xml(report.command, false),
        total(|suite| suite.cases.len()),
        total(|suite| suite.count(State::is_failure)),
        total(|suite| suite.count(State::is_error)),
    );
    for suite in &suites {
        suite.write(&mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

/// How a case came out.
enum State {
    Passed,
    Skipped(String),
    Failed { message: String, text: String },
    Error { message: String, text: String },
}

impl State {
    fn is_failure(&self) -> bool {
        matches!(self, State::Failed { .. })
    }

    fn is_error(&self) -> bool {
        matches!(self, State::Error { .. })
    }

    fn is_skipped(&self) -> bool {
        matches!(self, State::Skipped(_))
    }
}

struct Case {
    name: String,
    /// File and line.
    place: Option<String>,
    state: State,
    /// Findings that don't fail the run.
    remarks: String,
}

struct Suite {
    name: String,
    cases: Vec<Case>,
}

impl Suite {
    fn of_errors(report: &Report) -> Self {
        let cases = report.errors.iter().enumerate().map(|(i, error)| Case {
            name: format!("error {}", i + 1),
            place: None,
            state: State::Error {
                message: error.message().to_owned(),
                text: text_of(&error.to_string(), error.detail_text(), error.help_text()),
            },
            remarks: String::new(),
        });
        Suite {
            name: "mcplock".to_owned(),
            cases: cases.collect(),
        }
    }

    fn of(report: &Report, server: &ServerReport) -> Self {
        let place = |label: Option<&str>| {
            let (file, line) = trouble::place(report, server, label);
            Some(format!("{}:{line}", file.display()))
        };
        let mut cases = Vec::new();
        if let Some(trouble) = trouble::of(server) {
            cases.push(Case {
                name: "the server itself".to_owned(),
                place: place(None),
                state: state_of(&trouble, server),
                remarks: String::new(),
            });
        } else if matches!(server.outcome, Outcome::Disabled) {
            cases.push(Case {
                name: "the server itself".to_owned(),
                place: None,
                state: State::Skipped("switched off in its config".to_owned()),
                remarks: String::new(),
            });
        }
        if !server.doubts.is_empty() {
            cases.push(Case {
                name: "the whole catalog".to_owned(),
                place: place(None),
                state: State::Passed,
                remarks: server.doubts.join("\n"),
            });
        }
        for label in labels(server) {
            let (failing, remarks): (Vec<&Finding>, Vec<&Finding>) = server
                .findings
                .iter()
                .filter(|finding| finding.label == label)
                .partition(|finding| {
                    finding.level == Level::Unfit || fails(finding, report.fail_on)
                });
            cases.push(Case {
                name: label.to_owned(),
                place: place(Some(label)),
                state: match failing.first() {
                    None => State::Passed,
                    Some(first) => State::Failed {
                        message: first.message.clone(),
                        text: texts(&failing),
                    },
                },
                remarks: texts(&remarks),
            });
        }
        cases.extend(server.unknown.iter().map(|kind| Case {
            name: kind.clone(),
            place: None,
            state: State::Skipped("not judged: the source does not tell".to_owned()),
            remarks: String::new(),
        }));
        if cases.is_empty() {
            cases.push(Case {
                name: "the server itself".to_owned(),
                place: None,
                state: State::Passed,
                remarks: String::new(),
            });
        }
        Suite {
            name: server.title(),
            cases,
        }
    }

    fn count(&self, holds: fn(&State) -> bool) -> usize {
        self.cases.iter().filter(|case| holds(&case.state)).count()
    }

    fn write(&self, out: &mut String) {
        let name = attribute(&self.name);
        // Writing to a string can't fail.
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" \
             skipped=\"{}\">",
            self.cases.len(),
            self.count(State::is_failure),
            self.count(State::is_error),
            self.count(State::is_skipped),
        );
        for case in &self.cases {
            case.write(out, &name);
        }
        out.push_str("  </testsuite>\n");
    }
}

impl Case {
    /// A text and where it is about. No attribute: the published schemas have none for a place.
    fn placed(&self, text: &str) -> String {
        let text = text.trim_end();
        match &self.place {
            Some(place) => format!("{text}\n--> {place}\n"),
            None => format!("{text}\n"),
        }
    }

    fn write(&self, out: &mut String, suite: &str) {
        let _ = write!(
            out,
            "    <testcase classname=\"{suite}\" name=\"{}\"",
            attribute(&self.name)
        );
        out.push_str(">\n");
        match &self.state {
            State::Passed => {}
            State::Skipped(message) => {
                let _ = writeln!(out, "      <skipped message=\"{}\"/>", attribute(message));
            }
            State::Failed { message, text } => {
                element(out, "failure", message, &self.placed(text));
            }
            State::Error { message, text } => element(out, "error", message, &self.placed(text)),
        }
        if !self.remarks.is_empty() {
            let _ = writeln!(
                out,
                "      <system-out>{}</system-out>",
                sanitize::xml(&self.remarks, true)
            );
        }
        out.push_str("    </testcase>\n");
    }
}

fn element(out: &mut String, name: &str, message: &str, text: &str) {
    let _ = writeln!(
        out,
        "      <{name} message=\"{}\">{}</{name}>",
        attribute(message),
        sanitize::xml(text, true)
    );
}

fn attribute(text: &str) -> String {
    sanitize::xml(text, false)
}

/// Every item of a server once: those that were compared, then those that only findings name.
fn labels(server: &ServerReport) -> Vec<&str> {
    let mut labels: Vec<&str> = server.labels.iter().map(String::as_str).collect();
    let mut seen: std::collections::HashSet<&str> = labels.iter().copied().collect();
    for finding in &server.findings {
        if seen.insert(&finding.label) {
            labels.push(&finding.label);
        }
    }
    labels
}

fn state_of(trouble: &Trouble, server: &ServerReport) -> State {
    let message = trouble.message.clone();
    let text = text_of(&message, trouble.detail.as_deref(), trouble.help.as_deref());
    if matches!(server.outcome, Outcome::NotJudged(_) | Outcome::NotStarted) {
        State::Error { message, text }
    } else {
        State::Failed { message, text }
    }
}

fn text_of(message: &str, detail: Option<&str>, help: Option<&str>) -> String {
    let mut text = message.to_owned();
    for line in detail.unwrap_or_default().lines() {
        text.push_str("\n│ ");
        text.push_str(line);
    }
    if let Some(help) = help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    text
}

fn texts(findings: &[&Finding]) -> String {
    findings
        .iter()
        .map(|finding| detail::plain(finding, WIDTH))
        .collect()
}
