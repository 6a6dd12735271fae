//! Reads the reply to an HTTP request: one message, or a stream of them, bounded while it is read.

use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, DATE, RETRY_AFTER};
use reqwest::{Response, Url};
use tokio::sync::mpsc;

use super::http::ENDPOINT;
use super::network::Way;
use super::request::Doing;
use super::resume::Cut;
use super::sse::Events;
use super::{Failure, Fault, Limits, Quoter, Received, Spot, network};
use crate::error::Error;

/// How much of the body of a refusal is read.
const START: usize = 64 << 10;
/// How much of it a message quotes.
const QUOTED: usize = 200;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Hands on the message or the messages in the reply to a request.
pub(super) async fn hand_on(
    mut response: Response,
    url: &Url,
    doing: Doing,
    limits: &Limits,
    quoter: &Quoter,
    events: &mpsc::Sender<Received>,
) -> Result<Option<Cut>, Failure> {
    let status = response.status();
    let outage = |error: Error| Failure::new(Fault::Outage, error);
    if let Some(error) = compressed(&response, doing, quoter) {
        return Err(outage(error));
    }
    let kind = essence(&response);
    if kind.as_deref() == Some("text/event-stream") {
        let mut reader = Reader::new(limits.message, url.clone(), doing, quoter);
        loop {
            let found = match reader.next(&mut response).await {
                Ok(Some(found)) => found,
                Ok(None) => return Ok(reader.cut(None)),
                Err(failure) => {
                    return match reader.cut(Some(&failure)) {
                        Some(cut) => Ok(Some(cut)),
                        None => Err(failure),
                    };
                }
            };
            for told in found.into_iter().filter(|told| told.name != ENDPOINT) {
                // Fails only when nobody listens any more.
                let _ = events.send(told.received).await;
            }
        }
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > limits.message => {
                let _ = events.send(Received::TooLong { spot: Spot::Reply }).await;
                return Ok(None);
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => {
                let what = format!("the reply to {doing} was read");
                let broken = network::explain(&error, Way::straight(url), &what, quoter);
                return Err(outage(broken.error));
            }
        }
    }
    let text = body.strip_prefix(BOM).unwrap_or(&body).trim_ascii();
    if text.is_empty() {
        return Err(Failure::new(
            Fault::Refused(status.as_u16()),
            Error::server(format!(
                "it answered {doing} with status {status} and nothing else"
            ))
            .help("report it to the author of the server: a request wants a reply"),
        ));
    }
    let json = match kind.as_deref() {
        Some(kind) => kind == "application/json" || kind.ends_with("+json"),
        None => text.starts_with(b"{"),
    };
    if !json {
        let kind = kind.unwrap_or_else(|| "no content type".to_owned());
        return Err(outage(
            Error::server(format!(
                "it answered {doing} with {}, not with a message",
                quoter.line(kind.as_bytes(), QUOTED)
            ))
            .help("look at the path of its URL: this is no MCP endpoint"),
        ));
    }
    let bytes = if text.len() == body.len() {
        body
    } else {
        text.to_vec()
    };
    let _ = events
        .send(Received::Text {
            bytes,
            spot: Spot::Reply,
            complete: true,
        })
        .await;
    Ok(None)
}

/// The error of a reply in a coding that was not asked for. It is never decoded: a few bytes of it
/// may stand for as many as one likes.
pub(super) fn compressed(response: &Response, doing: Doing, quoter: &Quoter) -> Option<Error> {
    let coding = response.headers().get(CONTENT_ENCODING)?;
    if coding.as_bytes().eq_ignore_ascii_case(b"identity") {
        return None;
    }
    let coding = quoter.line(coding.as_bytes(), QUOTED);
    let error = Error::server(format!(
        "its reply to {doing} is compressed ({coding}), which was not asked for"
    ));
    Some(error.help("look at what stands between: compression hides how much will come"))
}

