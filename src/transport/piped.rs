//! A server as a child process with its pipes, before anyone speaks to it.
//!
//! No shell is involved. Standard error is always drained (or the caller's own), and whatever
//! happens, the whole process group ends with this.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Stdio as Pipe;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::process::{self, Patience, Process};
use super::stderr::Tail;
use super::{Cancel, Limits, Quoter, Shutdown, program};
use crate::config::Secret;
use crate::error::Result;

/// How long the last words on standard error may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Where the standard error of a server goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandardError {
    /// It is drained, and its tail kept for messages.
    Kept,
    /// It is that of this program.
    Inherited,
}

/// A running server; its pipes are held by whoever speaks to it.
#[derive(Debug)]
pub struct Piped {
    process: Process,
    tail: Tail,
    drain: Option<JoinHandle<()>>,
}

/// The standard input of a server.
pub type PipeIn = ChildStdin;
/// The standard output of a server.
pub type PipeOut = ChildStdout;

/// The two pipes of a server.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub input: PipeIn,
    /// Its standard output.
    pub output: PipeOut,
}

impl Piped {
    /// Starts a program, which is looked up in the `PATH` of `env`, with exactly the environment
    /// `env`, in the folder `cwd`. To be called inside a tokio runtime.
    pub fn start(
        name: &str,
        args: &[Secret],
        env: &BTreeMap<String, Secret>,
        cwd: &Path,
        limits: &Limits,
        standard_error: StandardError,
    ) -> Result<(Self, Pipes)> {
        let path = env.get("PATH").map(|path| path.expose().as_ref());
        let file = program::locate(name, path, cwd)?;
        let mut command = Command::new(&file);
        command
            .args(args.iter().map(Secret::expose))
            .env_clear()
            .envs(env.iter().map(|(key, value)| (key, value.expose())))
            .current_dir(cwd)
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .stderr(match standard_error {
                StandardError::Kept => Pipe::piped(),
                StandardError::Inherited => Pipe::inherit(),
            });
        let failed = |error: &io::Error| program::not_started(&file, error);
        let mut process = Process::start(&mut command).map_err(|error| failed(&error))?;
        let child = process.child();
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&io::ErrorKind::BrokenPipe.into()));
        };
        let tail = Tail::new(limits.stderr);
        let drain = child
            .stderr
            .take()
            .map(|stderr| tokio::spawn(tail.clone().drain(stderr)));
        let piped = Piped {
            process,
            tail,
            drain,
        };
        Ok((piped, Pipes { input, output }))
    }

    /// Lets `cancel` end it in any event.
    pub(super) fn watched_by(&mut self, cancel: &Cancel) {
        self.process.note(cancel.running());
    }

    /// Waits for the end of the process (not of what it started). Dropping the future loses
    /// nothing.
    pub async fn ended(&mut self) {
        self.process.ended().await;
    }

    /// How it ended (`exit code 0`, `signal 9 (SIGKILL)`), once [`Piped::ended`] has seen it.
    pub fn status(&self) -> Option<String> {
        self.process.status().map(process::shown)
    }

    /// The last lines of its standard error, fit to be shown.
    pub async fn last_words(&mut self, quoter: &Quoter) -> Vec<String> {
        if let Some(drain) = &mut self.drain
            && self.process.status().is_some()
            && !drain.is_finished()
        {
            let _ = timeout(LAST_WORDS, drain).await;
        }
        self.tail.quoted(quoter)
    }

    /// Ends the process group in the background; its standard input has to be closed by then.
    /// `output` is read on, so that a server that still writes is not stuck in that.
    pub fn close(self, output: Option<ChildStdout>, patience: Patience) -> Shutdown {
        let Piped { process, drain, .. } = self;
        Shutdown::running(async move {
            let reading = async {
                if let Some(mut output) = output {
                    let mut chunk = vec![0; 64 << 10];
                    while matches!(output.read(&mut chunk).await, Ok(read) if read > 0) {}
                }
                std::future::pending::<()>().await;
            };
            tokio::select! {
                () = process.stop(patience) => {}
                () = reading => {}
            }
            if let Some(drain) = drain {
                drain.abort();
            }
        })
    }
}
