//! Where a stream was cut, and when it is taken up again (2025-11-25, Transports, "Resumability").
//!
//! Pure. A server may close the stream of a request before it has answered, and be asked again
//! later: whoever waits for the answer decides whether to go on, and for how long.

use std::time::Duration;

use reqwest::header::HeaderValue;

use super::Failure;
use super::exchange::LONGEST_PAUSE;

/// How long to wait where the server does not say.
const PAUSE: Duration = Duration::from_millis(500);
/// However little a server asks for, it is not asked without a pause.
const SHORTEST: Duration = Duration::from_millis(100);

/// A place in a stream from which it can be taken up again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    id: HeaderValue,
    retry: Option<Duration>,
    /// What broke the stream, unless the server ended it.
    broken: Option<String>,
}

impl Cut {
    /// The place after the event `id`; none where no header can carry that.
    pub(super) fn new(
        id: &[u8],
        retry: Option<Duration>,
        broken: Option<&Failure>,
    ) -> Option<Self> {
        Some(Cut {
            id: HeaderValue::from_bytes(id).ok()?,
            retry,
            broken: broken.map(|failure| failure.error.message().to_owned()),
        })
    }

    /// The id of the last event that came.
    pub(super) fn id(&self) -> &HeaderValue {
        &self.id
    }

    /// What broke the stream, unless the server ended it.
    pub(super) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// How long to wait before going on; the wait that was asked for where it is too long.
    pub(super) fn pause(&self) -> Result<Duration, Duration> {
        match self.retry {
            None => Ok(PAUSE),
            Some(asked) if asked > LONGEST_PAUSE => Err(asked),
            Some(asked) => Ok(asked.max(SHORTEST)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_what_was_asked_for_within_reason() {
        let pause = |retry: Option<u64>| {
            let cut = Cut::new(b"e-1", retry.map(Duration::from_millis), None);
            cut.unwrap().pause()
        };
        assert_eq!(pause(None), Ok(PAUSE));
        assert_eq!(pause(Some(0)), Ok(SHORTEST));
        assert_eq!(pause(Some(2500)), Ok(Duration::from_millis(2500)));
        assert_eq!(pause(Some(60_000)), Err(Duration::from_secs(60)));
    }

    #[test]
    fn an_id_that_no_header_carries_is_no_place() {
        assert!(Cut::new(b"a\nb", None, None).is_none());
        assert!(Cut::new("é".as_bytes(), None, None).is_some());
    }
}
