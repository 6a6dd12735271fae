//! A remote server: every message of ours is one request, and what comes back is handed on in the
//! order in which it comes.
//!
//! Streamable HTTP, and the old HTTP+SSE once [`Http::connect_stream`] has found its endpoint. A
//! courier sends in order: a request is on its way as soon as the notifications before it have
//! arrived, so that a server can ask something while it still answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::exchange::{Asking, Shared};
use super::request::{Doing, Verb};
use super::{
    Asked, Cut, End, Failure, Fault, Limits, NoStream, Outgoing, Quoter, Received, Shutdown,
    origin, reply,
};
use crate::config::{HttpKind, ResolvedTarget};
use crate::error::{Error, Result};

/// How long the end of a session may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// How many messages wait to be taken: one that is being looked at and one that is ready.
const WAITING: usize = 1;

/// A way to a remote server.
#[derive(Debug)]
pub struct Http {
    shared: Arc<Shared>,
    orders: mpsc::UnboundedSender<Order>,
    inbox: mpsc::Receiver<Received>,
    events: mpsc::Sender<Received>,
    /// Whether the config asks for the old transport.
    old: bool,
    tasks: JoinSet<()>,
}

/// That a stream has ended.
const ENDED: Received = Received::Ended(End {
    status: None,
    pipe_held: false,
});

/// What the courier is to do.
#[derive(Debug)]
enum Order {
    Send(Outgoing),
    Listen,
    Resume(Asked, Cut),
}

impl Http {
    /// Gets ready to reach a server; nothing is sent yet. To be called inside a tokio runtime.
    pub(super) fn open(
        target: &ResolvedTarget,
        limits: &Limits,
        ca_file: Option<&Path>,
        quoter: &Quoter,
    ) -> Result<Self> {
        let ResolvedTarget::Url {
            url,
            headers,
            headers_helper,
            http,
        } = target
        else {
            return Err(Error::usage("is no URL"));
        };
        let url = origin::parse(url.expose())?;
        let shared = Arc::new(Shared::new(
            url,
            headers,
            headers_helper.clone(),
            ca_file,
            *limits,
            quoter.clone(),
        )?);
        let (orders, waiting) = mpsc::unbounded_channel();
        let (events, inbox) = mpsc::channel(WAITING);
        let mut tasks = JoinSet::new();
        tasks.spawn(carry(Arc::clone(&shared), waiting, events.clone()));
        Ok(Http {
            shared,
            orders,
            inbox,
            events,
            old: *http == HttpKind::Sse,
            tasks,
        })
    }

    /// Queues one message.
    pub(super) fn send(&self, message: Outgoing) {
        // The courier lives as long as this.
        let _ = self.orders.send(Order::Send(message));
    }

    /// Asks for the rest of a reply.
    pub(super) fn resume(&self, asked: Asked, cut: Cut) {
        let _ = self.orders.send(Order::Resume(asked, cut));
    }

    /// What comes next. Dropping the future loses nothing.
    pub(super) async fn receive(&mut self) -> Received {
        self.inbox.recv().await.unwrap_or(ENDED)
    }

    /// The state that requests share.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Whether the config asks for the old transport.
    pub(super) fn is_old(&self) -> bool {
        self.old
    }

    /// Opens the stream on which a server may speak unasked. Whether it has one is its own
    /// business: nothing that goes wrong with it is told.
    pub(super) fn listen(&self) {
        if !self.shared.is_streaming() {
            let _ = self.orders.send(Order::Listen);
        }
    }

    /// Opens the stream of the old transport and waits for the endpoint that it names; from then
    /// on messages go there.
    pub(super) async fn connect_stream(&mut self) -> Result<(), NoStream> {
        let (found, ready) = oneshot::channel();
        self.tasks.spawn(old_stream(
            Arc::clone(&self.shared),
            self.events.clone(),
            found,
        ));
        match timeout(self.shared.limits().start, ready).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(NoStream::Absent(Error::server(
                "its stream ended before it was open",
            ))),
            Err(_) => Err(NoStream::Absent(self.shared.limits().met(
                super::Limit::Start,
                "it named no endpoint on its stream in time",
            ))),
        }
    }

    /// Ends the session in the background, if there is one.
    pub(super) fn close(self) -> Shutdown {
        let Http {
            shared, mut tasks, ..
        } = self;
        tasks.abort_all();
        Shutdown::running(async move {
            if shared.has_session() {
                // A server may refuse this (405), and nothing depends on it.
                let _ = timeout(FAREWELL, shared.once(Verb::Delete, Doing::Leaving)).await;
            }
        })
    }
}

