//! `mcplock.toml`: what people decide. Servers, limits, thresholds, overrides and waivers.
//!
//! Unknown keys are refused, with the name that was meant. What only a later stage can judge (a
//! level, the id of a rule, a digest) is kept as text with its place: see [`Setting::read`].

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::assemble::{Ground, RawServer, assemble};
use super::clients::EntryReader;
use super::dialect::Dialect;
use super::document::{Data, Node, Spot};
use super::fields::{Fields, Told, error_at};
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
    /// `server-timeout`: for all that is done with one server.
    pub server_timeout: Option<Duration>,
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
    /// `message-bytes`
    pub message_bytes: Option<u64>,
    /// `catalog-bytes`
    pub catalog_bytes: Option<u64>,
    /// `items`: per list.
    pub items: Option<u64>,
    /// `pages`: per list.
    pub pages: Option<u64>,
    /// `stderr-bytes`: kept of a server's standard error.
    pub stderr_bytes: Option<u64>,
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
    /// Reads a file that was parsed. Everything that is wrong in it is told at once.
    pub(super) fn read(
        root: &Node,
        ground: &Ground<'_>,
        shown: &Path,
    ) -> Result<Policy, Vec<Error>> {
        let mut reader = Reader {
            file: shown,
            ground,
            policy: Policy {
                file: Some(shown.to_path_buf()),
                ..Policy::default()
            },
            errors: Vec::new(),
        };
        let result = reader.file(root);
        reader.errors.extend(result.err());
        if reader.errors.is_empty() {
            Ok(reader.policy)
        } else {
            Err(reader.errors)
        }
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
        self.server_timeout = self.server_timeout.or(base.server_timeout);
        self
    }
}

/// One file while it is read.
struct Reader<'a> {
    file: &'a Path,
    ground: &'a Ground<'a>,
    policy: Policy,
    errors: Vec<Error>,
}

