//! The rows about what stands between: proxies, the command that prints headers, TLS, and the old
//! HTTP+SSE transport.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::certificates::certificate;
use crate::project::{Kind, Project, TOKEN};
use crate::rogue_server::{RogueServer, TOOL};
use crate::table::{Case, Row};

fn row(section: &'static str, fault: &'static str, shown_by: Vec<Case>) -> Row {
    Row {
        section,
        fault,
        shown_by,
    }
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = proxies();
    rows.extend(helpers());
    rows.extend(tls());
    rows.extend(old());
    rows
}

/// The host behind the proxies: nobody has that name.
const BEHIND: &str = "mcp.example.test";

/// A proxy that answers each request head so; `Some(port)` makes a tunnel to that port.
fn proxy(answer: impl Fn(&str) -> Result<u16, &'static str> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = String::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
            match answer(&head) {
                Ok(port) => {
                    let target = TcpStream::connect(("127.0.0.1", port)).unwrap();
                    let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
                    join(stream, target);
                }
                Err(reply) => {
                    let _ = stream.write_all(reply.as_bytes());
                    let _ = reader.read(&mut [0; 4096]);
                }
            }
        }
    });
    port
}

/// Carries bytes both ways until both sides have ended.
fn join(one: TcpStream, other: TcpStream) {
    for (mut from, mut to) in [
        (one.try_clone().unwrap(), other.try_clone().unwrap()),
        (other, one),
    ] {
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Write);
        });
    }
}

/// A fault of the proxy on the way to a server with this scheme.
fn proxied(
    name: &str,
    scheme: &'static str,
    answer: fn(&str) -> Result<u16, &'static str>,
) -> Case {
    Case::new(name, Kind::Http, move |project| {
        let port = proxy(answer);
        let variable = if scheme == "https" {
            "HTTPS_PROXY"
        } else {
            "http_proxy"
        };
        // A password that no message may hold.
        project.set(variable, &format!("http://user:{TOKEN}@127.0.0.1:{port}"));
        project.set("FAULTS_URL", &format!("{scheme}://{BEHIND}/mcp"));
        None
    })
}

const WANTS: &str = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\
                     Content-Length: 0\r\nConnection: close\r\n\r\n";
const FORBIDDEN: &str = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

fn proxies() -> Vec<Row> {
    const HERE: &str = "Proxies";
    // A server that is itself the proxy: it is asked with the whole URL, and for the user.
    let plain = Case::new("http in plain", Kind::Http, |project| {
        let server = RogueServer::new(|request, out| {
            let right = request.path == format!("http://{BEHIND}/mcp")
                && request.headers["host"] == BEHIND
                && request.headers["proxy-authorization"].starts_with("Basic ");
            if !right {
                out.reply("500 not as a proxy is asked", &[], "");
            }
            !right
        });
        let address = server
            .url
            .trim_start_matches("http://")
            .trim_end_matches("/mcp");
        project.set("HTTP_PROXY", &format!("http://user:{TOKEN}@{address}"));
        let mut server = server;
        server.url = format!("http://{BEHIND}/mcp");
        Some(server)
    });
    let tunnel = Case::new("https through a tunnel", Kind::Http, |project| {
        let (config, pem) = certificate(BEHIND, 2099);
        project.write("ca.pem", pem);
        let mut server = RogueServer::listening("127.0.0.1", Some(config), |request, _| {
            assert!(!request.headers.contains_key("proxy-authorization"));
            false
        });
        let port: u16 = port_of(&server.url);
        let proxy = proxy(move |head| {
            let asked = head.starts_with(&format!("CONNECT {BEHIND}:443 "));
            let known = head
                .to_ascii_lowercase()
                .contains("proxy-authorization: basic ");
            if asked && known {
                Ok(port)
            } else {
                Err(FORBIDDEN)
            }
        });
        project.set(
            "ALL_PROXY",
            &format!("http://user:{TOKEN}@127.0.0.1:{proxy}"),
        );
        server.url = format!("https://{BEHIND}/mcp");
        Some(server)
    });
    let around = Case::new("around it", Kind::Http, |project| {
        project.set("HTTP_PROXY", "http://127.0.0.1:9");
        Some(RogueServer::new(|_, _| false))
    });
    let nobody = Case::new("a port where nothing listens", Kind::Http, |project| {
        let free = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        project.set("HTTP_PROXY", &format!("http://user:{TOKEN}@{free}"));
        project.set("FAULTS_URL", &format!("http://{BEHIND}/mcp"));
        None
    });
    let exempt = Case::new("a host of NO_PROXY", Kind::Http, |project| {
        project.set("HTTP_PROXY", "http://127.0.0.1:9");
        project.set("NO_PROXY", "other.test, .example.test");
        project.set("FAULTS_URL", &format!("http://{BEHIND}/mcp"));
        None
    });
    vec![
        row(
            HERE,
            "a proxy that does its work",
            vec![plain, tunnel.flags(&["--ca-file", "ca.pem"]), around],
        ),
        row(HERE, "nothing listens at the proxy", vec![nobody]),
        row(
            HERE,
            "the proxy wants authorization",
            vec![
                proxied("in plain", "http", |_| Err(WANTS)),
                proxied("for a tunnel", "https", |_| Err(WANTS)),
            ],
        ),
        row(
            HERE,
            "the proxy makes no tunnel",
            vec![proxied("it forbids it", "https", |_| Err(FORBIDDEN))],
        ),
        row(HERE, "a host that NO_PROXY names", vec![exempt]),
    ]
}

fn port_of(url: &str) -> u16 {
    let rest = url.rsplit_once(':').unwrap().1;
    rest.split('/').next().unwrap().parse().unwrap()
}

