//! Which servers this project has: every config is read, and what they say is made one.
//!
//! Reads config files; starts nothing. What is wrong with one file or entry is told beside what the
//! others say, except for `mcplock.toml`: under a policy that can't be read nothing is judged.

use std::path::{Path, PathBuf};

use super::assemble::{Ground, RawServer, assemble};
use super::clients::{self, Client, Format, Found, format};
use super::command_line::CommandLineServer;
use super::document::{self, Node, Syntax};
use super::env::Environment;
use super::guard_entry::{Given, Guarded, guarded};
use super::merge::{self, Candidate, Rank};
use super::pinned::{LockPlace, PinnedServer};
use super::policy::Policy;
use super::project::Project;
use super::spec::{Origin, ServerName, ServerSpec, SourceKind, Word};
use super::template::Template;
use crate::error::{Error, Result};
use crate::text::{names, nearest, visible};

/// Where to look.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The project.
    pub project: &'a Project,
    /// `--policy FILE`
    pub policy: Option<&'a Path>,
    /// Each `--client-config FILE`.
    pub client_configs: &'a [PathBuf],
    /// Each `--client NAME`: its user-level files.
    pub clients: &'a [Client],
    /// `--name N …`
    pub command_line: Option<&'a CommandLineServer>,
    /// What the lockfile pins, for entries that stand for a pinned server.
    pub pinned: &'a [PinnedServer],
    /// The environment.
    pub environment: &'a Environment,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Every server once, sorted by name and profile; those that are switched off too.
    pub servers: Vec<ServerSpec>,
    /// Pinned servers that no config names, started as the lockfile says; sorted.
    pub only_pinned: Vec<ServerSpec>,
    /// The policy.
    pub policy: Policy,
    /// The files that were read, in the order in which they were.
    pub files: Vec<FoundFile>,
    /// Further places that name a server.
    pub others: Vec<OtherPlace>,
    /// Remarks that never affect the exit code, fit to be shown.
    pub notes: Vec<String>,
    /// What is wrong: in a file as a whole, or in one entry (then with the server's name).
    pub errors: Vec<Error>,
}

/// A config file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// The file, as the user would write it.
    pub file: PathBuf,
    /// Which kind of source it is.
    pub kind: SourceKind,
    /// How many servers it names.
    pub servers: usize,
}

/// A further place that names a server which another place decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherPlace {
    /// The server.
    pub name: ServerName,
    /// Its profile.
    pub profile: Option<String>,
    /// The place.
    pub origin: Origin,
    /// What it is beside the deciding one.
    pub standing: Standing,
}

/// What a further place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It says the same.
    Same,
    /// It says something else, and the other place goes before it.
    Shadowed,
    /// It is switched off there.
    Disabled,
    /// It stands for the guarded server.
    Guard,
}

struct Guard {
    name: String,
    origin: Origin,
}

impl Discovered {
    /// The server called `name`.
    pub fn get(&self, name: &str, profile: Option<&str>) -> Option<&ServerSpec> {
        self.servers
            .iter()
            .find(|spec| spec.name.as_str() == name && spec.profile.as_deref() == profile)
    }

    /// Every server as a person names it, in order; those that could not be read too.
    pub fn known(&self) -> Vec<String> {
        let specs = self.servers.iter().chain(&self.only_pinned);
        let broken = self
            .errors
            .iter()
            .filter_map(|error| error.place().address());
        let mut known: Vec<String> = specs.map(ServerSpec::address).chain(broken).collect();
        known.sort();
        known.dedup();
        known
    }

    /// A usage error for a server that was asked for and is neither configured nor pinned.
    pub fn unknown(&self, name: &str) -> Error {
        let known = self.known();
        let error = Error::usage(format!("no server is called `{}`", visible(name)));
        match nearest(name, known.iter().map(String::as_str)) {
            Some(meant) => error.help(format!("did you mean `{}`?", visible(meant))),
            None if known.is_empty() => error.help("no config names a server: see `mcplock list`"),
            None => {
                let known: Vec<String> = known.iter().map(|name| visible(name)).collect();
                error.help(format!("known are {}", known.join(", ")))
            }
        }
    }
}

