//! A conversation with one server: requests of ours, the replies to them, and what comes unasked.
//!
//! Knows messages, not what a catalog is made of. Whatever a server sends, the work and the
//! memory that it causes are bounded.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::jsonrpc::{Bad, Line, Message, Outcome, RpcError, classify};
use super::oddities::Oddities;
use super::{Capability, Kind, Revision, answers, method};
use crate::error::{Error, Result};
use crate::transport::{
    Announced, Channel, End, Failure, Fault, Limit, Limits, NoStream, Outgoing, Patience, Quoter,
    Received, Shutdown, Spot, seconds,
};

pub(super) use super::method::Method;

/// How many characters of a line, an id or a method a message quotes.
const QUOTED_LINE: usize = 160;
const QUOTED_NAME: usize = 60;
/// How many bytes before and after the place of a syntax error are shown.
const AROUND: usize = 40;

/// What a server is told about its client, and how strictly it is read.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) limits: Limits,
    /// The folder to tell as root; none when roots are not declared.
    pub(super) root: Option<PathBuf>,
    /// Output that is no message is an error.
    pub(super) strict_stdout: bool,
}

/// What the reply to one request says.
pub(super) type Reply = Result<Box<RawValue>, RpcError>;

/// Why there is no reply.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It did not come in time; the limit that was met.
    Late(Limit),
    /// The server ended.
    Ended(End),
    /// The server did not take the request, or its reply held no answer to it.
    Refused(Fault, Error),
    /// The server broke the protocol or a bound.
    Broken(Error),
}

/// An open conversation.
#[derive(Debug)]
pub(super) struct Session {
    channel: Channel,
    terms: Terms,
    quoter: Quoter,
    started: Instant,
    next_id: u64,
    /// The `_meta` of every request, in revisions without a handshake.
    meta: Option<String>,
    open: Vec<(u64, Method)>,
    /// Requests whose reply no longer matters.
    abandoned: HashSet<u64>,
    /// Requests that have their reply, with a hash of what it said.
    closed: HashMap<u64, (Method, u64)>,
    hasher: RandomState,
    ready: VecDeque<(Method, Reply)>,
    changed: BTreeSet<Kind>,
    unasked: usize,
    odd: Oddities,
    /// The server no longer knows the session.
    gone: bool,
}