impl Reader<'_> {
    fn file(&mut self, root: &Node) -> Result<()> {
        let file = self.file;
        let mut fields = Fields::of(root, file, "the file")?;
        self.policy.fail_on = self.setting("fail-on", fields.text("fail-on")?);
        let (servers, overrides, waivers) = (
            fields.tables("server")?,
            fields.tables("override")?,
            fields.tables("waiver")?,
        );
        let limits = fields
            .get("limits")
            .map(|node| self.limits(node))
            .transpose()?;
        self.policy.limits = limits.unwrap_or_default();
        self.policy.defaults = self.settings(&mut fields)?;
        fields.refuse_unknown()?;
        for node in servers {
            let result = self.server(node);
            self.errors.extend(result.err());
        }
        for node in overrides {
            match self.level_override(node) {
                Ok(found) => self.policy.overrides.push(found),
                Err(error) => self.errors.push(error),
            }
        }
        for node in waivers {
            match self.waiver(node) {
                Ok(found) => self.policy.waivers.push(found),
                Err(error) => self.errors.push(error),
            }
        }
        Ok(())
    }

    fn setting(&self, key: &'static str, told: Option<Told<'_>>) -> Option<Setting> {
        told.map(|told| Setting {
            text: told.text.to_owned(),
            key,
            file: self.file.to_path_buf(),
            line: told.spot.line,
        })
    }

    fn needed(&self, fields: &mut Fields<'_>, what: &str, key: &'static str) -> Result<Setting> {
        let told = fields.text(key)?;
        match self.setting(key, told) {
            Some(setting) if !setting.text.trim().is_empty() => Ok(setting),
            Some(setting) => Err(setting.error(format!("`{key}` of {what} is empty"))),
            None => Err(fields.error(fields.spot(), format!("{what} needs `{key}`"))),
        }
    }

    fn server(&mut self, node: &Node) -> Result<()> {
        let file = self.file;
        let mut fields = Fields::of(node, file, "[[server]]")?;
        let name = self.needed(&mut fields, "[[server]]", "name")?;
        let profile = self.setting("profile", fields.text("profile")?);
        let checked = name
            .read(ServerName::new)
            .map_err(|error| error.for_server(&name.text))?;
        let result = self.named_server(&mut fields, node, &name, profile.as_ref(), checked);
        result.map_err(|error| error.for_server(&name.text))
    }

    fn named_server(
        &mut self,
        fields: &mut Fields<'_>,
        node: &Node,
        name: &Setting,
        profile: Option<&Setting>,
        checked: ServerName,
    ) -> Result<()> {
        let entry = EntryReader::new(self.file, Dialect::Stored);
        let mut raw = RawServer {
            name: name.text.clone(),
            profile: profile.map(|profile| profile.text.clone()),
            spot: Some(Spot {
                line: name.line,
                column: 1,
            }),
            ..RawServer::default()
        };
        raw.command = match fields.texts("command")? {
            Some(words) => Some(entry.words(Some(words))?),
            None => None,
        };
        raw.url = entry.maybe(fields.text("url")?)?;
        raw.headers = entry.named(fields.text_table("headers", false)?)?;
        raw.env = self.variables(&entry, fields)?;
        raw.env_file = entry.maybe(fields.text("env-file")?)?;
        raw.cwd = entry.maybe(fields.text("cwd")?)?;
        let disabled = fields.flag("disabled")?;
        raw.disabled = disabled.unwrap_or(false);
        let mut settings = self.settings(fields)?;
        settings.volatile = self.volatile(fields)?;
        fields.refuse_unknown()?;
        let key = (checked, raw.profile.clone());
        let starts = raw.command.is_some() || raw.url.is_some();
        let has_parts = !raw.env.is_empty()
            || !raw.headers.is_empty()
            || raw.cwd.is_some()
            || raw.env_file.is_some();
        if starts {
            self.policy.servers.push(assemble(raw, self.ground)?);
        } else if has_parts || disabled.is_some() {
            return Err(error_at(self.file, node.spot, "neither a command nor a URL")
                .help("an entry without them only holds settings for a server that another file names"));
        }
        if self.policy.server_settings.insert(key, settings).is_some() {
            return Err(name.error("a server of this name and profile stands in the file already"));
        }
        Ok(())
    }

    /// `env`: a table of templates, or a list of names that are passed on.
    fn variables(
        &self,
        entry: &EntryReader<'_>,
        fields: &mut Fields<'_>,
    ) -> Result<Vec<(String, super::spec::Word)>> {
        let is_list = fields
            .get("env")
            .is_some_and(|node| matches!(node.data, Data::List(_)));
        if !is_list {
            return entry.named(fields.text_table("env", false)?);
        }
        fields
            .texts("env")?
            .unwrap_or_default()
            .into_iter()
            .map(|told| Ok((told.text.to_owned(), entry.variable(told.text, told.spot)?)))
            .collect()
    }

    fn settings(&self, fields: &mut Fields<'_>) -> Result<ServerSettings> {
        let ignore_resources = match fields.text("resources")? {
            None => None,
            Some(told) => {
                Some(match told.text {
                    "ignore" => true,
                    "pin" => false,
                    _ => {
                        return Err(fields
                        .error(told.spot, "`resources` must be \"pin\" or \"ignore\"")
                        .help("\"ignore\" leaves the server's concrete resources out of the lockfile"));
                    }
                })
            }
        };
        Ok(ServerSettings {
            ignore_resources,
            default_dialect: self.setting("default-dialect", fields.text("default-dialect")?),
            reserved_arguments: fields
                .texts("reserved-arguments")?
                .unwrap_or_default()
                .into_iter()
                .map(|told| told.text.to_owned())
                .collect(),
            strict_stdout: fields.flag("strict-stdout")?,
            assert_format: fields.flag("assert-format")?,
            volatile: Vec::new(),
            start_timeout: duration(fields, "start-timeout")?,
            request_timeout: duration(fields, "request-timeout")?,
            server_timeout: duration(fields, "server-timeout")?,
        })
    }

    fn volatile(&self, fields: &mut Fields<'_>) -> Result<Vec<VolatileWords>> {
        fields
            .tables("volatile")?
            .iter()
            .map(|node| {
                let mut fields = Fields::of(node, self.file, "an element of `volatile`")?;
                let what = "an element of `volatile`";
                let item = self.needed(&mut fields, what, "item")?;
                let pointer = match fields.text("pointer")? {
                    Some(told) if crate::json::Pointer::parse(told.text).is_none() => {
                        return Err(fields
                            .error(told.spot, "`pointer` is not a JSON Pointer")
                            .help("it is empty or begins with `/`, as `/description`"));
                    }
                    Some(told) => told.text.to_owned(),
                    None => String::new(),
                };
                let pattern = self.needed(&mut fields, what, "pattern")?;
                fields.refuse_unknown()?;
                Ok(VolatileWords {
                    item: item.text,
                    pointer,
                    pattern,
                })
            })
            .collect()
    }

    fn limits(&self, node: &Node) -> Result<LimitSettings> {
        let mut fields = Fields::of(node, self.file, "[limits]")?;
        let mut positive = |key: &'static str| match fields.whole_number(key)? {
            Some((0, spot)) => Err(fields.error(spot, format!("`{key}` can't be 0"))),
            found => Ok(found.map(|(number, _)| number)),
        };
        let limits = LimitSettings {
            message_bytes: positive("message-bytes")?,
            catalog_bytes: positive("catalog-bytes")?,
            items: positive("items")?,
            pages: positive("pages")?,
            stderr_bytes: positive("stderr-bytes")?,
            jobs: positive("jobs")?,
        };
        fields.refuse_unknown()?;
        Ok(limits)
    }

    fn level_override(&self, node: &Node) -> Result<LevelOverride> {
        let what = "[[override]]";
        let mut fields = Fields::of(node, self.file, what)?;
        let found = LevelOverride {
            rule: self.needed(&mut fields, what, "rule")?,
            level: self.needed(&mut fields, what, "level")?,
            server: self.setting("server", fields.text("server")?),
            item: self.setting("item", fields.text("item")?),
            reason: self.needed(&mut fields, what, "reason")?.text,
        };
        fields.refuse_unknown()?;
        Ok(found)
    }

    fn waiver(&self, node: &Node) -> Result<Waiver> {
        let what = "[[waiver]]";
        let mut fields = Fields::of(node, self.file, what)?;
        let found = Waiver {
            rule: self.needed(&mut fields, what, "rule")?,
            server: self.needed(&mut fields, what, "server")?,
            item: self.needed(&mut fields, what, "item")?,
            contract: self.needed(&mut fields, what, "contract")?,
            reason: self.needed(&mut fields, what, "reason")?.text,
        };
        fields.refuse_unknown()?;
        Ok(found)
    }
}

/// A time: whole seconds, or a string such as `"500ms"`, `"30s"`, `"2m"`.
fn duration(fields: &mut Fields<'_>, key: &'static str) -> Result<Option<Duration>> {
    let Some(node) = fields.get(key) else {
        return Ok(None);
    };
    let parsed = match &node.data {
        Data::Number(text) => text.parse().ok().map(Duration::from_secs),
        Data::Text(text) => parse_duration(text),
        _ => None,
    };
    match parsed {
        Some(duration) if !duration.is_zero() => Ok(Some(duration)),
        _ => Err(fields
            .error(node.spot, format!("`{key}` must be a time above 0"))
            .help("write whole seconds, or a string such as \"500ms\", \"30s\", \"2m\"")),
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
