//! The newest catalogs of real servers: what is found in them, rule by rule, and nothing else.
//!
//! Each finding was looked at. Needs `MCPLOCK_SUITES`; says loudly when it is not set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mcplock::catalog::{Catalog, Kind, read_saved};
use mcplock::fitness::{Roster, check_catalog, collisions, shared};
use mcplock::rules::{Level, judge_fault};

/// Every unfit item of the recorded catalogs, by server, rule and how many there are.
const UNFIT: &[(&str, &str, usize)] = &[
    // two zero-width spaces in the description of a parameter, left by a translation
    ("npm__@larksuiteoapi__lark-mcp", "hidden-text", 1),
    // schemas of nothing but `$schema`: SDK and schema library don't fit together
    (
        "npm__@modelcontextprotocol__server-gitlab",
        "root-not-object",
        9,
    ),
];

/// Every rule that advises, with the servers where it does and how many findings there are.
const ADVICE: &[(&str, &[&str], usize)] = &[
    // null where the type does not allow it, each of them
    (
        "default-refused",
        &[
            "pypi__awslabs-s3-tables-mcp-server",
            "pypi__lean-lsp-mcp",
            "pypi__minimax-mcp",
            "pypi__notebooklm-mcp-cli",
            "pypi__workspace-mcp",
        ],
        632,
    ),
    // a tool of ours for the test, without arguments and words
    (
        "description-missing",
        &[
            "hello__fastmcp-py",
            "hello__mcp-py-sdk",
            "hello__ts-sdk-zod4",
        ],
        3,
    ),
    // an empty `enum` on a required parameter: the tool can't be called
    ("unsatisfiable", &["npm__@netlify__mcp"], 1),
];

/// The newest recorded catalog of each server, by its folder.
fn newest_catalogs() -> Option<Vec<(String, Catalog)>> {
    let Some(root) = std::env::var_os("MCPLOCK_SUITES") else {
        println!("SKIPPED: MCPLOCK_SUITES is not set");
        return None;
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(Path::new(&root).join("corpus")).unwrap() {
        let server = entry.unwrap().path();
        let Some(newest) = newest(&server) else {
            continue;
        };
        let files: Vec<(PathBuf, Vec<u8>)> =
            ["initialize", "tools", "prompts", "resources", "templates"]
                .into_iter()
                .map(|file| newest.join(file).with_extension("json"))
                .filter_map(|path| Some((path.clone(), std::fs::read(&path).ok()?)))
                .collect();
        let name = server.file_name().unwrap().to_string_lossy().into_owned();
        found.push((name, read_saved(&files).unwrap()));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Some(found)
}

fn newest(server: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(server).ok()?;
    let folders = versions.map(|entry| entry.unwrap().path());
    folders
        .filter(|path| path.join("tools.json").exists())
        .max_by_key(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let parts = name.split(|c: char| !c.is_ascii_digit());
            parts
                .map(|part| part.parse::<u64>().unwrap_or(0))
                .collect::<Vec<_>>()
        })
}

#[test]
fn the_newest_catalogs_of_real_servers_have_these_findings_and_no_others() {
    let Some(catalogs) = newest_catalogs() else {
        return;
    };
    let mut tools = 0;
    let mut unfit: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut advice: BTreeMap<&str, (BTreeSet<&str>, usize)> = BTreeMap::new();
    for (name, catalog) in &catalogs {
        tools += catalog
            .items
            .iter()
            .filter(|item| item.kind == Kind::Tool)
            .count();
        for fault in check_catalog(catalog, None) {
            let finding = judge_fault(name, &fault);
            let place = format!("{name} {}{}", fault.label, fault.pointer);
            println!(
                "{} {}: {place}: {}",
                finding.level.word(),
                finding.rule,
                fault.message
            );
            if finding.level == Level::Unfit {
                *unfit.entry((name, finding.rule)).or_default() += 1;
            } else {
                let (servers, count) = advice.entry(finding.rule).or_default();
                servers.insert(name);
                *count += 1;
            }
        }
    }
    println!(
        "{} servers, {tools} tools; unfit: {unfit:?}; advice: {advice:?}",
        catalogs.len()
    );
    assert!(
        catalogs.len() > 80 && tools > 2_000,
        "{} {tools}",
        catalogs.len()
    );
    let known: BTreeMap<(&str, &str), usize> = UNFIT
        .iter()
        .map(|(server, rule, count)| ((*server, *rule), *count))
        .collect();
    assert_eq!(unfit, known);
    let known: BTreeMap<&str, (BTreeSet<&str>, usize)> = ADVICE
        .iter()
        .map(|(rule, servers, count)| (*rule, (servers.iter().copied().collect(), *count)))
        .collect();
    assert_eq!(advice, known);
}

/// All of them on one host: names that several servers have are common, and no fault.
#[test]
fn real_servers_side_by_side_collide_only_where_a_host_cuts_their_names() {
    let Some(catalogs) = newest_catalogs() else {
        return;
    };
    // what people call them: the package, or its owner where the package is called `mcp`
    let named: Vec<(String, Vec<String>)> = catalogs
        .iter()
        .map(|(folder, catalog)| {
            let parts = folder.split("__").filter(|part| *part != "mcp");
            let name = parts.last().unwrap().replace('@', "");
            let tools = catalog.items.iter().filter(|item| item.kind == Kind::Tool);
            (name, tools.filter_map(|item| item.key.clone()).collect())
        })
        .collect();
    let rosters: Vec<Roster<'_>> = named
        .iter()
        .map(|(name, tools)| Roster {
            server: name,
            profile: None,
            tools,
            judged: true,
        })
        .collect();
    let shared = shared(&rosters);
    println!("{} names stand in several servers", shared.len());
    assert!(shared.len() > 10);
    let found = collisions(&rosters);
    for (which, fault) in &found {
        println!(
            "{}: {}: {}",
            rosters[*which].server, fault.label, fault.message
        );
    }
    // names of more than 50 characters that differ at their end alone
    let owners: Vec<&str> = found
        .iter()
        .map(|(which, _)| rosters[*which].server)
        .collect();
    assert_eq!(owners, ["twilio-alpha"; 3]);
}