/// Finds the servers. An error only for what makes every judgement worthless: a policy that can't
/// be read, or a command line that is wrong.
pub fn discover(sources: &Sources<'_>) -> Result<Discovered, Vec<Error>> {
    let mut search = Search {
        sources,
        out: Discovered::default(),
        candidates: Vec::new(),
        guards: Vec::new(),
    };
    if let Some(server) = sources.command_line {
        let project = sources.project;
        let spec = server
            .spec(&project.folder, project.lock_folder(), sources.environment)
            .map_err(|error| vec![error])?;
        search.candidates.push(Candidate {
            spec,
            rank: Rank::CommandLine,
        });
    }
    search.policy()?;
    search.project_files();
    search.named_files();
    search.user_files();
    merge::merge(search.candidates.drain(..), &mut search.out);
    search.guards();
    search.only_pinned();
    Ok(search.out)
}

struct Search<'a> {
    sources: &'a Sources<'a>,
    out: Discovered,
    candidates: Vec<Candidate>,
    guards: Vec<Guard>,
}

impl<'a> Search<'a> {
    fn policy(&mut self) -> Result<(), Vec<Error>> {
        let project = self.sources.project;
        let file = match self.sources.policy {
            Some(named) => project.working_folder.join(named),
            None => match project.policy() {
                Some(file) => file,
                None => return Ok(()),
            },
        };
        let shown = project.shown(&file);
        let read = || -> Result<Node> {
            let text = document::read_text(&file).map_err(|error| error.in_file(&shown))?;
            document::parse(&text, Syntax::Toml, &shown)
        };
        let root = read().map_err(|error| vec![error])?;
        let ground = Ground {
            kind: SourceKind::Policy,
            file: Some(&shown),
            workspace: file.parent().unwrap_or(&project.folder),
            lock_folder: project.lock_folder(),
            environment: self.sources.environment,
        };
        let mut policy = Policy::read(&root, &ground, &shown)?;
        self.out.files.push(FoundFile {
            file: shown,
            kind: SourceKind::Policy,
            servers: policy.servers.len(),
        });
        for spec in std::mem::take(&mut policy.servers) {
            self.candidates.push(Candidate {
                spec,
                rank: Rank::Policy,
            });
        }
        self.out.policy = policy;
        Ok(())
    }

    fn project_files(&mut self) {
        let folder = self.sources.project.folder.clone();
        for client in Client::ALL {
            for file in format(client).project {
                let path = folder.join(file);
                if is_there(&path) {
                    self.file(&path, Some(client), &folder, Rank::Project);
                }
            }
        }
    }

    fn named_files(&mut self) {
        let project = self.sources.project;
        for named in self.sources.client_configs {
            let path = super::paths::normal(&project.working_folder.join(named));
            let client = clients::recognise(&path, None);
            let is_of_user = client.is_some_and(|client| {
                format(client)
                    .user
                    .iter()
                    .any(|user| user.path(self.sources.environment).as_deref() == Some(&path))
            });
            let workspace = if is_of_user {
                project.folder.clone()
            } else {
                workspace_of(&path, client)
            };
            if self
                .out
                .files
                .iter()
                .any(|found| found.file == project.shown(&path))
            {
                continue;
            }
            self.file(&path, client, &workspace, Rank::Project);
        }
    }

    fn user_files(&mut self) {
        let folder = self.sources.project.folder.clone();
        for &client in self.sources.clients {
            let paths: Vec<PathBuf> = format(client)
                .user
                .iter()
                .filter_map(|user| user.path(self.sources.environment))
                .collect();
            let there: Vec<&PathBuf> = paths.iter().filter(|path| is_there(path)).collect();
            if there.is_empty() {
                let looked: Vec<String> = paths
                    .iter()
                    .map(|path| format!("`{}`", visible(&path.display().to_string())))
                    .collect();
                let error = Error::usage(format!(
                    "no user-level config of {} is there",
                    client.title()
                ));
                self.out.errors.push(if looked.is_empty() {
                    error.help(
                        "it keeps none in a known place: name the file with `--client-config`",
                    )
                } else {
                    error.help(format!(
                        "looked for {}: name another file with `--client-config`",
                        looked.join(", ")
                    ))
                });
            }
            for path in there {
                self.file(path, Some(client), &folder, Rank::User);
            }
        }
    }

