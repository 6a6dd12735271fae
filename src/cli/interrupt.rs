//! What a request to end (Ctrl-C, SIGTERM, SIGHUP) does at each moment of a run.
//!
//! The command works on a thread of its own, this one waits for it and for signals. While servers
//! are fetched the first signal calls the fetches off, and each is told; at any other moment, and
//! the second time always, the program ends at once. Either way no server is left: what still runs
//! when the program ends, be it only on its way out, is killed.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::transport::{Cancel, Canceller, cancellation};

/// Bytes of stack of the thread that does the work: schemas may nest deep.
const STACK: usize = 16 << 20;

/// The exit code of a program that a person interrupted, as shells count it.
const INTERRUPTED: u8 = 130;

/// Told to the work, so that it can be called off.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    /// Called off by the first signal while something is fetched.
    pub(crate) cancel: Cancel,
    fetching: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on a signal calls off the fetches (`true`), or ends the program (`false`).
    pub(crate) fn fetching(&self, fetching: bool) {
        self.fetching.store(fetching, Ordering::SeqCst);
    }
}

/// Runs `work` until it is done or the program is told to end.
pub(crate) fn watched(
    work: impl FnOnce(Interrupt) -> ExitCode + Send + 'static,
) -> Result<ExitCode> {
    let failed = |error: std::io::Error| Error::usage(format!("could not start working: {error}"));
    let (canceller, cancel) = cancellation();
    let fetching = Arc::new(AtomicBool::new(false));
    let interrupt = Interrupt {
        cancel,
        fetching: fetching.clone(),
    };
    let (done, finished) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(failed)?;
    std::thread::Builder::new()
        .name("work".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            // The receiver is gone only when the program is ending anyway.
            let _ = done.send(work(interrupt));
        })
        .map_err(failed)?;
    runtime.block_on(async {
        let mut signals = Signals::new().map_err(failed)?;
        let mut finished = finished;
        loop {
            tokio::select! {
                // A panic of the work has told itself already.
                code = &mut finished => return Ok(code.unwrap_or(ExitCode::from(101))),
                () = signals.next() => {
                    if !called_off(&canceller, &fetching) {
                        canceller.kill();
                        return Ok(ExitCode::from(INTERRUPTED));
                    }
                }
            }
        }
    })
}

/// Calls the fetches off if there are any that were not called off before.
fn called_off(canceller: &Canceller, fetching: &AtomicBool) -> bool {
    let first = fetching.swap(false, Ordering::SeqCst);
    if first {
        canceller.cancel();
    }
    first
}

/// The signals that ask a program to end.
struct Signals {
    #[cfg(unix)]
    each: [tokio::signal::unix::Signal; 3],
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            each: [
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
            ],
        })
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.each;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Signals {})
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
