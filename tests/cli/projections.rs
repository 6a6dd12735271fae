//! What arrives on the far side, compared with what the server said, as a user asks for it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::project::{Project, Run, example};

/// A server whose schema has a bound, a reference and a closed object.
fn catalog() -> Value {
    json!({"tools": [{
        "name": "search_jobs",
        "description": "Finds jobs. Never more than a hundred at once.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "filter": {"$ref": "#/$defs/Filter"}
            },
            "required": ["limit"],
            "additionalProperties": false,
            "$defs": {"Filter": {"type": "string", "enum": ["open", "closed"]}}
        }
    }]})
}

/// Its tool as each provider gets it.
fn wrapped() -> Vec<(&'static str, Value)> {
    let tool = &catalog()["tools"][0];
    let (name, description, schema) = (&tool["name"], &tool["description"], &tool["inputSchema"]);
    let function = json!({"name": name, "description": description, "parameters": schema});
    let chat = json!({"type": "function", "function": function});
    let responses = json!({"type": "function", "name": name, "description": description,
        "parameters": schema, "strict": false});
    let anthropic = json!({"name": name, "description": description, "input_schema": schema});
    let declaration = json!({"name": name, "description": description,
        "parametersJsonSchema": schema});
    let spec = json!({"toolSpec": {"name": name, "description": description,
        "inputSchema": {"json": schema}}});
    vec![
        ("result", catalog()),
        (
            "response",
            json!({"jsonrpc": "2.0", "id": 1, "result": catalog()}),
        ),
        ("chat", json!([chat])),
        (
            "chat body",
            json!({"model": "m", "messages": [], "tools": [chat]}),
        ),
        ("legacy functions", json!({"functions": [function]})),
        (
            "responses body",
            json!({"model": "m", "input": "hi", "tools": [responses]}),
        ),
        ("anthropic", json!([anthropic])),
        (
            "anthropic body",
            json!({"max_tokens": 1, "tools": [anthropic]}),
        ),
        ("gemini", json!({"functionDeclarations": [declaration]})),
        (
            "gemini body",
            json!({"contents": [], "tools": [{"function_declarations": [declaration]}]}),
        ),
        ("bedrock", json!([spec])),
        (
            "bedrock body",
            json!({"messages": [], "toolConfig": {"tools": [spec]}}),
        ),
        ("plain", json!([function])),
        (
            "captured",
            json!({"url": "/v1/messages", "body": {"tools": [anthropic]}}),
        ),
    ]
}

fn check(project: &Project, code: i32, far: &Value) -> Run {
    project.write("server.json", catalog().to_string());
    project.write("far.json", far.to_string());
    project.expect(
        code,
        &[
            "check",
            "--catalog",
            "server.json",
            "--projection",
            "far.json",
            "--format",
            "json",
        ],
    )
}

/// The findings of the projection: rule and place.
fn findings(run: &Run) -> Vec<(String, String)> {
    let report = run.json();
    let servers = report["servers"].as_array().unwrap();
    let far = servers
        .iter()
        .find(|server| server.get("projection").is_some());
    far.expect("a projection")["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let text = |name: &str| finding[name].as_str().unwrap().to_owned();
            (text("rule"), text("pointer"))
        })
        .collect()
}

#[test]
fn the_same_schema_in_each_providers_wrapping_is_clean() {
    let project = Project::new();
    for (name, far) in wrapped() {
        let run = check(&project, 0, &far);
        assert_eq!(findings(&run), [], "{name}");
    }
}

#[test]
fn a_lost_bound_is_found_in_each_providers_wrapping() {
    let project = Project::new();
    for (name, mut far) in wrapped() {
        remove(&mut far, "maximum");
        let run = check(&project, 4, &far);
        let place = "/inputSchema/properties/limit/maximum".to_owned();
        assert_eq!(
            findings(&run),
            [("constraint-lost".to_owned(), place)],
            "{name}"
        );
    }
}

fn remove(value: &mut Value, keyword: &str) {
    match value {
        Value::Object(object) => {
            object.remove(keyword);
            object.values_mut().for_each(|value| remove(value, keyword));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove(item, keyword)),
        _ => {}
    }
}

#[test]
fn geminis_own_schema_is_read_with_its_upper_case_types() {
    let project = Project::new();
    let far = |maximum: &str| {
        json!({"tools": [{"functionDeclarations": [{
            "name": "search_jobs",
            "description": "Finds jobs. Never more than a hundred at once.",
            "parameters": {
                "type": "OBJECT",
                "properties": {
                    "limit": {"type": "INTEGER", "minimum": 1, maximum: 100},
                    "filter": {"type": "STRING", "enum": ["open", "closed"], "nullable": false}
                },
                "required": ["limit"],
                "propertyOrdering": ["limit", "filter"]
            }
        }]}]})
    };
    let closed = (
        "constraint-lost".to_owned(),
        "/inputSchema/additionalProperties".to_owned(),
    );
    assert_eq!(findings(&check(&project, 4, &far("maximum"))), [closed]);
    assert_eq!(findings(&check(&project, 4, &far("example"))).len(), 2);
}

