//! What a lockfile holds.

use crate::canonical::Digest;
use crate::catalog::Kind;
use crate::config::{Launch, ServerName};
use crate::json::Value;
use crate::protocol::Revision;

/// A whole lockfile; entries sorted by (name, profile).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lockfile {
    /// The servers.
    pub entries: Vec<Entry>,
}

/// One pinned server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: ServerName,
    /// Its profile, if it has one.
    pub profile: Option<String>,
    /// How it is started or reached.
    pub launch: Launch,
    /// The revision that answered.
    pub protocol: Revision,
    /// Client capabilities that were declared, sorted.
    pub capabilities: Vec<String>,
    /// Name and version as the server says; informational.
    pub implementation: Option<String>,
    /// The instructions, if the server gives any.
    pub instructions: Option<PinnedText>,
    /// Words that may differ between runs.
    pub volatile: Vec<Volatile>,
    /// The items, sorted by kind and key.
    pub items: Vec<PinnedItem>,
}

/// A text and the digest of its canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedText {
    /// Digest over the text as a canonical JSON string.
    pub digest: Digest,
    /// The text.
    pub text: String,
}

/// Words of an item that may differ between runs: only the match is replaced, by U+FFFC, before
/// digests are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volatile {
    /// `tool:NAME` and the like, or `instructions`.
    pub item: String,
    /// JSON Pointer to a string in the item.
    pub pointer: String,
    /// A regular expression of the `regex` crate (linear time).
    pub pattern: String,
}

/// One pinned item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedItem {
    /// Its kind.
    pub kind: Kind,
    /// Its name, URI or URI template.
    pub key: String,
    /// Digest of the contract.
    pub contract: Digest,
    /// Digest of `inputSchema`, for a tool that has one.
    pub schema: Option<Digest>,
    /// Digest of `description`, for a tool that has one.
    pub description: Option<Digest>,
    /// The contract.
    pub value: Value,
    /// Line of its table in the lockfile it was read from, from 1; 0 for one not read.
    pub line: usize,
}
