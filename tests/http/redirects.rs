//! Where a remote server may lead mcplock: nowhere but within its own origin.

use crate::rogue_http::{Canary, RogueHttp, TOKEN};

fn redirecting(status: &'static str, location: String) -> RogueHttp {
    RogueHttp::new(move |request, out| {
        let first = request.path == "/mcp";
        if first {
            out.reply(status, &[&format!("Location: {location}")], "");
        }
        first
    })
}

#[test]
fn a_redirect_within_the_origin_keeps_method_body_and_token() {
    for status in ["307 Temporary Redirect", "308 Permanent Redirect"] {
        let server = redirecting(status, "/mcp/".to_owned());
        server.passes();
        for request in server.requests() {
            assert_eq!(
                request.headers["authorization"],
                format!("Bearer {TOKEN}"),
                "{request:?}"
            );
        }
        let first = &server.requests()[..2];
        assert_eq!(
            (first[0].path.as_str(), first[1].path.as_str()),
            ("/mcp", "/mcp/")
        );
        assert_eq!(first[0].body, first[1].body);
    }
}

#[test]
fn a_redirect_that_drops_the_body_is_not_followed_and_names_the_right_url() {
    for status in ["301 Moved Permanently", "302 Found", "303 See Other"] {
        let server = redirecting(status, "/elsewhere".to_owned());
        let error = server.fails(&["to /elsewhere"]);
        assert!(
            error
                .help_text()
                .unwrap()
                .contains("put that URL into the config")
        );
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn another_origin_is_never_visited() {
    let canary = Canary::new();
    for status in [
        "301 Moved",
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let server = redirecting(status, format!("{}/mcp?x=1", canary.origin()));
        server.fails(&["to another origin", &canary.origin()]);
    }
    redirecting(
        "307 Temporary Redirect",
        "https://mcp.example.test/mcp".to_owned(),
    )
    .fails(&["to another origin, https://mcp.example.test"]);
    canary.is_unvisited();
}

#[test]
fn a_redirect_that_goes_round_in_circles_ends() {
    let server = redirecting("307 Temporary Redirect", "/mcp".to_owned());
    server.fails(&["redirects `server/discover` more than 5 times"]);
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn what_an_unauthorized_reply_names_is_never_visited() {
    let canary = Canary::new();
    let origin = canary.origin();
    let server = RogueHttp::new(move |_, out| {
        let header = format!("WWW-Authenticate: Bearer resource_metadata=\"{origin}/.well-known\"");
        out.reply("401 Unauthorized", &[&header], "");
        true
    });
    server.fails(&["resource_metadata", &canary.origin()]);
    canary.is_unvisited();
}
