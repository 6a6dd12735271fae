//! Lines and columns of a text.

use crate::error::Error;

/// A text and where its lines begin.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Indexes `text`.
    pub(super) fn new(text: &'t str) -> Self {
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Lines {
            text,
            starts: std::iter::once(0)
                .chain(newlines.map(|(i, _)| i + 1))
                .collect(),
        }
    }

    /// The text.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Line and column of a byte offset, from 1, the column in characters.
    pub(super) fn of(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        (line, self.text[start..offset].chars().count() + 1)
    }

    /// A lockfile error at a byte offset.
    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> Error {
        let (line, column) = self.of(offset);
        Error::lockfile(message).at_line(line, Some(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let lines = Lines::new("aé\n\nx");
        for (offset, place) in [
            (0, (1, 1)),
            (1, (1, 2)),
            (2, (1, 2)),
            (3, (1, 3)),
            (4, (2, 1)),
            (5, (3, 1)),
            (6, (3, 2)),
            (99, (3, 2)),
        ] {
            assert_eq!(lines.of(offset), place, "{offset}");
        }
    }
}
