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
use super::legacy::{Opened, Unopened, initialize, other_revision, refused};
use super::members::members;
use super::method::list_params;
use super::modern::complete;
use super::negotiate::{Opening, open, takes_handshake};
use super::paging::Pages;
use super::session::{Method, Session, Terms, Trouble};
use super::{Capability, Fetched, Kind, List, Revision};
use crate::config::{ResolvedLaunch, ResolvedTarget, ServerName};
use crate::error::{Error, Result};
use crate::transport::{Cancel, Channel, Fault, Limit, Limits, Patience, Quoter, Shutdown};

/// How long the closing `ping` may take: the lists are complete by then, and a server that does
/// not know `ping` shall not cost a whole time-out.
const PING: Duration = Duration::from_secs(5);

/// Why a revision is the only one that will do, or the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolSource {
    /// It is pinned, and what is fetched is compared with the pin.
    Lockfile,
    /// It is pinned, and what is fetched becomes the new pin: another one will do where the server
    /// no longer speaks this.
    LockfileFirst,
    /// `--protocol` asks for it.
    Flag,
}

/// How a catalog is fetched.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// The bounds.
    pub limits: Limits,
    /// What is declared to the server; its catalog may depend on it.
    pub declared: BTreeSet<Capability>,
    /// The only revision that will do (`--protocol`, or the one that is pinned). Without one the
    /// newest that both sides speak is found out.
    pub protocol: Option<Revision>,
    /// Where [`FetchOptions::protocol`] comes from.
    pub protocol_source: ProtocolSource,
    /// The folder that is told when the server asks for roots; without one, the working folder
    /// of the server.
    pub root: Option<PathBuf>,
    /// Output that is no message is an error (`--strict-stdout`).
    pub strict_stdout: bool,
    /// Certificate authorities, in PEM form, that are trusted beside those of the system
    /// (`--ca-file`).
    pub ca_file: Option<PathBuf>,
}

