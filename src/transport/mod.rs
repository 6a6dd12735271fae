//! Ways to exchange messages with a server: standard streams of a child process, or HTTP.
//!
//! Moves bytes; knows nothing of what a message means. Every size and time is bounded by
//! [`Limits`], every text of a server that may be shown passes a [`Quoter`], and a [`Cancel`]
//! calls off whatever waits.

mod cancel;
mod challenge;
mod client;
mod descendants;
mod exchange;
mod helper;
mod http;
mod limits;
mod lines;
mod network;
mod origin;
mod piped;
mod process;
mod program;
mod quote;
mod refusal;
mod reply;
mod request;
mod resume;
mod sse;
mod stderr;
mod stdio;

use std::fmt;
use std::future::Future;
use std::path::Path;

use tokio::task::JoinHandle;

use crate::config::ResolvedTarget;
use crate::error::{Error, Result};

pub use cancel::{Cancel, Canceller, cancellation};
pub use descendants::{adopt_orphans, end_orphans};
pub use http::Http;
pub(crate) use limits::seconds;
pub use limits::{Limit, Limits};
pub use piped::{PipeIn, PipeOut, Piped, Pipes, StandardError};
pub use process::Patience;
pub use quote::Quoter;
pub use resume::Cut;
pub use stdio::{End, Stdio};

/// An open way to a server.
#[derive(Debug)]
pub enum Channel {
    /// A child process.
    Stdio(Box<Stdio>),
    /// A remote server.
    Http(Http),
}

/// One message of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    body: Vec<u8>,
    request: Option<Asked>,
    /// What somebody else's request is, where that is more than `request` can say.
    relayed: Option<Relayed>,
}

/// A request that is relayed, as some revisions want it in headers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Relayed {
    method: String,
    /// What is called by it, if it calls something.
    name: Option<String>,
}

/// A request: its reply is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    id: u64,
    method: &'static str,
}

impl Outgoing {
    /// A request, by its id and method.
    pub fn request(id: u64, method: &'static str, body: Vec<u8>) -> Self {
        Outgoing {
            body,
            request: Some(Asked { id, method }),
            relayed: None,
        }
    }

    /// A request of somebody else that is relayed. `id` is only a number for it here: the message
    /// has an id of its own. `name` is what it calls, if it calls something.
    pub fn relayed(id: u64, method: String, name: Option<String>, body: Vec<u8>) -> Self {
        let known = ["initialize", "server/discover"];
        let known = known.into_iter().find(|known| *known == method);
        Outgoing {
            body,
            request: Some(Asked {
                id,
                method: known.unwrap_or(RELAYED),
            }),
            relayed: Some(Relayed { method, name }),
        }
    }

    /// A notification or an answer.
    pub fn other(body: Vec<u8>) -> Self {
        Outgoing {
            body,
            request: None,
            relayed: None,
        }
    }
}

/// What a request of somebody else is called in a message.
const RELAYED: &str = "request";

/// What HTTP headers say about the revision of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announced {
    /// Nothing: it is not agreed on yet.
    Nothing,
    /// The revision.
    Version(&'static str),
    /// The revision, and in each request its method.
    VersionAndMethod(&'static str),
}

/// A request, or another message of ours, that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The id of the request; none for other messages.
    pub request: Option<u64>,
    /// What kind of failure it is.
    pub fault: Fault,
    /// The start of what came with it, which may be a JSON-RPC error.
    pub body: Vec<u8>,
    /// What to tell.
    pub error: Error,
}

impl Failure {
    fn new(fault: Fault, error: Error) -> Self {
        Failure {
            request: None,
            fault,
            body: Vec::new(),
            error,
        }
    }
}

/// Why the old HTTP+SSE transport can't be gone over to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoStream {
    /// There is no such stream, or it names no endpoint.
    Absent(Error),
    /// It names an endpoint that is refused: it is a server of that transport, and a wrong one.
    Refused(Error),
}

impl NoStream {
    /// What to tell.
    pub fn into_error(self) -> Error {
        match self {
            NoStream::Absent(error) | NoStream::Refused(error) => error,
        }
    }
}

/// Kinds of failure, as far as they differ in what is done about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The server is there and refused the request with this status, or answered nothing.
    Refused(u16),
    /// It wants other credentials.
    Auth,
    /// It could not be reached, or its reply is none.
    Outage,
    /// It could not be reached this time.
    Passing,
}

/// What came from a server.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// What should be a message.
    Text {
        /// The bytes, without byte order mark and line break.
        bytes: Vec<u8>,
        /// Where it stood.
        spot: Spot,
        /// Whether it was ended as it should be; if not, the output ended in it.
        complete: bool,
    },
    /// A message larger than [`Limits::message`]; nothing more can be read there.
    TooLong {
        /// Where it stood.
        spot: Spot,
    },
    /// A message of ours was not taken.
    Failed(Failure),
    /// All of the reply to a request has been handed on.
    Drained {
        /// The id of the request.
        request: u64,
        /// Where its stream can be taken up again, if the answer was not in it.
        cut: Option<Cut>,
    },
    /// Nothing more will come.
    Ended(End),
}

