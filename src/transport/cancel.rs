//! The one way in which a run is called off: by whoever holds the [`Canceller`].
//!
//! Every exchange with a server watches a [`Cancel`], and ends in an orderly way when it is called
//! off. Where nothing can be awaited any more, [`Canceller::kill`] ends what was started.

use tokio::sync::watch;

use super::process::Running;

/// Calls off every run that watches the [`Cancel`] it was made with.
#[derive(Debug)]
pub struct Canceller {
    called_off: watch::Sender<bool>,
    running: Running,
}

/// Watched by a run; clones are all called off together.
#[derive(Debug, Clone)]
pub struct Cancel {
    called_off: watch::Receiver<bool>,
    running: Running,
}

/// A canceller and what it calls off.
pub fn cancellation() -> (Canceller, Cancel) {
    let (sender, receiver) = watch::channel(false);
    let running = Running::default();
    let canceller = Canceller {
        called_off: sender,
        running: running.clone(),
    };
    let cancel = Cancel {
        called_off: receiver,
        running,
    };
    (canceller, cancel)
}

impl Canceller {
    /// Calls it off.
    pub fn cancel(&self) {
        self.called_off.send_replace(true);
    }

    /// Calls it off, and kills every process that still runs for it: for a program that ends now
    /// and can wait for nothing. Those that are already going away are meant too.
    pub fn kill(&self) {
        self.cancel();
        self.running.kill();
    }
}

impl Cancel {
    /// A run that nothing calls off.
    pub fn never() -> Self {
        cancellation().1
    }

    /// Whether it is called off.
    pub fn is_cancelled(&self) -> bool {
        *self.called_off.borrow()
    }

    /// Waits until it is called off; for ever when nobody can do so any more.
    pub async fn cancelled(&self) {
        let mut watched = self.called_off.clone();
        if watched.wait_for(|called_off| *called_off).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// What runs for it.
    pub(super) fn running(&self) -> &Running {
        &self.running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_clones_are_called_off_together_and_stay_so() {
        let (canceller, cancel) = cancellation();
        let other = cancel.clone();
        assert!(!other.is_cancelled());
        canceller.cancel();
        drop(canceller);
        cancel.cancelled().await;
        other.cancelled().await;
        assert!(other.is_cancelled());
    }
}
