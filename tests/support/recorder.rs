//! A server over standard streams that writes down every line that it receives and sends.
//!
//! Works on files of its working folder, read anew for every message, so that a test can change
//! them in the middle of a session:
//!
//! - `catalog.json`: what it lists (`tools`, `prompts`, `resources`, `resourceTemplates`,
//!   `instructions`), served with the very bytes that stand there;
//! - `control.json`: how it behaves, see [`Control`];
//! - `next.json`: what takes the place of `catalog.json` when `control.json` says so;
//! - `server.log`: `in ` or `out ` and a line each.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// How the server behaves.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Control {
    /// Any of:
    /// `switch-on-call`: `next.json` replaces `catalog.json` when a tool is called, before the reply;
    /// `notify`: changes of `catalog.json` are announced by `list_changed`;
    /// `modern`: it speaks 2026-07-28 alone;
    /// `ask-on-call`: it asks the agent something before it answers a call, and waits for the answer;
    /// `exit-on-call`: it ends when a tool is called;
    /// `stop-reading`: it reads one line and no more.
    does: Vec<String>,
    /// `next.json` replaces `catalog.json` after this many replies to `tools/list`.
    switch_after_lists: Option<usize>,
    /// Items on a page.
    page_size: Option<usize>,
    /// Methods that are never answered.
    hang: Vec<String>,
    /// Methods that are answered with an error.
    fail: Vec<String>,
    /// Notifications that it sends on a call.
    flood_on_call: usize,
    /// Milliseconds that a call takes.
    call_takes: u64,
    /// Bytes of text in the result of a call.
    result_bytes: usize,
    /// `structuredContent` of the result.
    structured: Option<Box<RawValue>>,
}

impl Control {
    fn does(&self, what: &str) -> bool {
        self.does.iter().any(|word| word == what)
    }
}

/// That the server ends now, with this code.
struct End(u8);

type Catalog = BTreeMap<String, Box<RawValue>>;

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

#[derive(Clone)]
struct Book(Arc<Mutex<File>>);

impl Book {
    fn note(&self, way: &str, line: &str) {
        let mut file = self.0.lock().expect("the log");
        let text = format!("{way} {line}\n");
        file.write_all(text.as_bytes()).expect("the log is written");
    }
}

struct Server {
    book: Book,
    lists: usize,
    asked: u64,
    /// Lines that came while an answer was waited for.
    backlog: VecDeque<String>,
}

fn control() -> Control {
    match std::fs::read_to_string("control.json") {
        Ok(text) => serde_json::from_str(&text).expect("control.json"),
        Err(_) => Control::default(),
    }
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(End(code)) => ExitCode::from(code),
    }
}

fn serve() -> Result<(), End> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open("server.log");
    let book = Book(Arc::new(Mutex::new(file.expect("server.log"))));
    std::fs::write("server.pid", std::process::id().to_string()).expect("server.pid");
    let mut server = Server {
        book: book.clone(),
        lists: 0,
        asked: 0,
        backlog: VecDeque::new(),
    };
    let watching = book.clone();
    std::thread::spawn(move || watch(&watching));
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        book.note("in", text);
        if control().does("stop-reading") {
            std::thread::sleep(Duration::from_secs(60));
        }
        server.received(text, &mut input)?;
        while let Some(line) = server.backlog.pop_front() {
            server.received(&line, &mut input)?;
        }
    }
    book.note("end", "");
    Ok(())
}

/// Tells of changes of the catalog as soon as they happen.
fn watch(book: &Book) {
    let read = || std::fs::read("catalog.json").unwrap_or_default();
    let mut before = read();
    loop {
        std::thread::sleep(Duration::from_millis(5));
        let now = read();
        if now != before {
            before = now;
            if control().does("notify") {
                for kind in ["tools", "prompts", "resources"] {
                    say(
                        book,
                        &format!(
                            r#"{{"jsonrpc":"2.0","method":"notifications/{kind}/list_changed"}}"#
                        ),
                    );
                }
            }
        }
    }
}

/// What can't be written is of no use to anyone: the end of the input follows.
fn say(book: &Book, message: &str) {
    // Written down first: what the agent has seen is in the log.
    let mut output = std::io::stdout().lock();
    book.note("out", message);
    let _ = writeln!(output, "{message}").and_then(|()| output.flush());
}

