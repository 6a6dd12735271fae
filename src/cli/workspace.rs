//! What a command works on: the project, its lockfile, its servers, and those that were asked for.

use std::path::PathBuf;

use crate::config::{
    CommandLineServer, Discovered, Environment, PinnedServer, Project, ServerSpec, SourceKind,
    Sources, discover,
};
use crate::error::{Error, Result};
use crate::lock::{self, Entry, Lockfile};
use crate::rules::Adjustments;

use super::Shell;
use super::args::{AdHocArgs, GlobalArgs};
use crate::text::{address, names, visible};

/// A project with its lockfile and servers.
pub(crate) struct Workspace {
    /// Its folders and files.
    pub(crate) project: Project,
    /// The lockfile; empty when there is none and the command can make one.
    pub(crate) lockfile: Lockfile,
    /// What the configs say.
    pub(crate) discovered: Discovered,
    /// What the policy file says of levels and waivers.
    pub(crate) adjustments: Adjustments,
    /// A server was given on the command line: it alone is meant.
    only: Option<(String, Option<String>)>,
}

/// Whether a command can go on without a lockfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// It compares with one.
    Lockfile,
    /// It makes one, or needs none.
    Nothing,
}

/// One server that a command is about: configured, pinned, or both.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// How it is started or reached; none when no config names it.
    pub(crate) spec: Option<&'a ServerSpec>,
    /// Its pin.
    pub(crate) entry: Option<&'a Entry>,
}

impl Subject<'_> {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match (self.spec, self.entry) {
            (Some(spec), _) => spec.name.as_str(),
            (None, Some(entry)) => entry.name.as_str(),
            (None, None) => "",
        }
    }

    /// Its profile.
    pub(crate) fn profile(&self) -> Option<&str> {
        match (self.spec, self.entry) {
            (Some(spec), _) => spec.profile.as_deref(),
            (None, entry) => entry.and_then(|entry| entry.profile.as_deref()),
        }
    }

    /// Name and profile, as a report has them.
    pub(crate) fn key(&self) -> (&str, Option<&str>) {
        (self.name(), self.profile())
    }

    /// What it is called where a person names it.
    pub(crate) fn address(&self) -> String {
        address(self.name(), self.profile())
    }

    /// Whether no config names it: it is started as the lockfile says, or not at all.
    pub(crate) fn is_stale(&self) -> bool {
        self.spec
            .is_none_or(|spec| spec.origin.kind == SourceKind::Lockfile)
    }

    /// Whether `text` names it.
    fn is_named(&self, text: &str) -> bool {
        names(text, self.name(), self.profile())
    }
}

impl Workspace {
    /// Finds the project of the working folder, and reads its lockfile and configs. What a person
    /// should know of the policy before anything is judged is told on standard error.
    pub(crate) fn open(shell: &Shell, ad_hoc: &AdHocArgs, need: Need) -> Result<Self, Vec<Error>> {
        let mut workspace = Self::read(&shell.global, ad_hoc, &shell.environment, need)?;
        for stray in workspace.discovered.stray_settings() {
            shell.printer.hint(&format!("warning: {stray}"));
            workspace.discovered.notes.push(stray);
        }
        Ok(workspace)
    }

    /// The same, and nothing is told.
    pub(crate) fn read(
        global: &GlobalArgs,
        ad_hoc: &AdHocArgs,
        environment: &Environment,
        need: Need,
    ) -> Result<Self, Vec<Error>> {
        let here = std::env::current_dir().map_err(|error| {
            vec![Error::usage(format!(
                "could not tell the working folder: {error}"
            ))]
        })?;
        let project = Project::find(&here, global.lockfile.as_deref());
        let path = &project.lockfile;
        let lockfile = match lock::load(path) {
            Err(_) if need == Need::Nothing && !path.exists() => Lockfile::default(),
            other => other.map_err(|error| vec![error.in_file(&project.shown(path))])?,
        };
        let pinned: Vec<PinnedServer> = lockfile.entries.iter().map(pinned_server).collect();
        let command_line = command_line(ad_hoc);
        let discovered = discover(&Sources {
            project: &project,
            policy: global.policy.as_deref(),
            client_configs: &global.client_config,
            clients: &global.client,
            command_line: command_line.as_ref(),
            pinned: &pinned,
            environment,
        })?;
        let adjustments = Adjustments::read(&discovered.policy)?;
        let only = command_line.map(|server| (server.name, server.profile));
        Ok(Workspace {
            project,
            lockfile,
            discovered,
            adjustments,
            only,
        })
    }

    /// The lockfile as the user would write it.
    pub(crate) fn lockfile_shown(&self) -> PathBuf {
        self.project.shown(&self.project.lockfile)
    }

