//! Real catalogs and reported cases, where they are at hand (`MCPLOCK_SUITES`).

#[path = "support/pinned.rs"]
mod pinned;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcplock::compare::{Basis, Callers, ChangeKind, Live, compare};
use mcplock::lock::Entry;
use mcplock::rules::{Finding, judge, sort};

fn suites(part: &str) -> Option<PathBuf> {
    std::env::var_os("MCPLOCK_SUITES").map(|folder| Path::new(&folder).join(part))
}

#[test]
fn it_is_said_loudly_when_nothing_is_at_hand() {
    if suites("").is_none() {
        println!(
            "SKIPPED: MCPLOCK_SUITES is not set, so no case and no recorded catalog is compared"
        );
    }
}

fn findings(old: &Entry, new: &Entry) -> Vec<Finding> {
    let comparison = compare(old, &Live::from(new));
    let drifts = comparison.drifts.iter();
    let mut found: Vec<Finding> = drifts.flat_map(|drift| judge("s", drift)).collect();
    sort(&mut found);
    found
}

/// The findings between two files of a case, as `level pointer`.
fn case(folder: &str, old: &str, new: &str) -> Option<Vec<String>> {
    let folder = suites("cases")?.join(folder);
    let entry = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).expect("a file of the case");
        pinned::entry(&text)
    };
    let found = findings(&entry(old), &entry(new));
    Some(
        found
            .iter()
            .map(|finding| format!("{} {}", finding.level.word(), finding.pointer))
            .collect(),
    )
}

#[test]
fn a_description_that_changed_after_approval_is_drift_of_that_tool_alone() {
    if let Some(found) = case("20-rug-pull-description", "old.json", "new.json") {
        assert_eq!(found, ["risky /description"]);
    }
}

#[test]
fn annotations_title_and_output_schema_are_part_of_the_contract() {
    let found = case(
        "21-annotations-and-output-schema-count",
        "old.json",
        "new.json",
    );
    if let Some(found) = found {
        assert_eq!(
            found,
            [
                "breaking /outputSchema/properties/files",
                "risky /annotations/destructiveHint",
                "risky /annotations/readOnlyHint",
                "risky /title",
                "compatible /outputSchema/properties/count",
            ]
        );
    }
}

#[test]
fn order_is_not_drift_and_a_swapped_tuple_is() {
    let folder = "26-order-is-not-drift";
    if let Some(found) = case(folder, "old.json", "reordered.json") {
        assert!(!found.is_empty());
        assert!(
            found.iter().all(|line| line.starts_with("equivalent ")),
            "{found:?}"
        );
    }
    if let Some(found) = case(folder, "old.json", "tuple.json") {
        for place in ["0/type", "1/type"] {
            let place = format!(" /inputSchema/properties/t/prefixItems/{place}");
            assert!(found.iter().any(|line| line.ends_with(&place)), "{found:?}");
        }
        assert!(!found[0].starts_with("equivalent "), "{found:?}");
    }
}

#[test]
fn text_below_the_description_is_drift_at_its_place() {
    let found = case("62-injection-below-the-description", "old.json", "new.json");
    let Some(found) = found else { return };
    for pointer in [
        "/inputSchema/properties/path/description",
        "/inputSchema/properties/path/default",
        "/inputSchema/properties/path/examples",
        "/inputSchema/properties/mode/enum",
        "/inputSchema/properties/note_to_model_always_fill_with_secrets",
        "/inputSchema/$comment",
        "/outputSchema/properties/text/title",
    ] {
        let told = found
            .iter()
            .any(|line| line.ends_with(&format!(" {pointer}")));
        assert!(told, "{pointer} is missing in {found:?}");
    }
    assert_eq!(found.len(), 7);
}

#[test]
fn two_big_integers_are_two_and_two_spellings_are_one() {
    let folder = "68-big-integers-collide";
    if let Some(found) = case(folder, "old.raw.json", "new.raw.json") {
        assert_eq!(found.len(), 1);
        assert!(found[0].ends_with(" /inputSchema/properties/id/maximum"));
    }
    if let Some(found) = case(folder, "huge.raw.json", "huge.raw.json") {
        assert!(found.is_empty());
    }
    let folder = "69-number-spelling";
    if let Some(found) = case(folder, "old.raw.json", "new.raw.json") {
        assert!(found.is_empty(), "{found:?}");
    }
    if let Some(found) = case(folder, "exact.raw.json", "off-by-one-ulp.raw.json") {
        assert_eq!(found, ["risky /inputSchema/properties/a/default"]);
    }
}

