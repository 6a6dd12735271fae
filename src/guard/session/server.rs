//! What the server says.

use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::catalog::Kind;
use crate::error::Error;
use crate::json::{Limits as JsonLimits, parse};
use crate::protocol::Revision;

use super::super::decision::{Decision, Reason};
use super::super::message::Fields;
use super::super::scan::{Envelope, Shape, id_key, shape};
use super::super::view::{Agent, Standing};
use super::super::withhold::{cut, page};
use super::{Asked, Open, OpenKind, Outgo, Session};

impl Session {
    /// The server sent a line, line break included.
    pub(in super::super) fn server_said(&mut self, line: Bytes, now: Instant) {
        self.tick();
        if self.is_same_page(&line, now) {
            return;
        }
        let body = line.strip_suffix(b"\n").unwrap_or(&line);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        match shape(body) {
            // A log line or a banner: an agent that gets it from the server itself copes too.
            // A carriage return in it would end it for some readers, and a message could follow.
            Shape::Noise if body.contains(&b'\r') => self.drop_line("it hides a line break"),
            Shape::Noise => self.tell(line),
            Shape::Bad(why) => self.drop_line(why),
            Shape::Batch => self.server_batch(body, now),
            Shape::Object(envelope) => self.server_message(line, &envelope, now),
        }
    }

    fn drop_line(&mut self, why: &str) {
        let decision = Decision::new("message", Reason::Unreadable).says(
            format!("a message of the server was not handed on: {why}"),
            "",
        );
        self.log
            .decided("message", "withhold", &decision, Duration::ZERO);
    }

    /// A batch (2025-03-26) goes on message by message.
    fn server_batch(&mut self, body: &[u8], now: Instant) {
        let text = String::from_utf8_lossy(body);
        let start = text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t']).len();
        let Ok(elements) = crate::json::elements(&text, start) else {
            // `[info] started` is a log line.
            self.tell([body, b"\n"].concat());
            return;
        };
        for element in elements {
            let text = &text[element];
            match shape(text.as_bytes()) {
                Shape::Object(envelope) => {
                    let line = Bytes::from(format!("{text}\n"));
                    self.server_message(line, &envelope, now);
                }
                _ => self.drop_line("a batch holds what is no message"),
            }
        }
    }

    fn server_message(&mut self, line: Bytes, envelope: &Envelope, now: Instant) {
        let part = |range: &Option<std::ops::Range<usize>>| {
            range
                .clone()
                .map(|range| String::from_utf8_lossy(&line[range]).into_owned())
        };
        let replies = envelope.result.is_some() || envelope.error.is_some();
        if envelope.method.is_some() {
            if replies {
                self.drop_line("it is a request and a reply at once");
                return;
            }
            let method = part(&envelope.method).unwrap_or_default();
            self.note_change(&serde_json::from_str::<String>(&method).unwrap_or_default());
            self.tell(line);
            return;
        }
        if !replies {
            // A structured log line.
            self.tell(line);
            return;
        }
        let id = part(&envelope.id).unwrap_or_else(|| "null".to_owned());
        let Some(key) = id_key(&id) else {
            // An error without an id answers nothing in particular.
            if envelope.result.is_none() {
                self.tell(line);
            } else {
                self.drop_line("a result without an id");
            }
            return;
        };
        if self.ids.is_own(&key) {
            self.own_reply(&key[1..], &line, envelope, now);
            return;
        }
        let Some(open) = self.open.remove(&key) else {
            self.drop_line("it answers no request that is open");
            return;
        };
        if envelope.result.is_some()
            && envelope
                .error
                .as_ref()
                .is_some_and(|e| line[e.clone()] != *b"null")
        {
            let decision = Decision::new("request", Reason::Unreadable)
                .says("the server answered with a result and an error at once", "");
            self.refuse(&open.id, "message", "withhold", &decision, Duration::ZERO);
            return;
        }
        self.agents_reply(line, envelope, open, now);
        self.pump(now);
    }

