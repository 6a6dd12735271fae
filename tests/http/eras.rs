//! Which revision is spoken with a remote server, and how that is found out.

use crate::rogue_http::{Request, RogueHttp, TOOL, items};
use mcplock::protocol::Revision;

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rogue"}}}"#;

fn modern() -> RogueHttp {
    RogueHttp::new(|request, out| {
        match request.asks() {
            "server/discover" => out.json(&request.result(DISCOVERED)),
            "tools/list" => {
                let result = format!(
                    r#"{{"resultType":"complete","ttlMs":60000,"cacheScope":"private","tools":[{TOOL}]}}"#
                );
                out.json(&request.result(&result));
            }
            "GET" | "DELETE" => out.reply("405 Method Not Allowed", &[], ""),
            _ => out.reply(
                "400 Bad Request",
                &["Content-Type: application/json"],
                &request.error(-32022).replace(
                    "\"message\"",
                    r#""data":{"supported":["2026-07-28"]},"message""#,
                ),
            ),
        }
        true
    })
}

#[test]
fn a_server_of_the_new_era_gets_no_handshake_no_ping_no_stream_and_no_farewell() {
    let server = modern();
    let fetched = server.passes();
    assert_eq!(fetched.revision, Revision::V2026_07_28);
    let requests = server.requests();
    let asked: Vec<&str> = requests.iter().map(Request::asks).collect();
    assert_eq!(asked, ["server/discover", "tools/list"]);
    for request in &requests {
        assert_eq!(request.headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(request.headers["mcp-method"], request.asks());
        let meta = &request.body["params"]["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
    }
}

#[test]
fn the_items_of_both_eras_are_the_same_bytes() {
    let legacy = RogueHttp::new(|_, _| false);
    assert_eq!(items(&modern().passes()), items(&legacy.passes()));
}

#[test]
fn every_refusal_of_the_probe_by_a_server_that_is_there_leads_to_the_handshake() {
    let answers: [(&str, &str); 7] = [
        (
            "200 OK",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
        ),
        (
            "200 OK",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}"#,
        ),
        (
            "400 Bad Request",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}"#,
        ),
        (
            "404 Not Found",
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
        ),
        ("422 Unprocessable", r#"{"detail":"no"}"#),
        ("406 Not Acceptable", ""),
        ("202 Accepted", ""),
    ];
    for (status, body) in answers {
        let server = RogueHttp::new(move |request, out| {
            let probe = request.asks() == "server/discover";
            if probe {
                out.reply(status, &["Content-Type: application/json"], body);
            }
            probe
        });
        assert_eq!(server.passes().remarks, [""; 0], "{status} {body}");
        assert_eq!(server.times("initialize"), 1);
    }
}

#[test]
fn a_pinned_revision_is_the_only_one_that_is_tried() {
    let mut server = RogueHttp::new(|_, _| false);
    server.options.protocol = Some(Revision::V2025_06_18);
    server.passes();
    assert_eq!(server.times("server/discover"), 0);
    server.options.protocol = Some(Revision::V2026_07_28);
    server.fails(&["it no longer speaks 2026-07-28", "-32000"]);
    let mut server = modern();
    server.options.protocol = Some(Revision::V2026_07_28);
    server.passes();
    server.options.protocol = Some(Revision::V2025_11_25);
    server.fails(&["it no longer speaks 2025-11-25", "2026-07-28"]);
    assert_eq!(server.times("GET"), 0, "its refusal is an answer");
}

#[test]
fn a_refusal_by_status_alone_is_told_as_an_older_server_only_where_a_handshake_shows_one() {
    for status in [
        "405 Method Not Allowed",
        "404 Not Found",
        "422 Unprocessable",
    ] {
        let mut server = RogueHttp::new(move |request, out| {
            let probe = request.asks() == "server/discover";
            if probe {
                out.reply(status, &[], "");
            }
            probe
        });
        server.options.protocol = Some(Revision::V2026_07_28);
        server.fails(&[
            "it no longer speaks 2026-07-28",
            "answers `initialize` with 2025-",
        ]);
        assert_eq!(server.times("tools/list"), 0);
    }
    let mut nobody = RogueHttp::new(|_, out| {
        out.reply("404 Not Found", &[], "");
        true
    });
    nobody.options.protocol = Some(Revision::V2026_07_28);
    nobody.fails(&["it answered `server/discover` with status 404 Not Found"]);
}

#[test]
fn a_server_that_refuses_the_revision_that_it_names_is_asked_again_once() {
    let server = RogueHttp::new(|request, out| {
        let refusal = request.error(-32022).replace(
            "\"message\"",
            r#""data":{"supported":["2026-07-28"]},"message""#,
        );
        out.json(&refusal);
        true
    });
    server.fails(&["error -32022", "it supports 2026-07-28"]);
    assert_eq!(server.times("server/discover"), 2);
}
