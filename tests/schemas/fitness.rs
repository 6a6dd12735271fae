//! What is unfit and what is not: each rule's fixtures, real catalogs, and the recorded cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcplock::catalog::{Catalog, Instructions, Item, Kind};
use mcplock::fitness::{Fault, FaultKind, Settings, check_catalog, check_with};
use mcplock::json::{Limits, parse};
use mcplock::protocol::Revision;
use serde_json::value::RawValue;

/// The folder of fixtures for each kind of fault.
fn rule(kind: FaultKind) -> String {
    let name = format!("{kind:?}");
    let mut id = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !id.is_empty() {
            id.push('-');
        }
        id.extend(c.to_lowercase());
    }
    id
}

/// A catalog from list results, one a line or one alone.
fn catalog(text: &str, revision: Option<Revision>) -> Catalog {
    let mut items = Vec::new();
    let mut instructions = Instructions::Unknown;
    let mut revision = revision;
    let results =
        serde_json::Deserializer::from_str(text).into_iter::<BTreeMap<String, Box<RawValue>>>();
    for result in results {
        let mut result = result.unwrap();
        if let Some(inner) = result.remove("result") {
            result = serde_json::from_str(inner.get()).unwrap();
        }
        for kind in Kind::ALL {
            let Some(list) = result.get(kind.list_member()) else {
                continue;
            };
            let list: Vec<Box<RawValue>> = serde_json::from_str(list.get()).unwrap();
            for raw in list {
                items.push(Item::new(kind, items.len(), raw.get().into()));
            }
        }
        if let Some(text) = result.get("instructions") {
            let document = parse(text.get().as_bytes(), &Limits::default()).unwrap();
            instructions = Instructions::Present(document);
        }
        if let Some(version) = result.get("protocolVersion") {
            let version: String = serde_json::from_str(version.get()).unwrap();
            revision = revision.or(Revision::parse(&version));
        }
    }
    Catalog {
        revision,
        declared: Vec::new(),
        implementation: None,
        instructions,
        listed: Vec::new(),
        unknown: Vec::new(),
        items,
        remarks: Vec::new(),
        doubts: Vec::new(),
    }
}

fn faults(path: &Path) -> Vec<Fault> {
    let text = std::fs::read_to_string(path).unwrap();
    let settings = Settings {
        default_dialect: None,
        reserved_arguments: serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .and_then(|whole| serde_json::from_value(whole["reservedArguments"].clone()).ok())
            .unwrap_or_default(),
        ..Settings::default()
    };
    check_with(&catalog(&text, None), &settings)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rules")
}

#[test]
fn each_fixture_shows_its_own_fault_and_no_other() {
    let mut seen = 0;
    for entry in std::fs::read_dir(fixtures()).unwrap() {
        let folder = entry.unwrap().path();
        let id = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !folder.join("fail.json").exists() {
            continue;
        }
        seen += 1;
        let found = faults(&folder.join("fail.json"));
        assert!(!found.is_empty(), "{id}: the failing fixture passes");
        for fault in &found {
            assert_eq!(rule(fault.kind), id, "{fault:?}");
        }
        let quiet = faults(&folder.join("pass.json"));
        assert!(quiet.is_empty(), "{id}: {quiet:?}");
    }
    assert!(seen >= 15);
}

#[test]
fn each_kind_of_fault_has_fixtures() {
    for kind in FaultKind::ALL {
        // a schema that is too large would be megabytes, and `hostile` makes one; a secret
        // and a name in another server are no matter of one list
        let elsewhere = [
            FaultKind::SchemaTooLarge,
            FaultKind::SecretEcho,
            FaultKind::NameCollision,
        ];
        if elsewhere.contains(&kind) {
            continue;
        }
        let folder = fixtures().join(rule(kind));
        assert!(folder.join("fail.json").exists(), "{kind:?}");
    }
}

#[test]
fn a_message_holds_neither_credentials_nor_payload() {
    let found = faults(&fixtures().join("external-ref/fail.json"));
    for fault in &found {
        for word in ["secret", "user", "token", "common"] {
            assert!(!fault.message.contains(word), "{}", fault.message);
        }
    }
    assert!(found[0].message.contains("`https://schemas.example`"));
}

