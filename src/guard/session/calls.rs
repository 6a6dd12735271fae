//! Calls: held until a list has come, then sent on or refused.

use std::time::{Duration, Instant};

use crate::catalog::Kind;

use super::super::call::{Call, CallKind, label as called_label};
use super::super::decision::{Decision, Reason};
use super::super::message::Fields;
use super::{Asked, Era, Forwarded, Held, Kept, Open, OpenKind, Outgo, OwnedCall, Session, What};

/// What can be said of a held call.
enum Verdict {
    /// Something has to come first.
    Wait,
    Decided(Box<Decision>),
}

impl OwnedCall {
    pub(super) fn as_call(&self) -> Call<'_> {
        Call {
            kind: self.kind,
            key: &self.key,
            arguments: self.arguments.as_deref(),
        }
    }
}

/// `tool:NAME` and the like.
pub(super) fn label(call: &OwnedCall) -> String {
    called_label(call.kind, &call.key)
}

/// Whether a refusal rests on what the server lists.
fn by_the_list(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Drift
            | Reason::Gone
            | Reason::Unavailable
            | Reason::NotPinned
            | Reason::Unfit
            | Reason::Twice
            | Reason::ServedOther
    )
}

impl Session {
    pub(super) fn enqueue(&mut self, held: Held) {
        self.queued_bytes += held.line.len();
        self.queue.push_back(held);
    }

    /// Sends on what can be sent, in order, and decides what can be decided.
    pub(super) fn pump(&mut self, now: Instant) {
        while self.renewing.is_none()
            && let Some(front) = self.queue.front()
        {
            let verdict = match &front.what {
                What::Call { call, .. } => {
                    let (call, arrived) = (call.clone(), front.arrived);
                    self.verdict(&call, arrived, now)
                }
                What::Plain { .. } | What::Request { .. } => {
                    self.forward_front(None);
                    continue;
                }
            };
            match verdict {
                Verdict::Wait => break,
                Verdict::Decided(decision) => self.conclude(*decision, now),
            }
        }
        self.release(now);
    }

    fn verdict(&mut self, call: &OwnedCall, arrived: u64, now: Instant) -> Verdict {
        if let Err(closed) = &self.gate {
            let mut decision = (**closed).clone();
            decision.item = label(call);
            return Verdict::Decided(Box::new(decision));
        }
        if self.era == Era::Handshake && !self.ready {
            // The handshake is under way: it ends, or the server does.
            return Verdict::Wait;
        }
        let needs = match &self.gate {
            Ok(gate) => gate.needs(&self.view, &call.as_call()),
            Err(_) => Vec::new(),
        };
        let mut waiting = false;
        for kind in needs {
            match self.fresh(kind, arrived, now) {
                Some(Ok(())) => {}
                Some(Err(decision)) => {
                    let mut decision = *decision;
                    decision.item = label(call);
                    return Verdict::Decided(Box::new(decision));
                }
                None => {
                    self.list(kind, now);
                    waiting = true;
                }
            }
        }
        if waiting {
            return Verdict::Wait;
        }
        let (decision, needs) = match &mut self.gate {
            Ok(gate) => (
                gate.decide(&self.view, &self.served, &call.as_call()),
                gate.needs(&self.view, &call.as_call()),
            ),
            Err(closed) => return Verdict::Decided(closed.clone()),
        };
        // No call is refused by an old list: the server may be what is pinned again.
        if !decision.passes() && by_the_list(decision.reason) {
            for kind in needs {
                if let Some(known) = self.known.get_mut(&kind)
                    && known.done <= arrived
                {
                    known.stale = true;
                    self.list(kind, now);
                    waiting = true;
                }
            }
        }
        if waiting {
            return Verdict::Wait;
        }
        Verdict::Decided(Box::new(decision))
    }

    /// Whether the list of a kind is fresh enough for what arrived then; an error when it could not
    /// be had since.
    pub(super) fn fresh(
        &self,
        kind: Kind,
        arrived: u64,
        now: Instant,
    ) -> Option<Result<(), Box<Decision>>> {
        let known = self.known.get(&kind)?;
        if let Some((when, decision)) = &known.failed
            && *when > arrived
        {
            return Some(Err(decision.clone()));
        }
        self.view.list(kind)?;
        let young = self
            .behaviour
            .max_age
            .is_some_and(|most| now.saturating_duration_since(known.listed_at) <= most);
        let fresh = !known.stale && (known.done > arrived || young);
        fresh.then_some(Ok(()))
    }

    fn conclude(&mut self, decision: Decision, now: Instant) {
        let Some(front) = self.queue.front() else {
            return;
        };
        let added = now.saturating_duration_since(front.at);
        let passes = decision.passes();
        let closed = decision.reason == Reason::Closed;
        if passes || (self.behaviour.report_only && !closed) {
            let masked = decision.clone().masked(&self.behaviour.secrets);
            let done = if passes { "pass" } else { "report" };
            self.log.decided("call", done, &masked, added);
            self.forward_front(Some(decision));
            return;
        }
        let Some(held) = self.pop() else { return };
        if let What::Call { id, .. } = held.what {
            self.refuse(&id, "call", "refuse", &decision, added);
        }
    }

    fn pop(&mut self) -> Option<Held> {
        let held = self.queue.pop_front()?;
        self.queued_bytes -= held.line.len();
        Some(held)
    }

