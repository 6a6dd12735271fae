//! Starts test servers through the library, and looks that nothing of them is left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcplock::config::{ResolvedLaunch, ResolvedTarget, Secret, ServerName};
use mcplock::error::Result;
use mcplock::protocol::{FetchOptions, Fetched, fetch};
use mcplock::transport::{Cancel, Limits};
use tempfile::{NamedTempFile, TempDir};

/// What no message may hold.
pub(crate) const SECRET: &str = "abcd1234secret";

/// A server that does one thing wrong.
pub(crate) struct Rogue {
    words: Vec<String>,
    fault: String,
    folder: TempDir,
    cancel: Cancel,
    /// How it is fetched.
    pub(crate) options: FetchOptions,
}

/// An example program of this package, built beside the tests.
pub(crate) fn example(name: &str) -> String {
    let test = std::env::current_exe().unwrap();
    let file = test
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples")
        .join(name);
    assert!(file.exists(), "{} is not built", file.display());
    file.display().to_string()
}

impl Rogue {
    fn of(fault: &str, words: Vec<String>, folder: TempDir) -> Self {
        Rogue {
            words,
            fault: fault.to_owned(),
            folder,
            cancel: Cancel::never(),
            options: FetchOptions::default(),
        }
    }

    /// The rogue server with a fault.
    pub(crate) fn new(fault: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid").display().to_string();
        let words = [&example("rogue"), fault, "--pid", &pid].map(str::to_owned);
        Rogue::of(fault, words.to_vec(), folder)
    }

    /// A program by name, whatever it is.
    pub(crate) fn program(name: &str) -> Self {
        Rogue::of(name, vec![name.to_owned()], tempfile::tempdir().unwrap())
    }

    /// A Python script with its arguments.
    pub(crate) fn python(script: &Path, args: &[&Path]) -> Self {
        let words = [Path::new("python3"), Path::new("-u"), script];
        let words = words.iter().chain(args);
        let words = words.map(|word| word.display().to_string()).collect();
        Rogue::of(
            &script.display().to_string(),
            words,
            tempfile::tempdir().unwrap(),
        )
    }

    /// A shell script; `$1` is the file for its process id.
    pub(crate) fn shell(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid").display().to_string();
        let words = ["/bin/sh", "-c", script, "sh", &pid].map(str::to_owned);
        Rogue::of(script, words.to_vec(), folder)
    }

    /// Its fault.
    pub(crate) fn fault(&self) -> &str {
        &self.fault
    }

    /// How much of the fault.
    pub(crate) fn count(mut self, count: usize) -> Self {
        self.words.extend(["--count".to_owned(), count.to_string()]);
        self
    }

    /// Started with SIGTERM ignored.
    pub(crate) fn ignoring_sigterm(mut self) -> Self {
        let script = "trap '' TERM; exec \"$0\" \"$@\"";
        let shell = ["/bin/sh", "-c", script].map(str::to_owned);
        self.words.splice(0..0, shell);
        self
    }

    /// With other bounds.
    pub(crate) fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// With output that is no message as an error.
    pub(crate) fn strict(mut self) -> Self {
        self.options.strict_stdout = true;
        self
    }

    /// Called off by this.
    pub(crate) fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// A file that will hold every message that the server gets.
    pub(crate) fn log(&mut self) -> NamedTempFile {
        let log = NamedTempFile::new().unwrap();
        self.words
            .extend(["--log".to_owned(), log.path().display().to_string()]);
        log
    }

    /// The file that will hold its process id.
    fn pid_file(&self) -> PathBuf {
        self.folder.path().join("pid")
    }

    fn launch(&self) -> ResolvedLaunch {
        let mut env: BTreeMap<String, Secret> = BTreeMap::new();
        env.insert("PATH".to_owned(), Secret::new("/usr/bin:/bin"));
        env.insert("TOKEN".to_owned(), Secret::new(SECRET));
        ResolvedLaunch {
            target: ResolvedTarget::Command {
                program: self.words[0].clone(),
                args: self.words[1..].iter().map(Secret::new).collect(),
                env,
                cwd: self.folder.path().to_path_buf(),
            },
            secrets: vec![Secret::new(SECRET)],
        }
    }

    /// Fetches its catalog, waits for its end, and looks that nothing is left.
    pub(crate) fn fetch(self) -> Result<Fetched> {
        self.run(|fetched, _, _| fetched)
    }

    /// The time to the catalog and to the end of the server.
    pub(crate) fn timed(self) -> (Duration, Duration) {
        self.run(|fetched, catalog, whole| fetched.map(|_| (catalog, whole)))
            .unwrap()
    }

    fn run<T>(self, with: impl FnOnce(Result<Fetched>, Duration, Duration) -> T) -> T {
        let started = Instant::now();
        let result = runtime().block_on(async {
            let name = ServerName::new("rogue").unwrap();
            let fetched = fetch(&name, &self.launch(), &self.options, &self.cancel).await;
            let catalog = started.elapsed();
            let fetched = match fetched {
                Ok((fetched, shutdown)) => {
                    shutdown.finished().await;
                    Ok(fetched)
                }
                Err(error) => Err(error),
            };
            with(fetched, catalog, started.elapsed())
        });
        self.nothing_is_left();
        result
    }

    /// Panics while the server is still going away, inside the runtime.
    pub(crate) fn panicking(self) {
        let launch = self.launch();
        let options = self.options.clone();
        let thread = std::thread::spawn(move || {
            runtime().block_on(async {
                let name = ServerName::new("rogue").unwrap();
                let held = fetch(&name, &launch, &options, &Cancel::never())
                    .await
                    .unwrap();
                assert!(held.0.lists.is_empty(), "this panic is meant");
            });
        });
        assert!(thread.join().is_err());
        self.nothing_is_left();
    }

    /// Looks that no process of the group runs any more.
    #[track_caller]
    fn nothing_is_left(&self) {
        let Ok(pid) = std::fs::read_to_string(self.pid_file()) else {
            return;
        };
        let pid = pid.trim();
        // A process that was killed may still be about to vanish.
        let deadline = Instant::now() + Duration::from_secs(10);
        while group_runs(pid) {
            assert!(
                Instant::now() < deadline,
                "{}: group {pid} runs on",
                self.fault
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Whether a process group has a member that is no zombie.
fn group_runs(group: &str) -> bool {
    let listing = std::process::Command::new("ps")
        .args(["-e", "-o", "pgid=,stat="])
        .output();
    let Ok(listing) = listing else {
        return from_proc(group);
    };
    String::from_utf8_lossy(&listing.stdout)
        .lines()
        .any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some(group) && words.next().is_some_and(|state| !state.starts_with('Z'))
        })
}

/// The same where there is no `ps`.
fn from_proc(group: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            return false;
        };
        let words: Vec<&str> = rest.split(' ').collect();
        words.get(2) == Some(&group) && words[0] != "Z"
    })
}
