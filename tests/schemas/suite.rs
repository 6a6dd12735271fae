//! The required tests of JSON-Schema-Test-Suite, through the one validator of the product.
//!
//! Needs `MCPLOCK_SUITES`; says loudly when it is not set.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mcplock::canonical::canonical;
use mcplock::catalog::{Catalog, Instructions, Item, Kind};
use mcplock::fitness::{FaultKind, check_catalog};
use mcplock::json::{Limits, Value, parse};
use mcplock::rules::{Level, judge_fault};
use mcplock::schema::{Dialect, Unusable, Validator, Verdict};

/// Groups of tests (or whole files, by `*`) that are not judged, and why: their schemas refer to
/// documents that the suite serves from `localhost:1234`, and mcplock fetches none, ever.
const NOT_JUDGED: &[(&str, &str, Refused)] = &[
    ("draft7/refRemote", "*", Refused::Reference),
    ("draft2019-09/refRemote", "*", Refused::Reference),
    ("draft2020-12/refRemote", "*", Refused::Reference),
    (
        "draft2020-12/dynamicRef",
        "$ref and $dynamicAnchor are independent of order - $defs first",
        Refused::Reference,
    ),
    (
        "draft2020-12/dynamicRef",
        "$ref and $dynamicAnchor are independent of order - $ref first",
        Refused::Reference,
    ),
    (
        "draft2020-12/dynamicRef",
        "$ref to $dynamicRef finds detached $dynamicAnchor",
        Refused::Reference,
    ),
    (
        "draft2020-12/dynamicRef",
        "strict-tree schema, guards against misspelled properties",
        Refused::Reference,
    ),
    (
        "draft2020-12/dynamicRef",
        "tests for implementation dynamic anchor and reference link",
        Refused::Reference,
    ),
    // their `$schema` is a metaschema at `localhost:1234`
    (
        "draft2019-09/vocabulary",
        "ignore unrecognized optional vocabulary",
        Refused::Dialect,
    ),
    (
        "draft2019-09/vocabulary",
        "schema that uses custom metaschema with with no validation vocabulary",
        Refused::Dialect,
    ),
    (
        "draft2020-12/vocabulary",
        "ignore unrecognized optional vocabulary",
        Refused::Dialect,
    ),
    (
        "draft2020-12/vocabulary",
        "schema that uses custom metaschema with with no validation vocabulary",
        Refused::Dialect,
    ),
];

/// How a schema is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    Reference,
    Dialect,
}

fn suites() -> Option<PathBuf> {
    let folder = std::env::var_os("MCPLOCK_SUITES").map(PathBuf::from);
    if folder.is_none() {
        println!("SKIPPED: MCPLOCK_SUITES is not set");
    }
    folder
}

fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap();
    let document = parse(&text, &Limits { depth: 256 }).unwrap();
    assert!(document.defects.is_empty(), "{}", path.display());
    document.value
}

#[test]
fn the_required_tests_of_the_suite_pass() {
    let Some(folder) = suites() else { return };
    let tests = folder.join("suites/vendor/JSON-Schema-Test-Suite/tests");
    let mut passed = 0;
    let mut wrong = Vec::new();
    let mut met = BTreeSet::new();
    for (draft, dialect) in [
        ("draft7", Dialect::Draft7),
        ("draft2019-09", Dialect::Draft2019_09),
        ("draft2020-12", Dialect::Draft2020_12),
    ] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(tests.join(draft))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .collect();
        files.sort();
        for file in files {
            let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
            for group in read(&file).as_array().unwrap() {
                let text = |v: &Value| v.get("description").unwrap().as_str().unwrap().to_owned();
                let (file, title) = (format!("{draft}/{stem}"), text(group));
                let name = format!("{file}: {title}");
                let listed = NOT_JUDGED.iter().find(|(in_file, group, _)| {
                    *in_file == file && (*group == "*" || *group == title)
                });
                let validator = match Validator::new(group.get("schema").unwrap(), dialect) {
                    Ok(validator) => validator,
                    Err(why) => {
                        let refused = match why {
                            Unusable::Reference(_) => Some(Refused::Reference),
                            Unusable::UnknownDialect(_) => Some(Refused::Dialect),
                            _ => None,
                        };
                        match listed {
                            Some((file, group, reason)) if refused == Some(*reason) => {
                                met.insert((file, group));
                            }
                            _ => wrong.push(format!("{name}: {why:?}")),
                        }
                        continue;
                    }
                };
                for test in group.get("tests").unwrap().as_array().unwrap() {
                    let valid = test.get("valid").unwrap().as_bool().unwrap();
                    let verdict = validator.validate(test.get("data").unwrap());
                    let right = match &verdict {
                        Verdict::Valid => valid,
                        Verdict::Invalid(reasons) => !valid && !reasons.is_empty(),
                        Verdict::OverBudget(_) => false,
                    };
                    if right {
                        passed += 1;
                    } else {
                        wrong.push(format!("{name}: {}: {verdict:?}", text(test)));
                    }
                }
            }
        }
    }
    println!("{passed} tests passed");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(passed > 3_000);
    for (file, group, _) in NOT_JUDGED {
        assert!(
            met.contains(&(file, group)),
            "judged after all: {file}: {group}"
        );
    }
}

