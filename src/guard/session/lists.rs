//! The guard's own lists: all pages, replaced as a whole, equal bytes known without parsing.

use std::ops::Range;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::catalog::Kind;
use crate::error::{Error, Result};
use crate::protocol::method::{self, list_params};
use crate::protocol::modern;
use crate::protocol::paging::Pages;
use crate::transport::Limit;

use super::super::decision::{Decision, Reason};
use super::super::refusal::NO_METHOD;
use super::{Asked, Era, Outgo, Session};

/// What is known of the list of a kind.
#[derive(Debug)]
pub(super) struct Known {
    /// Its pages as they came.
    pages: Vec<Page>,
    /// When the last complete listing began and ended, in events.
    pub(super) begun: u64,
    pub(super) done: u64,
    /// When it ended.
    pub(super) listed_at: Instant,
    /// It must be listed again, however young it is.
    pub(super) stale: bool,
    /// The last attempt that failed, when, and why.
    pub(super) failed: Option<(u64, Box<Decision>)>,
}

impl Known {
    fn nothing(now: Instant) -> Self {
        Known {
            pages: Vec::new(),
            begun: 0,
            done: 0,
            listed_at: now,
            stale: true,
            failed: None,
        }
    }
}

/// One page as it came.
#[derive(Debug, Clone)]
struct Page {
    line: Bytes,
    /// Where its id stands, quotes included.
    id: Range<usize>,
    result: Range<usize>,
    /// The cursor of the next page, as sent.
    cursor: Option<String>,
}

impl Page {
    fn result(&self) -> &[u8] {
        &self.line[self.result.clone()]
    }
}

/// A listing under way.
#[derive(Debug)]
pub(super) struct Listing {
    /// The id of the request that is open.
    id: String,
    token: u64,
    begun: u64,
    started: Instant,
    deadline: Instant,
    /// Whether every page so far is that of the last complete listing.
    same: bool,
    pages: Vec<Page>,
    /// The pages read, once one of them differs.
    read: Pages,
    /// The server said on the way that the list changed.
    changed: bool,
    rounds: usize,
}

impl Session {
    /// Lists a kind, unless that is under way.
    pub(super) fn list(&mut self, kind: Kind, now: Instant) {
        if !self.listings.contains_key(&kind) {
            self.begin(kind, 0, now);
        }
    }

    fn begin(&mut self, kind: Kind, rounds: usize, now: Instant) {
        let begun = self.tick();
        let (id, token) = self.ask_list(kind, None);
        self.listings.insert(
            kind,
            Listing {
                id,
                token,
                begun,
                started: now,
                deadline: now + self.behaviour.limits.request,
                same: true,
                pages: Vec::new(),
                read: Pages::new(kind),
                changed: false,
                rounds,
            },
        );
    }

