//! The signals that a guard obeys: to end, and to read the lockfile again.

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// SIGTERM, SIGINT.
    End,
    /// SIGHUP.
    Reload,
}

/// The signals of this process.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    each: [tokio::signal::unix::Signal; 3],
}

#[cfg(unix)]
impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            each: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
                signal(SignalKind::hangup())?,
            ],
        })
    }

    /// The next one. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Signal {
        let [terminate, interrupt, hangup] = &mut self.each;
        tokio::select! {
            _ = terminate.recv() => Signal::End,
            _ = interrupt.recv() => Signal::End,
            _ = hangup.recv() => Signal::Reload,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Signals {})
    }

    pub(super) async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Signal::End
    }
}
