//! Takes literal credentials out of words, URLs and headers before they are stored.
//!
//! Pure. Variables stand in the text as single characters (see [`super::credential`]), so what is
//! passed by variable is never touched.

use super::REDACTED;
use super::betrayed;
use super::credential::{
    is_harmless_value, is_secret_form, is_secret_name, is_variable, strip_scheme,
};
use super::lines::{connection_string, script};
use crate::json::{Limits, Value};

/// A text without its credentials, and the credentials.
#[derive(Default)]
pub(super) struct Redaction {
    /// The text with `<redacted>` in it.
    pub(super) text: String,
    /// What was taken out.
    pub(super) found: Vec<String>,
}

impl Redaction {
    fn kept(text: &str) -> Self {
        Redaction {
            text: text.to_owned(),
            found: Vec::new(),
        }
    }

    fn removed(text: &str) -> Self {
        Redaction {
            text: REDACTED.to_owned(),
            found: vec![text.to_owned()],
        }
    }

    /// This text between two others.
    pub(super) fn framed(mut self, before: &str, after: &str) -> Self {
        self.text = format!("{before}{}{after}", self.text);
        self
    }

    pub(super) fn append(&mut self, other: Redaction) {
        self.text.push_str(&other.text);
        self.found.extend(other.found);
    }
}

/// Redacts the words of a command.
pub(super) fn command(words: &[String]) -> Vec<Redaction> {
    let of_container = betrayed::container_words(words).unwrap_or_default();
    let mut flag: Option<&str> = None;
    words
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let is_value = !text.starts_with('-') || betrayed::is_made_up(&text[1..]);
            let redaction = match flag {
                Some(flag) if is_secret_name(flag) && is_value => value(flag, text),
                Some(flag) if betrayed::is_betrayed(flag, text, at < of_container) => login(text),
                _ => word(text),
            };
            flag = (text.starts_with('-') && !text.contains('=')).then_some(text);
            redaction
        })
        .collect()
}

/// A word that is a credential as a whole, a user and a password perhaps.
fn login(text: &str) -> Redaction {
    let mut redaction = Redaction::removed(text);
    if let Some((_, password)) = text.split_once(':') {
        redaction.found.push(password.to_owned());
    }
    redaction
}

/// Redacts the value of a header, a variable or a parameter called `name`.
pub(super) fn named(name: &str, text: &str) -> Redaction {
    if is_secret_name(name) {
        value(name, text)
    } else {
        word(text)
    }
}

/// How many parts a word may have, each within the one before it. No launch that is written by
/// hand comes near; one that is made to exhaust the stack is not looked into.
pub(super) const PARTS: usize = 256;

/// One word whose meaning shows in its own text.
pub(super) fn word(text: &str) -> Redaction {
    if let Some(json) = json_word(text) {
        return json;
    }
    // A header in a word of its own (`Authorization: Bearer x`, often without the space), also
    // behind `-H`; and `/password:x`.
    let (lead, bare) = ["-H", "/"]
        .iter()
        .find_map(|lead| Some(text.split_at(text.strip_prefix(lead).map(|_| lead.len())?)))
        .unwrap_or(("", text));
    let header = bare.split_once(':').filter(|(name, rest)| {
        is_header_name(name) && is_secret_name(name) && !rest.starts_with("//")
    });
    if let Some((name, rest)) = header {
        return value(name, rest).framed(&format!("{lead}{name}:"), "");
    }
    // `--header=Authorization: Bearer x`, `--password=two words`.
    if (text.starts_with('-') || is_quoted_assignment(text))
        && let Some(redaction) = assigned(text)
    {
        return redaction;
    }
    if let Some(redaction) = connection_string(text) {
        return redaction;
    }
    if text.contains(char::is_whitespace) && strip_scheme(text).is_none() {
        return script(text);
    }
    if text.matches(['=', '&', '?', ';', '#']).count() > PARTS {
        return Redaction::removed(text);
    }
    if let Some(redaction) = assigned(text) {
        return redaction;
    }
    if let Some(length) = betrayed::glued(text) {
        return login(&text[length..]).framed(&text[..length], "");
    }
    if let Some(length) = betrayed::bare_login(text) {
        return login(&text[..length]).framed("", &text[length..]);
    }
    unnamed(text)
}