    /// Reads one client's file.
    fn file(&mut self, path: &Path, client: Option<Client>, workspace: &Path, rank: Rank) {
        let shown = self.sources.project.shown(path);
        match read_client_file(path, &shown, client, workspace) {
            Ok((format, found)) => {
                self.out.files.push(FoundFile {
                    file: shown.clone(),
                    kind: SourceKind::Client(format.client),
                    servers: found.servers.len() + found.errors.len(),
                });
                let place = visible(&shown.display().to_string());
                self.out.notes.extend(
                    found
                        .notes
                        .into_iter()
                        .map(|note| format!("{place}: {note}")),
                );
                self.out.errors.extend(found.errors);
                let ground = Ground {
                    kind: SourceKind::Client(format.client),
                    file: Some(&shown),
                    workspace,
                    lock_folder: self.sources.project.lock_folder(),
                    environment: self.sources.environment,
                };
                for raw in found.servers {
                    self.entry(raw, &ground, rank);
                }
            }
            Err(error) => self.out.errors.push(error),
        }
    }

    fn entry(&mut self, raw: RawServer, ground: &Ground<'_>, rank: Rank) {
        let guard = raw.command.as_deref().and_then(guarded);
        if let Some(Guarded::Pinned(name)) = guard {
            self.guards.push(Guard {
                name,
                origin: Origin {
                    kind: ground.kind,
                    file: ground.file.map(Path::to_path_buf),
                    line: raw.spot.map(|spot| spot.line),
                },
            });
            return;
        }
        let raw = match guard {
            Some(Guarded::Given(given)) => behind(raw, &given),
            _ => raw,
        };
        match assemble(raw, ground) {
            Ok(spec) => self.candidates.push(Candidate { spec, rank }),
            Err(error) => self.out.errors.push(error),
        }
    }

    /// Entries that run the guard stand for the server that it guards.
    fn guards(&mut self) {
        for guard in std::mem::take(&mut self.guards) {
            let place = |error: Error| {
                let error = match error.place().server {
                    Some(_) => error,
                    None => error.for_server(&guard.name),
                };
                match (&guard.origin.file, guard.origin.line) {
                    (Some(file), Some(line)) => error.in_file(file).at_line(line, None),
                    _ => error,
                }
            };
            let name = match ServerName::new(&guard.name) {
                Ok(name) => name,
                Err(message) => {
                    self.out.errors.push(place(Error::config(message)));
                    continue;
                }
            };
            let has_error = self.out.errors.iter().any(|error| {
                let place = error.place();
                place
                    .server
                    .as_ref()
                    .is_some_and(|server| names(&guard.name, server, place.profile.as_deref()))
            });
            let configured = self
                .out
                .servers
                .iter()
                .find(|spec| names(&guard.name, spec.name.as_str(), spec.profile.as_deref()));
            if configured.is_some() || has_error {
                let (name, profile) = match configured {
                    Some(spec) if spec.address() == guard.name => {
                        (spec.name.clone(), spec.profile.clone())
                    }
                    _ => (name, None),
                };
                self.out.others.push(OtherPlace {
                    name,
                    profile,
                    origin: guard.origin,
                    standing: Standing::Guard,
                });
                continue;
            }
            let pinned: Vec<&PinnedServer> = self
                .sources
                .pinned
                .iter()
                .filter(|pinned| pinned.is_named(&guard.name))
                .collect();
            if pinned.is_empty() {
                self.out.errors.push(place(
                    Error::config(format!(
                        "the entry runs `mcplock guard {0}`, but the lockfile pins no server `{0}`",
                        visible(name.as_str())
                    ))
                    .help(format!(
                        "pin it once with its own command: `mcplock pin --name {} -- COMMAND`",
                        visible(name.as_str())
                    )),
                ));
            }
            for server in pinned {
                match server.spec(self.lock_place().as_place(), self.sources.environment) {
                    Ok(mut spec) => {
                        spec.origin = guard.origin.clone();
                        self.out.servers.push(spec);
                    }
                    Err(error) => self.out.errors.push(error),
                }
            }
        }
        self.out
            .servers
            .sort_by(|a, b| (&a.name, &a.profile).cmp(&(&b.name, &b.profile)));
    }

