//! What arrives of a server's tools on far sides: files, gateways, and those that mcplock.toml names.

use std::collections::BTreeMap;
use std::path::Path;

use crate::catalog::Catalog;
use crate::config::{ConfiguredProjection, FarSide, Policy, Redactor, ServerName, ServerSpec};
use crate::error::{Error, Result};
use crate::projection::{self, Near, Projection};
use crate::report::{Outcome, Report, ServerReport};
use crate::rules;
use crate::text::{address, visible};

use super::Shell;
use super::args::{CheckArgs, LimitArgs};
use super::judge::{self, Side, Terms};
use super::live::{Leaving, Request, fetch_all};
use super::saved;
use super::workspace::Subject;

/// The server's side.
pub(crate) struct NearSide<'a> {
    /// Its name.
    pub(crate) name: &'a ServerName,
    /// Its profile, if any.
    pub(crate) profile: Option<&'a str>,
    /// What it advertises, without the kinds that are ignored.
    pub(crate) catalog: &'a Catalog,
    /// Its secrets, for what findings quote.
    pub(crate) secrets: Option<&'a Redactor>,
}

impl NearSide<'_> {
    /// Its name and, if it has one, its profile.
    fn address(&self) -> String {
        address(self.name.as_str(), self.profile)
    }
}

/// One far side.
#[derive(Clone)]
pub(crate) struct Far {
    /// The file or the gateway, for people.
    name: String,
    /// Its tools.
    tools: Projection,
}

impl Far {
    /// The tools in a file of any known format.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = saved::read(path)?;
        Ok(Far {
            name: shown(path),
            tools: projection::read(path, &bytes)?,
        })
    }

    /// The tools of a gateway's saved catalog.
    pub(crate) fn read_catalog(path: &Path) -> Result<Self> {
        let catalog = saved::catalog(path)?;
        Ok(Far {
            name: shown(path),
            tools: Projection::from(&catalog),
        })
    }

    /// The tools of a gateway.
    pub(crate) fn of(name: &str, catalog: &Catalog) -> Self {
        Far {
            name: visible(name),
            tools: Projection::from(catalog),
        }
    }
}

fn shown(path: &Path) -> String {
    visible(&path.display().to_string())
}

/// A far side, or its name and why nothing is known of it.
pub(crate) type MaybeFar = Result<Far, (String, Error)>;

/// Compares a server with each far side; each gets a report of its own.
pub(crate) fn judge_far(
    near: &NearSide<'_>,
    fars: &[MaybeFar],
    report: &mut Report,
    terms: &Terms<'_>,
) -> Result<()> {
    let mut compared = Vec::new();
    for far in fars {
        let mut server = match far {
            Ok(far) => one(near, far, terms)?,
            Err((name, error)) => {
                let mut server =
                    ServerReport::new(near.name.as_str(), Outcome::NotJudged(error.clone()));
                server.projection = Some(name.clone());
                server
            }
        };
        server.profile = near.profile.map(str::to_owned);
        compared.push(server);
    }
    report.servers.extend(compared);
    Ok(())
}

fn one(near: &NearSide<'_>, far: &Far, terms: &Terms<'_>) -> Result<ServerReport> {
    let settings = terms.policy.settings(near.name, near.profile);
    let compared = projection::compare(
        &Near {
            name: near.name.as_str(),
            catalog: near.catalog,
            default_dialect: judge::default_dialect(&settings)?,
        },
        &far.tools,
    );
    let mut report = ServerReport::new(near.name.as_str(), Outcome::Judged);
    report.projection = Some(far.name.clone());
    report.findings = compared
        .losses
        .iter()
        .map(|loss| rules::judge_loss(&near.address(), &far.name, loss))
        .collect();
    let side = format!("{} -> {}", near.address(), far.name);
    report.findings.extend(
        compared
            .faults
            .iter()
            .map(|fault| rules::judge_fault(&side, fault)),
    );
    report.items = compared.compared.len();
    report.labels = compared.compared;
    let shapes: Vec<&str> = far
        .tools
        .shapes()
        .iter()
        .map(|shape| shape.name())
        .collect();
    if !shapes.is_empty() {
        report.notes.push(format!("read as {}", shapes.join(", ")));
    }
    report.notes.extend(compared.notes);
    let words = judge::volatile_words(&settings)?;
    let mut without_pins = Side::of(near.catalog, &words);
    without_pins.notes.clear();
    judge::settle(
        &mut report,
        (near.name, near.profile),
        &without_pins,
        near.secrets,
        terms,
    );
    leave_to_the_server(&mut report);
    Ok(report)
}

/// Takes out what the report on the server itself says already: its tools, which are not those of
/// another server, and what can be waived.
fn leave_to_the_server(report: &mut ServerReport) {
    report.tools = None;
    report.waivable.clear();
}

