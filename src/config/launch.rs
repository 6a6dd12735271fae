//! A launch as the lockfile stores and compares it: templates, never values.
//!
//! Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::credential;
use super::redact;
use crate::json::Pointer;

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

/// One difference between a pinned launch and a live one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchDifference {
    /// Where, as a JSON Pointer into the lockfile's entry: `/command/2`, `/url`,
    /// `/headers/authorization`, `/cwd`, `/env/TOKEN`, `/env_values/PATH`. A word that was added
    /// stands at its live place, every other one at its pinned place.
    pub pointer: String,
    /// The pinned word; none where only live has one.
    pub old: Option<String>,
    /// The live word; none where only pinned has one.
    pub new: Option<String>,
}

impl Launch {
    /// Whether `live` is this launch; `<redacted>` on either side equals any text.
    pub fn matches(&self, live: &Launch) -> bool {
        self.differences(live).is_empty()
    }

    /// The words that differ from `live`, in the order of the lockfile's keys.
    pub fn differences(&self, live: &Launch) -> Vec<LaunchDifference> {
        let mut found = Vec::new();
        match (&self.target, &live.target) {
            (Target::Command(old), Target::Command(new)) => command(old, new, &mut found),
            (
                Target::Url {
                    url: old,
                    headers: old_headers,
                },
                Target::Url {
                    url: new,
                    headers: new_headers,
                },
            ) => {
                one("/url", Some(old), Some(new), &mut found);
                map("/headers", old_headers, new_headers, &mut found);
            }
            (old, new) => found.extend([
                difference(old.pointer(), Some(&old.shown()), None),
                difference(new.pointer(), None, Some(&new.shown())),
            ]),
        }
        one("/cwd", self.cwd.as_ref(), live.cwd.as_ref(), &mut found);
        let names = |launch: &Launch| -> BTreeMap<String, String> {
            launch
                .env
                .iter()
                .map(|name| (name.clone(), name.clone()))
                .collect()
        };
        map("/env", &names(self), &names(live), &mut found);
        map(
            "/env_values",
            &self.env_values,
            &live.env_values,
            &mut found,
        );
        found
    }

    /// Pointers to what looks like a credential in plain text, as it can stand in a lockfile that
    /// was edited by hand.
    pub fn plain_credentials(&self) -> Vec<String> {
        let mut pointers = Vec::new();
        let mut look = |pointer: String, redaction: &redact::Redaction| {
            if redaction.found.iter().any(|found| found != REDACTED) {
                pointers.push(pointer);
            }
        };
        match &self.target {
            Target::Command(words) => {
                let words: Vec<String> = words.iter().map(|word| opaque(word)).collect();
                for (i, redaction) in redact::command(&words).iter().enumerate() {
                    look(format!("/command/{i}"), redaction);
                }
            }
            Target::Url { url, headers } => {
                look("/url".to_owned(), &redact::url(&opaque(url)));
                for (name, value) in headers {
                    look(
                        format!("/headers/{name}"),
                        &redact::header(name, &opaque(value)),
                    );
                }
            }
        }
        for (name, value) in &self.env_values {
            look(
                format!("/env_values/{name}"),
                &redact::variable_value(name, &opaque(value)),
            );
        }
        pointers
    }
}

impl Target {
    fn pointer(&self) -> &'static str {
        match self {
            Target::Command(_) => "/command",
            Target::Url { .. } => "/url",
        }
    }

    fn shown(&self) -> String {
        match self {
            Target::Command(words) => words.join(" "),
            Target::Url { url, headers: _ } => url.clone(),
        }
    }
}

