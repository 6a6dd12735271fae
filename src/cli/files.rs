//! `mcplock diff --from A --to B`: two lockfiles or two saved catalogs, without any server.

use std::path::Path;

use crate::catalog::{Catalog, Instructions, Kind};
use crate::compare::LiveText;
use crate::config::{Policy, ServerName, ServerSettings};
use crate::error::{Error, Result};
use crate::lock::{self, Lockfile, Words};
use crate::report::{Outcome, Report, ServerReport};
use crate::rules::{self, Adjustments};

use super::args::JudgeArgs;
use super::judge::{self, Side, Terms};
use super::verify::{conclude, sort};
use super::{neighbours, saved};

/// One side of the comparison.
enum Operand {
    Lockfile(Lockfile),
    Catalog(Box<Catalog>),
}

/// Compares two files.
pub(crate) fn compare(
    from: &Path,
    to: &Path,
    names: &[String],
    args: &JudgeArgs,
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
    match (operand(from)?, operand(to)?) {
        (Operand::Lockfile(from), Operand::Lockfile(newer)) => {
            report.lockfile = Some(to.to_path_buf());
            lockfiles(&mut report, &from, &newer, names)?;
        }
        (Operand::Catalog(from), Operand::Catalog(newer)) => {
            if !names.is_empty() {
                return Err(Error::usage(
                    "two saved catalogs are of one server: name none",
                ));
            }
            report.servers.push(catalogs(&from, &newer, to)?);
        }
        _ => {
            return Err(Error::usage("one of the two files is a lockfile, the other is not")
                .help("compare two lockfiles, or two saved catalogs; `mcplock verify SERVER --catalog FILE` compares a catalog with what is pinned"));
        }
    }
    sort(&mut report);
    neighbours::compare(&mut report, &[], &terms);
    conclude(&mut report, &terms);
    Ok(report)
}

fn operand(path: &Path) -> Result<Operand> {
    if path.extension().is_some_and(|ext| ext == "toml") {
        lock::load(path).map(Operand::Lockfile)
    } else {
        saved::catalog(path).map(|catalog| Operand::Catalog(Box::new(catalog)))
    }
}

fn lockfiles(report: &mut Report, from: &Lockfile, to: &Lockfile, names: &[String]) -> Result<()> {
    let wanted = |name: &ServerName| names.is_empty() || names.iter().any(|n| n == name.as_str());
    for name in names {
        if !from
            .entries
            .iter()
            .chain(&to.entries)
            .any(|entry| entry.name.as_str() == name)
        {
            return Err(Error::usage(format!(
                "no server called `{}` is in either lockfile",
                crate::text::visible(name)
            )));
        }
    }
    for old in from.entries.iter().filter(|entry| wanted(&entry.name)) {
        let server = match to.entry(&old.name, old.profile.as_deref()) {
            None => judge::report_on(Some(old), old.name.as_str(), Outcome::NotConfigured),
            Some(new) => {
                let (mut findings, items) = judge::drift(old, &new.into());
                rules::sort(&mut findings);
                let mut server = judge::report_on(Some(new), new.name.as_str(), Outcome::Judged);
                server.findings = findings;
                server.items = items;
                server.tools = Some(new.tools().map(str::to_owned).collect());
                server
            }
        };
        report.servers.push(server);
    }
    for new in to.entries.iter().filter(|entry| wanted(&entry.name)) {
        if from.entry(&new.name, new.profile.as_deref()).is_none() {
            let mut server = judge::report_on(Some(new), new.name.as_str(), Outcome::NotPinned);
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
    let title = path
        .file_stem()
        .map_or_else(|| "catalog".into(), |stem| stem.to_string_lossy());
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
    let mut report = judge::report_on(None, &title, Outcome::Judged);
    let (drift, items) = judge::drift(&entry, &live);
    let settings = ServerSettings::default();
    report.findings = judge::fitness(&entry.name, to, &settings, None)?;
    report.findings.extend(drift);
    rules::sort(&mut report.findings);
    report.items = items;
    report.tools = Some(new.tools(None));
    report.unknown = judge::unknown_kinds(&unknown);
    report.notes = new.notes;
    Ok(report)
}
