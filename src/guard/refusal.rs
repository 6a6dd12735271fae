//! What an agent is told of a call that did not go through, as a JSON-RPC error.
//!
//! Pure. The words that a server has put in place of the pinned ones are not among it: they are what
//! the model must not read.

use serde_json::{Value, json};

use crate::report;
use crate::rules::Finding;

use super::decision::{Decision, Reason};

/// The code of a refusal. No specification gives a meaning to it.
pub(super) const REFUSED: i64 = -32010;
/// Invalid parameters (JSON-RPC 2.0, section 5.1).
const INVALID_PARAMS: i64 = -32602;
/// Not a valid request (the same).
pub(super) const INVALID_REQUEST: i64 = -32600;
/// Not JSON (the same).
pub(super) const PARSE_ERROR: i64 = -32700;
/// No such method (the same).
pub(super) const NO_METHOD: i64 = -32601;

/// No more findings than this are told.
const TOLD: usize = 20;

/// The reply to the request with this `id` (as sent), which was decided so.
pub(super) fn reply(id: &str, server: &str, decision: &Decision) -> Vec<u8> {
    let code = match decision.reason {
        Reason::Arguments | Reason::Undeclared | Reason::Reserved => INVALID_PARAMS,
        Reason::Unreadable => INVALID_REQUEST,
        _ => REFUSED,
    };
    let findings: Vec<Value> = decision.findings.iter().take(TOLD).map(finding).collect();
    let data = json!({
        "mcplock": {
            "server": server,
            "item": decision.item,
            "reason": decision.reason.word(),
            "pinned": decision.pinned.map(|digest| digest.to_string()),
            "live": decision.live.map(|digest| digest.to_string()),
            "findings": findings,
            "more_findings": decision.findings.len().saturating_sub(TOLD),
            "help": decision.help,
        }
    });
    let verb = match decision.reason {
        Reason::Result | Reason::Moved => "withheld the result of",
        Reason::Server => "has no reply to",
        _ => "refused",
    };
    let message = format!("mcplock {verb} {}: {}", decision.item, decision.message);
    error(id, code, &message, Some(&data))
}

/// An error reply on one line.
pub(super) fn error(id: &str, code: i64, message: &str, data: Option<&Value>) -> Vec<u8> {
    let mut error = json!({ "code": code, "message": message });
    if let Some(data) = data {
        error["data"] = data.clone();
    }
    let error = report::safe_json(&error.to_string());
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n").into_bytes()
}

/// A finding as data, without the values on either side.
pub(super) fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "level": finding.level.word(),
        "item": finding.label,
        "pointer": finding.pointer.as_str(),
        "message": finding.message,
        "fingerprint": finding.fingerprint,
    })
}
