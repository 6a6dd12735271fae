//! What looks like a credential: by the name it goes by, or by its form.
//!
//! Pure. Works on text in which each variable is one character of [`is_variable`], so that only
//! literal text is ever judged. A false alarm costs a wildcard and a warning, a miss a leaked
//! secret, so names decide alone and forms are taken broadly.

/// Where the characters that stand for variables begin (a private-use plane, refused in configs).
const FIRST_VARIABLE: u32 = 0xF_0000;
/// How many there can be.
const VARIABLES: u32 = 0xFFFD;

/// The character that stands for the variable number `index`.
pub(super) fn variable(index: usize) -> Option<char> {
    u32::try_from(index)
        .ok()
        .filter(|&index| index < VARIABLES)
        .and_then(|index| char::from_u32(FIRST_VARIABLE + index))
}

/// The number of the variable that `c` stands for.
pub(super) fn variable_index(c: char) -> Option<usize> {
    u32::from(c)
        .checked_sub(FIRST_VARIABLE)
        .filter(|&index| index < VARIABLES)
        .and_then(|index| usize::try_from(index).ok())
}

/// Whether `c` stands for a variable.
pub(super) fn is_variable(c: char) -> bool {
    variable_index(c).is_some()
}

/// Last words of names that hold a credential.
const NOUNS: [&str; 22] = [
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "pwd",
    "pass",
    "passphrase",
    "apikey",
    "key",
    "auth",
    "authorization",
    "credential",
    "credentials",
    "bearer",
    "pat",
    "cookie",
    "jwt",
    "sig",
    "signature",
];

/// Ends of words written together.
const ENDINGS: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
];

/// Words before `key`, `token` or `signature` that make it a harmless one.
const HARMLESS: [&str; 16] = [
    "public",
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "max",
    "min",
    "num",
    "count",
    "limit",
    "total",
    "hot",
    "object",
    "routing",
    "group",
];

/// Whether a flag, variable, header or parameter called `name` holds a credential.
pub(super) fn is_secret_name(name: &str) -> bool {
    let mut words = words(name);
    while words.last().is_some_and(|word| {
        word.chars().all(|c| c.is_ascii_digit())
            || matches!(word.as_str(), "value" | "b64" | "base64")
    }) {
        words.pop();
    }
    let Some(last) = words.last() else {
        return false;
    };
    let before = words.len().checked_sub(2).map(|i| words[i].as_str());
    if before.is_some_and(|word| HARMLESS.contains(&word)) {
        return false;
    }
    NOUNS.contains(&last.as_str()) || ENDINGS.iter().any(|ending| last.ends_with(ending))
}

/// The words of a name, in small letters: `X-Api-Key`, `apiKey` and `API_KEY` are `api`, `key`.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_is_small = false;
    for c in name.chars() {
        let ends = !c.is_ascii_alphanumeric() || (before_is_small && c.is_ascii_uppercase());
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        before_is_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Beginnings that issuers give to their credentials.
const PREFIXES: [&str; 40] = [
    "sk-",
    "sk_",
    "pk_live_",
    "rk_live_",
    "rk_test_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "gldt-",
    "glrt-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
    "dop_v1_",
    "SG.",
    "lin_api_",
    "ntn_",
    "secret_",
    "figd_",
    "tvly-",
    "ATATT",
    "shpat_",
    "dapi",
    "pat-",
    "fc-",
    "nvapi-",
    "gsk_",
    "xai-",
];

/// Whether literal `text` has the form of a credential.
pub(super) fn is_secret_form(text: &str) -> bool {
    if text.contains("-----BEGIN") && text.contains("PRIVATE KEY") {
        return true;
    }
    let text = strip_scheme(text).unwrap_or(text).trim();
    if !text.chars().all(|c| c.is_ascii_graphic()) {
        return false;
    }
    let prefixed = PREFIXES.iter().any(|prefix| {
        text.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() >= 12 && is_random(rest, 1))
    });
    prefixed || is_jwt(text) || is_hex_key(text) || (text.len() >= 24 && is_random(text, 3))
}

/// Three base64url parts, the first two of which begin as JSON objects do.
fn is_jwt(text: &str) -> bool {
    let mut parts = text.split('.');
    matches!((parts.next(), parts.next(), parts.next(), parts.next()),
        (Some(head), Some(body), Some(_), None) if head.starts_with("eyJ") && body.starts_with("eyJ"))
}

