//! What a lockfile holds.
//!
//! Pure data. Lines are where a thing was read and no part of what it is: they play no part in
//! equality.

use crate::canonical::Digest;
use crate::catalog::Kind;
use crate::config::{Launch, ServerName};
use crate::json::Value;
use crate::protocol::Revision;

/// A whole lockfile; entries sorted by (name, profile), each pair once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lockfile {
    /// The servers.
    pub entries: Vec<Entry>,
}

impl Lockfile {
    /// The entry of `name` and `profile`.
    pub fn entry(&self, name: &ServerName, profile: Option<&str>) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.identity() == (name, profile))
    }

    /// Puts `entry` in the place of the one of the same name and profile, or adds it in order.
    pub fn put(&mut self, entry: Entry) {
        match self
            .entries
            .binary_search_by(|old| old.identity().cmp(&entry.identity()))
        {
            Ok(at) => self.entries[at] = entry,
            Err(at) => self.entries.insert(at, entry),
        }
    }

    /// Takes the entry of `name` and `profile` out.
    pub fn remove(&mut self, name: &ServerName, profile: Option<&str>) -> Option<Entry> {
        let at = self
            .entries
            .iter()
            .position(|entry| entry.identity() == (name, profile))?;
        Some(self.entries.remove(at))
    }
}

/// One pinned server.
#[derive(Debug, Clone)]
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
    /// Line of its table in the lockfile it was read from, from 1; 0 for one not read.
    pub line: usize,
}

impl Entry {
    /// What tells entries apart, and their order.
    pub fn identity(&self) -> (&ServerName, Option<&str>) {
        (&self.name, self.profile.as_deref())
    }

    /// What it is called where a person names it: `NAME`, or `NAME@PROFILE`.
    pub fn address(&self) -> String {
        crate::text::address(self.name.as_str(), self.profile.as_deref())
    }

    /// The item of `kind` and `key`.
    pub fn item(&self, kind: Kind, key: &str) -> Option<&PinnedItem> {
        self.items
            .iter()
            .find(|item| item.identity() == (kind, key))
    }

    /// The names of its tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        let tools = self.items.iter().filter(|item| item.kind == Kind::Tool);
        tools.map(|item| item.key.as_str())
    }

    /// Puts `item` in the place of the one of the same kind and key, or adds it in order.
    pub fn put(&mut self, item: PinnedItem) {
        match self
            .items
            .binary_search_by(|old| old.identity().cmp(&item.identity()))
        {
            Ok(at) => self.items[at] = item,
            Err(at) => self.items.insert(at, item),
        }
    }

    /// Whether everything but the items is the same, lines aside.
    pub(super) fn same_head(&self, other: &Entry) -> bool {
        let Entry {
            name,
            profile,
            launch,
            protocol,
            capabilities,
            implementation,
            instructions,
            volatile,
            items: _,
            line: _,
        } = self;
        *name == other.name
            && *profile == other.profile
            && *launch == other.launch
            && *protocol == other.protocol
            && *capabilities == other.capabilities
            && *implementation == other.implementation
            && *instructions == other.instructions
            && *volatile == other.volatile
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.same_head(other) && self.items == other.items
    }
}

impl Eq for Entry {}

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
#[derive(Debug, Clone)]
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
    /// The contract: members in canonical order, numbers in canonical form.
    pub value: Value,
    /// Line of its table in the lockfile it was read from, from 1; 0 for one not read.
    pub line: usize,
}

impl PinnedItem {
    /// What tells the items of an entry apart, and their order.
    pub fn identity(&self) -> (Kind, &str) {
        (self.kind, &self.key)
    }

    /// `tool:NAME` and the like.
    pub fn label(&self) -> String {
        label(self.kind, &self.key)
    }
}

impl PartialEq for PinnedItem {
    fn eq(&self, other: &Self) -> bool {
        let PinnedItem {
            kind,
            key,
            contract,
            schema,
            description,
            value,
            line: _,
        } = self;
        *kind == other.kind
            && *key == other.key
            && *contract == other.contract
            && *schema == other.schema
            && *description == other.description
            && *value == other.value
    }
}

impl Eq for PinnedItem {}

/// `tool:NAME` and the like.
pub(super) fn label(kind: Kind, key: &str) -> String {
    format!("{kind}:{key}")
}
