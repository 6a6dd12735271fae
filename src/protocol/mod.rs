//! The client side of MCP: versions, the session, paging. Keeps every byte the server sent.
//!
//! Knows transports, not what a catalog means. Never calls a tool.

mod answers;
mod capability;
mod fetch;
mod jsonrpc;
mod kind;
mod legacy;
mod members;
pub(crate) mod method;
pub(crate) mod modern;
mod negotiate;
mod oddities;
pub(crate) mod paging;
mod revision;
mod session;

pub use capability::Capability;
pub use fetch::{FetchOptions, ProtocolSource, fetch};
pub use kind::Kind;
pub use revision::Revision;

use serde_json::value::RawValue;

/// All that one server advertised, as raw JSON, together with how it was asked.
#[derive(Debug)]
pub struct Fetched {
    /// The revision that answered.
    pub revision: Revision,
    /// Client capabilities that were declared, sorted; catalogs depend on them.
    pub declared: Vec<String>,
    /// `serverInfo` as sent.
    pub server_info: Option<Box<RawValue>>,
    /// `capabilities` as sent.
    pub capabilities: Option<Box<RawValue>>,
    /// `instructions` as sent (a JSON string, when the server keeps to the specification).
    pub instructions: Option<Box<RawValue>>,
    /// The lists that the server offers, each with its items of all pages in order.
    pub lists: Vec<List>,
    /// Things worth telling that are no errors, e.g. lines on standard output that are not JSON.
    pub remarks: Vec<String>,
    /// What may be missing from the catalog for all that: a list that the server declares and does
    /// not know, a change that may have gone unseen. Told wherever the catalog is judged.
    pub doubts: Vec<String>,
}

/// The items of one kind, over all pages.
#[derive(Debug)]
pub struct List {
    /// Of which kind.
    pub kind: Kind,
    /// The items exactly as sent.
    pub items: Vec<Box<RawValue>>,
}
