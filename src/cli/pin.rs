//! `mcplock pin`: what servers advertise, written into the lockfile.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use crate::catalog::{Catalog, Kind};
use crate::config::{Policy, REDACTED, Redactor, ServerSpec, Unversioned, unversioned};
use crate::error::{Error, Result};
use crate::exit::Reason;
use crate::lock::{self, Entry, Lockfile, build_entry};
use crate::report::{Outcome, PinAction, Report, ServerReport};
use crate::rules::{FailOn, Finding, Level};

use super::args::PinArgs;
use super::judge::{self, Side, Terms};
use super::live::{Leaving, Live, Request, fetch_all};
use super::output::Output;
use super::twice;
use super::verify::{add_config_error, sort, tell};
use super::workspace::{Need, Subject, Workspace};
use super::{Shell, neighbours};
use crate::text::nearest;

/// An item that `--item` names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wanted {
    kind: Kind,
    key: String,
}

impl Wanted {
    /// `tool:NAME` and the like.
    fn label(&self) -> String {
        format!("{}:{}", self.kind, self.key)
    }
}

/// The label of findings about the launch.
const LAUNCH: &str = "launch";

/// What a run would write.
#[derive(Default)]
struct Writes {
    entries: Vec<Entry>,
    pruned: Vec<Entry>,
}

impl Writes {
    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.pruned.is_empty()
    }

    fn apply(&self, lockfile: &mut Lockfile) {
        for entry in &self.pruned {
            lockfile.remove(&entry.name, entry.profile.as_deref());
        }
        for entry in &self.entries {
            lockfile.put(entry.clone());
        }
    }
}

/// Runs `mcplock pin`.
pub(crate) async fn run(shell: &Shell, args: &PinArgs) -> Result<ExitCode> {
    let output = Output::new(&args.report, shell)?;
    let result = pinned(shell, args).await;
    tell(shell, &output, "pin", result).await
}

async fn pinned(shell: &Shell, args: &PinArgs) -> Result<(Report, Leaving), Vec<Error>> {
    let one = |error: Error| vec![error];
    let wanted = args
        .item
        .iter()
        .map(|text| parse_item(text))
        .collect::<Result<Vec<_>>>();
    let wanted = wanted.map_err(one)?;
    let workspace = Workspace::open(shell, &args.ad_hoc, Need::Nothing)?;
    let policy = &workspace.discovered.policy;
    let terms = Terms {
        policy,
        adjustments: &workspace.adjustments,
        fail_on: FailOn::default(),
        strict: false,
    };
    let subjects = workspace.subjects(&args.servers).map_err(one)?;
    if !wanted.is_empty() && subjects.len() != 1 {
        return Err(one(Error::usage("`--item` narrows the pin of one server")
            .help("name the server: `mcplock pin SERVER --item KIND:NAME`")));
    }
    let mut report = Report::new("pin");
    report.lockfile = Some(workspace.lockfile_shown());
    report.notes = workspace.discovered.notes.clone();
    for error in workspace.config_errors(&args.servers) {
        add_config_error(&mut report, error);
    }

    let mut writes = Writes::default();
    let mut specs: Vec<(&ServerSpec, Option<&Entry>)> = Vec::new();
    if args.prune {
        may_prune(&subjects, &args.servers).map_err(one)?;
    }
    for subject in &subjects {
        match (subject.spec, subject.entry) {
            (_, Some(entry)) if args.prune && subject.is_stale() => {
                writes.pruned.push(entry.clone());
                let outcome = Outcome::Pinned(if args.consent.check {
                    PinAction::WouldWrite
                } else {
                    PinAction::Pruned
                });
                report
                    .servers
                    .push(judge::report_on(Some(entry), subject.key(), outcome));
            }
            (Some(spec), entry) if spec.disabled => {
                let server = judge::report_on(entry, subject.key(), Outcome::Disabled);
                report.servers.push(server);
            }
            (Some(spec), entry) => specs.push((spec, entry)),
            (None, Some(_)) => report.notes.push(format!(
                "`{0}` is pinned, but no config names it; `mcplock pin --prune` drops it",
                crate::text::visible(&subject.address())
            )),
            (None, None) => {}
        }
    }
    if specs.is_empty() && report.servers.is_empty() && report.reasons.iter().next().is_none() {
        return Err(one(Error::usage("there is no server to pin").help(
            "name one in `.mcp.json` or `mcplock.toml`, or here: `mcplock pin --name NAME -- CMD ARG…`",
        )));
    }

    let requests: Vec<Request<'_>> = specs
        .iter()
        .map(|(spec, entry)| Request {
            spec,
            pinned: entry.map(|entry| entry.protocol),
            or_another: true,
            moved: None,
        })
        .collect();
    let (results, mut leaving) = fetch_all(&requests, shell, &args.limits, policy)
        .await
        .map_err(one)?;
    let mut seconds = second_starts(&specs, &results, shell, args, policy)
        .await
        .map_err(one)?
        .into_iter();
    for ((spec, entry), result) in specs.iter().zip(results) {
        let server = match result {
            Ok(live) => {
                let candidate = Candidate {
                    spec,
                    entry: *entry,
                    wanted: &wanted,
                };
                let lives = (live, seconds.next());
                let (server, write) = candidate.judge(lives, shell, args, &terms).map_err(one)?;
                writes.entries.extend(write);
                server
            }
            Err(error) => judge::report_on(*entry, key(spec), Outcome::NotJudged(error)),
        };
        report.servers.push(ServerReport {
            origin: Some(spec.origin.clone()),
            ..server
        });
    }
    sort(&mut report);
    neighbours::compare(&mut report, &neighbours::pinned(&workspace), &terms);
    if !args.consent.yes && !args.consent.check {
        if asks(shell) {
            // No server waits for a person, or outlives an interrupt at the question.
            std::mem::take(&mut leaving).finished().await;
        }
        ask(shell, &mut report, &mut writes, &specs, &workspace);
    }
    if !writes.is_empty() && !args.consent.check {
        lock::update(&workspace.project.lockfile, |lockfile| {
            writes.apply(lockfile);
            Ok(())
        })
        .map_err(one)?;
    }
    conclude(&mut report);
    Ok((report, leaving))
}

