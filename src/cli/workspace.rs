//! What a command works on: the project, its lockfile, its servers, and those that were asked for.

use std::path::PathBuf;

use crate::config::{
    CommandLineServer, Discovered, Environment, PinnedServer, Project, ServerSpec, Sources,
    discover,
};
use crate::error::{Error, Result};
use crate::lock::{self, Entry, Lockfile};
use crate::rules::Adjustments;

use super::args::{AdHocArgs, GlobalArgs};

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
    only: Option<String>,
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
}

impl Workspace {
    /// Finds the project of the working folder, and reads its lockfile and configs.
    pub(crate) fn open(
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
        let only = command_line.map(|server| server.name);
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

    /// Every server, or those called `names`, sorted by name and profile.
    ///
    /// # Errors
    ///
    /// A name that is neither configured nor pinned.
    pub(crate) fn subjects<'a>(&'a self, names: &[String]) -> Result<Vec<Subject<'a>>> {
        if let (Some(only), false) = (&self.only, names.is_empty()) {
            return Err(Error::usage(format!(
                "`--name {}` gives a server here, so no other can be named",
                crate::text::visible(only)
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
        let from_lockfile = self.lockfile_starts_servers() || !names.is_empty();
        for spec in &self.discovered.only_pinned {
            let entry = self.lockfile.entry(&spec.name, spec.profile.as_deref());
            subjects.push(Subject {
                spec: from_lockfile.then_some(spec),
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
        if let Some(only) = &self.only {
            subjects.retain(|subject| subject.name() == only);
        }
        for name in names {
            if !subjects.iter().any(|subject| subject.name() == name) {
                return Err(self.discovered.unknown(name));
            }
        }
        if !names.is_empty() {
            subjects.retain(|subject| names.iter().any(|name| name == subject.name()));
        }
        subjects.sort_by_key(|subject| {
            let profile = subject.spec.map_or_else(
                || subject.entry.and_then(|entry| entry.profile.clone()),
                |spec| spec.profile.clone(),
            );
            (subject.name().to_owned(), profile)
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

    /// Whether the launches of the lockfile stand in for configs: only where there is none at all,
    /// so that a server dropped from a config is noticed.
    fn lockfile_starts_servers(&self) -> bool {
        self.discovered.files.is_empty() && self.only.is_none()
    }

    /// Remarks of the configs and about them. A waiver for a server that is nowhere matches nothing.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.discovered.notes.clone();
        let (servers, pinned) = (&self.discovered.servers, &self.lockfile.entries);
        let mut told = Vec::new();
        for name in self.adjustments.waived_servers() {
            let known = servers.iter().any(|spec| spec.name.as_str() == name)
                || pinned.iter().any(|entry| entry.name.as_str() == name);
            if !known && !told.contains(&name) {
                told.push(name);
                notes.push(format!(
                    "a waiver is for `{}`, which is neither configured nor pinned",
                    crate::text::visible(name)
                ));
            }
        }
        notes
    }

    /// The errors of configs that concern `subjects`, or no server in particular.
    pub(crate) fn config_errors<'a>(
        &'a self,
        names: &'a [String],
    ) -> impl Iterator<Item = &'a Error> {
        self.discovered
            .errors
            .iter()
            .filter(move |error| match &error.place().server {
                Some(server) => names.is_empty() || names.contains(server),
                None => true,
            })
    }
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
        profile: None,
        command: args.server_command.clone(),
        url: args.url.clone(),
        headers: args.header.clone(),
        env: args.env.clone(),
    })
}