impl Session {
    pub(super) fn new(channel: Channel, terms: Terms, quoter: Quoter) -> Self {
        Session {
            channel,
            terms,
            quoter,
            started: Instant::now(),
            next_id: 1,
            meta: None,
            open: Vec::new(),
            abandoned: HashSet::new(),
            closed: HashMap::new(),
            hasher: RandomState::new(),
            ready: VecDeque::new(),
            changed: BTreeSet::new(),
            unasked: 0,
            odd: Oddities::default(),
            gone: false,
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.terms.limits
    }

    pub(super) fn quoter(&self) -> &Quoter {
        &self.quoter
    }

    /// Asks and waits for the reply.
    pub(super) async fn call(
        &mut self,
        method: Method,
        params: &str,
        limit: Limit,
    ) -> Result<Reply, Trouble> {
        self.request(method, params);
        let time = match limit {
            Limit::Start => self.terms.limits.start,
            _ => self.terms.limits.request,
        };
        self.reply(time, limit).await.map(|(_, reply)| reply)
    }

    /// From now on every request says which revision it is in and what was declared, or nothing.
    pub(super) fn carry(&mut self, said: Option<(Revision, &BTreeSet<Capability>)>) {
        self.meta = said.map(|(revision, declared)| method::request_meta(revision, declared));
        self.channel.announce(match said {
            Some((revision, _)) => Announced::VersionAndMethod(revision.as_str()),
            None => Announced::Nothing,
        });
    }

    /// Whether the config asks for the old HTTP+SSE transport.
    pub(super) fn is_old(&self) -> bool {
        self.channel.is_old()
    }

    /// Whether a failure of `initialize` may be that of a server of the old HTTP+SSE transport.
    pub(super) fn may_be_old(&self, fault: Fault) -> bool {
        self.channel.may_be_old(fault)
    }

    /// Goes over to the old HTTP+SSE transport.
    pub(super) async fn connect_stream(&mut self) -> Result<(), NoStream> {
        self.channel.connect_stream().await
    }

    /// Whether the server has lost the session; then it is given up, and another can be opened.
    pub(super) fn take_gone(&mut self) -> bool {
        let gone = std::mem::take(&mut self.gone);
        if gone {
            self.abandon_open();
            self.ready.clear();
            self.channel.forget_session();
        }
        gone
    }

    /// Whether the server is a process: it may be slow to start, it may end, and it can be started
    /// again.
    pub(super) fn is_process(&self) -> bool {
        self.channel.is_process()
    }

    /// Gives up on every open request: its reply is ignored, whatever it says.
    pub(super) fn abandon_open(&mut self) {
        self.abandoned.extend(self.open.drain(..).map(|(id, _)| id));
    }

    /// Sends a request.
    pub(super) fn request(&mut self, method: Method, params: &str) {
        let id = self.next_id;
        self.next_id += 1;
        self.open.push((id, method));
        if let Method::List(kind) = method {
            // What the server said about its list before it is asked for it, it has in mind.
            if params == "{}" {
                self.changed.remove(&kind);
            }
        }
        let params = match &self.meta {
            Some(meta) => method::with_meta(params, meta),
            None => params.to_owned(),
        };
        let body = method::request(id, method, &params);
        self.channel
            .send(Outgoing::request(id, method.name(), body));
    }

    /// Ends the handshake.
    pub(super) fn initialized(&mut self, revision: Revision) {
        self.channel.announce(Announced::Version(revision.as_str()));
        let body = method::INITIALIZED.as_bytes().to_vec();
        self.channel.send(Outgoing::other(body));
        self.channel.listen();
    }

    /// The next reply to any open request, and which request that was.
    pub(super) async fn reply(
        &mut self,
        time: Duration,
        limit: Limit,
    ) -> Result<(Method, Reply), Trouble> {
        let deadline = Instant::now() + time;
        loop {
            if let Some(reply) = self.ready.pop_front() {
                return Ok(reply);
            }
            // A server that never stops talking would keep the timer from being looked at.
            if Instant::now() >= deadline {
                return Err(Trouble::Late(limit));
            }
            let Ok(received) = timeout_at(deadline, self.channel.receive()).await else {
                return Err(Trouble::Late(limit));
            };
            match received {
                Received::Text {
                    bytes,
                    spot,
                    complete,
                } => self.take(&bytes, spot, complete).map_err(Trouble::Broken)?,
                Received::TooLong { spot } => {
                    let said = format!("{spot} is too long");
                    return Err(Trouble::Broken(self.limits().met(Limit::Message, &said)));
                }
                Received::Failed(failure) => {
                    if let Some(trouble) = self.failed(failure) {
                        return Err(trouble);
                    }
                }
                Received::Drained { request, cut } => {
                    if let Some(at) = self.open.iter().position(|(id, _)| *id == request) {
                        // Revisions without a handshake know no such going on.
                        if let (Some(cut), None) = (cut, &self.meta) {
                            let (_, method) = self.open[at];
                            self.channel.resume(request, method.name(), cut);
                            continue;
                        }
                        let (_, method) = self.open.remove(at);
                        let error = Error::server(format!(
                            "its reply to `{method}` ended without an answer to it"
                        ))
                        .help("report it to the author of the server");
                        return Err(Trouble::Refused(Fault::Refused(200), error));
                    }
                    self.abandoned.remove(&request);
                }
                Received::Ended(end) => return Err(Trouble::Ended(end)),
            }
        }
    }

    /// What the failure of a message of ours means; nothing when it is of no consequence, or when
    /// it is a reply after all.
    fn failed(&mut self, failure: Failure) -> Option<Trouble> {
        let Some(id) = failure.request else {
            self.odd.unheard.add(|| failure.error.message().to_owned());
            return None;
        };
        if self.abandoned.remove(&id) {
            return None;
        }
        let at = self.open.iter().position(|(open, _)| *open == id)?;
        let (_, method) = self.open.remove(at);
        let said = match classify(failure.body.trim_ascii()) {
            Line::Message(Message::Reply {
                outcome: Outcome::Error(error),
                ..
            }) => Some(RpcError::read(error)),
            _ => None,
        };

        // What lies between -32000 and -32019 may mean anything.
        let telling = |error: &RpcError| error.code.is_some_and(|code| code < -32019);
        if let Fault::Refused(status) = failure.fault {
            let is_gone = matches!(status, 400 | 404) && self.channel.has_session();
            if is_gone && method != Method::Initialize && !said.as_ref().is_some_and(telling) {
                self.gone = true;
            } else if let Some(error) = said {
                // What it says is told; the old transport is tried by the status.
                if method == Method::Initialize && !telling(&error) {
                    let refused = super::legacy::refused(self, method, &error);
                    return Some(Trouble::Refused(failure.fault, refused));
                }
                self.ready.push_back((method, Err(error)));
                return None;
            }
        }
        Some(Trouble::Refused(failure.fault, failure.error))
    }

    /// The kinds whose lists the server said have changed since they were last asked for.
    pub(super) fn changed(&self) -> Vec<Kind> {
        self.changed.iter().copied().collect()
    }

    fn take(&mut self, bytes: &[u8], spot: Spot, complete: bool) -> Result<()> {
        match classify(bytes) {
            Line::Message(message) => self.message(message),
            Line::Batch(messages) => {
                self.odd.batches += 1;
                messages
                    .into_iter()
                    .try_for_each(|message| self.message(message))
            }
            Line::Noise => {
                let quoter = &self.quoter;
                self.odd.noise.add(|| quoter.line(bytes, QUOTED_LINE));
                if self.terms.strict_stdout {
                    return Err(Error::server(format!(
                        "{spot} is no JSON-RPC message: `{}`",
                        self.odd.noise.first
                    ))
                    .help("make it log to standard error, or drop `--strict-stdout`"));
                }
                self.unasked()
            }
            Line::Bad(_) if !complete => Err(Error::server(format!(
                "its output ended in the middle of a message ({spot})"
            ))
            .help("look for a crash in its logs")
            .detail(self.around(bytes, bytes.len()))),
            Line::Bad(Bad { why, offset }) => {
                let place = offset.map_or_else(String::new, |at| format!(" at byte {}", at + 1));
                let error = Error::server(format!("{spot} is no valid message: {why}{place}"))
                    .help("report it to the author of the server: no client can read this");
                Err(error.detail(self.around(bytes, offset.unwrap_or(0))))
            }
        }
    }

    /// The text around a place, fit to be shown.
    fn around(&self, bytes: &[u8], at: usize) -> String {
        // Masked as a whole line first: a window could cut a secret in two.
        let text = String::from_utf8_lossy(bytes);
        let masked = self.quoter.mask(&text);
        let at = if masked.len() == bytes.len() { at } else { 0 };
        let mut from = at.saturating_sub(AROUND);
        let mut to = (at + AROUND).min(masked.len());
        while !masked.is_char_boundary(from) {
            from -= 1;
        }
        while !masked.is_char_boundary(to) {
            to += 1;
        }
        let window = self.quoter.line(&masked.as_bytes()[from..to], 4 * AROUND);
        let before = if from > 0 { "…" } else { "" };
        let after = if to < masked.len() { "…" } else { "" };
        format!("near: {before}{window}{after}")
    }

    fn message(&mut self, message: Message<'_>) -> Result<()> {
        match message {
            Message::Request { id, method } => {
                let root = self.terms.root.as_deref();
                if !answers::grants(&method, root.is_some()) {
                    let name = self.quoter.line(method.as_bytes(), QUOTED_NAME);
                    *self.odd.declined.entry(name).or_default() += 1;
                }
                let answer = answers::answer(id, &method, root);
                self.channel.send(Outgoing::other(answer));
                self.unasked()
            }
            Message::Notification { method } => {
                match method.as_str() {
                    "notifications/tools/list_changed" => {
                        self.changed.insert(Kind::Tool);
                    }
                    "notifications/prompts/list_changed" => {
                        self.changed.insert(Kind::Prompt);
                    }
                    "notifications/resources/list_changed" => {
                        self.changed.insert(Kind::Resource);
                        self.changed.insert(Kind::ResourceTemplate);
                    }
                    _ => {}
                }
                self.unasked()
            }
            Message::Reply {
                id,
                outcome,
                versioned,
            } => self.replied(id, outcome, versioned),
        }
    }

    fn replied(
        &mut self,
        id: Option<&RawValue>,
        outcome: Outcome<'_>,
        versioned: bool,
    ) -> Result<()> {
        let number = match (id, outcome, self.open.as_slice()) {
            (Some(id), ..) => Message::number(id),
            // An error without an id means the one request that is open, or the first of two: the
            // probe that the other was sent behind.
            (None, Outcome::Error(_), [(id, _), ..]) => Some(*id),
            (None, ..) => None,
        };
        let raw = match outcome {
            Outcome::Result(raw) | Outcome::Error(raw) => raw,
        };
        let open = number.and_then(|number| self.open.iter().position(|(id, _)| *id == number));
        if let Some(at) = open {
            let (id, method) = self.open.remove(at);
            if !versioned {
                self.odd.unversioned.add(|| method.name().to_owned());
            }
            self.closed
                .insert(id, (method, self.hasher.hash_one(raw.get())));
            let reply = match outcome {
                Outcome::Result(result) => Ok(result.to_owned()),
                Outcome::Error(error) => Err(RpcError::read(error)),
            };
            self.ready.push_back((method, reply));
            return Ok(());
        }
        if number.is_some_and(|number| self.abandoned.remove(&number)) {
            return Ok(());
        }
        match number.and_then(|number| self.closed.get(&number)) {
            Some((method, hash)) if *hash == self.hasher.hash_one(raw.get()) => {
                self.odd.repeated.add(|| method.name().to_owned());
            }
            Some((method, _)) => {
                return Err(Error::server(format!(
                    "it answered `{method}` twice, and differently"
                ))
                .help("report it to the author of the server: clients differ in which they take"));
            }
            None => {
                let quoter = &self.quoter;
                self.odd.stray.add(|| match id {
                    Some(id) => quoter.line(id.get().as_bytes(), QUOTED_NAME),
                    None => "null".to_owned(),
                });
            }
        }
        self.unasked()
    }

    /// Counts one more message that answers nothing.
    fn unasked(&mut self) -> Result<()> {
        self.unasked += 1;
        if self.unasked > self.terms.limits.unasked {
            return Err(self.terms.limits.met(
                Limit::Unasked,
                "it sends too many messages that answer nothing",
            ));
        }
        Ok(())
    }

    /// The error of a request without a reply.
    pub(super) fn explain(&self, method: Method, trouble: Trouble) -> Error {
        match trouble {
            Trouble::Broken(error) | Trouble::Refused(_, error) => error,
            Trouble::Late(limit) => self
                .limits()
                .met(limit, &format!("it did not answer `{method}` in time")),
            Trouble::Ended(end) => {
                let after = seconds(self.started.elapsed());
                let held = if end.pipe_held {
                    ", while a process that it started holds its output open"
                } else {
                    ""
                };
                let what = match end.status {
                    Some(status) => format!("it ended with {status} after {after}{held}"),
                    None if self.is_process() => {
                        format!("it closed its standard output after {after}")
                    }
                    None => format!("it closed its stream after {after}"),
                };
                Error::server(format!("{what}, before it answered `{method}`"))
                    .help("start it by hand with the same command and look at what it says")
            }
        }
    }

    /// The error of a run that took too long as a whole.
    pub(super) fn overdue(&self) -> Error {
        let what = match self.open.first() {
            Some((_, method)) => format!("it did not finish in time: `{method}` was open"),
            None => "it did not finish in time".to_owned(),
        };
        self.limits().met(Limit::Total, &what)
    }

    /// The error of a run that was called off.
    pub(super) fn called_off(&self) -> Error {
        Error::server(match self.open.first() {
            Some((_, method)) => format!("called off while `{method}` was open"),
            None => "called off".to_owned(),
        })
    }

    /// Everything odd that is no error, as sentences.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.odd.remarks(self.is_process())
    }

    /// Lines that belong below an error.
    pub(super) async fn evidence(&mut self) -> Vec<String> {
        let mut evidence = self.remarks();
        evidence.extend(self.channel.evidence(&self.quoter).await);
        evidence
    }

    /// Ends the conversation; the server goes in the background.
    pub(super) fn close(self, patience: Patience) -> Shutdown {
        self.channel.close(patience)
    }
}
