//! The answer to `initialize` or `server/discover`.

use crate::json::{Document, Value};
use crate::protocol::Revision;
use crate::text::visible;

use super::super::Instructions;
use super::super::fetched::{brief, implementation, instructions};
use super::super::item::document;
use super::source::{Members, Source};

/// What it says of the catalog.
pub(super) struct Greeting {
    pub(super) revision: Option<Revision>,
    pub(super) implementation: Option<String>,
    pub(super) instructions: Instructions,
}

/// Members that it has in some revision. A bare object with any other is not taken for one.
const MEMBERS: [&str; 9] = [
    "protocolVersion",
    "supportedVersions",
    "capabilities",
    "serverInfo",
    "instructions",
    "resultType",
    "ttlMs",
    "cacheScope",
    "_meta",
];

/// Where a result of 2026-07-28 carries what `serverInfo` was before.
const SERVER_INFO_META: &str = "io.modelcontextprotocol/serverInfo";

impl Greeting {
    /// Whether an object with these members is one; `wrapped` when a JSON-RPC response vouches that
    /// it is a result at all.
    pub(super) fn is_one(members: &Members, wrapped: bool) -> bool {
        let versioned = members.has("protocolVersion") || members.has("supportedVersions");
        let pure =
            members.has("capabilities") && members.names().all(|(name, _)| MEMBERS.contains(&name));
        versioned && (wrapped || pure)
    }

    pub(super) fn read(source: Source<'_>, members: &Members, remarks: &mut Vec<String>) -> Self {
        let raw = |name| members.get(name).map(|span| source.slice(&span));
        let version = raw("protocolVersion").or_else(|| raw("supportedVersions"));
        let version = version.unwrap_or("null");
        let revision = match document(version).value {
            Value::String(text) => Revision::parse(&text),
            // `server/discover` belongs to the revisions without a handshake only.
            Value::Array(versions) => versions
                .iter()
                .filter_map(|version| Revision::parse(version.as_str()?))
                .filter(|revision| revision.is_modern())
                .max(),
            _ => None,
        };
        if revision.is_none() {
            remarks.push(format!(
                "`{}` names no revision of the protocol that mcplock knows: {}",
                visible(&source.path.display().to_string()),
                brief(version)
            ));
        }
        Greeting {
            revision,
            implementation: server_info(source, members).and_then(|info| implementation(&info)),
            instructions: match raw("instructions") {
                None => Instructions::Absent,
                Some(raw) => instructions(raw, remarks),
            },
        }
    }
}

fn server_info(source: Source<'_>, members: &Members) -> Option<Document> {
    let span = members.get("serverInfo").or_else(|| {
        let meta = source.members(&members.get("_meta")?).ok()??;
        meta.get(SERVER_INFO_META)
    })?;
    Some(document(source.slice(&span)))
}
