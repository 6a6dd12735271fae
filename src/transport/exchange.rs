//! One HTTP request and its reply: what is sent with it, when it is repeated, where a redirect may
//! lead, and how the reply is read, bounded.
//!
//! Hands on bytes; knows nothing of what a message means. Everything goes to one origin.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, Url};
use tokio::sync::{OnceCell, mpsc};
use tokio::time::sleep;

use super::network::Way;
use super::refusal::{self, Sender};
use super::reply::{self, Reader};
use super::request::{Doing, Verb};
use super::{
    Announced, Asked, Cut, Failure, Fault, Limits, Quoter, Received, Relayed, client, helper,
    network, origin,
};
use crate::config::{HeadersHelper, Secret};
use crate::error::{Error, Result};

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const LAST_EVENT_ID: &str = "last-event-id";
/// How long to wait before each further try.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
];
/// The longest wait that a server may ask for and get.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What came of a request.
#[derive(Debug)]
pub(super) enum Asking {
    /// All that came back was handed on; where its stream was cut, if it can be taken up again.
    Drained(Option<Cut>),
    /// Its answer comes by another stream.
    Elsewhere,
}

/// What all requests to one server share.
#[derive(Debug)]
pub(super) struct Shared {
    client: Client,
    /// The proxy that everything goes through, if any.
    proxy: Option<String>,
    configured: HeaderMap,
    helper: Option<HeadersHelper>,
    /// The headers that are configured and those of the helper, once it has run.
    headers: OnceCell<HeaderMap>,
    limits: Limits,
    quoter: Quoter,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    url: Url,
    /// Where messages go in the old transport.
    endpoint: Option<Url>,
    session: Option<HeaderValue>,
    announced: Announced,
    /// The last thing that went wrong and was tried again.
    note: Option<String>,
}

