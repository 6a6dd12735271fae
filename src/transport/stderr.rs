//! The standard error of a server: always read to its end, only the tail kept.
//!
//! Shows nothing by itself; the tail is quoted in messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use super::Quoter;

/// How many lines of the tail a message quotes, and how much of each.
const QUOTED_LINES: usize = 20;
const QUOTED_CHARACTERS: usize = 300;

/// The last bytes of a stream; clones share them.
#[derive(Debug, Clone)]
pub(super) struct Tail(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    bytes: VecDeque<u8>,
    limit: usize,
    cut: bool,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Self {
        Tail(Arc::new(Mutex::new(Kept {
            bytes: VecDeque::new(),
            limit,
            cut: false,
        })))
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = kept.limit;
        let bytes = if bytes.len() > limit {
            kept.cut = true;
            &bytes[bytes.len() - limit..]
        } else {
            bytes
        };
        let over = (kept.bytes.len() + bytes.len()).saturating_sub(limit);
        if over > 0 {
            kept.cut = true;
            kept.bytes.drain(..over);
        }
        kept.bytes.extend(bytes);
    }

    /// Reads a stream to its end and keeps its tail.
    pub(super) async fn drain(self, mut stream: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 16 << 10];
        while let Ok(read) = stream.read(&mut chunk).await {
            if read == 0 {
                break;
            }
            self.push(&chunk[..read]);
        }
    }

    /// The last lines, fit to be shown.
    pub(super) fn quoted(&self, quoter: &Quoter) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.bytes.iter().copied().collect();
        quoter.last_lines(&bytes, kept.cut, QUOTED_LINES, QUOTED_CHARACTERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flood_is_read_to_its_end_and_only_its_tail_kept() {
        let tail = Tail::new(100);
        let flood = [vec![b'x'; 1 << 20], b"\nlast words\n".to_vec()].concat();
        tail.clone().drain(flood.as_slice()).await;
        assert_eq!(tail.0.lock().unwrap().bytes.len(), 100);
        assert_eq!(tail.quoted(&Quoter::default()), ["last words"]);
    }

    #[test]
    fn pieces_that_fit_are_kept_whole() {
        let tail = Tail::new(10);
        tail.push(b"one\n");
        tail.push(b"two\n");
        assert_eq!(tail.quoted(&Quoter::default()), ["one", "two"]);
        tail.push(b"three\n");
        assert_eq!(tail.quoted(&Quoter::default()), ["three"]);
    }
}
