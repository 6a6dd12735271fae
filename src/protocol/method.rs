//! Everything that mcplock ever asks of a server by itself.
//!
//! There is no way to spell another request: a tool can't be called from here.

use std::collections::BTreeSet;
use std::fmt;

use super::{Capability, Kind, Revision};

/// A request or notification of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Method {
    /// `server/discover`
    Discover,
    /// `initialize`
    Initialize,
    /// `ping`
    Ping,
    /// The list of a kind.
    List(Kind),
}

impl Method {
    /// The name on the wire.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Discover => "server/discover",
            Method::Initialize => "initialize",
            Method::Ping => "ping",
            Method::List(kind) => kind.method(),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The only notification of ours.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A request on the wire. `params` is a JSON object.
pub(crate) fn request(id: u64, method: Method, params: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#).into_bytes()
}

/// How mcplock names itself.
const CLIENT: &str = concat!(
    r#"{"name":"mcplock","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);

/// The parameters of `initialize`.
pub(crate) fn initialize_params(revision: Revision, declared: &BTreeSet<Capability>) -> String {
    format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{},"clientInfo":{CLIENT}}}"#,
        capabilities(declared),
    )
}

/// The `_meta` that every request carries in revisions without a handshake.
pub(crate) fn request_meta(revision: Revision, declared: &BTreeSet<Capability>) -> String {
    format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"{revision}","io.modelcontextprotocol/clientInfo":{CLIENT},"io.modelcontextprotocol/clientCapabilities":{}}}"#,
        capabilities(declared),
    )
}

/// `params`, a JSON object as the functions here write it, with `_meta`.
pub(crate) fn with_meta(params: &str, meta: &str) -> String {
    match params.strip_prefix('{') {
        Some("}") | None => format!(r#"{{"_meta":{meta}}}"#),
        Some(rest) => format!(r#"{{"_meta":{meta},{rest}"#),
    }
}

fn capabilities(declared: &BTreeSet<Capability>) -> String {
    let members: Vec<String> = declared
        .iter()
        .map(|capability| format!("\"{capability}\":{{}}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// The parameters of a list: a cursor is sent back with exactly the bytes in which it came.
pub(crate) fn list_params(cursor: Option<&str>) -> String {
    cursor.map_or_else(|| "{}".to_owned(), |raw| format!(r#"{{"cursor":{raw}}}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_single_lines_of_json() {
        let declared = Capability::ALL.into_iter().collect();
        let params = initialize_params(Revision::V2025_11_25, &declared);
        let message = String::from_utf8(request(1, Method::Initialize, &params)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&message).unwrap();
        assert_eq!(
            value["params"]["capabilities"],
            serde_json::json!({"elicitation": {}, "roots": {}, "sampling": {}})
        );
        assert!(!message.contains('\n'));
        assert!(serde_json::from_str::<serde_json::Value>(INITIALIZED).is_ok());
    }

    #[test]
    fn a_request_without_a_handshake_carries_who_asks_and_the_cursor_unchanged() {
        let meta = request_meta(Revision::V2026_07_28, &Capability::all());
        let params = with_meta(&list_params(Some(r#""p 2""#)), &meta);
        let value: serde_json::Value = serde_json::from_str(&params).unwrap();
        assert_eq!(value["cursor"], "p 2");
        let meta = &value["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"]["roots"],
            serde_json::json!({})
        );
        assert_eq!(with_meta("{}", "1"), r#"{"_meta":1}"#);
    }

    #[test]
    fn a_cursor_goes_back_byte_for_byte() {
        assert_eq!(
            list_params(Some(r#""p 2/\u00fc""#)),
            r#"{"cursor":"p 2/\u00fc"}"#
        );
        assert_eq!(list_params(None), "{}");
    }
}
