//! `mcplock demo`: the story of a silent change, on a server that is built in.
//!
//! Every step runs this program again as a user would, in a temporary folder, and shows what it
//! really printed and returned.

mod server;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::error::{Error, Result};

use super::Shell;
use super::args::DemoServerArgs;
use server::Release;

/// The client config of the demo's project.
const CONFIG: &str = r#"{
  "mcpServers": {
    "orders": { "command": "mcplock", "args": ["demo-server", "release.txt"] }
  }
}
"#;

/// One change that the server's author releases.
struct Chapter {
    release: Release,
    title: &'static str,
    story: &'static str,
}

const CHAPTERS: [Chapter; 3] = [
    Chapter {
        release: Release::Renamed,
        title: "a parameter is renamed",
        story: "\
Release 1.0.1 renames `query` to `q`. The object is open, so an agent that still sends `query`
gets no error: the word is dropped, and the answer is status 200 with the wrong orders in it.",
    },
    Chapter {
        release: Release::Reworded,
        title: "a description changes, the schema does not",
        story: "\
Release 1.0.2 makes `limit` a page index. It was the maximum number of results; it is an integer
still, so every validator is content. Only the words tell.",
    },
    Chapter {
        release: Release::Narrowed,
        title: "an enum is narrowed and another value becomes the default",
        story: "\
Release 1.0.3 drops `cancelled` from `status` and makes `shipped` the default: one call is refused
now, and every call that leaves `status` out means something else.",
    },
];

/// Runs `mcplock demo`.
pub(crate) fn run(shell: &Shell) -> Result<ExitCode> {
    let program = std::env::current_exe().map_err(|error| {
        Error::usage(format!("could not find this program's own file: {error}"))
    })?;
    let folder = tempfile::tempdir()
        .map_err(|error| Error::io(&std::env::temp_dir(), "make a temporary folder", &error))?;
    let stage = Stage {
        program: &program,
        folder: folder.path(),
        shell,
    };
    let told = |error: std::io::Error| Error::usage(format!("could not write: {error}"));
    let printer = &shell.printer;
    stage.write(".mcp.json", CONFIG)?;
    stage.release(Release::First)?;

    printer
        .heading("A project with one MCP server")
        .map_err(told)?;
    printer.text(
        "Its `.mcp.json` names the server `orders`. An agent reads the server's tools once and goes on
calling them. mcplock pins what it read.",
    ).map_err(told)?;
    stage.step(&["pin"], 0)?;
    stage.step(&["verify"], 0)?;

    for chapter in &CHAPTERS {
        printer
            .heading(&format!(
                "Release {}: {}",
                chapter.release.name(),
                chapter.title
            ))
            .map_err(told)?;
        printer.text(chapter.story).map_err(told)?;
        stage.release(chapter.release)?;
        stage.step(&["verify"], 1)?;
    }

    printer.heading("What next").map_err(told)?;
    printer.text(
        "In CI, run `mcplock verify`: the exit codes above fail the build. When a change is wanted, review
it with `mcplock diff` and accept it with `mcplock pin orders --yes`; the lockfile's diff then shows
the new words to whoever reviews the commit. Begin in your project with `mcplock pin`.",
    ).map_err(told)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `mcplock demo-server`.
pub(crate) fn run_server(args: &DemoServerArgs) -> Result<ExitCode> {
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    server::serve(input, output, &args.release)
        .map_err(|error| Error::io(&args.release, "go on serving", &error))?;
    Ok(ExitCode::SUCCESS)
}

/// The project of the demo, and this program to run in it.
struct Stage<'a> {
    program: &'a Path,
    folder: &'a Path,
    shell: &'a Shell,
}

impl Stage<'_> {
    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|error| Error::io(&path, "write the demo's file", &error))
    }

    fn release(&self, release: Release) -> Result<()> {
        self.write("release.txt", release.name())
    }

    /// Runs one command as a user would and shows it all; an exit code that the story does not
    /// expect is an error, so that the demo can't go on telling what is not so.
    fn step(&self, args: &[&str], expected: i32) -> Result<()> {
        let printer = &self.shell.printer;
        let color = if printer.colors() { "always" } else { "never" };
        let output = Command::new(self.program)
            .args(args)
            .args(["--color", color])
            .current_dir(self.folder)
            .env("PATH", self.path_with_program())
            .env("COLUMNS", (printer.width() - 2).to_string())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Error::io(self.program, "run this program again", &error))?;
        let code = output.status.code();
        printer
            .command(&format!("mcplock {}", args.join(" ")))
            .and_then(|()| printer.quoted(&String::from_utf8_lossy(&output.stdout)))
            .and_then(|()| printer.quoted(&String::from_utf8_lossy(&output.stderr)))
            .and_then(|()| printer.exit_code(code))
            .map_err(|error| Error::usage(format!("could not write: {error}")))?;
        if code == Some(expected) {
            return Ok(());
        }
        let command = args.join(" ");
        Err(Error::usage(format!(
            "the demo expected exit code {expected} from `mcplock {command}`"
        ))
        .help("this is a defect of mcplock: please report it with the output above"))
    }

    /// `PATH` with the folder of this program first, so that the config can say `mcplock`.
    fn path_with_program(&self) -> std::ffi::OsString {
        let path = self.shell.environment.get("PATH").unwrap_or_default();
        let own = self.program.parent().map(Path::to_path_buf);
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(path)))
            .unwrap_or_else(|_| path.into())
    }
}