    fn ask_list(&mut self, kind: Kind, cursor: Option<&str>) -> (String, u64) {
        let (id, token) = (self.ids.next(), self.token());
        let mut params = list_params(cursor);
        if self.era == Era::Modern
            && let Some(meta) = &self.meta
        {
            params = method::with_meta(&params, meta);
        }
        let method = kind.method();
        let text = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"method\":\"{method}\",\"params\":{params}}}\n"
        );
        self.to_server.push_back(Outgo {
            bytes: text.into(),
            request: Some(Asked {
                token,
                method: method.to_owned(),
                key: None,
            }),
            revision: self.view.agent().revision,
            initialized: false,
        });
        (id, token)
    }

    /// Whether a line is the very reply that is awaited, but for its id: then it is taken.
    pub(super) fn is_same_page(&mut self, line: &Bytes, now: Instant) -> bool {
        let found = self.listings.iter().find_map(|(kind, listing)| {
            if !listing.same {
                return None;
            }
            let page = self.known.get(kind)?.pages.get(listing.pages.len())?;
            let (start, end) = (page.id.start, page.id.end);
            let same = line.len() == page.line.len()
                && end - start == listing.id.len() + 2
                && line[start + 1..end - 1] == *listing.id.as_bytes()
                && line[..=start] == page.line[..=start]
                && line[end - 1..] == page.line[end - 1..];
            same.then(|| (*kind, page.clone()))
        });
        let Some((kind, page)) = found else {
            return false;
        };
        self.next_page(kind, page, now);
        true
    }

    /// The kind whose list is awaited under an id (without quotes).
    pub(super) fn awaited(&self, id: &str) -> Option<Kind> {
        self.listings
            .iter()
            .find(|(_, listing)| listing.id == id)
            .map(|(kind, _)| *kind)
    }

    /// The kind whose list is awaited under a token.
    pub(super) fn awaited_by_token(&self, token: u64) -> Option<Kind> {
        self.listings
            .iter()
            .find(|(_, listing)| listing.token == token)
            .map(|(kind, _)| *kind)
    }

    /// The result of an own list came.
    pub(super) fn listed(
        &mut self,
        kind: Kind,
        line: &Bytes,
        id: Range<usize>,
        result: Range<usize>,
        now: Instant,
    ) {
        match self.read_page(kind, line, id, result) {
            Ok(page) => self.next_page(kind, page, now),
            Err(error) => self.no_list(kind, &error, now),
        }
    }

    fn read_page(
        &mut self,
        kind: Kind,
        line: &Bytes,
        id: Range<usize>,
        result: Range<usize>,
    ) -> Result<Page> {
        let known = self.known.get(&kind);
        let Some(listing) = self.listings.get_mut(&kind) else {
            return Err(Error::server("its list was not asked for"));
        };
        let before = known.and_then(|known| known.pages.get(listing.pages.len()));
        if listing.same
            && let Some(before) = before
            && before.result() == &line[result.clone()]
        {
            return Ok(before.clone());
        }
        let (limits, quoter) = (self.behaviour.limits, &self.behaviour.quoter);
        let mut read = |bytes: &[u8]| -> Result<Option<String>> {
            let malformed = || {
                Error::server(format!("its reply to `{}` is no JSON", kind.method()))
                    .help("report it to the author of the server: no client can read this")
            };
            let text = std::str::from_utf8(bytes).map_err(|_| malformed())?;
            let raw: &RawValue = serde_json::from_str(text).map_err(|_| malformed())?;
            modern::complete(raw, kind.method(), quoter)?;
            let cursor = listing.read.take(raw, 0, &limits, quoter)?;
            Ok(cursor.map(|cursor| cursor.get().to_owned()))
        };
        if listing.same {
            // Up to here the pages were known: now they have to be read after all.
            for page in &listing.pages {
                read(page.result())?;
            }
        }
        let cursor = read(&line[result.clone()])?;
        listing.same = false;
        Ok(Page {
            // A copy, since the line may be a part of a larger buffer.
            line: Bytes::copy_from_slice(line),
            id,
            result,
            cursor,
        })
    }

    fn next_page(&mut self, kind: Kind, page: Page, now: Instant) {
        let cursor = page.cursor.clone();
        if let Some(listing) = self.listings.get_mut(&kind) {
            listing.pages.push(page);
        }
        let Some(cursor) = cursor else {
            self.complete(kind, now);
            return;
        };
        let (id, token) = self.ask_list(kind, Some(&cursor));
        let most = self.behaviour.limits.request;
        if let Some(listing) = self.listings.get_mut(&kind) {
            (listing.id, listing.token) = (id, token);
            listing.deadline = now + most;
        }
    }

    /// The last page has come.
    fn complete(&mut self, kind: Kind, now: Instant) {
        let Some(listing) = self.listings.remove(&kind) else {
            return;
        };
        if listing.changed {
            if listing.rounds >= self.behaviour.limits.relists {
                let error = self.behaviour.limits.met(
                    Limit::Relists,
                    "its list never settles: it says again and again that it has changed",
                );
                self.listings.insert(kind, listing);
                self.no_list(kind, &error, now);
                return;
            }
            self.keep(kind, listing.pages, listing.same, listing.read, now);
            self.begin(kind, listing.rounds + 1, now);
            return;
        }
        self.keep(kind, listing.pages, listing.same, listing.read, now);
        let done = self.tick();
        if let Some(known) = self.known.get_mut(&kind) {
            known.begun = listing.begun;
            known.done = done;
            known.listed_at = now;
            known.stale = false;
            known.failed = None;
        }
        self.pump(now);
    }

    /// Puts a complete list in the place of the last one.
    fn keep(&mut self, kind: Kind, pages: Vec<Page>, same: bool, read: Pages, now: Instant) {
        let known = self
            .known
            .entry(kind)
            .or_insert_with(|| Known::nothing(now));
        if same && self.view.list(kind).is_some() {
            return;
        }
        let Ok(gate) = &self.gate else { return };
        let items = read.into_items();
        let agent = self.view.agent().clone();
        let judged = gate.judge(kind, items.iter().map(|item| item.get()), &agent);
        known.pages = pages;
        self.view.put(kind, judged);
    }

    /// An own list was answered with an error.
    pub(super) fn list_refused(&mut self, kind: Kind, code: Option<i64>, said: &str, now: Instant) {
        let first = self
            .listings
            .get(&kind)
            .is_some_and(|listing| listing.pages.is_empty());
        if code == Some(NO_METHOD) && first {
            // A server without this list offers nothing of the kind.
            if let Some(listing) = self.listings.get_mut(&kind) {
                listing.same = false;
            }
            self.complete(kind, now);
            return;
        }
        let said = self.behaviour.quoter.line(said.as_bytes(), 200);
        let colon = if said.is_empty() { "" } else { ": " };
        let code = code.map_or_else(String::new, |code| format!(" {code}"));
        let error = Error::server(format!(
            "it answered `{}` with error{code}{colon}{said}",
            kind.method()
        ));
        self.no_list(kind, &error, now);
    }

    /// A list can't be had: every call that waits for it is refused.
    pub(super) fn no_list(&mut self, kind: Kind, error: &Error, now: Instant) {
        self.listings.remove(&kind);
        let when = self.tick();
        let decision = Decision::new("", Reason::NoList).says(
            format!(
                "what the server lists now could not be learned: {}",
                error.message()
            ),
            error.help_text().unwrap_or("look at the server"),
        );
        let known = self
            .known
            .entry(kind)
            .or_insert_with(|| Known::nothing(now));
        known.stale = true;
        known.failed = Some((when, Box::new(decision)));
        self.pump(now);
    }

    /// The server says that the list of a kind changed, or an agent's own list shows it.
    pub(super) fn invalidate(&mut self, kind: Kind) {
        if let Some(known) = self.known.get_mut(&kind) {
            known.stale = true;
        }
        if let Some(listing) = self.listings.get_mut(&kind) {
            listing.changed = true;
        }
    }

    /// When something has to be looked at again.
    pub(in super::super) fn due(&self) -> Option<Instant> {
        self.listings.values().map(|listing| listing.deadline).min()
    }

    /// Time has passed: a list that is overdue is given up. One behind an earlier request of the
    /// agent may take longer, since not every server works on two at once.
    pub(in super::super) fn time_passed(&mut self, now: Instant) {
        let busy = self.open_requests() > 0;
        let limits = self.behaviour.limits;
        let mut late = Vec::new();
        for (kind, listing) in &mut self.listings {
            if listing.deadline > now {
                continue;
            }
            let over = now.saturating_duration_since(listing.started) >= limits.total;
            if busy && !over {
                listing.deadline = now + Duration::from_millis(500);
            } else {
                let limit = if over { Limit::Total } else { Limit::Request };
                late.push((*kind, limit));
            }
        }
        for (kind, limit) in late {
            let said = format!("it did not answer `{}` in time", kind.method());
            self.no_list(kind, &limits.met(limit, &said), now);
        }
    }
}
