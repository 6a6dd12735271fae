//! Runs the command that prints headers (`headersHelper`), without a shell, bounded in time and
//! size.
//!
//! What it prints are credentials: none of it is ever shown.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

use super::process::Process;
use super::program;
use crate::config::{HeadersHelper, Secret};
use crate::error::{Error, Result};

/// How long it may take.
const TIME: Duration = Duration::from_secs(10);
/// How much it may print.
const BYTES: u64 = 64 << 10;

/// The headers that the command prints.
pub(super) async fn headers(helper: &HeadersHelper) -> Result<BTreeMap<String, Secret>> {
    let path: Option<&OsStr> = helper.env.get("PATH").map(|path| path.expose().as_ref());
    let file = program::locate(&helper.program, path, &helper.cwd)
        .map_err(|error| about(error.message()))?;
    let mut command = Command::new(&file);
    command
        .args(helper.args.iter().map(Secret::expose))
        .env_clear()
        .envs(helper.env.iter().map(|(key, value)| (key, value.expose())))
        .current_dir(&helper.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // With all that it starts, it is gone when this returns.
    let mut process = Process::start(&mut command)
        .map_err(|error| about(program::not_started(&file, &error).message()))?;
    let output = process.child().stdout.take();
    let mut printed = Vec::new();
    let run = async {
        if let Some(output) = output {
            output.take(BYTES + 1).read_to_end(&mut printed).await?;
        }
        if printed.len() as u64 <= BYTES {
            process.ended().await;
        }
        Ok::<_, std::io::Error>(process.status())
    };
    match timeout(TIME, run).await {
        Err(_) => Err(about("did not end within 10 s")),
        Ok(Err(error)) => Err(about(&format!("could not be read: {error}"))),
        Ok(Ok(_)) if printed.len() as u64 > BYTES => Err(about("printed more than 64 KiB")),
        Ok(Ok(Some(status))) if !status.success() => Err(about(&format!(
            "ended with {}",
            super::process::shown(status)
        ))),
        Ok(Ok(_)) => HeadersHelper::headers(&printed),
    }
}

fn about(what: &str) -> Error {
    Error::config(format!("the `headersHelper` {what}"))
        .help("run the command by hand: it must print one JSON object of headers and end with 0")
}