/// Compares a captured call with the arguments that the server received, where both are given.
pub(crate) fn judge_call(
    near: &NearSide<'_>,
    args: &CheckArgs,
    report: &mut Report,
    terms: &Terms<'_>,
) -> Result<()> {
    let (Some(sent), Some(received)) = (&args.call, &args.received) else {
        return Ok(());
    };
    let call = projection::read_call(sent, &saved::read(sent)?)?;
    let arguments = projection::read_arguments(received, &saved::read(received)?)?;
    let Some(item) = projection::called(near.name.as_str(), near.catalog, &call.name) else {
        return Err(Error::usage(format!(
            "the call is for `{}`, and the server has no such tool",
            visible(&call.name)
        ))
        .in_file(sent));
    };
    let label = item.label();
    let schema = item.value().get("inputSchema");
    let losses = projection::compare_call(&label, &call.arguments, &arguments, schema);
    let mut server = ServerReport::new(near.name.as_str(), Outcome::Judged);
    server.profile = near.profile.map(str::to_owned);
    let far = shown(sent);
    server.findings = losses
        .iter()
        .map(|loss| rules::judge_loss(&near.address(), &far, loss))
        .collect();
    server.projection = Some(far);
    server.items = 1;
    server.labels = vec![label];
    let settings = terms.policy.settings(near.name, near.profile);
    let mut side = Side::of(near.catalog, &judge::volatile_words(&settings)?);
    side.notes.clear();
    judge::settle(
        &mut server,
        (near.name, near.profile),
        &side,
        near.secrets,
        terms,
    );
    leave_to_the_server(&mut server);
    report.servers.push(server);
    Ok(())
}

/// The catalogs of gateways that mcplock.toml names, by their names.
#[derive(Default)]
pub(crate) struct Gateways(BTreeMap<String, MaybeFar>);

impl Gateways {
    /// Fetches the catalogs of `specs`.
    pub(crate) async fn fetch(
        specs: &[&ServerSpec],
        shell: &Shell,
        limits: &LimitArgs,
        policy: &Policy,
    ) -> Result<(Self, Leaving)> {
        if specs.is_empty() {
            return Ok((Gateways::default(), Leaving::default()));
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
        let (results, leaving) = fetch_all(&requests, shell, limits, policy).await?;
        let fars = specs.iter().zip(results).map(|(spec, result)| {
            let name = spec.name.as_str();
            let far = match result {
                Ok(live) => Ok(Far::of(name, &Catalog::from_fetched(live.fetched))),
                Err(error) => Err((visible(name), error)),
            };
            (name.to_owned(), far)
        });
        Ok((Gateways(fars.collect()), leaving))
    }
}

/// The names of the gateways that the servers which are `judged` are compared through.
pub(crate) fn gateways(policy: &Policy, judged: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut names: Vec<String> = policy
        .projections
        .iter()
        .filter(|projection| {
            let is_judged = |server: &&(&str, Option<&str>)| is_of(projection, server.0, server.1);
            judged.iter().any(|server| is_judged(&server))
        })
        .filter_map(|projection| match &projection.far {
            FarSide::Via(via) => Some(via.text.clone()),
            FarSide::File(_) => None,
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Whether a projection is one of this server: it names the server, or the server with its profile.
fn is_of(projection: &ConfiguredProjection, name: &str, profile: Option<&str>) -> bool {
    let text = &projection.server.text;
    text == name || *text == address(name, profile)
}

/// The far sides that mcplock.toml names for a server. A gateway that was not fetched is told as one
/// that is not known.
pub(crate) fn of(
    policy: &Policy,
    server: (&ServerName, Option<&str>),
    gateways: &Gateways,
) -> Vec<MaybeFar> {
    let own = policy
        .projections
        .iter()
        .filter(|projection| is_of(projection, server.0.as_str(), server.1));
    own.map(|projection| match &projection.far {
        FarSide::File(path) => Far::read(path).map_err(|error| (shown(path), error)),
        FarSide::Via(via) => gateways.0.get(&via.text).cloned().unwrap_or_else(|| {
            let error = Error::server(format!(
                "the gateway `{}` was not fetched, so nothing is known of what it shows",
                visible(&via.text)
            ))
            .in_file(&via.file)
            .at_line(via.line, None);
            Err((visible(&via.text), error))
        }),
    })
    .collect()
}

/// An error for each projection of a server that nobody knows, where all servers are meant.
pub(crate) fn strangers(policy: &Policy, named: &[String], subjects: &[Subject<'_>]) -> Vec<Error> {
    let known = |projection: &ConfiguredProjection| {
        subjects.iter().any(|subject| {
            let (name, profile) = subject.key();
            is_of(projection, name, profile)
        })
    };
    policy
        .projections
        .iter()
        .filter(|projection| named.is_empty() && !known(projection))
        .map(|projection| {
            projection.server.error(format!(
                "`server` of [[projection]]: no server is called `{}`",
                visible(&projection.server.text)
            ))
        })
        .collect()
}
