//! `mcplock verify` and `mcplock diff`: what is live, or saved, judged against what is pinned.

use std::process::ExitCode;

use crate::catalog::{Catalog, Instructions};
use crate::config::{Redactor, ServerSpec};
use crate::error::{Error, Result};
use crate::exit::Reason;
use crate::lock::Entry;
use crate::report::{Outcome, Report, ServerReport};
use crate::rules::FailOn;

use super::args::{AdHocArgs, DiffArgs, JudgeArgs, LimitArgs, ReportArgs, VerifyArgs};
use super::judge::{self, Side, Terms};
use super::live::{Leaving, Live, Request, fetch_all};
use super::output::Output;
use super::projections::{self, Gateways, NearSide, judge_far};
use super::saved;
use super::workspace::{Need, Subject, Workspace};
use super::{Shell, files, neighbours};

/// What `verify` and `diff` have in common.
struct Job<'a> {
    command: &'static str,
    servers: &'a [String],
    catalog: Option<&'a std::path::Path>,
    judge: &'a JudgeArgs,
    ad_hoc: &'a AdHocArgs,
    limits: &'a LimitArgs,
}

/// Runs `mcplock verify`.
pub(crate) async fn verify(shell: &Shell, args: &VerifyArgs) -> Result<ExitCode> {
    let job = Job {
        command: "verify",
        servers: &args.servers,
        catalog: args.catalog.as_deref(),
        judge: &args.judge,
        ad_hoc: &args.ad_hoc,
        limits: &args.limits,
    };
    run(shell, &job, &args.report).await
}

/// Runs `mcplock diff`.
pub(crate) async fn diff(shell: &Shell, args: &DiffArgs) -> Result<ExitCode> {
    let output = Output::new(&args.report, shell)?;
    if let Some(from) = &args.from {
        let (to, lockfile) = (args.to.as_deref(), shell.global.lockfile.as_deref());
        let report = files::compare(from, to, &args.servers, &args.judge, lockfile)
            .unwrap_or_else(|error| Report::failed("diff", error));
        return output.write(&shell.printer, &report);
    }
    let job = Job {
        command: "diff",
        servers: &args.servers,
        catalog: args.catalog.as_deref(),
        judge: &args.judge,
        ad_hoc: &args.ad_hoc,
        limits: &args.limits,
    };
    run(shell, &job, &args.report).await
}

async fn run(shell: &Shell, job: &Job<'_>, report_args: &ReportArgs) -> Result<ExitCode> {
    let output = Output::new(report_args, shell)?;
    let result = judged(shell, job).await;
    tell(shell, &output, job.command, result).await
}

/// Writes the report of a run, then waits for its servers to go: the verdict does not wait for
/// them.
pub(crate) async fn tell(
    shell: &Shell,
    output: &Output,
    command: &'static str,
    result: Result<(Report, Leaving), Vec<Error>>,
) -> Result<ExitCode> {
    let (report, leaving) =
        result.unwrap_or_else(|errors| (failed(command, errors), Leaving::default()));
    let code = output.write(&shell.printer, &report);
    leaving.finished().await;
    code
}

/// The report of a run that ended before any server was judged.
fn failed(command: &'static str, errors: Vec<Error>) -> Report {
    let mut report = Report::new(command);
    for error in errors {
        report.add_error(error);
    }
    report
}