    /// Every server, or those that `asked` names, sorted by name and profile.
    ///
    /// # Errors
    ///
    /// A text that names no server, configured or pinned, or two of different names.
    pub(crate) fn subjects<'a>(&'a self, asked: &[String]) -> Result<Vec<Subject<'a>>> {
        if let (Some((only, _)), false) = (&self.only, asked.is_empty()) {
            return Err(Error::usage(format!(
                "`--name {}` gives a server here, so no other can be named",
                visible(only)
            )));
        }
        let mut subjects: Vec<Subject<'a>> = Vec::new();
        for spec in &self.discovered.servers {
            let entry = self.lockfile.entry(&spec.name, spec.profile.as_deref());
            subjects.push(Subject {
                spec: Some(spec),
                entry,
            });
        }
        for spec in &self.discovered.only_pinned {
            let entry = self.lockfile.entry(&spec.name, spec.profile.as_deref());
            let starts = self.lockfile_starts_servers() || self.is_meant(spec, asked);
            subjects.push(Subject {
                spec: starts.then_some(spec),
                entry,
            });
        }
        for entry in &self.lockfile.entries {
            let known = |subject: &Subject<'_>| {
                subject
                    .entry
                    .is_some_and(|other| other.identity() == entry.identity())
            };
            if !subjects.iter().any(known) {
                subjects.push(Subject {
                    spec: None,
                    entry: Some(entry),
                });
            }
        }
        if let Some((name, profile)) = &self.only {
            subjects.retain(|subject| {
                (subject.name(), subject.profile()) == (name.as_str(), profile.as_deref())
            });
        }
        for text in asked {
            let mut meant = subjects.iter().filter(|subject| subject.is_named(text));
            let Some(first) = meant.next() else {
                return Err(self.discovered.unknown(text));
            };
            if let Some(other) = meant.find(|other| other.name() != first.name()) {
                return Err(ambiguous(text, first, other));
            }
        }
        if !asked.is_empty() {
            subjects.retain(|subject| asked.iter().any(|text| subject.is_named(text)));
        }
        subjects.sort_by_key(|subject| {
            (
                subject.name().to_owned(),
                subject.profile().map(str::to_owned),
            )
        });
        Ok(subjects)
    }

    /// The pins of servers that are configured and switched on, or that the lockfile starts.
    pub(crate) fn configured_entries(&self) -> impl Iterator<Item = &Entry> {
        let starts = self.lockfile_starts_servers();
        self.lockfile.entries.iter().filter(move |entry| {
            starts
                || self.discovered.servers.iter().any(|spec| {
                    !spec.disabled && (&spec.name, spec.profile.as_deref()) == entry.identity()
                })
        })
    }

    /// Those called `names`, and none where no name is given.
    pub(crate) fn subjects_or_none<'a>(&'a self, names: &[String]) -> Result<Vec<Subject<'a>>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        self.subjects(names)
    }

    /// Whether a server that only the lockfile names was asked for: by its address, or by a name
    /// that no config has.
    fn is_meant(&self, spec: &ServerSpec, asked: &[String]) -> bool {
        let address = spec.address();
        let has_name = self
            .discovered
            .servers
            .iter()
            .any(|other| other.name == spec.name);
        asked.iter().any(|text| {
            *text == address
                || (!has_name && names(text, spec.name.as_str(), spec.profile.as_deref()))
        })
    }

    /// Whether the launches of the lockfile stand in for configs: only where there is none at all,
    /// so that a server dropped from a config is noticed.
    fn lockfile_starts_servers(&self) -> bool {
        self.discovered.files.is_empty() && self.only.is_none()
    }

    /// The errors of configs that concern the servers that `asked` names, or no server in
    /// particular.
    pub(crate) fn config_errors<'a>(
        &'a self,
        asked: &'a [String],
    ) -> impl Iterator<Item = &'a Error> {
        self.discovered.errors.iter().filter(move |error| {
            let place = error.place();
            place.server.as_ref().is_none_or(|server| {
                asked.is_empty()
                    || asked
                        .iter()
                        .any(|text| names(text, server, place.profile.as_deref()))
            })
        })
    }
}

fn ambiguous(text: &str, first: &Subject<'_>, other: &Subject<'_>) -> Error {
    let called = |subject: &Subject<'_>| match subject.profile() {
        Some(profile) => format!(
            "the profile `{}` of `{}`",
            visible(profile),
            visible(subject.name())
        ),
        None => format!("the server `{}`", visible(subject.name())),
    };
    Error::usage(format!(
        "`{}` names {} and {}",
        visible(text),
        called(first),
        called(other)
    ))
    .help("give one of the two another name or profile")
}

fn pinned_server(entry: &Entry) -> PinnedServer {
    PinnedServer {
        name: entry.name.clone(),
        profile: entry.profile.clone(),
        launch: entry.launch.clone(),
        line: (entry.line > 0).then_some(entry.line),
    }
}

fn command_line(args: &AdHocArgs) -> Option<CommandLineServer> {
    Some(CommandLineServer {
        name: args.name.clone()?,
        profile: args.profile.clone(),
        command: args.server_command.clone(),
        url: args.url.clone(),
        headers: args.header.clone(),
        env: args.env.clone(),
    })
}
