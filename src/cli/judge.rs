//! One server judged: its fitness, and its drift from what is pinned.

use std::collections::BTreeMap;

use crate::canonical::Digest;
use crate::catalog::{Catalog, Instructions, Kind};
use crate::compare::{self, Live, LiveText};
use crate::config::{Launch, Policy, Redactor, ServerName, ServerSettings, Target};
use crate::error::{Error, Result};
use crate::exit::Reason;
use crate::fitness::{self, Fault};
use crate::lock::{Entry, PinnedItem, Volatile, Words, pin_instructions, pin_item};
use crate::protocol::Revision;
use crate::report::{Outcome, ServerReport};
use crate::rules::{self, Adjustments, FailOn, Finding, Level, Rule};
use crate::schema::{Dialect, Formats};
use crate::text::{address, visible};

/// What tells servers apart: name and profile.
pub(crate) type Identity<'a> = (&'a ServerName, Option<&'a str>);

/// What decides: thresholds and the policy file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    /// The policy file.
    pub(crate) policy: &'a Policy,
    /// Its overrides and waivers.
    pub(crate) adjustments: &'a Adjustments,
    /// `--fail-on`
    pub(crate) fail_on: FailOn,
    /// `--strict`: advice fails.
    pub(crate) strict: bool,
}

/// The live side of one server, ready to be compared or pinned.
pub(crate) struct Side {
    /// The contracts of the items that are fit to be pinned.
    pub(crate) items: Vec<PinnedItem>,
    /// Labels of items without a contract.
    pub(crate) unfit: Vec<String>,
    /// The instructions.
    instructions: Text,
    /// Kinds of which nothing is known.
    unknown: Vec<Kind>,
    /// The volatile words in force.
    volatile: Vec<Volatile>,
    /// Remarks, e.g. volatile words that matched nothing.
    pub(crate) notes: Vec<String>,
    /// What may be missing from the catalog.
    pub(crate) doubts: Vec<String>,
}

enum Text {
    Unknown,
    Absent,
    Known { digest: Digest, text: String },
}

/// The label of the instructions.
const INSTRUCTIONS: &str = "instructions";

impl Side {
    /// The contracts of `catalog` with the volatile words replaced.
    pub(crate) fn of(catalog: &Catalog, words: &Words) -> Self {
        let mut side = Side {
            items: Vec::new(),
            unfit: Vec::new(),
            instructions: Text::Absent,
            unknown: catalog.unknown.clone(),
            volatile: words.list(),
            notes: catalog.remarks.clone(),
            doubts: catalog.doubts.clone(),
        };
        let mut used = vec![None; side.volatile.len()];
        let mut did = |replaced: Vec<(usize, crate::lock::Replaced)>| {
            for (position, replaced) in replaced {
                used[position] = Some(replaced);
            }
        };
        for item in &catalog.items {
            match pin_item(item, words) {
                Ok((pinned, replaced)) => {
                    did(replaced);
                    side.items.push(pinned);
                }
                Err(_) => side.unfit.push(item.label()),
            }
        }
        side.instructions = match &catalog.instructions {
            Instructions::Unknown => Text::Unknown,
            Instructions::Absent => Text::Absent,
            Instructions::Present(document) => match pin_instructions(document, words) {
                Ok((pinned, replaced)) => {
                    did(replaced);
                    let (digest, text) = (pinned.digest, pinned.text);
                    Text::Known { digest, text }
                }
                Err(_) => Text::Unknown,
            },
        };
        for (position, replaced) in used.into_iter().enumerate() {
            let remark = match replaced {
                None => Some("matched no item"),
                Some(replaced) => replaced.remark(),
            };
            if let Some(remark) = remark {
                side.notes
                    .push(format!("volatile {}: {remark}", words.describe(position)));
            }
        }
        side
    }

    /// This side as the newer one of a comparison.
    pub(crate) fn live<'a>(&'a self, catalog: &'a Catalog, launch: Option<&'a Launch>) -> Live<'a> {
        let stated = catalog.revision.is_some();
        Live {
            items: &self.items,
            unfit: &self.unfit,
            unknown: &self.unknown,
            instructions: match &self.instructions {
                Text::Unknown => LiveText::Unknown,
                Text::Absent => LiveText::Absent,
                Text::Known { text, .. } => LiveText::Text(text),
            },
            launch,
            protocol: catalog.revision,
            capabilities: stated.then_some(&*catalog.declared),
            volatile: launch.map(|_| &*self.volatile),
        }
    }
}

