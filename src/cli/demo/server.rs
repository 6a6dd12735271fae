//! The server of `mcplock demo`: a small MCP server over standard streams.
//!
//! Which release it plays is read from a file at every list, so that the story can "release" a
//! change between two runs. It answers no `tools/call`; nobody here sends one.

use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;

use serde_json::{Value, json};

/// Serves `input` to `output` until the input ends.
pub(crate) fn serve(
    input: impl BufRead,
    mut output: impl Write,
    release_file: &Path,
) -> std::io::Result<()> {
    for line in input.lines() {
        let line = line?;
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let (Some(id), Some(method)) = (message.get("id"), message.get("method")) else {
            continue;
        };
        let mut reply = json!({ "jsonrpc": "2.0", "id": id });
        match answer(method.as_str().unwrap_or_default(), &message, release_file) {
            Some(result) => reply["result"] = result,
            None => reply["error"] = json!({ "code": -32601, "message": "method not found" }),
        }
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(method: &str, message: &Value, release_file: &Path) -> Option<Value> {
    let release = fs::read_to_string(release_file).unwrap_or_default();
    let release = Release::from_name(release.trim());
    match method {
        "initialize" => Some(json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "orders", "version": release.name() },
            "instructions": "Look orders up before you change them.",
        })),
        "ping" => Some(json!({})),
        "tools/list" => Some(json!({ "tools": [release.search_orders(), cancel_order()] })),
        _ => None,
    }
}

/// The releases of the server that the story goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Release {
    /// What gets pinned.
    First,
    /// `query` is renamed to `q`; the object stays open.
    Renamed,
    /// `limit` turns from a maximum into a page index, in words only.
    Reworded,
    /// `status` loses a value, and its default becomes another one.
    Narrowed,
}

impl Release {
    /// The version that the server gives itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Release::First => "1.0.0",
            Release::Renamed => "1.0.1",
            Release::Reworded => "1.0.2",
            Release::Narrowed => "1.0.3",
        }
    }

    fn from_name(name: &str) -> Self {
        [Release::Renamed, Release::Reworded, Release::Narrowed]
            .into_iter()
            .find(|release| release.name() == name)
            .unwrap_or(Release::First)
    }

    fn search_orders(self) -> Value {
        let query = if self == Release::Renamed {
            "q"
        } else {
            "query"
        };
        let limit = match self {
            Release::Reworded => "Page index of the results to return",
            _ => "Maximum number of results to return",
        };
        let status = match self {
            Release::Narrowed => json!({
                "type": "string",
                "enum": ["open", "shipped"],
                "default": "shipped",
                "description": "Only orders in this state"
            }),
            _ => json!({
                "type": "string",
                "enum": ["open", "shipped", "cancelled"],
                "default": "open",
                "description": "Only orders in this state"
            }),
        };
        json!({
            "name": "search_orders",
            "description": "Search the shop's orders.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    query: { "type": "string", "description": "Words to look for" },
                    "limit": { "type": "integer", "minimum": 1, "description": limit },
                    "status": status,
                }
            },
            "annotations": { "readOnlyHint": true }
        })
    }
}

fn cancel_order() -> Value {
    json!({
        "name": "cancel_order",
        "description": "Cancel one order.",
        "inputSchema": {
            "type": "object",
            "properties": { "id": { "type": "string", "description": "Id of the order" } },
            "required": ["id"],
            "additionalProperties": false
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": true }
    })
}
