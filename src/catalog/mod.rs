//! Catalogs: what a server advertises, item by item.
//!
//! Pure. Each item keeps its bytes and a lossless tree, so that one bad item never hides another.

use crate::json::{Document, Value};
pub use crate::protocol::Kind;
use crate::protocol::Revision;

/// All that a server advertises.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// The revision that answered; none when a saved catalog does not say.
    pub revision: Option<Revision>,
    /// Client capabilities that were declared, sorted.
    pub declared: Vec<String>,
    /// Name and version as the server says, e.g. `secure-filesystem-server 0.2.0`.
    pub implementation: Option<String>,
    /// The server's `instructions`; see [`Instructions`].
    pub instructions: Instructions,
    /// Kinds that were listed, in order. A kind that is absent was not offered.
    pub listed: Vec<Kind>,
    /// Kinds of which nothing is known (a saved catalog without that list): not judged.
    pub unknown: Vec<Kind>,
    /// The items, in the order received, kind by kind.
    pub items: Vec<Item>,
    /// Things worth telling that are no errors.
    pub remarks: Vec<String>,
}

/// What is known of a server's `instructions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instructions {
    /// The source does not say (a saved `tools/list` reply): not judged.
    Unknown,
    /// The server gives none.
    Absent,
    /// Anything that the server sent as `instructions`, a string if it keeps to the specification.
    Present(Document),
}

/// One tool, prompt, resource or template.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its kind.
    pub kind: Kind,
    /// Its name or URI; none when the key is missing, not a string, or itself defective.
    pub key: Option<String>,
    /// Position in its list, from 0: names an item that has no key.
    pub position: usize,
    /// The bytes as received.
    pub raw: Box<str>,
    /// The tree and its defects.
    pub document: Document,
}

impl Item {
    /// `tool:NAME`, or `tool:#3` for an item without a key.
    pub fn label(&self) -> String {
        match &self.key {
            Some(key) => format!("{}:{key}", self.kind),
            None => format!("{}:#{}", self.kind, self.position),
        }
    }

    /// The tree.
    pub fn value(&self) -> &Value {
        &self.document.value
    }
}