#[test]
fn a_file_of_no_known_shape_is_an_error_that_names_what_was_looked_for() {
    let project = Project::new();
    for far in [
        json!({"hello": 1}),
        json!([{"nobody": 1, "knows": 2}]),
        json!("tools"),
    ] {
        let run = check(&project, 2, &far);
        run.says("functionDeclarations").says("far.json");
    }
    project.write("far.json", "{\"tools\": [");
    let args = [
        "check",
        "--catalog",
        "server.json",
        "--projection",
        "far.json",
    ];
    project.expect(2, &args).says("far.json:1");
}

#[test]
fn every_format_tells_what_a_projection_loses() {
    let project = Project::new();
    let mut far = wrapped()[2].1.clone();
    remove(&mut far, "maximum");
    project.write("server.json", catalog().to_string());
    project.write("far.json", far.to_string());
    for format in [
        "human", "json", "sarif", "junit", "github", "gitlab", "markdown",
    ] {
        let args = [
            "check",
            "--catalog",
            "server.json",
            "--projection",
            "far.json",
            "--format",
            format,
        ];
        let run = project.expect(4, &args);
        run.says("constraint-lost");
    }
}

#[test]
fn levels_of_one_adapter_are_compared_side_by_side() {
    let project = Project::new();
    let full = wrapped()[2].1.clone();
    let mut stub = full.clone();
    stub[0]["function"]["parameters"] = json!({"type": "object"});
    project.write("server.json", catalog().to_string());
    project.write("full.json", full.to_string());
    project.write("stub.json", stub.to_string());
    let run = project.expect(
        4,
        &[
            "check",
            "--catalog",
            "server.json",
            "--projection",
            "full.json",
            "--projection",
            "stub.json",
        ],
    );
    run.says("search_jobs")
        .says("side by side")
        .says("full.json")
        .says("stub.json");
}

#[test]
fn a_configured_projection_that_loses_something_fails_verify() {
    let project = Project::new();
    project.write("server.json", catalog().to_string());
    let server = example("catalog_server");
    let catalog_file = project.path("server.json").display().to_string();
    project.configure(&[("jobs", &[&server, "--catalog", &catalog_file])]);
    project.expect(0, &["pin"]);
    let mut far = wrapped()[2].1.clone();
    project.write("captured/far.json", far.to_string());
    project.write(
        "mcplock.toml",
        "[[projection]]\nserver = \"jobs\"\nfile = \"captured/far.json\"\n",
    );
    project.expect(0, &["verify"]).says("1 projection");
    remove(&mut far, "maximum");
    project.write("captured/far.json", far.to_string());
    project
        .expect(4, &["verify"])
        .says("`maximum` `100` is not passed on");
    project.expect(4, &["verify", "jobs"]);
    project.write(
        "mcplock.toml",
        "[[projection]]\nserver = \"jobs\"\nfile = \"captured/far.json\"\n\
         [[override]]\nrule = \"constraint-lost\"\nlevel = \"advice\"\nreason = \"the adapter checks\"\n",
    );
    project.expect(0, &["verify"]);
    fs::remove_file(project.path("captured/far.json")).unwrap();
    let run = project.run(&["verify"]);
    assert_ne!(
        run.code, 0,
        "a far side that can't be read is never clean: {run:?}"
    );
    project.write(
        "mcplock.toml",
        "[[projection]]\nserver = \"nobody\"\nfile = \"x.json\"\n",
    );
    project.expect(2, &["verify"]).says("nobody");
    project.write("mcplock.toml", "[[projection]]\nserver = \"jobs\"\n");
    project
        .expect(2, &["verify"])
        .says("either `file` or `via`");
}

#[test]
fn a_gateway_is_compared_live_and_saved() {
    let project = Project::new();
    project.write("server.json", catalog().to_string());
    let mut far = catalog();
    far["tools"][0]["name"] = json!("jobs_search_jobs");
    remove(&mut far, "required");
    project.write("gateway.json", far.to_string());
    let server = example("catalog_server");
    let file = |name: &str| project.path(name).display().to_string();
    project.configure(&[
        ("jobs", &[&server, "--catalog", &file("server.json")]),
        ("gateway", &[&server, "--catalog", &file("gateway.json")]),
    ]);
    let run = project.expect(
        4,
        &["check", "jobs", "--via", "gateway", "--format", "json"],
    );
    let lost = (
        "constraint-lost".to_owned(),
        "/inputSchema/required".to_owned(),
    );
    assert_eq!(findings(&run), std::slice::from_ref(&lost));
    let saved = [
        "check",
        "--catalog",
        "server.json",
        "--via-catalog",
        "gateway.json",
        "--format",
        "json",
    ];
    assert_eq!(findings(&project.expect(4, &saved)), [lost]);
    project.expect(0, &["pin"]);
    project.write(
        "mcplock.toml",
        "[[projection]]\nserver = \"jobs\"\nvia = \"gateway\"\n",
    );
    project.expect(4, &["verify"]).says("`required`");
    let offline = ["verify", "jobs", "--catalog", "server.json"];
    project.expect(3, &offline).says("was not fetched");
}

