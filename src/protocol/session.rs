//! A conversation with one server: requests of ours, the replies to them, and what comes unasked.
//!
//! Knows messages, not what a catalog is made of. Whatever a server sends, the work and the
//! memory that it causes are bounded.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::jsonrpc::{Bad, Line, Message, Outcome, RpcError, classify};
use super::{Kind, answers, method};
use crate::error::{Error, Result};
use crate::transport::{
    Channel, End, Limit, Limits, Patience, Quoter, Received, Shutdown, seconds,
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
    open: Vec<(u64, Method)>,
    /// Requests that have their reply, with a hash of what it said.
    closed: HashMap<u64, (Method, u64)>,
    hasher: RandomState,
    ready: VecDeque<Reply>,
    changed: BTreeSet<Kind>,
    unasked: usize,
    noise: Counted,
    stray: Counted,
    repeated: Counted,
    unversioned: Counted,
    batches: usize,
    declined: BTreeMap<String, usize>,
}

/// How often something odd was met, and the first of it.
#[derive(Debug, Default)]
struct Counted {
    count: usize,
    first: String,
}

impl Counted {
    fn add(&mut self, what: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = what();
        }
        self.count += 1;
    }
}

impl Session {
    pub(super) fn new(channel: Channel, terms: Terms, quoter: Quoter) -> Self {
        Session {
            channel,
            terms,
            quoter,
            started: Instant::now(),
            next_id: 1,
            open: Vec::new(),
            closed: HashMap::new(),
            hasher: RandomState::new(),
            ready: VecDeque::new(),
            changed: BTreeSet::new(),
            unasked: 0,
            noise: Counted::default(),
            stray: Counted::default(),
            repeated: Counted::default(),
            unversioned: Counted::default(),
            batches: 0,
            declined: BTreeMap::new(),
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
        self.reply(time, limit).await
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
        self.channel.send(method::request(id, method, params));
    }

    /// Ends the handshake.
    pub(super) fn initialized(&mut self) {
        self.channel.send(method::INITIALIZED.as_bytes().to_vec());
    }

    /// The next reply to any open request.
    pub(super) async fn reply(&mut self, time: Duration, limit: Limit) -> Result<Reply, Trouble> {
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
                Received::Line {
                    bytes,
                    number,
                    complete,
                } => self
                    .take(&bytes, number, complete)
                    .map_err(Trouble::Broken)?,
                Received::TooLong { number } => {
                    let said = format!("line {number} of its standard output is too long");
                    return Err(Trouble::Broken(self.limits().met(Limit::Message, &said)));
                }
                Received::Ended(end) => return Err(Trouble::Ended(end)),
            }
        }
    }

    /// The kinds whose lists the server said have changed since they were last asked for.
    pub(super) fn changed(&self) -> Vec<Kind> {
        self.changed.iter().copied().collect()
    }

    fn take(&mut self, bytes: &[u8], number: usize, complete: bool) -> Result<()> {
        match classify(bytes) {
            Line::Message(message) => self.message(message),
            Line::Batch(messages) => {
                self.batches += 1;
                messages
                    .into_iter()
                    .try_for_each(|message| self.message(message))
            }
            Line::Noise => {
                let quoter = &self.quoter;
                self.noise.add(|| quoter.line(bytes, QUOTED_LINE));
                if self.terms.strict_stdout {
                    return Err(Error::server(format!(
                        "line {number} of its standard output is no JSON-RPC message: `{}`",
                        self.noise.first
                    ))
                    .help("make it log to standard error, or drop `--strict-stdout`"));
                }
                self.unasked()
            }
            Line::Bad(_) if !complete => Err(Error::server(format!(
                "its output ended in the middle of a message (line {number})"
            ))
            .help("look for a crash in its logs")
            .detail(self.around(bytes, bytes.len()))),
            Line::Bad(Bad { why, offset }) => {
                let place = offset.map_or_else(String::new, |at| format!(" at byte {}", at + 1));
                let error = Error::server(format!(
                    "line {number} of its standard output is no valid message: {why}{place}"
                ))
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
                    *self.declined.entry(name).or_default() += 1;
                }
                self.channel.send(answers::answer(id, &method, root));
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
            // An error without an id can only mean the one request that is open.
            (None, Outcome::Error(_), [(id, _)]) => Some(*id),
            (None, ..) => None,
        };
        let raw = match outcome {
            Outcome::Result(raw) | Outcome::Error(raw) => raw,
        };
        let open = number.and_then(|number| self.open.iter().position(|(id, _)| *id == number));
        if let Some(at) = open {
            let (id, method) = self.open.remove(at);
            if !versioned {
                self.unversioned.add(|| method.name().to_owned());
            }
            self.closed
                .insert(id, (method, self.hasher.hash_one(raw.get())));
            self.ready.push_back(match outcome {
                Outcome::Result(result) => Ok(result.to_owned()),
                Outcome::Error(error) => Err(RpcError::read(error)),
            });
            return Ok(());
        }
        match number.and_then(|number| self.closed.get(&number)) {
            Some((method, hash)) if *hash == self.hasher.hash_one(raw.get()) => {
                self.repeated.add(|| method.name().to_owned());
            }
            Some((method, _)) => {
                return Err(Error::server(format!(
                    "it answered `{method}` twice, and differently"
                ))
                .help("report it to the author of the server: clients differ in which they take"));
            }
            None => {
                let quoter = &self.quoter;
                self.stray.add(|| match id {
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
            Trouble::Broken(error) => error,
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
                    None => format!("it closed its standard output after {after}"),
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
        let mut remarks = Vec::new();
        if self.noise.count > 0 {
            remarks.push(format!(
                "{} on its standard output {} no JSON-RPC and skipped; the first: `{}`",
                counted(self.noise.count, "line"),
                was(self.noise.count),
                self.noise.first
            ));
        }
        if self.stray.count > 0 {
            remarks.push(format!(
                "{} to requests that were never made {} ignored; the first with the id `{}`",
                counted(self.stray.count, "reply"),
                was(self.stray.count),
                self.stray.first
            ));
        }
        if self.repeated.count > 0 {
            remarks.push(format!(
                "{} came a second time, unchanged; the first to `{}`",
                counted(self.repeated.count, "reply"),
                self.repeated.first
            ));
        }
        if self.unversioned.count > 0 {
            remarks.push(format!(
                "{} without `\"jsonrpc\": \"2.0\"`; the first to `{}`",
                counted(self.unversioned.count, "reply"),
                self.unversioned.first
            ));
        }
        if self.batches > 0 {
            remarks.push(format!(
                "{} of messages, which only the revision 2025-03-26 knows",
                counted(self.batches, "batch")
            ));
        }
        for (method, count) in &self.declined {
            remarks.push(format!(
                "it asked for `{method}` ({}) and was declined",
                counted(*count, "time")
            ));
        }
        remarks
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

/// `1 line`, `2 lines`, `2 replies`, `2 batches`.
fn counted(count: usize, word: &str) -> String {
    match (count, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ if word.ends_with('h') => format!("{count} {word}es"),
        _ => format!("{count} {word}s"),
    }
}

fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}
