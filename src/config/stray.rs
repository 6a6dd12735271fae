//! Entries of `mcplock.toml` for servers that nothing names.
//!
//! Pure. Which servers there are shows only once every config has been read.

use super::discover::Discovered;
use crate::text::{names, nearest, visible};

impl Discovered {
    /// Remarks on entries of the policy that are for a server which nothing names: probably a name
    /// that was mistyped.
    pub fn stray_settings(&self) -> Vec<String> {
        let known = self.known();
        let exists = |text: &str| {
            let of = |name: &str, profile: Option<&str>| names(text, name, profile);
            let specs = self.servers.iter().chain(&self.only_pinned);
            specs
                .map(|spec| (spec.name.as_str(), spec.profile.as_deref()))
                .chain(self.others.iter().map(|other| (other.name.as_str(), None)))
                .any(|(name, profile)| of(name, profile))
                || self.errors.iter().any(|error| {
                    let place = error.place();
                    place
                        .server
                        .as_ref()
                        .is_some_and(|name| of(name, place.profile.as_deref()))
                })
        };
        let policy = &self.policy;
        let file = policy
            .file
            .as_ref()
            .map_or_else(String::new, |file| visible(&file.display().to_string()));
        policy
            .named_servers()
            .into_iter()
            .filter(|(text, ..)| !exists(text))
            .map(|(text, line, what)| {
                let near = nearest(&text, known.iter().map(String::as_str))
                    .map_or_else(String::new, |near| {
                        format!("; did you mean `{}`?", visible(near))
                    });
                format!(
                    "{file}:{line}: {what} is for `{}`, but no config names a server of this name \
                     and none is pinned{near}",
                    visible(&text)
                )
            })
            .collect()
    }
}
