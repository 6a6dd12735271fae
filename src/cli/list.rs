//! `mcplock list`: which servers are configured where, and which are pinned. Starts nothing.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::config::{Launch, Standing, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::exit;
use crate::text::visible;

use super::Shell;
use super::args::{AdHocArgs, ListArgs};
use super::workspace::{Need, Subject, Workspace};

/// Runs `mcplock list`.
pub(crate) fn run(shell: &Shell, args: &ListArgs) -> Result<ExitCode> {
    let workspace =
        Workspace::open(shell, &AdHocArgs::default(), Need::Nothing).map_err(|errors| {
            errors
                .into_iter()
                .next()
                .unwrap_or_else(|| Error::usage("the project can't be read"))
        })?;
    let subjects = workspace.subjects(&[])?;
    let text = match args.format.as_str() {
        "human" => human(&workspace, &subjects),
        "json" => {
            let mut text = as_json(&workspace, &subjects).to_string();
            text.push('\n');
            text
        }
        other => {
            return Err(
                Error::usage(format!("`--format {}` is no format", visible(other)))
                    .help("formats: human, json"),
            );
        }
    };
    shell
        .printer
        .product(&text)
        .map_err(|error| Error::usage(format!("could not write the list: {error}")))?;
    for error in &workspace.discovered.errors {
        shell.tell(error);
    }
    if !workspace.discovered.errors.is_empty() {
        return Ok(ExitCode::from(exit::USAGE));
    }
    if !args.check {
        return Ok(ExitCode::from(exit::OK));
    }
    if subjects.is_empty() {
        return Err(Error::usage("no server is configured or pinned here")
            .help("run this in the folder of the client's config, e.g. `.mcp.json`"));
    }
    let apart: Vec<_> = subjects
        .iter()
        .filter(|subject| !agrees(subject))
        .map(Subject::name)
        .collect();
    if apart.is_empty() {
        return Ok(ExitCode::from(exit::OK));
    }
    shell.tell(
        &Error::new(
            ErrorKind::Lockfile,
            format!(
                "configs and lockfile do not agree on `{}`",
                visible(&apart.join("`, `"))
            ),
        )
        .help("run `mcplock pin` to pin what is new or has changed, `mcplock pin --prune` to drop what no config names"),
    );
    Ok(ExitCode::from(exit::DRIFT))
}

/// Where a server stands between configs and lockfile.
fn status(subject: &Subject<'_>) -> &'static str {
    match (subject.spec, subject.entry) {
        (Some(spec), _) if spec.disabled => "disabled",
        (Some(spec), Some(entry)) if !entry.launch.matches(&spec.launch) => "launch changed",
        (Some(_), Some(_)) => "pinned",
        (Some(_), None) => "not pinned",
        (None, _) => "pinned, not configured",
    }
}

/// Whether configs and lockfile say the same of a server.
fn agrees(subject: &Subject<'_>) -> bool {
    matches!(status(subject), "pinned" | "disabled")
}

/// The launch as it may be shown.
fn launch_of(subject: &Subject<'_>) -> Option<Launch> {
    subject
        .spec
        .map(|spec| &spec.launch)
        .or_else(|| subject.entry.map(|entry| &entry.launch))
        .map(Launch::redacted)
}

fn human(workspace: &Workspace, subjects: &[Subject<'_>]) -> String {
    let mut text = String::new();
    if subjects.is_empty() {
        text.push_str("no server is configured or pinned here\n");
    }
    for subject in subjects {
        let _ = writeln!(text, "{}: {}", visible(&subject.address()), status(subject));
        if let Some(launch) = launch_of(subject) {
            let _ = writeln!(text, "  {}", shown(&launch));
        }
        if let Some(spec) = subject.spec {
            let _ = writeln!(text, "  configured in {}", spec.origin);
            if !spec.tools.is_empty() {
                let _ = writeln!(text, "  its client lets agents use {}", spec.tools);
            }
            for note in &spec.notes {
                let _ = writeln!(text, "  note: {note}");
            }
        }
        if let Some(entry) = subject.entry {
            let _ = writeln!(
                text,
                "  {} items pinned, {} line {}",
                entry.items.len(),
                visible(&workspace.lockfile_shown().display().to_string()),
                entry.line
            );
        }
        for other in workspace
            .discovered
            .others
            .iter()
            .filter(|other| (other.name.as_str(), other.profile.as_deref()) == subject.key())
        {
            let _ = writeln!(text, "  {} {}", standing(other.standing), other.origin);
        }
    }
    for file in &workspace.discovered.files {
        let _ = writeln!(
            text,
            "read {} ({} {})",
            visible(&file.file.display().to_string()),
            file.servers,
            if file.servers == 1 {
                "server"
            } else {
                "servers"
            }
        );
    }
    for note in &workspace.discovered.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Same => "the same in",
        Standing::Shadowed => "shadowed in",
        Standing::Disabled => "switched off in",
        Standing::Guard => "guarded in",
    }
}

/// The launch on one line, words with spaces in quotes.
fn shown(launch: &Launch) -> String {
    match &launch.target {
        Target::Command(words) => {
            let words = words.iter().map(|word| {
                if word.is_empty() || word.contains([' ', '"', '\'']) {
                    format!("{:?}", visible(word))
                } else {
                    visible(word)
                }
            });
            words.collect::<Vec<_>>().join(" ")
        }
        Target::Url { url, .. } => visible(url),
    }
}

fn as_json(workspace: &Workspace, subjects: &[Subject<'_>]) -> Value {
    let servers: Vec<Value> = subjects
        .iter()
        .map(|subject| {
            let target = launch_of(subject).map(|launch| match launch.target {
                Target::Command(words) => json!({ "command": words }),
                Target::Url { url, .. } => json!({ "url": url }),
            });
            json!({
                "name": subject.name(),
                "profile": subject.profile(),
                "status": status(subject).replace([' ', ','], "-").replace("--", "-"),
                "launch": target,
                "configured_in": subject.spec.map(|spec| spec.origin.to_string()),
                "items_pinned": subject.entry.map(|entry| entry.items.len()),
            })
        })
        .collect();
    let files: Vec<Value> = workspace
        .discovered
        .files
        .iter()
        .map(|file| json!({ "file": file.file.display().to_string(), "servers": file.servers }))
        .collect();
    json!({ "schema_version": 1, "servers": servers, "files": files })
}
