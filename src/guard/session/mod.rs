//! One session between an agent and a server, as a machine: messages in, messages out.
//!
//! Touches no stream and no clock: the relay hands it what arrived and when, and takes away what is
//! to be sent. So the order of everything is decided in one place.

mod agent;
mod calls;
mod lists;
mod own;
mod pins;
mod server;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::catalog::Kind;
use crate::config::Redactor;
use crate::protocol::Revision;
use crate::transport::{Limits, Quoter};

use super::call::CallKind;
use super::decision::{Decision, Reason};
use super::gate::Gate;
use super::log::Log;
use super::refusal;
use super::served::Served;
use super::view::{Agent, View};
use lists::{Known, Listing};
use own::OwnIds;

/// Requests of an agent that may be open at once.
const MOST_OPEN: usize = 65_536;

/// How the guard behaves.
#[derive(Debug, Clone)]
pub(super) struct Behaviour {
    /// The name of the server.
    pub(super) server: String,
    /// Decide and log, but let everything through.
    pub(super) report_only: bool,
    /// How old a list may be; none to list before every call.
    pub(super) max_age: Option<Duration>,
    /// List again after a call, and withhold its result if the contract moved.
    pub(super) recheck_after: bool,
    /// Validate structured content.
    pub(super) check_results: bool,
    /// Bounds.
    pub(super) limits: Limits,
    /// Masks secrets in whatever is told.
    pub(super) secrets: Redactor,
    /// The same for text that is quoted.
    pub(super) quoter: Quoter,
}

/// A message for the server.
#[derive(Debug)]
pub(super) struct Outgo {
    /// Its bytes, with the line break.
    pub(super) bytes: Bytes,
    /// What a transport has to know of a request.
    pub(super) request: Option<Asked>,
    /// The revision that is spoken from this message on, where it is known.
    pub(super) revision: Option<Revision>,
    /// The handshake is over with it.
    pub(super) initialized: bool,
}

/// A request for the server.
#[derive(Debug)]
pub(super) struct Asked {
    /// Tells requests apart, whatever their ids look like.
    pub(super) token: u64,
    pub(super) method: String,
    /// What is called, for transports that say so in a header.
    pub(super) key: Option<String>,
}

/// A request of the agent that the server has and has not answered.
#[derive(Debug)]
struct Open {
    kind: OpenKind,
    /// The id as sent.
    id: String,
    token: u64,
    cancelled: bool,
}

#[derive(Debug)]
enum OpenKind {
    /// The handshake.
    Initialize,
    Discover,
    /// A list, from its first page or not.
    List {
        kind: Kind,
        first: bool,
    },
    Call(Box<Forwarded>),
    /// Notifications are to come for it; the id as sent.
    Listen,
    Other,
}

/// A call that went to the server, and what it was decided on.
#[derive(Debug, Clone)]
struct Forwarded {
    decision: Decision,
    call: OwnedCall,
}

/// A call that an agent wants to make.
#[derive(Debug, Clone)]
struct OwnedCall {
    kind: CallKind,
    key: String,
    /// The JSON of the arguments.
    arguments: Option<String>,
}

/// A message of the agent that waits for its turn.
#[derive(Debug)]
struct Held {
    line: Bytes,
    what: What,
    /// When it came, in events and in time.
    arrived: u64,
    at: Instant,
}

#[derive(Debug)]
enum What {
    /// Goes on as it is.
    Plain { initialized: bool },
    /// A request that the gate does not decide about.
    Request {
        id: String,
        key: String,
        method: String,
        kind: OpenKind,
    },
    /// One that it does.
    Call {
        id: String,
        key: String,
        method: String,
        call: OwnedCall,
    },
}

/// A result that waits for the list after the call.
#[derive(Debug)]
struct Kept {
    line: Bytes,
    id: String,
    forwarded: Box<Forwarded>,
    arrived: u64,
    at: Instant,
}

/// Who speaks first decides the era.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    Unknown,
    Handshake,
    Modern,
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    behaviour: Behaviour,
    /// The gate, or why there is none and nothing passes.
    gate: Result<Gate, Box<Decision>>,
    log: Log,
    /// Messages for the agent, each a whole line.
    pub(super) to_agent: VecDeque<Bytes>,
    /// Messages for the server.
    pub(super) to_server: VecDeque<Outgo>,
    era: Era,
    /// The handshake of the agent, once it was sent.
    handshake: Option<Bytes>,
    /// Whether the handshake is over, or there is none.
    ready: bool,
    /// The kinds that the server declares; none when that is not known.
    offered: Option<Vec<Kind>>,
    instructions: Option<Bytes>,
    /// The metadata that the agent's last request carried, in revisions without a handshake.
    meta: Option<String>,
    view: View,
    served: Served,
    known: BTreeMap<Kind, Known>,
    listings: BTreeMap<Kind, Listing>,
    open: HashMap<String, Open>,
    queue: VecDeque<Held>,
    queued_bytes: usize,
    kept: VecDeque<Kept>,
    kept_bytes: usize,
    ids: OwnIds,
    /// A handshake of our own with a server that lost its session: the id and the token.
    renewing: Option<(String, u64)>,
    /// Counts what arrives.
    clock: u64,
    tokens: u64,
}