/// Sends what is queued, in order.
async fn carry(
    shared: Arc<Shared>,
    mut orders: mpsc::UnboundedReceiver<Order>,
    events: mpsc::Sender<Received>,
) {
    let mut running = JoinSet::new();
    while let Some(order) = orders.recv().await {
        while running.try_join_next().is_some() {}
        let message = match order {
            Order::Send(message) => message,
            Order::Listen => {
                running.spawn(listen(Arc::clone(&shared), events.clone()));
                continue;
            }
            Order::Resume(asked, cut) => {
                let (shared, events) = (Arc::clone(&shared), events.clone());
                running.spawn(async move {
                    let told = shared.go_on(asked, &cut, &events).await;
                    let _ = events.send(outcome(asked, told)).await;
                });
                continue;
            }
        };
        let Some(asked) = message.request else {
            let sent = shared.tell(message.body);
            if let Ok(Err(failure)) = timeout(shared.limits().request, sent).await {
                let _ = events.send(Received::Failed(failure)).await;
            }
            continue;
        };
        let (shared, events) = (Arc::clone(&shared), events.clone());
        running.spawn(async move {
            let told = match shared
                .ask(asked, message.relayed.as_ref(), message.body, &events)
                .await
            {
                Ok(Asking::Elsewhere) => return,
                Ok(Asking::Drained(cut)) => outcome(asked, Ok(cut)),
                Err(failure) => outcome(asked, Err(failure)),
            };
            // Fails only when nobody listens any more.
            let _ = events.send(told).await;
        });
    }
}

/// What to tell of the end of a reply.
fn outcome(asked: Asked, ended: Result<Option<Cut>, Failure>) -> Received {
    match ended {
        Ok(cut) => Received::Drained {
            request: asked.id,
            cut,
        },
        Err(mut failure) => {
            failure.request = Some(asked.id);
            Received::Failed(failure)
        }
    }
}

/// Reads the stream on which the server may speak unasked, and again after a pause when it was cut
/// and can be taken up again.
async fn listen(shared: Arc<Shared>, events: mpsc::Sender<Received>) {
    let mut cut: Option<Cut> = None;
    loop {
        let verb = match &cut {
            None => Verb::Listen,
            Some(cut) => Verb::Resume(cut.id()),
        };
        let Ok((mut response, _)) = shared.once(verb, Doing::Listening).await else {
            return;
        };
        if !response.status().is_success() || !super::exchange::is_stream(&response) {
            return;
        }
        let mut reader = shared.reader(Doing::Listening);
        while let Ok(Some(found)) = reader.next(&mut response).await {
            for told in found {
                if told.name != ENDPOINT && events.send(told.received).await.is_err() {
                    return;
                }
            }
        }
        let Some(next) = reader.cut(None).or(cut) else {
            return;
        };
        let Ok(pause) = next.pause() else { return };
        sleep(pause).await;
        cut = Some(next);
    }
}

/// The name of the event that tells where messages go.
pub(super) const ENDPOINT: &str = "endpoint";

/// Reads the stream of the old transport to its end.
async fn old_stream(
    shared: Arc<Shared>,
    events: mpsc::Sender<Received>,
    found: oneshot::Sender<Result<(), NoStream>>,
) {
    let opened = async {
        let (response, url) = shared
            .send(Verb::Listen, Doing::Connecting)
            .await
            .map_err(|failure| failure.error)?;
        if let Some(failure) = shared.refusal(&response, Doing::Connecting) {
            return Err(failure.error);
        }
        if let Some(error) = reply::compressed(&response, Doing::Connecting, shared.quoter()) {
            return Err(error);
        }
        if !super::exchange::is_stream(&response) {
            return Err(
                Error::server("it opened no event stream when it was asked for one")
                    .help("look at the path of its URL"),
            );
        }
        Ok((response, url))
    };
    let (mut response, url) = match opened.await {
        Ok(opened) => opened,
        Err(error) => {
            let _ = found.send(Err(NoStream::Absent(error)));
            return;
        }
    };
    let mut found = Some(found);
    let mut reader = shared.reader(Doing::Connecting);
    let broken = loop {
        let events_read = match reader.next(&mut response).await {
            Ok(Some(read)) => read,
            Ok(None) => break None,
            Err(failure) => break Some(failure.error),
        };
        for told in events_read {
            let is_endpoint = told.name == ENDPOINT;
            match (is_endpoint, found.take(), told.received) {
                (true, Some(found), Received::Text { bytes, .. }) => {
                    match origin::endpoint(&url, &bytes) {
                        Ok(endpoint) => {
                            shared.send_to(endpoint);
                            let _ = found.send(Ok(()));
                        }
                        Err(error) => {
                            let _ = found.send(Err(NoStream::Refused(error)));
                            return;
                        }
                    }
                }
                (true, ..) => {}
                (false, waiting, received) => {
                    found = waiting;
                    if events.send(received).await.is_err() {
                        return;
                    }
                }
            }
        }
    };
    if let Some(found) = found {
        let error = broken.unwrap_or_else(|| {
            Error::server("its stream ended before it named an endpoint")
                .help("look at the path of its URL")
        });
        let _ = found.send(Err(NoStream::Absent(error)));
        return;
    }
    if let Some(error) = broken {
        shared.remember(error.message().to_owned());
    }
    let _ = events.send(ENDED).await;
}

/// Whether a failure is that of a server that knows the old transport only.
pub(super) fn may_be_old(fault: Fault) -> bool {
    matches!(fault, Fault::Refused(400 | 404 | 405))
}
