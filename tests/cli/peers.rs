//! One server over every transport and in every revision: the contracts are the same, and what
//! differs is named (`docs/servers.md`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::project::Project;
use crate::real::{Installed, Peer, Reach, rmcp};

const MODERN: &str = "2026-07-28";
const HANDSHAKE: &str = "2025-11-25";
const OLDEST: &str = "2024-11-05";

/// A pinned catalog: the revision, the instructions' digest, and every item as it was sent.
#[derive(Debug, PartialEq)]
struct Pinned {
    revision: String,
    instructions: Option<String>,
    items: BTreeMap<String, Value>,
}

fn read(lockfile: &str) -> Pinned {
    let lock: toml::Table = lockfile.parse().unwrap();
    let server = &lock["server"][0];
    let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let mut items = BTreeMap::new();
    for kind in ["tool", "prompt", "resource", "resource_template"] {
        let of_kind = server.get(kind).and_then(toml::Value::as_array);
        for item in of_kind.into_iter().flatten() {
            let keys = ["name", "uri", "uri_template"];
            let key = keys.into_iter().find_map(|key| item.get(key)).unwrap();
            let definition = serde_json::from_str(item["definition"].as_str().unwrap()).unwrap();
            items.insert(format!("{kind} {}", text(key)), definition);
        }
    }
    Pinned {
        revision: text(&server["protocol"]),
        instructions: server.get("instructions").map(text),
        items,
    }
}

fn project_of(name: &str, entry: &Value) -> Project {
    let project = Project::new();
    let config = json!({ "mcpServers": { name: entry } });
    project.write(".mcp.json", config.to_string());
    project
}

/// What each item has on one side only, or otherwise on both: `tool ship: execution`.
fn differences(one: &Pinned, other: &Pinned) -> Vec<String> {
    let mut found = Vec::new();
    if one.instructions != other.instructions {
        found.push("instructions".to_owned());
    }
    let keys: std::collections::BTreeSet<&String> =
        one.items.keys().chain(other.items.keys()).collect();
    for key in keys {
        let (Some(a), Some(b)) = (one.items.get(key), other.items.get(key)) else {
            found.push(format!("{key}: the whole item"));
            continue;
        };
        let (a, b) = (a.as_object().unwrap(), b.as_object().unwrap());
        let members: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for member in members {
            if a.get(member) != b.get(member) {
                found.push(format!("{key}: {member}"));
            }
        }
    }
    found
}

/// What is true of a server over one transport.
struct Expected {
    peer: Peer,
    /// The revision that is spoken when nothing is asked for.
    newest: &'static str,
}

/// Pins a server over each transport, once as it comes and once in each revision, and insists that
/// the contracts are the same but for `known`: revision and difference.
fn same_everywhere(least: usize, expected: &[Expected], known: &[(&str, &str)]) {
    let mut first: Option<Pinned> = None;
    let mut compared = 0;
    for Expected { peer, newest } in expected {
        let started = peer.start(None);
        let on = format!("{} over {:?}", peer.name, peer.reach);
        for asked in [None, Some(MODERN), Some(HANDSHAKE), Some(OLDEST)] {
            let project = project_of(&peer.name, &started.entry);
            let mut args = vec!["pin"];
            args.extend(asked.iter().flat_map(|asked| ["--protocol", *asked]));
            if asked == Some(MODERN) && *newest != MODERN {
                let refused = project.expect(3, &args);
                refused.says("it does not speak 2026-07-28");
                assert!(!project.has("mcp-lock.toml"), "{on}");
                continue;
            }
            project.expect(0, &args);
            let pinned = read(&project.lockfile());
            assert_eq!(pinned.revision, asked.unwrap_or(newest), "{on}");
            if asked.is_none() {
                project.expect(0, &["verify"]);
            }
            let Some(first) = &first else {
                assert!(pinned.items.len() >= least, "{on}: {:?}", pinned.items);
                first = Some(pinned);
                continue;
            };
            let expected: Vec<&str> = known
                .iter()
                .filter(|(revision, _)| *revision == pinned.revision)
                .map(|(_, difference)| *difference)
                .collect();
            assert_eq!(differences(first, &pinned), expected, "{on}, {asked:?}");
            compared += 1;
        }
    }
    eprintln!(
        "{}: {compared} catalogs are the same",
        expected[0].peer.name
    );
}

