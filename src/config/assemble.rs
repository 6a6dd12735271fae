//! From what a config says of a server to a [`ServerSpec`]: the stored launch, without credentials
//! and without host paths, beside the templates that start it.
//!
//! Pure.

use std::collections::BTreeMap;
use std::path::Path;

use super::Secret;
use super::document::Spot;
use super::env::Environment;
use super::launch::{Launch, is_pinned_variable, unmasked};
use super::redact;
use super::spec::{
    HttpKind, Origin, PrivateLaunch, ServerName, ServerSpec, SourceKind, ToolFilter, Word,
};
use super::stored::Stored;
use crate::error::{Error, Result};
use crate::text::visible;

/// What a config says of one server, read but not yet judged.
#[derive(Default)]
pub(super) struct RawServer {
    /// Its name.
    pub(super) name: String,
    /// Its profile.
    pub(super) profile: Option<String>,
    /// Where its entry begins.
    pub(super) spot: Option<Spot>,
    /// Program and arguments.
    pub(super) command: Option<Vec<Word>>,
    /// The URL.
    pub(super) url: Option<Word>,
    /// Which HTTP transport.
    pub(super) http: HttpKind,
    /// Headers.
    pub(super) headers: Vec<(String, Word)>,
    /// A command that prints headers.
    pub(super) headers_helper: Option<Word>,
    /// Variables.
    pub(super) env: Vec<(String, Word)>,
    /// A file with variables.
    pub(super) env_file: Option<Word>,
    /// Working folder.
    pub(super) cwd: Option<Word>,
    /// Switched off.
    pub(super) disabled: bool,
    /// Tool filter.
    pub(super) tools: ToolFilter,
    /// Remarks.
    pub(super) notes: Vec<String>,
}

/// Where a config stands and what its launch is stored relative to.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    /// Which kind of source.
    pub(super) kind: SourceKind,
    /// The file, as the user would write it.
    pub(super) file: Option<&'a Path>,
    /// Absolute folder that the client calls its workspace.
    pub(super) workspace: &'a Path,
    /// Absolute folder of the lockfile.
    pub(super) lock_folder: &'a Path,
    /// For the home folder.
    pub(super) environment: &'a Environment,
}

impl Ground<'_> {
    /// An error at a line of this config.
    pub(super) fn error(
        &self,
        server: &str,
        line: Option<usize>,
        message: impl Into<String>,
    ) -> Error {
        let mut error = Error::config(message).for_server(server);
        if let Some(file) = self.file {
            error = error.in_file(file);
        }
        match line {
            Some(line) => error.at_line(line, None),
            None => error,
        }
    }
}

/// Judges `raw` and makes its stored launch.
pub(super) fn assemble(raw: RawServer, ground: &Ground<'_>) -> Result<ServerSpec> {
    let line = raw.spot.map(|spot| spot.line);
    let name =
        ServerName::new(&raw.name).map_err(|message| ground.error(&raw.name, line, message))?;
    if let Some(Err(message)) = raw.profile.as_deref().map(ServerName::check_profile) {
        return Err(ground.error(name.as_str(), line, message));
    }
    let stored = Stored::new(ground, name.as_str());
    let mut notes = raw.notes.clone();
    let mut private = PrivateLaunch::default();
    stored.plain_variables(&raw.places(), &mut notes);
    let target = match (raw.command, raw.url) {
        (Some(words), None) => stored.command(words, &mut private, &mut notes)?,
        (None, Some(url)) => stored.url(url, raw.headers, &mut private, &mut notes)?,
        (Some(_), Some(_)) => {
            return Err(ground
                .error(name.as_str(), line, "both a command and a URL")
                .help("keep the one that is meant"));
        }
        (None, None) => {
            let error = ground
                .error(name.as_str(), line, "neither a command nor a URL")
                .help("name the program in `command`, or the address in `url`");
            return Err(if notes.is_empty() {
                error
            } else {
                error.detail(notes.join("\n"))
            });
        }
    };
    let mut env_values = BTreeMap::new();
    let mut env = Vec::new();
    for (variable, word) in raw.env {
        stored.check(&word)?;
        if variable.is_empty() || variable.contains(['=', '\0']) {
            return Err(ground.error(
                name.as_str(),
                word.line,
                format!("`{}` can't be the name of a variable", visible(&variable)),
            ));
        }
        if is_pinned_variable(&variable) {
            let (text, pieces) = stored.masked(&word.template);
            let redaction = redact::named(&variable, &text);
            private
                .credentials
                .extend(redaction.found.iter().map(Secret::credential));
            env_values.insert(variable.clone(), unmasked(&redaction.text, &pieces));
        }
        env.push(variable.clone());
        private.env.insert(variable, word);
    }
    env.sort();
    env.dedup();
    for word in raw
        .env_file
        .iter()
        .chain(&raw.cwd)
        .chain(&raw.headers_helper)
    {
        stored.check(word)?;
    }
    let cwd = stored.cwd(raw.cwd.as_ref());
    private.env_file = raw.env_file;
    private.cwd = raw.cwd;
    private.headers_helper = raw.headers_helper;
    Ok(ServerSpec {
        name,
        profile: raw.profile,
        launch: Launch {
            target,
            cwd,
            env,
            env_values,
        },
        private,
        folder: ground.workspace.to_path_buf(),
        origin: Origin {
            kind: ground.kind,
            file: ground.file.map(Path::to_path_buf),
            line,
        },
        disabled: raw.disabled,
        tools: raw.tools,
        http: raw.http,
        notes,
    })
}

impl RawServer {
    /// Every template of the entry.
    pub(super) fn words(&self) -> impl Iterator<Item = &Word> {
        self.places().into_iter().map(|(_, word)| word)
    }

    /// Every template of the entry, and what it is called in messages.
    fn places(&self) -> Vec<(String, &Word)> {
        let named = |kind: &'static str, list| {
            let list: &Vec<(String, Word)> = list;
            list.iter()
                .map(move |(name, word)| (format!("{kind} `{}`", visible(name)), word))
        };
        let words = self.command.iter().flatten().enumerate();
        let mut places: Vec<(String, &Word)> = words.map(|(i, word)| (place_of(i), word)).collect();
        places.extend(self.url.iter().map(|word| ("the URL".to_owned(), word)));
        for (name, word) in [
            ("cwd", &self.cwd),
            ("envFile", &self.env_file),
            ("headersHelper", &self.headers_helper),
        ] {
            places.extend(word.iter().map(|word| (format!("`{name}`"), word)));
        }
        places.extend(named("the header", &self.headers));
        places.extend(named("the variable", &self.env));
        places
    }
}

/// What the word number `index` of a command is called in messages.
pub(super) fn place_of(index: usize) -> String {
    if index == 0 {
        "the program".to_owned()
    } else {
        format!("argument {index}")
    }
}
