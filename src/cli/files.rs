//! `mcplock diff --from A --to B`: two lockfiles, of two git revisions perhaps, or two saved
//! catalogs, without any server.

use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, Instructions, Kind};
use crate::compare::LiveText;
use crate::config::{Policy, Project, ServerSettings};
use crate::error::{Error, Result};
use crate::lock::{self, Entry, Lockfile, Words};
use crate::report::{Outcome, Report, ServerReport};
use crate::rules::{self, Adjustments};
use crate::text::names;

use super::args::JudgeArgs;
use super::judge::{self, Side, Terms};
use super::verify::{conclude, key, sort};
use super::{neighbours, saved};

/// One side of the comparison.
enum Operand {
    Lockfile(Lockfile),
    Catalog(Box<Catalog>),
}

/// What the user named.
struct Named {
    operand: Operand,
    /// The file that places of findings stand in, as the user would write it.
    file: PathBuf,
}

/// Compares what `--from` and `--to` name; without `--to` the project's lockfile is the newer side.
pub(crate) fn compare(
    from: &str,
    to: Option<&str>,
    names: &[String],
    args: &JudgeArgs,
    lockfile: Option<&Path>,
) -> Result<Report> {
    let policy = Policy::default();
    let terms = Terms {
        policy: &policy,
        adjustments: &Adjustments::default(),
        fail_on: judge::fail_on(args.fail_on.as_deref(), &policy)?,
        strict: args.strict,
    };
    let mut report = Report::new("diff");
    report.fail_on = terms.fail_on;
    report.accept = false;
    let from = named(from, lockfile)?;
    let to = match to {
        Some(to) => named(to, lockfile)?,
        None => pinned_now(lockfile)?,
    };
    match (from.operand, to.operand) {
        (Operand::Lockfile(older), Operand::Lockfile(newer)) => {
            report.lockfile = Some(to.file);
            lockfiles(&mut report, &older, &newer, names)?;
        }
        (Operand::Catalog(older), Operand::Catalog(newer)) => {
            if !names.is_empty() {
                return Err(Error::usage(
                    "two saved catalogs are of one server: name none",
                ));
            }
            report.servers.push(catalogs(&older, &newer, &to.file)?);
        }
        _ => {
            return Err(Error::usage("one of the two sides is a lockfile, the other is not")
                .help("compare two lockfiles, or two saved catalogs; `mcplock verify SERVER --catalog FILE` compares a catalog with what is pinned"));
        }
    }
    sort(&mut report);
    neighbours::compare(&mut report, &[], &terms);
    conclude(&mut report, &terms);
    Ok(report)
}

/// `git:REVISION`, or a file or folder.
fn named(text: &str, lockfile: Option<&Path>) -> Result<Named> {
    if let Some(revision) = text.strip_prefix("git:") {
        let project = project(lockfile)?;
        let file = project.shown(&project.lockfile);
        return Ok(Named {
            operand: Operand::Lockfile(lock::load_revision(&file, revision)?),
            file,
        });
    }
    let path = Path::new(text);
    let operand = if is_catalog(path)? {
        Operand::Catalog(Box::new(saved::catalog(path)?))
    } else {
        Operand::Lockfile(lock::load(path)?)
    };
    Ok(Named {
        operand,
        file: path.to_path_buf(),
    })
}

fn pinned_now(lockfile: Option<&Path>) -> Result<Named> {
    let project = project(lockfile)?;
    let file = project.shown(&project.lockfile);
    Ok(Named {
        operand: Operand::Lockfile(lock::load(&file)?),
        file,
    })
}

fn project(lockfile: Option<&Path>) -> Result<Project> {
    let here = std::env::current_dir()
        .map_err(|error| Error::usage(format!("could not tell the working folder: {error}")))?;
    Ok(Project::find(&here, lockfile))
}

/// Whether a file is JSON or a folder, so that it can be no lockfile: told by what it holds, since
/// any name may be given to either.
fn is_catalog(path: &Path) -> Result<bool> {
    if path.is_dir() {
        return Ok(true);
    }
    let bytes = saved::read(path)?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut tokens = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    Ok(match (tokens.next(), tokens.next()) {
        (Some(b'{'), _) | (Some(b'['), Some(b'{' | b']')) => true,
        // An empty file is told about as what its name says.
        (None, _) => path
            .extension()
            .is_some_and(|extension| extension == "json" || extension == "jsonl"),
        _ => false,
    })
}

fn lockfiles(report: &mut Report, from: &Lockfile, to: &Lockfile, asked: &[String]) -> Result<()> {
    let wanted = |entry: &Entry| {
        let (name, profile) = entry.identity();
        asked.is_empty() || asked.iter().any(|text| names(text, name.as_str(), profile))
    };
    for text in asked {
        let is_named = |entry: &Entry| {
            let (name, profile) = entry.identity();
            names(text, name.as_str(), profile)
        };
        if !from.entries.iter().chain(&to.entries).any(is_named) {
            return Err(Error::usage(format!(
                "no server called `{}` is in either lockfile",
                crate::text::visible(text)
            )));
        }
    }
    for old in from.entries.iter().filter(|entry| wanted(entry)) {
        let server = match to.entry(&old.name, old.profile.as_deref()) {
            None => judge::report_on(Some(old), key(old), Outcome::NotConfigured),
            Some(new) => {
                let (mut findings, items) = judge::drift(old, &new.into());
                rules::sort(&mut findings);
                let mut server = judge::report_on(Some(new), key(new), Outcome::Judged);
                server.findings = findings;
                server.items = items;
                server.tools = Some(new.tools().map(str::to_owned).collect());
                server
            }
        };
        report.servers.push(server);
    }
    for new in to.entries.iter().filter(|entry| wanted(entry)) {
        if from.entry(&new.name, new.profile.as_deref()).is_none() {
            let mut server = judge::report_on(Some(new), key(new), Outcome::NotPinned);
            server.tools = Some(new.tools().map(str::to_owned).collect());
            report.servers.push(server);
        }
    }
    Ok(())
}

/// Compares two saved catalogs: the older one is treated as if it were pinned. What either side
/// does not say is not judged.
fn catalogs(from: &Catalog, to: &Catalog, path: &Path) -> Result<ServerReport> {
    let words = Words::default();
    let (old, new) = (Side::of(from, &words), Side::of(to, &words));
    // A folder may be called `2.1.3`, and has no ending.
    let name = if path.is_dir() {
        path.file_name()
    } else {
        path.file_stem()
    };
    let title = name.map_or_else(|| "catalog".into(), |name| name.to_string_lossy());
    let title = crate::text::visible(&title);
    let mut unknown: Vec<Kind> = from.unknown.iter().chain(&to.unknown).copied().collect();
    unknown.sort();
    unknown.dedup();
    let entry = old.as_entry(&title, from)?;
    let mut live = new.live(to, None);
    live.unknown = &unknown;
    live.protocol = None;
    live.capabilities = None;
    if from.instructions == Instructions::Unknown {
        live.instructions = LiveText::Unknown;
    }
    let mut report = judge::report_on(None, (&title, None), Outcome::Judged);
    let (drift, items) = judge::drift(&entry, &live);
    let settings = ServerSettings::default();
    report.findings = judge::fitness(entry.identity(), to, &settings, None)?;
    report.findings.extend(drift);
    rules::sort(&mut report.findings);
    report.items = items;
    report.tools = Some(new.tools(None));
    report.unknown = judge::unknown_kinds(&unknown);
    report.notes = new.notes;
    Ok(report)
}
