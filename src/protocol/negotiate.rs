//! Finds the revision that both sides speak, and opens the session in it.
//!
//! When a revision is asked for (it is pinned, or `--protocol` names it) nothing else is tried.
//! Otherwise `server/discover` goes first, since a server of both eras settles on one by the first
//! request that it gets. An older server answers that with some error, which costs one exchange;
//! silence may be a cold start as well as an old server, so `initialize` goes behind it on the
//! same pipe and the first valid answer decides; a process that ends on it is started once more,
//! and so is one that answers the probe with the handshake behind it.
//! All this is paid once: from then on the revision is pinned.

use std::time::Duration;

use tokio::time::Instant;

use super::fetch::FetchOptions;
use super::jsonrpc::RpcError;
use super::legacy::{self, Opened, Unopened, other_revision};
use super::modern::{self, Common, Discovered};
use super::session::{Method, Session, Trouble};
use super::{Revision, method};
use crate::error::{Error, Result};
use crate::transport::{Fault, Limit, NoStream};

/// How long silence lasts before `initialize` goes behind the probe.
const SILENCE: Duration = Duration::from_secs(2);

/// What came of opening a session.
#[derive(Debug)]
pub(super) enum Opening {
    /// It is open.
    Open(Opened),
    /// The process ended on the probe: it is to be started again, without one. The error is what
    /// to say when that does not help.
    EndedOnProbe(Error),
    /// It speaks this revision, and was sent a handshake as well, which it may have taken: what it
    /// shows now may be either era's. It is to be started again, and asked in this revision alone.
    AskedTwice(Revision),
}

/// Opens the session.
pub(super) async fn open(
    session: &mut Session,
    options: &FetchOptions,
) -> Result<Opening, Unopened> {
    match options.protocol {
        Some(revision) if revision.is_modern() => {
            return discover(session, options, revision).await;
        }
        asked if session.is_old() => {
            let connected = session.connect_stream().await;
            connected.map_err(NoStream::into_error)?;
            legacy::initialize(session, options, asked).await
        }
        None => return Probe::new(session, options).run(session, options).await,
        asked => legacy::initialize(session, options, asked).await,
    }
    .map(Opening::Open)
}

/// Asks for a revision without a handshake and takes no other.
async fn discover(
    session: &mut Session,
    options: &FetchOptions,
    revision: Revision,
) -> Result<Opening, Unopened> {
    let speaks_older = |what: &str| other_revision(revision, options.protocol_source, what);
    if session.is_old() {
        return Err(speaks_older(
            "the config says that it has the old HTTP+SSE transport, and that needs a handshake",
        ));
    }
    session.carry(Some((revision, &options.declared)));
    let mut outcome = session.call(Method::Discover, "{}", Limit::Start).await;
    if let Ok(Err(error)) = &outcome
        && error.code == Some(RpcError::UNSUPPORTED_VERSION)
        && modern::common(&error.supported) == Common::Modern(revision)
    {
        outcome = session.call(Method::Discover, "{}", Limit::Start).await;
    }
    let reply = match outcome {
        Ok(reply) => reply,
        Err(Trouble::Ended(end)) if session.is_process() => {
            let error = session.explain(Method::Discover, Trouble::Ended(end));
            return Ok(Opening::EndedOnProbe(error));
        }
        // Whoever takes no such message may be an older server, or no server at all.
        Err(Trouble::Refused(Fault::Refused(_), error)) => {
            return Err(match legacy::initialize(session, options, None).await {
                Ok(opened) => speaks_older(&takes_handshake(&opened)),
                Err(_) => Unopened::Failed(error),
            });
        }
        Err(trouble) => return Err(session.explain(Method::Discover, trouble).into()),
    };
    let result = match reply {
        Ok(result) => result,
        Err(error) => {
            let refused = legacy::refused(session, Method::Discover, &error);
            let is_older = !modern::is_modern_error(&error)
                || error.code == Some(RpcError::UNSUPPORTED_VERSION);
            return Err(if is_older {
                speaks_older(refused.message())
            } else {
                refused.into()
            });
        }
    };
    Err(match modern::discovered(&result) {
        Discovered::Modern(opened) if opened.revision == revision => {
            return Ok(Opening::Open(opened));
        }
        Discovered::Modern(opened) => {
            speaks_older(&format!("it supports {} only", opened.revision))
        }
        Discovered::Handshake | Discovered::Shaken => {
            speaks_older("it supports only revisions with a handshake")
        }
        Discovered::Nothing(theirs) => modern::nothing_in_common(&theirs, session.quoter()).into(),
        Discovered::Unlike(why) => {
            speaks_older(&format!("its reply to `server/discover` is none: {why}"))
        }
    })
}

/// What is told of a server that did not take `server/discover`.
pub(super) fn takes_handshake(opened: &Opened) -> String {
    format!(
        "it does not take `server/discover`, and answers `initialize` with {}",
        opened.revision
    )
}

/// The search for the era of a server, where nothing is pinned.
struct Probe {
    deadline: Instant,
    /// How long silence lasts before `initialize` goes behind the probe; none where silence is no
    /// sign of an old server.
    silence: Option<Duration>,
    /// Whether `initialize` was sent.
    initialize: bool,
    /// Whether `server/discover` was answered, and not as a server of the new era does.
    refused: bool,
    /// Whether `server/discover` was sent a second time, in a revision that the server had named.
    repeated: bool,
    /// What `initialize` was answered with, when that was an error.
    declined: Option<Error>,
}

