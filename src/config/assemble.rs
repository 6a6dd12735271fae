//! From what a config says of a server to a [`ServerSpec`]: the stored launch, without credentials
//! and without host paths, beside the templates that start it.
//!
//! Pure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Secret;
use super::credential;
use super::document::Spot;
use super::env::Environment;
use super::headers_helper::is_header_name;
use super::launch::{Launch, REDACTED, Target, is_pinned_variable, unmasked};
use super::paths::{normal, relative};
use super::redact::{self, Redaction};
use super::spec::{
    HttpKind, Origin, PrivateLaunch, ServerName, ServerSpec, SourceKind, ToolFilter, Word,
};
use super::template::{Piece, Template};
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
    fn error(&self, server: &str, line: Option<usize>, message: impl Into<String>) -> Error {
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

/// Writes templates as they are stored.
struct Stored<'a> {
    ground: &'a Ground<'a>,
    server: &'a str,
    /// What `${workspace}` of the config is, as a template of the lockfile.
    workspace: String,
    /// Host paths and what stands for them, the longest first.
    folders: Vec<(String, String)>,
}

impl<'a> Stored<'a> {
    fn new(ground: &'a Ground<'a>, server: &'a str) -> Self {
        let way = relative(ground.lock_folder, ground.workspace).unwrap_or_default();
        let workspace = if way.is_empty() {
            "${workspace}".to_owned()
        } else {
            format!("${{workspace}}/{}", way.replace('$', "$$"))
        };
        let folders = [
            (
                Some(ground.lock_folder.to_path_buf()),
                Piece::Workspace.stored(),
            ),
            (
                ground.environment.home(),
                Template::variable("HOME").stored(),
            ),
        ]
        .into_iter()
        .filter_map(|(folder, stored)| {
            let folder = folder?;
            // The root folder would be found in every absolute path.
            (folder.is_absolute() && folder.parent().is_some())
                .then(|| (folder.display().to_string(), stored))
        })
        .collect();
        Stored {
            ground,
            server,
            workspace,
            folders,
        }
    }

    fn command(
        &self,
        words: Vec<Word>,
        private: &mut PrivateLaunch,
        notes: &mut Vec<String>,
    ) -> Result<Target> {
        for word in &words {
            self.check(word)?;
        }
        let first = words.first();
        if first.is_none_or(|word| word.template.as_literal() == Some("")) {
            return Err(self.ground.error(
                self.server,
                first.and_then(|word| word.line),
                "the command is empty",
            ));
        }
        let masked: Vec<(String, Vec<String>)> = words
            .iter()
            .map(|word| self.masked(&word.template))
            .collect();
        let texts: Vec<String> = masked.iter().map(|(text, _)| text.clone()).collect();
        let redacted = redact::command(&texts);
        for (i, redaction) in redacted.iter().enumerate() {
            self.took_out(&place_of(i), redaction, private, notes);
        }
        private.words = words;
        Ok(Target::Command(
            redacted
                .iter()
                .zip(&masked)
                .map(|(redaction, (_, pieces))| unmasked(&redaction.text, pieces))
                .collect(),
        ))
    }

    fn url(
        &self,
        url: Word,
        headers: Vec<(String, Word)>,
        private: &mut PrivateLaunch,
        notes: &mut Vec<String>,
    ) -> Result<Target> {
        self.check(&url)?;
        let (text, pieces) = self.masked(&url.template);
        let redaction = redact::url(&text);
        self.took_out("the URL", &redaction, private, notes);
        let stored_url = unmasked(&redaction.text, &pieces);
        private.words = vec![url];
        let mut stored_headers = BTreeMap::new();
        for (header, word) in headers {
            self.check(&word)?;
            let header = header.to_ascii_lowercase();
            if !is_header_name(&header) {
                return Err(self.ground.error(
                    self.server,
                    word.line,
                    format!("`{}` can't be the name of a header", visible(&header)),
                ));
            }
            let (text, pieces) = self.masked(&word.template);
            let redaction = redact::named(&header, &text);
            self.took_out(
                &format!("the header `{header}`"),
                &redaction,
                private,
                notes,
            );
            stored_headers.insert(header.clone(), unmasked(&redaction.text, &pieces));
            if let Some(first) = private.headers.insert(header.clone(), word) {
                return Err(self.ground.error(
                    self.server,
                    first.line,
                    format!("the header `{header}` is given twice"),
                ));
            }
        }
        Ok(Target::Url {
            url: stored_url,
            headers: stored_headers,
        })
    }

    /// Refuses text that the stored form could not tell from what it writes itself.
    fn check(&self, word: &Word) -> Result<()> {
        for piece in word.template.pieces() {
            let Piece::Text(text) = piece else { continue };
            if text.contains(credential::is_variable) || text.contains('\0') {
                return Err(self.ground.error(
                    self.server,
                    word.line,
                    "a private-use character or a null stands in the launch",
                ));
            }
            if text.contains(REDACTED) && self.ground.kind != SourceKind::Lockfile {
                return Err(self
                    .ground
                    .error(
                        self.server,
                        word.line,
                        format!("`{REDACTED}` stands for a credential that was taken out, it is no value"),
                    )
                    .help("pass the credential by variable"));
            }
        }
        Ok(())
    }