/// A stored template with each variable as one opaque character.
fn opaque(stored: &str) -> String {
    let mut out = String::new();
    let mut rest = stored;
    let mut count = 0;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(tail) = after.strip_prefix('$') {
            out.push('$');
            rest = tail;
        } else if let Some((_, tail)) = after.split_once('}') {
            out.extend(credential::variable(count));
            count += 1;
            rest = tail;
        } else {
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn difference(
    pointer: impl Into<String>,
    old: Option<&str>,
    new: Option<&str>,
) -> LaunchDifference {
    LaunchDifference {
        pointer: pointer.into(),
        old: old.map(str::to_owned),
        new: new.map(str::to_owned),
    }
}

fn one(
    pointer: &str,
    old: Option<&String>,
    new: Option<&String>,
    found: &mut Vec<LaunchDifference>,
) {
    let same = match (old, new) {
        (Some(old), Some(new)) => same_word(old, new),
        (None, None) => true,
        _ => false,
    };
    if !same {
        found.push(difference(
            pointer,
            old.map(String::as_str),
            new.map(String::as_str),
        ));
    }
}

fn map(
    pointer: &str,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    found: &mut Vec<LaunchDifference>,
) {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let at = format!("{pointer}{}", Pointer::root().key(name));
        one(&at, old.get(name), new.get(name), found);
    }
}

/// Words up to this count are aligned; longer commands are compared word by word.
const ALIGNED: usize = 512;

/// The words of two commands, aligned by their longest common subsequence.
fn command(old: &[String], new: &[String], found: &mut Vec<LaunchDifference>) {
    let same = |i: usize, j: usize| same_word(&old[i], &new[j]);
    let head = (0..old.len().min(new.len()))
        .take_while(|&i| same(i, i))
        .count();
    let tail = (0..old.len().min(new.len()) - head)
        .take_while(|&i| same(old.len() - 1 - i, new.len() - 1 - i))
        .count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let (rows, columns) = (old_end - head, new_end - head);
    // `common[i][j]`: length of the longest common subsequence of what follows i and j.
    let mut common = vec![vec![0_usize; columns + 1]; rows + 1];
    if rows <= ALIGNED && columns <= ALIGNED {
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                common[i][j] = if same(head + i, head + j) {
                    common[i + 1][j + 1] + 1
                } else {
                    common[i + 1][j].max(common[i][j + 1])
                };
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut gone, mut added): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    loop {
        let meet = i < rows
            && j < columns
            && same(head + i, head + j)
            && common[i][j] == common[i + 1][j + 1] + 1;
        if meet || (i == rows && j == columns) {
            // A run of words that left and one that came: paired in order.
            for k in 0..gone.len().max(added.len()) {
                let (left, came) = (gone.get(k), added.get(k));
                let at = left.or(came).map_or(0, |&at| at);
                found.push(LaunchDifference {
                    pointer: format!("/command/{at}"),
                    old: left.map(|&at| old[at].clone()),
                    new: came.map(|&at| new[at].clone()),
                });
            }
            gone.clear();
            added.clear();
            if !meet {
                return;
            }
            i += 1;
            j += 1;
        } else if j == columns || (i < rows && common[i + 1][j] >= common[i][j + 1]) {
            gone.push(head + i);
            i += 1;
        } else {
            added.push(head + j);
            j += 1;
        }
    }
}

/// Whether two stored words are the same, `<redacted>` in either standing for any text.
fn same_word(a: &str, b: &str) -> bool {
    a == b || covers(a, b) || covers(b, a)
}

/// Whether `pattern`, in which `<redacted>` stands for any text, fits all of `text`.
fn covers(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split(REDACTED);
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    let Some(mut rest) = rest.strip_suffix(last) else {
        return false;
    };
    parts.into_iter().all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn launch(words: &[&str]) -> Launch {
        Launch {
            target: Target::Command(words.iter().map(|w| (*w).to_owned()).collect()),
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        }
    }

    fn shown(old: &Launch, new: &Launch) -> Vec<String> {
        old.differences(new)
            .into_iter()
            .map(|d| {
                format!(
                    "{} {} {}",
                    d.pointer,
                    d.old.as_deref().unwrap_or("-"),
                    d.new.as_deref().unwrap_or("-")
                )
            })
            .collect()
    }

    #[test]
    fn the_word_that_changed_is_named() {
        let old = launch(&["npx", "-y", "srv@1.0.0", "--root", "${workspace}"]);
        assert_eq!(
            shown(
                &old,
                &launch(&["npx", "-y", "srv@1.1.0", "--root", "${workspace}"])
            ),
            ["/command/2 srv@1.0.0 srv@1.1.0"]
        );
        assert_eq!(
            shown(
                &old,
                &launch(&["npx", "srv@1.0.0", "--root", "--all", "${workspace}"])
            ),
            ["/command/1 -y -", "/command/3 - --all"]
        );
        assert_eq!(shown(&old, &old), [""; 0]);
    }

    #[test]
    fn a_redacted_word_equals_any_text_in_its_place_only() {
        let pinned = launch(&["s", "--token=<redacted>", "-v"]);
        assert!(pinned.matches(&launch(&["s", "--token=${TOKEN}", "-v"])));
        assert!(launch(&["s", "--token=${TOKEN}", "-v"]).matches(&pinned));
        assert!(!pinned.matches(&launch(&["s", "--tokens=x", "-v"])));
        assert!(!pinned.matches(&launch(&["s", "-v"])));
        assert!(covers("a<redacted>b<redacted>c", "a1b2bc"));
        assert!(!covers("a<redacted>ab", "ab"));
    }

    #[test]
    fn names_of_variables_pinned_values_and_headers_are_compared() {
        let mut old = launch(&["s"]);
        old.env = vec!["A".to_owned(), "PATH".to_owned()];
        old.env_values.insert("PATH".to_owned(), "/bin".to_owned());
        let mut new = launch(&["s"]);
        new.env = vec!["B".to_owned(), "PATH".to_owned()];
        new.env_values
            .insert("PATH".to_owned(), "/tmp:/bin".to_owned());
        new.cwd = Some("sub".to_owned());
        assert_eq!(
            shown(&old, &new),
            [
                "/cwd - sub",
                "/env/A A -",
                "/env/B - B",
                "/env_values/PATH /bin /tmp:/bin"
            ]
        );
        let remote = Launch {
            target: Target::Url {
                url: "https://h.test".to_owned(),
                headers: BTreeMap::from([("x-a/b".to_owned(), "1".to_owned())]),
            },
            ..launch(&[])
        };
        assert_eq!(
            shown(&launch(&["s"]), &remote),
            ["/command s -", "/url - https://h.test"]
        );
    }

    #[test]
    fn a_credential_that_stands_in_a_lockfile_is_found() {
        let mut stored = launch(&[
            "s",
            "--token",
            "abc",
            "--password",
            "${PW}",
            "--key=<redacted>",
        ]);
        assert_eq!(stored.plain_credentials(), ["/command/2"]);
        stored.target = Target::Url {
            url: "https://user:s3cr3t-pw@mcp.example.test/mcp".to_owned(),
            headers: BTreeMap::from([("authorization".to_owned(), "Bearer ${T}".to_owned())]),
        };
        assert_eq!(stored.plain_credentials(), ["/url"]);
    }

    #[test]
    fn the_list_of_pinned_variables_is_sorted_for_the_search() {
        assert!(PINNED_VARIABLES.is_sorted());
        assert!(is_pinned_variable("npm_config_registry") && is_pinned_variable("PATH"));
        assert!(!is_pinned_variable("FILES_TOKEN"));
    }

    proptest! {
        #[test]
        fn every_differing_word_is_reported_once(
            old in prop::collection::vec("[abc]", 0..8),
            new in prop::collection::vec("[abc]", 0..8),
        ) {
            let launch_of = |words: &[String]| launch(&words.iter().map(String::as_str).collect::<Vec<_>>());
            let found = launch_of(&old).differences(&launch_of(&new));
            prop_assert_eq!(found.is_empty(), old == new);
            let gone = found.iter().filter(|d| d.old.is_some()).count();
            let added = found.iter().filter(|d| d.new.is_some()).count();
            prop_assert_eq!(old.len() - gone, new.len() - added);
        }
    }
}
