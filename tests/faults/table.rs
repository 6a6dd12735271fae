//! The rows of `docs/faults.md`, each shown by one server or several that have the fault.
//!
//! For each of them the program is run beside a healthy server, and its message, exit code, time,
//! memory and traces are looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::docs::{self, DocRow, Exit};
use crate::project::{AT_ONCE, Kind, Project, TOKEN, server};
use crate::rogue_server::RogueServer;
use crate::{http_rows, network_rows, reply_rows, stdio_rows};

/// The most memory that the program may hold, in KiB.
const MEMORY: u64 = 256 << 10;
/// How many runs go on at the same time.
const AT_A_TIME: usize = 6;

/// A row, by the section and the first cell that it has in the docs, and what shows it.
pub(crate) struct Row {
    pub(crate) section: &'static str,
    pub(crate) fault: &'static str,
    pub(crate) shown_by: Vec<Case>,
}

type Prepare = dyn Fn(&mut Project) -> Option<RogueServer> + Send + Sync;

/// One server that has a fault.
pub(crate) struct Case {
    name: String,
    kind: Kind,
    /// Brings the fault about; what it returns lives as long as the run.
    prepare: Box<Prepare>,
    command: &'static str,
    flags: Vec<&'static str>,
    most: Duration,
}

impl Case {
    /// A fault that `prepare` brings about.
    pub(crate) fn new(
        name: &str,
        kind: Kind,
        prepare: impl Fn(&mut Project) -> Option<RogueServer> + Send + Sync + 'static,
    ) -> Self {
        Case {
            name: name.to_owned(),
            kind,
            prepare: Box::new(prepare),
            command: "verify",
            flags: Vec::new(),
            most: AT_ONCE,
        }
    }

