//! Expands every variable of a launch, once, and knows which of the values are nobody's business.
//!
//! Reads the files that a launch names (`envFile`, `${file:…}`); starts nothing.

use std::collections::BTreeMap;
use std::path::Path;

use super::assemble::place_of;
use super::betrayed::expects_credential;
use super::credential::{is_harmless_value, is_secret_form, is_secret_name};
use super::dialect::INPUT_PREFIX;
use super::env::Environment;
use super::headers_helper::{HeadersHelper, is_header, words};
use super::spec::{ResolvedLaunch, ResolvedTarget, ServerSpec, Word};
use super::template::Piece;
use super::{REDACTED, Secret, document, dotenv, paths, redact};
use crate::error::{Error, Result};
use crate::text::visible;

impl ServerSpec {
    /// The launch with every variable taken from `environment`.
    ///
    /// An unset variable without a default is an error that names it, the server and the place,
    /// also where the client itself would pass the text on as it is.
    pub fn resolve(&self, environment: &Environment) -> Result<ResolvedLaunch> {
        let mut scope = Scope {
            spec: self,
            environment,
            secrets: self.private.credentials.clone(),
        };
        let target = match &self.launch.target {
            super::Target::Command(_) => scope.command()?,
            super::Target::Url { .. } => scope.url()?,
        };
        let mut secrets = scope.secrets;
        secrets.sort_by(|a, b| {
            a.expose()
                .cmp(b.expose())
                .then(b.is_credential().cmp(&a.is_credential()))
        });
        secrets.dedup_by(|a, b| a.expose() == b.expose());
        secrets.retain(|secret| !secret.expose().trim().is_empty());
        Ok(ResolvedLaunch { target, secrets })
    }
}

/// One launch while it is expanded.
struct Scope<'a> {
    spec: &'a ServerSpec,
    environment: &'a Environment,
    secrets: Vec<Secret>,
}

