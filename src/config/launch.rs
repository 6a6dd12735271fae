//! A launch as the lockfile stores and compares it: templates, never values.
//!
//! Pure.

use std::collections::BTreeMap;

use super::credential;
use super::redact::{self, Redaction};

/// Stands in a stored launch for a literal that looks like a credential; equal to anything.
pub const REDACTED: &str = "<redacted>";

/// How a server is started or reached, in one variable dialect (`${NAME}`, `${NAME:-default}`,
/// `${workspace}`, `$$` for a dollar sign), whatever client config it came from.
///
/// This is what `mcp-lock.toml` holds, so it never contains a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// What is started or reached.
    pub target: Target,
    /// Working folder relative to the lockfile; only when the config sets one.
    pub cwd: Option<String>,
    /// Names of the variables that the config sets, sorted.
    pub env: Vec<String>,
    /// Values of those variables of a closed set that load code or redirect downloads.
    pub env_values: BTreeMap<String, String>,
}

/// What a launch starts or reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program with its arguments, spoken to over its standard streams.
    Command(Vec<String>),
    /// An HTTP endpoint and the templates of the headers sent to it.
    Url {
        /// The URL template.
        url: String,
        /// Header names, in small letters, and value templates.
        headers: BTreeMap<String, String>,
    },
}

/// Variables that load code into a program, decide which program is found, or redirect what it
/// downloads: their values are part of the launch.
pub const PINNED_VARIABLES: [&str; 50] = [
    "ALL_PROXY",
    "BASH_ENV",
    "BUN_CONFIG_REGISTRY",
    "BUN_OPTIONS",
    "CARGO_HOME",
    "CLASSPATH",
    "CURL_CA_BUNDLE",
    "DENO_DIR",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "DYLD_FRAMEWORK_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "ENV",
    "GOFLAGS",
    "GOPROXY",
    "GOSUMDB",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "NPM_CONFIG_REGISTRY",
    "NPM_CONFIG_USERCONFIG",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PIP_CONFIG_FILE",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "SSL_CERT_FILE",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_INDEX",
    "UV_INDEX_URL",
    "YARN_REGISTRY",
];

/// Whether the value of the variable `name` is part of the launch. Programs read some of them in
/// small letters too (`npm_config_registry`, `http_proxy`).
pub fn is_pinned_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PINNED_VARIABLES.binary_search(&name.as_str()).is_ok()
}

impl Launch {
    /// This launch without what looks like a credential in plain text, as it can stand in a lockfile
    /// that was edited by hand: what may be shown.
    #[must_use]
    pub fn redacted(&self) -> Launch {
        let target = match &self.target {
            Target::Command(words) => {
                let masked: Vec<(String, Vec<String>)> =
                    words.iter().map(|word| masked(word)).collect();
                let texts: Vec<String> = masked.iter().map(|(text, _)| text.clone()).collect();
                Target::Command(
                    redact::command(&texts)
                        .iter()
                        .zip(&masked)
                        .map(|(redaction, (_, pieces))| unmasked(&redaction.text, pieces))
                        .collect(),
                )
            }
            Target::Url { url, headers } => Target::Url {
                url: one(url, redact::url),
                headers: named(headers),
            },
        };
        Launch {
            target,
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            env_values: named(&self.env_values),
        }
    }

    /// How many of its words hold [`REDACTED`], so that nobody knows them.
    pub fn redactions(&self) -> usize {
        let (words, headers): (Vec<&String>, Option<_>) = match &self.target {
            Target::Command(words) => (words.iter().collect(), None),
            Target::Url { url, headers } => (vec![url], Some(headers.values())),
        };
        words
            .into_iter()
            .chain(headers.into_iter().flatten())
            .chain(self.env_values.values())
            .filter(|word| word.contains(REDACTED))
            .count()
    }

    /// Whether something in it looks like a credential in plain text.
    pub fn has_plain_credentials(&self) -> bool {
        self.redacted() != *self
    }
}

fn named(values: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    values
        .iter()
        .map(|(name, value)| {
            let value = one(value, |text| redact::named(name, text));
            (name.clone(), value)
        })
        .collect()
}

fn one(stored: &str, redact: impl Fn(&str) -> Redaction) -> String {
    let (text, pieces) = masked(stored);
    unmasked(&redact(&text).text, &pieces)
}

/// A stored template with each variable as one opaque character, and what those stand for.
fn masked(stored: &str) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut pieces = Vec::new();
    let mut rest = stored;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        if let Some(tail) = after.strip_prefix('$') {
            text.push('$');
            rest = tail;
        } else if let (true, Some((inner, tail))) = (after.starts_with('{'), after.split_once('}'))
        {
            text.extend(credential::variable(pieces.len()));
            pieces.push(format!("${inner}}}"));
            rest = tail;
        } else {
            // No template: it stays as it is.
            text.extend(credential::variable(pieces.len()));
            pieces.push("$".to_owned());
            rest = after;
        }
    }
    text.push_str(rest);
    (text, pieces)
}

/// The stored form of text in which variables are single characters.
pub(super) fn unmasked(text: &str, pieces: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match credential::variable_index(c).and_then(|index| pieces.get(index)) {
            Some(stored) => out.push_str(stored),
            None if c == '$' => out.push_str("$$"),
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(words: &[&str]) -> Launch {
        Launch {
            target: Target::Command(words.iter().map(|w| (*w).to_owned()).collect()),
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        }
    }

    #[test]
    fn a_credential_that_stands_in_a_lockfile_is_found() {
        let stored = launch(&[
            "s",
            "--token",
            "abc",
            "--password",
            "${PW}",
            "--key=<redacted>",
            "$$5",
            "$",
        ]);
        let shown = launch(&[
            "s",
            "--token",
            "<redacted>",
            "--password",
            "${PW}",
            "--key=<redacted>",
            "$$5",
            "$",
        ]);
        assert_eq!(stored.redacted(), shown);
        assert!(stored.has_plain_credentials() && !shown.has_plain_credentials());
        let remote = Launch {
            target: Target::Url {
                url: "https://user:s3cr3t-pw@mcp.example.test/${X:-mcp}".to_owned(),
                headers: BTreeMap::from([("authorization".to_owned(), "Bearer ${T}".to_owned())]),
            },
            ..stored
        };
        let Target::Url { url, headers } = remote.redacted().target else {
            panic!("it is reached by URL");
        };
        assert_eq!(url, "https://<redacted>@mcp.example.test/${X:-mcp}");
        assert_eq!(headers["authorization"], "Bearer ${T}");
    }

    #[test]
    fn the_list_of_pinned_variables_is_sorted_for_the_search() {
        assert!(PINNED_VARIABLES.is_sorted());
        assert!(is_pinned_variable("npm_config_registry") && is_pinned_variable("PATH"));
        assert!(!is_pinned_variable("FILES_TOKEN"));
    }
}