    /// Keeps what was taken out, and says so.
    fn took_out(
        &self,
        place: &str,
        redaction: &Redaction,
        private: &mut PrivateLaunch,
        notes: &mut Vec<String>,
    ) {
        if redaction.found.iter().all(|found| found == REDACTED) {
            return;
        }
        private
            .credentials
            .extend(redaction.found.iter().map(Secret::credential));
        let how = match self.ground.kind {
            SourceKind::Client(client) => client.variable("NAME"),
            _ => Some("${NAME}".to_owned()),
        };
        let way = match how {
            Some(how) => format!("pass it by variable, as `{how}`"),
            None => {
                "the client has no variables: describe the server in mcplock.toml, with `${NAME}`"
                    .to_owned()
            }
        };
        notes.push(format!(
            "{place} holds what looks like a credential; the lockfile has `{REDACTED}` in its place: {way}"
        ));
    }

    /// Says where text looks like a variable but is none to the client.
    fn plain_variables(&self, words: &[(String, &Word)], notes: &mut Vec<String>) {
        let SourceKind::Client(client) = self.ground.kind else {
            return;
        };
        for (place, word) in words {
            let is_plain = word.template.pieces().iter().any(|piece| {
                matches!(piece, Piece::Text(text) if text.contains("${") || text.contains("{env:"))
            });
            if is_plain {
                notes.push(match client.variable("NAME") {
                    Some(how) => format!(
                        "{place} holds a variable that {} takes as plain text: write `{how}`",
                        client.title()
                    ),
                    None => format!(
                        "{place} looks as if it held a variable, but {} has none: it stays as it is",
                        client.title()
                    ),
                });
            }
        }
    }

    /// Text in which each variable is one character, and what is stored for each of those.
    fn masked(&self, template: &Template) -> (String, Vec<String>) {
        let mut text = String::new();
        let mut pieces: Vec<String> = Vec::new();
        let mut push = |text: &mut String, stored: &str| {
            text.extend(credential::variable(pieces.len()));
            pieces.push(stored.to_owned());
        };
        for (i, piece) in template.pieces().iter().enumerate() {
            let literal = match piece {
                Piece::Text(literal) => literal,
                Piece::Workspace => {
                    push(&mut text, &self.workspace);
                    continue;
                }
                piece => {
                    push(&mut text, &piece.stored());
                    continue;
                }
            };
            let mut rest = literal.as_str();
            if i == 0 {
                if let Some((piece, tail)) = self.host_path(rest) {
                    push(&mut text, piece);
                    rest = tail;
                } else if let Some((before, after)) = rest.split_once('=') {
                    if let Some((piece, tail)) = self.host_path(after) {
                        text.push_str(before);
                        text.push('=');
                        push(&mut text, piece);
                        rest = tail;
                    }
                } else if let Some((piece, tail)) = rest
                    .strip_prefix("file://")
                    .and_then(|path| self.host_path(path))
                {
                    text.push_str("file://");
                    push(&mut text, piece);
                    rest = tail;
                }
            }
            text.push_str(rest);
        }
        (text, pieces)
    }

    /// What stands for the folder that `text` begins with, and the rest.
    fn host_path<'t>(&self, text: &'t str) -> Option<(&str, &'t str)> {
        self.folders.iter().find_map(|(folder, stored)| {
            let rest = text.strip_prefix(folder.as_str())?;
            (rest.is_empty() || rest.starts_with(['/', '\\', ':', ',']))
                .then_some((stored.as_str(), rest))
        })
    }

    /// The working folder relative to the lockfile; none where it is the lockfile's own.
    fn cwd(&self, word: Option<&Word>) -> Option<String> {
        let folder = match word {
            None => self.ground.workspace.to_path_buf(),
            Some(word) => {
                if let Some(folder) = self.folder_of(&word.template) {
                    folder
                } else {
                    let (text, pieces) = self.masked(&word.template);
                    return Some(unmasked(&text, &pieces));
                }
            }
        };
        let way = relative(self.ground.lock_folder, &folder)?;
        let outside = way.starts_with("..");
        let said_as_absolute = word
            .and_then(|word| word.template.as_literal())
            .is_some_and(|text| Path::new(text).is_absolute());
        if word.is_none() && outside {
            // A file elsewhere, such as a user's own: its servers work in the project.
            None
        } else if outside && said_as_absolute {
            let (text, pieces) = self.masked(&Template::literal(folder.display().to_string()));
            Some(unmasked(&text, &pieces))
        } else {
            (!way.is_empty()).then(|| way.replace('$', "$$"))
        }
    }

    /// The absolute folder that a template names, if it does so without the environment.
    fn folder_of(&self, template: &Template) -> Option<PathBuf> {
        let path = match template.pieces() {
            [Piece::Text(path)] => self.ground.workspace.join(path),
            [Piece::Workspace] => self.ground.workspace.to_path_buf(),
            [Piece::Workspace, Piece::Text(rest)] => {
                let rest = rest.strip_prefix(['/', '\\'])?;
                self.ground.workspace.join(rest)
            }
            _ => return None,
        };
        Some(normal(&path))
    }
}
