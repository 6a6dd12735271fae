//! The old HTTP+SSE transport: a stream that names an endpoint, messages posted there.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::rogue_http::{Canary, Out, Request, RogueHttp, TOOL};
use mcplock::transport::Limits;

/// An old server whose stream begins with `head`; POST to the path of the stream is not found.
fn old(head: String) -> RogueHttp {
    let (replies, waiting) = channel::<String>();
    let (replies, waiting): (Mutex<Sender<String>>, Mutex<Receiver<String>>) =
        (Mutex::new(replies), Mutex::new(waiting));
    RogueHttp::new(move |request: &Request, out: &mut Out| {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/mcp") => {
                out.events();
                out.raw(&head);
                let waiting = waiting.lock().unwrap();
                while let Ok(reply) = waiting.recv_timeout(Duration::from_secs(10)) {
                    if !out.raw(format!("event: message\r\ndata: {reply}\r\n\r\n")) {
                        break;
                    }
                }
            }
            ("POST", "/message?id=1") => {
                let result = match request.asks() {
                    "initialize" => {
                        r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{}}"#
                            .to_owned()
                    }
                    "tools/list" => format!(r#"{{"tools":[{TOOL}]}}"#),
                    _ => "{}".to_owned(),
                };
                if !request.body["id"].is_null() {
                    let _ = replies.lock().unwrap().send(request.result(&result));
                }
                out.reply("202 Accepted", &[], "Accepted");
            }
            _ => out.reply("404 Not Found", &[], "Cannot POST /mcp"),
        }
        true
    })
}

const HEAD: &str = ": hello\r\n\r\nevent: endpoint\r\ndata: /message?id=1\r\n\r\n";

#[test]
fn an_old_server_is_found_out_after_both_newer_ways_were_refused() {
    let server = old(HEAD.to_owned());
    let fetched = server.passes();
    assert_eq!(fetched.revision.as_str(), "2024-11-05");
    assert_eq!(fetched.remarks, [""; 0]);
    let paths: Vec<String> = server
        .requests()
        .iter()
        .map(|request| format!("{} {} {}", request.method, request.path, request.asks()))
        .collect();
    assert_eq!(
        paths,
        [
            "POST /mcp server/discover",
            "POST /mcp initialize",
            "GET /mcp GET",
            "POST /message?id=1 initialize",
            "POST /message?id=1 notifications/initialized",
            "POST /message?id=1 tools/list",
            "POST /message?id=1 ping",
        ]
    );
}

#[test]
fn a_config_that_names_the_old_transport_spares_the_newer_ones() {
    let server = old(HEAD.to_owned()).old();
    server.passes();
    assert_eq!(server.requests()[0].method, "GET");
}

#[test]
fn an_endpoint_at_another_origin_is_refused_and_never_visited() {
    let canary = Canary::new();
    let head = format!("event: endpoint\ndata: {}/message\n\n", canary.origin());
    for server in [old(head.clone()), old(head).old()] {
        server.fails(&["wants messages at another origin", &canary.origin()]);
    }
    canary.is_unvisited();
}

#[test]
fn a_stream_that_names_no_endpoint_ends_at_the_limit_or_with_its_end() {
    let limits = Limits {
        start: Duration::from_millis(500),
        ..Limits::default()
    };
    let mut server = old(": nothing\n\n".to_owned()).old();
    server.options.limits = limits;
    server.fails(&["named no endpoint on its stream in time (limit 0.5 s, `--start-timeout`)"]);
    RogueHttp::new(|_, out| {
        out.events();
        true
    })
    .old()
    .fails(&["its stream ended before it named an endpoint"]);
    RogueHttp::new(|_, out| {
        out.json("{}");
        true
    })
    .old()
    .fails(&["opened no event stream"]);
}

#[test]
fn a_stream_that_ends_in_the_middle_is_told() {
    RogueHttp::new(|request, out| {
        if request.method == "GET" {
            out.events();
            out.raw("event: endpoint\ndata: /m\n\n");
            std::thread::sleep(Duration::from_millis(500));
        } else {
            out.reply("202 Accepted", &[], "");
        }
        true
    })
    .old()
    .fails(&["it closed its stream", "before it answered `initialize`"]);
}
