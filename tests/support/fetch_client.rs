//! Fetches the catalog of one server through the library, and says what that cost.
//!
//!     fetch_client PROGRAM ARG…
//!
//! Prints the wall time in microseconds from the start of the process to the catalog, then to the
//! end of the shutdown, the processor time of this process alone in microseconds, and its peak
//! memory in KiB (the last two on Linux, else 0); then one line for each list and each remark on
//! standard error.

use std::collections::BTreeMap;
use std::time::Instant;

use mcplock::config::{ResolvedLaunch, ResolvedTarget, Secret, ServerName};
use mcplock::protocol::{FetchOptions, fetch};
use mcplock::transport::Cancel;

fn main() {
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
    runtime.block_on(async {
        let (fetched, shutdown) =
            match fetch(&name, &launch, &FetchOptions::default(), &Cancel::never()).await {
                Ok(done) => done,
                Err(error) => {
                    eprintln!("{error}\n{}", error.detail_text().unwrap_or_default());
                    std::process::exit(3);
                }
            };
        let catalog = started.elapsed().as_micros();
        shutdown.finished().await;
        let whole = started.elapsed().as_micros();
        println!("{catalog} {whole} {} {}", processor(), memory());
        for list in &fetched.lists {
            eprintln!("{}: {}", list.kind, list.items.len());
        }
        for remark in &fetched.remarks {
            eprintln!("remark: {remark}");
        }
    });
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