    /// A fault that ends at a limit of these flags.
    pub(crate) fn flags(mut self, flags: &[&'static str]) -> Self {
        self.flags.extend(flags);
        self
    }

    /// A fault that takes long, so that it is met first.
    pub(crate) fn slow(mut self) -> Self {
        self.most = 2 * AT_ONCE;
        self
    }

    /// A fault that a server which is pinned can't have, or that changes what is pinned: `check`
    /// is run, which looks at no lockfile.
    pub(crate) fn check(mut self) -> Self {
        self.command = "check";
        self
    }

    /// Runs the program and looks at everything; what is wrong, if anything.
    fn run(&self, row: &DocRow, matched: &mut BTreeSet<String>) -> Result<u64, String> {
        let mut project = Project::pinned(self.kind);
        let held = (self.prepare)(&mut project);
        if let Some(server) = &held {
            project.set("FAULTS_URL", &server.url);
        }
        let lockfile = project.read("mcp-lock.toml");
        let mut args = vec![self.command, "--format", "json"];
        args.extend(&self.flags);
        let run = project.run(&args, self.most);
        let whole = format!("{}\n{}", run.stdout, run.stderr);
        let ensure = |right: bool, wrong: &str| {
            if right {
                Ok(())
            } else {
                Err(format!("{wrong}; after {:?}:\n{whole}", run.took))
            }
        };
        let code = match row.exit {
            Exit::Code(code) => code,
            Exit::Told | Exit::None => 0,
        };
        ensure(run.code == Some(code), &format!("not exit code {code}"))?;
        ensure(project.read("mcp-lock.toml") == lockfile, "it wrote")?;
        ensure(
            run.peak > 0 && run.peak < MEMORY,
            &format!("{} KiB", run.peak),
        )?;
        ensure(!whole.contains(TOKEN), "it tells a secret")?;
        let report = run.json();
        let healthy = server(&report, "healthy");
        let is_right = healthy["outcome"] == "judged"
            && healthy["items"] == 2
            && healthy["error"].is_null()
            && healthy["findings"] == serde_json::json!([])
            && healthy["notes"] == serde_json::json!([]);
        ensure(is_right, "the healthy server was not judged right")?;
        let faulty = server(&report, "faulty");
        let said = said(faulty);
        match row.exit {
            Exit::Code(_) => {
                ensure(faulty["outcome"] == "not-judged", "it was judged")?;
                ensure(!faulty["error"]["help"].is_null(), "it has no help")?;
            }
            Exit::Told => ensure(faulty["outcome"] == "judged", "it was not judged")?,
            Exit::None => {
                ensure(faulty["outcome"] == "judged", "it was not judged")?;
                ensure(said.is_empty(), "something was told")?;
            }
        }
        let mut found = row.messages.is_empty();
        for message in &row.messages {
            if said.iter().any(|said| message.pattern.is_match(said)) {
                found = true;
                matched.insert(message.printed.clone());
            }
        }
        ensure(found, &format!("none of {:?} was said", row.messages))?;
        Ok(run.peak)
    }
}

/// What a report says about a server: its error, and its notes.
fn said(server: &Value) -> Vec<&str> {
    let error = server["error"]["message"].as_str();
    let notes = server["notes"].as_array().into_iter().flatten();
    error
        .into_iter()
        .chain(notes.filter_map(Value::as_str))
        .collect()
}

fn rows() -> Vec<Row> {
    let mut rows = stdio_rows::rows();
    rows.extend(http_rows::rows());
    rows.extend(reply_rows::rows());
    rows.extend(network_rows::rows());
    rows
}

#[test]
fn the_docs_and_this_table_have_the_same_rows() {
    let printed: Vec<_> = docs::rows()
        .into_iter()
        .map(|row| (row.section, row.fault))
        .collect();
    let shown: Vec<_> = rows()
        .iter()
        .map(|row| (row.section.to_owned(), row.fault.to_owned()))
        .collect();
    let only = |these: &[(String, String)], those: &[(String, String)]| {
        let rest: Vec<_> = these.iter().filter(|row| !those.contains(row)).collect();
        format!("{rest:#?}")
    };
    assert_eq!(only(&printed, &shown), "[]", "in the docs and not shown");
    assert_eq!(only(&shown, &printed), "[]", "shown and not in the docs");
    for (at, row) in printed.iter().enumerate() {
        assert!(!printed[..at].contains(row), "{row:?} stands twice");
    }
}

/// Set `FAULTS_ONLY` to a part of a row's first cell to run that one alone.
#[test]
fn every_fault_is_told_as_the_docs_say_and_harms_nothing_else() {
    let only = std::env::var("FAULTS_ONLY").unwrap_or_default();
    let started = Instant::now();
    let printed: BTreeMap<(String, String), DocRow> = docs::rows()
        .into_iter()
        .map(|row| ((row.section.clone(), row.fault.clone()), row))
        .collect();
    let mut rows: Vec<Row> = rows()
        .into_iter()
        .filter(|row| row.fault.contains(&only))
        .collect();
    assert!(!rows.is_empty(), "no row has {only:?} in its first cell");
    rows.sort_by_key(|row| row.shown_by.iter().all(|case| case.most == AT_ONCE));
    let waiting = Mutex::new(rows.iter());
    let (wrong, highest, count) = (Mutex::new(Vec::new()), Mutex::new(0), Mutex::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some(row) = waiting.lock().unwrap().next() else {
                        return;
                    };
                    let key = (row.section.to_owned(), row.fault.to_owned());
                    let Some(doc) = printed.get(&key) else {
                        continue;
                    };
                    let mut matched = BTreeSet::new();
                    for case in &row.shown_by {
                        let result = catch_unwind(AssertUnwindSafe(|| case.run(doc, &mut matched)));
                        *count.lock().unwrap() += 1;
                        let result = result.unwrap_or_else(|panic| {
                            let words = panic.downcast_ref::<String>().cloned();
                            Err(words.unwrap_or_else(|| "it panicked".to_owned()))
                        });
                        match result {
                            Ok(peak) => {
                                let mut highest = highest.lock().unwrap();
                                *highest = peak.max(*highest);
                            }
                            Err(why) => wrong.lock().unwrap().push(format!(
                                "{} / {} / {}: {why}",
                                row.section, row.fault, case.name
                            )),
                        }
                    }
                    for message in &doc.messages {
                        if !matched.contains(&message.printed) {
                            wrong.lock().unwrap().push(format!(
                                "{} / {}: nothing shows {:?}",
                                row.section, row.fault, message.printed
                            ));
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    eprintln!(
        "{} rows, {} runs in {:.1?}, at most {} MiB",
        rows.len(),
        count.into_inner().unwrap(),
        started.elapsed(),
        highest.into_inner().unwrap() >> 10
    );
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}
