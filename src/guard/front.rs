//! The agent's side on standard streams: lines in, bytes out, neither ever in the way of the other.
//!
//! Knows nothing of what a line means. Standard output gets the bytes that it is handed and not one
//! of its own.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[cfg(unix)]
use {
    rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat},
    std::os::fd::{AsFd, OwnedFd},
    tokio::io::Interest,
    tokio::net::UnixStream,
    tokio::net::unix::pipe::{Receiver, Sender},
};

/// How much is read at a time.
const CHUNK: usize = 64 << 10;
/// An empty buffer that has grown beyond this is given back.
const KEPT: usize = 1 << 20;

/// A stream cut into lines, each with its line break, and never longer than the limit.
#[derive(Debug)]
pub(super) struct LineBuffer {
    buffer: BytesMut,
    /// Up to where the buffer holds no line break.
    scanned: usize,
    limit: usize,
    /// The rest of a line that was too long is left out.
    skipping: bool,
}

/// What is cut off a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// A line with its line break.
    Line(Bytes),
    /// A line longer than the limit, which is left out.
    TooLong,
}

impl LineBuffer {
    pub(super) fn new(limit: usize) -> Self {
        LineBuffer {
            buffer: BytesMut::new(),
            scanned: 0,
            limit,
            skipping: false,
        }
    }

    /// Room for what is read next.
    pub(super) fn room(&mut self) -> &mut BytesMut {
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = BytesMut::new();
        }
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }

    /// The next whole line, if there is one.
    pub(super) fn next(&mut self) -> Option<Cut> {
        loop {
            let Some(found) = memchr(b'\n', &self.buffer[self.scanned..]) else {
                self.scanned = self.buffer.len();
                if self.skipping {
                    self.buffer.clear();
                    self.scanned = 0;
                } else if self.buffer.len() > self.limit {
                    self.buffer.clear();
                    self.scanned = 0;
                    self.skipping = true;
                    return Some(Cut::TooLong);
                }
                return None;
            };
            let line = self.buffer.split_to(self.scanned + found + 1).freeze();
            self.scanned = 0;
            if self.skipping {
                self.skipping = false;
                continue;
            }
            if line.len() > self.limit {
                return Some(Cut::TooLong);
            }
            return Some(Cut::Line(line));
        }
    }

    /// What stands after the last line break, once the stream has ended; it gets one.
    pub(super) fn rest(&mut self) -> Option<Bytes> {
        if self.buffer.is_empty() || self.skipping {
            return None;
        }
        self.buffer.extend_from_slice(b"\n");
        self.scanned = 0;
        Some(self.buffer.split().freeze())
    }
}

/// The standard input of this program. Pipes and sockets, as clients use them, are waited on by the
/// system; a terminal or a file is read by a thread.
#[derive(Debug)]
pub(super) enum Input {
    #[cfg(unix)]
    Pipe(Shared<Receiver>),
    #[cfg(unix)]
    Socket(Shared<UnixStream>),
    Threaded(tokio::io::Stdin),
}

/// Its standard output.
#[derive(Debug)]
pub(super) enum Output {
    #[cfg(unix)]
    Pipe(Shared<Sender>),
    #[cfg(unix)]
    Socket(Shared<UnixStream>),
    Threaded(tokio::io::Stdout),
}

impl Input {
    pub(super) fn open() -> Self {
        #[cfg(unix)]
        match kind(&io::stdin()) {
            Some((FileType::Fifo, owned, before)) => {
                if let Ok(pipe) = Receiver::from_owned_fd(owned) {
                    return Input::Pipe(Shared {
                        stream: pipe,
                        before,
                    });
                }
            }
            Some((FileType::Socket, owned, before)) => {
                if let Some(socket) = socket(owned, before) {
                    return Input::Socket(socket);
                }
            }
            _ => {}
        }
        Input::Threaded(tokio::io::stdin())
    }

    /// Reads some bytes; 0 at the end. Dropping the future loses nothing.
    pub(super) async fn read(&mut self, into: &mut BytesMut) -> io::Result<usize> {
        match self {
            #[cfg(unix)]
            Input::Pipe(pipe) => pipe.stream.read_buf(into).await,
            #[cfg(unix)]
            Input::Socket(socket) => socket.stream.read_buf(into).await,
            Input::Threaded(stdin) => stdin.read_buf(into).await,
        }
    }
}

