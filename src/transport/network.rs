//! What went wrong between here and a remote server, in words.
//!
//! Pure but for looking into errors. URLs are cut off: they may hold a secret.

use std::error::Error as Cause;
use std::io;

use rustls::CertificateError;

use super::client::innermost;
use super::{Quoter, origin};
use crate::error::Error;

/// How much of a library's words is quoted.
const QUOTED: usize = 200;

/// A request that brought no response, or not all of it.
#[derive(Debug)]
pub(super) struct Broken {
    /// Whether it may go better the next time.
    pub(super) passing: bool,
    /// What to tell.
    pub(super) error: Error,
}

/// Which way a request goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'w> {
    /// Where to.
    pub(super) url: &'w reqwest::Url,
    /// The proxy on the way, as a message shows it.
    pub(super) proxy: Option<&'w str>,
}

impl<'w> Way<'w> {
    /// The way once a connection is made: a proxy changes nothing any more.
    pub(super) fn straight(url: &'w reqwest::Url) -> Self {
        Way { url, proxy: None }
    }
}

/// What a proxy says about a tunnel that it does not make for want of authorization.
const TUNNEL_WANTS_AUTHORIZATION: &str = "proxy authorization required";

/// The error of a proxy that wants to know who asks.
pub(super) fn proxy_wants_authorization(proxy: Option<&str>) -> Error {
    let proxy = proxy.map_or_else(String::new, |proxy| format!(" {proxy}"));
    Error::server(format!("the proxy{proxy} wants authorization (status 407)")).help(
        "put the user and password into `HTTPS_PROXY` or `HTTP_PROXY`: `http://USER:PASSWORD@…`",
    )
}

/// Explains the failure of a request; `doing` says what was going on, as a fragment.
pub(super) fn explain(
    error: &reqwest::Error,
    way: Way<'_>,
    doing: &str,
    quoter: &Quoter,
) -> Broken {
    let place = origin::shown(way.url);
    if let Some(error) = certificate(error) {
        return Broken {
            passing: false,
            error,
        };
    }
    let said = quoter.line(innermost(error).as_bytes(), QUOTED);
    if said.contains(TUNNEL_WANTS_AUTHORIZATION) {
        return Broken {
            passing: false,
            error: proxy_wants_authorization(way.proxy),
        };
    }
    let tunnel = chain(error)
        .filter(|cause| cause.source().is_none())
        .any(|cause| cause.to_string().contains("tunnel"));
    // Where the connection goes that could not be made.
    let (first, look) = match way.proxy {
        Some(proxy) => (
            format!("the proxy {proxy}"),
            "look at `HTTPS_PROXY` and `HTTP_PROXY`, or name the host in `NO_PROXY`",
        ),
        None => (
            place.clone(),
            "look at the host and port of its URL, and at the network between",
        ),
    };
    let (passing, message, help) = if tunnel {
        (
            false,
            format!("{first} made no way to {place}: {said}"),
            look,
        )
    } else if error.is_timeout() {
        (
            false,
            format!("no connection to {first} was made in time"),
            look,
        )
    } else if error.is_connect() {
        let refused = chain(error)
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused);
        if refused {
            (
                true,
                format!("nothing listens at {first}: the connection was refused"),
                way.proxy
                    .map_or("start the server, or correct its URL", |_| look),
            )
        } else {
            (true, format!("could not connect to {first}: {said}"), look)
        }
    } else {
        (
            true,
            format!("the connection broke while {doing}: {said}"),
            "look at the logs of the server and of whatever stands before it",
        )
    };
    Broken {
        passing,
        error: Error::server(message).help(help),
    }
}

/// Every cause, the error itself first; those that I/O errors wrap included.
fn chain<'e>(error: &'e (dyn Cause + 'static)) -> impl Iterator<Item = &'e (dyn Cause + 'static)> {
    std::iter::successors(Some(error), |&error: &&'e (dyn Cause + 'static)| {
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match wrapped {
            Some(inner) => {
                let inner: &(dyn Cause + 'static) = inner;
                Some(inner)
            }
            None => error.source(),
        }
    })
}

/// Why the server could not be known for what it says it is, if that is what happened.
fn certificate(error: &reqwest::Error) -> Option<Error> {
    let tls = chain(error).find_map(|cause| cause.downcast_ref::<rustls::Error>())?;
    let (what, help) = match tls {
        rustls::Error::InvalidCertificate(why) => match why {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
                "its certificate has expired",
                "renew it, or look at the clock of this machine",
            ),
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
                "its certificate is not valid yet",
                "look at the clock of this machine",
            ),
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                (
                    "its certificate is for another host name",
                    "write the name that the certificate is for into the URL",
                )
            }
            CertificateError::UnknownIssuer => (
                "its certificate comes from no authority that is trusted here",
                "if it is right, pass the authority's certificate with `--ca-file` or \
                 `SSL_CERT_FILE`",
            ),
            _ => (
                "its certificate is not accepted",
                "look at it with `openssl s_client`",
            ),
        },
        _ => (
            "the TLS handshake failed",
            "look whether the URL should begin with `http://`, and at the server's TLS set-up",
        ),
    };
    Some(
        Error::server(format!(
            "{what} ({})",
            crate::text::visible(&tls.to_string())
        ))
        .help(help),
    )
}
