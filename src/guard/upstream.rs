//! The server's side: a child process, or a remote server.
//!
//! Moves bytes; knows nothing of what a message means.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep_until};

use crate::config::{ResolvedLaunch, ResolvedTarget};
use crate::error::{Error, Result};
use crate::transport::{
    Announced, Channel, Cut as Interrupted, Failure, Fault, Limits, NoStream, Outgoing, Patience,
    PipeIn, PipeOut, Piped, Pipes, Quoter, Received, Shutdown, StandardError,
};

use super::front::{Cut, LineBuffer};
use super::message::Fields;
use super::scan::{Shape, shape};
use super::session::Outgo;

/// How long output may follow the end of a process, or the end of its input.
const AFTERMATH: Duration = Duration::from_millis(500);

/// What came from a server.
#[derive(Debug)]
pub(super) enum Arrival {
    /// A message or whatever else it said, with a line break.
    Line(Bytes),
    /// Something that is too long to be taken.
    TooLong,
    /// A request was not taken.
    NotTaken(u64, Error),
    /// The same, since the server no longer knows the session.
    SessionLost(u64, Error),
    /// A remote server did not take the handshake as one of the old transport would: see
    /// [`Remote::fall_back`].
    TryOld(Handshake, Error),
    /// The reply to a request has ended; where its stream can be taken up again, if the answer was
    /// not in it.
    Drained(u64, Option<Interrupted>),
    /// Something of no consequence, for the log.
    Told(String),
    /// Nothing more will come.
    Ended(String),
}

/// A handshake that was not answered: its token, and its bytes.
#[derive(Debug)]
pub(super) struct Handshake(u64, Bytes);

/// A server.
pub(super) enum Upstream {
    Child(Box<Child>),
    Remote(Box<Remote>),
}

impl Upstream {
    /// Starts the server, or gets ready to reach it.
    pub(super) async fn open(
        launch: &ResolvedLaunch,
        limits: &Limits,
        ca_file: Option<&Path>,
        quoter: &Quoter,
        standard_error: StandardError,
    ) -> Result<Self> {
        match &launch.target {
            ResolvedTarget::Command {
                program,
                args,
                env,
                cwd,
            } => {
                let (piped, Pipes { input, output }) =
                    Piped::start(program, args, env, cwd, limits, standard_error)?;
                Ok(Upstream::Child(Box::new(Child {
                    piped,
                    input: Some(input),
                    output,
                    lines: LineBuffer::new(limits.message),
                    ended: false,
                    aftermath: None,
                })))
            }
            ResolvedTarget::Url { .. } => {
                let mut channel = Channel::open(&launch.target, limits, ca_file, quoter)?;
                if channel.is_old() {
                    channel
                        .connect_stream()
                        .await
                        .map_err(NoStream::into_error)?;
                }
                Ok(Upstream::Remote(Box::new(Remote {
                    channel,
                    handshake: None,
                })))
            }
        }
    }

    /// Sends on what can be sent without waiting; what is left waits for [`Child::write`].
    pub(super) fn send(&mut self, messages: &mut VecDeque<Outgo>) {
        if let Upstream::Remote(remote) = self {
            while let Some(message) = messages.pop_front() {
                remote.send(message);
            }
        }
    }

    /// Lets the server know that nothing more will come.
    pub(super) fn close_input(&mut self) {
        if let Upstream::Child(child) = self {
            child.input = None;
        }
    }

    /// The last words of the server, for the log.
    pub(super) async fn last_words(&mut self, quoter: &Quoter) -> Vec<String> {
        match self {
            Upstream::Child(child) => child.piped.last_words(quoter).await,
            Upstream::Remote(remote) => remote.channel.evidence(quoter).await,
        }
    }

    /// Ends the server in the background.
    pub(super) fn close(self, patience: Patience) -> Shutdown {
        match self {
            Upstream::Child(child) => {
                let Child {
                    piped,
                    input,
                    output,
                    ..
                } = *child;
                drop(input);
                piped.close(Some(output), patience)
            }
            Upstream::Remote(remote) => remote.channel.close(patience),
        }
    }
}

/// A child process.
pub(super) struct Child {
    piped: Piped,
    pub(super) input: Option<PipeIn>,
    output: PipeOut,
    lines: LineBuffer,
    ended: bool,
    /// When to stop waiting for more.
    aftermath: Option<Instant>,
}

impl Child {
    /// What comes next. Dropping the future loses nothing. `input` is lent out, to be written at
    /// the same time.
    pub(super) async fn receive(&mut self) -> Arrival {
        loop {
            match self.lines.next() {
                Some(Cut::Line(line)) => return Arrival::Line(line),
                Some(Cut::TooLong) => return Arrival::TooLong,
                None => {}
            }
            if self.ended {
                if let Some(rest) = self.lines.rest() {
                    return Arrival::Line(rest);
                }
                let _ = tokio::time::timeout(AFTERMATH, self.piped.ended()).await;
                return Arrival::Ended(match self.piped.status() {
                    Some(status) => format!("the server ended ({status})"),
                    None => "the server closed its output".to_owned(),
                });
            }
            let aftermath = self.aftermath;
            tokio::select! {
                biased;
                read = self.output.read_buf(self.lines.room()) => {
                    self.ended = !matches!(read, Ok(read) if read > 0);
                }
                () = self.piped.ended(), if aftermath.is_none() => {
                    self.aftermath = Some(Instant::now() + AFTERMATH);
                }
                () = sleep_until(aftermath.unwrap_or_else(Instant::now)), if aftermath.is_some() => {
                    self.ended = true;
                }
            }
        }
    }

