//! Fetches the catalog of one server through the library, and says what that cost.
//!
//!     fetch_client PROGRAM ARG…
//!
//! Prints the wall time in microseconds from the start of the process to the catalog (or the
//! error), then to the end of the shutdown, the processor time of this process alone in
//! microseconds, and its peak memory in KiB (the last two on Linux, else 0). On standard error one
//! line for each list and each remark, or the error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use mcplock::config::{ResolvedLaunch, ResolvedTarget, Secret, ServerName};
use mcplock::protocol::{FetchOptions, Fetched, fetch};
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
    let (catalog, code, report) = runtime.block_on(async {
        match fetch(&name, &launch, &FetchOptions::default(), &Cancel::never()).await {
            Ok((fetched, shutdown)) => {
                let catalog = started.elapsed();
                shutdown.finished().await;
                (catalog, ExitCode::SUCCESS, told(&fetched))
            }
            Err(error) => {
                let detail = error.detail_text().unwrap_or_default();
                let code = ExitCode::from(mcplock::exit::NOT_JUDGED);
                (started.elapsed(), code, format!("{error}\n{detail}\n"))
            }
        }
    });
    let cost = format!(
        "{} {} {} {}\n",
        catalog.as_micros(),
        started.elapsed().as_micros(),
        processor(),
        memory()
    );
    write(std::io::stdout(), &cost);
    write(std::io::stderr(), &report);
    code
}

/// A line for each list and each remark.
fn told(fetched: &Fetched) -> String {
    let mut text = String::new();
    for list in &fetched.lists {
        writeln!(text, "{}: {}", list.kind, list.items.len()).expect("text");
    }
    for remark in &fetched.remarks {
        writeln!(text, "remark: {remark}").expect("text");
    }
    text
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