impl Server {
    fn received(&mut self, line: &str, input: &mut impl BufRead) -> Result<(), End> {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return Ok(());
        };
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else {
            return Ok(());
        };
        let control = control();
        if control.hang.iter().any(|hangs| hangs == method) {
            return Ok(());
        }
        if method == "tools/call" {
            self.called(&control, input)?;
        }
        let reply = if control.fail.iter().any(|fails| fails == method) {
            Err((-32603, "out of order"))
        } else {
            answer(&control, method, &message["params"])
        };
        let reply = match reply {
            Ok(result) => format!(r#"{{"result":{result},"jsonrpc":"2.0","id":{id}}}"#),
            Err((code, text)) => format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{text}"}}}}"#
            ),
        };
        say(&self.book, &reply.replace(['\n', '\r'], " "));
        if method == "tools/list" && message["params"].get("cursor").is_none() {
            self.lists += 1;
            if control.switch_after_lists == Some(self.lists) {
                switch();
            }
        }
        Ok(())
    }

    fn called(&mut self, control: &Control, input: &mut impl BufRead) -> Result<(), End> {
        if control.does("exit-on-call") {
            return Err(End(7));
        }
        if control.does("switch-on-call") {
            switch();
        }
        for number in 0..control.flood_on_call {
            say(
                &self.book,
                &format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{number:080}"}}}}"#
                ),
            );
        }
        if control.does("ask-on-call") {
            self.asked += 1;
            let id = format!("ask-{}", self.asked);
            say(
                &self.book,
                &format!(
                    r#"{{"jsonrpc":"2.0","id":"{id}","method":"sampling/createMessage","params":{{}}}}"#
                ),
            );
            // Everything else waits, as with a server that does one thing at a time.
            loop {
                let mut line = String::new();
                if input.read_line(&mut line).unwrap_or(0) == 0 {
                    return Err(End(0));
                }
                self.book.note("in", line.trim_end_matches('\n'));
                if line.contains(&id) && line.contains("result") {
                    break;
                }
                self.backlog
                    .push_back(line.trim_end_matches('\n').to_owned());
            }
        }
        std::thread::sleep(Duration::from_millis(control.call_takes));
        Ok(())
    }
}

fn answer(control: &Control, method: &str, params: &Value) -> Result<String, (i64, &'static str)> {
    let text = std::fs::read_to_string("catalog.json").expect("catalog.json");
    let catalog: Catalog = serde_json::from_str(&text).expect("a catalog is an object");
    let modern = |result: String| {
        let extra = r#""resultType":"complete","ttlMs":0,"cacheScope":"private","#;
        if control.does("modern") {
            result.replacen('{', &format!("{{{extra}"), 1)
        } else {
            result
        }
    };
    match method {
        "ping" => Ok("{}".to_owned()),
        "initialize" if control.does("modern") => Err((-32022, "no handshake")),
        "initialize" => Ok(opened(&catalog, params, false)),
        "server/discover" if control.does("modern") => Ok(modern(opened(&catalog, params, true))),
        "tools/call" => {
            let text = "x".repeat(control.result_bytes);
            let name = &params["name"];
            let structured = control
                .structured
                .as_ref()
                .map_or_else(String::new, |raw| format!(r#","structuredContent":{raw}"#));
            Ok(modern(format!(
                r#"{{"content":[{{"type":"text","text":"called {}{text}"}}]{structured}}}"#,
                name.as_str().unwrap_or_default()
            )))
        }
        "prompts/get" => Ok(modern(r#"{"messages":[]}"#.to_owned())),
        "resources/read" => Ok(modern(r#"{"contents":[]}"#.to_owned())),
        _ => {
            let (_, member) = LISTS
                .iter()
                .find(|(list, _)| *list == method)
                .ok_or((-32601, "Method not found"))?;
            let list = catalog.get(*member).ok_or((-32601, "Method not found"))?;
            let items: Vec<Box<RawValue>> =
                serde_json::from_str(list.get()).expect("a list is an array");
            Ok(modern(page(control, member, &items, params)))
        }
    }
}

fn switch() {
    // At once, so that no reply is made of half a catalog.
    std::fs::rename("next.json", "catalog.json").expect("next.json");
}

fn opened(catalog: &Catalog, params: &Value, modern: bool) -> String {
    let asked = params["protocolVersion"].as_str().unwrap_or("2025-11-25");
    let mut capabilities = serde_json::Map::new();
    for (member, capability) in [
        ("tools", "tools"),
        ("prompts", "prompts"),
        ("resources", "resources"),
        ("resourceTemplates", "resources"),
    ] {
        if catalog.contains_key(member) {
            capabilities.insert(capability.to_owned(), json!({ "listChanged": true }));
        }
    }
    let instructions = catalog
        .get("instructions")
        .map_or_else(String::new, |raw| format!(r#","instructions":{raw}"#));
    let capabilities = Value::Object(capabilities);
    if modern {
        return format!(
            r#"{{"supportedVersions":["2026-07-28"],"capabilities":{capabilities}{instructions}}}"#
        );
    }
    format!(
        r#"{{"protocolVersion":"{asked}","capabilities":{capabilities},"serverInfo":{{"name":"recorder","version":"1"}}{instructions}}}"#
    )
}

fn page(control: &Control, member: &str, items: &[Box<RawValue>], params: &Value) -> String {
    let from = params["cursor"]
        .as_str()
        .map_or(0, |cursor| cursor.parse().expect("a cursor of ours"));
    let from = from.min(items.len());
    let to = control
        .page_size
        .map_or(items.len(), |size| (from + size).min(items.len()));
    let shown: Vec<&str> = items[from..to].iter().map(|item| item.get()).collect();
    let next = if to < items.len() {
        format!(r#","nextCursor":"{to}""#)
    } else {
        String::new()
    };
    format!(r#"{{"{member}":[{}]{next}}}"#, shown.join(","))
}
