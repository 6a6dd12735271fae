//! Templates as the lockfile stores them: without credentials, and without paths of this machine.
//!
//! Pure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Secret;
use super::assemble::{Ground, place_of};
use super::credential;
use super::headers_helper::is_header_name;
use super::launch::{REDACTED, Target, unmasked};
use super::paths::{normal, relative};
use super::redact::{self, Redaction};
use super::spec::{PrivateLaunch, SourceKind, Word};
use super::template::{Piece, Template};
use crate::error::Result;
use crate::text::visible;

/// Writes templates as they are stored.
pub(super) struct Stored<'a> {
    ground: &'a Ground<'a>,
    server: &'a str,
    /// What `${workspace}` of the config is, as a template of the lockfile.
    workspace: String,
    /// Host paths and what stands for them, the longest first.
    folders: Vec<(String, String)>,
}

impl<'a> Stored<'a> {
    pub(super) fn new(ground: &'a Ground<'a>, server: &'a str) -> Self {
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

    pub(super) fn command(
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

    pub(super) fn url(
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
    pub(super) fn check(&self, word: &Word) -> Result<()> {
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
            Some(how) if self.ground.kind == SourceKind::CommandLine => format!(
                "no config names the server, so it can't be started from the lockfile later: pass \
                 it by variable, as '{how}' in single quotes"
            ),
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
    pub(super) fn plain_variables(&self, words: &[(String, &Word)], notes: &mut Vec<String>) {
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
    pub(super) fn masked(&self, template: &Template) -> (String, Vec<String>) {
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
    pub(super) fn cwd(&self, word: Option<&Word>) -> Option<String> {
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
