//! Fetches everything that one server advertises.
//!
//! Requests go one after the other: not every server can cope with several at once, and the
//! replies are quick beside the start of a process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::sleep;

use super::jsonrpc::RpcError;
use super::legacy::{Opened, initialize, refused};
use super::members::members;
use super::method::list_params;
use super::paging::Pages;
use super::session::{Method, Session, Terms, Trouble};
use super::{Capability, Fetched, Kind, List, Revision};
use crate::config::{ResolvedLaunch, ResolvedTarget, ServerName};
use crate::error::{Error, Result};
use crate::transport::{Cancel, Channel, Limit, Limits, Patience, Quoter, Shutdown};

/// How long the closing `ping` may take: the lists are complete by then, and a server that does
/// not know `ping` shall not cost a whole time-out.
const PING: Duration = Duration::from_secs(5);

/// How a catalog is fetched.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// The bounds.
    pub limits: Limits,
    /// What is declared to the server; its catalog may depend on it.
    pub declared: BTreeSet<Capability>,
    /// The only revision that will do (`--protocol`, or the one that is pinned).
    pub protocol: Option<Revision>,
    /// The folder that is told when the server asks for roots; without one, the working folder
    /// of the server.
    pub root: Option<PathBuf>,
    /// Output that is no message is an error (`--strict-stdout`).
    pub strict_stdout: bool,
}

impl Default for FetchOptions {
    fn default() -> Self {
        FetchOptions {
            limits: Limits::default(),
            declared: Capability::all(),
            protocol: None,
            root: None,
            strict_stdout: false,
        }
    }
}

/// Starts a server, asks for everything that it advertises, and lets it go.
///
/// On success the server is still going away: await [`Shutdown::finished`] before the process
/// exits. On failure nothing of it is left. To be called inside a tokio runtime with I/O and time.
///
/// # Errors
///
/// [`crate::error::ErrorKind::Server`] for whatever the server did wrong or did not do in time,
/// with what it wrote to standard error in the detail.
pub async fn fetch(
    server: &ServerName,
    launch: &ResolvedLaunch,
    options: &FetchOptions,
    cancel: &Cancel,
) -> Result<(Fetched, Shutdown)> {
    let named = |error: Error| error.for_server(server.as_str());
    if options.protocol.is_some_and(Revision::is_modern) {
        return Err(named(Error::usage(
            "revisions without a handshake are not spoken over standard streams yet",
        )));
    }
    let channel = Channel::open(launch, &options.limits).map_err(named)?;
    let mut session = Session::new(
        channel,
        terms(launch, options),
        Quoter::new(&launch.secrets),
    );
    let outcome = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(session.called_off()),
        outcome = catalog(&mut session, options) => outcome,
        () = sleep(options.limits.total) => Err(session.overdue()),
    };
    match outcome {
        Ok(fetched) => Ok((fetched, session.close(Patience::DONE))),
        Err(error) => {
            let mut detail: Vec<String> =
                error.detail_text().map(str::to_owned).into_iter().collect();
            detail.extend(session.evidence().await);
            session.close(Patience::FAILED).finished().await;
            let error = if detail.is_empty() {
                error
            } else {
                error.detail(detail.join("\n"))
            };
            Err(named(error))
        }
    }
}

fn terms(launch: &ResolvedLaunch, options: &FetchOptions) -> Terms {
    let folder = match &launch.target {
        ResolvedTarget::Command { cwd, .. } => Some(cwd.clone()),
        ResolvedTarget::Url { .. } => None,
    };
    Terms {
        limits: options.limits,
        root: options
            .declared
            .contains(&Capability::Roots)
            .then(|| options.root.clone().or(folder))
            .flatten(),
        strict_stdout: options.strict_stdout,
    }
}

/// Opens the session and lists until nothing changes any more.
async fn catalog(session: &mut Session, options: &FetchOptions) -> Result<Fetched> {
    let opened = initialize(session, &options.declared, options.protocol).await?;
    let mut lists = BTreeMap::new();
    let mut remarks = Vec::new();
    let mut due = offered(&opened.capabilities)?;
    let mut rounds = 0;
    while !due.is_empty() {
        for kind in due {
            list(session, kind, &mut lists).await?;
        }
        due = changed(session, &lists);
        if due.is_empty() {
            remarks = barrier(session).await?;
            due = changed(session, &lists);
        }
        if !due.is_empty() {
            rounds += 1;
            if rounds > session.limits().relists {
                return Err(session.limits().met(
                    Limit::Relists,
                    "its lists never settle: it says again and again that they have changed",
                ));
            }
        }
    }
    Ok(fetched(session, opened, lists, remarks, &options.declared))
}