/// With `--twice`, the second start of each server whose first one went well.
async fn second_starts(
    specs: &[(&ServerSpec, Option<&Entry>)],
    first: &[Result<Live>],
    shell: &Shell,
    args: &PinArgs,
    policy: &Policy,
) -> Result<Vec<Result<Live>>> {
    if !args.twice {
        return Ok(Vec::new());
    }
    let started: Vec<_> = specs
        .iter()
        .zip(first)
        .filter(|(_, result)| result.is_ok())
        .map(|(spec, _)| *spec)
        .collect();
    twice::second_starts(&started, shell, &args.limits, policy).await
}

/// Refuses a `--prune` that would not do what was probably meant.
fn may_prune(subjects: &[Subject<'_>], asked: &[String]) -> Result<()> {
    let configured = subjects.iter().find(|subject| !subject.is_stale());
    match configured {
        Some(subject) if !asked.is_empty() => Err(Error::usage(format!(
            "`--prune` drops servers that no config names, and `{}` is configured",
            crate::text::visible(&subject.address())
        ))
        .help("name servers that are only pinned, or none: then all of those are dropped")),
        None if asked.is_empty() && !subjects.is_empty() => Err(Error::usage(
            "no config names any server here, so `--prune` would drop them all",
        )
        .help("name those to drop: `mcplock pin SERVER --prune`")),
        _ => Ok(()),
    }
}

/// Name and profile of a server, as a report has them.
fn key(spec: &ServerSpec) -> (&str, Option<&str>) {
    (spec.name.as_str(), spec.profile.as_deref())
}

/// A server that was fetched, about to be pinned.
struct Candidate<'a> {
    spec: &'a ServerSpec,
    entry: Option<&'a Entry>,
    wanted: &'a [Wanted],
}

