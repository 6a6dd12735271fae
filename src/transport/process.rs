//! A child process together with everything that it starts: one process group, ended as a whole.
//!
//! Knows nothing of streams. Whatever happens, a panic included, no process of the group is left
//! when a [`Process`] is gone.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// How long a server is given at each step of being ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From the end of its standard input to SIGTERM.
    pub after_eof: Duration,
    /// From SIGTERM to SIGKILL.
    pub after_term: Duration,
}

impl Patience {
    /// For a server that answered everything. Nothing was called, so there is nothing to be
    /// finished, and a short time is enough.
    pub const DONE: Patience = Patience {
        after_eof: Duration::from_millis(100),
        after_term: Duration::from_secs(2),
    };
    /// For a server that failed, or a run that was called off.
    pub const FAILED: Patience = Patience {
        after_eof: Duration::ZERO,
        after_term: Duration::from_millis(500),
    };
}

/// How often it is looked whether members of the group are left.
const LOOK: Duration = Duration::from_millis(10);
/// How long the kernel may take to bury a killed process.
const BURIAL: Duration = Duration::from_secs(1);

/// A running child and its process group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    status: Option<ExitStatus>,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl Process {
    /// Starts the command in a process group of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        command.process_group(0);
        let child = command.kill_on_drop(true).spawn()?;
        Ok(Process {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(rustix::process::Pid::from_raw),
            child,
            status: None,
        })
    }

    /// The child itself, to take its streams.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The status, once [`Process::ended`] has seen the end.
    pub(super) fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    /// Waits for the end of the child (not of what it started). Dropping the future loses nothing.
    pub(super) async fn ended(&mut self) {
        if self.status.is_none() {
            match self.child.wait().await {
                Ok(status) => self.status = Some(status),
                // Someone else took the status: nothing will ever come.
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Ends the whole group: waits a little, SIGTERM, waits, SIGKILL. Standard input has been
    /// closed by then.
    pub(super) async fn stop(mut self, patience: Patience) {
        if !self.gone_by(Instant::now() + patience.after_eof).await {
            self.terminate();
            if !self.gone_by(Instant::now() + patience.after_term).await {
                self.kill();
                let _ = timeout(BURIAL, self.ended()).await;
            }
        }
        self.forget();
    }

    /// Whether the child and its whole group are gone by then.
    async fn gone_by(&mut self, deadline: Instant) -> bool {
        if timeout_at(deadline, self.ended()).await.is_err() {
            return false;
        }
        while self.has_members() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(LOOK).await;
        }
        true
    }
}

#[cfg(unix)]
impl Process {
    /// Whether any process of the group is left (a zombie that nobody buries counts).
    fn has_members(&self) -> bool {
        self.group
            .is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
    }

    fn terminate(&self) {
        if let Some(group) = self.group {
            // The only failure is that nobody is left.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::TERM);
        }
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    /// Never signals the group again: once it is empty its number may come to name another.
    fn forget(&mut self) {
        self.group = None;
    }
}

#[cfg(not(unix))]
impl Process {
    fn has_members(&self) -> bool {
        false
    }

    fn terminate(&mut self) {
        let _ = self.child.start_kill();
    }

    fn kill(&mut self) {
        let _ = self.child.start_kill();
    }

    fn forget(&mut self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How a process ended, as a fragment: `exit code 1`, `signal 9 (SIGKILL)`.
pub(super) fn shown(status: ExitStatus) -> String {
    if let Some(code) = status.code() {
        return format!("exit code {code}");
    }
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            1 => " (SIGHUP)",
            2 => " (SIGINT)",
            3 => " (SIGQUIT)",
            4 => " (SIGILL)",
            6 => " (SIGABRT)",
            8 => " (SIGFPE)",
            9 => " (SIGKILL)",
            11 => " (SIGSEGV)",
            13 => " (SIGPIPE)",
            15 => " (SIGTERM)",
            _ => "",
        };
        return format!("signal {signal}{name}");
    }
    "an unknown status".to_owned()
}