impl Session {
    pub(super) fn new(behaviour: Behaviour, gate: Result<Gate, Box<Decision>>, log: Log) -> Self {
        Session {
            behaviour,
            gate,
            log,
            to_agent: VecDeque::new(),
            to_server: VecDeque::new(),
            era: Era::Unknown,
            handshake: None,
            ready: false,
            offered: None,
            instructions: None,
            meta: None,
            view: View::default(),
            served: Served::default(),
            known: BTreeMap::new(),
            listings: BTreeMap::new(),
            open: HashMap::new(),
            queue: VecDeque::new(),
            queued_bytes: 0,
            kept: VecDeque::new(),
            kept_bytes: 0,
            ids: OwnIds::new(),
            renewing: None,
            clock: 0,
            tokens: 0,
        }
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    fn token(&mut self) -> u64 {
        self.tokens += 1;
        self.tokens
    }

    fn tell(&mut self, line: impl Into<Bytes>) {
        self.to_agent.push_back(line.into());
    }

    /// Answers a request of the agent with a refusal, and logs it.
    fn refuse(&mut self, id: &str, event: &str, done: &str, decision: &Decision, added: Duration) {
        let decision = decision.clone().masked(&self.behaviour.secrets);
        self.log.decided(event, done, &decision, added);
        let reply = refusal::reply(id, &self.behaviour.server, &decision);
        self.tell(reply);
    }

    /// Bounds.
    pub(super) fn limits(&self) -> &Limits {
        &self.behaviour.limits
    }

    fn agent(&self) -> Agent {
        self.view.agent().clone()
    }

    /// Bytes that wait inside: those of calls that wait for a list, and of results that do.
    pub(super) fn held_bytes(&self) -> (usize, usize) {
        (self.queued_bytes, self.kept_bytes)
    }

    /// How many requests of the agent the server has not answered.
    pub(super) fn open_requests(&self) -> usize {
        let listening = |open: &&Open| !open.cancelled && !matches!(open.kind, OpenKind::Listen);
        self.open.values().filter(listening).count()
    }

    /// Whether a message of the agent still waits for its turn.
    pub(super) fn is_holding(&self) -> bool {
        !self.queue.is_empty() || !self.kept.is_empty()
    }

    /// Whether so much is open that no more should be read from the agent.
    pub(super) fn is_crowded(&self) -> bool {
        self.open.len() >= MOST_OPEN
    }

    /// The server takes no more: every request that waits for it is answered with an error.
    pub(super) fn server_ended(&mut self, why: &str) {
        let decision = |what: &str| {
            Decision::new(what, Reason::Server).says(
                format!("{why}; what it did of this is not known, and it was not sent again"),
                "start the session again",
            )
        };
        let mut open: Vec<Open> = self.open.drain().map(|(_, open)| open).collect();
        open.sort_by_key(|open| open.token);
        for open in open {
            let item = match &open.kind {
                OpenKind::Call(forwarded) => forwarded.decision.item.clone(),
                _ => "request".to_owned(),
            };
            if !open.cancelled {
                self.refuse(&open.id, "end", "refuse", &decision(&item), Duration::ZERO);
            }
        }
        for kept in std::mem::take(&mut self.kept) {
            let item = kept.forwarded.decision.item.clone();
            self.refuse(
                &kept.id,
                "end",
                "withhold",
                &decision(&item),
                Duration::ZERO,
            );
        }
        let unsent = |item: &str| {
            Decision::new(item, Reason::Server).says(
                format!("{why}; it did not get this request"),
                "start the session again",
            )
        };
        for held in std::mem::take(&mut self.queue) {
            match held.what {
                What::Plain { .. } => {}
                What::Request { id, .. } => {
                    self.refuse(&id, "end", "refuse", &unsent("request"), Duration::ZERO);
                }
                What::Call { id, call, .. } => {
                    let item = calls::label(&call);
                    self.refuse(&id, "end", "refuse", &unsent(&item), Duration::ZERO);
                }
            }
        }
        self.queued_bytes = 0;
        self.kept_bytes = 0;
    }
}