impl Output {
    pub(super) fn open() -> Self {
        #[cfg(unix)]
        match kind(&io::stdout()) {
            Some((FileType::Fifo, owned, before)) => {
                if let Ok(pipe) = Sender::from_owned_fd(owned) {
                    return Output::Pipe(Shared {
                        stream: pipe,
                        before,
                    });
                }
            }
            Some((FileType::Socket, owned, before)) => {
                if let Some(socket) = socket(owned, before) {
                    return Output::Socket(socket);
                }
            }
            _ => {}
        }
        Output::Threaded(tokio::io::stdout())
    }

    /// Writes as much of `bytes` as goes, and takes it away. Dropping the future loses nothing.
    pub(super) async fn write(&mut self, bytes: &mut Bytes) -> io::Result<()> {
        let written = match self {
            #[cfg(unix)]
            Output::Pipe(pipe) => pipe.stream.write(bytes).await?,
            #[cfg(unix)]
            Output::Socket(socket) => socket.stream.write(bytes).await?,
            Output::Threaded(stdout) => {
                let written = stdout.write(bytes).await?;
                bytes.advance(written);
                stdout.flush().await?;
                0
            }
        };
        bytes.advance(written);
        Ok(())
    }

    /// Waits until nobody can read any more, where that can be told.
    pub(super) async fn broken(&self) {
        #[cfg(unix)]
        loop {
            let ready = match self {
                Output::Pipe(pipe) => {
                    pipe.stream
                        .ready(Interest::ERROR | Interest::WRITABLE)
                        .await
                }
                Output::Socket(socket) => {
                    socket
                        .stream
                        .ready(Interest::ERROR | Interest::WRITABLE)
                        .await
                }
                Output::Threaded(_) => break,
            };
            match ready {
                Ok(state) if !state.is_error() && !state.is_write_closed() => {}
                _ => return,
            }
            // It can be written, and nothing more is known: looked at again in a while.
            tokio::time::sleep(LOOK).await;
        }
        std::future::pending::<()>().await;
    }
}

/// How often it is looked whether an idle output still has a reader.
#[cfg(unix)]
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);

/// A stream that other programs may hold too: as long as this lives, it does not block.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Shared<S: AsFd> {
    stream: S,
    before: OFlags,
}

#[cfg(unix)]
impl<S: AsFd> Drop for Shared<S> {
    fn drop(&mut self) {
        // The others do not expect a stream that does not block.
        let _ = fcntl_setfl(self.stream.as_fd(), self.before);
    }
}

/// What a stream is, a handle of our own, and its flags.
#[cfg(unix)]
fn kind(stream: &impl AsFd) -> Option<(FileType, OwnedFd, OFlags)> {
    let owned = stream.as_fd().try_clone_to_owned().ok()?;
    let kind = FileType::from_raw_mode(fstat(&owned).ok()?.st_mode);
    let before = fcntl_getfl(&owned).ok()?;
    Some((kind, owned, before))
}

#[cfg(unix)]
fn socket(owned: OwnedFd, before: OFlags) -> Option<Shared<UnixStream>> {
    let socket = std::os::unix::net::UnixStream::from(owned);
    socket.set_nonblocking(true).ok()?;
    let stream = UnixStream::from_std(socket).ok()?;
    Some(Shared { stream, before })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]], limit: usize) -> (Vec<Cut>, Option<Bytes>) {
        let mut buffer = LineBuffer::new(limit);
        let mut found = Vec::new();
        for piece in pieces {
            buffer.room().extend_from_slice(piece);
            while let Some(cut) = buffer.next() {
                found.push(cut);
            }
        }
        (found, buffer.rest())
    }

    #[test]
    fn lines_keep_every_byte_however_they_arrive() {
        let line = |text: &'static [u8]| Cut::Line(Bytes::from_static(text));
        let (found, rest) = lines(&[b"\xef\xbb\xbf{}\r", b"\n\nx", b"\ny"], 100);
        assert_eq!(
            found,
            [line(b"\xef\xbb\xbf{}\r\n"), line(b"\n"), line(b"x\n")]
        );
        assert_eq!(rest.as_deref(), Some(&b"y\n"[..]));
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_one_is_not() {
        let (found, rest) = lines(&[b"12345", b"6789\n", b"ok\n"], 4);
        assert_eq!(
            found,
            [Cut::TooLong, Cut::Line(Bytes::from_static(b"ok\n"))]
        );
        assert_eq!(rest, None);
        let (found, _) = lines(&[b"123456\nok\n"], 4);
        assert_eq!(found[0], Cut::TooLong);
        assert_eq!(found.len(), 2);
    }
}