    fn only_pinned(&mut self) {
        let place = self.lock_place();
        for server in self.sources.pinned {
            let is_configured = self
                .out
                .servers
                .iter()
                .any(|spec| spec.name == server.name && spec.profile == server.profile);
            if is_configured {
                continue;
            }
            match server.spec(place.as_place(), self.sources.environment) {
                Ok(spec) => self.out.only_pinned.push(spec),
                Err(error) => self.out.errors.push(error),
            }
        }
        self.out
            .only_pinned
            .sort_by(|a, b| (&a.name, &a.profile).cmp(&(&b.name, &b.profile)));
    }

    fn lock_place(&self) -> OwnedLockPlace<'a> {
        let project = self.sources.project;
        OwnedLockPlace {
            file: project.shown(&project.lockfile),
            folder: project.lock_folder(),
        }
    }
}

/// The server that an entry gives to the guard, as if the entry named it itself. What the entry sets
/// beside it is for the guard: it gives its server no more than its own flags say.
fn behind(raw: RawServer, given: &Given) -> RawServer {
    let words = raw.command.unwrap_or_default();
    let split = |at: &usize, by: char| {
        let word = words.get(*at)?;
        let text = word.template.as_literal()?;
        let (name, value) = text.split_once(by)?;
        let value = Word {
            template: Template::literal(value.trim()),
            line: word.line,
        };
        Some((name.trim().to_owned(), value))
    };
    let variable = |at: &usize| {
        let name = words.get(*at)?.template.as_literal()?;
        Some((
            name.to_owned(),
            Word {
                template: Template::variable(name),
                line: words.get(*at)?.line,
            },
        ))
    };
    let env = given.env.iter();
    RawServer {
        name: given.name.clone(),
        profile: given.profile.clone(),
        spot: raw.spot,
        url: given.url.and_then(|at| words.get(at).cloned()),
        headers: given
            .headers
            .iter()
            .filter_map(|at| split(at, ':'))
            .collect(),
        env: env
            .filter_map(|at| split(at, '=').or_else(|| variable(at)))
            .collect(),
        command: given
            .command
            .and_then(|at| words.get(at..))
            .map(<[Word]>::to_vec),
        disabled: raw.disabled,
        tools: raw.tools,
        notes: raw.notes,
        ..RawServer::default()
    }
}

struct OwnedLockPlace<'a> {
    file: PathBuf,
    folder: &'a Path,
}

impl OwnedLockPlace<'_> {
    fn as_place(&self) -> LockPlace<'_> {
        LockPlace {
            file: &self.file,
            folder: self.folder,
        }
    }
}

/// Reads and parses one client's file.
fn read_client_file(
    path: &Path,
    shown: &Path,
    client: Option<Client>,
    workspace: &Path,
) -> Result<(&'static Format, Found)> {
    let text = document::read_text(path).map_err(|error| error.in_file(shown))?;
    let is_toml = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    if let Some(client) = client {
        let format = format(client);
        let root = document::parse(&text, format.syntax, shown)?;
        return Ok((format, clients::read(format, &root, shown, workspace)?));
    }
    let syntax = if is_toml {
        Syntax::Toml
    } else {
        Syntax::JsonWithComments
    };
    let root = document::parse(&text, syntax, shown)?;
    match clients::recognise(path, Some(&root)) {
        Some(client) => {
            let format = format(client);
            Ok((format, clients::read(format, &root, shown, workspace)?))
        }
        None => Err(Error::config("no client's config: it has none of `mcpServers`, `servers`, `context_servers`, `mcp_servers`, `mcp`")
            .in_file(shown)),
    }
}

/// The folder that a config's client would call its workspace: the one that the project file's path
/// is relative to, else the folder of the file.
fn workspace_of(path: &Path, client: Option<Client>) -> PathBuf {
    let project = client.map_or(&[][..], |client| format(client).project);
    let depth = project
        .iter()
        .filter(|file| path.ends_with(file))
        .map(|file| Path::new(file).components().count())
        .max()
        .unwrap_or(1);
    path.ancestors().nth(depth).unwrap_or(path).to_path_buf()
}

/// Whether something of that name is there, be it readable or not: what is there and can't be read
/// is an error, never an absent config.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
