//! The report as versioned JSON (`schemas/report.v1.schema.json`).
//!
//! Own types that convert from the internal ones, so that a change inside never changes what
//! scripts read. Fields are only ever added within a version; number text stays exact.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::compare::Basis;
use crate::error::{Error, ErrorKind, Result};
use crate::exit::Reason;
use crate::json::Value;
use crate::lock::Unsteady;
use crate::rules::{Finding, Level, fails};

use super::summary::{self, Counts};
use super::{Outcome, Report, ServerReport, sanitize, spot, value};

/// The version of the format; raised when a field changes its meaning or goes.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// Renders `report` as JSON.
pub(super) fn render(report: &Report) -> Result<String> {
    to_text(&Envelope::of(report)?)
}

/// Any serialisable format as pretty-printed JSON with every hidden code point escaped.
pub(super) fn to_text(value: &impl Serialize) -> Result<String> {
    let mut text = serde_json::to_string_pretty(value).map_err(|error| not_written(&error))?;
    text.push('\n');
    Ok(sanitize::json(&text))
}

fn not_written(error: &serde_json::Error) -> Error {
    Error::new(
        ErrorKind::File,
        format!("could not write the report as JSON: {error}"),
    )
}

#[derive(Serialize)]
struct Envelope {
    schema_version: u32,
    tool: Tool,
    command: &'static str,
    lockfile: Option<String>,
    fail_on: &'static str,
    exit: Exit,
    counts: CountsOut,
    servers: Vec<ServerOut>,
    errors: Vec<ErrorOut>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Exit {
    code: u8,
    reasons: Vec<ReasonOut>,
}

#[derive(Serialize)]
struct ReasonOut {
    code: u8,
    reason: &'static str,
    message: String,
}

#[derive(Serialize)]
struct CountsOut {
    servers: ServerCounts,
    items: usize,
    findings: FindingCounts,
}

#[derive(Serialize)]
struct ServerCounts {
    judged: usize,
    not_judged: usize,
    not_pinned: usize,
    not_configured: usize,
    disabled: usize,
}

#[derive(Serialize)]
struct FindingCounts {
    unfit: usize,
    breaking: usize,
    risky: usize,
    compatible: usize,
    equivalent: usize,
    advice: usize,
}

#[derive(Serialize)]
struct ServerOut {
    name: String,
    profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    projection: Option<String>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsteady: Option<UnsteadyOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorOut>,
    items: usize,
    unknown: Vec<String>,
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<ConfigOut>,
    findings: Vec<FindingOut>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct UnsteadyOut {
    volatile: Vec<VolatileOut>,
    open: Vec<OpenOut>,
}

#[derive(Serialize)]
struct VolatileOut {
    item: String,
    pointer: String,
    pattern: String,
}

#[derive(Serialize)]
struct OpenOut {
    item: String,
    pointer: String,
    why: String,
}

#[derive(Serialize)]
struct ConfigOut {
    file: String,
    line: Option<usize>,
}

#[derive(Serialize)]
struct FindingOut {
    rule: &'static str,
    level: &'static str,
    basis: &'static str,
    fails: bool,
    item: String,
    pointer: String,
    path: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<WitnessOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterpart: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    emission: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    fingerprint: String,
    line: Option<usize>,
}

#[derive(Serialize)]
struct WitnessOut {
    value: Box<RawValue>,
    reason: String,
}

#[derive(Serialize)]
struct ErrorOut {
    kind: &'static str,
    message: String,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    item: Option<String>,
    pointer: Option<String>,
    detail: Option<String>,
    help: Option<String>,
}

impl Envelope {
    fn of(report: &Report) -> Result<Self> {
        let counts = Counts::of(report);
        Ok(Envelope {
            schema_version: SCHEMA_VERSION,
            tool: Tool {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
            },
            command: report.command,
            lockfile: report
                .lockfile
                .as_ref()
                .map(|path| path.display().to_string()),
            fail_on: report.fail_on.word(),
            exit: Exit {
                code: report.reasons.code(),
                reasons: report
                    .reasons
                    .iter()
                    .map(|reason| ReasonOut {
                        code: reason.code(),
                        reason: reason_word(reason),
                        message: summary::because(report, reason),
                    })
                    .collect(),
            },
            counts: CountsOut::of(&counts),
            servers: report
                .servers
                .iter()
                .map(|server| ServerOut::of(report, server))
                .collect::<Result<_>>()?,
            errors: report.errors.iter().map(ErrorOut::of).collect(),
            notes: report.notes.clone(),
        })
    }
}

impl CountsOut {
    fn of(counts: &Counts) -> Self {
        CountsOut {
            servers: ServerCounts {
                judged: counts.judged,
                not_judged: counts.not_judged,
                not_pinned: counts.not_pinned,
                not_configured: counts.not_configured,
                disabled: counts.disabled,
            },
            items: counts.items,
            findings: FindingCounts {
                unfit: counts.level(Level::Unfit),
                breaking: counts.level(Level::Breaking),
                risky: counts.level(Level::Risky),
                compatible: counts.level(Level::Compatible),
                equivalent: counts.level(Level::Equivalent),
                advice: counts.level(Level::Advice),
            },
        }
    }
}

impl ServerOut {
    fn of(report: &Report, server: &ServerReport) -> Result<Self> {
        let (outcome, action, error) = match &server.outcome {
            Outcome::Judged => ("judged", None, None),
            Outcome::NotJudged(error) => ("not-judged", None, Some(ErrorOut::of(error))),
            Outcome::NotStarted => ("not-started", None, None),
            Outcome::NotPinned => ("not-pinned", None, None),
            Outcome::NotConfigured => ("not-configured", None, None),
            Outcome::Pinned(action) => ("pin", Some(action.word()), None),
            Outcome::Disabled => ("disabled", None, None),
        };
        Ok(ServerOut {
            name: server.name.clone(),
            profile: server.profile.clone(),
            projection: server.projection.clone(),
            outcome,
            action,
            unsteady: server.unsteady.as_ref().map(UnsteadyOut::of),
            error,
            items: server.items,
            unknown: server.unknown.clone(),
            line: server.line,
            config: server.origin.as_ref().and_then(|origin| {
                Some(ConfigOut {
                    file: origin.file.as_ref()?.display().to_string(),
                    line: origin.line,
                })
            }),
            findings: server
                .findings
                .iter()
                .map(|finding| FindingOut::of(report, server, finding))
                .collect::<Result<_>>()?,
            notes: server.doubts.iter().chain(&server.notes).cloned().collect(),
        })
    }
}

impl UnsteadyOut {
    fn of(found: &Unsteady) -> Self {
        UnsteadyOut {
            volatile: found
                .words
                .iter()
                .map(|rule| VolatileOut {
                    item: rule.item.clone(),
                    pointer: rule.pointer.clone(),
                    pattern: rule.pattern.clone(),
                })
                .collect(),
            open: found
                .open
                .iter()
                .map(|open| OpenOut {
                    item: open.item.clone(),
                    pointer: open.pointer.clone(),
                    why: open.why.to_string(),
                })
                .collect(),
        }
    }
}

impl FindingOut {
    fn of(report: &Report, server: &ServerReport, finding: &Finding) -> Result<Self> {
        Ok(FindingOut {
            rule: finding.rule,
            level: finding.level.word(),
            basis: basis_word(finding.basis),
            fails: finding.level == Level::Unfit || fails(finding, report.fail_on),
            item: finding.label.clone(),
            pointer: finding.pointer.as_str().to_owned(),
            path: spot::spot(&finding.pointer).words(),
            message: finding.message.clone(),
            old: finding.old.as_ref().map(raw).transpose()?,
            new: finding.new.as_ref().map(raw).transpose()?,
            counterpart: finding.counterpart.as_ref().map(|other| other.name.clone()),
            witness: match &finding.witness {
                Some(witness) => Some(WitnessOut {
                    value: raw(&witness.value)?,
                    reason: witness.reason.clone(),
                }),
                None => None,
            },
            emission: finding.emission,
            note: finding.note.clone(),
            fingerprint: finding.fingerprint.clone(),
            line: server.line_of(&finding.label),
        })
    }
}

impl ErrorOut {
    fn of(error: &Error) -> Self {
        let place = error.place();
        ErrorOut {
            kind: kind_word(error.kind()),
            message: error.message().to_owned(),
            file: place.file.as_ref().map(|file| file.display().to_string()),
            line: place.line,
            column: place.column,
            server: place.server.clone(),
            profile: place.profile.clone(),
            item: place.item.clone(),
            pointer: place.pointer.clone(),
            detail: error.detail_text().map(str::to_owned),
            help: error.help_text().map(str::to_owned),
        }
    }
}

fn raw(value: &Value) -> Result<Box<RawValue>> {
    RawValue::from_string(value::exact(value)).map_err(|error| not_written(&error))
}

fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::Usage => "usage",
        Reason::Drift => "drift",
        Reason::Unfit => "unfit",
        Reason::NotJudged => "not-judged",
    }
}

fn kind_word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Config => "config",
        ErrorKind::Lockfile => "lockfile",
        ErrorKind::File => "file",
        ErrorKind::Server => "server",
    }
}

pub(super) fn basis_word(basis: Basis) -> &'static str {
    match basis {
        Basis::Witness => "witness",
        Basis::Proof => "proof",
        Basis::Policy => "policy",
        Basis::Undecided => "undecided",
    }
}
