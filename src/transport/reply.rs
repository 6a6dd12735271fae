//! Reads the reply to an HTTP request: one message, or a stream of them, bounded while it is read.

use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Response, Url};
use tokio::sync::mpsc;

use super::exchange::Doing;
use super::http::ENDPOINT;
use super::network::Way;
use super::resume::Cut;
use super::sse::Events;
use super::{Failure, Fault, Limits, Quoter, Received, Spot, challenge, network};
use crate::error::Error;
use crate::text::visible;

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
) -> Result<(), Failure> {
    let status = response.status();
    let outage = |error: Error| Failure::new(Fault::Outage, error);
    if let Some(coding) = response.headers().get(CONTENT_ENCODING)
        && coding.as_bytes() != b"identity"
    {
        let coding = quoter.line(coding.as_bytes(), QUOTED);
        return Err(outage(
            Error::server(format!(
                "its reply to {doing} is compressed ({coding}), which was not asked for"
            ))
            .help("look at what stands between: compression hides how much will come"),
        ));
    }
    let kind = essence(&response);
    if kind.as_deref() == Some("text/event-stream") {
        let mut reader = Reader::new(limits.message, url.clone(), doing, quoter);
        while let Some(found) = reader.next(&mut response).await? {
            for told in found.into_iter().filter(|told| told.name != ENDPOINT) {
                // Fails only when nobody listens any more.
                let _ = events.send(told.received).await;
            }
        }
        return Ok(());
    }
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > limits.message => {
                let _ = events.send(Received::TooLong { spot: Spot::Reply }).await;
                return Ok(());
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
    Ok(())
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

/// What a refusal says in words, as the end of a sentence; nothing for a web page.
pub(super) fn words(response: &Response, body: &[u8], quoter: &Quoter) -> String {
    let page = essence(response).is_some_and(|kind| kind.contains("html"));
    let said = body.trim_ascii();
    if page || said.is_empty() {
        return String::new();
    }
    format!(": {}", quoter.line(said, QUOTED))
}

/// How long a server asks to wait; dates are not read.
pub(super) fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?;
    let seconds = value.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The error of a server that wants other credentials.
pub(super) fn unauthorized(response: &Response, authorized: bool, quoter: &Quoter) -> Error {
    let status = response.status();
    let challenges: Vec<String> = response
        .headers()
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .filter_map(|header| challenge::shown(header.as_bytes(), quoter))
        .collect();
    let wants = if challenges.is_empty() {
        String::new()
    } else {
        format!("; it names {}", challenges.join("; "))
    };
    let (what, help) = match (status.as_u16(), authorized) {
        (401, false) => (
            "it wants authorization",
            "pass a token from a variable: `--header 'Authorization: Bearer ${TOKEN}'`, or \
             `headers` in the config",
        ),
        (401, true) => (
            "it does not accept the credentials that were sent",
            "look whether the token is still valid, and for this server",
        ),
        _ => (
            "it denies access",
            "look which scope or account the server wants",
        ),
    };
    Error::server(format!(
        "{what} (status {}){wants}",
        visible(status.as_str())
    ))
    .help(help)
}