impl Candidate<'_> {
    /// Judges it and says what is to be written. A change that needs a yes is
    /// [`PinAction::Refused`] together with the entry that a yes would write.
    fn judge(
        &self,
        (live, second): (Live, Option<Result<Live>>),
        shell: &Shell,
        args: &PinArgs,
        terms: &Terms<'_>,
    ) -> Result<(ServerReport, Option<Entry>)> {
        let (spec, entry) = (self.spec, self.entry);
        let settings = terms.policy.settings(&spec.name, spec.profile.as_deref());
        let words = judge::volatile_words(&settings)?;
        let secrets = Redactor::of_credentials(&live.launch.secrets);
        let mut catalog = judge::without_ignored(Catalog::from_fetched(live.fetched), &settings);
        // Name and version are informational, so a secret in them is masked rather than refused.
        catalog.implementation = catalog
            .implementation
            .map(|text| secrets.mask(&text).into_owned());
        let side = Side::of(&catalog, &words);
        let mut report = judge::report_on(entry, key(spec), Outcome::Judged);
        report.narrowed = self.wanted.iter().map(Wanted::label).collect();
        report.items = catalog.items.len();
        report.notes.clone_from(&side.notes);
        report.doubts.clone_from(&side.doubts);
        report.notes.extend(spec.notes.iter().cloned());
        if let Some(launch) = unversioned(&spec.launch) {
            report
                .notes
                .push(without_version(&launch, catalog.implementation.as_deref()));
        }
        // What is about to be committed: told even where notes are not.
        for note in report.notes.iter().filter(|note| told_aloud(note)) {
            shell.printer.hint(&format!(
                "warning: {}: {note}",
                crate::text::visible(&spec.address())
            ));
        }
        let identity = (&spec.name, spec.profile.as_deref());
        report.findings = judge::fitness(identity, &catalog, &settings, Some(&secrets))?;
        if let Some(entry) = entry {
            let (drift, _) = judge::drift(entry, &side.live(&catalog, Some(&spec.launch)));
            report.findings.extend(drift);
        }
        judge::settle(&mut report, identity, &side, Some(&secrets), terms);
        let unfit = report
            .findings
            .iter()
            .any(|finding| finding.level == Level::Unfit);
        let built = build_entry(
            &spec.name,
            spec.profile.as_deref(),
            &spec.launch,
            &catalog,
            &words,
        );
        let (Ok(built), false) = (built, unfit) else {
            report.outcome = Outcome::Pinned(PinAction::Unfit);
            return Ok((report, None));
        };
        if let Some(second) = second {
            let second = match second {
                Ok(live) => twice::compared(&built.entry, live, &settings, &words),
                Err(error) => {
                    report.outcome = Outcome::NotJudged(error);
                    return Ok((report, None));
                }
            };
            report
                .notes
                .extend(twice::unchanged(spec).map(str::to_owned));
            if !second.is_empty() {
                report.findings.clear();
                report.unsteady = Some(second);
                report.outcome = Outcome::Pinned(PinAction::Unsteady);
                return Ok((report, None));
            }
        }
        let (action, write) = match entry {
            None => {
                if let Some(wanted) = self.wanted.first() {
                    return Err(Error::usage(format!(
                        "`--item {}` narrows a pin, and this server is not pinned yet",
                        crate::text::visible(&wanted.label())
                    ))
                    .for_server(&spec.address()));
                }
                (PinAction::Added, Some(built.entry))
            }
            Some(entry) => {
                let fresh = self.merged(entry, built.entry)?;
                let is_drift = |finding: &Finding| {
                    matches!(
                        finding.level,
                        Level::Breaking | Level::Risky | Level::Compatible
                    )
                };
                let all = report.findings.iter().filter(|f| is_drift(f)).count();
                report
                    .findings
                    .retain(|finding| self.concerns(&finding.label));
                let drifted = report.findings.iter().filter(|f| is_drift(f)).count();
                if all > drifted {
                    report.notes.push(format!(
                        "drift that `--item` left out: {}; `mcplock diff` shows it",
                        all - drifted
                    ));
                }
                // Items of another launch are another server's.
                let moved = !self.wanted.is_empty()
                    && report
                        .findings
                        .iter()
                        .any(|finding| finding.label == LAUNCH && is_drift(finding));
                // A revision that is no longer spoken would fail every `verify`, so it is replaced
                // even where all contracts are as they were.
                let other_revision = self.wanted.is_empty() && entry.protocol != fresh.protocol;
                if other_revision {
                    shell.printer.hint(&format!(
                        "{}: pinned in the revision {} of the protocol, answered in {}",
                        spec.name, entry.protocol, fresh.protocol
                    ));
                }
                // A word that nobody knew is passed by variable now: no drift, but worth writing.
                let known =
                    self.wanted.is_empty() && fresh.launch.redactions() < entry.launch.redactions();
                let same = entry.agrees_with(&fresh) && !moved;
                if known && drifted == 0 && args.consent.yes {
                    (PinAction::Updated, Some(fresh))
                } else if same || (drifted == 0 && !other_revision) {
                    (PinAction::Unchanged, None)
                } else if moved {
                    (PinAction::Refused, None)
                } else if args.consent.yes {
                    (PinAction::Updated, Some(fresh))
                } else {
                    (PinAction::Refused, Some(fresh))
                }
            }
        };
        let action = match action {
            PinAction::Unchanged => PinAction::Unchanged,
            _ if args.consent.check => PinAction::WouldWrite,
            action => action,
        };
        report.outcome = Outcome::Pinned(action);
        Ok((report, write))
    }

    /// Whether a finding on `label` is about what was asked for.
    fn concerns(&self, label: &str) -> bool {
        self.wanted.is_empty()
            || label == LAUNCH
            || self.wanted.iter().any(|wanted| label == wanted.label())
    }

    /// The entry to write: what is fresh, or with `--item` the old entry with those items alone
    /// replaced.
    fn merged(&self, old: &Entry, fresh: Entry) -> Result<Entry> {
        if self.wanted.is_empty() {
            return Ok(fresh);
        }
        let mut merged = old.clone();
        for wanted in self.wanted {
            let label = crate::text::visible(&wanted.label());
            match (
                fresh.item(wanted.kind, &wanted.key),
                old.item(wanted.kind, &wanted.key),
            ) {
                (Some(item), _) => merged.put(item.clone()),
                (None, Some(_)) => merged
                    .items
                    .retain(|item| (item.kind, &item.key) != (wanted.kind, &wanted.key)),
                (None, None) => {
                    let keys = fresh.items.iter().filter(|item| item.kind == wanted.kind);
                    let near = nearest(&wanted.key, keys.map(|item| item.key.as_str()));
                    let error =
                        Error::usage(format!("`--item {label}` is neither pinned nor listed"))
                            .for_server(&old.address());
                    return Err(match near {
                        Some(near) => {
                            error.help(format!("did you mean `{}`?", crate::text::visible(near)))
                        }
                        None => error,
                    });
                }
            }
        }
        Ok(merged)
    }
}