/// 32 hex digits or more; git object ids and digests of images stand behind `@` or `:` and are
/// never judged alone.
fn is_hex_key(text: &str) -> bool {
    text.len() >= 32
        && text.chars().all(|c| c.is_ascii_hexdigit())
        && text.chars().any(|c| c.is_ascii_digit())
        && text.chars().any(|c| c.is_ascii_alphabetic())
}

/// Whether `text` is one run of base64 or base64url characters with at least `classes` of small
/// letters, capitals and digits.
fn is_random(text: &str, classes: usize) -> bool {
    let has = |test: fn(&char) -> bool| usize::from(text.chars().any(|c| test(&c)));
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || "+_-=.~".contains(c))
        && has(char::is_ascii_lowercase) + has(char::is_ascii_uppercase) + has(char::is_ascii_digit)
            >= classes
        // Names of packages and versions have capitals and digits as well, but short words.
        && (classes < 3
            || (!text.contains('.')
                && text
                    .split(['-', '_'])
                    .any(|word| word.len() >= 20 && switches(word) * 3 >= word.len())))
}

/// How often neighbouring characters are of another class: text made at random switches often.
pub(super) fn switches(word: &str) -> usize {
    let class = |c: u8| {
        if c.is_ascii_digit() {
            0
        } else if c.is_ascii_uppercase() {
            1
        } else {
            2
        }
    };
    word.as_bytes()
        .windows(2)
        .filter(|pair| class(pair[0]) != class(pair[1]))
        .count()
}

/// Schemes of an `Authorization` header; what follows is the credential.
const SCHEMES: [&str; 7] = [
    "bearer ", "basic ", "token ", "apikey ", "api-key ", "digest ", "key ",
];

/// The text behind an authorization scheme such as `Bearer `, if it begins with one.
pub(super) fn strip_scheme(text: &str) -> Option<&str> {
    SCHEMES.iter().find_map(|scheme| {
        text.get(..scheme.len())
            .filter(|head| head.eq_ignore_ascii_case(scheme))
            .map(|head| &text[head.len()..])
    })
}

/// Whether literal text can't be a credential, whatever it is called: a switch, nothing.
pub(super) fn is_harmless_value(value: &str) -> bool {
    let value = value.trim();
    value.is_empty()
        || matches!(
            value.to_ascii_lowercase().as_str(),
            "true"
                | "false"
                | "yes"
                | "no"
                | "on"
                | "off"
                | "none"
                | "null"
                | "0"
                | "1"
                | "bearer"
                | "basic"
                | "token"
                | "oauth"
                | "oauth2"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_hold_credentials_are_known_in_every_spelling() {
        for name in [
            "--token",
            "API_KEY",
            "apiKey",
            "X-Api-Key",
            "--api-key",
            "GITHUB_PERSONAL_ACCESS_TOKEN",
            "DB_PASSWORD",
            "clientSecret",
            "Authorization",
            "--auth",
            "githubtoken",
            "OPENAI_API_KEY_2",
            "KEY",
            "Cookie",
            "PGPASSWORD",
            "--apikey",
            "access_token",
            "sig",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "--port",
            "REGION",
            "--public-key",
            "max_tokens",
            "--keyboard",
            "--auth-mode",
            "--key-file",
            "TOKEN_URL",
            "path",
            "--monkey",
            "compass",
            "LOG_LEVEL",
            "-y",
            "",
            "--secrets-dir",
            "hotkey2",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn forms_of_credentials_are_known_without_a_name() {
        for text in [
            concat!("gh", "p_0123456789abcdefABCDEF0123456789abcd"),
            concat!("sk", "-proj-abcdefghijklmnop1234"),
            "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
            "0123456789abcdef0123456789abcdef",
            "Bearer aB3dE5fG7hI9jK1lM3nO5pQ7rS9",
            "aB3dE5fG7hI9jK1lM3nO5pQ7rS9",
            "-----BEGIN RSA PRIVATE KEY-----\nabc",
        ] {
            assert!(is_secret_form(text), "{text}");
        }
        for text in [
            "@modelcontextprotocol/server-filesystem@2026.8.31",
            "mcp-server-kubernetes",
            "python3.12",
            "https://example.test/mcp",
            "/usr/local/bin/tool",
            "ModelContextProtocolServerEverything2",
            "--allow-all",
            "2026-11-30T10:00:00Z",
            "com.example.SomeLongBundleIdentifier42",
            "sk-learn",
            "production-eu-central-1-cluster",
            "123e4567-e89b-12d3-a456-426614174000",
            "",
        ] {
            assert!(!is_secret_form(text), "{text}");
        }
    }
}
