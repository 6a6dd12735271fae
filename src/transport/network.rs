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

/// Explains the failure of a request to `url`; `doing` says what was going on, as a fragment.
pub(super) fn explain(
    error: &reqwest::Error,
    url: &reqwest::Url,
    doing: &str,
    quoter: &Quoter,
) -> Broken {
    let place = origin::shown(url);
    if let Some(error) = certificate(error) {
        return Broken {
            passing: false,
            error,
        };
    }
    let said = quoter.line(innermost(error).as_bytes(), QUOTED);
    let proxied = chain(error).any(|cause| cause.to_string().contains("tunnel"));
    let (passing, message, help) = if proxied {
        (
            false,
            format!("the proxy made no way to {place}: {said}"),
            "look at `HTTPS_PROXY` and `NO_PROXY`",
        )
    } else if error.is_timeout() {
        (
            false,
            format!("no connection to {place} was made in time"),
            "look at the host and port, and at the network between",
        )
    } else if error.is_connect() {
        let refused = chain(error)
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|cause| cause.kind() == io::ErrorKind::ConnectionRefused);
        if refused {
            (
                true,
                format!("nothing listens at {place}: the connection was refused"),
                "start the server, or correct its URL",
            )
        } else {
            (
                true,
                format!("could not connect to {place}: {said}"),
                "look at the host and port of its URL, and at the network",
            )
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
