//! The handshake of the revisions up to 2025-11-25: `initialize`, then `notifications/initialized`.
//!
//! Says how the session was opened; what is listed afterwards is the same in every era.

use serde_json::value::RawValue;

use super::fetch::{FetchOptions, ProtocolSource};
use super::jsonrpc::RpcError;
use super::members::members;
use super::paging::malformed;
use super::session::{Method, Session, Trouble};
use super::{Revision, method};
use crate::error::{Error, Result};
use crate::transport::{Limit, NoStream};

/// How much of what a server says a message quotes.
const QUOTED: usize = 200;

/// What a server said of itself when the session was opened.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) revision: Revision,
    pub(super) server_info: Option<Box<RawValue>>,
    pub(super) capabilities: Box<RawValue>,
    pub(super) instructions: Option<Box<RawValue>>,
}

/// Why a session was not opened.
#[derive(Debug)]
pub(super) enum Unopened {
    /// The server is there, and does not speak the only revision that would do.
    OtherRevision(Error),
    /// Anything else.
    Failed(Error),
}

impl From<Error> for Unopened {
    fn from(error: Error) -> Self {
        Unopened::Failed(error)
    }
}

impl Unopened {
    /// What is told about it.
    pub(super) fn into_error(self) -> Error {
        match self {
            Unopened::OtherRevision(error) | Unopened::Failed(error) => error,
        }
    }
}

/// That a server does not speak `asked`, the only revision that will do. `what` is what it did.
pub(super) fn other_revision(asked: Revision, source: ProtocolSource, what: &str) -> Unopened {
    let (speaks, help) = match source {
        ProtocolSource::Flag => (
            "does not speak",
            "ask for another revision with `--protocol`, or leave it out",
        ),
        ProtocolSource::Lockfile | ProtocolSource::LockfileFirst => (
            "no longer speaks",
            "look at what became of the server, then `mcplock pin` it in the revision that it \
             speaks now; `--protocol` asks for another revision",
        ),
    };
    Unopened::OtherRevision(Error::server(format!("it {speaks} {asked}: {what}")).help(help))
}

/// Opens a session. `forced` is the only revision that will do. A remote server that does not take
/// `initialize` is tried once more over the old HTTP+SSE transport.
pub(super) async fn initialize(
    session: &mut Session,
    options: &FetchOptions,
    forced: Option<Revision>,
) -> Result<Opened, Unopened> {
    session.carry(None);
    let asked = forced.unwrap_or(Revision::NEWEST_LEGACY);
    let params = method::initialize_params(asked, &options.declared);
    let mut outcome = session
        .call(Method::Initialize, &params, Limit::Start)
        .await;
    if let Err(Trouble::Refused(fault, _)) = &outcome
        && session.may_be_old(*fault)
        && connect_stream(session).await?
    {
        outcome = session
            .call(Method::Initialize, &params, Limit::Start)
            .await;
    }
    let reply = outcome.map_err(|trouble| session.explain(Method::Initialize, trouble))?;
    let result = reply.map_err(|error| {
        let refused = refused(session, Method::Initialize, &error);
        if error.code == Some(RpcError::UNSUPPORTED_VERSION) && forced.is_some() {
            return other_revision(asked, options.protocol_source, refused.message());
        }
        Unopened::Failed(refused)
    })?;
    let opened = read(session, &result)?;
    if forced.is_some_and(|forced| forced != opened.revision) {
        let what = format!("it answered with {}", opened.revision);
        return Err(other_revision(asked, options.protocol_source, &what));
    }
    session.initialized(opened.revision);
    Ok(opened)
}

/// Reads the result of `initialize`.
pub(super) fn read(session: &Session, result: &RawValue) -> Result<Opened> {
    let [version, info, capabilities, instructions] = members(
        result.get(),
        [
            "protocolVersion",
            "serverInfo",
            "capabilities",
            "instructions",
        ],
    )
    .map_err(|why| {
        malformed(match why {
            super::members::Unreadable::Twice(name) => {
                format!("its reply to `initialize` holds `{name}` twice")
            }
            _ => "its reply to `initialize` is no object".to_owned(),
        })
    })?;
    let Some(version) = version else {
        return Err(malformed(
            "its reply to `initialize` has no `protocolVersion`".to_owned(),
        ));
    };
    let known = serde_json::from_str::<String>(version.get())
        .ok()
        .and_then(|date| Revision::parse(&date))
        .filter(|revision| !revision.is_modern());
    let Some(revision) = known else {
        return Err(Error::server(format!(
            "it answered `initialize` with the protocol revision {}, which that handshake doesn't \
             know",
            session.quoter().line(version.get().as_bytes(), QUOTED)
        ))
        .help(format!(
            "mcplock speaks {} here: update the server, or mcplock",
            legacy_revisions()
        )));
    };
    let Some(capabilities) = capabilities.filter(|raw| raw.get().starts_with('{')) else {
        return Err(malformed(
            "its reply to `initialize` has no `capabilities` object".to_owned(),
        ));
    };
    let present =
        |raw: Option<&RawValue>| raw.filter(|raw| raw.get() != "null").map(ToOwned::to_owned);
    Ok(Opened {
        revision,
        server_info: present(info),
        capabilities: capabilities.to_owned(),
        instructions: present(instructions),
    })
}

/// Tries the old HTTP+SSE transport; whether the server has it. An endpoint that is refused is an
/// error: only such a server names one.
pub(super) async fn connect_stream(session: &mut Session) -> Result<bool> {
    match session.connect_stream().await {
        Ok(()) => Ok(true),
        Err(NoStream::Refused(error)) => Err(error),
        Err(NoStream::Absent(_)) => Ok(false),
    }
}

fn legacy_revisions() -> String {
    let dates: Vec<&str> = Revision::ALL
        .into_iter()
        .filter(|revision| !revision.is_modern())
        .map(Revision::as_str)
        .collect();
    dates.join(", ")
}

/// The error of a request that the server answered with an error.
pub(super) fn refused(session: &Session, method: Method, error: &RpcError) -> Error {
    let code = error
        .code
        .map_or_else(String::new, |code| format!(" {code}"));
    let said = session.quoter().line(error.message.as_bytes(), QUOTED);
    let colon = if said.is_empty() { "" } else { ": " };
    let supported = session
        .quoter()
        .line(error.supported.join(", ").as_bytes(), QUOTED);
    let supports = if supported.is_empty() {
        String::new()
    } else {
        format!(" (it supports {supported})")
    };
    Error::server(format!(
        "it answered `{method}` with error{code}{colon}{said}{supports}"
    ))
    .help("look at what the server needs to be configured with, and at its logs")
}
