//! The labelled pairs of other projects, if they are at hand (`MCPLOCK_SUITES`).

use std::path::PathBuf;

use mcplock::json::Value;
use mcplock::schema::Dialect;
use mcplock::schema::inclusion::{Options, Verdict, inclusion, tool_input};

use crate::pairs::json;

struct Pair {
    record: Value,
    options: Options,
}

impl Pair {
    fn old_schema(&self) -> &Value {
        self.record.get("old").expect("a pair has both schemas")
    }

    fn new_schema(&self) -> &Value {
        self.record.get("new").expect("a pair has both schemas")
    }

    fn expect(&self, name: &str) -> Option<&Value> {
        self.record.get("expect")?.get(name)
    }

    fn has_label(&self, label: &str) -> bool {
        let labels = self.expect("labels").and_then(Value::as_array);
        labels
            .unwrap_or_default()
            .iter()
            .any(|l| l.as_str() == Some(label))
    }

    fn id(&self) -> &str {
        self.record.get("id").and_then(Value::as_str).unwrap_or("?")
    }
}

fn dialect(name: Option<&Value>) -> Option<Dialect> {
    Some(match name?.as_str()? {
        "draft4" => Dialect::Draft4,
        "draft6" => Dialect::Draft6,
        "draft7" => Dialect::Draft7,
        "2019-09" => Dialect::Draft2019_09,
        _ => Dialect::Draft2020_12,
    })
}

/// What a test says that can't run.
const SKIPPED: &str = "SKIPPED: MCPLOCK_SUITES is not set, so the labelled pairs were not judged";

/// The pairs of a source, every `step`-th; none when the suites are not at hand.
fn pairs(source: &str, step: usize) -> Option<Vec<Pair>> {
    let root = std::env::var_os("MCPLOCK_SUITES")?;
    let path = PathBuf::from(root).join(format!("suites/pairs/{source}.jsonl"));
    let text = std::fs::read_to_string(&path).expect("the suites are whole");
    let pairs = text.lines().step_by(step).map(|line| {
        let record = json(line);
        let old_dialect = dialect(record.get("draft")).expect("a pair has a dialect");
        let new_dialect = dialect(record.get("draft_new")).unwrap_or(old_dialect);
        let options = Options {
            new_dialect,
            ..Options::for_dialect(old_dialect)
        };
        Pair { record, options }
    });
    Some(pairs.collect())
}

#[test]
fn labelled_pairs_are_judged_right_and_twice_the_same() {
    // Source, every n-th pair, percent right at least.
    for (source, step, floor) in [
        ("apicurio", 1, 100),
        ("atinseau-checker", 1, 99),
        ("atlassian-json-schema-diff", 1, 100),
        ("derived-equal", 4, 100),
        ("derived-mcp", 2, 100),
        ("getsentry-json-schema-diff", 1, 100),
        ("hypothesis-jsonschema", 1, 95),
        ("is-json-schema-subset", 1, 100),
        ("jsonsubschema", 2, 98),
        ("karapace", 1, 100),
        ("merge-allof", 1, 97),
        ("sdbs-containment", 17, 98),
        ("uneval-handwritten", 2, 100),
    ] {
        let Some(pairs) = pairs(source, step) else {
            eprintln!("{SKIPPED}");
            return;
        };
        let (mut right, mut scored) = (0, 0);
        for pair in pairs {
            let answer = pair
                .expect("old_valid_all_accepted_by_new")
                .and_then(Value::as_bool);
            let Some(answer) = answer.filter(|_| !pair.has_label("second-validator-disagrees"))
            else {
                continue;
            };
            let verdict = inclusion(pair.old_schema(), pair.new_schema(), &pair.options);
            assert_eq!(
                verdict,
                inclusion(pair.old_schema(), pair.new_schema(), &pair.options),
                "{}",
                pair.id()
            );
            let shown = pair.record.get("check").and_then(|c| c.get("old_only"));
            assert!(
                !(verdict.is_included() && shown.is_some()),
                "missed a break: {}",
                pair.id()
            );
            let said = match verdict {
                Verdict::Equal | Verdict::Included(_) => Some(true),
                Verdict::Broken(_) => Some(false),
                Verdict::Undecided(_) => None,
            };
            scored += 1;
            right += usize::from(said == Some(answer));
        }
        assert!(
            right * 100 >= scored * floor,
            "{source}: {right} of {scored}"
        );
    }
}

#[test]
fn every_labelled_argument_that_is_silently_ignored_is_found_with_a_call() {
    let Some(pairs) = pairs("derived-mcp", 1) else {
        eprintln!("{SKIPPED}");
        return;
    };
    for pair in pairs {
        let dropped = pair
            .expect("silently_ignored")
            .and_then(|s| s.get("dropped"));
        let judged = tool_input(pair.old_schema(), pair.new_schema(), &pair.options);
        let Some(dropped) = dropped.and_then(Value::as_array) else {
            if !pair.has_label("property-renamed") {
                assert_eq!(judged.ignored, [], "{}", pair.id());
            }
            continue;
        };
        for name in dropped.iter().filter_map(Value::as_str) {
            let found = judged.ignored.iter().find(|i| i.name == name);
            let call = found.and_then(|found| found.call.as_ref());
            assert!(call.is_some(), "{} {name}: {judged:?}", pair.id());
        }
    }
}

#[test]
fn a_careful_caller_keeps_to_the_labels_of_tool_changes() {
    let Some(pairs) = pairs("derived-mcp", 1) else {
        eprintln!("{SKIPPED}");
        return;
    };
    for pair in pairs {
        let judged = tool_input(pair.old_schema(), pair.new_schema(), &pair.options);
        let harmless =
            pair.has_label("optional-added-to-open-object") || pair.has_label("object-closed");
        // To close an object that demands a name it does not declare is to refuse every call.
        if harmless && !demands_an_undeclared_name(pair.new_schema()) {
            assert!(judged.careful.is_included(), "{}: {judged:?}", pair.id());
        }
        if pair.has_label("required-added") || pair.has_label("required-renamed") {
            assert!(
                matches!(judged.careful, Verdict::Broken(_)),
                "{}: {judged:?}",
                pair.id()
            );
        }
    }
}

fn demands_an_undeclared_name(schema: &Value) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    let mut names = required
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str);
    names.any(|name| {
        schema
            .get("properties")
            .is_none_or(|p| p.get(name).is_none())
    })
}