    fn agents_reply(&mut self, line: Bytes, envelope: &Envelope, open: Open, now: Instant) {
        let Some(result) = envelope.result.clone() else {
            if let OpenKind::Initialize = open.kind {
                // Calls that wait for it would wait for ever.
                self.ready = true;
            }
            self.tell(line);
            return;
        };
        let Ok(text) = std::str::from_utf8(&line) else {
            // Text of another encoding in a result is for the agent to judge, but not in a list.
            match open.kind {
                OpenKind::Other | OpenKind::Listen => self.tell(line),
                OpenKind::Call(forwarded) if !self.behaviour.check_results => {
                    self.called(line, Some("{}"), open.id, forwarded, now);
                }
                _ => self.unreadable_reply(&open.id, "it is no UTF-8"),
            }
            return;
        };
        match open.kind {
            OpenKind::Other | OpenKind::Listen => self.tell(line),
            OpenKind::Call(forwarded) => {
                let result = text[result].to_owned();
                self.called(line, Some(&result), open.id, forwarded, now);
            }
            OpenKind::Initialize | OpenKind::Discover => {
                let line = self.opened(&line, &result, &open.kind);
                match line {
                    Ok(line) => self.tell(line),
                    Err(why) => {
                        // What the agent would have been told is not known, so nothing passes.
                        self.ready = true;
                        self.served
                            .instruct(Standing::new(Reason::Unfit, None, None));
                        self.unreadable_reply(&open.id, why);
                    }
                }
            }
            OpenKind::List { kind, first } => match self.agents_list(text, &result, kind, first) {
                Ok(Some(cut)) => self.tell(cut),
                Ok(None) => self.tell(line),
                Err(why) => {
                    self.invalidate(kind);
                    self.unreadable_reply(&open.id, why);
                }
            },
        }
    }

    fn unreadable_reply(&mut self, id: &str, why: &str) {
        let decision = Decision::new("request", Reason::Unreadable).says(
            format!("the reply of the server can't be relied on: {why}"),
            "tell the author of the server",
        );
        self.refuse(id, "message", "withhold", &decision, Duration::ZERO);
    }