#[test]
fn a_captured_call_is_compared_with_what_the_server_received() {
    let project = Project::new();
    project.write("server.json", catalog().to_string());
    let call = json!({"choices": [{"message": {"tool_calls": [{"id": "1", "type": "function",
        "function": {"name": "mcp__jobs__search_jobs",
            "arguments": "{\"limit\": \"5\", \"filter\": \"open\", \"page\": 2}"}}]}}]});
    project.write("call.json", call.to_string());
    project.write(
        "received.json",
        json!({"limit": 5, "state": "open", "dry": true}).to_string(),
    );
    let args = [
        "check",
        "jobs",
        "--catalog",
        "server.json",
        "--call",
        "call.json",
        "--received",
        "received.json",
        "--format",
        "json",
    ];
    let run = project.expect(4, &args);
    let told = findings(&run);
    let told: Vec<(&str, &str)> = told.iter().map(|(r, p)| (r.as_str(), p.as_str())).collect();
    for expected in [
        ("call-coerced", "/arguments/limit"),
        ("call-renamed", "/arguments/filter"),
        ("call-dropped", "/arguments/page"),
        ("call-filled-in", "/arguments/dry"),
    ] {
        assert!(told.contains(&expected), "{expected:?} in {told:?}");
    }
    assert_eq!(told.len(), 4);
    project.write(
        "received.json",
        r#"{"page":2.0,"filter":"open","limit":"5"}"#,
    );
    project.expect(0, &args);
    project.write("call.json", r#"{"name":"another","arguments":{}}"#);
    project.expect(2, &args).says("another");
    project.expect(2, &args[..6]).says("--received");
}

#[test]
fn a_providers_documented_subset_is_asked_about_before_any_capture() {
    let project = Project::new();
    project.write("server.json", catalog().to_string());
    let check = |provider: &str, code: i32| {
        let args = ["check", "--catalog", "server.json", "--for", provider];
        project.expect(code, &args)
    };
    check("gemini", 4)
        .says("provider-refuses")
        .says("additionalProperties");
    check("openai", 0)
        .says("provider-strict-refuses")
        .says("filter");
    check("anthropic", 0).says("minimum");
    check("bedrock", 0);
    check("acme", 2).says("bedrock");
}

/// A case folder; none, after saying so, where the cases are not there.
fn case(name: &str) -> Option<PathBuf> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED case {name}: MCPLOCK_SUITES is not set");
        return None;
    };
    Some(Path::new(&suites).join("cases").join(name))
}

fn case_findings(name: &str, far: &str) -> Option<(i32, Vec<(String, String)>)> {
    let folder = case(name)?;
    let project = Project::new();
    let path = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    let run = project.run(&[
        "check",
        "--catalog",
        &path("tools.json"),
        "--projection",
        &path(far),
        "--format",
        "json",
    ]);
    Some((run.code, findings(&run)))
}

#[test]
fn the_cases_that_compare_projections_have_the_findings_they_ask_for() {
    for (name, far) in [
        ("01-defs-dropped-ref-kept", "forwarded.json"),
        ("18-constraints-lost-in-conversion", "forwarded.json"),
        ("07-nullable-array-projection", "forwarded-nullable.json"),
    ] {
        let Some((code, found)) = case_findings(name, far) else {
            return;
        };
        assert_eq!(code, 4, "{name}: {found:?}");
        let text = fs::read_to_string(case(name).unwrap().join("expect.json")).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let mut wanted: Vec<(String, String)> = expected["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| {
                let pointer = format!("/inputSchema{}", finding["pointer"].as_str().unwrap());
                (finding["rule"].as_str().unwrap().to_owned(), pointer)
            })
            .collect();
        let mut found = found;
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn a_projection_that_only_reads_differently_is_clean() {
    let Some((code, found)) = case_findings("07-nullable-array-projection", "forwarded-anyof.json")
    else {
        return;
    };
    assert_eq!((code, found.len()), (0, 0), "{found:?}");
    let (code, found) = case_findings("15-unknown-numeric-format", "forwarded-ok.json").unwrap();
    assert_eq!(code, 0, "{found:?}");
    assert!(found.iter().all(|(rule, _)| rule == "annotation-lost"));
    let (code, found) = case_findings("15-unknown-numeric-format", "forwarded-lossy.json").unwrap();
    assert_eq!(code, 4);
    let lost = (
        "constraint-lost".to_owned(),
        "/inputSchema/properties/n/minimum".to_owned(),
    );
    assert!(found.contains(&lost), "{found:?}");
}