impl Probe {
    fn new(session: &Session, options: &FetchOptions) -> Self {
        let start = options.limits.start;
        Probe {
            deadline: Instant::now() + start,
            // Part of a short start time-out only, so that `initialize` has its turn too.
            silence: session.is_process().then(|| SILENCE.min(start / 3)),
            initialize: false,
            refused: false,
            repeated: false,
            declined: None,
        }
    }

    async fn run(
        mut self,
        session: &mut Session,
        options: &FetchOptions,
    ) -> Result<Opening, Unopened> {
        session.carry(Some((Revision::V2026_07_28, &options.declared)));
        session.request(Method::Discover, "{}");
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let time = match self.silence {
                Some(silence) if !self.initialize => silence.min(left),
                _ => left,
            };
            match session.reply(time, Limit::Start).await {
                Ok((Method::Discover, Ok(result))) => match modern::discovered(&result) {
                    Discovered::Modern(opened) if self.initialize => {
                        return Ok(Opening::AskedTwice(opened.revision));
                    }
                    Discovered::Modern(opened) => {
                        session.carry(Some((opened.revision, &options.declared)));
                        return Ok(Opening::Open(opened));
                    }
                    Discovered::Nothing(theirs) => {
                        return Err(modern::nothing_in_common(&theirs, session.quoter()).into());
                    }
                    // It answers whatever comes first as the handshake that it expects.
                    Discovered::Shaken if !self.initialize => {
                        let opened = legacy::read(session, &result)?;
                        session.carry(None);
                        session.initialized(opened.revision);
                        return Ok(Opening::Open(opened));
                    }
                    Discovered::Handshake | Discovered::Shaken | Discovered::Unlike(_) => {
                        self.fall_back(session, options);
                    }
                },
                Ok((Method::Discover, Err(error))) => {
                    self.discover_failed(session, options, &error)?;
                }
                Ok((Method::Initialize, Ok(result))) => {
                    let opened = legacy::read(session, &result)?;
                    session.abandon_open();
                    session.initialized(opened.revision);
                    return Ok(Opening::Open(opened));
                }
                Ok((Method::Initialize, Err(error))) => {
                    self.declined = Some(legacy::refused(session, Method::Initialize, &error));
                }
                // Nothing else is open.
                Ok(_) => {}
                Err(Trouble::Ended(end)) if session.is_process() => {
                    let error = session.explain(Method::Discover, Trouble::Ended(end));
                    return Ok(Opening::EndedOnProbe(error));
                }
                // A remote server that does not take the probe is asked in the old way.
                Err(Trouble::Refused(Fault::Refused(_), _)) if !self.initialize => {
                    return legacy::initialize(session, options, None)
                        .await
                        .map(Opening::Open);
                }
                Err(Trouble::Refused(fault, _))
                    if session.may_be_old(fault) && legacy::connect_stream(session).await? =>
                {
                    return legacy::initialize(session, options, None)
                        .await
                        .map(Opening::Open);
                }
                Err(Trouble::Late(_)) if !self.initialize && self.silence.is_some() => {
                    self.send_initialize(session, options);
                }
                Err(trouble) => {
                    let open = if self.initialize {
                        Method::Initialize
                    } else {
                        Method::Discover
                    };
                    let declined = self.declined;
                    return Err(declined
                        .unwrap_or_else(|| session.explain(open, trouble))
                        .into());
                }
            }
            if self.refused
                && let Some(declined) = self.declined.take()
            {
                return Err(declined.into());
            }
        }
    }

    /// What an error in reply to the probe means.
    fn discover_failed(
        &mut self,
        session: &mut Session,
        options: &FetchOptions,
        error: &RpcError,
    ) -> Result<()> {
        if modern::is_modern_error(error) {
            let refused = legacy::refused(session, Method::Discover, error);
            match modern::common(&error.supported) {
                Common::Handshake => {}
                Common::Nothing(theirs) if error.code == Some(RpcError::UNSUPPORTED_VERSION) => {
                    return Err(modern::nothing_in_common(&theirs, session.quoter()));
                }
                // It may have refused another revision than it was asked in; once is enough.
                Common::Modern(revision) if !self.repeated => {
                    self.repeated = true;
                    session.carry(Some((revision, &options.declared)));
                    session.request(Method::Discover, "{}");
                    return Ok(());
                }
                Common::Modern(_) | Common::Nothing(_) => return Err(refused),
            }
        }
        self.fall_back(session, options);
        Ok(())
    }

    /// Goes on with the handshake alone.
    fn fall_back(&mut self, session: &mut Session, options: &FetchOptions) {
        self.refused = true;
        if !self.initialize {
            self.send_initialize(session, options);
        }
    }

    fn send_initialize(&mut self, session: &mut Session, options: &FetchOptions) {
        self.initialize = true;
        session.carry(None);
        let params = method::initialize_params(Revision::NEWEST_LEGACY, &options.declared);
        session.request(Method::Initialize, &params);
    }
}
