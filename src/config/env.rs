//! The environment: the only place that reads it, and what a child inherits of it.
//!
//! Everything else gets an [`Environment`] handed to it, so that a test can pass its own.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Variables that a server started over stdio inherits on Unix, as the official SDKs have it.
pub const INHERITED_UNIX: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// The same on Windows.
pub const INHERITED_WINDOWS: [&str; 13] = [
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// How variables are named and which of them are inherited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Names are case-sensitive.
    Unix,
    /// macOS: as Unix, but programs keep their settings elsewhere.
    MacOs,
    /// Names are not case-sensitive.
    Windows,
}

impl Platform {
    /// The platform that this program runs on.
    pub fn current() -> Self {
        if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::MacOs
        } else {
            Platform::Unix
        }
    }
}

/// A set of environment variables.
///
/// Its `Debug` form shows names only, since any value may be a credential.
#[derive(Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<String, String>,
    platform: Platform,
}

impl Environment {
    /// The environment of this process. Variables that are not Unicode are left out.
    pub fn of_process() -> Self {
        Self::new(
            std::env::vars_os().filter_map(|(name, value)| {
                Some((name.into_string().ok()?, value.into_string().ok()?))
            }),
            Platform::current(),
        )
    }

    /// An environment of one's own.
    pub fn new<N: Into<String>, V: Into<String>>(
        variables: impl IntoIterator<Item = (N, V)>,
        platform: Platform,
    ) -> Self {
        Environment {
            variables: variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            platform,
        }
    }

    /// The value of a variable, if it is set (an empty value is set).
    pub fn get(&self, name: &str) -> Option<&str> {
        match self.platform {
            Platform::Unix | Platform::MacOs => self.variables.get(name),
            Platform::Windows => self
                .variables
                .iter()
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value),
        }
        .map(String::as_str)
    }

    /// The same environment with another value of one variable.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut other = self.clone();
        other.variables.insert(name.to_owned(), value.to_owned());
        other
    }

    /// The platform whose rules hold.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// The names that a child inherits on this platform.
    pub fn inherited_names(&self) -> &'static [&'static str] {
        match self.platform {
            Platform::Unix | Platform::MacOs => &INHERITED_UNIX,
            Platform::Windows => &INHERITED_WINDOWS,
        }
    }

    /// What a child inherits: the variables of the list that are set. A value that begins with
    /// `()` is an exported shell function and is left out, as the SDKs do.
    pub fn inherited(&self) -> BTreeMap<String, String> {
        self.inherited_names()
            .iter()
            .filter_map(|&name| Some((name.to_owned(), self.get(name)?.to_owned())))
            .filter(|(_, value)| !value.starts_with("()"))
            .collect()
    }

    /// The user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        let name = match self.platform {
            Platform::Unix | Platform::MacOs => "HOME",
            Platform::Windows => "USERPROFILE",
        };
        self.get(name)
            .filter(|home| !home.is_empty())
            .map(PathBuf::from)
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_inherits_the_listed_variables_and_no_others() {
        let env = Environment::new(
            [
                ("PATH", "/bin"),
                ("HOME", "/home/a"),
                ("AWS_SECRET_ACCESS_KEY", "x"),
                ("SHELL", "() { :; }"),
            ],
            Platform::Unix,
        );
        let names: Vec<String> = env.inherited().into_keys().collect();
        assert_eq!(names, ["HOME", "PATH"]);
    }

    #[test]
    fn on_windows_names_are_found_in_any_case() {
        let env = Environment::new([("Path", "C:\\x"), ("ComSpec", "cmd")], Platform::Windows);
        assert_eq!(env.get("PATH"), Some("C:\\x"));
        assert_eq!(env.inherited().into_keys().collect::<Vec<_>>(), ["PATH"]);
        let unix = Environment::new([("Path", "x")], Platform::Unix);
        assert_eq!(unix.get("PATH"), None);
    }

    #[test]
    fn debug_output_shows_names_only() {
        let env = Environment::new([("TOKEN", "s3cr3t")], Platform::Unix);
        let shown = format!("{env:?}");
        assert!(shown.contains("TOKEN") && !shown.contains("s3cr3t"));
    }

    /// Reads every source file: the environment must come in through this module only.
    #[test]
    fn no_other_module_reads_the_environment() {
        fn visit(folder: &std::path::Path, found: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    visit(&path, found);
                } else if path.extension().is_some_and(|e| e == "rs")
                    && !path.ends_with("config/env.rs")
                {
                    let text = std::fs::read_to_string(&path).unwrap();
                    // Test code may ask for MCPLOCK_SUITES.
                    let product = text.split("#[cfg(test)]").next().unwrap_or("");
                    if product.contains("env::var") {
                        found.push(path.display().to_string());
                    }
                }
            }
        }
        let mut found = Vec::new();
        visit(
            &std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut found,
        );
        assert_eq!(found, Vec::<String>::new());
    }
}