/// Whether a remark is worth a warning when an entry is written.
fn told_aloud(note: &str) -> bool {
    note.contains(REDACTED) || note.contains("names no exact version")
}

/// What is told of a launch that may start another version tomorrow.
fn without_version(launch: &Unversioned, implementation: Option<&str>) -> String {
    let answered = implementation.map_or_else(String::new, |version| {
        format!("; today `{}` answered", crate::text::visible(version))
    });
    format!(
        "`{} {}` names no exact version, so another one may start tomorrow{answered}; write e.g. `{}`",
        crate::text::visible(&launch.runner),
        crate::text::visible(&launch.package),
        crate::text::visible(&launch.example),
    )
}

fn parse_item(text: &str) -> Result<Wanted> {
    let wanted = text.split_once(':').and_then(|(kind, key)| {
        Some(Wanted {
            kind: Kind::from_word(kind)?,
            key: key.to_owned(),
        })
    });
    wanted.ok_or_else(|| {
        let kinds = Kind::ALL.map(Kind::word).join(", ");
        Error::usage(format!(
            "`--item {}` is not KIND:NAME",
            crate::text::visible(text)
        ))
        .help(format!("kinds: {kinds}; e.g. `--item tool:read_file`"))
    })
}

/// Whether there is a person to ask.
fn asks(shell: &Shell) -> bool {
    std::io::stdin().is_terminal() && shell.printer.is_terminal()
}

/// On a terminal, asks about each change that needs a yes; elsewhere it stays refused.
fn ask(
    shell: &Shell,
    report: &mut Report,
    writes: &mut Writes,
    specs: &[(&ServerSpec, Option<&Entry>)],
    workspace: &Workspace,
) {
    let interactive = asks(shell);
    for (spec, entry) in specs {
        let identity = (&spec.name, spec.profile.as_deref());
        if entry.is_none() {
            continue;
        }
        let Some(server) = report.servers.iter_mut().find(|server| {
            (server.name.as_str(), server.profile.as_deref()) == (identity.0.as_str(), identity.1)
                && matches!(server.outcome, Outcome::Pinned(PinAction::Refused))
        }) else {
            continue;
        };
        let accepted = interactive && {
            let mut shown = Report::new("pin");
            shown.lockfile = Some(workspace.lockfile_shown());
            shown.servers.push(ServerReport {
                outcome: Outcome::Judged,
                ..server.clone()
            });
            shell.show(&shown);
            shell.printer.error(&format!(
                "accept these changes of `{}`? [y/N] ",
                crate::text::visible(&spec.address())
            ));
            let mut answer = String::new();
            let _ = std::io::stdin().lock().read_line(&mut answer);
            matches!(answer.trim(), "y" | "Y" | "yes")
        };
        if accepted {
            server.outcome = Outcome::Pinned(PinAction::Updated);
            // They have just been read.
            server.findings.clear();
        } else {
            writes.entries.retain(|write| write.identity() != identity);
        }
    }
}

fn conclude(report: &mut Report) {
    let mut reasons = Vec::new();
    for server in &report.servers {
        match &server.outcome {
            Outcome::NotJudged(error) => reasons.push(error.kind().reason()),
            Outcome::Pinned(PinAction::Refused | PinAction::WouldWrite | PinAction::Unsteady) => {
                reasons.push(Reason::Drift);
            }
            Outcome::Pinned(PinAction::Unfit) => reasons.push(Reason::Unfit),
            _ => {}
        }
    }
    for reason in reasons {
        report.add_reason(reason);
    }
    let idle = report
        .servers
        .iter()
        .all(|server| matches!(server.outcome, Outcome::Disabled));
    if idle && report.reasons.iter().next().is_none() {
        report.add_error(
            Error::usage("no server was pinned: each one is switched off in its config")
                .help("`mcplock list` says where"),
        );
    }
}
