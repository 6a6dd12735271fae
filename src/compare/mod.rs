//! Two catalogs, or an entry and a catalog, compared: what changed, where, and what it does.
//!
//! Pure. Yields [`Change`]s with their two axes; [`crate::rules`] decides their level. Two contracts
//! whose digests differ never compare to nothing.
//!
//! Data flows so: `catalog` pairs items (by key, and `rename` where a key went) and hands each changed one to `tool`, `prompt` or
//! `resource`; schemas go through `schema`, which asks `reach` what a place proves; `effect`
//! is where a verdict on a whole schema meets its single changes.

mod arguments;
mod branches;
mod catalog;
mod change;
mod cues;
mod effect;
mod emission;
mod follow;
mod keyword;
mod launch;
mod normal;
mod nullable;
mod place;
mod prompt;
mod reach;
mod rename;
mod resource;
mod safe;
mod schema;
mod single;
mod text;
mod through;
mod tool;
mod values;
mod verdict;
mod walk;

pub use catalog::{Comparison, Live, LiveText, compare, compare_items};
pub use change::{Basis, Callers, Change, ChangeKind, Counterpart, ItemDrift, Model, Witness};
pub use effect::{Effect, SchemaPair, Side, callers_effect};
pub(crate) use text::quoted;