impl Side {
    /// The digest of what stands under `label`.
    fn contract(&self, label: &str) -> Option<Digest> {
        match &self.instructions {
            Text::Known { digest, .. } if label == INSTRUCTIONS => Some(*digest),
            _ => self
                .items
                .iter()
                .find(|item| item.label() == label)
                .map(|item| item.contract),
        }
    }

    /// The digests of what is unfit by findings that can be waived.
    fn waivable(&self, findings: &[Finding]) -> Vec<(String, Digest)> {
        let mut found: Vec<(String, Digest)> = Vec::new();
        for finding in findings {
            if rules::rule(finding.rule).is_some_and(Rule::is_waivable)
                && !found.iter().any(|(label, _)| *label == finding.label)
                && let Some(digest) = self.contract(&finding.label)
            {
                found.push((finding.label.clone(), digest));
            }
        }
        found
    }

    /// The names of its tools, without the values of `secrets`.
    pub(crate) fn tools(&self, secrets: Option<&Redactor>) -> Vec<String> {
        let tools = self.items.iter().filter(|item| item.kind == Kind::Tool);
        tools
            .map(|item| match secrets {
                Some(secrets) => secrets.mask(&item.key).into_owned(),
                None => item.key.clone(),
            })
            .collect()
    }

    /// The instructions, if any are known.
    pub(crate) fn instructions(&self) -> Option<&str> {
        match &self.instructions {
            Text::Known { text, .. } => Some(text),
            Text::Unknown | Text::Absent => None,
        }
    }

    /// This side as an entry that might have been pinned, for a comparison of two saved catalogs.
    pub(crate) fn as_entry(&self, name: &str, catalog: &Catalog) -> Result<Entry> {
        let name = ServerName::new(name).map_err(Error::usage)?;
        Ok(Entry {
            name,
            profile: None,
            launch: Launch {
                target: Target::Command(Vec::new()),
                cwd: None,
                env: Vec::new(),
                env_values: BTreeMap::new(),
            },
            protocol: catalog.revision.unwrap_or(Revision::NEWEST_LEGACY),
            capabilities: catalog.declared.clone(),
            implementation: catalog.implementation.clone(),
            instructions: match &catalog.instructions {
                Instructions::Present(document) => pin_instructions(document, &Words::default())
                    .ok()
                    .map(|(text, _)| text),
                _ => None,
            },
            volatile: Vec::new(),
            items: self.items.clone(),
            line: 0,
        })
    }
}

/// The threshold: the flag, else the policy, else the default.
pub(crate) fn fail_on(flag: Option<&str>, policy: &Policy) -> Result<FailOn> {
    let read = |text: &str| {
        FailOn::parse(text).ok_or_else(|| {
            format!(
                "`{}` is no level: use breaking, risky, compatible or never",
                visible(text)
            )
        })
    };
    match (flag, &policy.fail_on) {
        (Some(text), _) => {
            read(text).map_err(|message| Error::usage(format!("--fail-on: {message}")))
        }
        (None, Some(setting)) => setting.read(read),
        (None, None) => Ok(FailOn::default()),
    }
}

/// The drift of the launch alone.
pub(crate) fn launch_drift(entry: &Entry, launch: &Launch) -> Vec<Finding> {
    let mut live = Live::from(entry);
    live.launch = Some(launch);
    drift(entry, &live).0
}

/// The catalog without the kinds that the policy ignores.
pub(crate) fn without_ignored(mut catalog: Catalog, settings: &ServerSettings) -> Catalog {
    if settings.ignore_resources == Some(true) {
        catalog.items.retain(|item| item.kind != Kind::Resource);
        catalog.listed.retain(|kind| *kind != Kind::Resource);
    }
    catalog
}

/// The volatile words that the policy sets for one server.
pub(crate) fn volatile_words(settings: &ServerSettings) -> Result<Words> {
    let list: Vec<Volatile> = settings
        .volatile
        .iter()
        .map(|words| Volatile {
            item: words.item.clone(),
            pointer: words.pointer.clone(),
            pattern: words.pattern.text.clone(),
        })
        .collect();
    Words::compile(&list)
}

