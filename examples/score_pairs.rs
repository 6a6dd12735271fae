//! Scores the inclusion engine on labelled pairs of schemas.
//!
//! `score_pairs [--witnesses FILE] PAIRS.jsonl…` asks of each record whether every value valid
//! under `old` is accepted by `new` (any caller), prints a table by source, and as its last line
//! one JSON object. Records without an answer, or on which two validators disagree, do not count.
//!
//! A missed break is a record of which we say "included" though it brings a value that breaks it.
//! Where the record says "breaks" but brings no such value, our "included" is not right either, and
//! is told apart as `unwitnessed_labels`.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use mcplock::json::{Limits, Value, parse};
use mcplock::schema::Dialect;
use mcplock::schema::inclusion::{Options, Verdict, inclusion};

#[derive(Default)]
struct Score {
    scored: usize,
    right: usize,
    missed_breaks: usize,
    unwitnessed_labels: usize,
    false_alarms: usize,
    undecided: usize,
    broken: usize,
    witnessed: usize,
    times: Vec<f64>,
}

impl Score {
    fn add(&mut self, other: &Score) {
        self.scored += other.scored;
        self.right += other.right;
        self.missed_breaks += other.missed_breaks;
        self.unwitnessed_labels += other.unwitnessed_labels;
        self.false_alarms += other.false_alarms;
        self.undecided += other.undecided;
        self.broken += other.broken;
        self.witnessed += other.witnessed;
        self.times.extend(&other.times);
    }

    fn percentile(&self, share: f64) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        let last = times.len().saturating_sub(1);
        let at = times.iter().enumerate().position(|(i, _)| {
            f64::from(u32::try_from(i + 1).unwrap_or(u32::MAX))
                >= share * f64::from(u32::try_from(times.len()).unwrap_or(u32::MAX))
        });
        times.get(at.unwrap_or(last)).copied().unwrap_or(0.0)
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "scored": self.scored, "right": self.right, "missed_breaks": self.missed_breaks,
            "false_alarms": self.false_alarms, "undecided": self.undecided,
            "unwitnessed_labels": self.unwitnessed_labels,
            "witnessed": self.witnessed, "ms_median": round(self.percentile(0.5)),
            "ms_p95": round(self.percentile(0.95)), "ms_max": round(self.percentile(1.0)),
        })
    }

    fn row(&self, name: &str) -> String {
        format!(
            "{name:<28} {:>6} {:>6} {:>6} {:>6} {:>9} {:>5}/{:<5} {:>8.3} {:>8.3} {:>8.3} {:>9.3}",
            self.scored,
            self.right,
            self.missed_breaks,
            self.false_alarms,
            self.undecided,
            self.witnessed,
            self.broken,
            self.percentile(0.5),
            self.percentile(0.95),
            self.percentile(0.99),
            self.percentile(1.0),
        )
    }
}

