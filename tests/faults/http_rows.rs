//! The rows about streamable HTTP.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::project::Kind;
use crate::rogue_server::{Out, Request, RogueServer};
use crate::table::{Case, Row};

const HERE: &str = "HTTP";
/// What ends at a time-out, ends at these.
const SOON: [&str; 4] = ["--start-timeout", "2", "--request-timeout", "2"];

fn row(fault: &'static str, shown_by: Vec<Case>) -> Row {
    Row {
        section: HERE,
        fault,
        shown_by,
    }
}

/// A server in which `handler` comes first.
fn server(
    name: &str,
    handler: impl Fn(&Request, &mut Out) -> bool + Send + Sync + Clone + 'static,
) -> Case {
    Case::new(name, Kind::Http, move |_| {
        Some(RogueServer::new(handler.clone()))
    })
}

/// A server that is good but for its list.
fn list(name: &str, answer: impl Fn(&Request, &mut Out) + Send + Sync + Clone + 'static) -> Case {
    server(name, move |request, out| {
        let asked = request.asks() == "tools/list";
        if asked {
            answer(request, out);
        }
        asked
    })
}

/// A server that answers its list so, with these headers.
fn replies(status: &'static str, headers: &'static [&'static str], body: &'static str) -> Case {
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

/// A gzip stream that goes on for ever and holds one letter again and again: 13 bytes of it stand
/// for 2,064 (RFC 1951, section 3.2.6: the length 258 at the distance 1).
fn bomb() -> (Vec<u8>, Vec<u8>) {
    let mut bits = vec![false, true, false];
    let mut push = |code: u32, length: u32| {
        bits.extend((0..length).rev().map(|at| code >> at & 1 == 1));
    };
    push(0x30 + u32::from(b'x'), 8);
    for _ in 0..8 * 8 {
        push(0b1100_0101, 8);
        push(0, 5);
    }
    let bytes: Vec<u8> = bits
        .chunks_exact(8)
        .map(|byte| {
            byte.iter()
                .rev()
                .fold(0, |all, &bit| all << 1 | u8::from(bit))
        })
        .collect();
    let head = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255][..], &bytes[..13]].concat();
    (head, bytes[13..13 + 13 * 4].repeat(1 << 10))
}

/// Streams the answer to a list, cut after `cut` and taken up when asked for what comes after the
/// event `e-1`.
fn cut_stream(name: &str, cut: impl Fn(&mut Out) + Send + Sync + Clone + 'static) -> Case {
    Case::new(name, Kind::Http, move |_| {
        let cut = cut.clone();
        let asked = std::sync::Mutex::new(None);
        Some(RogueServer::new(move |request, out| {
            match request.asks() {
                "tools/list" => {
                    *asked.lock().unwrap() = Some(request.clone());
                    cut(out);
                }
                "GET" if request.headers.contains_key("last-event-id") => {
                    assert_eq!(request.headers["last-event-id"], "e-1");
                    assert_eq!(request.headers["mcp-session-id"], "s-1");
                    let list = asked.lock().unwrap().clone().unwrap();
                    out.events();
                    out.raw(format!("id: e-2\ndata: {}\n\n", list.tools()));
                }
                _ => return false,
            }
            true
        }))
    })
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = connections();
    rows.extend(statuses());
    rows.extend(bodies());
    rows.extend(streams());
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

fn bodies() -> Vec<Row> {
    let gzip = |kind: &'static str| {
        move |_: &Request, out: &mut Out| {
            out.raw(format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Encoding: gzip\r\n\r\n"
            ));
            let (head, rest) = bomb();
            out.raw(head);
            while out.raw(&rest) {}
        }
    };
    vec![
        row(
            "a web page, another content type",
            vec![
                replies(
                    "200 OK",
                    &["Content-Type: text/html"],
                    "<html>Welcome</html>",
                ),
                server("a page everywhere", |_, out| {
                    out.reply(
                        "200 OK",
                        &["Content-Type: text/html; charset=utf-8"],
                        "<html>",
                    );
                    true
                }),
            ],
        ),
        row(
            "a compressed reply (a gzip bomb)",
            vec![
                list("a message", gzip("application/json")),
                list("a stream", gzip("text/event-stream")),
            ],
        ),
        row(
            "a body or an event without end",
            vec![
                list("a body", |_, out| {
                    out.raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
                    while out.raw(vec![b'x'; 1 << 16]) {}
                }),
                list("an event", |_, out| {
                    out.events();
                    out.raw("data: ");
                    while out.raw(vec![b'x'; 1 << 16]) {}
                }),
            ],
        ),
    ]
}

