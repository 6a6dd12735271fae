//! `mcplock.toml`: what people decide. Servers, limits, thresholds, overrides and waivers.
//!
//! Pure; [`super::policy_reader`] reads the file. What only a later stage can judge (a level, the id
//! of a rule, a digest) is kept as text with its place: see [`Setting::read`].

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use super::spec::{ServerName, ServerSpec};
use crate::error::{Error, Result};

/// The name of the file.
pub const POLICY_NAME: &str = "mcplock.toml";

/// A text setting, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The text.
    pub text: String,
    /// The key, for messages.
    pub key: &'static str,
    /// The file, as the user would write it.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
}

impl Setting {
    /// The text as something more than text; what `read` says against it becomes an error at this
    /// place.
    pub fn read<T, E: Display>(&self, read: impl FnOnce(&str) -> Result<T, E>) -> Result<T> {
        read(&self.text).map_err(|error| self.error(format!("`{}`: {error}", self.key)))
    }

    /// An error at this place.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::config(message)
            .in_file(&self.file)
            .at_line(self.line, None)
    }
}

/// What `mcplock.toml` decides.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The file, as the user would write it; none where there is none.
    pub file: Option<PathBuf>,
    /// Servers that it starts or reaches itself.
    pub servers: Vec<ServerSpec>,
    /// Settings of servers, by name and profile, for servers from any source.
    pub server_settings: BTreeMap<(ServerName, Option<String>), ServerSettings>,
    /// The entries among them that start nothing: what they are for, and their line.
    pub(super) settings_only: Vec<(String, usize)>,
    /// `fail-on`
    pub fail_on: Option<Setting>,
    /// Settings that hold for every server which does not say otherwise.
    pub defaults: ServerSettings,
    /// `[limits]`
    pub limits: LimitSettings,
    /// `[[override]]`
    pub overrides: Vec<LevelOverride>,
    /// `[[waiver]]`
    pub waivers: Vec<Waiver>,
    /// `[[projection]]`
    pub projections: Vec<ConfiguredProjection>,
}

/// What can be settled for one server or for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerSettings {
    /// `resources`: `pin` (the default) or `ignore`.
    pub ignore_resources: Option<bool>,
    /// `default-dialect`: what a schema without `$schema` is read as.
    pub default_dialect: Option<Setting>,
    /// `reserved-arguments`: names that a host takes out of every call.
    pub reserved_arguments: Vec<String>,
    /// `strict-stdout`: a line on standard output that is no message fails.
    pub strict_stdout: Option<bool>,
    /// `assert-format`: `format` is checked in values.
    pub assert_format: Option<bool>,
    /// `volatile`: words that may differ between runs.
    pub volatile: Vec<VolatileWords>,
    /// `start-timeout`: until the server has answered the handshake.
    pub start_timeout: Option<Duration>,
    /// `request-timeout`: until a request is answered.
    pub request_timeout: Option<Duration>,
    /// `timeout`: for all that is done with one server.
    pub timeout: Option<Duration>,
}

/// Words that may differ between runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolatileWords {
    /// `tool:NAME` and the like, or `instructions`.
    pub item: String,
    /// JSON Pointer to a string in the item.
    pub pointer: String,
    /// A linear regular expression.
    pub pattern: Setting,
}

/// `[limits]`: bounds of a run. Sizes are in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitSettings {
    /// `max-message`
    pub max_message: Option<u64>,
    /// `max-catalog`
    pub max_catalog: Option<u64>,
    /// `max-items`: per list.
    pub max_items: Option<u64>,
    /// `max-pages`: per list.
    pub max_pages: Option<u64>,
    /// `max-unasked`: messages that nobody asked for.
    pub max_unasked: Option<u64>,
    /// `max-relists`: how often one list is fetched again because it changed.
    pub max_relists: Option<u64>,
    /// `max-stderr`: kept of a server's standard error.
    pub max_stderr: Option<u64>,
    /// `jobs`: servers at a time.
    pub jobs: Option<u64>,
}

/// Another level for a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelOverride {
    /// Id of the rule.
    pub rule: Setting,
    /// The level.
    pub level: Setting,
    /// Only for this server.
    pub server: Option<Setting>,
    /// Only for this item, as `tool:NAME`.
    pub item: Option<Setting>,
    /// Why.
    pub reason: String,
}

/// A far side of a server that `verify` compares with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredProjection {
    /// The server.
    pub server: Setting,
    /// What is compared with it.
    pub far: FarSide,
}

/// Where the tools of a far side are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FarSide {
    /// `file`: tools or a captured request, as the user would write the path.
    File(PathBuf),
    /// `via`: another server, a gateway to the first one.
    Via(Setting),
}

/// A fitness finding that is accepted as long as the contract stays what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiver {
    /// Id of the rule.
    pub rule: Setting,
    /// The server.
    pub server: Setting,
    /// The item, as `tool:NAME`.
    pub item: Setting,
    /// Digest of the contract that it was given for.
    pub contract: Setting,
    /// Why.
    pub reason: String,
}

impl Policy {
    /// The servers that its entries are for, each with its line and what the entry is.
    pub(super) fn named_servers(&self) -> Vec<(String, usize, &'static str)> {
        let entry = |setting: &Setting, what| (setting.text.clone(), setting.line, what);
        let overrides = self
            .overrides
            .iter()
            .filter_map(|change| change.server.as_ref());
        let mut named: Vec<_> = overrides
            .map(|server| entry(server, "an `[[override]]`"))
            .collect();
        let waivers = self.waivers.iter();
        named.extend(waivers.map(|waiver| entry(&waiver.server, "a `[[waiver]]`")));
        let settings = self.settings_only.iter();
        named.extend(settings.map(|(address, line)| (address.clone(), *line, "a `[[server]]`")));
        named
    }

    /// The settings for one server: its own over those for all.
    pub fn settings(&self, name: &ServerName, profile: Option<&str>) -> ServerSettings {
        let key = (name.clone(), profile.map(str::to_owned));
        let own = self
            .server_settings
            .get(&key)
            .or_else(|| self.server_settings.get(&(name.clone(), None)))
            .cloned()
            .unwrap_or_default();
        own.over(&self.defaults)
    }
}

impl ServerSettings {
    fn over(mut self, base: &ServerSettings) -> ServerSettings {
        self.ignore_resources = self.ignore_resources.or(base.ignore_resources);
        self.default_dialect = self
            .default_dialect
            .or_else(|| base.default_dialect.clone());
        self.reserved_arguments
            .extend(base.reserved_arguments.iter().cloned());
        self.reserved_arguments.sort();
        self.reserved_arguments.dedup();
        self.strict_stdout = self.strict_stdout.or(base.strict_stdout);
        self.assert_format = self.assert_format.or(base.assert_format);
        self.start_timeout = self.start_timeout.or(base.start_timeout);
        self.request_timeout = self.request_timeout.or(base.request_timeout);
        self.timeout = self.timeout.or(base.timeout);
        self
    }
}

/// Reads `500ms`, `30s`, `2m`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u64 = number.parse().ok()?;
    match unit.trim() {
        "ms" => Some(Duration::from_millis(number)),
        "" | "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        _ => None,
    }
}
