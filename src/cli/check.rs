//! `mcplock check`: contracts judged on their own, without a lockfile.

use std::path::Path;
use std::process::ExitCode;

use crate::catalog::Catalog;
use crate::config::{Redactor, ServerName, ServerSpec};
use crate::error::{Error, Result};
use crate::report::{Outcome, Report, ServerReport};
use crate::rules::FailOn;

use super::Shell;
use super::args::CheckArgs;
use super::judge::{self, Side, Terms};
use super::live::{Leaving, Request, fetch_all};
use super::output::Output;
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
        report
            .servers
            .push(check(&name, None, catalog, None, &terms).map_err(one)?);
        neighbours::compare(&mut report, &[], &terms);
        conclude(&mut report, &terms);
        return Ok((report, Leaving::default()));
    }
    let subjects = workspace.subjects(&args.servers).map_err(one)?;
    report.notes = workspace.discovered.notes.clone();
    for error in workspace.config_errors(&args.servers) {
        add_config_error(&mut report, error);
    }
    let specs: Vec<_> = subjects.iter().filter_map(|subject| subject.spec).collect();
    let (off, specs): (Vec<_>, Vec<_>) = specs.into_iter().partition(|spec| spec.disabled);
    for spec in off {
        report
            .servers
            .push(judge::report_on(None, key(spec), Outcome::Disabled));
    }
    let requests: Vec<Request<'_>> = specs
        .iter()
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
    for (spec, result) in specs.iter().zip(results) {
        let mut server = match result {
            Ok(live) => {
                let secrets = Redactor::of_credentials(&live.launch.secrets);
                let catalog = Catalog::from_fetched(live.fetched);
                let profile = spec.profile.as_deref();
                check(&spec.name, profile, catalog, Some(&secrets), &terms).map_err(one)?
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

fn check(
    name: &ServerName,
    profile: Option<&str>,
    catalog: Catalog,
    secrets: Option<&Redactor>,
    terms: &Terms<'_>,
) -> Result<ServerReport> {
    let settings = terms.policy.settings(name, profile);
    let catalog = judge::without_ignored(catalog, &settings);
    let mut report = ServerReport::new(name.as_str(), Outcome::Judged);
    report.profile = profile.map(str::to_owned);
    report.findings = judge::fitness((name, profile), &catalog, &settings, secrets)?;
    let side = Side::of(&catalog, &judge::volatile_words(&settings)?);
    report.notes.clone_from(&side.notes);
    report.doubts.clone_from(&side.doubts);
    judge::settle(&mut report, (name, profile), &side, secrets, terms);
    report.items = catalog.items.len();
    report.labels = catalog
        .items
        .iter()
        .map(crate::catalog::Item::label)
        .collect();
    report.unknown = judge::unknown_kinds(&catalog.unknown);
    Ok(report)
}