async fn judged(shell: &Shell, job: &Job<'_>) -> Result<(Report, Leaving), Vec<Error>> {
    let one = |error: Error| vec![error];
    let workspace = Workspace::open(shell, job.ad_hoc, Need::Lockfile)?;
    let policy = &workspace.discovered.policy;
    let terms = Terms {
        policy,
        adjustments: &workspace.adjustments,
        fail_on: judge::fail_on(job.judge.fail_on.as_deref(), policy).map_err(one)?,
        strict: job.judge.strict,
    };
    let subjects = workspace.subjects(job.servers).map_err(one)?;
    let mut report = Report::new(job.command);
    report.lockfile = Some(workspace.lockfile_shown());
    report.fail_on = terms.fail_on;
    report.notes = workspace.discovered.notes.clone();
    let mut leaving = Leaving::default();

    if let Some(path) = job.catalog {
        let [subject] = subjects.as_slice() else {
            return Err(one(Error::usage("`--catalog` judges one server").help(
                "name the server that the catalog is of: `mcplock verify SERVER --catalog FILE`",
            )));
        };
        let catalog = saved::catalog(path).map_err(one)?;
        report.notes.push(format!(
            "judged offline, from the saved catalog {}",
            crate::text::visible(&path.display().to_string())
        ));
        let server = match subject.entry {
            Some(entry) => {
                let settings = policy.settings(&entry.name, entry.profile.as_deref());
                let catalog = judge::without_ignored(catalog, &settings);
                let near = NearSide {
                    name: &entry.name,
                    profile: entry.profile.as_deref(),
                    catalog: &catalog,
                    secrets: None,
                };
                let fars = projections::of(policy, entry.identity(), &Gateways::default());
                judge_far(&near, &fars, &mut report, &terms).map_err(one)?;
                against_pin(entry, None, &near, &terms).map_err(one)?
            }
            None => judge::report_on(None, subject.key(), Outcome::NotPinned),
        };
        report.servers.push(server);
    } else {
        for error in workspace.config_errors(job.servers) {
            add_config_error(&mut report, error);
        }
        let plan: Vec<Plan<'_>> = subjects
            .iter()
            .filter(|subject| !has_config_error(&report, subject))
            .map(|subject| Plan::of(*subject, job.judge.allow_launch_change))
            .collect();
        let requests: Vec<Request<'_>> = plan.iter().filter_map(Plan::request).collect();
        let (results, gone) = fetch_all(&requests, shell, job.limits, policy)
            .await
            .map_err(one)?;
        leaving = gone;
        let planned: Vec<_> = plan.iter().map(Plan::key).collect();
        let names = projections::gateways(policy, &planned);
        for error in projections::strangers(policy, job.servers, &subjects) {
            report.add_error(error);
        }
        let via = workspace.subjects_or_none(&names).map_err(one)?;
        let specs: Vec<&ServerSpec> = via.iter().filter_map(|subject| subject.spec).collect();
        let (gateways, gone) = Gateways::fetch(&specs, shell, job.limits, policy)
            .await
            .map_err(one)?;
        leaving = leaving.and(gone);
        let mut results = results.into_iter();
        for plan in &plan {
            let server = plan
                .judge(&mut results, &terms, &gateways, &mut report)
                .map_err(one)?;
            report.servers.push(server);
        }
    }
    sort(&mut report);
    neighbours::compare(&mut report, &neighbours::pinned(&workspace), &terms);
    conclude(&mut report, &terms);
    Ok((report, leaving))
}

/// What is to be done about one server.
enum Plan<'a> {
    /// Fetch and compare.
    Fetch {
        spec: &'a ServerSpec,
        entry: &'a Entry,
    },
    /// It is said without starting anything.
    Tell(Box<ServerReport>),
}

impl<'a> Plan<'a> {
    fn of(subject: Subject<'a>, allow_launch_change: bool) -> Self {
        let tell = |outcome| {
            let mut report = judge::report_on(subject.entry, subject.key(), outcome);
            report.origin = subject.spec.map(|spec| spec.origin.clone());
            Plan::Tell(Box::new(report))
        };
        match (subject.spec, subject.entry) {
            (Some(spec), _) if spec.disabled => tell(Outcome::Disabled),
            (_, None) => tell(Outcome::NotPinned),
            (None, Some(_)) => tell(Outcome::NotConfigured),
            (Some(spec), Some(entry)) => {
                if allow_launch_change || entry.launch.matches(&spec.launch) {
                    return Plan::Fetch { spec, entry };
                }
                let mut report = judge::report_on(Some(entry), subject.key(), Outcome::NotStarted);
                report.origin = Some(spec.origin.clone());
                report.findings = judge::launch_drift(entry, &spec.launch);
                Plan::Tell(Box::new(report))
            }
        }
    }

    fn key(&self) -> (&str, Option<&str>) {
        match self {
            Plan::Fetch { entry, .. } => key(entry),
            Plan::Tell(report) => (&report.name, report.profile.as_deref()),
        }
    }

