//! Every rule on every fixture, and the page that documents them.
//!
//! A folder `testdata/rules/<rule>/` of a rule for changes holds `old.json`, `new.json` and `expect`
//! with one line a finding: level, item, place (`-` for the root) and rule. All rules look at each
//! pair, so that one that speaks up uncalled is seen. That of a rule for what a projection loses
//! holds `near.json` (what the server says), `expect`, and `far.json` (what arrives, in any format),
//! `call.json` and `received.json` (a call), or `provider` (whose documented subset is asked about).

#[path = "support/pinned.rs"]
mod pinned;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mcplock::catalog::{Catalog, read_saved};
use mcplock::compare::{Live, compare};
use mcplock::projection::{self, Loss, Near, Provider};
use mcplock::rules::{Finding, Subject, judge, judge_fault, judge_loss, reference, rules, sort};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn fixtures() -> PathBuf {
    project().join("testdata/rules")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn findings(folder: &Path) -> Vec<Finding> {
    if folder.join("near.json").exists() {
        return lost(folder);
    }
    let old = pinned::entry(&read(&folder.join("old.json")));
    let new = pinned::entry(&read(&folder.join("new.json")));
    let comparison = compare(&old, &Live::from(&new));
    let mut found: Vec<Finding> = comparison
        .drifts
        .iter()
        .flat_map(|drift| judge("server", drift))
        .collect();
    sort(&mut found);
    found
}

/// `call.json`, as a provider has it, against `received.json`.
fn of_call(folder: &Path, catalog: &Catalog) -> Vec<Loss> {
    let (sent, received) = (folder.join("call.json"), folder.join("received.json"));
    let call = projection::read_call(&sent, read(&sent).as_bytes()).expect("a call");
    let arguments = projection::read_arguments(&received, read(&received).as_bytes());
    let tool = projection::called("server", catalog, &call.name).expect("its tool");
    let schema = tool.value().get("inputSchema");
    let arguments = arguments.expect("arguments");
    projection::compare_call(&tool.label(), &call.arguments, &arguments, schema)
}

/// What the provider that `provider` names refuses or ignores.
fn for_provider(folder: &Path, catalog: &Catalog) -> Vec<Loss> {
    let word = read(&folder.join("provider"));
    let provider = Provider::ALL
        .into_iter()
        .find(|provider| provider.word() == word.trim())
        .expect("a provider");
    projection::lint(catalog, None, provider)
}

fn lost(folder: &Path) -> Vec<Finding> {
    let (near, far) = (folder.join("near.json"), folder.join("far.json"));
    let catalog = read_saved(&[(&near, read(&near))]).expect("a catalog");
    if !far.exists() {
        let losses = if folder.join("provider").exists() {
            for_provider(folder, &catalog)
        } else {
            of_call(folder, &catalog)
        };
        let judged = losses.iter().map(|loss| judge_loss("server", "far", loss));
        let mut found: Vec<Finding> = judged.collect();
        sort(&mut found);
        return found;
    }
    let far = projection::read(&far, read(&far).as_bytes()).expect("a projection");
    let near = Near {
        name: "server",
        catalog: &catalog,
        default_dialect: None,
    };
    let compared = projection::compare(&near, &far);
    let losses = compared.losses.iter();
    let mut found: Vec<Finding> = losses
        .map(|loss| judge_loss("server", "far.json", loss))
        .chain(
            compared
                .faults
                .iter()
                .map(|fault| judge_fault("server", fault)),
        )
        .collect();
    sort(&mut found);
    found
}

fn line(finding: &Finding) -> String {
    let pointer = match finding.pointer.as_str() {
        "" => "-",
        pointer => pointer,
    };
    let level = finding.level.word();
    format!("{level} {} {pointer} {}", finding.label, finding.rule)
}

#[test]
fn every_rule_says_what_it_should_and_no_other_rule_speaks_up() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let folder = fixtures().join(rule.id);
        if matches!(rule.subject, Subject::Fault { .. }) {
            continue;
        }
        let expected: BTreeSet<String> = read(&folder.join("expect"))
            .lines()
            .map(str::to_owned)
            .collect();
        assert!(
            expected
                .iter()
                .any(|line| line.ends_with(&format!(" {}", rule.id))),
            "{}: its own fixture does not expect it",
            rule.id
        );
        let found: BTreeSet<String> = findings(&folder).iter().map(line).collect();
        println!(
            "{}:\n  {}",
            rule.id,
            found.iter().cloned().collect::<Vec<_>>().join("\n  ")
        );
        for missing in expected.difference(&found) {
            wrong.push(format!("{}: missing    {missing}", rule.id));
        }
        for unexpected in found.difference(&expected) {
            wrong.push(format!("{}: unexpected {unexpected}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_fixture_belongs_to_a_rule() {
    let known: BTreeSet<&str> = rules().iter().map(|rule| rule.id).collect();
    for entry in fs::read_dir(fixtures()).expect("the fixtures") {
        let name = entry.expect("a folder").file_name();
        let name = name.to_string_lossy();
        assert!(known.contains(&*name), "{name} is no rule");
    }
}

#[test]
fn a_message_is_one_line_that_names_its_place_in_words() {
    for rule in rules() {
        let folder = fixtures().join(rule.id);
        if !folder.join("expect").exists() {
            continue;
        }
        for finding in findings(&folder) {
            let message = &finding.message;
            println!("{:10} {} {message}", finding.level.word(), finding.label);
            assert!(!message.contains('\n'), "{message}");
            assert!(!message.ends_with('.'), "{message}");
            assert!(!message.contains("/properties/"), "{message}");
            let undecided = finding.basis == mcplock::compare::Basis::Undecided;
            assert!(
                !undecided || message.contains("could not be decided"),
                "what could not be decided has to say so: {message}"
            );
        }
    }
}

#[test]
fn a_fingerprint_is_that_of_one_finding() {
    for rule in rules() {
        let folder = fixtures().join(rule.id);
        if folder.join("expect").exists() {
            let found = findings(&folder);
            let distinct: BTreeSet<&str> = found.iter().map(|f| f.fingerprint.as_str()).collect();
            assert_eq!(distinct.len(), found.len(), "{}", rule.id);
        }
    }
}

#[test]
fn the_page_of_rules_is_the_one_that_the_registry_makes() {
    let path = project().join("docs/rules.md");
    if std::env::var_os("MCPLOCK_BLESS").is_some() {
        fs::write(&path, reference()).expect("docs/rules.md");
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == reference(),
        "docs/rules.md is not current; make it again with MCPLOCK_BLESS=1 cargo test --test rules"
    );
}
