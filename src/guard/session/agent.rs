//! What the agent says.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::catalog::Kind;
use crate::json;
use crate::protocol::Revision;

use super::super::decision::{Decision, Reason};
use super::super::message::{self, Fields, Said};
use super::super::refusal;
use super::super::scan::id_key;
use super::super::view::{Agent, View};
use super::{Era, Held, OpenKind, OwnedCall, Session, What};

/// The keys of `_meta` that say who asks, in revisions without a handshake.
const WHO: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];

/// What one message of the agent is to this session.
enum Meant {
    Hold(What),
    /// It answers the server: goes on at once, since the server may wait for nothing else.
    Answer,
    /// It calls off a request that still waits here.
    Withdraw(String),
    Refuse {
        id: String,
        code: i64,
        why: String,
    },
}

impl Session {
    /// The agent sent a line, line break included.
    pub(in super::super) fn agent_said(&mut self, line: Bytes, now: Instant) {
        let arrived = self.tick();
        let body = line.strip_suffix(b"\n").unwrap_or(&line);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        if body.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        // A carriage return ends a line for some readers, and what follows is then a message.
        if body.contains(&b'\r') {
            self.reject(
                "null",
                refusal::PARSE_ERROR,
                "a carriage return stands in it",
            );
            return;
        }
        let Ok(text) = std::str::from_utf8(body) else {
            self.reject("null", refusal::PARSE_ERROR, "it is no UTF-8");
            return;
        };
        if text.trim_start().starts_with('[') {
            self.batch(text, arrived, now);
            return;
        }
        match self.meaning(text, &line) {
            Meant::Answer => self.send_on(line),
            Meant::Hold(what) => self.enqueue(Held {
                line,
                what,
                arrived,
                at: now,
            }),
            Meant::Withdraw(key) => self.withdraw(&key),
            Meant::Refuse { id, code, why } => self.reject(&id, code, &why),
        }
        self.pump(now);
    }

    /// The agent sent a line that is too long to be taken.
    pub(in super::super) fn agent_too_long(&mut self, why: &str) {
        self.reject("null", refusal::INVALID_REQUEST, why);
    }

    /// A batch (2025-03-26) goes on message by message: the same messages in the same order, each
    /// judged alone.
    fn batch(&mut self, text: &str, arrived: u64, now: Instant) {
        let start = text.len() - text.trim_start().len();
        let elements = json::elements(text, start);
        let Ok(elements) = elements else {
            self.reject("null", refusal::PARSE_ERROR, "it is no JSON");
            return;
        };
        let end = elements.last().map_or(start + 1, |last| last.end);
        if text[end..].trim() != "]" || elements.is_empty() {
            self.reject(
                "null",
                refusal::INVALID_REQUEST,
                "it is no batch of messages",
            );
            return;
        }
        for element in elements {
            let text = &text[element];
            let line = Bytes::from(format!("{text}\n"));
            match self.meaning(text, &line) {
                Meant::Answer => self.send_on(line),
                Meant::Hold(what) => self.enqueue(Held {
                    line,
                    what,
                    arrived,
                    at: now,
                }),
                Meant::Withdraw(key) => self.withdraw(&key),
                Meant::Refuse { id, code, why } => self.reject(&id, code, &why),
            }
        }
        self.pump(now);
    }

    /// A message that can't be relayed is answered, and told in the log.
    fn reject(&mut self, id: &str, code: i64, why: &str) {
        let decision = Decision::new("message", Reason::Unreadable)
            .says(format!("the agent's message was not sent on: {why}"), "");
        self.log
            .decided("message", "refuse", &decision, Duration::ZERO);
        let message = format!("mcplock did not send this message on: {why}");
        let reply = refusal::error(id, code, &message, None);
        self.tell(reply);
    }

    fn withdraw(&mut self, key: &str) {
        let before = self.queue.len();
        let mut freed = 0;
        self.queue.retain(|held| {
            let stays = held.key() != Some(key);
            if !stays {
                freed += held.line.len();
            }
            stays
        });
        self.queued_bytes -= freed;
        if self.queue.len() < before {
            self.log.event(
                "cancelled",
                "the agent called off a request that still waited here",
            );
        }
    }