    fn request(&self) -> Option<Request<'a>> {
        match self {
            Plan::Fetch { spec, entry } => Some(Request {
                spec,
                pinned: Some(entry.protocol),
                or_another: false,
                moved: None,
            }),
            Plan::Tell(_) => None,
        }
    }

    fn judge(
        &self,
        results: &mut impl Iterator<Item = Result<Live>>,
        terms: &Terms<'_>,
        gateways: &Gateways,
        whole: &mut Report,
    ) -> Result<ServerReport> {
        let (spec, entry) = match self {
            Plan::Tell(report) => return Ok((**report).clone()),
            Plan::Fetch { spec, entry } => (spec, entry),
        };
        let mut report = match results.next() {
            Some(Ok(live)) => {
                let secrets = Redactor::of_credentials(&live.launch.secrets);
                let settings = terms.policy.settings(&entry.name, entry.profile.as_deref());
                let catalog =
                    judge::without_ignored(Catalog::from_fetched(live.fetched), &settings);
                let near = NearSide {
                    name: &entry.name,
                    profile: entry.profile.as_deref(),
                    catalog: &catalog,
                    secrets: Some(&secrets),
                };
                let fars = projections::of(terms.policy, entry.identity(), gateways);
                judge_far(&near, &fars, whole, terms)?;
                against_pin(entry, Some(spec), &near, terms)?
            }
            Some(Err(error)) => {
                judge::report_on(Some(entry), key(entry), Outcome::NotJudged(error))
            }
            None => {
                return Err(Error::server("its result was lost").for_server(&entry.address()));
            }
        };
        report.origin = Some(spec.origin.clone());
        report.notes.extend(spec.notes.iter().cloned());
        Ok(report)
    }
}

/// Judges a catalog against a pin.
fn against_pin(
    entry: &Entry,
    spec: Option<&ServerSpec>,
    near: &NearSide<'_>,
    terms: &Terms<'_>,
) -> Result<ServerReport> {
    let (catalog, secrets) = (near.catalog, near.secrets);
    let settings = terms.policy.settings(&entry.name, entry.profile.as_deref());
    let words = judge::volatile_words(&settings)?;
    let side = Side::of(catalog, &words);
    let live = side.live(catalog, spec.map(|spec| &spec.launch));
    let mut report = judge::report_on(Some(entry), key(entry), Outcome::Judged);
    report.findings = judge::fitness(entry.identity(), catalog, &settings, secrets)?;
    let (drift, items) = judge::drift(entry, &live);
    report.findings.extend(drift);
    report.items = items;
    report.labels = entry
        .items
        .iter()
        .map(crate::lock::PinnedItem::label)
        .collect();
    report.unknown = judge::unknown_kinds(&catalog.unknown);
    if catalog.instructions == Instructions::Unknown && entry.instructions.is_some() {
        report.unknown.push("instructions".to_owned());
    }
    report.notes.extend(side.notes.iter().cloned());
    report.doubts.clone_from(&side.doubts);
    judge::settle(&mut report, entry.identity(), &side, secrets, terms);
    Ok(report)
}

fn has_config_error(report: &Report, subject: &Subject<'_>) -> bool {
    report.servers.iter().any(|server| {
        (server.name.as_str(), server.profile.as_deref()) == subject.key()
            && matches!(server.outcome, Outcome::NotJudged(_))
    })
}

/// Name and profile of an entry, as a report has them.
pub(crate) fn key(entry: &Entry) -> (&str, Option<&str>) {
    (entry.name.as_str(), entry.profile.as_deref())
}

/// Tells an error of a config where it belongs: with its server, if it names one.
pub(crate) fn add_config_error(report: &mut Report, error: &Error) {
    let place = error.place();
    match &place.server {
        Some(server) => report.servers.push(judge::report_on(
            None,
            (server, place.profile.as_deref()),
            Outcome::NotJudged(error.clone()),
        )),
        None => report.add_error(error.clone()),
    }
}

/// Sorts the servers, so that reports repeat.
pub(crate) fn sort(report: &mut Report) {
    report.servers.sort_by(|a, b| {
        let key = |server: &ServerReport| {
            (
                server.name.clone(),
                server.profile.clone(),
                server.projection.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
}

/// Derives the exit code.
pub(crate) fn conclude(report: &mut Report, terms: &Terms<'_>) {
    let mut compared = false;
    let mut reasons = Vec::new();
    for server in &report.servers {
        match &server.outcome {
            // Not compared: never clean, whatever a policy makes of the launch.
            Outcome::NotStarted => reasons.push(match terms.fail_on {
                FailOn::Never => Reason::NotJudged,
                _ => Reason::Drift,
            }),
            Outcome::Judged => {
                // A saved catalog that tells of nothing that is pinned has compared nothing.
                compared |= server.items > 0 || server.item_lines.is_empty();
                reasons.extend(judge::reasons(&server.findings, terms));
            }
            Outcome::NotJudged(error) => reasons.push(error.kind().reason()),
            Outcome::NotPinned | Outcome::NotConfigured if terms.fail_on != FailOn::Never => {
                reasons.push(Reason::Drift);
            }
            _ => {}
        }
    }
    for reason in reasons {
        report.add_reason(reason);
    }
    if !compared && report.reasons.iter().next().is_none() {
        report.add_error(
            Error::usage("no server was compared")
                .help("see `mcplock list` for what is configured and pinned"),
        );
    }
}