fn streams() -> Vec<Row> {
    let endless = |chunk: &'static str| {
        list(chunk, move |_, out| {
            out.events();
            while out.raw(chunk) {
                std::thread::sleep(Duration::from_millis(1));
            }
        })
        .flags(&SOON)
    };
    let refused = |status: &'static str| {
        server(status, move |request, out| {
            match request.asks() {
                "tools/list" => {
                    out.events();
                    out.raw("id: e-1\nretry: 100\ndata: \n\n");
                }
                "GET" => out.reply(status, &["Content-Type: text/plain"], ""),
                _ => return false,
            }
            true
        })
    };
    vec![
        row(
            "a stream of comments, of other events, of events without data",
            vec![
                endless(": nothing\n\n"),
                endless("event: ping\ndata: 1\n\n"),
                endless("data:\n\n"),
            ],
        ),
        row(
            "a stream of messages that answer nothing",
            vec![list("notices", |_, out| {
                out.events();
                let notice = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n";
                while out.raw(notice.repeat(100)) {}
            })],
        ),
        row(
            "comments, other events, a message over many lines",
            vec![list("a byte at a time", |request, out| {
                out.events();
                out.raw("id: 1\ndata: \n\n: note\r\n\r\nevent: ping\ndata: 2026\n\nretry: 5\n\n");
                let reply = request.tools().replacen(',', ",\ndata: ", 1);
                for byte in format!("event: message\ndata: {reply}\n\n").bytes() {
                    out.raw([byte]);
                }
            })],
        ),
        row(
            "a stream that ends too early, without ids",
            vec![
                list("in an event", |_, out| {
                    out.events();
                    out.raw("data: {\"jsonrpc\":\"2.0\"");
                }),
                list("after an event", |_, out| {
                    out.events();
                    out.raw("data: \n\n");
                }),
            ],
        ),
        row(
            "the same, or one that breaks, with ids",
            vec![
                cut_stream("it ends", |out| {
                    out.events();
                    out.raw("id: e-1\nretry: 300\ndata: \n\n");
                }),
                cut_stream("it ends in an event", |out| {
                    out.events();
                    out.raw("id: e-1\ndata: \n\nid: e-2\ndata: {\"json");
                }),
                cut_stream("it breaks", |out| {
                    out.raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                    out.raw("10\r\nid: e-1\ndata: \n\n\r\n400\r\ndata: {");
                }),
            ],
        ),
        row(
            "it is cut again and again",
            vec![
                server("for ever", |request, out| {
                    let meant = matches!(request.asks(), "tools/list" | "GET");
                    if meant {
                        out.events();
                        out.raw("id: e-1\nretry: 0\ndata: \n\n");
                    }
                    meant
                })
                .flags(&SOON),
            ],
        ),
        row(
            "it can't be taken up again",
            vec![refused("405 Method Not Allowed"), refused("200 OK")],
        ),
        row(
            "it shall be taken up again later than in 10 s",
            vec![list("in a minute", |_, out| {
                out.events();
                out.raw("id: e-1\nretry: 60000\ndata: \n\n");
            })],
        ),
    ]
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

/// The bomb is one: what it stands for is far more than what it is.
#[test]
fn a_few_bytes_of_the_bomb_stand_for_very_many() {
    let (head, rest) = bomb();
    let script = "import sys, zlib; d = zlib.decompressobj(31); \
                  print(len(d.decompress(sys.stdin.buffer.read())))";
    let Ok(mut python) = std::process::Command::new("python3")
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
    else {
        println!("SKIPPED: there is no python3 to unpack it");
        return;
    };
    let mut stdin = python.stdin.take().unwrap();
    stdin.write_all(&head).unwrap();
    stdin.write_all(&rest).unwrap();
    drop(stdin);
    let output = python.wait_with_output().unwrap();
    let unpacked: usize = String::from_utf8(output.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!(unpacked > 150 * rest.len(), "{unpacked}");
}
