//! A server over standard streams that does one thing wrong, byte for byte.
//!
//!     rogue FAULT [--log FILE] [--pid FILE] [--count N]
//!     rogue @FILE
//!
//! `@FILE` holds the arguments, so that a launch stays the same while the fault changes.
//! But for its fault it is a small well-behaved server with one tool. `--log` gets every message
//! that was received, a line each; `--pid` gets its process id, which is that of its group.

use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

const TOOL: &str = r#"{"name":"ping","inputSchema":{"type":"object"}}"#;

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},"instructions":"words","ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"rogue","version":"1"}}}"#;

/// That the server ends now, with this code.
struct End(u8);

type Step = Result<(), End>;

struct Rogue {
    fault: String,
    log: Option<String>,
    count: usize,
    /// It was started before: the file for its process id was there.
    again: bool,
    /// How many lists were asked for.
    lists: usize,
    /// The ids of `server/discover` and `initialize`, and that of the list that waits.
    discover: String,
    initialize: String,
    list: String,
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(End(code)) => ExitCode::from(code),
    }
}

fn serve() -> Step {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(file) = args.first().and_then(|first| first.strip_prefix('@')) {
        let words = std::fs::read_to_string(file).expect("a file of arguments");
        args = words.split_whitespace().map(str::to_owned).collect();
    }
    let mut args = args.into_iter();
    let mut rogue = Rogue {
        fault: args.next().expect("a fault"),
        log: None,
        count: 0,
        again: false,
        lists: 0,
        discover: String::new(),
        initialize: String::new(),
        list: String::new(),
    };
    while let Some(flag) = args.next() {
        let value = args.next().expect("a value");
        match flag.as_str() {
            "--log" => rogue.log = Some(value),
            "--pid" => {
                rogue.again = std::path::Path::new(&value).exists();
                std::fs::write(value, std::process::id().to_string()).expect("a file");
            }
            "--count" => rogue.count = value.parse().expect("a number"),
            _ => panic!("unknown flag {flag}"),
        }
    }
    rogue.before()?;
    let lines = std::io::stdin().lock().lines();
    for line in lines {
        let Ok(line) = line else { break };
        rogue.received(&line)?;
    }
    rogue.after()
}

/// Writes bytes and flushes; whoever reads them may have gone.
fn write(bytes: &[u8]) -> Step {
    let mut output = std::io::stdout().lock();
    output
        .write_all(bytes)
        .and_then(|()| output.flush())
        .map_err(|_| End(0))
}

fn say(message: &str) -> Step {
    write(format!("{message}\n").as_bytes())
}

fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn reply(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn wait_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// A process that outlives this one and holds its streams open.
fn leave_a_grandchild() {
    Command::new("/bin/sh")
        .args(["-c", "trap '' TERM; sleep 3600 & exit 0"])
        .stdin(Stdio::null())
        .status()
        .expect("a grandchild");
}

/// Runs a line of shell, with nothing to read and nobody to hear it.
fn sh(script: &str) {
    Command::new("/bin/sh")
        .args(["-c", script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("a shell");
}

/// The value of a member that holds no structure, found without a parser.
fn member<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let start = line.find(&format!("\"{name}\":"))? + name.len() + 3;
    let rest = &line[start..];
    let end = rest.find([',', '}']).unwrap_or(rest.len());
    Some(&rest[..end])
}

impl Rogue {
    /// Before anything is read.
    fn before(&self) -> Step {
        match self.fault.as_str() {
            "exit-0" | "exit-1" => {
                complain("config missing: TOKEN=abcd1234secret\n");
                return Err(End(u8::from(self.fault == "exit-1")));
            }
            "silent" => wait_for_ever(),
            "endless-line" => loop {
                write(&vec![b'x'; 1 << 16])?;
            },
            "endless-message" => {
                write(br#"{"jsonrpc":"2.0","id":1,"result":""#)?;
                loop {
                    write(&vec![b'x'; 1 << 16])?;
                }
            }
            "endless-noise" => loop {
                say("still starting")?;
            },
            "stderr-flood" => {
                for _ in 0..64 {
                    complain(&"x".repeat(1 << 16));
                }
            }
            "stderr-flood-for-ever" => loop {
                complain(&"x".repeat(1 << 16));
            },
            "grandchild-holds-the-pipe" => {
                leave_a_grandchild();
                return Err(End(7));
            }
            "child-leaves-the-group" => sh("setsid sleep 3600 & true"),
            "child-leaves-the-group-twice" => sh("(setsid sleep 3600 &) &"),
            "child-leaves-the-group-and-it-ends" => {
                sh("(setsid sleep 3600 &) &");
                return Err(End(1));
            }
            "grandchild-is-left" | "killed-while-a-grandchild-waits" => leave_a_grandchild(),
            "noise" => {
                say("Demo server v1.2 starting on stdio")?;
                say("\u{1b}[32m✓ ready\u{1b}[0m")?;
                write(b"\0\0\n\xff\xfe\n\r\n")?;
                say(r#"{"level":"info","msg":"booted"}"#)?;
            }
            "request-storm" => loop {
                say(r#"{"jsonrpc":"2.0","id":"s","method":"ping"}"#)?;
            },
            "notification-storm" => loop {
                say(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#)?;
            },
            _ => {}
        }
        Ok(())
    }

    /// After the end of standard input.
    fn after(&self) -> Step {
        match self.fault.as_str() {
            // The signal is ignored by the shell that started this: see the tests.
            "ignores-eof" => wait_for_ever(),
            "writes-after-eof" => loop {
                say(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#)?;
            },
            _ => {}
        }
        Ok(())
    }

    fn received(&mut self, line: &str) -> Step {
        if let Some(log) = &self.log {
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(log)
                .expect("a log");
            writeln!(file, "{line}").expect("the log is written");
        }
        let id = member(line, "id");
        let method = member(line, "method").map(|method| method.trim_matches('"'));
        match (id, method) {
            (Some(id), Some("server/discover")) => {
                id.clone_into(&mut self.discover);
                self.discover(id)?;
            }
            (Some(id), Some("initialize")) => {
                id.clone_into(&mut self.initialize);
                self.initialize(id)?;
            }
            (None, Some("notifications/initialized")) => self.initialized()?,
            (Some(id), Some("tools/list")) => {
                self.lists += 1;
                id.clone_into(&mut self.list);
                self.list(id, line)?;
            }
            (Some(id), Some("ping")) => self.ping(id)?,
            (Some(id), Some(_)) => say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"unknown"}}}}"#
            ))?,
            (Some(_), None) => self.answered(line)?,
            _ => {}
        }
        Ok(())
    }

    fn discover(&self, id: &str) -> Step {
        let unsupported = |supported: &str| {
            say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"unsupported","data":{{"supported":[{supported}]}}}}}}"#
            ))
        };
        match self.fault.as_str() {
            "probe-is-answered-late" if self.again => say(&reply(id, DISCOVERED)),
            "probe-is-not-answered" | "probe-is-answered-late" => Ok(()),
            "probe-ends-it" => Err(End(3)),
            "probe-is-answered-with-nothing" => say(&reply(id, "{}")),
            "probe-is-taken-for-initialize" => self.initialize(id),
            "probe-names-old-revisions" => unsupported(r#""2025-11-25","2025-06-18""#),
            "probe-names-its-own-revision" => unsupported(r#""2026-07-28""#),
            "probe-names-new-revisions" => unsupported(r#""2031-01-01""#),
            fault if fault != "modern-version" && fault.starts_with("modern") => {
                say(&reply(id, DISCOVERED))
            }
            _ => say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"unknown"}}}}"#
            )),
        }
    }

    fn initialize(&self, id: &str) -> Step {
        let modern = self.fault != "modern-version" && self.fault.starts_with("modern");
        if modern || self.fault == "probe-is-answered-late" {
            if !modern {
                say(&reply(&self.discover, DISCOVERED))?;
            }
            return say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"unsupported","data":{{"supported":["2026-07-28"]}}}}}}"#
            ));
        }
        let version = match self.fault.as_str() {
            "unknown-version" => "2099-01-01",
            "modern-version" => "2026-07-28",
            "old-version" => "2024-11-05",
            _ => "2025-11-25",
        };
        let capabilities = r#"{"tools":{"listChanged":true}}"#;
        let result = format!(
            r#"{{"protocolVersion":"{version}","capabilities":{capabilities},"serverInfo":{{"name":"rogue","version":"1"}}}}"#
        );
        match self.fault.as_str() {
            "asks-ping-first" => say(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?,
            "asks-sampling-first" => {
                say(
                    r#"{"jsonrpc":"2.0","id":"s-9","method":"sampling/createMessage","params":{}}"#,
                )?;
            }
            "a-byte-a-second" => {
                for byte in reply(id, &result).bytes() {
                    write(&[byte])?;
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
            "no-version" => say(&reply(id, r#"{"capabilities":{}}"#))?,
            "no-capabilities" => say(&reply(id, r#"{"protocolVersion":"2025-11-25"}"#))?,
            "refuses" => say(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32000,\"message\":\"no key \\u001b[31mabcd1234secret\"}}}}"
            ))?,
            "refuses-without-id" => say(
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"can't parse"}}"#,
            )?,
            _ => say(&reply(id, &result))?,
        }
        Ok(())
    }

    /// What a server that asks first does once it has its answer.
    fn answered(&self, line: &str) -> Step {
        let right = match self.fault.as_str() {
            "asks-ping-first" => line.contains(r#""id":1,"result":{}"#),
            "asks-sampling-first" => line.contains("-32601") && line.contains("s-9"),
            "asks-roots-first" => {
                if line.contains(r#""roots":[{"uri":"file:///"#) {
                    say(&reply(&self.list, &format!(r#"{{"tools":[{TOOL}]}}"#)))?;
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        if right {
            let capabilities = r#"{"tools":{}}"#;
            say(&reply(
                &self.initialize,
                &format!(
                    r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{}}}}"#
                ),
            ))?;
        }
        Ok(())
    }

    fn initialized(&self) -> Step {
        match self.fault.as_str() {
            "exit-after-handshake" => return Err(End(1)),
            "killed-after-handshake" | "killed-while-a-grandchild-waits" => {
                let id = std::process::id().to_string();
                let _ = Command::new("/bin/sh")
                    .args(["-c", "kill -9 $0", &id])
                    .status();
            }
            _ => {}
        }
        Ok(())
    }

    fn list(&self, id: &str, line: &str) -> Step {
        let tools = format!(r#"{{"tools":[{TOOL}]}}"#);
        let good = reply(id, &tools);
        let page = |tools: &str, cursor: &str| {
            reply(
                id,
                &format!(r#"{{"tools":[{tools}],"nextCursor":"{cursor}"}}"#),
            )
        };
        match self.fault.as_str() {
            "modern" | "probe-is-answered-late" => say(&reply(
                id,
                &format!(
                    r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{TOOL}]}}"#
                ),
            ))?,
            "modern-asks-for-input" => say(&reply(
                id,
                &format!(r#"{{"resultType":"input_required","tools":[{TOOL}]}}"#),
            ))?,
            "modern-forgets-its-revision" => say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"unsupported","data":{{"supported":["2025-11-25"]}}}}}}"#
            ))?,
            "modern-changes" => {
                say(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)?;
                say(&good)?;
                say(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)?;
            }
            "exit-mid-line" => {
                write(&good.as_bytes()[..30])?;
                return Err(End(0));
            }
            "exit-without-line-break" => {
                write(good.as_bytes())?;
                return Err(End(0));
            }
            "silent-list" => {}
            "big-message" => {
                let word = "x".repeat(self.count);
                say(&reply(id, &format!(r#"{{"tools":[{{"name":"{word}"}}]}}"#)))?;
            }
            "partial-json" => say(&good[..30])?,
            "nul" => say(&good.replace("ping", "pi\0ng"))?,
            "nan" => say(&good.replace(r#"{"type":"object"}"#, r#"{"default":NaN}"#))?,
            "invalid-utf8" => {
                let mut bytes = good.replace("ping", "pi#ng").into_bytes();
                for byte in &mut bytes {
                    if *byte == b'#' {
                        *byte = 0xff;
                    }
                }
                bytes.push(b'\n');
                write(&bytes)?;
            }
            "split-utf8" => {
                for byte in format!("{}\n", good.replace("ping", "pïng€😀")).bytes() {
                    write(&[byte])?;
                }
            }
            "stderr-flood" => {
                complain(&"warning\n".repeat(1 << 16));
                say(&good)?;
            }
            "wrong-id" => say(&reply("77", &tools))?,
            "text-id" => say(&reply(&format!("\"{id}\""), &tools))?,
            "float-id" => say(&reply(&format!("{id}.0"), &tools))?,
            "wrong-id-then-right" => {
                say(&reply("77", &tools))?;
                say(&good)?;
            }
            "duplicate-reply" => {
                say(&good)?;
                say(&good)?;
            }
            "two-replies" => {
                say(&good)?;
                say(&good.replace("ping", "pong"))?;
            }
            "result-and-error" => say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{tools},"error":{{"code":1,"message":"no"}}}}"#
            ))?,
            "id-twice" => say(&good.replacen('{', r#"{"id":9,"#, 1))?,
            "batch" => say(&format!(
                r#"[{{"jsonrpc":"2.0","method":"notifications/message"}},{good}]"#
            ))?,
            "no-such-method" => say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"unknown"}}}}"#
            ))?,
            "list-fails" => say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"database is down"}}}}"#
            ))?,
            "asks-roots-first" => say(r#"{"jsonrpc":"2.0","id":2,"method":"roots/list"}"#)?,
            "repeated-cursor" => say(&page(TOOL, "OA=="))?,
            "cursor-storm" => say(&page("", &self.lists.to_string()))?,
            "many-tools" => say(&reply(
                id,
                &format!(r#"{{"tools":[{}]}}"#, vec![TOOL; self.count].join(",")),
            ))?,
            "many-tools-in-pages" => {
                say(&page(
                    &vec![TOOL; self.count].join(","),
                    &self.lists.to_string(),
                ))?;
            }
            "changes-between-pages" => match (self.lists, line.contains("cursor")) {
                (1, _) => {
                    say(&page(r#"{"name":"old"}"#, "2"))?;
                    say(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)?;
                }
                (_, false) => say(&page(r#"{"name":"new"}"#, "2"))?,
                (_, true) => say(&reply(id, r#"{"tools":[{"name":"second"}]}"#))?,
            },
            "ends-before-ping" => {
                say(&good)?;
                return Err(End(0));
            }
            _ => say(&good)?,
        }
        Ok(())
    }

    fn ping(&self, id: &str) -> Step {
        match self.fault.as_str() {
            "changed-before-ping" if self.lists == 1 => {
                say(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)?;
            }
            "changed-for-ever" => {
                say(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)?;
            }
            "no-ping" => return Ok(()),
            "no-such-ping" => {
                say(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"unknown"}}}}"#
                ))?;
                return Ok(());
            }
            _ => {}
        }
        say(&reply(id, "{}"))?;
        Ok(())
    }
}
