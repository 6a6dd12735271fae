//! The one way in which a run is called off: by whoever holds the [`Canceller`].
//!
//! Knows nothing of what is called off; every exchange with a server watches a [`Cancel`].

use tokio::sync::watch;

/// Calls off every run that watches the [`Cancel`] it was made with.
#[derive(Debug)]
pub struct Canceller(watch::Sender<bool>);

/// Watched by a run; clones are all called off together.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Receiver<bool>);

/// A canceller and what it calls off.
pub fn cancellation() -> (Canceller, Cancel) {
    let (sender, receiver) = watch::channel(false);
    (Canceller(sender), Cancel(receiver))
}

impl Canceller {
    /// Calls it off.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

impl Cancel {
    /// A run that nothing calls off.
    pub fn never() -> Self {
        cancellation().1
    }

    /// Whether it is called off.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is called off; for ever when nobody can do so any more.
    pub async fn cancelled(&self) {
        let mut watched = self.0.clone();
        if watched.wait_for(|called_off| *called_off).await.is_err() {
            std::future::pending::<()>().await;
        }
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
