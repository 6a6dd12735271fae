//! The least that a client can do: the yardstick for what mcplock adds.
//!
//!     bare_client PROGRAM ARG…
//!
//! Declares the same capabilities as mcplock, makes the same requests in the same order, one at a
//! time, reads a reply no further than to its id, kills the server after the last one, and prints
//! the wall time in microseconds from the start of the process to that reply.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1);
    let program = args.next().expect("a program");
    let started = Instant::now();
    let mut server = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let mut input = server.stdin.take().expect("its input");
    let mut output = BufReader::new(server.stdout.take().expect("its output"));
    let lists = "tools/list prompts/list resources/list resources/templates/list tools/list ping";
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"roots":{},"sampling":{}},"clientInfo":{"name":"bare","version":"1"}}}"#;
    let mut send = |message: &str| input.write_all(format!("{message}\n").as_bytes());
    let mut line = String::new();
    send(initialize).expect("initialize is sent");
    let mut requests = lists.split(' ').enumerate();
    loop {
        line.clear();
        let read = output.read_line(&mut line).expect("a line");
        assert!(read > 0, "the server ended");
        if line.contains(r#""method":"roots/list""#) {
            let id = line
                .rsplit(r#""id":"#)
                .next()
                .expect("an id")
                .trim()
                .trim_end_matches('}');
            send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#
            ))
            .expect("roots are sent");
        } else if !line.contains(r#""method":"notifications"#) {
            let Some((at, method)) = requests.next() else {
                break;
            };
            let id = at + 2;
            let request =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#);
            if at == 0 {
                send(&format!(
                    "{}\n{request}",
                    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
                ))
            } else {
                send(&request)
            }
            .expect("a request is sent");
        }
    }
    let report = format!("{}\n", started.elapsed().as_micros());
    std::io::stdout()
        .write_all(report.as_bytes())
        .expect("the report is written");
    server.kill().expect("the server is killed");
    server.wait().expect("the server is gone");
}