impl Shared {
    pub(super) fn new(
        url: Url,
        headers: &BTreeMap<String, Secret>,
        helper: Option<HeadersHelper>,
        ca_file: Option<&Path>,
        limits: Limits,
        quoter: Quoter,
    ) -> Result<Self> {
        Ok(Shared {
            client: client::build(&url, ca_file)?,
            proxy: client::proxy(&url),
            configured: client::headers(headers)?,
            helper,
            headers: OnceCell::new(),
            limits,
            quoter,
            state: Mutex::new(State {
                url,
                endpoint: None,
                session: None,
                announced: Announced::Nothing,
                note: None,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn quoter(&self) -> &Quoter {
        &self.quoter
    }

    /// Says in every further request which revision is spoken.
    pub(super) fn announce(&self, announced: Announced) {
        self.state().announced = announced;
    }

    /// Whether the server has opened a session.
    pub(super) fn has_session(&self) -> bool {
        self.state().session.is_some()
    }

    /// Goes on without the session, which the server has lost.
    pub(super) fn forget_session(&self) {
        let mut state = self.state();
        state.session = None;
        state.announced = Announced::Nothing;
    }

    /// Sends messages there from now on, and reads replies from the stream.
    pub(super) fn send_to(&self, endpoint: Url) {
        self.state().endpoint = Some(endpoint);
    }

    /// Whether replies come by the stream of the old transport.
    pub(super) fn is_streaming(&self) -> bool {
        self.state().endpoint.is_some()
    }

    /// What went wrong last and was tried again, for the detail of an error.
    pub(super) fn note(&self) -> Option<String> {
        self.state().note.clone()
    }

    /// Keeps what went wrong, for the detail of an error that follows from it.
    pub(super) fn remember(&self, note: String) {
        self.state().note = Some(note);
    }

    /// A reader of the events of a stream.
    pub(super) fn reader(&self, doing: Doing) -> Reader<'_> {
        Reader::new(
            self.limits.message,
            self.state().url.clone(),
            doing,
            &self.quoter,
        )
    }

    /// Sends a request and hands on what comes back.
    pub(super) async fn ask(
        &self,
        asked: Asked,
        relayed: Option<&Relayed>,
        body: Vec<u8>,
        events: &mpsc::Sender<Received>,
    ) -> Result<Asking, Failure> {
        let doing = Doing::Asking(asked.method);
        let own = relayed.and_then(|relayed| self.relayed_headers(relayed));
        let (mut response, url) = self.send(Verb::Post(&body, own.as_ref()), doing).await?;
        drop(body);
        if let Some(mut failure) = self.refusal(&response, doing) {
            failure.body = reply::start(&mut response).await;
            return Err(failure);
        }
        if self.is_streaming() {
            return Ok(Asking::Elsewhere);
        }
        // A server that takes the probe for the handshake opens its session with it.
        if matches!(asked.method, "initialize" | "server/discover") {
            self.state().session = response.headers().get(SESSION).cloned();
        }
        let (limits, quoter) = (&self.limits, &self.quoter);
        let cut = reply::hand_on(response, &url, doing, limits, quoter, events).await?;
        Ok(Asking::Drained(cut))
    }

    /// Waits as long as the server asked for, and hands on the rest of a reply whose stream was
    /// cut; where that was cut too, if it was.
    pub(super) async fn go_on(
        &self,
        asked: Asked,
        cut: &Cut,
        events: &mpsc::Sender<Received>,
    ) -> Result<Option<Cut>, Failure> {
        let doing = Doing::Asking(asked.method);
        if let Some(broken) = cut.broken() {
            self.remember(format!("its stream was taken up again: {broken}"));
        }
        let given_up = |why: &str| {
            let error = Error::server(format!(
                "the stream of its reply to {doing} ended without an answer and {why}"
            ));
            let help = "look at the logs of the server and of whatever stands before it";
            Failure::new(Fault::Outage, error.help(help))
        };
        let pause = cut.pause().map_err(|asked| {
            let asked = super::seconds(asked);
            given_up(&format!("shall be taken up again after {asked} only"))
        })?;
        sleep(pause).await;
        let (response, url) = self.send(Verb::Resume(cut.id()), Doing::Resuming).await?;
        if let Some(failure) = self.refusal(&response, Doing::Resuming) {
            let why = format!("can't be taken up again: {}", failure.error.message());
            return Err(given_up(&why));
        }
        if !is_stream(&response) {
            return Err(given_up("can't be taken up again: it opened no stream"));
        }
        let next =
            reply::hand_on(response, &url, doing, &self.limits, &self.quoter, events).await?;
        // A stream that brought nothing new is taken up from the same place.
        Ok(Some(next.unwrap_or_else(|| cut.clone())))
    }

    /// Sends a notification or an answer.
    pub(super) async fn tell(&self, body: Vec<u8>) -> Result<(), Failure> {
        let (response, _) = self.send(Verb::Post(&body, None), Doing::Telling).await?;
        match self.refusal(&response, Doing::Telling) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Sends once, whatever comes of it.
    pub(super) async fn once(
        &self,
        verb: Verb<'_>,
        doing: Doing,
    ) -> Result<(Response, Url), Failure> {
        let url = self.state().url.clone();
        let headers = self.headers().await?;
        self.attempt(verb, doing, url, headers).await
    }

    /// Sends, and again when that may help: after a failed connection, 429 and 5xx.
    pub(super) async fn send(
        &self,
        verb: Verb<'_>,
        doing: Doing,
    ) -> Result<(Response, Url), Failure> {
        let headers = self.headers().await?;
        let mut tries = 0;
        loop {
            let url = {
                let state = self.state();
                let endpoint = state.endpoint.as_ref();
                endpoint.unwrap_or(&state.url).clone()
            };
            let (failure, asked) = match self.attempt(verb, doing, url, headers).await {
                Ok((mut response, url)) => {
                    let status = response.status().as_u16();
                    if !refusal::is_passing(status) {
                        return Ok((response, url));
                    }
                    let wait = reply::retry_after(&response);
                    let failure = refusal::unavailable(&mut response, doing, &self.quoter);
                    (failure.await, wait)
                }
                Err(failure) if failure.fault == Fault::Passing => (failure, None),
                Err(failure) => return Err(failure),
            };
            tries += 1;
            self.remember(format!(
                "its last trouble, after {tries} of {} tries: {}",
                PAUSES.len() + 1,
                failure.error.message()
            ));
            let too_long = asked.is_some_and(|wait| wait > LONGEST_PAUSE);
            let Some(pause) = PAUSES.get(tries - 1).filter(|_| !too_long) else {
                return Err(Failure {
                    fault: Fault::Outage,
                    ..failure
                });
            };
            sleep(asked.unwrap_or(*pause)).await;
        }
    }

    /// Sends once and follows redirects within the origin.
    async fn attempt(
        &self,
        verb: Verb<'_>,
        doing: Doing,
        mut url: Url,
        headers: &HeaderMap,
    ) -> Result<(Response, Url), Failure> {
        for _ in 0..=origin::HOPS {
            let request = match verb {
                Verb::Post(body, _) => self
                    .client
                    .post(url.clone())
                    .headers(headers.clone())
                    .header(CONTENT_TYPE, "application/json")
                    .header(ACCEPT, "application/json, text/event-stream")
                    .body(body.to_vec()),
                Verb::Listen => self
                    .client
                    .get(url.clone())
                    .headers(headers.clone())
                    .header(ACCEPT, "text/event-stream"),
                Verb::Resume(id) => self
                    .client
                    .get(url.clone())
                    .headers(headers.clone())
                    .header(LAST_EVENT_ID, id)
                    .header(ACCEPT, "text/event-stream"),
                Verb::Delete => self.client.delete(url.clone()).headers(headers.clone()),
            };
            let mut request = request.headers(self.protocol_headers(doing));
            if let Verb::Post(_, Some(own)) = verb {
                request = request.headers(own.clone());
            }
            let response = request.send().await.map_err(|error| {
                let what = format!("{doing} was sent");
                let way = Way {
                    url: &url,
                    proxy: self.proxy.as_deref(),
                };
                let broken = network::explain(&error, way, &what, &self.quoter);
                Failure::new(
                    if broken.passing {
                        Fault::Passing
                    } else {
                        Fault::Outage
                    },
                    broken.error,
                )
            })?;
            let status = response.status().as_u16();
            if !(300..400).contains(&status) {
                if matches!(verb, Verb::Post(..)) && !self.is_streaming() {
                    self.state().url = url.clone();
                }
                return Ok((response, url));
            }
            let location = response.headers().get("location");
            let location = location.and_then(|location| location.to_str().ok());
            url = origin::redirected(&url, status, location)
                .map_err(|error| Failure::new(Fault::Outage, error))?;
        }
        let error = Error::server(format!(
            "it redirects {doing} more than {} times",
            origin::HOPS
        ));
        Err(Failure::new(
            Fault::Outage,
            error.help("look at what answers at this URL: it goes round in circles"),
        ))
    }

    /// The headers in which a relayed request says what it is, where its revision wants that.
    fn relayed_headers(&self, relayed: &Relayed) -> Option<HeaderMap> {
        let Announced::VersionAndMethod(_) = self.state().announced else {
            return None;
        };
        let mut headers = HeaderMap::new();
        // A method that fits in no header is none of the protocol: the server will say so.
        if let Ok(method) = HeaderValue::from_str(&relayed.method) {
            headers.insert(METHOD, method);
        }
        if let Some(name) = relayed.name.as_deref().and_then(plain_or_encoded) {
            headers.insert(NAME, name);
        }
        Some(headers)
    }

    fn protocol_headers(&self, doing: Doing) -> HeaderMap {
        let state = self.state();
        let mut headers = HeaderMap::new();
        let (Announced::Version(version) | Announced::VersionAndMethod(version)) = state.announced
        else {
            return headers;
        };
        headers.insert(VERSION, HeaderValue::from_static(version));
        if let (Announced::VersionAndMethod(_), Doing::Asking(method)) = (state.announced, doing) {
            headers.insert(METHOD, HeaderValue::from_static(method));
        }
        if let Some(session) = &state.session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    /// The headers that are configured, after those that the helper prints.
    async fn headers(&self) -> Result<&HeaderMap, Failure> {
        let prepared = self.headers.get_or_try_init(|| async {
            let Some(helper) = &self.helper else {
                return Ok(self.configured.clone());
            };
            let printed = helper::headers(helper).await?;
            let secrets: Vec<Secret> = printed.values().cloned().collect();
            self.quoter.learn(&secrets);
            let mut headers = client::headers(&printed)?;
            for (name, value) in &self.configured {
                headers.insert(name, value.clone());
            }
            Ok(headers)
        });
        prepared
            .await
            .map_err(|error| Failure::new(Fault::Outage, error))
    }

    /// Whether credentials were sent.
    fn authorized(&self) -> bool {
        let headers = self.headers.get().unwrap_or(&self.configured);
        headers.contains_key("authorization") || headers.contains_key("x-api-key")
    }

    /// What is wrong with a reply by its status alone, if anything.
    pub(super) fn refusal(&self, response: &Response, doing: Doing) -> Option<Failure> {
        let sender = Sender {
            authorized: self.authorized(),
            proxy: self.proxy.as_deref(),
            quoter: &self.quoter,
        };
        refusal::refused(response, doing, sender)
    }
}

/// The value of a header for any text: as it is where it is plain, else in the base64 form that
/// revision 2026-07-28 gives for it.
fn plain_or_encoded(text: &str) -> Option<HeaderValue> {
    let plain = !text.is_empty()
        && text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && text.trim() == text
        && !text.starts_with("=?");
    let value = if plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(text))
    };
    HeaderValue::from_str(&value).ok()
}

/// Whether a reply is an event stream.
pub(super) fn is_stream(response: &Response) -> bool {
    reply::essence(response).as_deref() == Some("text/event-stream")
}
