//! A launch as the lockfile stores and compares it: templates, never values.

use std::collections::BTreeMap;

/// Stands in a stored launch for a literal that looks like a credential; equal to anything.
pub const REDACTED: &str = "<redacted>";

/// How a server is started or reached, in one variable dialect (`${NAME}`, `${NAME:-default}`,
/// `${workspace}`, `$$` for a dollar sign), whatever client config it came from.
///
/// This is what `mcp-lock.toml` holds, so it never contains a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// What is started or reached.
    pub target: Target,
    /// Working folder relative to the lockfile; only when the config sets one.
    pub cwd: Option<String>,
    /// Names of the variables that the config sets, sorted.
    pub env: Vec<String>,
    /// Values of those variables of a closed set that load code or redirect downloads.
    pub env_values: BTreeMap<String, String>,
}

/// What a launch starts or reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program with its arguments, spoken to over its standard streams.
    Command(Vec<String>),
    /// An HTTP endpoint and the templates of the headers sent to it.
    Url {
        /// The URL template.
        url: String,
        /// Header names and value templates.
        headers: BTreeMap<String, String>,
    },
}
