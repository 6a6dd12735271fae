//! The lockfile: its model, its one byte form, reading it with places, and replacing it safely.
//!
//! `docs/lockfile.md` is the specification. Only `store` touches files.

mod model;

pub use model::{Entry, Lockfile, PinnedItem, PinnedText, Volatile};

/// The `version` that this program reads and writes.
pub const VERSION: i64 = 1;