    fn meaning(&mut self, text: &str, line: &Bytes) -> Meant {
        let refuse = |id: &str, code, why: &str| Meant::Refuse {
            id: id.to_owned(),
            code,
            why: why.to_owned(),
        };
        let said = match message::read(text) {
            Ok(said) => said,
            Err(why) => return refuse("null", refusal::INVALID_REQUEST, why),
        };
        let (id, method, params) = match said {
            Said::Response => return Meant::Answer,
            Said::Notification { method, params } => {
                return self.notified(&method, params.as_ref());
            }
            Said::Request { id, method, params } => (id, method, params),
        };
        let Some(key) = id_key(id) else {
            return refuse(
                "null",
                refusal::INVALID_REQUEST,
                "its id is neither text nor number",
            );
        };
        let waits = self.queue.iter().any(|held| held.key() == Some(&key));
        if self.ids.is_own(&key) || waits || self.open.get(&key).is_some_and(|open| !open.cancelled)
        {
            return refuse(id, refusal::INVALID_REQUEST, "its id is in use");
        }
        if let Err(why) = self.note_era(&method, params.as_ref(), line) {
            return refuse(id, refusal::INVALID_REQUEST, why);
        }
        let id = id.to_owned();
        if let Some(kind) = message::call_kind(&method) {
            return match call(kind, params.as_ref()) {
                Ok(call) => Meant::Hold(What::Call {
                    id,
                    key,
                    method,
                    call,
                }),
                Err(why) => refuse(&id, refusal::INVALID_REQUEST, why),
            };
        }
        let kind = match method.as_str() {
            "initialize" => OpenKind::Initialize,
            "server/discover" => OpenKind::Discover,
            "subscriptions/listen" => OpenKind::Listen,
            _ => match Kind::ALL.into_iter().find(|kind| kind.method() == method) {
                Some(kind) => OpenKind::List {
                    kind,
                    first: params
                        .as_ref()
                        .and_then(|params| params.get("cursor"))
                        .is_none_or(|cursor| cursor == "null"),
                },
                None => OpenKind::Other,
            },
        };
        Meant::Hold(What::Request {
            id,
            key,
            method,
            kind,
        })
    }

    fn notified(&mut self, method: &str, params: Option<&Fields<'_>>) -> Meant {
        if method == "notifications/cancelled"
            && let Some(key) = params
                .and_then(|params| params.get("requestId"))
                .and_then(id_key)
        {
            if self.queue.iter().any(|held| held.key() == Some(&key)) {
                return Meant::Withdraw(key);
            }
            if let Some(open) = self.open.get_mut(&key) {
                open.cancelled = true;
            }
        }
        Meant::Hold(What::Plain {
            initialized: method == "notifications/initialized",
        })
    }

    /// Learns from a request in which era the agent speaks, and what its lists depend on.
    fn note_era(
        &mut self,
        method: &str,
        params: Option<&Fields<'_>>,
        line: &Bytes,
    ) -> Result<(), &'static str> {
        if method == "initialize" {
            self.era = Era::Handshake;
            self.handshake = Some(line.clone());
            let declared = match params {
                Some(params) => params.object("capabilities")?.map(|found| names(&found)),
                None => None,
            };
            self.look_as(Agent {
                revision: None,
                declared,
            });
            return Ok(());
        }
        let Some(meta) = params
            .map(|params| params.object("_meta"))
            .transpose()?
            .flatten()
        else {
            return Ok(());
        };
        let Some(version) = meta.text(WHO[0]) else {
            return Ok(());
        };
        if self.era == Era::Handshake {
            return Ok(());
        }
        self.era = Era::Modern;
        self.ready = true;
        let parts = WHO.iter().filter_map(|name| {
            let value = meta.get(name)?;
            Some(format!("\"{name}\":{value}"))
        });
        let text = format!("{{{}}}", parts.collect::<Vec<_>>().join(","));
        if self.meta.as_deref() != Some(&text) {
            let declared = meta.object(WHO[2])?.map(|found| names(&found));
            self.look_as(Agent {
                revision: Revision::parse(&version),
                declared,
            });
            self.meta = Some(text);
        }
        Ok(())
    }

    /// From now on lists are those that this agent would get.
    pub(super) fn look_as(&mut self, agent: Agent) {
        if *self.view.agent() != agent {
            self.view = View::new(agent);
        }
        self.known.clear();
        self.listings.clear();
    }

    fn send_on(&mut self, line: Bytes) {
        self.to_server.push_back(super::Outgo {
            bytes: line,
            request: None,
            revision: None,
            initialized: false,
        });
    }

    /// The parameters of the agent's handshake, to be repeated to a server that lost its session.
    pub(super) fn handshake_params(&self) -> Option<Box<RawValue>> {
        let text = std::str::from_utf8(self.handshake.as_deref()?).ok()?;
        let fields = Fields::of(text.trim_start_matches('\u{feff}')).ok()?;
        RawValue::from_string(fields.get("params")?.to_owned()).ok()
    }
}

fn names(object: &Fields<'_>) -> Vec<String> {
    let mut names: Vec<String> = object.names().map(str::to_owned).collect();
    names.sort();
    names
}

fn call(kind: super::CallKind, params: Option<&Fields<'_>>) -> Result<OwnedCall, &'static str> {
    let params = params.ok_or("it has no parameters")?;
    let key = params
        .text(message::key_parameter(kind))
        .ok_or("it does not say what is called")?;
    Ok(OwnedCall {
        kind,
        key,
        arguments: params.get("arguments").map(str::to_owned),
    })
}

impl Held {
    /// The key of its id, for a request.
    pub(super) fn key(&self) -> Option<&str> {
        match &self.what {
            What::Plain { .. } => None,
            What::Request { key, .. } | What::Call { key, .. } => Some(key),
        }
    }
}