/// Whether a word is `NAME='…'` to its end; the closing quote may have been cut.
fn is_quoted_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(_, rest)| {
        ['"', '\''].iter().any(|&quote| {
            rest.strip_prefix(quote)
                .is_some_and(|inner| inner.find(quote).is_none_or(|at| at + 1 == inner.len()))
        })
    })
}

/// A word of the form `NAME=VALUE`, dashes before it perhaps.
fn assigned(text: &str) -> Option<Redaction> {
    let (name, rest) = text.split_once('=')?;
    let bare = name.trim_start_matches('-');
    let is_name = !bare.is_empty()
        && bare
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if !is_name || text.matches(['=', '&', '?', ';', '#']).count() > PARTS {
        return None;
    }
    let inner = if is_secret_name(name) {
        value(name, rest)
    } else if name.starts_with('-') && betrayed::is_betrayed(name, rest, false) {
        login(rest)
    } else {
        // `--env=TOKEN=x`, `--url=https://…`
        word(rest)
    };
    Some(inner.framed(&format!("{name}="), ""))
}

/// A value that goes by a telling name.
fn value(name: &str, text: &str) -> Redaction {
    let (scheme, rest) = match strip_scheme(text.trim_start()) {
        Some(rest) => text.split_at(text.len() - rest.len()),
        None => ("", text),
    };
    if is_harmless_value(rest) || !rest.contains(|c: char| !is_variable(c) && !c.is_whitespace()) {
        return Redaction::kept(text);
    }
    if rest.contains(is_variable) || is_path(name, rest) {
        return unnamed(text);
    }
    let gap = rest.len() - rest.trim_start().len();
    Redaction::removed(rest.trim()).framed(&format!("{scheme}{}", &rest[..gap]), "")
}

/// A value whose name says nothing: its form decides.
fn unnamed(text: &str) -> Redaction {
    if text.contains("://") {
        return url(text);
    }
    let (scheme, rest) = match strip_scheme(text) {
        Some(rest) => text.split_at(text.len() - rest.len()),
        None => ("", text),
    };
    let mut out = Redaction::kept(scheme);
    for part in rest.split_inclusive(is_variable) {
        let literal = part.trim_end_matches(is_variable);
        if is_secret_form(literal) {
            out.append(Redaction::removed(literal).framed("", &part[literal.len()..]));
        } else {
            out.append(Redaction::kept(part));
        }
    }
    out
}

