//! One run of the program, watched: how long it takes, how much memory it holds at most, and what
//! of it is left when it has ended.

use std::io::{Read, Seek};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The variable by whose value everything that a run started is known.
pub(crate) const MARK: &str = "FAULTS_MARK";
/// How long what was killed may take to vanish.
const BURIAL: Duration = Duration::from_secs(10);

/// What a run was.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Its exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
    /// Its largest resident memory, in KiB.
    pub(crate) peak: u64,
}

impl Watched {
    /// The JSON report on standard output.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }
}

/// Runs a command that ends by itself within `most`, and leaves nothing behind that has `mark` in
/// its environment.
pub(crate) fn watched(command: &mut Command, mark: &str, most: Duration) -> Watched {
    let (mut out, mut err) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    let started = Instant::now();
    let mut child = command
        .env(MARK, mark)
        .stdin(Stdio::null())
        .stdout(out.try_clone().unwrap())
        .stderr(err.try_clone().unwrap())
        .spawn()
        .unwrap();
    let mut peak = 0;
    let status = loop {
        // A process that has ended has no memory, so it is looked at while it runs.
        peak = peak.max(memory(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > most {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it did not end within {most:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let took = started.elapsed();
    let read = |file: &mut std::fs::File| {
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let (stdout, stderr) = (read(&mut out), read(&mut err));
    nothing_is_left(mark);
    Watched {
        code: status.code(),
        stdout,
        stderr,
        took,
        peak,
    }
}

/// Looks that nothing runs that has `mark` in its environment.
pub(crate) fn nothing_is_left(mark: &str) {
    let deadline = Instant::now() + BURIAL;
    loop {
        let left = marked(mark);
        if left.is_empty() {
            return;
        }
        if Instant::now() > deadline {
            for (pid, _) in &left {
                let _ = Command::new("kill").args(["-9", pid]).status();
            }
            panic!("left behind: {left:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that have `mark` in their environment: id and command line.
pub(crate) fn marked(mark: &str) -> Vec<(String, String)> {
    let mark = format!("{MARK}={mark}\0");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        // What has ended, a zombie too, has no environment.
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if String::from_utf8_lossy(&environment).contains(&mark) {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push((
                entry.file_name().to_string_lossy().into_owned(),
                String::from_utf8_lossy(&line).replace('\0', " "),
            ));
        }
    }
    found
}

fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}
