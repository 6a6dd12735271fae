//! Which URLs belong to a server, and where a redirect of it leads.
//!
//! Pure. Whatever is configured for a server (a token above all) goes to its own origin only.

use reqwest::Url;

use crate::error::{Error, Result};
use crate::text::visible;

/// How many redirects are followed for one request.
pub(super) const HOPS: usize = 5;

/// The URL of a server.
pub(super) fn parse(url: &str) -> Result<Url> {
    Url::parse(url)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
        .map(|mut url| {
            url.set_fragment(None);
            url
        })
        .ok_or_else(|| {
            Error::config("its URL is none that can be reached")
                .help("write it as `https://host/path`")
        })
}

/// Scheme, host and port, as a message shows them: never the path or a query, which may hold a
/// secret.
pub(super) fn shown(url: &Url) -> String {
    visible(&url.origin().ascii_serialization())
}

/// Whether the URL leads to the machine itself, where no proxy is asked.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}

/// Where a reply with this status and `Location` sends a request of `url`. Only 307 and 308 within
/// the origin are followed: they alone keep the method and the body (RFC 9110, section 15.4).
pub(super) fn redirected(url: &Url, status: u16, location: Option<&str>) -> Result<Url> {
    let Some(target) = location.and_then(|location| url.join(location).ok()) else {
        return Err(Error::server(format!(
            "it redirects (status {status}) without saying where to"
        ))
        .help("look at what answers at this URL"));
    };
    if target.origin() != url.origin() {
        return Err(Error::server(format!(
            "it redirects (status {status}) to another origin, {}, which is not followed",
            shown(&target)
        ))
        .help("if that is the server, put its URL into the config: tokens go to no other origin"));
    }
    if !matches!(status, 307 | 308) {
        return Err(Error::server(format!(
            "it redirects (status {status}) to {}, which a request with a body can't follow",
            visible(target.path())
        ))
        .help("put that URL into the config"));
    }
    Ok(target)
}

/// The endpoint that an old HTTP+SSE server names for messages.
pub(super) fn endpoint(stream: &Url, named: &[u8]) -> Result<Url> {
    let target = std::str::from_utf8(named)
        .ok()
        .and_then(|named| stream.join(named.trim()).ok());
    match target {
        Some(target) if target.origin() == stream.origin() => Ok(target),
        Some(target) => Err(Error::server(format!(
            "it wants messages at another origin, {}, which is refused",
            shown(&target)
        ))
        .help("report it to the author of the server: tokens go to no other origin")),
        None => Err(
            Error::server("the address that it wants messages at is no URL")
                .help("report it to the author of the server"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        parse(text).unwrap()
    }

    #[test]
    fn only_redirects_that_keep_the_body_and_the_origin_are_followed() {
        let from = url("https://h.example/mcp?k=s3cret");
        for status in [307, 308] {
            let to = redirected(&from, status, Some("/mcp/")).unwrap();
            assert_eq!(to.as_str(), "https://h.example/mcp/");
        }
        for (status, location, says) in [
            (301, Some("/mcp/"), "to /mcp/"),
            (303, Some("/mcp/"), "status 303"),
            (
                307,
                Some("http://h.example/mcp"),
                "another origin, http://h.example,",
            ),
            (
                307,
                Some("https://h.example:8443/"),
                "another origin, https://h.example:8443,",
            ),
            (
                308,
                Some("//evil.example/x?y"),
                "another origin, https://evil.example,",
            ),
            (307, None, "without saying where"),
        ] {
            let error = redirected(&from, status, location).unwrap_err();
            assert!(error.message().contains(says), "{error}");
            assert!(!error.message().contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn an_endpoint_stays_within_the_origin_of_its_stream() {
        let stream = url("http://[::1]:8080/sse");
        let named = endpoint(&stream, b"/message?sessionId=1").unwrap();
        assert_eq!(named.as_str(), "http://[::1]:8080/message?sessionId=1");
        for other in [
            &b"http://[::1]:8081/m"[..],
            b"https://[::1]:8080/m",
            b"//evil.example/m",
            b"http://u@evil.example/",
            b"data:text/plain,x",
            b"\xff",
        ] {
            assert!(endpoint(&stream, other).is_err(), "{other:?}");
        }
    }

    #[test]
    fn the_machine_itself_is_known_by_its_names() {
        for here in [
            "http://localhost:1/",
            "http://127.0.0.2/",
            "http://[::1]:3/x",
        ] {
            assert!(is_loopback(&url(here)), "{here}");
        }
        assert!(!is_loopback(&url("http://localhost.example/")));
        assert!(parse("ftp://h/").is_err() && parse("https://").is_err());
    }
}