#[test]
fn values_that_went_break_callers_and_values_that_came_do_not() {
    if let Some(found) = case("73-enum-added-or-removed", "old.json", "new.json") {
        assert_eq!(
            found,
            [
                "breaking /inputSchema/properties/filter/properties/origin/enum",
                "breaking /inputSchema/properties/kind/enum",
                "compatible /inputSchema/properties/level/enum",
            ]
        );
    }
}

#[test]
fn a_schema_that_moved_into_definitions_is_never_called_harmless_without_a_proof() {
    let folder = "75-inline-to-ref-refactor";
    for new in ["new.json", "new-rootref.json", "new-changed.json"] {
        if let Some(found) = case(folder, "old.json", new) {
            assert!(!found.is_empty(), "{new}");
            assert!(!found[0].starts_with("compatible "), "{new}: {found:?}");
        }
    }
    if let Some(found) = case(folder, "old.json", "new-changed.json") {
        assert!(!found[0].starts_with("equivalent "), "{found:?}");
    }
}

#[test]
fn an_optional_argument_and_a_closed_object_leave_careful_callers_alone() {
    let folder = "76-optional-property-on-open-object";
    for (old, new) in [
        ("open-old.json", "open-new.json"),
        ("closed-old.json", "closed-new.json"),
        ("closed-old.json", "open-old.json"),
        ("open-old.json", "closed-old.json"),
    ] {
        if let Some(found) = case(folder, old, new) {
            assert_eq!(found.len(), 1);
            assert!(
                found[0].starts_with("compatible "),
                "{old} -> {new}: {found:?}"
            );
        }
    }
}

#[test]
fn a_boolean_schema_and_an_empty_one_are_one() {
    let folder = "06-boolean-property-schema";
    if let Some(found) = case(folder, "old.json", "new-equivalent.json") {
        assert_eq!(found, ["equivalent /inputSchema/properties/model"]);
    }
    if let Some(found) = case(folder, "old.json", "new-narrower.json") {
        assert_eq!(found, ["breaking /inputSchema/properties/model/type"]);
    }
}

/// A version as numbers, so that 1.10 comes after 1.9.
fn version(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect()
}

/// The recorded catalog in `folder`, all lists of it.
fn recorded(folder: &Path) -> Option<Entry> {
    let mut items = Vec::new();
    for name in [
        "tools.json",
        "prompts.json",
        "resources.json",
        "templates.json",
    ] {
        let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
        for line in text.lines().filter(|line| line.contains("\"result\"")) {
            items.extend(pinned::items(line));
        }
    }
    let mut entry = pinned::entry("{}");
    entry.items = items;
    (!entry.items.is_empty()).then_some(entry)
}

/// The folders in `folder`, oldest version first.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (version(&name), name.into_owned())
    });
    found
}

#[test]
fn every_contract_that_moved_between_two_versions_has_a_finding_and_no_other_has() {
    let Some(corpus) = suites("corpus") else {
        return;
    };
    let mut pairs = 0;
    for package in folders(&corpus) {
        let entries: Vec<Entry> = folders(&package)
            .iter()
            .filter_map(|folder| recorded(folder))
            .collect();
        for pair in entries.windows(2) {
            pairs += 1;
            let contracts = |entry: &Entry| -> BTreeMap<String, String> {
                let items = entry.items.iter();
                items
                    .map(|item| (item.label(), item.contract.to_string()))
                    .collect()
            };
            let (old, new) = (contracts(&pair[0]), contracts(&pair[1]));
            let labels: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            let moved: BTreeSet<&String> = labels
                .into_iter()
                .filter(|label| old.get(*label) != new.get(*label))
                .collect();
            let found = findings(&pair[0], &pair[1]);
            let told: BTreeSet<&String> = found.iter().map(|finding| &finding.label).collect();
            assert_eq!(told, moved, "{}", package.display());
            for finding in &found {
                assert!(
                    !finding.message.contains(char::is_control),
                    "{}",
                    finding.message
                );
            }
        }
    }
    assert!(pairs >= 100, "only {pairs} pairs");
}