/// Where something stood that a server sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// A line of its standard output, from 1.
    Line(usize),
    /// The body of a reply over HTTP.
    Reply,
    /// An event of a stream, from 1.
    Event(usize),
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Line(number) => write!(f, "line {number} of its standard output"),
            Spot::Reply => f.write_str("its reply"),
            Spot::Event(number) => write!(f, "event {number} of its stream"),
        }
    }
}

impl Channel {
    /// Starts the server, or gets ready to reach it. `ca_file` holds certificate authorities that
    /// are trusted beside those of the system. To be called inside a tokio runtime.
    pub fn open(
        target: &ResolvedTarget,
        limits: &Limits,
        ca_file: Option<&Path>,
        quoter: &Quoter,
    ) -> Result<Channel> {
        match target {
            ResolvedTarget::Command {
                program,
                args,
                env,
                cwd,
            } => Stdio::start(program, args, env, cwd, limits)
                .map(|stdio| Channel::Stdio(Box::new(stdio))),
            ResolvedTarget::Url { .. } => {
                Http::open(target, limits, ca_file, quoter).map(Channel::Http)
            }
        }
    }

    /// Lets whoever can call off what watches `cancel` kill the server at any moment, with
    /// [`Canceller::kill`].
    pub fn watched_by(&mut self, cancel: &Cancel) {
        if let Channel::Stdio(stdio) = self {
            stdio.watched_by(cancel);
        }
    }

    /// Whether the server is a process that was started for this.
    pub fn is_process(&self) -> bool {
        matches!(self, Channel::Stdio(_))
    }

    /// Whether the config asks for the old HTTP+SSE transport.
    pub fn is_old(&self) -> bool {
        matches!(self, Channel::Http(http) if http.is_old())
    }

    /// Whether a failure of `initialize` is that of a server that may know only the old HTTP+SSE
    /// transport.
    pub fn may_be_old(&self, fault: Fault) -> bool {
        matches!(self, Channel::Http(_)) && http::may_be_old(fault)
    }

    /// Goes over to the old HTTP+SSE transport: opens its stream and waits for the endpoint.
    pub async fn connect_stream(&mut self) -> Result<(), NoStream> {
        match self {
            Channel::Stdio(_) => Ok(()),
            Channel::Http(http) => http.connect_stream().await,
        }
    }

    /// Says which revision is spoken, where a transport has to know.
    pub fn announce(&self, announced: Announced) {
        if let Channel::Http(http) = self {
            http.shared().announce(announced);
        }
    }

    /// Opens the way on which a server may speak unasked, where that is one of its own.
    pub fn listen(&self) {
        if let Channel::Http(http) = self {
            http.listen();
        }
    }

    /// Whether the server has opened a session, which it may lose.
    pub fn has_session(&self) -> bool {
        matches!(self, Channel::Http(http) if http.shared().has_session())
    }

    /// Goes on without the session.
    pub fn forget_session(&self) {
        if let Channel::Http(http) = self {
            http.shared().forget_session();
        }
    }

    /// Asks for the rest of the reply to a request, whose stream was cut.
    pub fn resume(&self, request: u64, method: &'static str, cut: Cut) {
        if let Channel::Http(http) = self {
            http.resume(
                Asked {
                    id: request,
                    method,
                },
                cut,
            );
        }
    }

    /// Queues one message.
    pub fn send(&self, message: Outgoing) {
        match self {
            Channel::Stdio(stdio) => stdio.send(message.body),
            Channel::Http(http) => http.send(message),
        }
    }

    /// What comes next. Dropping the future loses nothing.
    pub async fn receive(&mut self) -> Received {
        match self {
            Channel::Stdio(stdio) => stdio.receive().await,
            Channel::Http(http) => http.receive().await,
        }
    }

    /// Lines for the detail of an error; see [`Stdio::evidence`].
    pub async fn evidence(&mut self, quoter: &Quoter) -> Vec<String> {
        match self {
            Channel::Stdio(stdio) => stdio.evidence(quoter).await,
            Channel::Http(http) => http.shared().note().into_iter().collect(),
        }
    }

    /// Ends the exchange; the rest goes on in the background.
    pub fn close(self, patience: Patience) -> Shutdown {
        match self {
            Channel::Stdio(stdio) => stdio.close(patience),
            Channel::Http(http) => http.close(),
        }
    }
}

/// The end of a server, going on in the background while its catalog is judged.
///
/// Await [`Shutdown::finished`] before the process exits. When it is dropped, or its runtime is,
/// the server and all that it started is killed at once.
#[derive(Debug)]
#[must_use = "a server is killed at once when its shutdown is dropped"]
pub struct Shutdown(Option<JoinHandle<()>>);

impl Shutdown {
    fn running(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Shutdown(Some(tokio::spawn(work)))
    }

    /// Waits until nothing of the server is left.
    pub async fn finished(mut self) {
        if let Some(task) = &mut self.0 {
            // The work neither panics nor is aborted while we hold it.
            let _ = task.await;
        }
        self.0 = None;
    }
}

impl Drop for Shutdown {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}
