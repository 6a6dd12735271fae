//! Scores the inclusion engine on labelled pairs of schemas.
//!
//! `score_pairs [--witnesses FILE] PAIRS.jsonl…` asks of each record whether every value valid
//! under `old` is accepted by `new` (any caller), prints a table by source, and as its last line
//! one JSON object. Records without an answer, or on which two validators disagree, do not count;
//! lines that can't be read are named on standard error and do not count either.
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

    /// Asks about a pair and counts the answer; returns it with the milliseconds it took.
    fn ask(&mut self, pair: &Pair) -> (Verdict, f64) {
        let start = Instant::now();
        let verdict = inclusion(&pair.old, &pair.new, &pair.options);
        let took = start.elapsed().as_secs_f64() * 1000.0;
        self.times.push(took);
        self.scored += 1;
        match (said(&verdict), pair.answer) {
            (None, _) => self.undecided += 1,
            (Some(true), false) if pair.has_witness => self.missed_breaks += 1,
            (Some(true), false) => self.unwitnessed_labels += 1,
            (Some(false), true) => self.false_alarms += 1,
            _ => self.right += 1,
        }
        if let Verdict::Broken(witness) = &verdict {
            self.broken += 1;
            self.witnessed += usize::from(pair.is_shown_by(&witness.value));
        }
        (verdict, took)
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

/// The name of a dialect in the records.
fn name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Draft4 => "draft4",
        Dialect::Draft6 => "draft6",
        Dialect::Draft7 => "draft7",
        Dialect::Draft2019_09 => "2019-09",
        Dialect::Draft2020_12 => "2020-12",
    }
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

/// One record that counts.
struct Pair {
    source: String,
    id: String,
    old: Value,
    new: Value,
    options: Options,
    answer: bool,
    /// Whether the record brings a value that shows the break, or does not say.
    has_witness: bool,
}

impl Pair {
    /// Reads a line; none for a record that is not scored.
    fn read(line: &str) -> Result<Option<Self>, String> {
        let record = parse(line.as_bytes(), &Limits { depth: 1_000 })
            .map_err(|error| error.to_string())?
            .value;
        let text = |name: &str| record.get(name).and_then(Value::as_str);
        let expect = record.get("expect");
        let answer = expect
            .and_then(|expect| expect.get("old_valid_all_accepted_by_new"))
            .and_then(Value::as_bool);
        let disagrees = expect
            .and_then(|expect| expect.get("labels"))
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .any(|label| label.as_str() == Some("second-validator-disagrees"));
        let Some(answer) = answer.filter(|_| !disagrees) else {
            return Ok(None);
        };
        let (Some(old), Some(new)) = (record.get("old"), record.get("new")) else {
            return Err("no schemas".to_owned());
        };
        let draft = text("draft").and_then(dialect).ok_or("no known draft")?;
        Ok(Some(Pair {
            source: text("source").unwrap_or("unnamed").to_owned(),
            id: text("id").unwrap_or_default().to_owned(),
            old: old.clone(),
            new: new.clone(),
            options: Options {
                new_dialect: text("draft_new").and_then(dialect).unwrap_or(draft),
                ..Options::for_dialect(draft)
            },
            answer,
            has_witness: record
                .get("check")
                .is_none_or(|check| check.get("old_only").is_some()),
        }))
    }

    /// Whether the library's own validators agree that `value` shows the break.
    fn is_shown_by(&self, value: &Value) -> bool {
        let Ok(value) = plain(value) else {
            return false;
        };
        let accepted =
            |schema, dialect| validator(schema, dialect).is_some_and(|v| v.is_valid(&value));
        accepted(&self.old, self.options.old_dialect)
            && !accepted(&self.new, self.options.new_dialect)
    }

    /// The record with a witness, for another validator to check.
    fn with(&self, witness: &Value) -> Result<serde_json::Value, serde_json::Error> {
        Ok(serde_json::json!({
            "id": self.id, "draft": name(self.options.old_dialect),
            "draft_new": name(self.options.new_dialect),
            "old": plain(&self.old)?, "new": plain(&self.new)?, "witness": plain(witness)?,
        }))
    }
}

/// What a verdict says of the question; none for one that is undecided.
fn said(verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Equal | Verdict::Included(_) => Some(true),
        Verdict::Broken(_) => Some(false),
        Verdict::Undecided(_) => None,
    }
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
    let mut err = std::io::stderr().lock();
    let mut bad = 0_usize;
    for file in files {
        let bytes = std::fs::read(&file).map_err(|error| format!("{file}: {error}"))?;
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let pair = match Pair::read(line) {
                Ok(Some(pair)) => pair,
                Ok(None) => continue,
                Err(what) => {
                    writeln!(err, "{file}:{}: {what}", number + 1)?;
                    bad += 1;
                    continue;
                }
            };
            let (verdict, took) = scores.entry(pair.source.clone()).or_default().ask(&pair);
            if let (Verdict::Broken(witness), Some(file)) = (&verdict, &mut witnesses) {
                writeln!(file, "{}", pair.with(&witness.value)?)?;
            }
            let said = said(&verdict);
            if verbose && said != Some(pair.answer) {
                let (answer, id) = (pair.answer, &pair.id);
                writeln!(out, "{answer} {took:.1}ms {verdict:?} {id}")?;
            }
            if verbose && took > 20.0 {
                writeln!(out, "slow {took:.1}ms {}", pair.id)?;
            }
        }
    }
    if bad > 0 {
        writeln!(err, "{bad} lines could not be read and are not scored")?;
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
    writeln!(
        out,
        "labels that say \"breaks\" and bring no value that does, where we say \"included\": {}",
        total.unwitnessed_labels
    )?;
    let sources: serde_json::Map<String, serde_json::Value> = scores
        .iter()
        .map(|(name, score)| (name.clone(), score.json()))
        .collect();
    let summary = serde_json::json!({ "total": total.json(), "sources": sources });
    writeln!(out, "{summary}")?;
    Ok(())
}