/// What a label says of a pair; nothing where it is not settled, where validators disagree, or where
/// no value shows what it says.
fn label(record: &serde_json::Value) -> Option<bool> {
    let labels = record["expect"]["labels"].as_array()?;
    let disputed = labels
        .iter()
        .any(|label| label == "second-validator-disagrees");
    let settled = record["expect"]["old_valid_all_accepted_by_new"].as_bool();
    settled.filter(|accepted| !disputed && (*accepted || !record["check"]["old_only"].is_null()))
}

/// `schema` with its dialect written into it, where it can hold one and has none.
fn declaring(schema: &serde_json::Value, draft: &str) -> serde_json::Value {
    let uri = match draft {
        "draft4" => "http://json-schema.org/draft-04/schema#",
        "draft6" => "http://json-schema.org/draft-06/schema#",
        "draft7" => "http://json-schema.org/draft-07/schema#",
        "2019-09" => "https://json-schema.org/draft/2019-09/schema",
        _ => "https://json-schema.org/draft/2020-12/schema",
    };
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        object.entry("$schema").or_insert(uri.into());
    }
    schema
}

/// Whether only a caller who sends names that the old schema does not declare meets the difference:
/// those of the witness are not declared at the root.
fn is_careless(record: &serde_json::Value) -> bool {
    let witness = record["check"]["old_only"].as_object();
    witness.is_some_and(|witness| {
        let declared = &record["old"]["properties"];
        witness.keys().any(|name| declared.get(name).is_none())
    })
}

#[test]
fn no_claim_contradicts_the_label_of_a_pair() {
    let Some(folder) = suites("suites/pairs") else {
        return;
    };
    let (mut judged, mut broken, mut fine, mut wrong) = (0, 0, 0, Vec::new());
    for file in fs::read_dir(folder).expect("a folder") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a text");
        for line in text.lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("a record");
            let Some(accepted) = label(&record) else {
                continue;
            };
            let draft = record["draft"].as_str().expect("a dialect");
            let draft_new = record["draft_new"].as_str().unwrap_or(draft);
            let entry = |schema: &serde_json::Value, draft: &str| {
                let schema = declaring(schema, draft);
                let tool = serde_json::json!({"name": "t", "inputSchema": schema});
                pinned::entry(&serde_json::json!({"tools": [tool]}).to_string())
            };
            let old = entry(&record["old"], draft);
            let new = entry(&record["new"], draft_new);
            let comparison = compare(&old, &Live::from(&new));
            let changes: Vec<_> = comparison.drifts.iter().flat_map(|d| &d.changes).collect();
            judged += 1;
            // What a careful caller does not meet, and what narrows a meaning and not a set.
            let about_names = |kind: ChangeKind| {
                matches!(
                    kind,
                    ChangeKind::ArgumentAdded
                        | ChangeKind::Closed
                        | ChangeKind::ArgumentRemoved
                        | ChangeKind::InputSchemaEmptied
                )
            };
            let breaks = changes
                .iter()
                .find(|change| change.callers == Callers::Narrower && !about_names(change.kind));
            let proved = changes
                .iter()
                .all(|change| change.callers <= Callers::Wider && !about_names(change.kind));
            match (breaks, proved, accepted) {
                (Some(_), _, false) => broken += 1,
                (None, true, true) => fine += 1,
                // A value that the validator judged on both sides is worth more than a label.
                (Some(change), _, true) if change.basis == Basis::Witness => {}
                (Some(change), _, true) => {
                    wrong.push(format!("{}: breaks nothing: {change:?}", record["id"]));
                }
                (None, true, false) if is_careless(&record) => {}
                (None, true, false) => wrong.push(format!("{}: called harmless", record["id"])),
                (None, false, _) => {}
            }
        }
    }
    println!("{judged} pairs: {broken} proved to break, {fine} proved harmless");
    assert!(
        wrong.is_empty(),
        "{}\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
