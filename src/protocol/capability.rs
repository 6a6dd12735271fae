//! What mcplock declares that it can do for a server.

use std::collections::BTreeSet;
use std::fmt;

/// A capability of a client. Catalogs depend on what is declared, so the lockfile records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Capability {
    /// The server may ask the user for input. Always declined.
    Elicitation,
    /// The server may ask for the working folders. Answered with the one that is configured.
    Roots,
    /// The server may ask for a completion of the model. Always declined.
    Sampling,
}

impl Capability {
    /// All capabilities, sorted by name.
    pub const ALL: [Capability; 3] = [
        Capability::Elicitation,
        Capability::Roots,
        Capability::Sampling,
    ];

    /// Its name in the protocol and in the lockfile.
    pub fn as_str(self) -> &'static str {
        match self {
            Capability::Elicitation => "elicitation",
            Capability::Roots => "roots",
            Capability::Sampling => "sampling",
        }
    }

    /// The capability of that name, if mcplock can declare it.
    pub fn parse(name: &str) -> Option<Capability> {
        Capability::ALL
            .into_iter()
            .find(|capability| capability.as_str() == name)
    }

    /// All of them: what is declared unless told otherwise.
    pub fn all() -> BTreeSet<Capability> {
        Capability::ALL.into_iter().collect()
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
