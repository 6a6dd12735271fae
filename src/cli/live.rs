//! Several servers fetched at once, their results in a stable order.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::config::{Policy, Redactor, ResolvedLaunch, ServerSettings, ServerSpec};
use crate::error::{Error, Result};
use crate::protocol::{FetchOptions, Fetched, ProtocolSource, Revision, fetch};
use crate::transport::{Limits, Shutdown, adopt_orphans};

use super::Shell;
use super::args::LimitArgs;

/// One server to fetch.
pub(crate) struct Request<'a> {
    /// The server.
    pub(crate) spec: &'a ServerSpec,
    /// The revision that its pin speaks.
    pub(crate) pinned: Option<Revision>,
    /// Another revision will do where the server no longer speaks that one.
    pub(crate) or_another: bool,
    /// How it is started, where that is not as its config says.
    pub(crate) moved: Option<Moved>,
}

/// A launch that was moved elsewhere.
pub(crate) struct Moved {
    /// The launch.
    pub(crate) launch: ResolvedLaunch,
    /// The folder that stands for the project's.
    pub(crate) folder: PathBuf,
}

/// What was fetched of a server, and how it was started.
pub(crate) struct Live {
    /// All that it advertised.
    pub(crate) fetched: Fetched,
    /// The launch with its secrets, for the search for an echo of one.
    pub(crate) launch: ResolvedLaunch,
}

/// Servers that are still going away; to be awaited before the program ends.
#[derive(Default)]
pub(crate) struct Leaving(Vec<Shutdown>);

impl Leaving {
    /// These and the others.
    pub(crate) fn and(mut self, others: Leaving) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Waits until every process is gone.
    pub(crate) async fn finished(self) {
        for shutdown in self.0 {
            shutdown.finished().await;
        }
    }
}