impl Scope<'_> {
    fn command(&mut self) -> Result<ResolvedTarget> {
        let private = &self.spec.private;
        let mut words = Vec::with_capacity(private.words.len());
        let mut flag_is_secret = false;
        for (i, word) in private.words.iter().enumerate() {
            let place = place_of(i);
            let start = match word.template.pieces().first() {
                Some(Piece::Text(text)) => text.as_str(),
                _ => "",
            };
            let (name, assigned) = match start.split_once(['=', ':']) {
                Some((name, _)) => (name, true),
                None => (start, false),
            };
            let telling = is_secret_name(name) || expects_credential(name);
            words.push(self.expand(word, &place, (telling && assigned) || flag_is_secret)?);
            flag_is_secret = telling && !assigned && start.starts_with('-');
        }
        let mut env = self.inherited();
        let mut set = Vec::new();
        if let Some(word) = &private.env_file {
            set.extend(self.env_file(word)?);
        }
        for (name, word) in &private.env {
            let value = self.expand(word, &format!("`{name}` in `env`"), is_secret_name(name))?;
            set.push((name.clone(), Secret::new(value)));
        }
        for (name, value) in set {
            self.keep(&name, value.expose());
            env.insert(name, value);
        }
        let cwd = match &private.cwd {
            Some(word) => {
                let folder = self.expand(word, "`cwd`", false)?;
                paths::normal(&self.spec.folder.join(folder))
            }
            None => self.spec.folder.clone(),
        };
        if !cwd.is_dir() {
            return Err(self.spec.place(
                Error::config(format!(
                    "the working folder `{}` does not exist",
                    visible(&cwd.display().to_string())
                ))
                .help("make it, or correct `cwd`"),
            ));
        }
        let mut words = words.into_iter();
        let program = words.next().unwrap_or_default();
        if program.is_empty() {
            return Err(self.spec.place(Error::config(
                "the program is empty once its variables are expanded",
            )));
        }
        let program = in_folder(program, &cwd);
        Ok(ResolvedTarget::Command {
            program,
            args: words.map(Secret::new).collect(),
            env,
            cwd,
        })
    }

    fn url(&mut self) -> Result<ResolvedTarget> {
        let private = &self.spec.private;
        let url = match private.words.first() {
            Some(word) => self.expand(word, "the URL", false)?,
            None => String::new(),
        };
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(self.spec.place(
                Error::config("the URL does not begin with `http://` or `https://` once its variables are expanded")
                    .help("write the whole address"),
            ));
        }
        self.secrets
            .extend(redact::url(&url).found.into_iter().map(Secret::credential));
        let mut headers = BTreeMap::new();
        for (name, word) in &private.headers {
            let value = self.expand(word, &format!("the header `{name}`"), is_secret_name(name))?;
            if !is_header(name, &value) {
                return Err(self.spec.place(Error::config(format!(
                    "the header `{name}` holds a line break once its variables are expanded"
                ))));
            }
            self.keep(name, &value);
            headers.insert(name.clone(), Secret::new(value));
        }
        let helper = private.headers_helper.as_ref();
        let headers_helper = helper
            .map(|word| self.headers_helper(word, &url))
            .transpose()?;
        Ok(ResolvedTarget::Url {
            url: Secret::new(url),
            headers,
            headers_helper,
            http: self.spec.http,
        })
    }

    fn headers_helper(&mut self, word: &Word, url: &str) -> Result<HeadersHelper> {
        let line = self.expand(word, "`headersHelper`", false)?;
        let split = words(&line).filter(|words| !words.is_empty());
        let Some(mut words) = split.map(Vec::into_iter) else {
            return Err(self.spec.place(
                Error::config("`headersHelper` is no command: it is empty, or a quote is open")
                    .help("write a program and its arguments; no shell runs them"),
            ));
        };
        let cwd = self.spec.folder.clone();
        let program = words.next().unwrap_or_default();
        let mut env = self.inherited();
        // Claude Code tells a helper which server it is asked for.
        let name = self.spec.name.as_str();
        for (variable, value) in [("NAME", name), ("URL", url)] {
            env.insert(
                format!("CLAUDE_CODE_MCP_SERVER_{variable}"),
                Secret::new(value),
            );
        }
        Ok(HeadersHelper {
            program: in_folder(program, &cwd),
            args: words.map(Secret::new).collect(),
            env,
            cwd,
        })
    }

    fn inherited(&self) -> BTreeMap<String, Secret> {
        let inherited = self.environment.inherited().into_iter();
        inherited
            .map(|(name, value)| (name, Secret::new(value)))
            .collect()
    }

    fn env_file(&mut self, word: &Word) -> Result<Vec<(String, Secret)>> {
        let path = self.expand(word, "`envFile`", false)?;
        let path = self.spec.folder.join(path);
        let text = document::read_text(&path)
            .map_err(|error| error.for_server(self.spec.name.as_str()))?;
        let found = dotenv::parse(&text, &path)
            .map_err(|error| error.for_server(self.spec.name.as_str()))?;
        Ok(found)
    }

    /// Expands one template; `telling` says that it stands where a credential is expected.
    fn expand(&mut self, word: &Word, place: &str, telling: bool) -> Result<String> {
        let Scope {
            spec,
            environment,
            secrets,
        } = self;
        let wrong = |message: String| {
            let mut error = Error::config(message).for_server(spec.name.as_str());
            if let Some(file) = &spec.origin.file {
                error = error.in_file(file);
            }
            match word.line.or(spec.origin.line) {
                Some(line) => error.at_line(line, None),
                None => error,
            }
        };
        word.template.expand(|piece| match piece {
            Piece::Text(text) if text.contains(REDACTED) => Err(wrong(format!(
                "{place} is `{REDACTED}` in the lockfile, so its value is known to no one"
            ))
            .help("pin it again with `--name` and the credential passed by variable (`${NAME}`), or name the server in mcplock.toml")),
            Piece::Text(text) => Ok(text.clone()),
            Piece::Workspace => Ok(spec.folder.display().to_string()),
            Piece::WorkspaceName => Ok(spec
                .folder
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()),
            Piece::Variable { name, default } => {
                // A default also stands in for an empty value, as CI sets an absent secret.
                let value = variable(environment, name)
                    .filter(|value| default.is_none() || !value.is_empty());
                if let Some(value) = value {
                    if !environment.inherited_names().contains(&name.as_str()) {
                        secrets.extend(classified(name, value, telling));
                    }
                    return Ok(value.to_owned());
                }
                if let Some(default) = default {
                    return Ok(default.clone());
                }
                let error = wrong(format!("{place} needs the variable `{name}`, which is not set"));
                Err(if name.starts_with(INPUT_PREFIX) {
                    error.help(format!("here is no editor to ask for the input: set `{name}`"))
                } else {
                    error.help(format!("set `{name}`, or give it a default in the config"))
                })
            }
            Piece::File(path) => {
                let path = spec.folder.join(path);
                let text = document::read_text(&path).map_err(|error| error.for_server(spec.name.as_str()))?;
                let text = text.trim();
                secrets.push(Secret::credential(text));
                Ok(text.to_owned())
            }
        })
    }

    /// Remembers the value of a variable or header.
    fn keep(&mut self, name: &str, value: &str) {
        self.secrets.extend(classified(name, value, false));
    }
}

/// A program with a relative path, from `folder`: where it is looked for differs between systems.
fn in_folder(program: String, folder: &Path) -> String {
    if Path::new(&program).is_relative() && program.contains(['/', '\\']) {
        folder.join(program).display().to_string()
    } else {
        program
    }
}

/// The value of a variable; `HOME` has another name on Windows.
fn variable<'e>(environment: &'e Environment, name: &str) -> Option<&'e str> {
    environment.get(name).or_else(|| {
        (name == "HOME" && environment.platform() == super::Platform::Windows)
            .then(|| environment.get("USERPROFILE"))
            .flatten()
    })
}

/// What of a value must not be seen: nothing, if it says no more than a setting or a path does.
fn classified(name: &str, value: &str, telling: bool) -> Option<Secret> {
    let named = telling || is_secret_name(name) || is_secret_form(value);
    let in_url = || !redact::url(value).found.is_empty();
    if (named && !is_harmless_value(value)) || in_url() {
        Some(Secret::credential(value))
    } else {
        is_private(value).then(|| Secret::new(value))
    }
}

/// Whether an ordinary value should be masked where it turns up: plain words, numbers, paths and
/// addresses are left readable, or no message would say anything.
fn is_private(value: &str) -> bool {
    let is_path = value.starts_with(['/', '~', '.'])
        || value.get(1..3).is_some_and(|s| s == ":\\" || s == ":/");
    let is_plain = value
        .chars()
        .all(|c| c.is_ascii_lowercase() || "-_., ".contains(c))
        || value.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        || value
            .chars()
            .all(|c| c.is_ascii_digit() || ".:-".contains(c));
    value.chars().count() >= 8 && !is_path && !is_plain && !value.contains("://")
}
