//! Where servers come from: the command line, client configs and `mcplock.toml`.
//!
//! Reads files and the environment; starts nothing and knows no protocol. Raw forms (what a file
//! says) become a [`ServerSpec`] once they are known to be right.

mod assemble;
mod betrayed;
mod clients;
mod command_line;
mod credential;
mod dialect;
mod difference;
mod discover;
mod document;
mod dotenv;
mod elsewhere;
mod env;
mod fields;
mod guard_entry;
mod headers_helper;
mod launch;
mod lines;
mod merge;
mod paths;
mod pinned;
mod policy;
mod policy_reader;
mod project;
mod redact;
mod resolve;
mod secret;
mod spec;
mod spelling;
mod stored;
mod stray;
mod template;
mod version;

pub use clients::Client;
pub use command_line::CommandLineServer;
pub use difference::LaunchDifference;
pub use discover::{Discovered, FoundFile, OtherPlace, Sources, Standing, discover};
pub use elsewhere::Elsewhere;
pub use env::{Environment, INHERITED_UNIX, INHERITED_WINDOWS, Platform};
#[cfg(test)]
pub(crate) use guard_entry::WITH_VALUE as GUARD_FLAGS_WITH_VALUE;
pub use headers_helper::HeadersHelper;
pub use launch::{Launch, PINNED_VARIABLES, REDACTED, Target, is_pinned_variable};
pub use pinned::{LockPlace, PinnedServer};
pub use policy::{
    ConfiguredProjection, FarSide, LevelOverride, LimitSettings, POLICY_NAME, Policy,
    ServerSettings, Setting, VolatileWords, Waiver, parse_duration,
};
pub use project::{LOCKFILE_NAME, Project};
pub use secret::{Redactor, Secret};
pub use spec::{
    HttpKind, Origin, ResolvedLaunch, ResolvedTarget, ServerName, ServerSpec, SourceKind,
    ToolFilter,
};
pub use version::{Unversioned, unversioned};