/// The events of one stream.
#[derive(Debug)]
pub(super) struct Reader<'q> {
    parser: Events,
    number: usize,
    url: Url,
    doing: Doing,
    quoter: &'q Quoter,
}

/// One event that may be a message.
#[derive(Debug)]
pub(super) struct Told {
    /// Its name.
    pub(super) name: String,
    /// What it holds.
    pub(super) received: Received,
}

impl<'q> Reader<'q> {
    pub(super) fn new(limit: usize, url: Url, doing: Doing, quoter: &'q Quoter) -> Self {
        Reader {
            parser: Events::new(limit),
            number: 0,
            url,
            doing,
            quoter,
        }
    }

    /// The events of the next chunk that are messages or name the endpoint; none at the end.
    pub(super) async fn next(
        &mut self,
        response: &mut Response,
    ) -> Result<Option<Vec<Told>>, Failure> {
        let chunk = match response.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(None),
            Err(error) => {
                let what = format!("the reply to {} was read", self.doing);
                let broken = network::explain(&error, Way::straight(&self.url), &what, self.quoter);
                return Err(Failure::new(Fault::Outage, broken.error));
            }
        };
        let Ok(events) = self.parser.take(&chunk) else {
            let spot = Spot::Event(self.number + 1);
            return Ok(Some(vec![Told {
                name: String::new(),
                received: Received::TooLong { spot },
            }]));
        };
        let mut told = Vec::new();
        for event in events {
            self.number += 1;
            if matches!(event.name.as_str(), "" | "message" | ENDPOINT) {
                told.push(Told {
                    name: event.name,
                    received: Received::Text {
                        bytes: event.data.trim_ascii().to_vec(),
                        spot: Spot::Event(self.number),
                        complete: true,
                    },
                });
            }
        }
        Ok(Some(told))
    }
}

impl Reader<'_> {
    /// From where the stream can be taken up again, if it said so before it was cut.
    pub(super) fn cut(&self, broken: Option<&Failure>) -> Option<Cut> {
        let id = self.parser.last_id()?;
        Cut::new(id, self.parser.retry(), broken)
    }
}

/// The media type of a reply, without its parameters, in small letters.
pub(super) fn essence(response: &Response) -> Option<String> {
    let kind = response.headers().get(CONTENT_TYPE)?;
    let text = String::from_utf8_lossy(kind.as_bytes());
    let kind = text.split(';').next().unwrap_or_default().trim();
    Some(kind.to_ascii_lowercase())
}

/// The start of the body of a refusal.
pub(super) async fn start(response: &mut Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > START {
            body.truncate(START);
            break;
        }
    }
    body
}

/// How long a server asks to wait, be it in seconds or as a date (RFC 9110, section 10.2.3).
pub(super) fn retry_after(response: &Response) -> Option<Duration> {
    let header = |name| response.headers().get(name)?.to_str().ok();
    wait(header(RETRY_AFTER)?, header(DATE), SystemTime::now())
}

/// A date counts from the server's own clock, where it tells that: ours may differ. One in the past
/// asks for no wait.
fn wait(asked: &str, its_now: Option<&str>, our_now: SystemTime) -> Option<Duration> {
    let asked = asked.trim();
    if let Ok(seconds) = asked.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(asked).ok()?;
    let now = its_now
        .and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or(our_now);
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_as_seconds_or_as_any_date_of_http() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (asked, seconds) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:49:40 GMT", Some(3)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("Sun Nov  6 08:49:47 1994", Some(10)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("-3", None),
            ("soon", None),
            ("99999999999999999999999", None),
        ] {
            let read = wait(asked, None, now);
            assert_eq!(read, seconds.map(Duration::from_secs), "{asked}");
        }
    }

    #[test]
    fn a_date_counts_from_the_clock_that_set_it() {
        let ours = SystemTime::now();
        let asked = "Sun, 06 Nov 1994 08:49:40 GMT";
        let its = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wait(asked, its, ours), Some(Duration::from_secs(3)));
        assert_eq!(wait(asked, Some("?"), ours), Some(Duration::ZERO));
    }
}