    /// Reads the reply to the handshake or to `server/discover`; the line to hand on, without
    /// instructions that have drifted.
    fn opened(
        &mut self,
        line: &Bytes,
        result: &std::ops::Range<usize>,
        kind: &OpenKind,
    ) -> Result<Bytes, &'static str> {
        let text = std::str::from_utf8(line).map_err(|_| "it is no UTF-8")?;
        let fields = Fields::of(&text[result.clone()])?;
        if let OpenKind::Initialize = kind {
            let revision = fields
                .text("protocolVersion")
                .and_then(|version| Revision::parse(&version));
            let declared = self.agent().declared;
            self.look_as(Agent { revision, declared });
            self.ready = true;
        }
        if let Some(capabilities) = fields.object("capabilities")? {
            let has = |name: &str| {
                capabilities
                    .get(name)
                    .is_some_and(|raw| raw.starts_with('{'))
            };
            let offered = Kind::ALL.into_iter().filter(|kind| has(kind.capability()));
            self.offered = Some(offered.collect());
        }
        let range = fields.range("instructions");
        let sent = range
            .clone()
            .map(|range| &text[result.start + range.start..result.start + range.end])
            .filter(|raw| *raw != "null");
        self.instructions = sent.map(|raw| Bytes::copy_from_slice(raw.as_bytes()));
        self.judge_instructions();
        let drifted = self
            .served
            .instructions()
            .is_some_and(|standing| !standing.reason.passes());
        match range {
            Some(range) if drifted && !self.behaviour.report_only => {
                let mut cut = Vec::with_capacity(line.len());
                cut.extend_from_slice(&line[..result.start + range.start]);
                cut.extend_from_slice(b"\"\"");
                cut.extend_from_slice(&line[result.start + range.end..]);
                Ok(cut.into())
            }
            _ => Ok(line.clone()),
        }
    }

    /// Judges the instructions that the server gave against those that are pinned now.
    pub(super) fn judge_instructions(&mut self) {
        let Ok(gate) = &self.gate else { return };
        let document = self.instructions.as_ref().map(|raw| {
            parse(raw, &JsonLimits::default()).unwrap_or_else(|_| crate::json::Document {
                value: crate::json::Value::Null,
                defects: Vec::new(),
            })
        });
        let standing = gate.judge_instructions(document.as_ref());
        if !standing.reason.passes() {
            let mut decision = Decision::new("instructions", standing.reason).says(
                "the instructions of the server are not the pinned ones: every call is refused",
                "",
            );
            decision.pinned = standing.pinned;
            decision.live = standing.live;
            decision.findings.clone_from(&standing.findings);
            let done = if self.behaviour.report_only {
                "report"
            } else {
                "withhold"
            };
            let masked = decision.masked(&self.behaviour.secrets);
            self.log
                .decided("instructions", done, &masked, Duration::ZERO);
        }
        self.served.instruct(standing);
    }

    /// Judges a page of an agent's own list, remembers what the agent is shown, and cuts what it is
    /// not; none when nothing has to go.
    fn agents_list(
        &mut self,
        text: &str,
        result: &std::ops::Range<usize>,
        kind: Kind,
        first: bool,
    ) -> Result<Option<Vec<u8>>, &'static str> {
        let found = page(text, result, kind)?;
        let Ok(gate) = &self.gate else {
            let keep = vec![false; found.items.len()];
            return Ok(Some(cut(text, &found.items, &keep)));
        };
        let agent = self.view.agent().clone();
        let items = found.items.iter().map(|range| &text[range.clone()]);
        let judged = gate.judge(kind, items, &agent);
        let mut keep = Vec::with_capacity(found.items.len());
        let mut moved = false;
        let known = self.view.list(kind);
        if first && !found.more {
            moved |= known.is_some_and(|known| known.items().len() != judged.items().len());
        }
        for (key, standing) in judged.items() {
            let before = key.and_then(|key| known?.get(key));
            moved |= known.is_some() && before.is_none_or(|before| before.live != standing.live);
            let shown = standing.reason.passes() || self.behaviour.report_only;
            keep.push(shown);
            if let (Some(key), Some(live), true) = (key, standing.live, shown) {
                self.served.show(kind, key, live);
            }
            if !standing.reason.passes() {
                let name = key.map_or_else(|| "#".to_owned(), crate::text::visible);
                let mut decision =
                    Decision::new(format!("{}:{name}", kind.word()), standing.reason);
                decision.pinned = standing.pinned;
                decision.live = standing.live;
                decision.findings.clone_from(&standing.findings);
                let done = if shown { "report" } else { "withhold" };
                let masked = decision.masked(&self.behaviour.secrets);
                self.log.decided("list", done, &masked, Duration::ZERO);
            }
        }
        if !found.more {
            self.served.end(kind);
        }
        if moved {
            self.invalidate(kind);
        }
        let all = keep.iter().all(|keep| *keep);
        Ok((!all).then(|| cut(text, &found.items, &keep)))
    }

    fn note_change(&mut self, method: &str) {
        let kinds: &[Kind] = match method {
            "notifications/tools/list_changed" => &[Kind::Tool],
            "notifications/prompts/list_changed" => &[Kind::Prompt],
            "notifications/resources/list_changed" => &[Kind::Resource, Kind::ResourceTemplate],
            _ => return,
        };
        for kind in kinds {
            self.invalidate(*kind);
        }
    }

    /// A request of our own was answered; `id` is without quotes.
    fn own_reply(&mut self, id: &str, line: &Bytes, envelope: &Envelope, now: Instant) {
        if self.renewing.as_ref().is_some_and(|(own, _)| own == id) {
            self.renewed(line, envelope, now);
            return;
        }
        let Some(kind) = self.awaited(id) else {
            // Given up in the meantime.
            return;
        };
        if let (Some(result), Some(place)) = (envelope.result.clone(), envelope.id.clone()) {
            self.listed(kind, line, place, result, now);
            return;
        }
        let error = envelope
            .error
            .clone()
            .and_then(|range| std::str::from_utf8(&line[range]).ok())
            .and_then(|text| Fields::of(text).ok());
        let code = error
            .as_ref()
            .and_then(|error| error.get("code"))
            .and_then(|code| code.parse().ok());
        let said = error.and_then(|error| error.text("message"));
        self.list_refused(kind, code, &said.unwrap_or_default(), now);
    }

    /// Whether the reply to the request with this token has not come.
    pub(in super::super) fn waits_for(&self, token: u64) -> bool {
        self.awaited_by_token(token).is_some()
            || self.renewing.as_ref().is_some_and(|(_, own)| *own == token)
            || self.open.values().any(|open| open.token == token)
    }

    /// A remote server did not take a request, or its reply held no answer.
    pub(in super::super) fn not_taken(&mut self, token: u64, error: &Error, now: Instant) {
        self.tick();
        if let Some(kind) = self.awaited_by_token(token) {
            self.no_list(kind, error, now);
            return;
        }
        if self.renewing.as_ref().is_some_and(|(_, own)| *own == token) {
            self.renewing = None;
            self.server_ended("the server lost the session, and no other could be opened");
            return;
        }
        let key = self
            .open
            .iter()
            .find(|(_, open)| open.token == token)
            .map(|(key, _)| key.clone());
        let Some(open) = key.and_then(|key| self.open.remove(&key)) else {
            return;
        };
        if let OpenKind::Initialize = open.kind {
            self.ready = true;
        }
        let item = match &open.kind {
            OpenKind::Call(forwarded) => forwarded.decision.item.clone(),
            _ => "request".to_owned(),
        };
        let decision = Decision::new(item, Reason::Server).says(
            format!("{}; it was not sent again", error.message()),
            error.help_text().unwrap_or_default(),
        );
        self.refuse(&open.id, "server", "refuse", &decision, Duration::ZERO);
        self.pump(now);
    }

    /// A remote server lost the session: another one is opened with the agent's own handshake. No
    /// call is sent again.
    pub(in super::super) fn session_lost(&mut self, now: Instant) {
        for kind in Kind::ALL {
            self.invalidate(kind);
            if self.listings.contains_key(&kind) {
                self.no_list(kind, &Error::server("it lost the session"), now);
            }
        }
        if self.renewing.is_some() {
            return;
        }
        let Some(params) = self.handshake_params() else {
            return;
        };
        let (id, token) = (self.ids.next(), self.token());
        let text = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"method\":\"initialize\",\"params\":{params}}}\n"
        );
        self.to_server.push_back(Outgo {
            bytes: text.into(),
            request: Some(Asked {
                token,
                method: "initialize".to_owned(),
                key: None,
            }),
            revision: None,
            initialized: false,
        });
        self.renewing = Some((id, token));
        self.log.event(
            "renewal",
            "the server lost the session; another one is opened",
        );
    }

    fn renewed(&mut self, line: &Bytes, envelope: &Envelope, now: Instant) {
        self.renewing = None;
        let handshake = OpenKind::Initialize;
        let before = self.agent().revision;
        let opened = match envelope.result.clone() {
            Some(result) => self.opened(line, &result, &handshake).map(|_| ()),
            None => Err("it refused the handshake"),
        };
        let changed = self.agent().revision != before;
        if let (Ok(()), false) = (&opened, changed) {
            self.to_server.push_back(Outgo {
                bytes: Bytes::from_static(
                    b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
                ),
                request: None,
                revision: self.agent().revision,
                initialized: true,
            });
            self.pump(now);
            return;
        }
        let why = opened.err().unwrap_or("it speaks another revision now");
        self.gate = Err(Box::new(Decision::new("session", Reason::Closed).says(
            format!("the server lost the session, and no other could be opened: {why}"),
            "start the session again",
        )));
        self.pump(now);
    }

    /// A message of the guard itself for the agent: that a list is to be read again.
    pub(super) fn announce_change(&mut self, kind: Kind) {
        let method = match kind {
            Kind::Tool => "notifications/tools/list_changed",
            Kind::Prompt => "notifications/prompts/list_changed",
            Kind::Resource | Kind::ResourceTemplate => "notifications/resources/list_changed",
        };
        if self.era == super::Era::Modern {
            let mut listening: Vec<String> = self
                .open
                .values()
                .filter(|open| matches!(open.kind, OpenKind::Listen))
                .map(|open| open.id.clone())
                .collect();
            listening.sort();
            for id in listening {
                let line = format!(
                    "{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{\"_meta\":{{\"io.modelcontextprotocol/subscriptionId\":{id}}}}}}}\n"
                );
                self.tell(line);
            }
        } else if self.ready {
            self.tell(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"}}\n"));
        }
    }
}
