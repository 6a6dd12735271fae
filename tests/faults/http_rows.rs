//! The rows about streamable HTTP: connections, statuses and redirects.

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::project::Kind;
use crate::rogue_server::{Out, Request, RogueServer};
use crate::table::{Case, Row};

const HERE: &str = "HTTP";

pub(crate) fn row(fault: &'static str, shown_by: Vec<Case>) -> Row {
    Row {
        section: HERE,
        fault,
        shown_by,
    }
}

/// A server in which `handler` comes first.
pub(crate) fn server(
    name: &str,
    handler: impl Fn(&Request, &mut Out) -> bool + Send + Sync + Clone + 'static,
) -> Case {
    Case::new(name, Kind::Http, move |_| {
        Some(RogueServer::new(handler.clone()))
    })
}

/// A server that is good but for its list.
pub(crate) fn list(
    name: &str,
    answer: impl Fn(&Request, &mut Out) + Send + Sync + Clone + 'static,
) -> Case {
    server(name, move |request, out| {
        let asked = request.asks() == "tools/list";
        if asked {
            answer(request, out);
        }
        asked
    })
}

/// A server that answers its list so, with these headers.
pub(crate) fn replies(
    status: &'static str,
    headers: &'static [&'static str],
    body: &'static str,
) -> Case {
    list(status, move |_, out| out.reply(status, headers, body))
}

/// A server that answers every request so, a token or none.
fn always(kind: Kind, status: &'static str, headers: &'static [&'static str]) -> Case {
    Case::new(status, kind, move |_| {
        Some(RogueServer::new(move |_, out| {
            out.reply(status, headers, "");
            true
        }))
    })
}

/// A server that redirects the first path.
fn redirects(status: &'static str, to: &'static str) -> Case {
    server(&format!("{status} to {to}"), move |request, out| {
        let first = request.path == "/mcp";
        if first {
            out.reply(status, &[&format!("Location: {to}")], "");
        }
        first
    })
}

/// A server that loses its session once, and opens another in another revision.
pub(crate) fn other_revision_after_the_session() -> Case {
    Case::new("a lost session", Kind::Http, |_| {
        let opened = AtomicUsize::new(0);
        Some(RogueServer::new(move |request, out| {
            match request.asks() {
                "tools/list" => out.reply("404 Not Found", &[], ""),
                "initialize" if opened.fetch_add(1, Ordering::Relaxed) > 0 => {
                    let result = r#"{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"rogue","version":"1"}}"#;
                    out.json(&request.result(result));
                }
                _ => return false,
            }
            true
        }))
    })
}

/// A listener that lets nobody in: its queue is full. The connections that fill it come with it.
fn full() -> (TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
        waiting.push(stream);
        assert!(waiting.len() < 10_000, "the queue has no end");
    }
    (listener, waiting)
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = connections();
    rows.extend(statuses());
    rows.extend(redirections());
    rows
}

fn connections() -> Vec<Row> {
    let refused = Case::new("a port where nothing listens", Kind::Http, |project| {
        let free = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        project.set("FAULTS_URL", &format!("http://{free}/mcp"));
        None
    });
    let unknown = Case::new("a name that nobody has", Kind::Http, |project| {
        project.set("FAULTS_URL", "http://no-such-host.invalid/mcp");
        None
    });
    let held = std::sync::Mutex::new(Vec::new());
    let late = Case::new("a full queue", Kind::Http, move |project| {
        let full = full();
        project.set(
            "FAULTS_URL",
            &format!("http://{}/mcp", full.0.local_addr().unwrap()),
        );
        held.lock().unwrap().push(full);
        None
    });
    let headers = |bytes: &'static [u8]| move |_: &Request, out: &mut Out| out.reset_after(bytes);
    let body = |rest: &'static str| {
        move |_: &Request, out: &mut Out| {
            out.raw(format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{rest}"
            ));
        }
    };
    vec![
        row("nothing listens", vec![refused]),
        row("no such host, no route", vec![unknown]),
        row("no connection in time", vec![late.slow()]),
        row(
            "reset before or within the headers",
            vec![
                list("before", headers(b"")),
                list("within", headers(b"HTTP/1.1 200 OK\r\nContent-Ty")),
            ],
        ),
        row(
            "reset in the body, half a chunk, too few bytes",
            vec![
                list("reset", |_, out| {
                    out.reset_after(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"json");
                }),
                list(
                    "half a chunk",
                    body("Transfer-Encoding: chunked\r\n\r\n400\r\n{\"json"),
                ),
                list("no chunk", body("Transfer-Encoding: chunked\r\n\r\nzz\r\n")),
                list("too few bytes", body("Content-Length: 500\r\n\r\n{\"json")),
            ],
        ),
    ]
}