/// A command that prints headers, before a server that wants the token in one.
fn helper(text: &'static str) -> Case {
    Case::new(text, Kind::HttpHelper, move |project: &mut Project| {
        project.executable("headers", text, 0o755);
        Some(RogueServer::new(|request, out| {
            let right = request
                .headers
                .get("x-token")
                .is_some_and(|token| token == TOKEN);
            if !right {
                out.reply("401 Unauthorized", &[], "");
            }
            !right
        }))
    })
}

fn helpers() -> Vec<Row> {
    const HERE: &str = "The command that prints headers";
    let prints = "#!/bin/sh\necho '{\"X-Token\": \"tok-abcd1234secret\"}'\n";
    let leaves =
        "#!/bin/sh\nsleep 3600 > /dev/null &\necho '{\"X-Token\": \"tok-abcd1234secret\"}'\n";
    let none = Case::new("not there", Kind::HttpHelper, |_| {
        Some(RogueServer::new(|_, _| false))
    });
    vec![
        row(
            HERE,
            "it prints its headers",
            vec![helper(prints), helper(leaves)],
        ),
        row(HERE, "it is not there", vec![none]),
        row(
            HERE,
            "it fails",
            vec![helper("#!/bin/sh\necho tok-abcd1234secret; exit 3\n")],
        ),
        row(
            HERE,
            "it prints no headers",
            vec![helper("#!/bin/sh\necho tok-abcd1234secret\n")],
        ),
        row(
            HERE,
            "it prints without end",
            vec![helper("#!/bin/sh\nexec yes tok-abcd1234secret\n")],
        ),
        row(
            HERE,
            "it does not end",
            vec![helper("#!/bin/sh\nsleep 3600\n").slow()],
        ),
    ]
}

/// A server behind TLS with a certificate for `name`, valid until `year`, that is in `ca.pem`.
fn behind_tls(name: &'static str, year: i32) -> Case {
    Case::new(name, Kind::Http, move |project| {
        let (config, pem) = certificate(name, year);
        project.write("ca.pem", pem);
        Some(RogueServer::listening("localhost", Some(config), |_, _| {
            false
        }))
    })
}

fn tls() -> Vec<Row> {
    const HERE: &str = "TLS";
    let vouched = ["--ca-file", "ca.pem"];
    let by_variable = Case::new("SSL_CERT_FILE", Kind::Http, |project| {
        let (config, pem) = certificate("localhost", 2099);
        project.write("ca.pem", pem);
        let file = project.path("ca.pem");
        project.set("SSL_CERT_FILE", file.to_str().unwrap());
        Some(RogueServer::listening("localhost", Some(config), |_, _| {
            false
        }))
    });
    let plain = Case::new("plain HTTP", Kind::Http, |project| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        project.set("FAULTS_URL", &format!("https://{address}/mcp"));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
                let _ = stream.read(&mut [0; 4096]);
            }
        });
        None
    });
    vec![
        row(
            HERE,
            "self-signed, or an unknown authority",
            vec![behind_tls("localhost", 2099)],
        ),
        row(
            HERE,
            "expired",
            vec![behind_tls("localhost", 2021).flags(&vouched)],
        ),
        row(
            HERE,
            "for another host",
            vec![behind_tls("other.example", 2099).flags(&vouched)],
        ),
        row(
            HERE,
            "one that --ca-file or SSL_CERT_FILE vouches for",
            vec![behind_tls("localhost", 2099).flags(&vouched), by_variable],
        ),
        row(HERE, "no TLS at all", vec![plain]),
    ]
}

/// What the stream of an old server begins with.
pub(crate) const HEAD: &str = ": hello\r\n\r\nevent: endpoint\r\ndata: /message?id=1\r\n\r\n";

/// An old server whose stream begins with `head`; POST to the path of the stream is not found.
pub(crate) fn old_server(head: &str) -> RogueServer {
    let (replies, waiting) = channel::<String>();
    let (replies, waiting): (Mutex<Sender<String>>, Mutex<Receiver<String>>) =
        (Mutex::new(replies), Mutex::new(waiting));
    let head = head.to_owned();
    RogueServer::new(move |request, out| {
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

fn old() -> Vec<Row> {
    const HERE: &str = "The old HTTP+SSE transport";
    let head = |name: &str, kind: Kind, head: &'static str| {
        Case::new(name, kind, move |_| Some(old_server(head)))
    };
    let elsewhere = "event: endpoint\ndata: http://127.0.0.1:9/message\n\n";
    let no_stream = Case::new("a message", Kind::Sse, |_| {
        Some(RogueServer::new(|_, out| {
            out.json("{}");
            true
        }))
    });
    let ends = Case::new("after its endpoint", Kind::Sse, |_| {
        Some(RogueServer::new(|request, out| {
            if request.method == "GET" {
                out.events();
                out.raw("event: endpoint\ndata: /m\n\n");
                std::thread::sleep(Duration::from_millis(500));
            } else {
                out.reply("202 Accepted", &[], "");
            }
            true
        }))
    });
    vec![
        row(
            HERE,
            "an endpoint at another origin",
            vec![
                head("configured", Kind::Sse, elsewhere),
                head("found out", Kind::Http, elsewhere),
            ],
        ),
        row(
            HERE,
            "no endpoint",
            vec![
                head("comments only", Kind::Sse, ": nothing\n\n").flags(&["--start-timeout", "2"]),
            ],
        ),
        row(HERE, "no stream", vec![no_stream]),
        row(HERE, "the stream ends", vec![ends]),
    ]
}