/// Groups whose schemas have control characters in names and values: hidden from people, and so
/// unfit, though legal.
const CONTROL_CHARACTERS: &[&str] = &[
    "nul characters in strings",
    "dependencies with escaped characters",
    "schema dependencies with escaped characters",
    "properties with escaped characters",
    "required with escaped characters",
];

/// Every schema of the suite is legal: what is unfit must be so for a known reason.
#[test]
fn the_schemas_of_the_suite_are_fit_unless_they_lead_outside_or_hide_characters() {
    let Some(folder) = suites() else { return };
    let tests = folder.join("suites/vendor/JSON-Schema-Test-Suite/tests");
    let mut judged = 0;
    let mut unexpected = Vec::new();
    let mut outside = 0;
    for (draft, dialect) in [
        ("draft7", Dialect::Draft7),
        ("draft2019-09", Dialect::Draft2019_09),
        ("draft2020-12", Dialect::Draft2020_12),
    ] {
        let mut files = Vec::new();
        json_files(&tests.join(draft), &mut files);
        for file in files {
            let name = file.strip_prefix(&tests).unwrap().with_extension("");
            let name = name.display().to_string();
            for group in read(&file).as_array().unwrap() {
                let title = group.get("description").unwrap().as_str().unwrap();
                let schema = group.get("schema").unwrap();
                if schema.as_object().is_none() {
                    continue;
                }
                judged += 1;
                // as for the tests, and the optional ones lead there too
                let leads_outside = name.contains("/optional/")
                    && canonical(schema).contains("localhost:1234")
                    || NOT_JUDGED.iter().any(|(in_file, group, _)| {
                        *in_file == name && (*group == "*" || *group == title)
                    });
                for kind in unfit(schema, dialect) {
                    let remote = [FaultKind::ExternalRef, FaultKind::UnknownDialect];
                    if leads_outside && remote.contains(&kind) {
                        outside += 1;
                    } else if kind != FaultKind::HiddenText || !CONTROL_CHARACTERS.contains(&title)
                    {
                        unexpected.push(format!("{name}: {title}: {kind:?}"));
                    }
                }
            }
        }
    }
    println!("{judged} schemas judged, {outside} lead to documents that the suite serves");
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    assert!(judged > 1_200, "{judged}");
}

/// What is unfit about a tool with this schema, whatever type its root has.
fn unfit(schema: &Value, dialect: Dialect) -> BTreeSet<FaultKind> {
    let raw = format!(
        r#"{{"name":"t","description":"x","inputSchema":{}}}"#,
        canonical(schema)
    );
    let catalog = Catalog {
        revision: None,
        declared: Vec::new(),
        implementation: None,
        instructions: Instructions::Unknown,
        listed: vec![Kind::Tool],
        unknown: Vec::new(),
        items: vec![Item::new(Kind::Tool, 0, raw.into())],
        remarks: Vec::new(),
        doubts: Vec::new(),
    };
    check_catalog(&catalog, Some(dialect))
        .into_iter()
        .filter(|fault| judge_fault("s", fault).level == Level::Unfit)
        .map(|fault| fault.kind)
        .filter(|kind| *kind != FaultKind::RootNotObject)
        .collect()
}

fn json_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            json_files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            found.push(path);
        }
    }
    found.sort();
}
