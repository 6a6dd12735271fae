//! Where servers come from: the command line, client configs and `mcplock.toml`.
//!
//! Reads files and the environment; starts nothing and knows no protocol. Raw forms (what a file
//! says) become a [`ServerSpec`] once they are known to be right.

mod launch;
mod secret;
mod spec;

pub use launch::{Launch, REDACTED, Target};
pub use secret::Secret;
pub use spec::{Origin, ResolvedLaunch, ResolvedTarget, ServerName, ServerSpec, SourceKind};
