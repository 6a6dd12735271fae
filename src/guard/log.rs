//! What the guard decided, as one JSON object a line.
//!
//! Never holds a value of an argument or result, nor a hash of one, nor a secret. Writing never
//! waits: where nobody reads, lines are dropped and counted.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::canonical::canonical;
use crate::error::{Error, Result};
use crate::report;
use crate::rules::Finding;

use super::decision::Decision;
use super::refusal;

/// Lines that wait to be written.
const WAITING: usize = 1_024;
/// How much of a value a line shows, in characters.
const SHOWN: usize = 300;
/// How long the last lines may take to be written.
const LAST: Duration = Duration::from_millis(500);

enum Order {
    Line(String),
    Flush(SyncSender<()>),
}

/// Where lines go.
#[derive(Debug, Clone)]
pub(super) struct Log {
    server: String,
    orders: SyncSender<Order>,
    dropped: Arc<AtomicU64>,
}

impl Log {
    /// A log to `file`, to which lines are added, or to standard error.
    pub(super) fn open(server: &str, file: Option<&Path>) -> Result<Self> {
        let sink: Box<dyn Write + Send> = match file {
            None => Box::new(io::stderr()),
            Some(path) => Box::new(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(path)
                    .map_err(|error| Error::io(path, "open the log", &error))?,
            ),
        };
        let (orders, waiting) = sync_channel(WAITING);
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write(sink, &waiting))
            .map_err(|error| Error::usage(format!("could not start the log: {error}")))?;
        Ok(Log {
            server: server.to_owned(),
            orders,
            dropped: Arc::default(),
        })
    }

    /// A decision about a call: what was done (`pass`, `refuse`, `withhold`, `report`), and how
    /// long the call was held up.
    pub(super) fn decided(&self, event: &str, done: &str, decision: &Decision, added: Duration) {
        let findings: Vec<Value> = decision.findings.iter().map(finding).collect();
        self.write(&json!({
            "event": event,
            "item": decision.item,
            "decision": done,
            "reason": decision.reason.word(),
            "message": some(&decision.message),
            "pinned": decision.pinned.map(|digest| digest.to_string()),
            "live": decision.live.map(|digest| digest.to_string()),
            "findings": findings,
            "notes": decision.notes,
            "added_us": u64::try_from(added.as_micros()).unwrap_or(u64::MAX),
        }));
    }

    /// Something else that happened.
    pub(super) fn event(&self, event: &str, message: &str) {
        self.write(&json!({ "event": event, "message": message }));
    }

    fn write(&self, fields: &Value) {
        let mut line = json!({ "time": now(), "server": self.server });
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            line["dropped_lines"] = dropped.into();
        }
        if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            line.extend(fields.map(|(name, value)| (name.clone(), value.clone())));
        }
        let mut line = report::safe_json(&line.to_string());
        line.push('\n');
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.orders.try_send(Order::Line(line))
        {
            self.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }

    /// Waits, but not for long, until what was written has arrived.
    pub(super) fn flush(&self) {
        let (done, arrived) = sync_channel(1);
        if self.orders.try_send(Order::Flush(done)).is_ok() {
            let _ = arrived.recv_timeout(LAST);
        }
    }
}

fn write(mut sink: Box<dyn Write + Send>, orders: &Receiver<Order>) {
    while let Ok(order) = orders.recv() {
        match order {
            // What can't be written is lost: the guard goes on guarding.
            Order::Line(line) => {
                let _ = sink.write_all(line.as_bytes());
            }
            Order::Flush(done) => {
                let _ = sink.flush();
                let _ = done.try_send(());
            }
        }
    }
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn finding(finding: &Finding) -> Value {
    let mut told = refusal::finding(finding);
    for (name, value) in [("was", &finding.old), ("now", &finding.new)] {
        if let Some(value) = value {
            let text = canonical(value);
            let mut shown: String = text.chars().take(SHOWN).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            told[name] = shown.into();
        }
    }
    told
}

/// The time in UTC, to the millisecond (RFC 3339).
fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Reason;

    #[test]
    fn each_line_is_one_object_with_nothing_raw_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = Log::open("files", Some(&path)).unwrap();
        let decision = Decision::new("tool:\u{1b}x", Reason::Drift).says("drift\u{202e}\n", "");
        log.decided("call", "refuse", &decision, Duration::from_micros(7));
        log.event("start", "x");
        log.flush();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(first["decision"], "refuse");
        assert_eq!(first["reason"], "drift");
        assert_eq!(first["added_us"], 7);
        assert!(first["time"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn a_log_that_nobody_takes_holds_nothing_up_and_counts_what_is_lost() {
        let (orders, waiting) = sync_channel(1);
        let log = Log {
            server: "s".to_owned(),
            orders,
            dropped: Arc::default(),
        };
        for _ in 0..5 {
            log.event("x", "y");
        }
        assert_eq!(log.dropped.load(Ordering::Relaxed), 4);
        assert!(waiting.recv().is_ok());
        log.event("x", "y");
        let Ok(Order::Line(line)) = waiting.recv() else {
            panic!("a line is missing");
        };
        assert!(line.contains("\"dropped_lines\":4"), "{line}");
    }
}
