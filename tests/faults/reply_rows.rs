//! The rows about what a reply over HTTP holds: bodies, and event streams.

use std::io::Write as _;
use std::time::Duration;

use crate::http_rows::{list, replies, row, server};
use crate::project::Kind;
use crate::rogue_server::{Out, Request, RogueServer};
use crate::table::{Case, Row};

/// What ends at a time-out, ends at these.
const SOON: [&str; 4] = ["--start-timeout", "2", "--request-timeout", "2"];

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = bodies();
    rows.extend(streams());
    rows
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
                replies("200 OK", &["Content-Type: text/plain"], "hello"),
                replies("200 OK", &[], "hello"),
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
