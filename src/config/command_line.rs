//! A server from the command line: `--name N -- CMD ARG…`, or `--name N --url U --header 'K: V'`.
//!
//! Pure. The words are in the stored dialect, so that a credential can be passed by variable
//! (`--token '${TOKEN}'`, in single quotes).

use std::path::Path;

use super::assemble::{Ground, RawServer, assemble};
use super::env::Environment;
use super::spec::{ServerSpec, SourceKind, Word};
use super::template::{Template, TemplateError};
use crate::error::{Error, Result};
use crate::text::visible;

/// What the command line says of a server.
#[derive(Clone, Default)]
pub struct CommandLineServer {
    /// `--name`
    pub name: String,
    /// `--profile`
    pub profile: Option<String>,
    /// What follows `--`: program and arguments; empty when there is a URL.
    pub command: Vec<String>,
    /// `--url`
    pub url: Option<String>,
    /// Each `--header`, as `Name: value`.
    pub headers: Vec<String>,
    /// Each `--env`, as `NAME=value` or `NAME` (passed on from the environment).
    pub env: Vec<String>,
}

impl CommandLineServer {
    /// The server. `working_folder` is where it works unless told otherwise: the project folder,
    /// absolute.
    pub fn spec(
        &self,
        working_folder: &Path,
        lock_folder: &Path,
        environment: &Environment,
    ) -> Result<ServerSpec> {
        let word = |text: &str| -> Result<Word> {
            Template::parse(text)
                .map(|template| Word {
                    template,
                    line: None,
                })
                .map_err(|error| self.wrong(error))
        };
        let mut raw = RawServer {
            name: self.name.clone(),
            profile: self.profile.clone(),
            ..RawServer::default()
        };
        if !self.command.is_empty() {
            raw.command = Some(
                self.command
                    .iter()
                    .map(|text| word(text))
                    .collect::<Result<_>>()?,
            );
        }
        raw.url = self.url.as_deref().map(word).transpose()?;
        for header in &self.headers {
            let (name, value) = header.split_once(':').ok_or_else(|| {
                Error::usage("a header without a colon")
                    .for_server(&self.name)
                    .help("write `--header 'Name: value'`")
            })?;
            raw.headers
                .push((name.trim().to_owned(), word(value.trim())?));
        }
        for env in &self.env {
            let (name, value) = match env.split_once('=') {
                Some((name, value)) => (name, word(value)?),
                None => (
                    env.as_str(),
                    Word {
                        template: Template::variable(env),
                        line: None,
                    },
                ),
            };
            raw.env.push((name.to_owned(), value));
        }
        if raw.url.is_none() && !raw.headers.is_empty() {
            return Err(Error::usage("a header without a URL").for_server(&self.name));
        }
        let ground = Ground {
            kind: SourceKind::CommandLine,
            file: None,
            workspace: working_folder,
            lock_folder,
            environment,
        };
        assemble(raw, &ground).map_err(|error| as_usage(&error))
    }

    fn wrong(&self, error: TemplateError) -> Error {
        Error::usage(error.message)
            .for_server(&visible(&self.name))
            .help(error.help)
    }
}

/// What is wrong on the command line is a usage error.
fn as_usage(error: &Error) -> Error {
    let mut usage = Error::usage(error.message());
    if let Some(server) = &error.place().server {
        usage = usage.for_server(server);
    }
    match error.help_text() {
        Some(help) => usage.help(help),
        None => usage,
    }
}
