//! Remote servers behind the guard: what they received, headers and all.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::{Session, passed, refused, search};
use crate::project::Project;

/// A request as it came.
#[derive(Debug, Clone)]
struct Request {
    verb: String,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Request {
    fn message(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// What the server does and has seen; shared with its threads.
#[derive(Default)]
struct State {
    seen: Vec<Request>,
    tools: Value,
    modern: bool,
    /// Sessions that were opened; only the last one is known.
    sessions: usize,
    /// The session is forgotten before the next call.
    lose: bool,
    /// The next reply is pretty-printed.
    pretty: bool,
}

/// A recording server on a port of this machine.
#[derive(Clone)]
struct Web {
    state: Arc<Mutex<State>>,
    port: u16,
}

impl Web {
    fn start(modern: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State {
            tools: search()["tools"].clone(),
            modern,
            ..State::default()
        }));
        let web = Web { state, port };
        let serving = web.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let web = serving.clone();
                std::thread::spawn(move || web.serve(stream));
            }
        });
        web
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while let Some(request) = read(&mut reader) {
            let reply = self.answer(&request);
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, request: &Request) -> String {
        let mut state = self.state.lock().unwrap();
        state.seen.push(request.clone());
        let message = request.message();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        if request.verb != "POST" {
            return http(405, "", "");
        }
        if message.get("id").is_none() {
            return http(202, "", "");
        }
        let known = format!("s{}", state.sessions);
        if method == "tools/call" && std::mem::take(&mut state.lose) {
            state.sessions += 100;
            return http(404, "", "");
        }
        let session = request.headers.get("mcp-session-id");
        if !state.modern && method != "initialize" && session != Some(&known) {
            return http(404, "", "");
        }
        let extra = if state.modern {
            json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private" })
        } else {
            json!({})
        };
        let mut result = match method.as_str() {
            "initialize" if !state.modern => {
                state.sessions += 1;
                json!({ "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "web", "version": "1" } })
            }
            "server/discover" if state.modern => {
                json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } })
            }
            "tools/list" => json!({ "tools": state.tools }),
            "tools/call" => json!({ "content": [] }),
            "ping" => json!({}),
            _ => {
                let error = json!({ "jsonrpc": "2.0", "id": message["id"],
                    "error": { "code": -32601, "message": "no" } });
                return http(404, "", &error.to_string());
            }
        };
        for (name, value) in extra.as_object().unwrap() {
            result[name] = value.clone();
        }
        let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        let text = if std::mem::take(&mut state.pretty) {
            serde_json::to_string_pretty(&reply).unwrap()
        } else {
            reply.to_string()
        };
        let header = if method == "initialize" {
            format!("mcp-session-id: s{}\r\n", state.sessions)
        } else {
            String::new()
        };
        http(200, &header, &text)
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    fn calls(&self) -> Vec<Request> {
        let state = self.state.lock().unwrap();
        let calls = state
            .seen
            .iter()
            .filter(|request| request.message()["method"] == "tools/call");
        calls.cloned().collect()
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }
}

fn read(reader: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let verb = line.split(' ').next()?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .and_then(|text| text.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        verb,
        headers,
        body: String::from_utf8(body).ok()?,
    })
}

fn http(status: u16, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn pinned(web: &Web) -> Project {
    let project = Project::new();
    project.expect(0, &["pin", "--name", "web", "--url", &web.url()]);
    web.set(|state| state.seen.clear());
    project
}

#[test]
fn a_remote_server_is_guarded_and_gets_the_agents_bytes() {
    let web = Web::start(false);
    let project = pinned(&web);
    let mut agent = Session::start(&project, &["web"]);
    agent.handshake();
    let line = r#"{ "jsonrpc":"2.0","method":"tools/call","id":"x","params":{"arguments":{"query":"\u00e9"},"name":"search"} }"#;
    agent.send(line);
    passed(&agent.reply(&json!("x")));
    let calls = web.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].body, line);
    assert_eq!(
        calls[0].headers["mcp-session-id"], "s2",
        "the session that the agent opened"
    );
    assert_eq!(calls[0].headers["mcp-protocol-version"], "2025-11-25");
    // A reply over several lines is one line for the agent.
    web.set(|state| state.pretty = true);
    assert_eq!(agent.list(), ["search"]);
    web.set(|state| state.tools[0]["title"] = json!("x"));
    assert_eq!(refused(&agent.call("search", &json!({}))), "drift");
    assert_eq!(agent.list(), [""; 0]);
    assert_eq!(web.calls().len(), 1);
    // An error that comes with a refusal of HTTP keeps its own words.
    assert_eq!(
        agent.request("x/unknown", &json!({}))["error"]["code"],
        -32601
    );
    let (code, _) = agent.end();
    assert_eq!(code, 0);
    let left = web.state.lock().unwrap().seen.last().unwrap().verb.clone();
    assert_eq!(left, "DELETE", "the session is ended");
}

