//! A child process together with everything that it starts: one process group, ended as a whole.
//!
//! Knows nothing of streams. Whatever happens, a panic included, no process of the group is left
//! when a [`Process`] is gone, nor one that was seen to have left the group.

use std::io;
use std::process::ExitStatus;
#[cfg(unix)]
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::descendants::Descendants;

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
    descendants: Descendants,
    /// Where it is noted as long as it runs.
    running: Running,
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
            descendants: Descendants::default(),
            running: Running::default(),
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
        // Before it goes: once it has gone nobody knows what it left.
        self.look();
        if !self.gone_by(Instant::now() + patience.after_eof).await {
            self.look();
            self.terminate();
            if !self.gone_by(Instant::now() + patience.after_term).await {
                self.look();
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
        while self.has_members() || self.descendants.are_left() {
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
    /// Notes it there as long as it runs.
    pub(super) fn note(&mut self, running: &Running) {
        self.running = running.clone();
        if let Some(group) = self.group {
            self.running.groups().push(group);
        }
    }

    /// Looks what it has started.
    fn look(&mut self) {
        // The number of a process that was buried may name another by now.
        let root = self.group.filter(|_| self.status.is_none());
        self.descendants.look(root);
    }

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
        self.descendants.terminate();
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        self.descendants.kill();
    }

    /// Never signals the group again: once it is empty its number may come to name another.
    fn forget(&mut self) {
        let gone = self.group.take();
        self.running.groups().retain(|group| Some(*group) != gone);
    }
}

#[cfg(not(unix))]
impl Process {
    pub(super) fn note(&mut self, running: &Running) {
        self.running = running.clone();
    }

    fn look(&mut self) {
        self.descendants.look::<()>(None);
    }

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
        self.look();
        self.kill();
        self.forget();
    }
}

/// The processes that run at a moment; clones are the same list.
///
/// For whoever has to end them without a turn of their runtime, which may be busy with something
/// else. Empty where there are no process groups.
#[derive(Debug, Clone, Default)]
pub(super) struct Running(#[cfg(unix)] Arc<Mutex<Vec<rustix::process::Pid>>>);

#[cfg(unix)]
impl Running {
    fn groups(&self) -> std::sync::MutexGuard<'_, Vec<rustix::process::Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills all of them, and what they have started.
    pub(super) fn kill(&self) {
        for group in self.groups().drain(..) {
            let mut descendants = Descendants::default();
            descendants.look(Some(group));
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            descendants.kill();
        }
    }
}

#[cfg(not(unix))]
impl Running {
    pub(super) fn kill(&self) {}
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
