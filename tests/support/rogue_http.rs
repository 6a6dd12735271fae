//! A remote server that does one thing wrong, byte for byte, and a canary that nobody may visit.
//!
//! But for what a test takes over it is a small well-behaved server of the era with a handshake:
//! one tool, a session, no stream of its own.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// The only tool.
pub(crate) const TOOL: &str = r#"{"name":"ping","inputSchema":{"type":"object"}}"#;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

impl Request {
    /// The method of the message in it, or that of HTTP.
    pub(crate) fn asks(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.method)
    }

    /// A result for it.
    pub(crate) fn result(&self, result: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            self.body["id"]
        )
    }

    /// The list with its only tool.
    pub(crate) fn tools(&self) -> String {
        self.result(&format!(r#"{{"tools":[{TOOL}]}}"#))
    }

    /// An error for it.
    pub(crate) fn error(&self, code: i64) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{code},"message":"no"}}}}"#,
            self.body["id"]
        )
    }
}

trait Stream: Read + Write + Send {}
impl<S: Read + Write + Send> Stream for S {}

/// The connection on which a request is answered, and closed after that.
pub(crate) struct Out {
    stream: Box<dyn Stream>,
    /// The last byte of the request has not been read: closed so, the connection is reset.
    unread: bool,
}

impl Out {
    fn read_on(&mut self) {
        if std::mem::take(&mut self.unread) {
            let _ = self.stream.read(&mut [0]);
        }
    }

    /// Bytes as they are; whether they arrived.
    pub(crate) fn raw(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.read_on();
        let sent = self.stream.write_all(bytes.as_ref());
        sent.and_then(|()| self.stream.flush()).is_ok()
    }

    /// Bytes, and then a reset.
    pub(crate) fn reset_after(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
        let _ = self.stream.flush();
        std::thread::sleep(Duration::from_millis(50));
    }

    /// A reply with a body.
    pub(crate) fn reply(&mut self, status: &str, headers: &[&str], body: &str) {
        let mut headers = headers.join("\r\n");
        if !headers.is_empty() {
            headers.push_str("\r\n");
        }
        self.raw(format!(
            "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        ));
    }

    /// A message.
    pub(crate) fn json(&mut self, body: &str) {
        self.reply(
            "200 OK",
            &["Content-Type: application/json; charset=utf-8"],
            body,
        );
    }

    /// The head of an event stream that goes on until the connection is closed.
    pub(crate) fn events(&mut self) {
        self.raw("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n");
    }
}

type Handler = dyn Fn(&Request, &mut Out) -> bool + Send + Sync;

/// A running server.
pub(crate) struct RogueServer {
    /// Where it is.
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl RogueServer {
    /// A server in which `handler` comes first; what it does not handle (it returns false) is
    /// answered well.
    pub(crate) fn new(
        handler: impl Fn(&Request, &mut Out) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::listening("127.0.0.1", None, handler)
    }

    /// The same on another address, with TLS perhaps.
    pub(crate) fn listening(
        address: &str,
        tls: Option<Arc<rustls::ServerConfig>>,
        handler: impl Fn(&Request, &mut Out) -> bool + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((address.trim_matches(['[', ']']), 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, handler): (_, Arc<Handler>) = (Arc::clone(&requests), Arc::new(handler));
        let scheme = if tls.is_some() { "https" } else { "http" };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, handler, tls) = (Arc::clone(&log), Arc::clone(&handler), tls.clone());
                std::thread::spawn(move || {
                    let stream: Box<dyn Stream> = match tls {
                        None => Box::new(stream),
                        Some(config) => {
                            let tls = rustls::ServerConnection::new(config).unwrap();
                            Box::new(rustls::StreamOwned::new(tls, stream))
                        }
                    };
                    serve(stream, &log, &*handler);
                });
            }
        });
        RogueServer {
            url: format!("{scheme}://{address}:{port}/mcp"),
            requests,
        }
    }

    /// What it was asked so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The methods of what it was asked, `GET` and `DELETE` aside.
    pub(crate) fn asked(&self) -> Vec<String> {
        let requests = self.requests();
        let posts = requests.iter().filter(|request| request.method == "POST");
        posts.map(|request| request.asks().to_owned()).collect()
    }

    /// How often it was asked for this.
    pub(crate) fn times(&self, asks: &str) -> usize {
        let requests = self.requests();
        requests
            .iter()
            .filter(|request| request.asks() == asks)
            .count()
    }
}

fn serve(mut stream: Box<dyn Stream>, log: &Mutex<Vec<Request>>, handler: &Handler) {
    let Some((request, unread)) = read(&mut stream) else {
        return;
    };
    log.lock().unwrap().push(request.clone());
    let mut out = Out { stream, unread };
    if !handler(&request, &mut out) {
        well(&request, &mut out);
    }
}

/// Reads a request but for the last byte of its body, which is always a brace.
fn read(stream: &mut dyn Read) -> Option<(Request, bool)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length.saturating_sub(1)];
    stream.read_exact(&mut body).ok()?;
    if length > 0 {
        body.push(b'}');
    }
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let request = Request {
        method,
        path,
        headers,
        body,
    };
    Some((request, length > 0))
}

/// What a server does that does nothing wrong.
fn well(request: &Request, out: &mut Out) {
    match request.asks() {
        "GET" | "DELETE" => out.reply("405 Method Not Allowed", &["Allow: POST"], ""),
        "initialize" => out.reply(
            "200 OK",
            &["Content-Type: application/json", "Mcp-Session-Id: s-1"],
            &request.result(
                r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"rogue","version":"1"}}"#,
            ),
        ),
        "notifications/initialized" => out.reply("202 Accepted", &[], ""),
        "tools/list" => out.json(&request.tools()),
        "ping" => out.json(&request.result("{}")),
        _ => out.reply(
            "400 Bad Request",
            &["Content-Type: application/json"],
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#,
        ),
    }
}

/// A listener that notes whether anyone came.
pub(crate) struct Canary {
    listener: TcpListener,
}

impl Canary {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Canary { listener }
    }

    /// Its origin.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.listener.local_addr().unwrap())
    }

    /// Looks that nobody came.
    #[track_caller]
    pub(crate) fn is_unvisited(&self) {
        let visit: std::io::Result<(TcpStream, _)> = self.listener.accept();
        assert!(visit.is_err(), "the canary was visited");
    }
}
