//! The bounds on what one server may cost, and the flag that sets each.
//!
//! Pure. Every limit is named in the message that it causes, so that whoever meets it knows what
//! to turn.

use std::time::Duration;

use crate::error::Error;

/// Bounds on one run against one server; the defaults are those of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one message (one line, one HTTP body, one event).
    pub message: usize,
    /// Bytes of all items of all lists together.
    pub catalog: usize,
    /// Items in one list.
    pub items: usize,
    /// Pages of one list.
    pub pages: usize,
    /// Messages that answer nothing: requests, notifications, stray replies, other output.
    pub unasked: usize,
    /// How often lists are read anew because the server said that they changed.
    pub relists: usize,
    /// Bytes of standard error that are kept for messages; it is always read to its end.
    pub stderr: usize,
    /// From the start of the process to the end of the handshake.
    pub start: Duration,
    /// From a request to its reply.
    pub request: Duration,
    /// The whole run.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            message: 16 << 20,
            catalog: 64 << 20,
            items: 10_000,
            pages: 1_000,
            unasked: 10_000,
            relists: 5,
            stderr: 64 << 10,
            start: Duration::from_secs(60),
            request: Duration::from_secs(30),
            total: Duration::from_secs(120),
        }
    }
}

/// One of the [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`Limits::message`]
    Message,
    /// [`Limits::catalog`]
    Catalog,
    /// [`Limits::items`]
    Items,
    /// [`Limits::pages`]
    Pages,
    /// [`Limits::unasked`]
    Unasked,
    /// [`Limits::relists`]
    Relists,
    /// [`Limits::stderr`]
    Stderr,
    /// [`Limits::start`]
    Start,
    /// [`Limits::request`]
    Request,
    /// [`Limits::total`]
    Total,
}

impl Limit {
    /// Every limit, in the order of [`Limits`].
    pub const ALL: [Limit; 10] = [
        Limit::Message,
        Limit::Catalog,
        Limit::Items,
        Limit::Pages,
        Limit::Unasked,
        Limit::Relists,
        Limit::Stderr,
        Limit::Start,
        Limit::Request,
        Limit::Total,
    ];

    /// The flag that sets it; in `mcplock.toml` the same word without the dashes.
    pub const fn flag(self) -> &'static str {
        match self {
            Limit::Message => "--max-message",
            Limit::Catalog => "--max-catalog",
            Limit::Items => "--max-items",
            Limit::Pages => "--max-pages",
            Limit::Unasked => "--max-unasked",
            Limit::Relists => "--max-relists",
            Limit::Stderr => "--max-stderr",
            Limit::Start => "--start-timeout",
            Limit::Request => "--request-timeout",
            Limit::Total => "--timeout",
        }
    }
}

impl Limits {
    /// The value of a limit, as a message shows it: `16 MiB`, `10000`, `30 s`.
    pub fn shown(&self, limit: Limit) -> String {
        match limit {
            Limit::Message => bytes(self.message),
            Limit::Catalog => bytes(self.catalog),
            Limit::Stderr => bytes(self.stderr),
            Limit::Items => self.items.to_string(),
            Limit::Pages => self.pages.to_string(),
            Limit::Unasked => self.unasked.to_string(),
            Limit::Relists => self.relists.to_string(),
            Limit::Start => seconds(self.start),
            Limit::Request => seconds(self.request),
            Limit::Total => seconds(self.total),
        }
    }

    /// The error of a limit that was met: `said`, the bound, and the flag that raises it.
    pub(crate) fn met(&self, limit: Limit, said: &str) -> Error {
        Error::server(format!(
            "{said} (limit {}, `{}`)",
            self.shown(limit),
            limit.flag()
        ))
        .help(match limit {
            Limit::Start | Limit::Request | Limit::Total => {
                format!("if it only needs longer, raise `{}`", limit.flag())
            }
            _ => format!("if it is to be trusted with more, raise `{}`", limit.flag()),
        })
    }
}

/// A size in the largest unit that divides it.
fn bytes(count: usize) -> String {
    if count >= 1 << 20 && count.is_multiple_of(1 << 20) {
        format!("{} MiB", count >> 20)
    } else if count >= 1 << 10 && count.is_multiple_of(1 << 10) {
        format!("{} KiB", count >> 10)
    } else {
        format!("{count} bytes")
    }
}

/// A duration in seconds, with a fraction only when it has one.
pub(crate) fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_flag_of_its_own_and_its_message_names_it() {
        let limits = Limits::default();
        let mut flags = std::collections::BTreeSet::new();
        for limit in Limit::ALL {
            assert!(flags.insert(limit.flag()));
            let error = limits.met(limit, "too much");
            assert!(error.message().contains(limit.flag()));
            assert!(error.message().contains(&limits.shown(limit)));
        }
    }

    #[test]
    fn sizes_and_times_are_shown_in_the_unit_that_people_write() {
        let limits = Limits::default();
        assert_eq!(limits.shown(Limit::Message), "16 MiB");
        assert_eq!(limits.shown(Limit::Stderr), "64 KiB");
        assert_eq!(limits.shown(Limit::Start), "60 s");
        assert_eq!(bytes(1000), "1000 bytes");
        assert_eq!(seconds(Duration::from_millis(1500)), "1.5 s");
    }
}