    fn forward_front(&mut self, decision: Option<Decision>) {
        let Some(held) = self.pop() else { return };
        let mut outgo = Outgo {
            bytes: held.line,
            request: None,
            revision: self.view.agent().revision,
            initialized: false,
        };
        let (id, key, method, kind, called) = match held.what {
            What::Plain { initialized } => {
                outgo.initialized = initialized;
                self.to_server.push_back(outgo);
                return;
            }
            What::Request {
                id,
                key,
                method,
                kind,
            } => {
                if let OpenKind::List { kind, first: true } = &kind {
                    self.served.begin(*kind);
                }
                (id, key, method, kind, None)
            }
            What::Call {
                id,
                key,
                method,
                call,
            } => {
                let called = Some(call.key.clone());
                let decision =
                    decision.unwrap_or_else(|| Decision::new(label(&call), Reason::Equal));
                let kind = OpenKind::Call(Box::new(Forwarded { decision, call }));
                (id, key, method, kind, called)
            }
        };
        let token = self.token();
        outgo.request = Some(Asked {
            token,
            method,
            key: called,
        });
        self.open.insert(
            key,
            Open {
                kind,
                id,
                token,
                cancelled: false,
            },
        );
        self.to_server.push_back(outgo);
    }

    /// The reply to a call came: checked, kept for another list, or handed on.
    pub(super) fn called(
        &mut self,
        line: bytes::Bytes,
        result: Option<&str>,
        id: String,
        forwarded: Box<Forwarded>,
        now: Instant,
    ) {
        if self.behaviour.check_results
            && let Some(result) = result
            && let Some(decision) = self.broken_result(&forwarded, result)
        {
            if self.behaviour.report_only {
                let masked = decision.masked(&self.behaviour.secrets);
                self.log
                    .decided("result", "report", &masked, Duration::ZERO);
            } else {
                self.refuse(&id, "result", "withhold", &decision, Duration::ZERO);
                return;
            }
        }
        let counted = result.is_some() && forwarded.decision.passes();
        if !self.behaviour.recheck_after || !counted {
            self.tell(line);
            return;
        }
        if self.kept_bytes + line.len() > self.behaviour.limits.catalog {
            let decision = Decision::new(label(&forwarded.call), Reason::Moved).says(
                "too many results wait for the list after the call",
                "the call was carried out: look at what it did before it is made again",
            );
            self.refuse(&id, "result", "withhold", &decision, Duration::ZERO);
            return;
        }
        self.kept_bytes += line.len();
        let arrived = self.tick();
        self.kept.push_back(Kept {
            line,
            id,
            forwarded,
            arrived,
            at: now,
        });
        self.release(now);
    }

    fn broken_result(&mut self, forwarded: &Forwarded, result: &str) -> Option<Decision> {
        if forwarded.call.kind != CallKind::Tool {
            return None;
        }
        let gate = self.gate.as_mut().ok()?;
        let Ok(fields) = Fields::of(result) else {
            return Some(
                Decision::new(label(&forwarded.call), Reason::Result)
                    .says("the result can't be read, or can be read in two ways", ""),
            );
        };
        let is_error = fields.get("isError") == Some("true");
        let unfinished = fields
            .text("resultType")
            .is_some_and(|kind| kind != "complete");
        if is_error || unfinished || fields.get("task").is_some() {
            return None;
        }
        gate.judge_result(&forwarded.call.key, fields.get("structuredContent"))
    }

    /// Hands on the results whose contract holds after the call, and withholds the others.
    fn release(&mut self, now: Instant) {
        while let Some(kept) = self.kept.front() {
            let arrived = kept.arrived;
            let call = kept.forwarded.call.clone();
            let needs = match &self.gate {
                Ok(gate) => gate.needs(&self.view, &call.as_call()),
                Err(_) => Vec::new(),
            };
            let mut failed = None;
            let mut waiting = false;
            for kind in needs {
                let begun = self
                    .known
                    .get(&kind)
                    .is_some_and(|known| !known.stale && known.begun > arrived);
                let late = self
                    .known
                    .get(&kind)
                    .and_then(|known| known.failed.as_ref())
                    .filter(|(when, _)| *when > arrived);
                if let Some((_, decision)) = late {
                    failed = Some((**decision).clone());
                } else if !begun {
                    self.list(kind, now);
                    waiting = true;
                }
            }
            if waiting && failed.is_none() {
                return;
            }
            let Some(kept) = self.kept.pop_front() else {
                return;
            };
            self.kept_bytes -= kept.line.len();
            let before = kept.forwarded.decision.live;
            let after = failed.unwrap_or_else(|| self.moved(&call));
            if after.passes() && after.live == before {
                self.tell(kept.line);
                continue;
            }
            let mut decision = after;
            decision.item = label(&call);
            if decision.passes() {
                decision = decision.says("", "");
            }
            let what = decision.message.clone();
            decision.reason = Reason::Moved;
            let decision = decision.says(
                format!("its contract moved while the call ran. {what}"),
                "the call was carried out: look at what it did before it is made again",
            );
            let added = now.saturating_duration_since(kept.at);
            if self.behaviour.report_only {
                let masked = decision.masked(&self.behaviour.secrets);
                self.log.decided("result", "report", &masked, added);
                self.tell(kept.line);
            } else {
                self.refuse(&kept.id, "result", "withhold", &decision, added);
            }
        }
    }

    /// How what was called stands now, arguments aside.
    fn moved(&mut self, call: &OwnedCall) -> Decision {
        match &mut self.gate {
            Ok(gate) => gate.decide(&self.view, &self.served, &call.as_call()),
            Err(closed) => (**closed).clone(),
        }
    }
}