fn over(newest: &'static str, peers: impl IntoIterator<Item = Peer>) -> Vec<Expected> {
    let expected = |peer| Expected { peer, newest };
    peers.into_iter().map(expected).collect()
}

#[test]
fn the_typescript_sdk_serves_the_same_contracts_but_for_what_the_new_era_has_no_more() {
    let Some(installed) = Installed::with(&["typescript-sdk"]) else {
        return;
    };
    let peers = [Reach::Pipes, Reach::Http].map(|reach| installed.typescript(reach));
    same_everywhere(
        6,
        &over(MODERN, peers),
        &[
            (HANDSHAKE, "tool ship: execution"),
            (OLDEST, "tool ship: execution"),
        ],
    );
}

#[test]
fn rmcp_serves_the_same_contracts_as_streams_and_as_plain_json() {
    let mut plain = rmcp(Reach::Http);
    plain.words.push("--json".to_owned());
    let peers = [rmcp(Reach::Pipes), rmcp(Reach::Http), plain];
    same_everywhere(5, &over(MODERN, peers), &[]);
}

#[test]
fn fastmcp_serves_the_same_contracts_and_its_old_transport_knows_no_new_era() {
    let Some(installed) = Installed::with(&["fastmcp"]) else {
        return;
    };
    let [pipes, http, sse] =
        [Reach::Pipes, Reach::Http, Reach::Sse].map(|reach| installed.fastmcp(reach));
    let mut expected = over(MODERN, [pipes, http]);
    expected.extend(over(HANDSHAKE, [sse]));
    same_everywhere(5, &expected, &[]);
}

#[test]
fn server_everything_serves_the_same_contracts_over_pipes_http_and_sse() {
    let Some(installed) = Installed::with(&["everything-new"]) else {
        return;
    };
    let mut peers =
        Vec::from([Reach::Pipes, Reach::Http, Reach::Sse].map(|reach| installed.everything(reach)));
    same_everywhere(20, &over(HANDSHAKE, peers.clone()), &[]);
    // The old transport is found out where the config doesn't tell it.
    let started = peers.remove(2).start(None);
    let url = started.entry["url"].as_str().unwrap();
    let told = project_of("everything", &started.entry);
    told.expect(0, &["pin"]);
    let untold = project_of("everything", &json!({ "type": "http", "url": url }));
    untold.expect(0, &["pin"]);
    assert_eq!(read(&told.lockfile()), read(&untold.lockfile()));
    // And asked for what it can't have it is told as what it is.
    let refused = untold.expect(3, &["verify", "--protocol", MODERN]);
    refused.says("it does not speak 2026-07-28: it does not take `server/discover`");
}

#[test]
fn playwright_serves_the_same_contracts_over_pipes_and_a_port() {
    let Some(installed) = Installed::with(&["playwright-new"]) else {
        return;
    };
    let peers = [Reach::Pipes, Reach::Http, Reach::Sse].map(|reach| installed.playwright(reach));
    same_everywhere(20, &over(HANDSHAKE, peers), &[]);
}

/// A project whose server is a script, so that another server can take its place.
fn replaceable(words: &[String]) -> Project {
    let project = project_of("server", &json!({ "command": "./server" }));
    replace(&project, words);
    project
}

fn replace(project: &Project, words: &[String]) {
    use std::os::unix::fs::PermissionsExt as _;
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    project.write("server", format!("#!/bin/sh\nexec {}\n", quoted.join(" ")));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(project.path("server"), mode).unwrap();
}

/// The words that start a server of these eras.
fn eras(peer: &Peer, eras: &str) -> Vec<String> {
    let mut words = peer.words.clone();
    words.extend(["--eras".to_owned(), eras.to_owned()]);
    words
}

