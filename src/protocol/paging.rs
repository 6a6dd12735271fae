//! Collects the pages of one list, bounded in every direction.
//!
//! Pure: it is handed results and says which cursor comes next.

use std::collections::HashSet;

use serde_json::value::RawValue;

use super::Kind;
use super::members::{Unreadable, elements, members};
use crate::error::{Error, Result};
use crate::transport::{Limit, Limits, Quoter};

/// How much of a cursor a message quotes.
const QUOTED: usize = 60;

/// The pages of one list so far.
#[derive(Debug)]
pub(crate) struct Pages {
    kind: Kind,
    items: Vec<Box<RawValue>>,
    cursors: HashSet<String>,
    taken: usize,
    bytes: usize,
}

impl Pages {
    pub(crate) fn new(kind: Kind) -> Self {
        Pages {
            kind,
            items: Vec::new(),
            cursors: HashSet::new(),
            taken: 0,
            bytes: 0,
        }
    }

    /// Takes one result; the cursor of the next page as sent, if there is one. The presence of
    /// `nextCursor` decides, and the empty string is a cursor like any other. `others` is the size
    /// in bytes of the other lists of the catalog.
    pub(crate) fn take(
        &mut self,
        result: &RawValue,
        others: usize,
        limits: &Limits,
        quoter: &Quoter,
    ) -> Result<Option<Box<RawValue>>> {
        let member = self.kind.list_member();
        let method = self.kind.method();
        let [items, cursor] =
            members(result.get(), [member, "nextCursor"]).map_err(|why| match why {
                Unreadable::Twice(name) => {
                    malformed(format!("its reply to `{method}` holds `{name}` twice"))
                }
                Unreadable::NotAnObject | Unreadable::NotJson => {
                    malformed(format!("its reply to `{method}` is no object"))
                }
            })?;
        let Some(items) = items else {
            return Err(malformed(format!(
                "its reply to `{method}` has no `{member}`"
            )));
        };
        let room = limits.items - self.items.len().min(limits.items);
        let Some((items, more)) = elements(items.get(), room) else {
            return Err(malformed(format!(
                "`{member}` in its reply to `{method}` is no array"
            )));
        };
        if more {
            return Err(limits.met(Limit::Items, &format!("`{method}` has too many items")));
        }
        self.taken += 1;
        self.bytes += items.iter().map(|item| item.get().len()).sum::<usize>();
        let cursor = cursor.filter(|cursor| cursor.get() != "null");
        self.bytes += cursor.map_or(0, |cursor| cursor.get().len());
        if self.bytes + others > limits.catalog {
            return Err(limits.met(Limit::Catalog, "its catalog is too large"));
        }
        self.items.extend(items.into_iter().map(ToOwned::to_owned));
        let Some(cursor) = cursor else {
            return Ok(None);
        };
        let raw = cursor.get();
        if !raw.starts_with('"') {
            return Err(malformed(format!(
                "`nextCursor` in its reply to `{method}` is no string"
            )));
        }
        // Compared unescaped, so that another spelling of one cursor is still the same cursor.
        let plain = serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned());
        if !self.cursors.insert(plain) {
            return Err(Error::server(format!(
                "`{method}` never ends: its page {} gives the cursor {} a second time",
                self.taken,
                quoter.line(raw.as_bytes(), QUOTED)
            ))
            .help("report it to the author of the server: a cursor must lead on"));
        }
        if self.taken >= limits.pages {
            return Err(limits.met(Limit::Pages, &format!("`{method}` has too many pages")));
        }
        Ok(Some(cursor.to_owned()))
    }

    /// Its size in bytes so far.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The items of all pages.
    pub(crate) fn into_items(self) -> Vec<Box<RawValue>> {
        self.items
    }
}

/// A reply that breaks the specification.
pub(super) fn malformed(message: String) -> Error {
    Error::server(message).help("report it to the author of the server: no client can read this")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn run(pages: &[&str], limits: &Limits) -> Result<Vec<String>> {
        let mut list = Pages::new(Kind::Tool);
        for (at, page) in pages.iter().enumerate() {
            let next = list.take(&raw(page), 0, limits, &Quoter::default())?;
            assert_eq!(next.is_some(), at + 1 < pages.len(), "{page}");
        }
        Ok(list
            .into_items()
            .iter()
            .map(|item| item.get().to_owned())
            .collect())
    }

    fn message(pages: &[&str], limits: &Limits) -> String {
        run(pages, limits).unwrap_err().message().to_owned()
    }

    #[test]
    fn pages_go_on_while_there_is_a_cursor_even_an_empty_one_and_over_empty_pages() {
        let pages = [
            r#"{"tools":[1],"nextCursor":""}"#,
            r#"{"tools":[],"nextCursor":"p 2/ü=="}"#,
            r#"{"tools":[{"a":1.50}, 3],"nextCursor":null}"#,
        ];
        assert_eq!(
            run(&pages, &Limits::default()).unwrap(),
            ["1", r#"{"a":1.50}"#, "3"]
        );
    }

    #[test]
    fn a_cursor_that_comes_again_is_an_error_however_it_is_spelled() {
        let limits = Limits::default();
        for second in [r#""A""#, r#""\u0041""#] {
            let page = format!(r#"{{"tools":[],"nextCursor":{second}}}"#);
            let pages = [r#"{"tools":[],"nextCursor":"A"}"#, &page, ""];
            let said = message(&pages, &limits);
            assert!(said.contains("page 2 gives the cursor"), "{said}");
        }
    }

    #[test]
    fn every_bound_names_its_flag() {
        let limits = Limits {
            items: 2,
            pages: 1,
            ..Limits::default()
        };
        let said = message(&[r#"{"tools":[1,2,3]}"#], &limits);
        assert!(said.contains("`--max-items`"), "{said}");
        let said = message(&[r#"{"tools":[],"nextCursor":"a"}"#, ""], &limits);
        assert!(said.contains("`--max-pages`"), "{said}");
        let limits = Limits {
            catalog: 4,
            ..Limits::default()
        };
        assert!(run(&[r#"{"tools":[1234]}"#], &limits).is_ok());
        let said = message(&[r#"{"tools":[12345]}"#], &limits);
        assert!(said.contains("`--max-catalog`"), "{said}");
    }

    #[test]
    fn the_bound_on_items_holds_over_all_pages() {
        let limits = Limits {
            items: 2,
            ..Limits::default()
        };
        let page = r#"{"tools":[1,2],"nextCursor":"a"}"#;
        let said = message(&[page, r#"{"tools":[3]}"#], &limits);
        assert!(said.contains("`--max-items`"), "{said}");
        assert!(run(&[page, r#"{"tools":[]}"#], &limits).is_ok());
    }

    #[test]
    fn a_result_that_can_be_read_in_two_ways_or_none_is_an_error() {
        let limits = Limits::default();
        for (page, says) in [
            (r#"{"tools":[],"tools":[]}"#, "`tools` twice"),
            (
                r#"{"tools":[],"nextCursor":"a","nextCursor":"b"}"#,
                "`nextCursor` twice",
            ),
            (r#"{"prompts":[]}"#, "no `tools`"),
            (r#"{"tools":null}"#, "no array"),
            (r#"{"tools":[],"nextCursor":1}"#, "no string"),
            ("[]", "no object"),
        ] {
            let said = message(&[page], &limits);
            assert!(said.contains(says), "{page}: {said}");
        }
    }
}
