//! One file: its text, its JSON values, and errors with their place in it.

use std::ops::Range;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::json::{self, SyntaxError, line_column, without_bom};

/// A file of a saved catalog.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) path: &'t Path,
    pub(super) text: &'t str,
}

/// The members of an object: names, and where the values stand.
pub(super) struct Members(Vec<(String, Range<usize>)>);

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<Range<usize>> {
        let found = self.0.iter().find(|(member, _)| member == name);
        found.map(|(_, span)| span.clone())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0
            .iter()
            .map(|(name, span)| (name.as_str(), span.start))
    }
}

impl<'t> Source<'t> {
    /// The file with the contents `bytes`, which must be UTF-8 and hold something.
    pub(super) fn new(path: &'t Path, bytes: &'t [u8]) -> Result<Self> {
        let bytes = without_bom(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let error = SyntaxError::at(bytes, error.valid_up_to(), "invalid UTF-8");
            syntax(path, &error)
        })?;
        if text.trim().is_empty() {
            return Err(Error::new(ErrorKind::File, "the file is empty")
                .in_file(path)
                .help("save the catalog again: an empty file is not an empty list"));
        }
        Ok(Source { path, text })
    }

    /// The values that stand one after another, as in JSON Lines.
    ///
    /// Each may have a byte order mark before it, as some programs begin every message with one.
    pub(super) fn values(&self) -> Result<Vec<Range<usize>>> {
        let mut found = Vec::new();
        let mut at = 0;
        loop {
            let rest = self.text[at..].trim_start_matches([' ', '\t', '\r', '\n']);
            let rest = rest.strip_prefix('\u{feff}').unwrap_or(rest);
            at = self.text.len() - rest.len();
            match json::next_value(self.text, at).map_err(|error| syntax(self.path, &error))? {
                None => return Ok(found),
                Some(span) => {
                    at = span.end;
                    found.push(span);
                }
            }
        }
    }

    /// The text of a value.
    pub(super) fn slice(&self, span: &Range<usize>) -> &'t str {
        &self.text[span.clone()]
    }

    /// The members of the object at `span`; none when there stands another value.
    pub(super) fn members(&self, span: &Range<usize>) -> Result<Option<Members>> {
        if !self.slice(span).starts_with('{') {
            return Ok(None);
        }
        let members = json::members(self.text, span.start);
        Ok(Some(Members(members.map_err(|e| syntax(self.path, &e))?)))
    }

    /// The elements of the array at `span`; none when there stands another value.
    pub(super) fn elements(&self, span: &Range<usize>) -> Result<Option<Vec<Range<usize>>>> {
        if !self.slice(span).starts_with('[') {
            return Ok(None);
        }
        let elements = json::elements(self.text, span.start);
        Ok(Some(elements.map_err(|e| syntax(self.path, &e))?))
    }

    /// An error at a byte offset.
    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> Error {
        let (line, column) = line_column(self.text.as_bytes(), offset);
        Error::new(ErrorKind::File, message)
            .in_file(self.path)
            .at_line(line, Some(column))
    }

    /// The line of a byte offset, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        line_column(self.text.as_bytes(), offset).0
    }
}

fn syntax(path: &Path, error: &SyntaxError) -> Error {
    Error::new(ErrorKind::File, format!("not JSON: {}", error.message))
        .in_file(path)
        .at_line(error.line, Some(error.column))
}
