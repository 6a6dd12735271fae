//! Twenty real servers in one `verify`: the wall time beside that of the slowest of them alone, and
//! beside the processor time that all of them need, over the cores.
//!
//!     cargo build --release --examples
//!     MCPLOCK_REAL_SERVERS=.ci/tools/servers cargo bench --bench twenty_servers
//!
//! Reads processor times from `/proc`, so it is for Linux. Others that use the machine meanwhile
//! lengthen the wall time and not the processor time: how much they used is said.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

#[path = "../tests/support/peers.rs"]
mod real;

use real::{Installed, Started, TWENTY};

/// Runs with all servers; the median is told.
const RUNS: usize = 5;
/// Clock ticks of `/proc` in a second: a constant of the interface, whatever the kernel's own.
const TICKS: u32 = 100;

fn main() {
    let Some(installed) = Installed::with(&TWENTY) else {
        return;
    };
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path();
    let root = std::env::var_os("MCPLOCK_REAL_SERVERS").expect("it is set");
    let files = std::path::absolute(root)
        .expect("a path")
        .join("filesystem-new");
    let peers = installed.twenty(files.to_str().expect("a path in UTF-8"));
    let started: Vec<Started> = peers.iter().map(|peer| peer.start(None)).collect();
    let servers: Map<String, Value> = peers
        .iter()
        .zip(&started)
        .map(|(peer, started)| (peer.name.clone(), started.entry.clone()))
        .collect();
    std::fs::create_dir(folder.join(".git")).expect("a folder");
    let config = json!({ "mcpServers": servers }).to_string();
    std::fs::write(folder.join(".mcp.json"), config).expect("a config");
    mcplock(folder, &["pin"]);

    let mut slowest = (Duration::ZERO, "");
    for peer in &peers {
        let one = (0..2).map(|_| measured(folder, &["verify", &peer.name], &started).wall);
        slowest = slowest.max((one.min().expect("two runs"), &peer.name));
    }
    let mut runs: Vec<Cost> = (0..RUNS)
        .map(|_| measured(folder, &["verify"], &started))
        .collect();
    runs.sort_by_key(|cost| cost.wall);
    let cores = std::thread::available_parallelism()
        .expect("the cores")
        .get();
    let load = std::fs::read_to_string("/proc/loadavg").expect("Linux");
    let Cost { wall, own, others } = runs[RUNS / 2];
    let share = own / u32::try_from(cores).expect("few");
    let bound = slowest.0.max(share);
    say(&format!(
        "{} servers, {} of them remote; {cores} cores; load {}",
        peers.len(),
        started.iter().filter(|s| s.listens.is_some()).count(),
        load.trim()
    ));
    let walls: Vec<String> = runs
        .iter()
        .map(|cost| format!("{:.2}", cost.wall.as_secs_f64()))
        .collect();
    say(&format!(
        "wall time of `verify`, {RUNS} runs:  {} s",
        walls.join(" ")
    ));
    say(&format!(
        "median:                        {:.2} s",
        wall.as_secs_f64()
    ));
    say(&format!(
        "slowest server alone:          {:.2} s ({})",
        slowest.0.as_secs_f64(),
        slowest.1
    ));
    say(&format!(
        "processor time over {cores} cores:  {:.2} s",
        share.as_secs_f64()
    ));
    say(&format!(
        "processor time of others:      {:.2} s",
        others.as_secs_f64()
    ));
    say(&format!(
        "median / max(slowest, processor): {:.2}",
        wall.as_secs_f64() / bound.as_secs_f64()
    ));
}

/// What a run cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    wall: Duration,
    /// Processor time of the program and of all servers, those that listen too.
    own: Duration,
    /// Processor time of everything else on the machine meanwhile.
    others: Duration,
}

/// Runs the program and says what that cost.
fn measured(folder: &Path, args: &[&str], started: &[Started]) -> Cost {
    let own = || {
        let listening = started
            .iter()
            .filter_map(|started| started.listens.as_ref());
        // Of those that run on, what they used; of those that ended, what was waited for.
        let listening: u64 = listening
            .map(|(child, _)| ticks(child.id(), [13, 14]))
            .sum();
        listening + ticks(std::process::id(), [15, 16])
    };
    let (own_before, all_before) = (own(), busy());
    let start = Instant::now();
    mcplock(folder, args);
    let wall = start.elapsed();
    let own = own() - own_before;
    Cost {
        wall,
        own: seconds(own),
        others: seconds((busy() - all_before).saturating_sub(own)),
    }
}

fn mcplock(folder: &Path, args: &[&str]) {
    let run = Command::new(env!("CARGO_BIN_EXE_mcplock"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("mcplock runs");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{args:?}: {said}");
}

/// The sum of two fields of `/proc/PID/stat`, numbered from 0, in clock ticks.
fn ticks(pid: u32, fields: [usize; 2]) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("Linux");
    // The name of the program, in brackets, may hold blanks.
    let (_, rest) = stat.rsplit_once(") ").expect("a name in brackets");
    let rest: Vec<&str> = rest.split(' ').collect();
    let number = |field: usize| rest[field - 2].parse::<u64>().expect("a number");
    fields.into_iter().map(number).sum()
}

/// The processor time that the whole machine has used, in clock ticks.
fn busy() -> u64 {
    let stat = std::fs::read_to_string("/proc/stat").expect("Linux");
    let line = stat.lines().next().expect("a line");
    let numbers: Vec<u64> = line
        .split_whitespace()
        .skip(1)
        .map(|number| number.parse().expect("a number"))
        .collect();
    // user, nice, system; then idle and iowait are left out; irq, softirq
    numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6]
}

fn seconds(ticks: u64) -> Duration {
    Duration::from_secs(ticks) / TICKS
}

fn say(line: &str) {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}").expect("it is written");
}
