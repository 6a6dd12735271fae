//! What a server says it wants when it refuses a request for want of authorization.
//!
//! Pure. The URLs in it are shown, never followed.

use super::Quoter;

/// How much of each parameter is shown.
const QUOTED: usize = 200;
/// The parameters that tell a person something (RFC 6750, section 3; RFC 9728, section 5.1).
const TELLING: [&str; 5] = [
    "error",
    "error_description",
    "scope",
    "realm",
    "resource_metadata",
];

/// One `WWW-Authenticate` header as a fragment: ``scheme Bearer, scope `files:read` ``.
pub(super) fn shown(header: &[u8], quoter: &Quoter) -> Option<String> {
    let text = String::from_utf8_lossy(header);
    let text = text.trim();
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    if scheme.is_empty() {
        return None;
    }
    let mut shown = format!("scheme {}", quoter.line(scheme.as_bytes(), QUOTED));
    for (name, value) in parameters(rest) {
        if let Some(telling) = TELLING
            .iter()
            .find(|telling| name.eq_ignore_ascii_case(telling))
        {
            shown.push_str(", ");
            shown.push_str(telling);
            shown.push_str(" `");
            shown.push_str(&quoter.line(value.as_bytes(), QUOTED));
            shown.push('`');
        }
    }
    Some(shown)
}

/// `name=value` and `name="quoted \" value"`, between commas (RFC 9110, section 11.2).
fn parameters(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches([',', ' ', '\t']);
        let after = after.trim_start();
        let mut value = String::new();
        if let Some(quoted) = after.strip_prefix('"') {
            let mut chars = quoted.char_indices();
            rest = "";
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => {
                        rest = &quoted[at + 1..];
                        break;
                    }
                    '\\' => value.extend(chars.next().map(|(_, c)| c)),
                    c => value.push(c),
                }
            }
        } else {
            let end = after.find([',', ' ', '\t']).unwrap_or(after.len());
            value.push_str(&after[..end]);
            rest = &after[end..];
        }
        found.push((name, value));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_told_and_a_secret_is_not() {
        let header = br#"Bearer error="invalid_token", error_description="the token \"tok-secret-1\" is old", scope=a:b,resource_metadata="https://x.example/.well-known", max=1"#;
        let quoter = Quoter::new(&[crate::config::Secret::new("tok-secret-1")]);
        assert_eq!(
            shown(header, &quoter).unwrap(),
            "scheme Bearer, error `invalid_token`, error_description `the token \"<redacted>\" is \
             old`, scope `a:b`, resource_metadata `https://x.example/.well-known`"
        );
    }

    #[test]
    fn odd_headers_are_shown_as_far_as_they_go() {
        let shown = |header: &str| shown(header.as_bytes(), &Quoter::default());
        assert_eq!(shown("  "), None);
        assert_eq!(shown("Basic").unwrap(), "scheme Basic");
        assert_eq!(
            shown("Bearer scope=\"open").unwrap(),
            "scheme Bearer, scope `open`"
        );
        assert_eq!(shown("Bearer =,=\"\"").unwrap(), "scheme Bearer");
        assert_eq!(shown("B\u{1b}").unwrap(), "scheme B\\u{1b}");
    }
}
