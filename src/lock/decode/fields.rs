//! The keys of one table: known ones only, of the right type, with their places.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Result};
use crate::text::visible;

use super::RESTORE;
use super::lines::Lines;

/// A table whose keys are all known.
pub(super) struct Fields<'a> {
    table: &'a DeTable<'a>,
    header: usize,
    lines: &'a Lines<'a>,
}

/// A string of the file and the range of its token.
pub(super) struct Text<'a> {
    pub(super) value: &'a str,
    pub(super) span: Range<usize>,
}

impl<'a> Fields<'a> {
    /// The table with its header at offset `header`; a key that is not among `known` is refused.
    pub(super) fn new(
        table: &'a DeTable<'a>,
        header: usize,
        lines: &'a Lines<'a>,
        known: &[&str],
    ) -> Result<Self> {
        let first = table
            .iter()
            .filter(|(key, _)| !known.contains(&key.get_ref().as_ref()))
            .min_by_key(|(key, _)| key.span().start);
        if let Some((key, _)) = first {
            return Err(lines
                .error(
                    key.span().start,
                    format!("unknown key `{}`", visible(key.get_ref())),
                )
                .help("delete it; `docs/lockfile.md` lists the keys that there are"));
        }
        Ok(Fields {
            table,
            header,
            lines,
        })
    }

    /// Whether there is a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// An error at a byte offset, with the usual way out.
    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> Error {
        self.lines.error(offset, message).help(RESTORE)
    }

    /// An error at the header of the table.
    pub(super) fn error_here(&self, message: impl Into<String>) -> Error {
        self.error(self.header, message)
    }

    /// An error at a key, or at the header when there is no such key.
    pub(super) fn error_at(&self, key: &str, message: impl Into<String>) -> Error {
        let offset = self
            .table
            .get_key_value(key)
            .map_or(self.header, |(key, _)| key.span().start);
        self.error(offset, message)
    }

    /// A string.
    pub(super) fn text(&self, key: &str) -> Result<Option<Text<'a>>> {
        self.table
            .get(key)
            .map(|value| self.as_text(key, value))
            .transpose()
    }

    /// A string that must be there.
    pub(super) fn required(&self, key: &str) -> Result<Text<'a>> {
        self.text(key)?
            .ok_or_else(|| self.error_here(format!("`{key}` is missing")))
    }

    /// An array of strings; empty when absent.
    pub(super) fn list(&self, key: &str) -> Result<Vec<String>> {
        self.array(key)?
            .iter()
            .map(|value| Ok(self.as_text(key, value)?.value.to_owned()))
            .collect()
    }

    /// An inline table of strings; empty when absent.
    pub(super) fn map(&self, key: &str) -> Result<BTreeMap<String, String>> {
        let Some(value) = self.table.get(key) else {
            return Ok(BTreeMap::new());
        };
        self.inline(key, value)?
            .iter()
            .map(|(name, value)| {
                let text = self.as_text(key, value)?;
                Ok((name.get_ref().to_string(), text.value.to_owned()))
            })
            .collect()
    }

    /// An array of inline tables with the keys `known`; empty when absent.
    pub(super) fn inline_tables(&self, key: &str, known: &[&str]) -> Result<Vec<Fields<'a>>> {
        self.array(key)?
            .iter()
            .map(|value| {
                let table = self.inline(key, value)?;
                Fields::new(table, value.span().start, self.lines, known)
            })
            .collect()
    }

    /// The tables of an array `[[…]]` with the offsets of their headers; none when absent.
    pub(super) fn tables(&self, key: &str) -> Result<Vec<(&'a DeTable<'a>, usize)>> {
        let Some(value) = self.table.get(key) else {
            return Ok(Vec::new());
        };
        let wrong = |offset| {
            self.error(
                offset,
                format!("each `{key}` must be a table under a header of its own, `[[…{key}]]`"),
            )
        };
        let DeValue::Array(items) = value.get_ref() else {
            return Err(wrong(value.span().start));
        };
        items
            .iter()
            .map(|item| {
                let start = item.span().start;
                match item.get_ref() {
                    DeValue::Table(table) if self.lines.text()[start..].starts_with("[[") => {
                        Ok((table, start))
                    }
                    _ => Err(wrong(start)),
                }
            })
            .collect()
    }

    fn array(&self, key: &str) -> Result<&'a [Spanned<DeValue<'a>>]> {
        match self.table.get(key).map(|value| (value, value.get_ref())) {
            None => Ok(&[]),
            Some((_, DeValue::Array(items))) => Ok(items),
            Some((value, _)) => Err(self.wrong_type(key, "an array", value)),
        }
    }

    /// A table in braces: one under a header or made of dotted keys could stand after the items.
    fn inline(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Result<&'a DeTable<'a>> {
        match value.get_ref() {
            DeValue::Table(table) if self.lines.text()[value.span().start..].starts_with('{') => {
                Ok(table)
            }
            _ => Err(self.wrong_type(key, "an inline table, `{ … }`", value)),
        }
    }

    fn as_text(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Result<Text<'a>> {
        match value.get_ref() {
            DeValue::String(text) => Ok(Text {
                value: text,
                span: value.span(),
            }),
            _ => Err(self.wrong_type(key, "a string", value)),
        }
    }

    fn wrong_type(&self, key: &str, expected: &str, value: &Spanned<DeValue<'_>>) -> Error {
        self.error(
            value.span().start,
            format!(
                "`{key}` holds a value of type {} where {expected} belongs",
                value.get_ref().type_str()
            ),
        )
    }
}