/// Fetches every server, at most `--jobs` at a time. Results are in the order of the requests.
///
/// An interrupt ends them all: each server that was not done becomes an error that says so.
pub(crate) async fn fetch_all(
    requests: &[Request<'_>],
    shell: &Shell,
    limits: &LimitArgs,
    policy: &Policy,
) -> Result<(Vec<Result<Live>>, Leaving)> {
    let (environment, printer) = (&shell.environment, &shell.printer);
    let cancel = shell.interrupt.cancel.clone();
    let options = fetch_options(limits, policy)?;
    let jobs = limits
        .jobs
        .or(to_usize(policy.limits.jobs))
        .unwrap_or(DEFAULT_JOBS);
    let slots = Arc::new(Semaphore::new(jobs.max(1)));
    adopt_orphans();
    let mut tasks = JoinSet::new();
    let mut results: Vec<Option<Result<Live>>> = Vec::new();
    for (index, request) in requests.iter().enumerate() {
        results.push(None);
        let name = request.spec.name.clone();
        let launch = match &request.moved {
            Some(moved) => Ok(moved.launch.clone()),
            None => request.spec.resolve(environment),
        };
        let launch = match launch {
            Ok(launch) => launch,
            Err(error) => {
                results[index] = Some(Err(request.spec.place(error)));
                continue;
            }
        };
        let (slots, cancel, mut options) = (slots.clone(), cancel.clone(), options.clone());
        options.protocol_source = match (options.protocol, request.or_another) {
            (Some(_), _) => ProtocolSource::Flag,
            (None, true) => ProtocolSource::LockfileFirst,
            (None, false) => ProtocolSource::Lockfile,
        };
        options.protocol = options.protocol.or(request.pinned);
        options.root = Some(match &request.moved {
            Some(moved) => moved.folder.clone(),
            None => request.spec.folder.clone(),
        });
        let settings = policy.settings(&name, request.spec.profile.as_deref());
        apply(&settings, limits, &mut options);
        tasks.spawn(async move {
            let _slot = slots.acquire_owned().await;
            let outcome = fetch(&name, &launch, &options, &cancel).await;
            (index, launch, outcome)
        });
    }
    let mut leaving = Leaving::default();
    shell.interrupt.fetching(true);
    while let Some(done) = tasks.join_next().await {
        let (index, launch, outcome) =
            done.map_err(|error| Error::server(format!("a fetch ended by itself: {error}")))?;
        let spec = requests[index].spec;
        let name = crate::text::visible(&spec.address());
        let secrets = Redactor::new(&launch.secrets);
        let outcome = outcome.map_err(|error| {
            error
                .for_profile(spec.profile.as_deref())
                .masked(|text| secrets.mask(text).into_owned())
        });
        results[index] = Some(outcome.map(|(fetched, shutdown)| {
            let items: usize = fetched.lists.iter().map(|list| list.items.len()).sum();
            let s = if items == 1 { "" } else { "s" };
            printer.progress(&format!("{name}: {items} item{s}"));
            leaving.0.push(shutdown);
            Live { fetched, launch }
        }));
    }
    shell.interrupt.fetching(false);
    Ok((results.into_iter().flatten().collect(), leaving))
}

/// Servers fetched at the same time, unless a flag or the policy says otherwise.
const DEFAULT_JOBS: usize = 8;

fn to_usize(value: Option<u64>) -> Option<usize> {
    value.and_then(|value| usize::try_from(value).ok())
}

/// The settings of one server, where no flag was given.
pub(crate) fn apply(settings: &ServerSettings, args: &LimitArgs, options: &mut FetchOptions) {
    options.strict_stdout |= settings.strict_stdout == Some(true);
    let limits = &mut options.limits;
    for (flag, setting, limit) in [
        (
            args.start_timeout,
            settings.start_timeout,
            &mut limits.start,
        ),
        (
            args.request_timeout,
            settings.request_timeout,
            &mut limits.request,
        ),
        (args.timeout, settings.timeout, &mut limits.total),
    ] {
        if let (None, Some(setting)) = (flag, setting) {
            *limit = setting;
        }
    }
}

/// The bounds and the revision that flags and policy set.
pub(crate) fn fetch_options(args: &LimitArgs, policy: &Policy) -> Result<FetchOptions> {
    let mut limits = Limits::default();
    let seconds = |flag: &str, value: Option<f64>, limit: &mut Duration| match value {
        None => Ok(()),
        Some(value) => match Duration::try_from_secs_f64(value) {
            Ok(duration) if !duration.is_zero() => {
                *limit = duration;
                Ok(())
            }
            _ => Err(Error::usage(format!(
                "`{flag} {value}` is no number of seconds above 0"
            ))),
        },
    };
    seconds("--start-timeout", args.start_timeout, &mut limits.start)?;
    seconds(
        "--request-timeout",
        args.request_timeout,
        &mut limits.request,
    )?;
    seconds("--timeout", args.timeout, &mut limits.total)?;
    let settings = &policy.limits;
    for (flag, setting, limit) in [
        (args.max_message, settings.max_message, &mut limits.message),
        (args.max_catalog, settings.max_catalog, &mut limits.catalog),
        (args.max_items, settings.max_items, &mut limits.items),
        (args.max_pages, settings.max_pages, &mut limits.pages),
        (args.max_unasked, settings.max_unasked, &mut limits.unasked),
        (args.max_relists, settings.max_relists, &mut limits.relists),
        (args.max_stderr, settings.max_stderr, &mut limits.stderr),
    ] {
        *limit = flag.or(to_usize(setting)).unwrap_or(*limit);
    }
    let protocol = args.protocol.as_deref().map(|text| {
        Revision::parse(text).ok_or_else(|| {
            let known = Revision::ALL.map(Revision::as_str).join(", ");
            Error::usage(format!(
                "`--protocol {}` is no revision that is known",
                crate::text::visible(text)
            ))
            .help(format!("revisions: {known}"))
        })
    });
    Ok(FetchOptions {
        limits,
        protocol: protocol.transpose()?,
        strict_stdout: args.strict_stdout,
        ca_file: args.ca_file.clone(),
        ..FetchOptions::default()
    })
}
