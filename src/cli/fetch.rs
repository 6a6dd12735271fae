//! `mcplock fetch`: a server's catalog saved to a file, item by item as it was sent.

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use crate::catalog::write_saved;
use crate::config::Redactor;
use crate::error::{Error, Result};

use super::Shell;
use super::args::FetchArgs;
use super::live::{Request, fetch_all};
use super::output::not_an_input;
use super::workspace::{Need, Workspace};

/// Runs `mcplock fetch`.
pub(crate) async fn run(shell: &Shell, args: &FetchArgs) -> Result<ExitCode> {
    if let Some(path) = &args.output {
        not_an_input(path)?;
    }
    let first = |errors: Vec<Error>| {
        errors
            .into_iter()
            .next()
            .unwrap_or_else(|| Error::usage("the project can't be read"))
    };
    let workspace = Workspace::open(shell, &args.ad_hoc, Need::Nothing).map_err(first)?;
    let names: Vec<String> = args.server.iter().cloned().collect();
    if let Some(error) = workspace.config_errors(&names).next() {
        return Err(error.clone());
    }
    let subjects = workspace.subjects(&names)?;
    let [subject] = subjects.as_slice() else {
        let addresses: Vec<String> = subjects
            .iter()
            .map(|subject| match subject.profile() {
                Some(_) => crate::text::visible(&subject.address()),
                // Its name alone would stand for all of them.
                None => format!("{}@", crate::text::visible(subject.name())),
            })
            .collect();
        return Err(Error::usage("that name has several profiles")
            .help(format!("name one of {}", addresses.join(", "))));
    };
    let Some(spec) = subject.spec else {
        return Err(Error::usage("no config names this server").for_server(&subject.address()));
    };
    let request = Request {
        spec,
        pinned: subject.entry.map(|entry| entry.protocol),
        or_another: false,
        moved: None,
    };
    let policy = &workspace.discovered.policy;
    let (results, leaving) = fetch_all(&[request], shell, &args.limits, policy).await?;
    let written = match results.into_iter().next() {
        Some(Ok(live)) => {
            let fetched = &live.fetched;
            for remark in fetched.doubts.iter().chain(&fetched.remarks) {
                shell.printer.hint(&format!("note: {remark}"));
            }
            let text = write_saved(&live.fetched);
            if Redactor::of_credentials(&live.launch.secrets).finds(&text) {
                Err(
                    Error::server("its catalog holds a secret that the server was given")
                        .for_server(&spec.address())
                        .help("nothing was saved; change the credential, and tell the author"),
                )
            } else {
                write(shell, args, &text)
            }
        }
        Some(Err(error)) => Err(error),
        None => Err(Error::server("its result was lost").for_server(&spec.address())),
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
        // A terminal obeys what a server wrote; a file or pipe gets the very bytes.
        _ => shell
            .printer
            .product(&if shell.printer.shows_product() {
                escaped(text)
            } else {
                text.to_owned()
            })
            .map_err(|error| Error::usage(format!("could not write the catalog: {error}"))),
    }
}

/// The same JSON with every hidden character as a JSON escape.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && crate::text::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_stays_the_same_json() {
        let raw = "{\"a\":\"\u{9b}31m\u{202e}\u{e0041}é\"}\n";
        let shown = escaped(raw);
        assert_eq!(shown, "{\"a\":\"\\u009b31m\\u202e\\udb40\\udc41é\"}\n");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(raw), read(&shown));
    }
}