/// Pins a server of one era, puts one of the other in its place, and pins that.
fn replaced(peer: &Peer, [from, to]: [&str; 2], [was, is]: [&str; 2]) {
    let project = replaceable(&eras(peer, from));
    project.expect(0, &["pin"]);
    let before = project.lockfile();
    assert_eq!(read(&before).revision, was);

    // One that speaks both is spoken to as it was pinned.
    replace(&project, &eras(peer, "both"));
    project.expect(0, &["verify"]);

    replace(&project, &eras(peer, to));
    let refused = project.expect(3, &["verify"]);
    refused.says(&format!("it no longer speaks {was}"));
    refused.says("`mcplock pin`");
    project
        .expect(3, &["verify", "--protocol", was])
        .says(&format!("it does not speak {was}"));
    assert_eq!(project.lockfile(), before);

    // Another revision is pinned with a yes alone, though no contract has changed.
    let refused = project.expect(1, &["pin"]);
    refused.says(&format!(
        "pinned in the revision {was} of the protocol, answered in {is}"
    ));
    assert_eq!(project.lockfile(), before);
    project.expect(1, &["pin", "--check"]);
    project.expect(0, &["pin", "--yes"]);
    assert_eq!(read(&project.lockfile()).revision, is);
    project.expect(0, &["verify"]);
}

#[test]
fn a_server_that_gave_up_the_pinned_revision_is_told_and_pinned_in_the_one_that_it_speaks() {
    replaced(
        &rmcp(Reach::Pipes),
        ["modern", "legacy"],
        [MODERN, HANDSHAKE],
    );
    replaced(
        &rmcp(Reach::Pipes),
        ["legacy", "modern"],
        [HANDSHAKE, MODERN],
    );
    let Some(installed) = Installed::with(&["typescript-sdk"]) else {
        return;
    };
    let peer = installed.typescript(Reach::Pipes);
    replaced(&peer, ["modern", "legacy"], [MODERN, HANDSHAKE]);
    replaced(&peer, ["legacy", "modern"], [HANDSHAKE, MODERN]);
}

#[test]
fn a_server_that_is_slow_to_start_shows_the_same_as_a_quick_one() {
    let mut peers = vec![rmcp(Reach::Pipes)];
    if let Some(installed) = Installed::with(&["typescript-sdk", "fastmcp"]) {
        peers.push(installed.typescript(Reach::Pipes));
        peers.push(installed.fastmcp(Reach::Pipes));
    }
    for peer in peers {
        // Longer than the silence after which a handshake goes behind the first question: the
        // server finds both.
        let slow = ["sh", "-c", "sleep 3; exec \"$@\"", "sh"].map(str::to_owned);
        let slowly: Vec<String> = slow.into_iter().chain(peer.words.clone()).collect();
        let project = replaceable(&slowly);
        project.expect(0, &["pin"]);
        assert_eq!(read(&project.lockfile()).revision, MODERN, "{}", peer.name);
        replace(&project, &peer.words);
        project.expect(0, &["verify"]);
    }
}

#[test]
fn a_remote_server_that_went_back_to_the_old_era_is_told() {
    let Some(installed) = Installed::with(&["typescript-sdk", "everything-new"]) else {
        return;
    };
    let mut started = installed.typescript(Reach::Http).start(None);
    let project = project_of("server", &started.entry);
    project.expect(0, &["pin"]);
    let (mut child, port) = started.listens.take().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let _other = installed.everything(Reach::Http).start(Some(port));
    let refused = project.expect(3, &["verify"]);
    refused.says("it no longer speaks 2026-07-28");
}

#[test]
fn a_pin_of_the_old_era_is_compared_with_the_new_one_where_that_is_asked_for() {
    let Some(installed) = Installed::with(&["typescript-sdk"]) else {
        return;
    };
    let peer = installed.typescript(Reach::Pipes);
    let project = project_of("server", &peer.start(None).entry);
    project.expect(0, &["pin", "--protocol", HANDSHAKE]);
    project.expect(0, &["verify"]);
    let run = project.expect(0, &["verify", "--protocol", MODERN, "--format", "json"]);
    let report = run.json();
    let found: Vec<(&str, &str)> = report["servers"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            (
                finding["item"].as_str().unwrap_or("server"),
                finding["rule"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("server", "protocol-changed"),
            ("tool:ship", "execution-changed")
        ]
    );
}
