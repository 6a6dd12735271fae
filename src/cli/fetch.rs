//! `mcplock fetch`: a server's catalog saved to a file, item by item as it was sent.

use std::fs;
use std::process::ExitCode;

use crate::catalog::write_saved;
use crate::error::{Error, Result};

use super::Shell;
use super::args::FetchArgs;
use super::live::{Request, fetch_all};
use super::workspace::{Need, Workspace};

/// Runs `mcplock fetch`.
pub(crate) async fn run(shell: &Shell, args: &FetchArgs) -> Result<ExitCode> {
    let first = |errors: Vec<Error>| {
        errors
            .into_iter()
            .next()
            .unwrap_or_else(|| Error::usage("the project can't be read"))
    };
    let workspace = Workspace::open(
        &shell.global,
        &args.ad_hoc,
        &shell.environment,
        Need::Nothing,
    )
    .map_err(first)?;
    let names: Vec<String> = args.server.iter().cloned().collect();
    if let Some(error) = workspace.config_errors(&names).next() {
        return Err(error.clone());
    }
    let subjects = workspace.subjects(&names)?;
    let [subject] = subjects.as_slice() else {
        return Err(Error::usage("that name has several profiles"));
    };
    let Some(spec) = subject.spec else {
        return Err(Error::usage("no config names this server").for_server(subject.name()));
    };
    let request = Request {
        spec,
        pinned: subject.entry.map(|entry| entry.protocol),
    };
    let policy = &workspace.discovered.policy;
    let (results, leaving) = fetch_all(
        &[request],
        &shell.environment,
        &args.limits,
        policy,
        &shell.printer,
    )
    .await?;
    let written = match results.into_iter().next() {
        Some(Ok(live)) => {
            for remark in &live.fetched.remarks {
                shell.printer.hint(&format!("note: {remark}"));
            }
            write(shell, args, &write_saved(&live.fetched))
        }
        Some(Err(error)) => Err(error),
        None => Err(Error::server("its result was lost").for_server(spec.name.as_str())),
    };
    leaving.finished().await;
    written.map(|()| ExitCode::SUCCESS)
}

fn write(shell: &Shell, args: &FetchArgs, text: &str) -> Result<()> {
    match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            fs::write(path, text).map_err(|error| Error::io(path, "write the catalog", &error))?;
            shell.printer.hint(&format!(
                "saved to {}",
                crate::text::visible(&path.display().to_string())
            ));
            Ok(())
        }
        _ => shell
            .printer
            .product(text)
            .map_err(|error| Error::usage(format!("could not write the catalog: {error}"))),
    }
}
