//! Inclusion of schemas, at the level where the other stages see it.

mod claims;
mod hostile;
mod pairs;
mod properties;
mod suites;
