//! What two starts of a server did not agree on: the entries to add to `mcplock.toml`, and what no
//! entry can cover.
//!
//! Pure. The entries are lines to be copied, so no format breaks them.

use crate::config::ServerName;
use crate::lock::{Unsteady, volatile_entries};

use super::{ServerReport, sanitize};

/// What is said of one server, in the order in which it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Advice {
    /// The lines for `mcplock.toml`; empty where no word differs.
    pub(super) entries: Vec<String>,
    /// What no entry can cover, a sentence fragment each.
    pub(super) open: Vec<String>,
}

/// What to tell of a server; none for one that was steady or started once.
pub(super) fn advice(server: &ServerReport) -> Option<Advice> {
    let found = server.unsteady.as_ref()?;
    Some(Advice {
        entries: entries(server, found),
        open: found
            .open
            .iter()
            .map(|open| {
                let place = if open.pointer.is_empty() {
                    String::new()
                } else {
                    format!(" at `{}`", sanitize::literal(&open.pointer))
                };
                format!("`{}`{place} {}", sanitize::literal(&open.item), open.why)
            })
            .collect(),
    })
}

fn entries(server: &ServerReport, found: &Unsteady) -> Vec<String> {
    let Ok(name) = ServerName::new(&server.name) else {
        return Vec::new();
    };
    if found.words.is_empty() {
        return Vec::new();
    }
    volatile_entries(&name, server.profile.as_deref(), &found.words)
        .lines()
        .map(str::to_owned)
        .collect()
}
