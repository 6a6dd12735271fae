//! Places in a text, and the error for text that is not JSON.

use std::fmt;

/// Text that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What was met, as a fragment ("unexpected end", "control character in a string" …).
    pub message: &'static str,
    /// Byte offset in the text.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters (bytes where the line is not UTF-8).
    pub column: usize,
}

impl SyntaxError {
    /// What was met at `offset` of `text`.
    pub(crate) fn at(text: &[u8], offset: usize, message: &'static str) -> Self {
        let (line, column) = line_column(text, offset);
        SyntaxError {
            message,
            offset,
            line,
            column,
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at line {}, column {}",
            self.message, self.line, self.column
        )
    }
}

impl std::error::Error for SyntaxError {}

/// Line and column of a byte offset, both from 1; the column counts characters, or bytes where the
/// line is not UTF-8. An offset beyond the end is the end.
pub fn line_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line_start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let tail = &before[line_start..];
    let column = std::str::from_utf8(tail).map_or(tail.len(), |s| s.chars().count()) + 1;
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    (line, column)
}

/// `text` without the one UTF-8 byte order mark that may stand before it.
///
/// JSON has none (RFC 8259, section 8.1, lets a reader ignore it); some programs write one before
/// a file or before every message.
pub fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_order_mark_is_stripped_and_no_more() {
        assert_eq!(without_bom(b"\xef\xbb\xbf{}"), b"{}");
        assert_eq!(without_bom(b"{}"), b"{}");
        assert_eq!(without_bom(b""), b"");
        assert_eq!(
            without_bom(b"\xef\xbb\xbf\xef\xbb\xbf{}"),
            b"\xef\xbb\xbf{}"
        );
        assert_eq!(without_bom(b"\xef\xbb"), b"\xef\xbb");
    }

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "{\r\n  \"é€\": x".as_bytes();
        assert_eq!(line_column(text, 0), (1, 1));
        assert_eq!(line_column(text, 3), (2, 1));
        assert_eq!(line_column(text, text.len() - 1), (2, 9));
        assert_eq!(line_column(text, 9999), (2, 10));
    }

    #[test]
    fn a_line_that_is_not_utf8_counts_bytes() {
        assert_eq!(line_column(b"a\n\xff\xffb", 4), (2, 3));
    }
}
