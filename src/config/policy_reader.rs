//! Reads `mcplock.toml`.
//!
//! Pure: gets the parsed file. Unknown keys are refused, with the name that was meant, and
//! everything that is wrong is told at once.

use std::path::Path;
use std::time::Duration;

use super::assemble::{Ground, RawServer, assemble};
use super::clients::EntryReader;
use super::dialect::Dialect;
use super::document::{Data, Node, Spot};
use super::fields::{Fields, Told, error_at};
use super::policy::{
    ConfiguredProjection, FarSide, LevelOverride, LimitSettings, Policy, ServerSettings, Setting,
    VolatileWords, Waiver, parse_duration,
};
use super::spec::{ServerName, Word};
use crate::error::{Error, Result};

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
        let (servers, overrides, waivers, projections) = (
            fields.tables("server")?,
            fields.tables("override")?,
            fields.tables("waiver")?,
            fields.tables("projection")?,
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
        for node in projections {
            match self.projection(node) {
                Ok(found) => self.policy.projections.push(found),
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
        if let Some(profile) = &profile {
            profile
                .read(ServerName::check_profile)
                .map_err(|error| error.for_server(&name.text))?;
        }
        let result = self.named_server(&mut fields, node, &name, profile.as_ref(), checked);
        result.map_err(|error| {
            let profile = profile.as_ref().map(|profile| profile.text.as_str());
            error.for_server(&name.text).for_profile(profile)
        })
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
        raw.env = Self::variables(&entry, fields)?;
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
        if !starts {
            let address = crate::text::address(key.0.as_str(), key.1.as_deref());
            self.policy.settings_only.push((address, name.line));
        }
        if self.policy.server_settings.insert(key, settings).is_some() {
            return Err(name.error("a server of this name and profile stands in the file already"));
        }
        Ok(())
    }

    /// `env`: a table of templates, or a list of names that are passed on.
    fn variables(entry: &EntryReader<'_>, fields: &mut Fields<'_>) -> Result<Vec<(String, Word)>> {
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
            timeout: duration(fields, "timeout")?,
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
            max_message: positive("max-message")?,
            max_catalog: positive("max-catalog")?,
            max_items: positive("max-items")?,
            max_pages: positive("max-pages")?,
            max_unasked: positive("max-unasked")?,
            max_relists: positive("max-relists")?,
            max_stderr: positive("max-stderr")?,
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

    /// A path is relative to the folder of the file.
    fn projection(&self, node: &Node) -> Result<ConfiguredProjection> {
        let what = "[[projection]]";
        let mut fields = Fields::of(node, self.file, what)?;
        let server = self.needed(&mut fields, what, "server")?;
        let file = self.setting("file", fields.text("file")?);
        let via = self.setting("via", fields.text("via")?);
        fields.refuse_unknown()?;
        let far = match (file, via) {
            (Some(file), None) => {
                let folder = self.file.parent().unwrap_or(Path::new(""));
                FarSide::File(folder.join(&file.text))
            }
            (None, Some(via)) => FarSide::Via(via),
            _ => {
                let message = "[[projection]] needs either `file` or `via`";
                return Err(fields.error(fields.spot(), message));
            }
        };
        Ok(ConfiguredProjection { server, far })
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
