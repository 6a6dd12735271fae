//! Credentials that neither a name nor a form betrays, only their place: behind `-k`, as `user:pass`
//! behind `-u`, in a URL's path, in a connection string.
//!
//! Pure. Works on text in which each variable is one character, as [`super::credential`] does.

use super::credential::{is_harmless_value, is_secret_form, is_secret_name, is_variable, switches};

/// Flags whose value is `user:password`.
const LOGIN_FLAGS: [&str; 14] = [
    "-u",
    "-U",
    "--user",
    "--userpwd",
    "--user-pass",
    "--userpass",
    "--basic",
    "--basic-auth",
    "--basicauth",
    "--auth-basic",
    "--http-basic",
    "--login",
    "--creds",
    "--proxy-user",
];

/// Whether a flag says that a credential follows, though its name does not end like one.
pub(super) fn expects_credential(flag: &str) -> bool {
    matches!(flag, "-k" | "-K") || (flag.starts_with("--") && LOGIN_FLAGS.contains(&flag))
}

/// Whether `text` behind `flag` is a credential for the sake of that flag. `in_container` says that
/// the flag is one of `docker run`, where `-u` takes a user and a group.
pub(super) fn is_betrayed(flag: &str, text: &str, in_container: bool) -> bool {
    if LOGIN_FLAGS.contains(&flag) {
        return !in_container && is_login(text);
    }
    let is_short = flag.len() == 2 && flag.starts_with('-') && !in_container;
    match flag {
        "-k" | "-K" => is_short && is_key(text),
        _ => is_short && is_made_up(text),
    }
}

/// The length of a short flag and its value's beginning in one word, as in `-uadmin:x`, where the
/// value is a credential.
pub(super) fn glued(text: &str) -> Option<usize> {
    let flag = text.get(..2)?;
    let letter = flag.strip_prefix('-')?;
    let rest = &text[2..];
    let is_flag = letter.chars().all(|c| c.is_ascii_alphabetic());
    let login = matches!(flag, "-u" | "-U") && is_login(rest);
    (is_flag && (login || is_made_up(rest))).then_some(flag.len())
}

/// Whether `text` is a user and a literal password.
pub(super) fn is_login(text: &str) -> bool {
    let Some((user, password)) = text.split_once(':') else {
        return false;
    };
    let numeric = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let drive = user.len() == 1 && password.starts_with(['\\', '/']);
    password.contains(|c: char| !is_variable(c))
        && !text.contains(char::is_whitespace)
        && !user.contains('/')
        && !password.starts_with("//")
        && !password.starts_with("<redacted>")
        && !drive
        && !(numeric(user) && numeric(password))
}

/// Whether `text` behind `-k` can be a key: no flag, path, address, file, number or switch.
fn is_key(text: &str) -> bool {
    let is_file = text
        .rsplit_once('.')
        .is_some_and(|(_, end)| (1..=4).contains(&end.len()) && !is_made_up(text));
    text.len() >= 4
        && text.chars().all(|c| c.is_ascii_graphic())
        && !text.starts_with(['-', '.', '~', '@', '<'])
        && !text.contains(['/', '\\', ':', '='])
        && !text.chars().all(|c| c.is_ascii_digit())
        && !is_harmless_value(text)
        && !is_file
}

/// Whether a text of eight characters or more looks made by chance: kinds of characters that change
/// at every second step.
pub(super) fn is_made_up(text: &str) -> bool {
    let kinds: [fn(char) -> bool; 3] = [
        |c| c.is_ascii_lowercase(),
        |c| c.is_ascii_uppercase(),
        |c| c.is_ascii_digit(),
    ];
    let kind_count = kinds.iter().filter(|kind| text.chars().any(kind)).count();
    let symbols = text.contains(['!', '#', '%', '^', '&', '*']);
    text.len() >= 8
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "!@#%^&*_+-.".contains(c))
        && kind_count + usize::from(symbols) >= 3
        && switches(text) * 2 >= text.len()
}

/// The number of words of a container runner's own, up to its image; none where `words` start no
/// container.
pub(super) fn container_words(words: &[String]) -> Option<usize> {
    let program = words.first()?.rsplit(['/', '\\']).next()?;
    let runs = ["docker", "podman", "nerdctl"].contains(&program);
    if !runs || words.get(1).is_none_or(|word| word != "run") {
        return None;
    }
    let texts: Vec<&str> = words[2..].iter().map(String::as_str).collect();
    super::version::image_position(&texts).map(|at| at + 2)
}

/// `user:password` in front of a host, without a scheme before it: how long it is.
pub(super) fn bare_login(text: &str) -> Option<usize> {
    const SCHEMES: [&str; 8] = [
        "npm", "jsr", "node", "github", "gitlab", "file", "link", "git",
    ];
    let (login, host) = text.rsplit_once('@')?;
    let (user, _) = login.split_once(':')?;
    let host = host.split(['/', '?']).next()?;
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_host = name == "localhost"
        || name.rsplit_once('.').is_some_and(|(first, last)| {
            !first.is_empty() && last.len() >= 2 && last.chars().all(|c| c.is_ascii_alphabetic())
        })
        || (name.split('.').count() == 4 && name.chars().all(|c| c.is_ascii_digit() || c == '.'));
    (is_host && is_login(login) && !SCHEMES.contains(&user)).then_some(login.len())
}

