//! The HTTP client of one server: trust, proxies, and what is sent with every request.
//!
//! Follows no redirect and decodes no compression by itself. Certificates are read only for
//! `https:`, so a run without remote servers pays nothing for them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, Url};

use super::origin::is_loopback;
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::text::visible;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// Builds the client for `url`. Authorities are those of the system (or `SSL_CERT_FILE`), and those
/// in `ca_file`, a PEM bundle. Proxies are taken from the environment, but never for the machine
/// itself.
pub(super) fn build(url: &Url, ca_file: Option<&Path>) -> Result<Client> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Fails only when the program that embeds this has chosen one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .user_agent(concat!("mcplock/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Nothing is to be verified, so no authority is read from the disk.
        builder = builder.tls_certs_only([]);
    } else if let Some(file) = ca_file {
        builder = builder.tls_certs_merge(authorities(file)?);
    }
    builder.build().map_err(|error| {
        Error::config(format!(
            "could not set up TLS: {}",
            visible(&innermost(&error))
        ))
        .help("look at `SSL_CERT_FILE`, `--ca-file` and the proxy variables")
    })
}

/// The proxy that requests to `url` go through, as a message shows it (never with its password);
/// none when they go straight. Read from the environment in the way in which the client does.
pub(super) fn proxy(url: &Url) -> Option<String> {
    if is_loopback(url) {
        return None;
    }
    let uri: http::Uri = url.as_str().parse().ok()?;
    let intercept = Matcher::from_system().intercept(&uri)?;
    let (scheme, host) = (intercept.uri().scheme_str()?, intercept.uri().host()?);
    let port = intercept.uri().port_u16();
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    Some(visible(&format!("{scheme}://{host}{port}")))
}

fn authorities(file: &Path) -> Result<Vec<Certificate>> {
    let pem = std::fs::read(file)
        .map_err(|error| Error::io(file, "read the certificates of `--ca-file`", &error))?;
    match Certificate::from_pem_bundle(&pem) {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(Error::config("`--ca-file` holds no certificate")
            .in_file(file)
            .help("it must hold certificates in PEM form (`-----BEGIN CERTIFICATE-----`)")),
    }
}

/// The text of the innermost cause.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Headers as they are sent, marked as sensitive.
pub(super) fn headers(configured: &BTreeMap<String, Secret>) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in configured {
        let (Ok(key), Ok(mut value)) = (
            HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_bytes(value.expose().as_bytes()),
        ) else {
            return Err(
                Error::config(format!("the header `{}` can't be sent", visible(name)))
                    .help("a header has neither line breaks nor control characters"),
            );
        };
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_can_not_be_sent_is_named_without_its_value() {
        let of = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), Secret::new(value))]);
        let error = headers(&of("x-token", "abcd\u{1}efgh")).unwrap_err();
        assert!(error.message().contains("`x-token`"));
        assert!(!error.message().contains("abcd"));
        let sent = headers(&of("authorization", "Bearer x")).unwrap();
        assert!(!format!("{sent:?}").contains("Bearer"));
    }

    #[test]
    fn a_file_without_a_certificate_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let url = super::super::origin::parse("https://h.example/").unwrap();
        let error = build(&url, Some(file.path())).unwrap_err();
        assert!(error.message().contains("holds no certificate"), "{error}");
        let error = build(&url, Some(Path::new("/no/such/file"))).unwrap_err();
        assert!(error.message().contains("could not read"), "{error}");
    }
}