#[test]
fn a_session_that_the_server_lost_is_opened_again_and_no_call_is_sent_twice() {
    let web = Web::start(false);
    let project = pinned(&web);
    let mut agent = Session::start(&project, &["web", "--max-age", "1m"]);
    agent.handshake();
    passed(&agent.call("search", &json!({ "query": "1" })));
    web.set(|state| state.lose = true);
    let reply = agent.call("search", &json!({ "query": "2" }));
    assert_eq!(refused(&reply), "server");
    web.set(|state| state.tools[0]["title"] = json!("x"));
    // Whatever its age, the list is not trusted across sessions.
    assert_eq!(
        refused(&agent.call("search", &json!({ "query": "3" }))),
        "drift"
    );
    web.set(|state| state.tools = search()["tools"].clone());
    passed(&agent.call("search", &json!({ "query": "4" })));
    let queries: Vec<Value> = web
        .calls()
        .iter()
        .map(|request| request.message()["params"]["arguments"]["query"].clone())
        .collect();
    assert_eq!(queries, ["1", "2", "4"]);
}

#[test]
fn a_newer_server_gets_the_headers_that_its_revision_asks_for() {
    let web = Web::start(true);
    let project = pinned(&web);
    let mut agent = Session::start(&project, &["web"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "a", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "roots": {}, "sampling": {}, "elicitation": {} },
    });
    passed(&agent.request(
        "tools/call",
        &json!({ "name": "search", "arguments": {}, "_meta": meta }),
    ));
    let calls = web.calls();
    assert_eq!(calls[0].headers["mcp-method"], "tools/call");
    assert_eq!(calls[0].headers["mcp-name"], "search");
    assert_eq!(calls[0].headers["mcp-protocol-version"], "2026-07-28");
    web.set(|state| state.tools[0]["title"] = json!("x"));
    let call = json!({ "name": "search", "arguments": {}, "_meta": meta });
    assert_eq!(refused(&agent.request("tools/call", &call)), "drift");
    assert_eq!(web.calls().len(), 1);
}

/// A published server on a port; killed when dropped.
struct Running(Child, u16);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn everything(transport: &str) -> Option<Running> {
    let Some(root) = std::env::var_os("MCPLOCK_REAL_SERVERS") else {
        eprintln!("SKIPPED {transport}: MCPLOCK_REAL_SERVERS is not set");
        return None;
    };
    let script = PathBuf::from(root)
        .join("everything-new/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    if !script.is_file() {
        eprintln!("SKIPPED {transport}: {} is not installed", script.display());
        return None;
    }
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let child = Command::new("node")
        .arg(script)
        .arg(transport)
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "{transport}: it does not listen");
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(Running(child, port))
}

#[test]
fn a_published_server_is_guarded_over_every_transport() {
    for (transport, path) in [("streamableHttp", "mcp"), ("sse", "sse")] {
        let Some(mut running) = everything(transport) else {
            return;
        };
        let project = Project::new();
        let url = format!("http://127.0.0.1:{}/{path}", running.1);
        project.expect(0, &["pin", "--name", "everything", "--url", &url]);
        let mut agent = Session::start(&project, &["everything", "--request-timeout", "10"]);
        agent.handshake();
        assert!(agent.list().len() > 10, "{transport}");
        passed(&agent.call("echo", &json!({ "message": "hi" })));
        assert_eq!(
            refused(&agent.call("echo", &json!({ "message": 1 }))),
            "arguments"
        );
        running.0.kill().unwrap();
        let reply = agent.call("echo", &json!({ "message": "hi" }));
        assert!(reply.get("error").is_some(), "{transport}: {reply}");
    }
}
