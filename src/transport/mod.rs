//! Ways to exchange messages with a server: standard streams of a child process, later HTTP.
//!
//! Moves bytes; knows nothing of what a message means. Every size and time is bounded by
//! [`Limits`], every text of a server that may be shown passes a [`Quoter`], and a [`Cancel`]
//! calls off whatever waits.

mod cancel;
mod limits;
mod lines;
mod process;
mod program;
mod quote;
mod stderr;
mod stdio;

use std::future::Future;

use tokio::task::JoinHandle;

use crate::config::{ResolvedLaunch, ResolvedTarget};
use crate::error::{Error, Result};

pub use cancel::{Cancel, Canceller, cancellation};
pub(crate) use limits::seconds;
pub use limits::{Limit, Limits};
pub use process::Patience;
pub use quote::Quoter;
pub use stdio::{End, Stdio};

/// An open way to a server.
#[derive(Debug)]
pub enum Channel {
    /// A child process.
    Stdio(Stdio),
}

/// What came from a server.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A line of its standard output, which should be a message.
    Line {
        /// The bytes, without byte order mark and line break.
        bytes: Vec<u8>,
        /// Which line of its output, from 1.
        number: usize,
        /// Whether a line break ended it; if not, the output ended in it.
        complete: bool,
    },
    /// A message larger than [`Limits::message`]; nothing more can be read.
    TooLong {
        /// Which line of its output, from 1.
        number: usize,
    },
    /// Nothing more will come.
    Ended(End),
}

impl Channel {
    /// Starts or reaches the server. To be called inside a tokio runtime.
    pub fn open(launch: &ResolvedLaunch, limits: &Limits) -> Result<Channel> {
        match &launch.target {
            ResolvedTarget::Command {
                program,
                args,
                env,
                cwd,
            } => Stdio::start(program, args, env, cwd, limits).map(Channel::Stdio),
            ResolvedTarget::Url { .. } => Err(Error::usage(
                "is reached by URL, and this version speaks to servers over standard streams only",
            )),
        }
    }

    /// Queues one message.
    pub fn send(&self, message: Vec<u8>) {
        match self {
            Channel::Stdio(stdio) => stdio.send(message),
        }
    }

    /// What comes next. Dropping the future loses nothing.
    pub async fn receive(&mut self) -> Received {
        match self {
            Channel::Stdio(stdio) => stdio.receive().await,
        }
    }

    /// Lines for the detail of an error; see [`Stdio::evidence`].
    pub async fn evidence(&mut self, quoter: &Quoter) -> Vec<String> {
        match self {
            Channel::Stdio(stdio) => stdio.evidence(quoter).await,
        }
    }

    /// Ends the exchange; the rest goes on in the background.
    pub fn close(self, patience: Patience) -> Shutdown {
        match self {
            Channel::Stdio(stdio) => stdio.close(patience),
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
