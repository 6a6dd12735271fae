//! Reports from the field over HTTP, replayed with their own bytes.
//!
//! Found through `MCPLOCK_SUITES`, skipped aloud without it.

use std::path::PathBuf;

use crate::rogue_http::{RogueHttp, TOKEN};
use mcplock::protocol::Fetched;
use serde_json::Value;

/// The folder of a case, if the cases are there.
fn case(name: &str) -> Option<PathBuf> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        println!("SKIPPED: MCPLOCK_SUITES is not set, so case {name} is not replayed");
        return None;
    };
    let folder = PathBuf::from(suites).join("cases").join(name);
    assert!(folder.is_dir(), "{} is not there", folder.display());
    Some(folder)
}

fn lines(file: &std::path::Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn names(fetched: &Fetched) -> Vec<String> {
    let items = fetched.lists.iter().flat_map(|list| &list.items);
    items
        .map(|item| serde_json::from_str::<Value>(item.get()).unwrap())
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// A reply of a recording, with the id that was asked with.
fn replayed(message: &Value, id: &Value) -> String {
    let mut message = message.clone();
    message["id"] = id.clone();
    message.to_string()
}

#[test]
fn a_refused_stream_and_a_refused_farewell_are_normal() {
    let Some(folder) = case("40-get-405-is-fine") else {
        return;
    };
    let steps = lines(&folder.join("http.jsonl"));
    let server = RogueHttp::new(move |request, out| {
        let step = steps.iter().find(|step| {
            let wanted = &step["request"];
            wanted["method"] == *request.method
                && wanted["body"]["method"].as_str().unwrap_or_default()
                    == request.body["method"].as_str().unwrap_or_default()
        });
        let Some(step) = step else { return false };
        for (name, value) in step["request"]["headers"].as_object().into_iter().flatten() {
            assert_eq!(request.headers[name], value.as_str().unwrap());
        }
        let reply = &step["reply"];
        let headers: Vec<String> = reply["headers"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("{name}: {}", value.as_str().unwrap()))
            .collect();
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let body = match &reply["body"] {
            Value::Null => String::new(),
            message => replayed(message, &request.body["id"]),
        };
        out.reply(&format!("{} X", reply["status"]), &headers, &body);
        true
    });
    let fetched = server.fetch().unwrap();
    assert_eq!(names(&fetched), ["ping"]);
    assert_eq!(fetched.remarks, [""; 0]);
}

#[test]
fn redirects_of_the_field_are_followed_or_refused_as_they_should() {
    let Some(folder) = case("42-redirects-and-trailing-slash") else {
        return;
    };
    for step in lines(&folder.join("http.jsonl")) {
        let (path, status, location) = (
            step["request"]["path"].as_str().unwrap().to_owned(),
            step["reply"]["status"].to_string(),
            step["reply"]["headers"]["location"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
        let from = path.clone();
        let mut server = RogueHttp::new(move |request, out| {
            let first = request.path == from;
            if first {
                out.reply(
                    &format!("{status} X"),
                    &[&format!("Location: {location}")],
                    "",
                );
            }
            first
        });
        server.url = server.url.replace("/mcp", &path);
        let case = step["case"].as_str().unwrap();
        if case == "same-origin-307" {
            server.passes();
            let last = server.requests().pop().unwrap();
            assert_eq!(last.headers["authorization"], format!("Bearer {TOKEN}"));
        } else {
            server.fails(&["redirects"]);
            assert_eq!(server.times("GET"), 0, "{case}");
        }
    }
}

#[test]
fn streams_of_the_field_give_their_one_tool() {
    let Some(folder) = case("43-sse-comments-pings-multiline") else {
        return;
    };
    for file in ["stream.raw", "stream-crlf.raw"] {
        let stream = std::fs::read_to_string(folder.join(file)).unwrap();
        for stream in [
            stream.clone(),
            stream.replace("\r\n", "\n").replace('\n', "\r"),
        ] {
            let mut server = RogueHttp::new(move |request, out| {
                let list = request.asks() == "tools/list";
                if list {
                    let id = format!("\"id\":{},", request.body["id"]);
                    out.events();
                    out.raw(stream.replace("\"id\":2,", &id));
                }
                list
            });
            server.options.protocol = Some(mcplock::protocol::Revision::V2025_06_18);
            assert_eq!(names(&server.fetch().unwrap()), ["ping"], "{file}");
        }
    }
}

#[test]
fn both_eras_of_the_field_give_the_same_contract() {
    let Some(folder) = case("47-discover-then-initialize") else {
        return;
    };
    let steps = lines(&folder.join("modern.jsonl"));
    let recorded = |at: usize| steps[at]["msg"].clone();
    let (discovered, listed) = (recorded(1), recorded(3));
    let tool = listed["result"]["tools"][0].to_string();
    let modern = RogueHttp::new(move |request, out| {
        let message = match request.asks() {
            "server/discover" => &discovered,
            "tools/list" => &listed,
            other => panic!("a server of the new era was asked for {other}"),
        };
        out.json(&replayed(message, &request.body["id"]));
        true
    })
    .fetch()
    .unwrap();
    let digest = |fetched: &Fetched| {
        let raw = fetched.lists[0].items[0].get();
        let value = mcplock::json::parse(raw.as_bytes(), &mcplock::json::Limits::default());
        mcplock::canonical::canonical(value.unwrap().sound().unwrap())
    };
    assert_eq!(modern.revision.as_str(), "2026-07-28");
    assert_eq!(names(&modern), ["ping"]);
    for step in lines(&folder.join("legacy-replies.jsonl")) {
        let error = &step["reply"];
        if error.is_null() {
            // Silence is for pipes.
            continue;
        }
        let (error, tool) = (error.clone(), tool.clone());
        if error["error"]["code"] == -32022 {
            // A server of the new era: asked again in a revision that it names.
            let (discovered, listed) = (recorded(1), recorded(3));
            let times = std::sync::atomic::AtomicUsize::new(0);
            let asked_again = RogueHttp::new(move |request, out| {
                let first = times.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
                let message = match request.asks() {
                    "server/discover" if first => &error,
                    "server/discover" => &discovered,
                    "tools/list" => &listed,
                    other => panic!("a server of the new era was asked for {other}"),
                };
                out.json(&replayed(message, &request.body["id"]));
                true
            });
            let fetched = asked_again.fetch().unwrap();
            assert_eq!(digest(&modern), digest(&fetched));
            assert_eq!(asked_again.times("server/discover"), 2);
            continue;
        }
        let status = step["http_status"].as_u64().unwrap_or(200);
        let legacy = RogueHttp::new(move |request, out| {
            match request.asks() {
                "server/discover" => out.reply(
                    &format!("{status} X"),
                    &["Content-Type: application/json"],
                    &replayed(&error, &request.body["id"]),
                ),
                "tools/list" => {
                    out.json(&request.result(&format!(r#"{{"tools":[{tool}]}}"#)));
                }
                _ => return false,
            }
            true
        })
        .fetch()
        .unwrap();
        assert_eq!(digest(&modern), digest(&legacy));
    }
}