    /// The server no longer reads: what it still has to say is waited for, but not for long.
    pub(super) fn deaf(&mut self) {
        self.input = None;
        self.aftermath.get_or_insert(Instant::now() + AFTERMATH);
    }
}

/// Writes as much of the first message as goes. Dropping the future loses nothing.
pub(super) async fn write(
    input: &mut (impl AsyncWriteExt + Unpin),
    messages: &mut VecDeque<Outgo>,
) -> io::Result<()> {
    if let Some(first) = messages.front_mut() {
        let written = input.write(&first.bytes).await?;
        first.bytes.advance(written);
        if first.bytes.is_empty() {
            messages.pop_front();
        }
    }
    Ok(())
}

/// A remote server.
pub(super) struct Remote {
    channel: Channel,
    /// The handshake while it is not answered.
    handshake: Option<Handshake>,
}

impl Remote {
    fn send(&mut self, message: Outgo) {
        match message.revision {
            Some(revision) if revision.is_modern() => {
                self.channel
                    .announce(Announced::VersionAndMethod(revision.as_str()));
            }
            Some(revision) => self.channel.announce(Announced::Version(revision.as_str())),
            None => {}
        }
        let bytes = message.bytes.clone();
        let body = message
            .bytes
            .strip_suffix(b"\n")
            .unwrap_or(&message.bytes)
            .to_vec();
        match message.request {
            Some(asked) => {
                if asked.method == "initialize" {
                    self.handshake = Some(Handshake(asked.token, bytes));
                }
                self.channel.send(Outgoing::relayed(
                    asked.token,
                    asked.method,
                    asked.key,
                    body,
                ));
            }
            None => self.channel.send(Outgoing::other(body)),
        }
        if message.initialized {
            self.channel.listen();
        }
    }

    /// What comes next. Dropping the future loses nothing.
    pub(super) async fn receive(&mut self) -> Arrival {
        match self.channel.receive().await {
            Received::Text { bytes, .. } => Arrival::Line(on_one_line(bytes)),
            Received::TooLong { .. } => Arrival::TooLong,
            Received::Failed(failure) => self.failed(failure),
            Received::Drained { request, cut } => Arrival::Drained(request, cut),
            Received::Ended(_) => Arrival::Ended("the server closed its stream".to_owned()),
        }
    }

    /// Sends a handshake again, over the old transport, if the server has that. It has not seen it
    /// before.
    pub(super) async fn fall_back(
        &mut self,
        handshake: Handshake,
        error: Error,
    ) -> Result<(), Arrival> {
        let Handshake(token, bytes) = handshake;
        if self.channel.connect_stream().await.is_err() {
            return Err(Arrival::NotTaken(token, error));
        }
        self.channel.send(Outgoing::relayed(
            token,
            "initialize".to_owned(),
            None,
            bytes.strip_suffix(b"\n").unwrap_or(&bytes).to_vec(),
        ));
        Ok(())
    }

    /// Asks for the rest of a reply.
    pub(super) fn resume(&self, token: u64, cut: Interrupted) {
        self.channel.resume(token, "request", cut);
    }

    fn failed(&mut self, failure: Failure) -> Arrival {
        let Failure {
            request,
            fault,
            body,
            error,
        } = failure;
        let Some(token) = request else {
            return Arrival::Told(error.message().to_owned());
        };
        // A refusal may be a reply of the protocol; then the agent gets its very words. What lies
        // between -32000 and -32019 may mean anything, and a lost session too.
        let body = body.trim_ascii();
        let said = error_code(body);
        if said.is_some_and(|code| code < -32019) {
            return Arrival::Line(on_one_line(body.to_vec()));
        }
        let handshake = self.handshake.take_if(|Handshake(own, _)| *own == token);
        if let Some(handshake) = handshake {
            if self.channel.may_be_old(fault) {
                return Arrival::TryOld(handshake, error);
            }
        } else if matches!(fault, Fault::Refused(400 | 404)) && self.channel.has_session() {
            self.channel.forget_session();
            return Arrival::SessionLost(token, error);
        }
        if said.is_some() {
            return Arrival::Line(on_one_line(body.to_vec()));
        }
        Arrival::NotTaken(token, error)
    }
}

/// The code of the error in a body that answers some request.
fn error_code(body: &[u8]) -> Option<i64> {
    let Shape::Object(envelope) = shape(body) else {
        return None;
    };
    envelope.id.filter(|id| &body[id.clone()] != b"null")?;
    let error = std::str::from_utf8(&body[envelope.error?]).ok()?;
    Fields::of(error).ok()?.get("code")?.parse().ok()
}

/// A message for standard output, where a line is a message. In JSON a raw line break stands only
/// between tokens, so a space says the same.
fn on_one_line(mut bytes: Vec<u8>) -> Bytes {
    for byte in &mut bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    bytes.push(b'\n');
    bytes.into()
}
