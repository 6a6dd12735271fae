//! `mcplock check`: contracts judged on their own, without a lockfile, and against what arrives of
//! them on the far side of a client, gateway or provider conversion.

use std::path::Path;
use std::process::ExitCode;

use crate::catalog::Catalog;
use crate::config::{Redactor, ServerName, ServerSpec};
use crate::error::{Error, Result};
use crate::projection::{self, Provider};
use crate::report::{Outcome, Report, ServerReport};
use crate::rules::{self, FailOn};

use super::Shell;
use super::args::CheckArgs;
use super::judge::{self, Side, Terms};
use super::live::{Leaving, Request, fetch_all};
use super::output::Output;
use super::projections::{Far, MaybeFar, NearSide, judge_call, judge_far};
use super::verify::{add_config_error, conclude, sort, tell};
use super::workspace::{Need, Workspace};
use super::{neighbours, saved};

/// Runs `mcplock check`.
pub(crate) async fn run(shell: &Shell, args: &CheckArgs) -> Result<ExitCode> {
    let output = Output::new(&args.report, shell)?;
    let result = checked(shell, args).await;
    tell(shell, &output, "check", result).await
}

async fn checked(shell: &Shell, args: &CheckArgs) -> Result<(Report, Leaving), Vec<Error>> {
    let one = |error: Error| vec![error];
    let mut report = Report::new("check");
    report.accept = false;
    report.fail_on = FailOn::Never;
    let workspace = Workspace::open(shell, &args.ad_hoc, Need::Nothing)?;
    let policy = &workspace.discovered.policy;
    let terms = Terms {
        policy,
        adjustments: &workspace.adjustments,
        fail_on: FailOn::Never,
        strict: args.strict,
    };
    if let Some(path) = &args.catalog {
        let name = catalog_name(path, &args.servers).map_err(one)?;
        let catalog = saved::catalog(path).map_err(one)?;
        let catalog = judge::without_ignored(catalog, &policy.settings(&name, None));
        let near = NearSide {
            name: &name,
            profile: None,
            catalog: &catalog,
            secrets: None,
        };
        let server = check(&near, &args.provider, &terms).map_err(one)?;
        report.servers.push(server);
        judge_call(&near, args, &mut report, &terms).map_err(one)?;
        let fars = far_files(args)?;
        judge_far(&near, &fars, &mut report, &terms).map_err(one)?;
        neighbours::compare(&mut report, &[], &terms);
        conclude(&mut report, &terms);
        return Ok((report, Leaving::default()));
    }
    let subjects = workspace.subjects(&args.servers).map_err(one)?;
    report.notes = workspace.discovered.notes.clone();
    for error in workspace.config_errors(&args.servers) {
        add_config_error(&mut report, error);
    }
    let via = workspace.subjects_or_none(&args.via).map_err(one)?;
    let mut fars = far_files(args)?;
    let specs = subjects
        .iter()
        .filter_map(|subject| subject.spec)
        .filter(|spec| {
            !(args.servers.is_empty() && args.via.iter().any(|name| name == spec.name.as_str()))
        });
    let (off, specs): (Vec<_>, Vec<_>) = specs.partition(|spec| spec.disabled);
    for spec in off {
        report
            .servers
            .push(judge::report_on(None, key(spec), Outcome::Disabled));
    }
    let has_far_side = !fars.is_empty() || !args.via.is_empty() || args.call.is_some();
    if has_far_side && specs.len() != 1 {
        let servers = specs.len();
        return Err(one(Error::usage(format!(
            "a far side is compared with one server, and there are {servers}"
        ))
        .help("name the server: `mcplock check SERVER --projection FILE`")));
    }
    let gateways: Vec<_> = via.iter().filter_map(|subject| subject.spec).collect();
    let requests: Vec<Request<'_>> = specs
        .iter()
        .chain(&gateways)
        .map(|spec| Request {
            spec,
            pinned: None,
            or_another: false,
            moved: None,
        })
        .collect();
    let (results, leaving) = fetch_all(&requests, shell, &args.limits, policy)
        .await
        .map_err(one)?;
    let mut results = results.into_iter();
    let nears: Vec<_> = results.by_ref().take(specs.len()).collect();
    for (spec, result) in gateways.iter().zip(results) {
        let far =
            result.map(|live| Far::of(spec.name.as_str(), &Catalog::from_fetched(live.fetched)));
        fars.push(far.map_err(|error| (spec.name.as_str().to_owned(), error)));
    }
    for (spec, result) in specs.iter().zip(nears) {
        let mut server = match result {
            Ok(live) => {
                let secrets = Redactor::of_credentials(&live.launch.secrets);
                let settings = policy.settings(&spec.name, spec.profile.as_deref());
                let catalog =
                    judge::without_ignored(Catalog::from_fetched(live.fetched), &settings);
                let near = NearSide {
                    name: &spec.name,
                    profile: spec.profile.as_deref(),
                    catalog: &catalog,
                    secrets: Some(&secrets),
                };
                judge_far(&near, &fars, &mut report, &terms).map_err(one)?;
                judge_call(&near, args, &mut report, &terms).map_err(one)?;
                check(&near, &args.provider, &terms).map_err(one)?
            }
            Err(error) => judge::report_on(None, key(spec), Outcome::NotJudged(error)),
        };
        server.origin = Some(spec.origin.clone());
        report.servers.push(server);
    }
    sort(&mut report);
    neighbours::compare(&mut report, &neighbours::pinned(&workspace), &terms);
    conclude(&mut report, &terms);
    Ok((report, leaving))
}