fn round(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

fn dialect(name: &str) -> Option<Dialect> {
    Some(match name {
        "draft4" => Dialect::Draft4,
        "draft6" => Dialect::Draft6,
        "draft7" => Dialect::Draft7,
        "2019-09" => Dialect::Draft2019_09,
        "2020-12" => Dialect::Draft2020_12,
        _ => return None,
    })
}

fn plain(value: &Value) -> Result<serde_json::Value, serde_json::Error> {
    serde_json::from_str(&mcplock::canonical::canonical(value))
}

/// A validator of the library itself, not the product's.
fn validator(schema: &Value, dialect: Dialect) -> Option<jsonschema::Validator> {
    let draft = match dialect {
        Dialect::Draft4 => jsonschema::Draft::Draft4,
        Dialect::Draft6 => jsonschema::Draft::Draft6,
        Dialect::Draft7 => jsonschema::Draft::Draft7,
        Dialect::Draft2019_09 => jsonschema::Draft::Draft201909,
        Dialect::Draft2020_12 => jsonschema::Draft::Draft202012,
    };
    jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(false)
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json")
        .build(&plain(schema).ok()?)
        .ok()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    let mut witnesses: Option<std::fs::File> = None;
    let mut verbose = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--witnesses" => {
                let path = arguments.next().ok_or("--witnesses needs a file")?;
                witnesses = Some(std::fs::File::create(path)?);
            }
            "--verbose" => verbose = true,
            _ => files.push(argument),
        }
    }
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for file in files {
        for (number, line) in std::fs::read_to_string(&file)?.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let place = |what: &str| format!("{file}:{}: {what}", number + 1);
            let record = parse(line.as_bytes(), &Limits { depth: 1_000 })
                .map_err(|e| place(&e.to_string()))?
                .value;
            let text = |name: &str| record.get(name).and_then(Value::as_str);
            let answer = record
                .get("expect")
                .and_then(|e| e.get("old_valid_all_accepted_by_new"))
                .and_then(Value::as_bool);
            let labels = record.get("expect").and_then(|e| e.get("labels"));
            let disagrees = labels
                .and_then(Value::as_array)
                .unwrap_or_default()
                .iter()
                .any(|l| l.as_str() == Some("second-validator-disagrees"));
            let Some(answer) = answer.filter(|_| !disagrees) else {
                continue;
            };
            let has_witness = record
                .get("check")
                .is_none_or(|c| c.get("old_only").is_some());
            let (Some(old), Some(new)) = (record.get("old"), record.get("new")) else {
                return Err(place("no schemas").into());
            };
            let draft = text("draft")
                .and_then(dialect)
                .ok_or_else(|| place("no known draft"))?;
            let options = Options {
                new_dialect: text("draft_new").and_then(dialect).unwrap_or(draft),
                ..Options::for_dialect(draft)
            };
            let start = Instant::now();
            let verdict = inclusion(old, new, &options);
            let took = start.elapsed().as_secs_f64() * 1000.0;
            let score = scores
                .entry(text("source").unwrap_or("unnamed").to_owned())
                .or_default();
            score.times.push(took);
            score.scored += 1;
            let said = match &verdict {
                Verdict::Equal | Verdict::Included(_) => Some(true),
                Verdict::Broken(_) => Some(false),
                Verdict::Undecided(_) => None,
            };
            match (said, answer) {
                (None, _) => score.undecided += 1,
                (Some(true), false) if has_witness => score.missed_breaks += 1,
                (Some(true), false) => score.unwitnessed_labels += 1,
                (Some(false), true) => score.false_alarms += 1,
                _ => score.right += 1,
            }
            if let Verdict::Broken(witness) = &verdict {
                score.broken += 1;
                let value = plain(&witness.value)?;
                let accepted = |schema, dialect| {
                    validator(schema, dialect).is_some_and(|v| v.is_valid(&value))
                };
                let checked =
                    accepted(old, options.old_dialect) && !accepted(new, options.new_dialect);
                score.witnessed += usize::from(checked);
                if let Some(file) = &mut witnesses {
                    let line = serde_json::json!({
                        "id": text("id"), "draft": text("draft"), "draft_new": text("draft_new"),
                        "old": plain(old)?, "new": plain(new)?, "witness": value,
                    });
                    writeln!(file, "{line}")?;
                }
            }
            if verbose && said != Some(answer) {
                writeln!(
                    out,
                    "{answer} {took:.1}ms {:?} {}",
                    verdict,
                    text("id").unwrap_or("")
                )?;
            }
            if verbose && took > 20.0 {
                writeln!(out, "slow {took:.1}ms {}", text("id").unwrap_or(""))?;
            }
        }
    }
    writeln!(
        out,
        "{:<28} {:>6} {:>6} {:>6} {:>6} {:>9} {:>11} {:>8} {:>8} {:>8} {:>9}",
        "source",
        "scored",
        "right",
        "missed",
        "alarms",
        "undecided",
        "witnessed",
        "ms p50",
        "p95",
        "p99",
        "max"
    )?;
    let mut total = Score::default();
    for (name, score) in &scores {
        writeln!(out, "{}", score.row(name))?;
        total.add(score);
    }
    writeln!(out, "{}", total.row("total"))?;
    let sources: serde_json::Map<String, serde_json::Value> = scores
        .iter()
        .map(|(name, score)| (name.clone(), score.json()))
        .collect();
    let summary = serde_json::json!({ "total": total.json(), "sources": sources });
    writeln!(out, "{summary}")?;
    Ok(())
}
