//! A server as a child process, spoken to in lines over its standard streams.
//!
//! No shell is involved. Writing never blocks reading; standard error is always drained; the size
//! of a line is bounded while it is read; a grandchild that holds the pipe open delays nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use super::lines::{Line, Lines};
use super::piped::{Piped, Pipes, StandardError};
use super::process::Patience;
use super::{Cancel, Limits, Quoter, Received, Shutdown, Spot};
use crate::config::Secret;
use crate::error::Result;

/// How long a stream may still bring lines after the process itself has ended, since a child of it
/// may hold the pipe (and may even be the server); also how long the end of the process may follow
/// the end of its output.
const AFTERMATH: Duration = Duration::from_millis(500);
/// A running server and its streams.
#[derive(Debug)]
pub struct Stdio {
    piped: Piped,
    lines: Lines<ChildStdout>,
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    writer: JoinHandle<()>,
    deaf: Arc<AtomicBool>,
    /// When to stop waiting for more after the process has ended.
    aftermath: Option<Instant>,
}

impl Stdio {
    /// Starts a program, which is looked up in the `PATH` of `env`, with exactly the environment
    /// `env`, in the folder `cwd`. To be called inside a tokio runtime.
    pub fn start(
        name: &str,
        args: &[Secret],
        env: &BTreeMap<String, Secret>,
        cwd: &Path,
        limits: &Limits,
    ) -> Result<Self> {
        let (piped, Pipes { input, output }) =
            Piped::start(name, args, env, cwd, limits, StandardError::Kept)?;
        let deaf = Arc::new(AtomicBool::new(false));
        let (outbox, messages) = mpsc::unbounded_channel();
        let writer = tokio::spawn(write(input, messages, Arc::clone(&deaf)));
        Ok(Stdio {
            piped,
            lines: Lines::new(output, limits.message),
            outbox,
            writer,
            deaf,
            aftermath: None,
        })
    }

    /// Lets `cancel` end it in any event.
    pub(super) fn watched_by(&mut self, cancel: &Cancel) {
        self.piped.watched_by(cancel);
    }

    /// Queues one message, to which the line break is added. That the server no longer reads is
    /// seen at the reading end: what it wrote before counts.
    pub fn send(&self, message: Vec<u8>) {
        // Fails only when the writer is gone, which it told through `deaf`.
        let _ = self.outbox.send(message);
    }

    /// The next line, or the end. Dropping the future loses nothing.
    pub async fn receive(&mut self) -> Received {
        loop {
            let aftermath = self.aftermath;
            tokio::select! {
                biased;
                line = self.lines.next() => match line {
                    Ok(Line::Text { bytes, number, complete }) => {
                        if aftermath.is_some() {
                            self.aftermath = Some(Instant::now() + AFTERMATH);
                        }
                        return Received::Text { bytes, spot: Spot::Line(number), complete };
                    }
                    Ok(Line::TooLong { number }) => {
                        return Received::TooLong { spot: Spot::Line(number) };
                    }
                    // A stream that can't be read any more is a stream that has ended.
                    Ok(Line::End) | Err(_) => {
                        let _ = timeout(AFTERMATH, self.piped.ended()).await;
                        return self.end(false);
                    }
                },
                () = self.piped.ended(), if aftermath.is_none() => {
                    self.aftermath = Some(Instant::now() + AFTERMATH);
                }
                () = sleep_until(aftermath.unwrap_or_else(Instant::now)), if aftermath.is_some() => {
                    return self.end(true);
                }
            }
        }
    }

    fn end(&self, pipe_held: bool) -> Received {
        Received::Ended(End {
            status: self.piped.status(),
            pipe_held,
        })
    }

    /// What the server said on the side, for the detail of an error: the last lines of its
    /// standard error, and that it no longer reads.
    pub async fn evidence(&mut self, quoter: &Quoter) -> Vec<String> {
        let mut evidence = Vec::new();
        if self.deaf.load(Ordering::Relaxed) && self.piped.status().is_none() {
            evidence.push("it has closed its standard input".to_owned());
        }
        let lines = self.piped.last_words(quoter).await;
        if !lines.is_empty() {
            evidence.push("the end of its standard error:".to_owned());
            evidence.extend(lines.into_iter().map(|line| format!("  {line}")));
        }
        evidence
    }

    /// Closes standard input at once and ends the process group in the background.
    pub fn close(self, patience: Patience) -> Shutdown {
        let Stdio {
            piped,
            lines,
            outbox,
            writer,
            ..
        } = self;
        drop(outbox);
        writer.abort();
        piped.close(Some(lines.into_reader()), patience)
    }
}

/// How a server's stream ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// How the process ended (`exit code 0`, `signal 9 (SIGKILL)`); none while it still runs, or
    /// where there is no process.
    pub status: Option<String>,
    /// The process has ended, but another that it started holds its output open.
    pub pipe_held: bool,
}

/// Writes messages until there are no more or nobody reads them.
async fn write(
    mut stdin: ChildStdin,
    mut messages: mpsc::UnboundedReceiver<Vec<u8>>,
    deaf: Arc<AtomicBool>,
) {
    while let Some(mut message) = messages.recv().await {
        message.push(b'\n');
        if stdin.write_all(&message).await.is_err() {
            deaf.store(true, Ordering::Relaxed);
            return;
        }
    }
}
