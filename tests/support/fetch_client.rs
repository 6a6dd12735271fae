//! Fetches the catalog of one server through the library, and says what that cost.
//!
//!     fetch_client PROGRAM ARG…
//!
//! Prints the wall time in microseconds from the start of the process to the catalog, then to the
//! end of the shutdown, the processor time of this process alone in microseconds, and its peak
//! memory in KiB (the last two on Linux, else 0); then one line for each list and each remark on
//! standard error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use mcplock::config::{ResolvedLaunch, ResolvedTarget, Secret, ServerName};
use mcplock::protocol::{FetchOptions, fetch};
use mcplock::transport::Cancel;

fn main() -> ExitCode {
    let started = Instant::now();
    let mut args = std::env::args().skip(1);
    let launch = ResolvedLaunch {
        target: ResolvedTarget::Command {
            program: args.next().expect("a program"),
            args: args.map(Secret::new).collect(),
            env: std::env::vars()
                .map(|(key, value)| (key, Secret::new(value)))
                .collect::<BTreeMap<_, _>>(),
            cwd: std::env::current_dir().expect("a folder"),
        },
        secrets: Vec::new(),
    };
    let name = ServerName::new("measured").expect("a name");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let report = runtime.block_on(async {
        let (fetched, shutdown) =
            fetch(&name, &launch, &FetchOptions::default(), &Cancel::never()).await?;
        let catalog = started.elapsed().as_micros();
        shutdown.finished().await;
        let whole = started.elapsed().as_micros();
        let mut rest = String::new();
        for list in &fetched.lists {
            writeln!(rest, "{}: {}", list.kind, list.items.len()).expect("text");
        }
        for remark in &fetched.remarks {
            writeln!(rest, "remark: {remark}").expect("text");
        }
        let cost = format!("{catalog} {whole} {} {}\n", processor(), memory());
        Ok::<_, mcplock::error::Error>((cost, rest))
    });
    match report {
        Ok((cost, rest)) => {
            write(std::io::stdout(), &cost);
            write(std::io::stderr(), &rest);
            ExitCode::SUCCESS
        }
        Err(error) => {
            let detail = error.detail_text().unwrap_or_default();
            write(std::io::stderr(), &format!("{error}\n{detail}\n"));
            ExitCode::from(mcplock::exit::NOT_JUDGED)
        }
    }
}

fn write(mut to: impl std::io::Write, text: &str) {
    to.write_all(text.as_bytes())
        .expect("the report is written");
}

/// Processor time of all threads, in microseconds.
fn processor() -> u64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return 0;
    };
    let nanoseconds: u64 = threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next()?.parse::<u64>().ok())
        .sum();
    nanoseconds / 1000
}

/// Peak resident memory, in KiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}
