//! Catalogs: what a server advertises, item by item.
//!
//! Pure. Each item keeps its bytes and a lossless tree, so that one bad item never hides another.

mod fetched;
mod item;
mod saved;

pub use crate::protocol::Kind;
pub use item::Item;
pub use saved::{read_saved, write_saved};

use crate::json::Document;
use crate::protocol::Revision;

/// All that a server advertises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The revision that answered; none when a saved catalog does not say.
    pub revision: Option<Revision>,
    /// Client capabilities that were declared, sorted; empty when a saved catalog does not say.
    pub declared: Vec<String>,
    /// Name and version as the server says, e.g. `secure-filesystem-server 0.2.0`; safe to show.
    pub implementation: Option<String>,
    /// The server's `instructions`; see [`Instructions`].
    pub instructions: Instructions,
    /// Kinds that were listed, in order. A kind that is absent was not offered.
    pub listed: Vec<Kind>,
    /// Kinds of which nothing is known (a saved catalog without that list): not judged.
    pub unknown: Vec<Kind>,
    /// The items, in the order received, kind by kind.
    pub items: Vec<Item>,
    /// Things worth telling that are no errors; safe to show.
    pub remarks: Vec<String>,
    /// What may be missing from it for all that; safe to show.
    pub doubts: Vec<String>,
}

impl Catalog {
    /// The items of one kind, in the order received.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.kind == kind)
    }

    /// The item with that key; of several, the first.
    pub fn find(&self, kind: Kind, key: &str) -> Option<&Item> {
        self.of_kind(kind)
            .find(|item| item.key.as_deref() == Some(key))
    }

    /// Whether nothing is known of a kind, so that it must not be judged.
    pub fn is_unknown(&self, kind: Kind) -> bool {
        self.unknown.contains(&kind)
    }
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
