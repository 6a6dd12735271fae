//! JSON Schema: dialects, references, well-formedness, and whether one schema includes another.
//!
//! Pure; nothing is ever fetched for a `$ref`.

mod adapt;
pub mod bridge;
mod cost;
pub mod dialect;
mod graph;
pub mod inclusion;
pub mod keywords;
pub mod outline;
pub mod pattern;
mod quick;
pub mod reason;
pub mod refs;
mod trail;
pub mod uri;
pub mod validate;
mod verdict;
mod vocabulary;
pub mod wellformed;

pub use dialect::{Declared, Dialect, Undeclared};
pub use outline::{Budget, Outline, Subschema};
pub use reason::Reason;
pub use refs::{RefKeyword, Reference, References, Target, references};
pub use validate::Validator;
pub use verdict::{Formats, Limit, Unusable, Verdict};
pub use vocabulary::{settled, unknown_vocabulary};
pub use wellformed::{Flaw, flaws};
