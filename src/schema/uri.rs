//! Resolution of URI references (RFC 3986, section 5), as far as `$id` and `$ref` need it.
//!
//! Lenient: any text has parts, so that a hostile reference is classified and never an error.
//! Nothing is ever fetched.

use std::fmt::{self, Write};

/// The parts of a URI reference (RFC 3986, appendix B).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uri {
    scheme: Option<String>,
    authority: Option<String>,
    path: String,
    query: Option<String>,
    /// The fragment, still percent-encoded.
    pub fragment: Option<String>,
}

impl Uri {
    /// The parts of `text`; scheme and authority in lower case.
    pub fn parse(text: &str) -> Self {
        let (rest, fragment) = match text.split_once('#') {
            Some((rest, fragment)) => (rest, Some(fragment.to_owned())),
            None => (text, None),
        };
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query.to_owned())),
            None => (rest, None),
        };
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme.to_ascii_lowercase()), rest),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                (Some(rest[..end].to_ascii_lowercase()), &rest[end..])
            }
            None => (None, rest),
        };
        Uri {
            scheme,
            authority,
            path: path.to_owned(),
            query,
            fragment,
        }
    }

    /// The base of a document that has no address: no text parses to it, so that nothing outside
    /// the document can name it.
    pub fn nowhere() -> Self {
        Uri {
            scheme: Some("\0".to_owned()),
            authority: Some(String::new()),
            path: "/".to_owned(),
            query: None,
            fragment: None,
        }
    }

    /// `reference` seen from this base (RFC 3986, section 5.2.2).
    #[must_use]
    pub fn resolve(&self, reference: &Uri) -> Uri {
        let fragment = reference.fragment.clone();
        if reference.scheme.is_some() {
            return Uri {
                path: remove_dot_segments(&reference.path),
                ..reference.clone()
            };
        }
        if reference.authority.is_some() {
            return Uri {
                scheme: self.scheme.clone(),
                path: remove_dot_segments(&reference.path),
                ..reference.clone()
            };
        }
        let (path, query) = if reference.path.is_empty() {
            (
                self.path.clone(),
                reference.query.clone().or_else(|| self.query.clone()),
            )
        } else if reference.path.starts_with('/') {
            (
                remove_dot_segments(&reference.path),
                reference.query.clone(),
            )
        } else {
            (
                remove_dot_segments(&self.merge(&reference.path)),
                reference.query.clone(),
            )
        };
        Uri {
            scheme: self.scheme.clone(),
            authority: self.authority.clone(),
            path,
            query,
            fragment,
        }
    }

    fn merge(&self, path: &str) -> String {
        if self.authority.is_some() && self.path.is_empty() {
            return format!("/{path}");
        }
        let kept = self.path.rfind('/').map_or(0, |i| i + 1);
        format!("{}{path}", &self.path[..kept])
    }

    /// The URI without its fragment, as text.
    pub fn absolute(&self) -> String {
        Uri {
            fragment: None,
            ..self.clone()
        }
        .to_string()
    }

    /// The scheme and the host (without user and port) of a URI that has them: what may be shown
    /// of one that could carry credentials or a message.
    pub fn origin(&self) -> Option<String> {
        let authority = self.authority.as_deref()?;
        let host = authority.rsplit('@').next().unwrap_or(authority);
        match &self.scheme {
            Some(scheme) => Some(format!("{scheme}://{host}")),
            None => Some(format!("//{host}")),
        }
    }

    /// The scheme.
    pub fn scheme(&self) -> Option<&str> {
        self.scheme.as_deref()
    }

    /// Whether this names a place in the document that it stands in, and nothing else.
    pub fn is_fragment_only(&self) -> bool {
        self.scheme.is_none()
            && self.authority.is_none()
            && self.path.is_empty()
            && self.query.is_none()
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}:")?;
        }
        if let Some(authority) = &self.authority {
            write!(f, "//{authority}")?;
        }
        f.write_str(&self.path)?;
        if let Some(query) = &self.query {
            write!(f, "?{query}")?;
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}

/// RFC 3986, section 3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// RFC 3986, section 5.2.4, on segments.
fn remove_dot_segments(path: &str) -> String {
    if !path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return path.to_owned();
    }
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let mut open = false;
    for segment in path.split('/').skip(usize::from(rooted)) {
        open = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => {
                kept.pop();
            }
            segment => kept.push(segment),
        }
    }
    if open {
        kept.push("");
    }
    let head = if rooted { "/" } else { "" };
    format!("{head}{}", kept.join("/"))
}

/// `text` with its percent escapes decoded (RFC 3986, section 2.1); `None` when an escape is broken
/// or the result is not UTF-8.
pub fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |b: u8| {
                char::from(b)
                    .to_digit(16)
                    .and_then(|d| u8::try_from(d).ok())
            };
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(high << 4 | low);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// `text` as a fragment: everything but what a JSON Pointer is written with, encoded.
pub fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(base: &str, reference: &str) -> String {
        Uri::parse(base).resolve(&Uri::parse(reference)).to_string()
    }

    #[test]
    fn the_normal_examples_of_the_standard_resolve() {
        // RFC 3986, section 5.4.1
        let base = "http://a/b/c/d;p?q";
        for (reference, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"),
            ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{reference}");
        }
    }

    #[test]
    fn the_abnormal_examples_of_the_standard_resolve() {
        // RFC 3986, section 5.4.2
        let base = "http://a/b/c/d;p?q";
        for (reference, expected) in [
            ("../../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{reference}");
        }
    }

    #[test]
    fn a_document_without_an_address_can_not_be_named_from_outside() {
        let here = Uri::nowhere().resolve(&Uri::parse("#/x"));
        assert_eq!(here.absolute(), Uri::nowhere().absolute());
        assert_ne!(Uri::parse(&here.absolute()), Uri::nowhere());
        let file = Uri::nowhere().resolve(&Uri::parse("common.json"));
        assert_ne!(file.absolute(), Uri::nowhere().absolute());
    }

    #[test]
    fn an_origin_holds_neither_user_nor_path_nor_query() {
        let uri = Uri::parse("https://user:secret@Host.example/path?token=1#x");
        assert_eq!(uri.origin().as_deref(), Some("https://host.example"));
        assert_eq!(Uri::parse("a/b").origin(), None);
    }

    #[test]
    fn percent_escapes_decode_or_are_refused() {
        assert_eq!(percent_decode("a%25b%C3%a9").as_deref(), Some("a%bé"));
        assert_eq!(percent_decode("%"), None);
        assert_eq!(percent_decode("%zz"), None);
        assert_eq!(percent_decode("%ff"), None);
    }
}
