//! JSON Schema: dialects, references, well-formedness, and whether one schema includes another.
//!
//! Pure; nothing is ever fetched for a `$ref`.
