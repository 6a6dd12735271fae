//! What a server did that is odd and no error: counted, told once, with the first of each.
//!
//! Pure.

use std::collections::BTreeMap;

/// Everything odd so far.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    /// Output that is no message.
    pub(super) noise: Counted,
    /// Replies to what was never asked.
    pub(super) stray: Counted,
    /// Replies that came a second time.
    pub(super) repeated: Counted,
    /// Replies that don't say which JSON-RPC they are.
    pub(super) unversioned: Counted,
    /// Messages of ours that want no reply and were not taken.
    pub(super) unheard: Counted,
    /// Batches of messages.
    pub(super) batches: usize,
    /// What it asked for and did not get, and how often.
    pub(super) declined: BTreeMap<String, usize>,
}

/// How often something odd was met, and the first of it.
#[derive(Debug, Default)]
pub(super) struct Counted {
    count: usize,
    /// The first, fit to be shown.
    pub(super) first: String,
}

impl Counted {
    /// Counts one more.
    pub(super) fn add(&mut self, what: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = what();
        }
        self.count += 1;
    }
}

impl Oddities {
    /// Everything odd that is no error, as sentences.
    pub(super) fn remarks(&self, process: bool) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.noise.count > 0 {
            let noise = if process {
                format!(
                    "{} on its standard output",
                    counted(self.noise.count, "line")
                )
            } else {
                format!("{} in its replies", counted(self.noise.count, "text"))
            };
            remarks.push(format!(
                "{noise} {} no JSON-RPC and skipped; the first: `{}`",
                was(self.noise.count),
                self.noise.first
            ));
        }
        if self.stray.count > 0 {
            remarks.push(format!(
                "{} to requests that were never made {} ignored; the first with the id `{}`",
                counted(self.stray.count, "reply"),
                was(self.stray.count),
                self.stray.first
            ));
        }
        if self.repeated.count > 0 {
            remarks.push(format!(
                "{} came a second time, unchanged; the first to `{}`",
                counted(self.repeated.count, "reply"),
                self.repeated.first
            ));
        }
        if self.unversioned.count > 0 {
            remarks.push(format!(
                "{} without `\"jsonrpc\": \"2.0\"`; the first to `{}`",
                counted(self.unversioned.count, "reply"),
                self.unversioned.first
            ));
        }
        if self.batches > 0 {
            remarks.push(format!(
                "{} of messages, which only the revision 2025-03-26 knows",
                counted(self.batches, "batch")
            ));
        }
        if self.unheard.count > 0 {
            remarks.push(format!(
                "{} of ours that wants no reply was not taken; the first: {}",
                counted(self.unheard.count, "message"),
                self.unheard.first
            ));
        }
        for (method, count) in &self.declined {
            remarks.push(format!(
                "it asked for `{method}` ({}) and was declined",
                counted(*count, "time")
            ));
        }
        remarks
    }
}

/// `1 line`, `2 lines`, `2 replies`, `2 batches`.
fn counted(count: usize, word: &str) -> String {
    match (count, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ if word.ends_with('h') => format!("{count} {word}es"),
        _ => format!("{count} {word}s"),
    }
}

fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}