/// `default-dialect` of a server.
pub(crate) fn default_dialect(settings: &ServerSettings) -> Result<Option<Dialect>> {
    let setting = settings.default_dialect.as_ref().map(|setting| {
        setting.read(|text| Dialect::from_name(text).ok_or("no dialect of that name"))
    });
    setting.transpose()
}

/// The faults of a catalog, as findings.
pub(crate) fn fitness(
    server: Identity<'_>,
    catalog: &Catalog,
    settings: &ServerSettings,
    secrets: Option<&Redactor>,
) -> Result<Vec<Finding>> {
    let address = address(server.0.as_str(), server.1);
    let mut faults: Vec<Fault> = fitness::check_with(
        catalog,
        &fitness::Settings {
            default_dialect: default_dialect(settings)?,
            reserved_arguments: settings.reserved_arguments.clone(),
            formats: match settings.assert_format {
                Some(true) => Formats::Asserted,
                _ => Formats::Noted,
            },
        },
    );
    if let Some(secrets) = secrets {
        faults.extend(fitness::echoes(catalog, secrets));
    }
    Ok(faults
        .iter()
        .map(|fault| rules::judge_fault(&address, fault))
        .collect())
}

/// The drift of one server from its entry, as findings.
pub(crate) fn drift(entry: &Entry, live: &Live<'_>) -> (Vec<Finding>, usize) {
    let comparison = compare::compare(entry, live);
    let address = entry.address();
    let findings = comparison
        .drifts
        .iter()
        .flat_map(|drift| rules::judge(&address, drift))
        .collect();
    (findings, comparison.items)
}

/// A report on a server whose entry is `entry`, with the places of its items.
pub(crate) fn report_on(
    entry: Option<&Entry>,
    (name, profile): (&str, Option<&str>),
    outcome: Outcome,
) -> ServerReport {
    let mut report = ServerReport::new(name, outcome);
    report.profile = profile.map(str::to_owned);
    if let Some(entry) = entry {
        report.line = (entry.line > 0).then_some(entry.line);
        report.item_lines = entry
            .items
            .iter()
            .map(|item| (item.label(), item.line))
            .collect();
        if entry.launch.has_plain_credentials() {
            report.notes.push(
                "the lockfile's launch holds what looks like a credential in plain text: withdraw it, \
                 pass it by variable, and pin again"
                    .to_owned(),
            );
        }
    }
    report
}

/// Applies the policy file to the findings, sorts them, worst first, and masks what they quote of
/// the server's `secrets`.
pub(crate) fn settle(
    report: &mut ServerReport,
    server: Identity<'_>,
    side: &Side,
    secrets: Option<&Redactor>,
    terms: &Terms<'_>,
) {
    let contract = |label: &str| side.contract(label);
    terms
        .adjustments
        .relevel(&mut report.findings, (server.0.as_str(), server.1));
    let remarks = terms
        .adjustments
        .waive(&mut report.findings, server, contract);
    report.notes.extend(remarks);
    report.tools = Some(side.tools(secrets));
    report.waivable = side.waivable(&report.findings);
    rules::sort(&mut report.findings);
    if let Some(secrets) = secrets {
        report
            .findings
            .iter_mut()
            .for_each(|finding| rules::mask(finding, secrets));
        for note in report.notes.iter_mut().chain(&mut report.doubts) {
            *note = secrets.mask(note).into_owned();
        }
    }
}

/// The names of the kinds of which a catalog does not tell.
pub(crate) fn unknown_kinds(kinds: &[Kind]) -> Vec<String> {
    kinds
        .iter()
        .map(|kind| format!("{}s", kind.word().replace('_', " ")))
        .collect()
}

/// The reasons for a non-zero exit that findings give.
pub(crate) fn reasons(findings: &[Finding], terms: &Terms<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for finding in findings {
        if rules::fails(finding, terms.fail_on) {
            reasons.push(Reason::Drift);
        }
        match finding.level {
            Level::Unfit => reasons.push(Reason::Unfit),
            Level::Advice if terms.strict => reasons.push(Reason::Unfit),
            _ => {}
        }
    }
    reasons
}
