//! A server from the launch that the lockfile stores, where no config names it.
//!
//! Pure.

use std::path::Path;

use super::assemble::{Ground, RawServer, assemble};
use super::document::Spot;
use super::env::Environment;
use super::spec::{ServerName, ServerSpec, SourceKind, Word};
use super::template::{Template, TemplateError};
use super::{Launch, Target};
use crate::error::{Error, Result};
use crate::text::names;

/// A server as the lockfile pins it.
#[derive(Debug, Clone)]
pub struct PinnedServer {
    /// Its name.
    pub name: ServerName,
    /// Its profile.
    pub profile: Option<String>,
    /// Its launch.
    pub launch: Launch,
    /// Line of its entry in the lockfile, from 1.
    pub line: Option<usize>,
}

/// Where the lockfile is.
#[derive(Debug, Clone, Copy)]
pub struct LockPlace<'a> {
    /// The lockfile, as the user would write it.
    pub file: &'a Path,
    /// Its absolute folder.
    pub folder: &'a Path,
}

impl PinnedServer {
    /// Whether `text` names it: see [`names`].
    pub(super) fn is_named(&self, text: &str) -> bool {
        names(text, self.name.as_str(), self.profile.as_deref())
    }

    /// The server that this launch starts. Variables that the config had set are taken from the
    /// environment under the same names, since the lockfile knows no values.
    pub fn spec(&self, lock: LockPlace<'_>, environment: &Environment) -> Result<ServerSpec> {
        let word = |text: &String| -> Result<Word> {
            Template::parse(text)
                .map(|template| Word {
                    template,
                    line: self.line,
                })
                .map_err(|error| self.wrong(lock, error))
        };
        let mut raw = RawServer {
            name: self.name.as_str().to_owned(),
            profile: self.profile.clone(),
            spot: self.line.map(|line| Spot { line, column: 1 }),
            ..RawServer::default()
        };
        match &self.launch.target {
            Target::Command(words) => {
                raw.command = Some(words.iter().map(word).collect::<Result<_>>()?);
            }
            Target::Url { url, headers } => {
                raw.url = Some(word(url)?);
                for (name, value) in headers {
                    raw.headers.push((name.clone(), word(value)?));
                }
            }
        }
        for name in &self.launch.env {
            let value = match self.launch.env_values.get(name) {
                Some(value) => word(value)?,
                None => Word {
                    template: Template::variable(name),
                    line: self.line,
                },
            };
            raw.env.push((name.clone(), value));
        }
        raw.cwd = self.launch.cwd.as_ref().map(word).transpose()?;
        let ground = Ground {
            kind: SourceKind::Lockfile,
            file: Some(lock.file),
            workspace: lock.folder,
            lock_folder: lock.folder,
            environment,
        };
        let mut spec = assemble(raw, &ground)?;
        // Its stored form is what it was read from, to the letter.
        spec.launch = self.launch.clone();
        Ok(spec)
    }

    fn wrong(&self, lock: LockPlace<'_>, error: TemplateError) -> Error {
        let wrong = Error::lockfile(error.message)
            .in_file(lock.file)
            .for_server(self.name.as_str())
            .for_profile(self.profile.as_deref())
            .help(error.help);
        match self.line {
            Some(line) => wrong.at_line(line, None),
            None => wrong,
        }
    }
}