impl Default for FetchOptions {
    fn default() -> Self {
        FetchOptions {
            limits: Limits::default(),
            declared: Capability::all(),
            protocol: None,
            protocol_source: ProtocolSource::Lockfile,
            root: None,
            strict_stdout: false,
            ca_file: None,
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
    let mut session = connect(launch, options, cancel).map_err(named)?;
    let outcome = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(session.called_off()),
        outcome = run(&mut session, launch, options, cancel) => outcome,
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

/// Starts the server, or gets ready to reach it.
fn connect(launch: &ResolvedLaunch, options: &FetchOptions, cancel: &Cancel) -> Result<Session> {
    let quoter = Quoter::new(&launch.secrets);
    let mut channel = Channel::open(
        &launch.target,
        &options.limits,
        options.ca_file.as_deref(),
        &quoter,
    )?;
    channel.watched_by(cancel);
    Ok(Session::new(channel, terms(launch, options), quoter))
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

/// Opens the session, in a second process when the first one ends on the probe, and lists.
async fn run(
    session: &mut Session,
    launch: &ResolvedLaunch,
    options: &FetchOptions,
    cancel: &Cancel,
) -> Result<Fetched> {
    let mut remarks = Vec::new();
    let opened = match opened(session, launch, options, cancel, &mut remarks).await {
        Ok(opened) => opened,
        Err(Unopened::OtherRevision(error))
            if options.protocol_source == ProtocolSource::LockfileFirst =>
        {
            remarks.push(error.message().to_owned());
            restart(session, launch, options, cancel).await?;
            let any = FetchOptions {
                protocol: None,
                ..options.clone()
            };
            opened(session, launch, &any, cancel, &mut remarks)
                .await
                .map_err(Unopened::into_error)?
        }
        Err(unopened) => return Err(unopened.into_error()),
    };
    match catalog(session, opened, remarks, options).await {
        // The session was lost on the way: one more is opened, and everything is asked anew.
        Err(_) if session.take_gone() => {
            let opened = initialize(session, options, options.protocol)
                .await
                .map_err(Unopened::into_error)?;
            let remark = "it lost the session, and another one was opened".to_owned();
            catalog(session, opened, vec![remark], options).await
        }
        outcome => outcome,
    }
}

/// Opens the session, in a second process when the first one ends on the probe or may have taken
/// two openings.
async fn opened(
    session: &mut Session,
    launch: &ResolvedLaunch,
    options: &FetchOptions,
    cancel: &Cancel,
    remarks: &mut Vec<String>,
) -> Result<Opened, Unopened> {
    let error = match open(session, options).await? {
        Opening::Open(opened) => return Ok(opened),
        Opening::AskedTwice(revision) => {
            remarks.push(format!(
                "it was slow to start and was asked for a handshake as well, so it was started \
                 again and asked in {revision} alone; with a revision pinned, or `--protocol`, that \
                 does not happen"
            ));
            restart(session, launch, options, cancel).await?;
            let alone = FetchOptions {
                protocol: Some(revision),
                ..options.clone()
            };
            return match open(session, &alone).await? {
                Opening::Open(opened) => Ok(opened),
                Opening::EndedOnProbe(error) => Err(error.into()),
                Opening::AskedTwice(_) => Err(session.overdue().into()),
            };
        }
        Opening::EndedOnProbe(error) => error,
    };
    restart(session, launch, options, cancel).await?;
    let opened = initialize(session, options, None).await;
    match options.protocol {
        None => {
            remarks.push(
                "it ended when it was asked which revisions it speaks, and was started again; with \
                 a revision pinned, or `--protocol`, it is not asked"
                    .to_owned(),
            );
            opened
        }
        Some(asked) => Err(match opened {
            Ok(opened) => other_revision(asked, options.protocol_source, &takes_handshake(&opened)),
            Err(_) => error.into(),
        }),
    }
}

/// Begins anew: with another process, where the server is one.
async fn restart(
    session: &mut Session,
    launch: &ResolvedLaunch,
    options: &FetchOptions,
    cancel: &Cancel,
) -> Result<()> {
    let again = connect(launch, options, cancel)?;
    let ended = std::mem::replace(session, again);
    ended.close(Patience::FAILED).finished().await;
    Ok(())
}

/// Lists until nothing changes any more. In revisions without a handshake one listing is all: what
/// they show does not depend on what came before.
async fn catalog(
    session: &mut Session,
    opened: Opened,
    remarks: Vec<String>,
    options: &FetchOptions,
) -> Result<Fetched> {
    let modern = opened.revision.is_modern();
    let mut lists = BTreeMap::new();
    let mut last = Barrier::Kept;
    let mut due = offered(&opened.capabilities)?;
    let mut rounds = 0;
    while !due.is_empty() {
        for kind in due {
            list(session, kind, modern, &mut lists).await?;
        }
        if modern {
            break;
        }
        due = changed(session, &lists);
        if due.is_empty() {
            last = barrier(session).await?;
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
    let mut fetched = fetched(session, opened, lists, remarks, &options.declared);
    match last {
        Barrier::Kept => {}
        Barrier::Unanswered => fetched.doubts.push(
            "it did not answer `ping`, so a change of its lists in these moments is not seen"
                .to_owned(),
        ),
        Barrier::Ended(status) => fetched
            .remarks
            .push(format!("it ended by itself after its last list ({status})")),
    }
    Ok(fetched)
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
    let mut doubts = Vec::new();
    for (kind, list) in &lists {
        // No capability announces templates alone: a server without them says so in this way.
        if list.is_none() && *kind != Kind::ResourceTemplate {
            doubts.push(format!(
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
        doubts,
    }
}

/// What came of the wait for the last word of a server.
#[derive(Debug)]
enum Barrier {
    /// It has had its say.
    Kept,
    /// Nothing came.
    Unanswered,
    /// It ended, in this way.
    Ended(String),
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
    modern: bool,
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
        if modern {
            complete(&result, method.name(), session.quoter())?;
        }
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
async fn barrier(session: &mut Session) -> Result<Barrier> {
    session.request(Method::Ping, "{}");
    let time = session.limits().request.min(PING);
    match session.reply(time, Limit::Request).await {
        // A refusal is as good as an answer: the server has had its say.
        Ok(_) | Err(Trouble::Refused(Fault::Refused(_), _)) => Ok(Barrier::Kept),
        Err(Trouble::Broken(error) | Trouble::Refused(_, error)) => Err(error),
        Err(Trouble::Late(_)) => Ok(Barrier::Unanswered),
        Err(Trouble::Ended(end)) => {
            let status = end.status.unwrap_or_else(|| "output closed".to_owned());
            Ok(Barrier::Ended(status))
        }
    }
}
