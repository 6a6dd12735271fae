//! What a request to a remote server is, and what it is for.
//!
//! Pure.

use std::fmt;

use reqwest::header::{HeaderMap, HeaderValue};

/// What is asked of HTTP.
#[derive(Debug, Clone, Copy)]
pub(super) enum Verb<'b> {
    /// POST, with a message, and headers that only this message has.
    Post(&'b [u8], Option<&'b HeaderMap>),
    /// GET, for an event stream.
    Listen,
    /// GET, for the rest of an event stream after this event.
    Resume(&'b HeaderValue),
    /// DELETE, to end the session.
    Delete,
}

/// What a request is for, to be named in a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Doing {
    /// A request of the protocol.
    Asking(&'static str),
    /// A notification or an answer.
    Telling,
    /// The stream of the old transport.
    Connecting,
    /// The stream on which a server may speak unasked.
    Listening,
    /// The rest of a stream.
    Resuming,
    /// The end of the session.
    Leaving,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doing::Asking(method) => write!(f, "`{method}`"),
            Doing::Telling => f.write_str("a notification"),
            Doing::Connecting | Doing::Listening => f.write_str("the request for its stream"),
            Doing::Resuming => f.write_str("the request for the rest of its stream"),
            Doing::Leaving => f.write_str("the end of the session"),
        }
    }
}
