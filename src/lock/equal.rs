//! What it means that a pinned entry and a fresh one agree (`docs/lockfile.md`, sections 1.1, 6).
//!
//! Pure.

use super::Entry;

impl Entry {
    /// Whether `fresh` pins the same as this entry: launch, revision, capabilities, instructions,
    /// volatile words and the digests of all items. `implementation` is informational and plays no
    /// part.
    pub fn agrees_with(&self, fresh: &Entry) -> bool {
        self.identity() == fresh.identity()
            && self.launch.matches(&fresh.launch)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::config::{Launch, Target};

    fn launch_agrees(pinned: &Launch, live: &Launch) -> bool {
        pinned.matches(live)
    }

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
