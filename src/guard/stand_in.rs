//! What an agent meets where the server is not started: a session that lists nothing and refuses
//! each call, saying why.
//!
//! Pure.

use serde_json::{Value, json};

use crate::catalog::Kind;
use crate::protocol::Revision;

use super::call;
use super::decision::Decision;
use super::message::{self, Fields, Said};
use super::refusal;

/// Stands in for a server.
#[derive(Debug)]
pub(super) struct StandIn {
    server: String,
    why: Decision,
}

/// What comes of one line.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// The replies, each a whole line.
    pub(super) lines: Vec<Vec<u8>>,
    /// The refusals among them, for the log.
    pub(super) refused: Vec<Decision>,
}

impl StandIn {
    /// Refuses everything for this reason.
    pub(super) fn new(server: &str, why: Decision) -> Self {
        StandIn {
            server: server.to_owned(),
            why,
        }
    }

    /// Answers one line of the agent.
    pub(super) fn answer(&self, line: &[u8]) -> Answered {
        let mut answered = Answered::default();
        let Ok(text) = std::str::from_utf8(line) else {
            answered.lines.push(unreadable("it is no UTF-8"));
            return answered;
        };
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return answered;
        }
        if text.starts_with('[')
            && let Ok(elements) = crate::json::elements(text, 0)
        {
            for element in elements {
                self.one(&text[element], &mut answered);
            }
        } else {
            self.one(text, &mut answered);
        }
        answered
    }

    fn one(&self, text: &str, answered: &mut Answered) {
        match message::read(text) {
            Ok(Said::Request { id, method, params }) => {
                let line = self.reply(id, &method, params.as_ref(), answered);
                answered.lines.push(line);
            }
            Ok(Said::Notification { .. } | Said::Response) => {}
            Err(why) => answered.lines.push(unreadable(why)),
        }
    }

    fn reply(
        &self,
        id: &str,
        method: &str,
        params: Option<&Fields<'_>>,
        answered: &mut Answered,
    ) -> Vec<u8> {
        let modern = params
            .and_then(|params| params.object("_meta").ok().flatten())
            .is_some_and(|meta| {
                meta.get("io.modelcontextprotocol/protocolVersion")
                    .is_some()
            });
        if let Some(kind) = message::call_kind(method) {
            let key = params.and_then(|params| params.text(message::key_parameter(kind)));
            let mut decision = self.why.clone();
            decision.item = call::label(kind, key.as_deref().unwrap_or_default());
            answered.refused.push(decision.clone());
            return refusal::reply(id, &self.server, &decision);
        }
        if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.method() == method) {
            return result(id, json!({ kind.list_member(): [] }), modern);
        }
        match method {
            "initialize" => {
                let asked = params.and_then(|params| params.text("protocolVersion"));
                let revision = asked
                    .and_then(|text| Revision::parse(&text))
                    .filter(|revision| !revision.is_modern())
                    .unwrap_or(Revision::NEWEST_LEGACY);
                let said = json!({
                    "protocolVersion": revision.as_str(),
                    "capabilities": capabilities(),
                    "serverInfo": info(),
                });
                result(id, said, false)
            }
            "server/discover" => {
                let revisions: Vec<&str> = Revision::ALL.map(Revision::as_str).to_vec();
                let said = json!({
                    "supportedVersions": revisions,
                    "capabilities": capabilities(),
                });
                result(id, said, true)
            }
            "ping" => result(id, json!({}), modern),
            _ => refusal::error(
                id,
                refusal::NO_METHOD,
                &format!(
                    "mcplock stands in for `{}`: {}",
                    self.server, self.why.message
                ),
                None,
            ),
        }
    }
}

fn unreadable(why: &str) -> Vec<u8> {
    refusal::error("null", refusal::INVALID_REQUEST, why, None)
}

fn capabilities() -> Value {
    json!({ "tools": {}, "prompts": {}, "resources": {} })
}

fn info() -> Value {
    json!({ "name": "mcplock guard", "version": env!("CARGO_PKG_VERSION") })
}

fn result(id: &str, mut said: Value, modern: bool) -> Vec<u8> {
    if modern {
        said["resultType"] = "complete".into();
        said["ttlMs"] = 0.into();
        said["cacheScope"] = "private".into();
        said["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": info() });
    }
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{said}}}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::Reason;

    fn ask(text: &str) -> (Vec<Value>, usize) {
        let why =
            Decision::new("session", Reason::Closed).says("the lockfile is broken", "mend it");
        let answered = StandIn::new("files", why).answer(text.as_bytes());
        let read = |line: &Vec<u8>| serde_json::from_slice(line).unwrap();
        (
            answered.lines.iter().map(read).collect(),
            answered.refused.len(),
        )
    }

    #[test]
    fn the_handshake_is_answered_in_the_revision_that_was_asked_for() {
        let of = |version: &str| {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":"a","method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
            );
            ask(&text).0[0]["result"]["protocolVersion"].clone()
        };
        assert_eq!(of("2024-11-05"), "2024-11-05");
        assert_eq!(of("2031-01-01"), "2025-11-25");
        assert_eq!(of("2026-07-28"), "2025-11-25");
    }

    #[test]
    fn everything_is_listed_empty_and_every_call_refused_with_the_reason() {
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let (lines, _) = ask(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{meta}}}}}"#
        ));
        assert_eq!(lines[0]["result"]["tools"], json!([]));
        assert_eq!(lines[0]["result"]["resultType"], "complete");
        let (lines, refused) = ask(
            r#"[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}},
                {"jsonrpc":"2.0","method":"notifications/initialized"}]"#,
        );
        assert_eq!((lines.len(), refused), (1, 1));
        let message = lines[0]["error"]["message"].as_str().unwrap();
        assert!(message.contains("tool:x") && message.contains("the lockfile is broken"));
        assert_eq!(
            ask(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#).0[0]["result"],
            json!({})
        );
        assert_eq!(
            ask(r#"{"jsonrpc":"2.0","id":3,"method":"x"}"#).0[0]["error"]["code"],
            -32601
        );
    }
}
