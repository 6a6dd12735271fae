//! Nothing is connected to but the servers that are named, whatever they point at, by no command.

use crate::network_rows::old_server;
use crate::project::{AT_ONCE, Kind, Project};
use crate::rogue_server::{Canary, Out, Request, RogueServer};

/// Every command that connects, with the arguments for one server.
const COMMANDS: [&[&str]; 6] = [
    &["pin", "--yes"],
    &["pin", "--check"],
    &["verify"],
    &["diff"],
    &["check"],
    &["fetch", "faulty"],
];

/// Runs every command against servers of this kind, none of which may lead to the canary; each
/// exit code must be among `codes`, and the server have been asked.
fn stays_unvisited(
    kind: Kind,
    codes: &[i32],
    server: impl Fn(&str) -> RogueServer,
    asks: impl Fn(&RogueServer) -> bool,
) {
    for args in COMMANDS {
        let canary = Canary::new();
        let server = server(&canary.origin());
        let mut project = Project::pinned(kind);
        project.set("FAULTS_URL", &server.url);
        let run = project.run(args, AT_ONCE);
        let code = run.code.unwrap();
        assert!(
            codes.contains(&code),
            "{args:?}: {code}\n{}{}",
            run.stdout,
            run.stderr
        );
        assert!(asks(&server), "{args:?}: {:?}", server.asked());
        canary.is_unvisited();
    }
}

fn was_asked(server: &RogueServer) -> bool {
    !server.requests().is_empty()
}

fn server(handler: impl Fn(&Request, &mut Out) + Send + Sync + 'static) -> RogueServer {
    RogueServer::new(move |request, out| {
        handler(request, out);
        true
    })
}

#[test]
fn a_redirect_is_not_followed_to_another_origin() {
    for status in [
        "301 Moved",
        "302 Found",
        "303 See Other",
        "307 Temporary",
        "308 Permanent",
    ] {
        stays_unvisited(
            Kind::HttpToken,
            &[3],
            |origin| {
                let location = format!("Location: {origin}/mcp?x=1");
                let more = format!("Refresh: 0; url={origin}/");
                server(move |_, out| out.reply(status, &[&location, &more], ""))
            },
            was_asked,
        );
    }
}

#[test]
fn an_endpoint_of_another_origin_gets_no_message() {
    for kind in [Kind::Sse, Kind::Http] {
        stays_unvisited(
            kind,
            &[3],
            |origin| old_server(&format!("event: endpoint\ndata: {origin}/message\n\n")),
            was_asked,
        );
    }
}

#[test]
fn what_an_unauthorized_reply_names_is_not_looked_up() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        stays_unvisited(
            Kind::HttpToken,
            &[3],
            |origin| {
                let header = format!(
                    "WWW-Authenticate: Bearer realm=\"{origin}\", resource_metadata=\"{origin}/.well-known/oauth-protected-resource\""
                );
                let link = format!("Link: <{origin}/x>; rel=\"describedby\"");
                server(move |_, out| out.reply(status, &[&header, &link], ""))
            },
            |server| server.times("initialize") + server.times("server/discover") == 1,
        );
    }
}

#[test]
fn nothing_that_a_catalog_refers_to_is_fetched() {
    stays_unvisited(
        Kind::Http,
        &[0, 1, 4],
        |origin| {
            let tools = format!(
                r#"{{"tools":[{{"name":"ping","icons":[{{"src":"{origin}/icon.png"}}],
                "inputSchema":{{"$schema":"{origin}/dialect","$id":"{origin}/here","type":"object",
                "properties":{{"a":{{"$ref":"{origin}/schema.json"}},"b":{{"$dynamicRef":"{origin}/b#x"}},
                "c":{{"$ref":"other.json#/$defs/c"}}}}}},
                "outputSchema":{{"type":"object","allOf":[{{"$ref":"{origin}/out"}}]}}}},
                {{"name":"pong","inputSchema":{{"type":"object","properties":{{"a":{{"$ref":"{origin}/schema.json"}}}}}}}}]}}"#
            );
            RogueServer::new(move |request, out| {
                let list = request.asks() == "tools/list";
                if list {
                    out.json(&request.result(&tools));
                }
                list
            })
        },
        |server| server.times("tools/list") == 1,
    );
}

#[test]
fn an_error_that_names_an_address_is_only_shown() {
    stays_unvisited(
        Kind::Http,
        &[3],
        |origin| {
            let origin = origin.to_owned();
            RogueServer::new(move |request, out| {
                let list = request.asks() == "tools/list";
                if list {
                    let error = request.error(-32042);
                    let data = format!(r#""data":{{"url":"{origin}/authorize"}},"code""#);
                    out.json(&error.replace("\"code\"", &data));
                }
                list
            })
        },
        was_asked,
    );
}
