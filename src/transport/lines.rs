//! Splits a byte stream into lines without ever holding more than one line's limit.
//!
//! Knows nothing of processes or messages. A byte order mark at the head of a line and a carriage
//! return at its end are cut; blank lines are skipped.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is asked of the stream at a time.
const CHUNK: usize = 64 << 10;
/// How much the buffer grows by at most, beyond what a line needs.
const GROWTH: usize = 4 << 20;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What comes next on a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line that is not blank. Its `number` counts from 1, blank lines included; one that the
    /// end of the stream cut is not `complete`.
    Text {
        /// Its bytes, without the line break.
        bytes: Vec<u8>,
        /// Which line of the stream.
        number: usize,
        /// Whether a line break ended it.
        complete: bool,
    },
    /// The line that comes now is longer than the limit; nothing more can be read.
    TooLong {
        /// Which line of the stream.
        number: usize,
    },
    /// The stream has ended.
    End,
}

/// The lines of a stream.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Where the current line begins in the buffer.
    start: usize,
    /// Up to where the buffer holds no line break after `start`.
    scanned: usize,
    limit: usize,
    number: usize,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Lines {
            reader,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
            number: 0,
            ended: false,
        }
    }

    /// The next line. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> io::Result<Line> {
        loop {
            while let Some(at) = self.buffer[self.scanned..].iter().position(|&b| b == b'\n') {
                let end = self.scanned + at;
                self.number += 1;
                if end - self.start > self.limit {
                    return Ok(self.too_long());
                }
                let bytes = trimmed(&self.buffer[self.start..end]);
                let line = (!bytes.is_empty()).then(|| bytes.to_vec());
                self.start = end + 1;
                self.scanned = self.start;
                if let Some(bytes) = line {
                    return Ok(Line::Text {
                        bytes,
                        number: self.number,
                        complete: true,
                    });
                }
            }
            self.scanned = self.buffer.len();
            if self.scanned - self.start > self.limit {
                self.number += 1;
                return Ok(self.too_long());
            }
            if self.ended {
                return Ok(self.last());
            }
            self.make_room();
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                self.ended = true;
            }
        }
    }

    /// The stream itself; what was read of it already is forgotten.
    pub(super) fn into_reader(self) -> R {
        self.reader
    }

    /// What stands after the last line break.
    fn last(&mut self) -> Line {
        let rest = std::mem::take(&mut self.buffer);
        let bytes = trimmed(&rest[self.start..]).to_vec();
        self.start = 0;
        self.scanned = 0;
        if bytes.is_empty() {
            return Line::End;
        }
        self.number += 1;
        Line::Text {
            bytes,
            number: self.number,
            complete: false,
        }
    }

    fn too_long(&mut self) -> Line {
        self.buffer = Vec::new();
        self.start = 0;
        self.scanned = 0;
        self.ended = true;
        Line::TooLong {
            number: self.number,
        }
    }

    /// Drops what was handed out and makes room for a chunk.
    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
            if self.buffer.capacity() > GROWTH && self.buffer.len() < CHUNK {
                self.buffer.shrink_to(CHUNK);
            }
        }
        if self.buffer.capacity() - self.buffer.len() < CHUNK / 4 {
            self.buffer
                .reserve_exact(self.buffer.len().clamp(CHUNK, GROWTH));
        }
    }
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(BOM).unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.iter().all(u8::is_ascii_whitespace) {
        &[]
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tokio::io::AsyncWriteExt;

    async fn all(input: &[u8], limit: usize, step: usize) -> Vec<Line> {
        let (mut to, from) = tokio::io::duplex(step.max(1));
        let input = input.to_vec();
        let writer = tokio::spawn(async move {
            for piece in input.chunks(step.max(1)) {
                if to.write_all(piece).await.is_err() {
                    break;
                }
            }
        });
        let mut lines = Lines::new(from, limit);
        let mut found = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::End => break,
                line => {
                    let stop = matches!(line, Line::TooLong { .. });
                    found.push(line);
                    if stop {
                        break;
                    }
                }
            }
        }
        drop(lines);
        writer.await.unwrap();
        found
    }

    fn text(bytes: &[u8], number: usize, complete: bool) -> Line {
        Line::Text {
            bytes: bytes.to_vec(),
            number,
            complete,
        }
    }

    #[tokio::test]
    async fn marks_carriage_returns_and_blank_lines_are_cut_and_lines_keep_their_number() {
        let input = b"\xef\xbb\xbf{}\r\n\r\n  \n\xef\xbb\xbfx\ny";
        let lines = all(input, 100, 3).await;
        assert_eq!(
            lines,
            [
                text(b"{}", 1, true),
                text(b"x", 4, true),
                text(b"y", 5, false)
            ]
        );
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(all(b"1234\n", 4, 2).await, [text(b"1234", 1, true)]);
        assert_eq!(all(b"12345\n", 4, 16).await, [Line::TooLong { number: 1 }]);
        assert_eq!(all(b"\n12345", 4, 1).await, [Line::TooLong { number: 2 }]);
    }

    #[tokio::test]
    async fn a_line_that_never_ends_is_given_up_at_the_limit() {
        let mut lines = Lines::new(tokio::io::repeat(b'x'), 1 << 20);
        assert_eq!(lines.next().await.unwrap(), Line::TooLong { number: 1 });
        assert!(lines.buffer.capacity() < CHUNK);
        assert_eq!(lines.next().await.unwrap(), Line::End);
    }

    proptest! {
        #[test]
        fn how_the_stream_is_cut_into_reads_never_matters(
            input in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            step in 1usize..40,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let (whole, pieces) = runtime.block_on(async {
                (all(&input, 50, 4096).await, all(&input, 50, step).await)
            });
            prop_assert_eq!(whole, pieces);
        }
    }
}