/// What a saved catalog goes by: the server that was named, else its file.
fn catalog_name(path: &Path, servers: &[String]) -> Result<ServerName> {
    let name = match servers {
        [] => {
            let stem = path.file_stem();
            let stem = stem.map_or_else(|| "catalog".into(), |stem| stem.to_string_lossy());
            crate::text::visible(&stem)
        }
        [name] => name.clone(),
        _ => {
            return Err(Error::usage("`--catalog` checks the catalog of one server"));
        }
    };
    ServerName::new(&name).map_err(Error::usage)
}

/// Name and profile of a server, as a report has them.
fn key(spec: &ServerSpec) -> (&str, Option<&str>) {
    (spec.name.as_str(), spec.profile.as_deref())
}

/// The far sides that lie in files.
fn far_files(args: &CheckArgs) -> Result<Vec<MaybeFar>, Vec<Error>> {
    let tools = args.projection.iter().map(|path| Far::read(path));
    let gateways = args.via_catalog.iter().map(|path| Far::read_catalog(path));
    let (mut fars, mut errors) = (Vec::new(), Vec::new());
    for far in tools.chain(gateways) {
        match far {
            Ok(far) => fars.push(Ok(far)),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(fars)
    } else {
        Err(errors)
    }
}

fn check(near: &NearSide<'_>, providers: &[Provider], terms: &Terms<'_>) -> Result<ServerReport> {
    let (name, catalog) = (near.name, near.catalog);
    let settings = terms.policy.settings(name, near.profile);
    let mut report = ServerReport::new(name.as_str(), Outcome::Judged);
    report.profile = near.profile.map(str::to_owned);
    report.findings = judge::fitness((name, near.profile), catalog, &settings, near.secrets)?;
    let dialect = judge::default_dialect(&settings)?;
    let server = crate::text::address(name.as_str(), near.profile);
    for provider in providers {
        let losses = projection::lint(catalog, dialect, *provider);
        let judged = losses
            .iter()
            .map(|loss| rules::judge_loss(&server, provider.word(), loss));
        report.findings.extend(judged);
    }
    let side = Side::of(catalog, &judge::volatile_words(&settings)?);
    report.notes.clone_from(&side.notes);
    report.doubts.clone_from(&side.doubts);
    judge::settle(
        &mut report,
        (name, near.profile),
        &side,
        near.secrets,
        terms,
    );
    report.items = catalog.items.len();
    report.labels = catalog
        .items
        .iter()
        .map(crate::catalog::Item::label)
        .collect();
    report.unknown = judge::unknown_kinds(&catalog.unknown);
    Ok(report)
}
