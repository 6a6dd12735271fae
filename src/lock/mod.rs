//! The lockfile: its model, its one byte form, reading it with places, and replacing it safely.
//!
//! `docs/lockfile.md` is the specification. Only `store` touches files, and only `git` asks
//! the `git` program.

mod build;
mod decode;
mod encode;
mod equal;
mod git;
mod model;
mod render;
mod steady;
mod store;
mod volatile;

pub use build::{Built, NotPinnable, WhyNot, build_entry, pin_instructions, pin_item};
pub use decode::{Source, decode};
pub use encode::{encode, layout, volatile_entries};
pub use equal::updated;
pub use git::load_revision;

pub use model::{Entry, Lockfile, PinnedItem, PinnedText, Volatile};
pub use steady::{NotWords, Open, Start, Unsteady, unsteady};
pub use store::{Outcome, load, update};
pub use volatile::{Replaced, Words};

/// The `version` that this program reads and writes.
pub const VERSION: i64 = 1;
