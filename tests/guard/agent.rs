//! An agent that speaks to a guard, and the book of the server behind it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::project::{Project, example};

/// Nothing takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A project with one server, `files`, that is the recorder, pinned as it is.
pub(crate) fn pinned(catalog: &Value) -> Project {
    let project = Project::new();
    project.write("catalog.json", catalog.to_string());
    project.write("control.json", "{}");
    project.configure(&[("files", &[&example("recorder")])]);
    project.expect(0, &["pin"]);
    project.write("server.log", "");
    project
}

/// The tools of a catalog with an open object each: name, properties.
pub(crate) fn tools(list: &[(&str, Value)]) -> Value {
    let list: Vec<Value> = list
        .iter()
        .map(|(name, properties)| crate::project::tool(name, properties))
        .collect();
    json!({ "tools": list })
}

/// The tool that most tests call.
pub(crate) fn search() -> Value {
    tools(&[("search", json!({ "query": { "type": "string" } }))])
}

impl Project {
    /// Lets the server list this from now on, all at once.
    pub(crate) fn serve(&self, catalog: &Value) {
        self.write("catalog.new", catalog.to_string());
        std::fs::rename(self.path("catalog.new"), self.path("catalog.json")).unwrap();
    }

    /// Every line that the server received (`in`) or sent (`out`), in order.
    pub(crate) fn book(&self) -> Vec<(String, String)> {
        let text = self.read("server.log");
        text.lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(way, line)| (way.to_owned(), line.to_owned()))
            .collect()
    }

    /// The lines that the server received, byte for byte.
    pub(crate) fn received(&self) -> Vec<String> {
        let lines = self.book().into_iter();
        lines
            .filter(|(way, _)| way == "in")
            .map(|(_, line)| line)
            .collect()
    }

    /// Those of them that call something.
    pub(crate) fn calls(&self) -> Vec<String> {
        let methods = ["tools/call", "prompts/get", "resources/read"];
        self.received()
            .into_iter()
            .filter(|line| methods.iter().any(|method| line.contains(method)))
            .collect()
    }

    /// How often the server was asked for a list of tools.
    pub(crate) fn lists(&self) -> usize {
        let asked = |line: &&String| line.contains("\"tools/list\"");
        self.received().iter().filter(asked).count()
    }
}

/// A guard with an agent in front.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Lines that came while others were waited for.
    pub(crate) heard: Vec<Value>,
    next_id: u64,
    stderr: Receiver<String>,
}

impl Session {
    /// Starts `mcplock guard ARGS` in a project.
    pub(crate) fn start(project: &Project, args: &[&str]) -> Self {
        Session::of(project.command(&[&["guard"], args].concat()))
    }

    /// Starts any program that speaks as a server.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let (sender, stderr) = channel();
        let mut errors = child.stderr.take().unwrap();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            let _ = sender.send(text);
        });
        Session {
            input: child.stdin.take(),
            child,
            lines,
            heard: Vec::new(),
            next_id: 100,
            stderr,
        }
    }

    /// The process id of the guard.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one line, as it is.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next line, as it is; none at the end.
    pub(crate) fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("nothing came; heard {:?}", self.heard),
        }
    }

    /// Whether a line comes within that time.
    pub(crate) fn line_within(&mut self, time: Duration) -> Option<String> {
        self.lines.recv_timeout(time).ok()
    }

    /// The reply to a request, by its id.
    pub(crate) fn reply(&mut self, id: &Value) -> Value {
        if let Some(at) = self.heard.iter().position(|said| is_reply(said, id)) {
            return self.heard.remove(at);
        }
        loop {
            let line = self
                .line()
                .unwrap_or_else(|| panic!("it ended; heard {:?}", self.heard));
            let said: Value =
                serde_json::from_str(&line).unwrap_or_else(|_| json!({ "noise": line }));
            if is_reply(&said, id) {
                return said;
            }
            self.heard.push(said);
        }
    }

    /// Sends a request and does not wait; its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = json!(self.next_id);
        self.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string(),
        );
        id
    }

    /// Sends a request and waits for the reply.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.reply(&id)
    }

    /// The handshake of an agent that declares what `pin` declares.
    pub(crate) fn handshake(&mut self) -> Value {
        let capabilities = json!({ "roots": {}, "sampling": {}, "elicitation": {} });
        self.handshake_with("2025-11-25", &capabilities)
    }

    pub(crate) fn handshake_with(&mut self, revision: &str, capabilities: &Value) -> Value {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        let reply = self.request("initialize", &params);
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        reply
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.request(
            "tools/call",
            &json!({ "name": name, "arguments": arguments }),
        )
    }

    /// The names in a list of tools, over all pages.
    pub(crate) fn list(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        let mut params = json!({});
        loop {
            let reply = self.request("tools/list", &params);
            let found = reply["result"]["tools"].as_array().unwrap().clone();
            names.extend(
                found
                    .iter()
                    .map(|tool| tool["name"].as_str().unwrap().to_owned()),
            );
            match reply["result"].get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return names,
            }
        }
    }

    /// Closes the agent's side of the pipe, and no more.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }

    /// Ends the session; the exit code, and what came on standard error.
    pub(crate) fn end(mut self) -> (i32, String) {
        self.input = None;
        self.wait()
    }

    /// Waits for the guard to end; the exit code, and what came on standard error.
    pub(crate) fn wait(&mut self) -> (i32, String) {
        let code = self.wait_for_code();
        let stderr = self.stderr.recv_timeout(PATIENCE).unwrap_or_default();
        (code, stderr)
    }

    fn wait_for_code(&mut self) -> i32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < deadline, "the guard does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends a signal to the guard.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        let status = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(status.success());
    }

    /// Kills the guard at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_reply(said: &Value, id: &Value) -> bool {
    said.get("method").is_none() && said.get("id") == Some(id)
}

/// Why a call was refused, by the word for it; panics when it was not.
#[track_caller]
pub(crate) fn refused(reply: &Value) -> &str {
    let word = &reply["error"]["data"]["mcplock"]["reason"];
    word.as_str()
        .unwrap_or_else(|| panic!("not refused: {reply}"))
}

/// Insists that a call went through.
#[track_caller]
pub(crate) fn passed(reply: &Value) {
    assert!(reply.get("result").is_some(), "refused: {reply}");
}

/// The lines of a log, read as JSON.
pub(crate) fn log_lines(stderr: &str) -> Vec<Value> {
    let read = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON in the log: {line}"))
    };
    stderr.lines().map(read).collect()
}

/// Whether a process still runs.
pub(crate) fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Insists that a process ends soon.
#[track_caller]
pub(crate) fn ends(pid: &str) {
    let deadline = Instant::now() + PATIENCE;
    while runs(pid) {
        assert!(Instant::now() < deadline, "process {pid} is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}