/// Whether the value of a flag such as `--ssh-key` is the path of a file.
fn is_path(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let holds_files = ["key", "credentials", "cookie", "auth"]
        .iter()
        .any(|end| name.ends_with(end));
    let mut chars = value.chars();
    holds_files
        && (["/", "./", "../", "~/"]
            .iter()
            .any(|start| value.starts_with(start))
            || matches!((chars.next(), chars.next(), chars.next()),
                (Some(drive), Some(':'), Some('\\' | '/')) if drive.is_ascii_alphabetic()))
        && !is_secret_form(value)
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

/// A word that is a JSON object or array: one credential in it, and all of it goes.
fn json_word(text: &str) -> Option<Redaction> {
    fn visit(value: &Value, name: &str, found: &mut Vec<String>) {
        match value {
            Value::String(text) => {
                found.extend(named(name, text).found);
            }
            Value::Object(members) => members
                .iter()
                .for_each(|(key, value)| visit(value, key, found)),
            Value::Array(items) => items.iter().for_each(|item| visit(item, name, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let document = crate::json::parse(text.as_bytes(), &Limits::default()).ok()?;
    let mut found = Vec::new();
    visit(&document.value, "", &mut found);
    Some(if found.is_empty() {
        Redaction::kept(text)
    } else {
        Redaction {
            text: REDACTED.to_owned(),
            found,
        }
    })
}

/// Redacts a URL: user info, query and fragment parameters, and segments of the path.
pub(super) fn url(text: &str) -> Redaction {
    let Some(start) = text.find("://").map(|at| at + 3) else {
        return word(text);
    };
    let mut out = Redaction::kept(&text[..start]);
    let rest = &text[start..];
    let (authority, rest) = rest.split_at(authority_length(rest));
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            out.append(user_info(user).framed("", "@"));
            out.text.push_str(host);
        }
        None => out.text.push_str(authority),
    }
    let end = rest.find(['?', '#', ';']).unwrap_or(rest.len());
    let (path, mut rest) = rest.split_at(end);
    let mut before = "";
    for part in path.split_inclusive('/') {
        let segment = part.trim_end_matches('/');
        // A commit or digest stands behind `@` or `:` in a segment and is part of the launch.
        if betrayed::is_secret_segment(before, segment) {
            out.append(Redaction::removed(segment).framed("", &part[segment.len()..]));
        } else {
            out.text.push_str(part);
        }
        before = segment;
    }
    while let Some(mark) = rest.chars().next() {
        out.text.push(mark);
        let tail = &rest[mark.len_utf8()..];
        let end = tail.find(['&', '#', '?', ';']).unwrap_or(tail.len());
        let (parameter, next) = tail.split_at(end);
        match parameter.split_once('=') {
            Some((name, text)) => out.append(named(name, text).framed(&format!("{name}="), "")),
            None => out.append(unnamed(parameter)),
        }
        rest = next;
    }
    out
}

/// How much of a URL behind its scheme is user info and host. A password may hold a slash that
/// should have been escaped: then the `@` behind it ends the user info.
fn authority_length(rest: &str) -> usize {
    let ends = ['/', '?', '#', '\\', ';'];
    let end = rest.find(ends).unwrap_or(rest.len());
    let (first, tail) = rest.split_at(end);
    let is_port = |text: &str| text.chars().all(|c| c.is_ascii_digit() || is_variable(c));
    let half = !first.contains('@')
        && first
            .rsplit_once(':')
            .is_some_and(|(_, text)| !is_port(text) && !text.ends_with(']'));
    match tail.find('@') {
        Some(at) if half => {
            let host = end + at + 1;
            host + rest[host..].find(ends).unwrap_or(rest.len() - host)
        }
        _ => end,
    }
}

fn user_info(user: &str) -> Redaction {
    let is_literal = |text: &str| text.contains(|c: char| !is_variable(c));
    match user.split_once(':') {
        // A name beside a password passed by variable is no secret.
        Some((_, password)) if !is_literal(password) => Redaction::kept(user),
        None if !is_literal(user) || user == "git" => Redaction::kept(user),
        Some((_, password)) => Redaction {
            found: vec![user.to_owned(), password.to_owned()],
            ..Redaction::removed(user)
        },
        None => Redaction::removed(user),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::credential::variable;
    use super::*;

    fn line(words: &str) -> String {
        let words: Vec<String> = words.split('|').map(str::to_owned).collect();
        command(&words)
            .into_iter()
            .map(|redaction| redaction.text)
            .collect::<Vec<_>>()
            .join("|")
    }

    #[test]
    fn credentials_in_arguments_are_taken_out_and_nothing_else() {
        for (given, stored) in [
            ("srv|--token|ARGSECRET2", "srv|--token|<redacted>"),
            ("srv|--token=ARGSECRET2|-v", "srv|--token=<redacted>|-v"),
            (
                "docker|run|-e|API_KEY=abc|img",
                "docker|run|-e|API_KEY=<redacted>|img",
            ),
            (
                "docker|run|--env=DB_PASSWORD=abc|img",
                "docker|run|--env=DB_PASSWORD=<redacted>|img",
            ),
            (
                "docker|run|-e|LOG_LEVEL=debug|-e|API_KEY|img",
                "docker|run|-e|LOG_LEVEL=debug|-e|API_KEY|img",
            ),
            (
                "npx|mcp-remote|u|--header|Authorization:Bearer abc",
                "npx|mcp-remote|u|--header|Authorization:Bearer <redacted>",
            ),
            (
                "npx|mcp-remote|u|--header|Authorization: abc",
                "npx|mcp-remote|u|--header|Authorization: <redacted>",
            ),
            (
                "psql|postgresql://u:p4ss@db.example.test/x?a=1",
                "psql|postgresql://<redacted>@db.example.test/x?a=1",
            ),
            ("srv|-k|ARGSECRET2", "srv|-k|<redacted>"),
            ("srv|-u|admin:pw1", "srv|-u|<redacted>"),
            ("srv|--basic=admin:pw1", "srv|--basic=<redacted>"),
            ("srv|-uadmin:pw1", "srv|-u<redacted>"),
            (
                "docker|run|-u|node:staff|-e|A|img|-u|me:pw1",
                "docker|run|-u|node:staff|-e|A|img|-u|<redacted>",
            ),
            (
                "srv|--header=Authorization: Bearer abc",
                "srv|--header=Authorization: Bearer <redacted>",
            ),
            ("srv|-HX-Api-Key: abc", "srv|-HX-Api-Key: <redacted>"),
            ("srv|-H|Cookie: a=b c=d", "srv|-H|Cookie: <redacted>"),
            ("srv|--password=two words", "srv|--password=<redacted>"),
            ("srv|/password:pw1", "srv|/password:<redacted>"),
            (
                "srv|Server=tcp:db,1433;User Id=sa;Password=p w;Encrypt=true",
                "srv|Server=tcp:db,1433;User Id=sa;Password=<redacted>;Encrypt=true",
            ),
            (
                "srv|--dsn=Host=h;Pwd=\"a;b\";Port=1",
                "srv|--dsn=Host=h;Pwd=<redacted>;;Port=1",
            ),
            (
                "srv|DefaultEndpointsProtocol=https;AccountKey=ab==;A=b",
                "srv|DefaultEndpointsProtocol=https;AccountKey=<redacted>;A=b",
            ),
            (
                "srv|jdbc:sqlserver://h;user=sa;password=x",
                "srv|jdbc:sqlserver://h;user=sa;password=<redacted>",
            ),
            (
                "srv|host=h password='p w' port=1",
                "srv|host=h password=<redacted>' port=1",
            ),
            (
                "srv|postgres://u:p/w@h/db",
                "srv|postgres://<redacted>@h/db",
            ),
            (
                "srv|scott:tiger@db.example.test/x",
                "srv|<redacted>@db.example.test/x",
            ),
            ("srv|[{\"token\":\"abc\"}]", "srv|<redacted>"),
            (
                "sh|-c|srv --password 'a b' -v",
                "sh|-c|srv --password '<redacted>' -v",
            ),
            (
                "sh|-c|TOKEN=abc; exec srv -v",
                "sh|-c|TOKEN=<redacted>; exec srv -v",
            ),
            (
                "x|--config|{\"apiKey\":\"abc\",\"a\":1}",
                "x|--config|<redacted>",
            ),
            (
                "x|--config|{\"mode\":\"abc\"}",
                "x|--config|{\"mode\":\"abc\"}",
            ),
            (
                "sh|-c|TOKEN=abc exec srv --password 'pw1' -v",
                "sh|-c|TOKEN=<redacted> exec srv --password '<redacted>' -v",
            ),
            (
                "ssh|--ssh-key|/home/a/.ssh/id",
                "ssh|--ssh-key|/home/a/.ssh/id",
            ),
            ("srv|--token|--verbose", "srv|--token|--verbose"),
            ("srv|--auth|none", "srv|--auth|none"),
            (
                "uvx|--from|git+https://github.com/o/r@0123456789abcdef0123456789abcdef01234567|r",
                "uvx|--from|git+https://github.com/o/r@0123456789abcdef0123456789abcdef01234567|r",
            ),
            (
                "docker|run|img@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "docker|run|img@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            ),
        ] {
            assert_eq!(line(given), stored);
        }
    }

    #[test]
    fn credentials_in_urls_are_taken_out() {
        for (given, stored) in [
            (
                "https://user:s3cr3t-pw@h.test/mcp?api_key=QUERYSECRET1",
                "https://<redacted>@h.test/mcp?api_key=<redacted>",
            ),
            (
                "https://h.test/mcp?profile=x&token=y#access_token=z",
                "https://h.test/mcp?profile=x&token=<redacted>#access_token=<redacted>",
            ),
            (
                "https://h.test/s/aB3dE5fG7hI9jK1lM3nO5pQ7rS9/mcp",
                "https://h.test/s/<redacted>/mcp",
            ),
            (
                "https://h.test/token/abc123/sse",
                "https://h.test/token/<redacted>/sse",
            ),
            (
                "https://h.test/oauth/callback",
                "https://h.test/oauth/callback",
            ),
            ("https://h.test/a/b@c", "https://h.test/a/b@c"),
            ("ssh://git@h.test/x", "ssh://git@h.test/x"),
            ("https://h.test:8443/mcp", "https://h.test:8443/mcp"),
        ] {
            assert_eq!(url(given).text, stored);
        }
    }

    #[test]
    fn what_is_passed_by_variable_stays() {
        let v = variable(0).unwrap();
        for text in [
            format!("--token={v}"),
            format!("https://u:{v}@h.test/?key={v}"),
            format!("Authorization: Bearer {v}"),
        ] {
            assert_eq!(word(&text).text, text);
        }
        assert_eq!(
            named("Authorization", &format!("Bearer {v}")).text,
            format!("Bearer {v}")
        );
        assert_eq!(named("X-Region", "eu").text, "eu");
        assert_eq!(named("X-Api-Key", "k").text, "<redacted>");
        assert_eq!(
            named("NODE_OPTIONS", "-x --token=k").text,
            "-x --token=<redacted>"
        );
    }

    #[test]
    fn a_word_of_endless_parts_is_taken_out_whole() {
        for part in ["a=", "?a=", "&", "x://?a="] {
            assert_eq!(word(&part.repeat(100_000)).text, "<redacted>");
        }
    }

    proptest! {
        #[test]
        fn a_secret_behind_a_telling_name_never_stays(secret in "[a-zA-Z0-9/+!%_é]{8,30}") {
            prop_assume!(!is_harmless_value(&secret));
            let found = |redactions: Vec<Redaction>| redactions.iter().all(|r| !r.text.contains(&secret));
            let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
            let assigned = format!("--token={secret}");
            let env = format!("API_TOKEN={secret}");
            let head = format!("Authorization: Bearer {secret}");
            let inline = format!("TOKEN={secret} srv");
            let address = format!("https://h.test/mcp?token={}", secret.replace(['%', 'é'], ""));
            prop_assert!(found(command(&words(&["s", "--password", &secret]))));
            prop_assert!(found(command(&words(&["s", &assigned, "-e", &env, "-H", &head]))));
            prop_assert!(found(command(&words(&["sh", "-c", &inline]))));
            prop_assert!(url(&address).text.ends_with("token=<redacted>"));
        }

        #[test]
        fn redaction_never_panics_and_keeps_what_has_no_credential(text in "\\PC{0,40}") {
            let redaction = word(&text);
            if redaction.found.is_empty() {
                prop_assert_eq!(redaction.text, text);
            }
        }

        #[test]
        fn redacting_twice_changes_nothing(text in "[a-zA-Z0-9=:/@?&. '\"-]{0,40}") {
            let once = word(&text).text;
            prop_assert_eq!(word(&once).text, once);
        }
    }
}