fn fetched(
    session: &Session,
    opened: Opened,
    lists: BTreeMap<Kind, Option<Listed>>,
    late: Vec<String>,
    declared: &BTreeSet<Capability>,
) -> Fetched {
    let mut remarks = session.remarks();
    remarks.extend(late);
    for (kind, list) in &lists {
        // No capability announces templates alone: a server without them says so in this way.
        if list.is_none() && *kind != Kind::ResourceTemplate {
            remarks.push(format!(
                "it declares `{}` and does not know `{}`: taken as not offered",
                kind.capability(),
                kind.method()
            ));
        }
    }
    Fetched {
        revision: opened.revision,
        declared: declared.iter().map(ToString::to_string).collect(),
        server_info: opened.server_info,
        capabilities: Some(opened.capabilities),
        instructions: opened.instructions,
        lists: lists
            .into_iter()
            .filter_map(|(kind, list)| {
                list.map(|list| List {
                    kind,
                    items: list.items,
                })
            })
            .collect(),
        remarks,
    }
}

/// One list and its size in bytes.
#[derive(Debug)]
struct Listed {
    items: Vec<Box<RawValue>>,
    bytes: usize,
}

/// The kinds that a server declares.
fn offered(capabilities: &RawValue) -> Result<Vec<Kind>> {
    let [tools, prompts, resources] = members(
        capabilities.get(),
        [
            Kind::Tool.capability(),
            Kind::Prompt.capability(),
            Kind::Resource.capability(),
        ],
    )
    .map_err(|_| super::paging::malformed("its `capabilities` hold a name twice".to_owned()))?;
    let declared =
        |raw: Option<&RawValue>| raw.is_some_and(|raw| !matches!(raw.get(), "null" | "false"));
    Ok(Kind::ALL
        .into_iter()
        .filter(|kind| match kind {
            Kind::Tool => declared(tools),
            Kind::Prompt => declared(prompts),
            Kind::Resource | Kind::ResourceTemplate => declared(resources),
        })
        .collect())
}

/// The kinds to be listed again: those that changed and are offered.
fn changed(session: &Session, lists: &BTreeMap<Kind, Option<Listed>>) -> Vec<Kind> {
    session
        .changed()
        .into_iter()
        .filter(|kind| matches!(lists.get(kind), Some(Some(_))))
        .collect()
}

/// Fetches all pages of one list, from the beginning; `None` when the server doesn't know it.
async fn list(
    session: &mut Session,
    kind: Kind,
    lists: &mut BTreeMap<Kind, Option<Listed>>,
) -> Result<()> {
    lists.remove(&kind);
    let others = lists.values().flatten().map(|list| list.bytes).sum();
    let method = Method::List(kind);
    let mut pages = Pages::new(kind);
    let mut cursor: Option<Box<RawValue>> = None;
    loop {
        let params = list_params(cursor.as_deref().map(RawValue::get));
        let reply = session
            .call(method, &params, Limit::Request)
            .await
            .map_err(|trouble| session.explain(method, trouble))?;
        let result = match reply {
            Ok(result) => result,
            Err(error) if cursor.is_none() && error.code == Some(RpcError::METHOD_NOT_FOUND) => {
                lists.insert(kind, None);
                return Ok(());
            }
            Err(error) => return Err(refused(session, method, &error)),
        };
        cursor = pages.take(&result, others, session.limits(), session.quoter())?;
        if cursor.is_none() {
            let bytes = pages.bytes();
            let items = pages.into_items();
            lists.insert(kind, Some(Listed { items, bytes }));
            return Ok(());
        }
    }
}

/// Waits until the server has said all that it had to say: a reply to `ping` comes after every
/// `list_changed` that it sent before. The lists are complete by now, so a server that does not
/// answer is told, not failed.
async fn barrier(session: &mut Session) -> Result<Vec<String>> {
    session.request(Method::Ping, "{}");
    let time = session.limits().request.min(PING);
    match session.reply(time, Limit::Request).await {
        Ok(_) => Ok(Vec::new()),
        Err(Trouble::Broken(error)) => Err(error),
        Err(Trouble::Late(_)) => Ok(vec![
            "it did not answer `ping`, so a change of its lists in these moments is not seen"
                .to_owned(),
        ]),
        Err(Trouble::Ended(end)) => Ok(vec![format!(
            "it ended by itself after its last list ({})",
            end.status.unwrap_or_else(|| "output closed".to_owned())
        )]),
    }
}