#[test]
fn a_reserved_argument_is_found_wherever_it_is_declared_and_told_once() {
    let found = faults(&fixtures().join("reserved-argument/fail.json"));
    let places: Vec<String> = found
        .iter()
        .map(|fault| format!("{} {}", fault.label, fault.pointer))
        .collect();
    assert_eq!(
        places,
        [
            "tool:t /inputSchema/properties/_exec_ctx",
            "tool:combined /inputSchema/allOf/0/properties/_exec_ctx",
            "tool:required /inputSchema/required/0",
        ]
    );
}

/// Everything that a tool may be asked about, told apart by revision.
#[test]
fn an_output_schema_must_be_an_object_only_before_2026() {
    let text = r#"{"tools":[{"name":"t","description":"x","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}]}"#;
    let kinds = |revision| -> Vec<FaultKind> {
        check_catalog(&catalog(text, Some(revision)), None)
            .iter()
            .map(|fault| fault.kind)
            .collect()
    };
    assert_eq!(kinds(Revision::V2025_11_25), [FaultKind::RootNotObject]);
    assert_eq!(kinds(Revision::V2026_07_28), []);
}

#[test]
fn what_is_no_schema_is_told_apart_from_a_missing_one() {
    let kind = |schema: &str| {
        let text =
            format!(r#"{{"tools":[{{"name":"t","description":"x","inputSchema":{schema}}}]}}"#);
        let found = check_catalog(&catalog(&text, None), None);
        assert_eq!(found.len(), 1, "{schema}: {found:?}");
        found[0].kind
    };
    for schema in [
        "null",
        "true",
        "[]",
        "5",
        "\"object\"",
        "{}",
        r#"{"type":"array"}"#,
    ] {
        assert_eq!(kind(schema), FaultKind::RootNotObject, "{schema}");
    }
    assert_eq!(
        kind(r#"{"type":"object","properties":null}"#),
        FaultKind::NotWellFormed
    );
}

fn shared(part: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MCPLOCK_SUITES").map(|root| Path::new(&root).join(part));
    if folder.is_none() {
        println!("SKIPPED: MCPLOCK_SUITES is not set");
    }
    folder
}

#[test]
fn the_recorded_cases_come_out_as_expected() {
    let Some(cases) = shared("cases") else { return };
    let mut judged = 0;
    for entry in std::fs::read_dir(&cases).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("expect.json")) else {
            continue;
        };
        let expect: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mode = expect["mode"].as_str().unwrap_or_default();
        if !mode.contains("check") || !folder.join("tools.json").exists() {
            continue;
        }
        let found = faults(&folder.join("tools.json"));
        let of = |tool: &str| -> Vec<(String, String)> {
            let label = format!("tool:{tool}");
            let own = found.iter().filter(|fault| fault.label == label);
            own.map(|fault| (rule(fault.kind), fault.pointer.to_string()))
                .collect()
        };
        for wanted in expect["findings"].as_array().into_iter().flatten() {
            if wanted.get("in").is_some() {
                continue;
            }
            let tool = wanted["tool"].as_str().unwrap();
            let id = wanted["rule"].as_str().unwrap();
            let pointer = wanted["pointer"].as_str();
            let matches = of(tool).iter().any(|(found, at)| {
                found == id && pointer.is_none_or(|pointer| at.ends_with(pointer))
            });
            assert!(matches, "{}: {wanted}: {:?}", folder.display(), of(tool));
            judged += 1;
        }
        for clean in expect["clean_tools"].as_array().into_iter().flatten() {
            let tool = clean.as_str().unwrap();
            assert_eq!(of(tool), [], "{}: {tool}", folder.display());
            judged += 1;
        }
        if expect["exit_class"] == "clean" {
            assert!(found.is_empty(), "{}: {found:?}", folder.display());
        }
    }
    assert!(judged >= 20, "{judged}");
}

#[test]
fn a_name_that_stands_twice_is_found() {
    let Some(cases) = shared("cases") else { return };
    let found = faults(&cases.join("29-duplicate-tool-names/tools.json"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, FaultKind::DuplicateItem);
}
