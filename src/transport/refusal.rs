//! What the status of a reply says when it is no success.
//!
//! Reads a reply; sends nothing.

use reqwest::Response;
use reqwest::header::WWW_AUTHENTICATE;

use super::request::Doing;
use super::{Failure, Fault, Quoter, challenge, network, reply};
use crate::error::Error;
use crate::text::visible;

/// How much of a refusal a message quotes.
const QUOTED: usize = 200;

/// Who was refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sender<'s> {
    /// Whether credentials were sent.
    pub(super) authorized: bool,
    /// The proxy on the way, as a message shows it.
    pub(super) proxy: Option<&'s str>,
    /// How words of the server are quoted.
    pub(super) quoter: &'s Quoter,
}

/// What is wrong with a reply by its status alone, if anything.
pub(super) fn refused(response: &Response, doing: Doing, sender: Sender<'_>) -> Option<Failure> {
    let status = response.status();
    match status.as_u16() {
        200..=299 => None,
        401 | 403 => Some(Failure::new(
            Fault::Auth,
            unauthorized(response, sender.authorized, sender.quoter),
        )),
        407 => Some(Failure::new(
            Fault::Outage,
            network::proxy_wants_authorization(sender.proxy),
        )),
        code => Some(Failure::new(
            Fault::Refused(code),
            Error::server(format!("it answered {doing} with status {status}")).help(match code {
                404 | 405 => "look at the path of its URL: nothing takes messages there",
                _ => "look at what the server needs to be configured with, and at its logs",
            }),
        )),
    }
}

/// The failure of a reply that may be another one the next time.
pub(super) async fn unavailable(response: &mut Response, doing: Doing, quoter: &Quoter) -> Failure {
    let status = response.status();
    let wait = reply::retry_after(response).map_or_else(String::new, |wait| {
        format!(", and asks to wait {}", super::seconds(wait))
    });
    let said = reply::start(response).await;
    let said = words(response, &said, quoter);
    Failure::new(
        Fault::Outage,
        Error::server(format!(
            "it answered {doing} with status {status}{wait}{said}"
        ))
        .help("try again later, or look at the logs of the server"),
    )
}

/// Whether a status may be another one the next time.
pub(super) fn is_passing(status: u16) -> bool {
    status == 429 || (500..=599).contains(&status) && status != 501
}

/// What a refusal says in words, as the end of a sentence; nothing for a web page.
fn words(response: &Response, body: &[u8], quoter: &Quoter) -> String {
    let page = reply::essence(response).is_some_and(|kind| kind.contains("html"));
    let said = body.trim_ascii();
    if page || said.is_empty() {
        return String::new();
    }
    format!(": {}", quoter.line(said, QUOTED))
}

/// The error of a server that wants other credentials.
fn unauthorized(response: &Response, authorized: bool, quoter: &Quoter) -> Error {
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
