//! The parts that entries of every family have: words, variables, headers, the transport.

use std::path::Path;

use crate::config::assemble::RawServer;
use crate::config::dialect::Dialect;
use crate::config::document::Spot;
use crate::config::fields::{Fields, Named, Told, error_at};
use crate::config::spec::{HttpKind, Word};
use crate::config::template::{Template, TemplateError};
use crate::error::{Error, Result};
use crate::text::{nearest, visible};

/// Reads the text of one file's entries into templates.
pub(in crate::config) struct Entry<'a> {
    /// The file.
    pub(super) file: &'a Path,
    /// Its variables.
    pub(super) dialect: Dialect,
}

impl<'a> Entry<'a> {
    /// For entries of `file`, whose variables are in `dialect`.
    pub(in crate::config) fn new(file: &'a Path, dialect: Dialect) -> Self {
        Entry { file, dialect }
    }

    /// A template.
    pub(in crate::config) fn word(&self, text: &str, spot: Spot) -> Result<Word> {
        match self.dialect.parse(text) {
            Ok(template) => Ok(Word {
                template,
                line: Some(spot.line),
            }),
            Err(error) => Err(self.wrong(error, spot)),
        }
    }

    /// A variable by its name.
    pub(in crate::config) fn variable(&self, name: &str, spot: Spot) -> Result<Word> {
        if crate::config::template::is_variable_name(name) {
            Ok(Word {
                template: Template::variable(name),
                line: Some(spot.line),
            })
        } else {
            Err(error_at(
                self.file,
                spot,
                format!("`{}` is not the name of a variable", visible(name)),
            ))
        }
    }

    /// A template of a string that was told.
    pub(in crate::config) fn told(&self, told: Told<'_>) -> Result<Word> {
        self.word(told.text, told.spot)
    }

    /// A template, if there is one.
    pub(in crate::config) fn maybe(&self, told: Option<Told<'_>>) -> Result<Option<Word>> {
        told.map(|told| self.told(told)).transpose()
    }

    /// Templates of a table of strings.
    pub(in crate::config) fn named(
        &self,
        table: Option<Vec<Named<'_>>>,
    ) -> Result<Vec<(String, Word)>> {
        table
            .unwrap_or_default()
            .into_iter()
            .map(|(name, text, spot)| Ok((name.to_owned(), self.word(&text, spot)?)))
            .collect()
    }

    /// Templates of a list of strings.
    pub(in crate::config) fn words(&self, list: Option<Vec<Told<'_>>>) -> Result<Vec<Word>> {
        list.unwrap_or_default()
            .into_iter()
            .map(|told| self.told(told))
            .collect()
    }

    fn wrong(&self, error: TemplateError, spot: Spot) -> Error {
        error_at(self.file, spot, error.message).help(error.help)
    }
}

/// The transport that `type` asks for.
#[derive(Clone, Copy)]
pub(super) enum Asked {
    /// A program.
    Stdio,
    /// An address.
    Http(HttpKind),
}

/// Reads a `type` or `transport` word.
pub(super) fn transport(told: Told<'_>, file: &Path) -> Result<Asked> {
    match told.text {
        "stdio" | "local" => Ok(Asked::Stdio),
        "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote" => {
            Ok(Asked::Http(HttpKind::Streamable))
        }
        "sse" => Ok(Asked::Http(HttpKind::Sse)),
        "ws" | "websocket" => Err(error_at(
            file,
            told.spot,
            "the WebSocket transport is not part of the protocol's standard and can't be pinned",
        )),
        other => {
            let error = error_at(
                file,
                told.spot,
                format!("unknown transport `{}`", visible(other)),
            );
            Err(
                match nearest(other, ["stdio", "http", "sse", "local", "remote"]) {
                    Some(name) => error.help(format!("did you mean `{name}`?")),
                    None => error.help("known are stdio, http, sse"),
                },
            )
        }
    }
}

/// Keeps of an entry what its transport means: a command or an address, never both.
pub(super) fn settle(raw: &mut RawServer, asked: Option<Asked>, file: &Path) -> Result<()> {
    let spot = raw.spot.unwrap_or(Spot { line: 1, column: 1 });
    match asked {
        Some(Asked::Stdio) if raw.command.is_none() => Err(error_at(
            file,
            spot,
            "`type` asks for a program, but there is no `command`",
        )),
        Some(Asked::Http(_)) if raw.url.is_none() => Err(error_at(
            file,
            spot,
            "`type` asks for an address, but there is no `url`",
        )),
        Some(Asked::Stdio) => {
            if raw.url.take().is_some() {
                raw.notes
                    .push("`url` is not read, since `type` asks for a program".to_owned());
            }
            Ok(())
        }
        Some(Asked::Http(kind)) => {
            raw.http = kind;
            if raw.command.take().is_some() {
                raw.notes
                    .push("`command` is not read, since `type` asks for an address".to_owned());
            }
            Ok(())
        }
        // Without a `type` a command comes first, as the clients have it.
        None => {
            if raw.command.is_some() && raw.url.take().is_some() {
                raw.notes
                    .push("`url` is not read, since there is a `command`".to_owned());
            }
            Ok(())
        }
    }
}

/// Remarks about keys that nobody reads.
pub(super) fn unread(fields: &Fields<'_>, known: &[&'static str], notes: &mut Vec<String>) {
    for member in fields.unknown() {
        let meant = nearest(&member.name, known.iter().copied())
            .map(|name| format!(", did you mean `{name}`?"))
            .unwrap_or_default();
        notes.push(format!(
            "line {}: the key `{}` is not read{meant}",
            member.spot.line,
            visible(&member.name)
        ));
    }
}