fn statuses() -> Vec<Row> {
    let lost = |status: &'static str| {
        Case::new(status, Kind::Http, move |_| {
            let tries = AtomicUsize::new(0);
            Some(RogueServer::new(move |request, out| {
                let first =
                    request.asks() == "tools/list" && tries.fetch_add(1, Ordering::Relaxed) == 0;
                if first {
                    out.reply(status, &[], "");
                }
                first
            }))
        })
    };
    let until = &[
        "Retry-After: Wed, 01 Jan 2025 01:00:00 GMT",
        "Date: Wed, 01 Jan 2025 00:00:00 GMT",
    ];
    vec![
        row(
            "429, 5xx",
            vec![
                replies(
                    "503 Service Unavailable",
                    &["Retry-After: 0"],
                    "maintenance",
                ),
                replies("429 Too Many Requests", &["Retry-After: 3600"], ""),
                replies("429 Too Many Requests", until, ""),
            ],
        ),
        row(
            "404, 405",
            vec![
                always(Kind::Http, "404 Not Found", &["Content-Type: text/html"]),
                always(Kind::Http, "405 Method Not Allowed", &[]),
            ],
        ),
        row(
            "401",
            vec![
                always(
                    Kind::Http,
                    "401 Unauthorized",
                    &[
                        "WWW-Authenticate: Bearer scope=\"files:read\", resource_metadata=\"http://127.0.0.1:9/.well-known\"",
                    ],
                ),
                always(Kind::HttpToken, "401 Unauthorized", &[]),
            ],
        ),
        row(
            "403",
            vec![
                always(Kind::Http, "403 Forbidden", &[]),
                always(Kind::HttpToken, "403 Forbidden", &[]),
            ],
        ),
        row(
            "a session that another revision follows",
            vec![other_revision_after_the_session()],
        ),
        row(
            "the session is lost (404, or 400)",
            vec![lost("404 Not Found"), lost("400 Bad Request")],
        ),
        row(
            "202 or 204 in place of a reply",
            vec![
                replies("202 Accepted", &[], ""),
                replies("204 No Content", &[], ""),
            ],
        ),
        row(
            "GET or DELETE refused, or hanging",
            vec![
                always_but(&["GET", "DELETE"], |out| out.reply("500 Oops", &[], "")),
                always_but(&["GET"], |out| out.reply("401 Unauthorized", &[], "")),
                always_but(&["GET", "DELETE"], |_| {
                    std::thread::sleep(Duration::from_secs(4));
                }),
            ],
        ),
        row(
            "a notification is refused",
            vec![always_but(&["notifications/initialized"], |out| {
                out.reply("400 Bad Request", &[], "");
            })],
        ),
    ]
}

/// A server that is good but for these requests.
fn always_but(asks: &'static [&'static str], answer: fn(&mut Out)) -> Case {
    server(&asks.join(", "), move |request, out| {
        let meant = asks.contains(&request.asks());
        if meant {
            answer(out);
        }
        meant
    })
}

fn redirections() -> Vec<Row> {
    vec![
        row(
            "307 or 308 within the origin",
            vec![
                redirects("307 Temporary Redirect", "/mcp/"),
                redirects("308 Permanent Redirect", "/mcp/"),
            ],
        ),
        row(
            "301, 302, 303 within the origin",
            vec![
                redirects("301 Moved Permanently", "/mcp/"),
                redirects("302 Found", "/mcp/"),
                redirects("303 See Other", "/mcp/"),
            ],
        ),
        row(
            "a redirect to another origin",
            vec![
                redirects("307 Temporary Redirect", "http://127.0.0.1:9/mcp"),
                redirects("307 Temporary Redirect", "https://mcp.example.test/mcp"),
            ],
        ),
        row(
            "redirects in a circle",
            vec![redirects("307 Temporary Redirect", "/mcp")],
        ),
    ]
}
