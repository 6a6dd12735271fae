//! What it means that a pinned entry and a fresh one agree (`docs/lockfile.md`, sections 1.1, 6).
//!
//! Pure.

use std::collections::BTreeMap;

use crate::config::{Launch, REDACTED, Target};

use super::Entry;

impl Entry {
    /// Whether `fresh` pins the same as this entry: launch, revision, capabilities, instructions,
    /// volatile words and the digests of all items. `implementation` is informational and plays no
    /// part.
    pub fn agrees_with(&self, fresh: &Entry) -> bool {
        self.identity() == fresh.identity()
            && launch_agrees(&self.launch, &fresh.launch)
            && self.protocol == fresh.protocol
            && self.capabilities == fresh.capabilities
            && self.instructions.as_ref().map(|text| text.digest)
                == fresh.instructions.as_ref().map(|text| text.digest)
            && self.volatile == fresh.volatile
            && self
                .items
                .iter()
                .map(|item| (item.identity(), item.contract))
                .eq(fresh
                    .items
                    .iter()
                    .map(|item| (item.identity(), item.contract)))
    }
}

/// What to write for a server whose entry was `pinned` and is now to be `fresh`: `pinned` itself
/// where the two agree, so that its bytes stay and `implementation` is rewritten only together with
/// another change.
pub fn updated(pinned: &Entry, fresh: Entry) -> Entry {
    if pinned.agrees_with(&fresh) {
        pinned.clone()
    } else {
        fresh
    }
}

/// Whether the launch `live`, as a config has it now, is the one that was pinned. A pinned
/// `<redacted>` equals other text within the limits of section 6.
pub fn launch_agrees(pinned: &Launch, live: &Launch) -> bool {
    let targets = match (&pinned.target, &live.target) {
        (Target::Command(pinned), Target::Command(live)) => {
            pinned.len() == live.len()
                && pinned
                    .iter()
                    .zip(live)
                    .all(|(pinned, live)| word(pinned, live))
        }
        (
            Target::Url {
                url: pinned_url,
                headers: pinned_headers,
            },
            Target::Url { url, headers },
        ) => matches(pinned_url, url, in_url) && templates(pinned_headers, headers),
        _ => false,
    };
    targets
        && pinned.cwd == live.cwd
        && pinned.env == live.env
        && templates(&pinned.env_values, &live.env_values)
}

fn templates(pinned: &BTreeMap<String, String>, live: &BTreeMap<String, String>) -> bool {
    pinned.len() == live.len()
        && pinned
            .iter()
            .zip(live)
            .all(|(pinned, live)| pinned.0 == live.0 && matches(pinned.1, live.1, |_| true))
}

fn word(pinned: &str, live: &str) -> bool {
    // A whole word that was a value must not become an option.
    (pinned != REDACTED || !live.starts_with('-')) && matches(pinned, live, |_| true)
}

/// Whether a wildcard inside a URL may stand for `c`: only what can't move the end of the part
/// that it stands in.
fn in_url(c: char) -> bool {
    !matches!(c, '/' | '?' | '#' | '@' | '&' | '\\') && !c.is_whitespace()
}

/// Whether `live` is `pinned` with every `<redacted>` replaced by text of one or more characters
/// that are `allowed`.
fn matches(pinned: &str, live: &str, allowed: impl Fn(char) -> bool) -> bool {
    if pinned == live {
        return true;
    }
    let mut pieces = pinned.split(REDACTED);
    let Some(mut rest) = pieces.next().and_then(|first| live.strip_prefix(first)) else {
        return false;
    };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let last = pieces.peek().is_none();
        // The shortest text that works; a later piece can't gain from a longer one. The last piece
        // has to reach the end.
        let found = rest
            .char_indices()
            .map(|(i, c)| i + c.len_utf8())
            .find(|&end| {
                if last {
                    &rest[end..] == piece
                } else {
                    rest[end..].starts_with(piece)
                }
            });
        let Some(end) = found else {
            return false;
        };
        if !rest[..end].chars().all(&allowed) {
            return false;
        }
        rest = &rest[end + piece.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Launch {
        Launch {
            target: Target::Command(words.iter().map(|&word| word.to_owned()).collect()),
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        }
    }

    fn url(url: &str, headers: &[(&str, &str)]) -> Launch {
        Launch {
            target: Target::Url {
                url: url.to_owned(),
                headers: headers
                    .iter()
                    .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
            },
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        }
    }

    #[test]
    fn a_pinned_redaction_equals_the_variable_that_replaces_it() {
        let pinned = command(&["srv", "--token", "<redacted>", "-e", "K=<redacted>"]);
        assert!(launch_agrees(
            &pinned,
            &command(&["srv", "--token", "${T}", "-e", "K=${K}"])
        ));
        assert!(launch_agrees(&pinned, &pinned));
        assert!(!launch_agrees(
            &pinned,
            &command(&["srv", "--token", "${T}", "-e", "L=${K}"])
        ));
        assert!(!launch_agrees(
            &pinned,
            &command(&["srv", "--token", "${T}", "-e", "K="])
        ));
        assert!(!launch_agrees(
            &pinned,
            &command(&["srv", "--token", "--evil", "-e", "K=1"])
        ));
        assert!(!launch_agrees(
            &pinned,
            &command(&["srv", "--token", "${T}"])
        ));
    }

    #[test]
    fn a_live_redaction_equals_nothing_else() {
        let live = command(&["srv", "--token", "<redacted>"]);
        assert!(!launch_agrees(&command(&["srv", "--token", "${T}"]), &live));
    }

    #[test]
    fn a_redaction_in_a_url_can_not_move_its_host_or_add_to_its_query() {
        let pinned = url(
            "https://<redacted>@mcp.example.test/mcp?key=<redacted>&v=1",
            &[("Authorization", "Bearer <redacted>")],
        );
        let header = [("Authorization", "Bearer ${TOKEN}")];
        for (live, agrees) in [
            (
                "https://${USER}:${PW}@mcp.example.test/mcp?key=${KEY}&v=1",
                true,
            ),
            (
                "https://evil.example.test/x?@mcp.example.test/mcp?key=k&v=1",
                false,
            ),
            (
                "https://a@evil.example.test@mcp.example.test/mcp?key=k&v=1",
                false,
            ),
            (
                "https://evil.example.test\\@mcp.example.test/mcp?key=k&v=1",
                false,
            ),
            ("https://u@mcp.example.test/mcp?key=k&admin=1&v=1", false),
            ("https://u@mcp.example.test/mcp?key=k#&v=1", false),
            ("https://u@mcp.example.test/mcp?key=k&v=2", false),
            ("https://@mcp.example.test/mcp?key=k&v=1", false),
        ] {
            assert_eq!(
                launch_agrees(&pinned, &url(live, &header)),
                agrees,
                "{live}"
            );
        }
        assert!(!launch_agrees(
            &pinned,
            &url("https://u@mcp.example.test/mcp?key=k&v=1", &[])
        ));
    }
}