/// Whether a segment of a URL's path is a credential. `before` is the segment before it.
pub(super) fn is_secret_segment(before: &str, segment: &str) -> bool {
    let hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
    let is_uuid = {
        let lengths: Vec<usize> = segment.split('-').map(str::len).collect();
        lengths == [8, 4, 4, 4, 12] && segment.split('-').all(hex)
    };
    let letters = segment.chars().any(|c| c.is_ascii_alphabetic());
    let digits = segment.chars().any(|c| c.is_ascii_digit());
    let is_chance = segment.len() >= 16 && is_made_up(segment);
    let is_hex = segment.len() >= 24 && hex(segment) && letters && digits;
    // `…/token/abc123`, but not `…/auth/callback`.
    let is_named = is_secret_name(before)
        && segment.len() >= 4
        && !segment.contains(is_variable)
        && segment.chars().all(|c| c.is_ascii_graphic())
        && !segment.starts_with(['@', '<'])
        && (digits || segment.chars().any(|c| c.is_ascii_uppercase()))
        && !is_version(segment);
    // A bot's id and its key, as `bot123456:ABC…`.
    let is_bot = segment
        .strip_prefix("bot")
        .and_then(|rest| rest.split_once(':'))
        .is_some_and(|(id, key)| id.chars().all(|c| c.is_ascii_digit()) && key.len() >= 8);
    is_secret_form(segment) || is_uuid || is_chance || is_hex || is_named || is_bot
}

/// Whether a segment is `v1`, `2.0`, `2025-11-25`.
fn is_version(segment: &str) -> bool {
    segment
        .trim_start_matches('v')
        .chars()
        .all(|c| c.is_ascii_digit() || c == '.' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_betrays_a_credential_and_ordinary_values_stay() {
        for (flag, text) in [
            ("-k", "hunter2"),
            ("-k", "ARGSECRET2"),
            ("-u", "admin:hunter2"),
            ("--user", "me@example.test:pw"),
            ("--basic", "u:p"),
            ("-U", "DOMAIN\\me:pw"),
            ("-p", "aB3dE5fG7"),
            ("-t", "x9Y8z7W6v5"),
        ] {
            assert!(is_betrayed(flag, text, false), "{flag} {text}");
        }
        for (flag, text) in [
            ("-k", "--verbose"),
            ("-k", "https://example.test"),
            ("-k", "./keys"),
            ("-k", "server.pem"),
            ("-k", "true"),
            ("-k", "8080"),
            ("-u", "1000:1000"),
            ("-u", "admin"),
            ("-u", "https://example.test"),
            ("-u", "C:\\x"),
            ("-p", "8080"),
            ("-p", "my-project-123456"),
            ("-p", "MyProject2"),
            ("-t", "2026-11-30"),
            ("-y", "@modelcontextprotocol/server-everything@2026.8.31"),
            ("-m", "mcp_server_fetch"),
            ("-c", "config.json"),
            ("-e", "LOG_LEVEL"),
            ("-v", "/a:/b"),
        ] {
            assert!(!is_betrayed(flag, text, false), "{flag} {text}");
        }
        assert!(!is_betrayed("-u", "node:staff", true));
        assert_eq!(glued("-uadmin:hunter2"), Some(2));
        assert_eq!(glued("-paB3dE5fG7"), Some(2));
        for text in [
            "-Xmx512m",
            "-u1000:1000",
            "--verbose",
            "-it",
            "-y",
            "-DfooBar",
            "-",
        ] {
            assert_eq!(glued(text), None, "{text}");
        }
    }

    #[test]
    fn a_login_in_front_of_a_host_is_known_without_a_scheme() {
        for text in [
            "scott:tiger@db.example.test:1521/x",
            "u:p@localhost",
            "u:p@10.0.0.1:22",
        ] {
            assert!(bare_login(text).is_some(), "{text}");
        }
        for text in [
            "npm:pkg@1.2.3",
            "image:1.0@sha256:00",
            "git@github.example:o/r",
            "pkg@1.2.3",
            "me@example.test",
            "pkg:extra@latest",
        ] {
            assert_eq!(bare_login(text), None, "{text}");
        }
    }

    #[test]
    fn segments_of_a_path_are_judged_with_the_one_before() {
        for (before, segment) in [
            ("s", "aB3dE5fG7hI9jK1lM3"),
            ("token", "abc123"),
            ("key", "ABCDEF"),
            ("mcp", "123e4567-e89b-12d3-a456-426614174000"),
            ("", "bot123456:ABC-DEF1234"),
            ("x", "0123456789abcdef01234567"),
        ] {
            assert!(is_secret_segment(before, segment), "{before}/{segment}");
        }
        for (before, segment) in [
            ("auth", "callback"),
            ("token", "v1"),
            ("api", "v2"),
            ("", "mcp"),
            ("server", "ModelContextProtocol"),
            ("o", "my-repository-2026"),
            ("key", "refresh"),
        ] {
            assert!(!is_secret_segment(before, segment), "{before}/{segment}");
        }
    }
}
