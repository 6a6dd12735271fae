//! The command line: what was typed, carried out with the stages below.
//!
//! The only stage beside `report` that writes to streams.

mod args;
mod check;
mod demo;
mod explain;
mod fetch;
mod files;
mod guard;
mod interrupt;
mod judge;
mod list;
mod live;
mod neighbours;
mod output;
mod pin;
mod printer;
mod projections;
mod saved;
mod show;
mod twice;
mod verify;
mod workspace;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::config::Environment;
use crate::error::{Error, Result};
use crate::exit;
use crate::report::{self, Options, Report};
use crate::transport::end_orphans;

pub use args::Cli;
use args::{Command, GlobalArgs};
use interrupt::Interrupt;
use printer::Printer;

/// What every command needs of its surroundings.
pub(crate) struct Shell {
    pub(crate) global: GlobalArgs,
    pub(crate) environment: Environment,
    pub(crate) printer: Printer,
    pub(crate) interrupt: Interrupt,
}

impl Shell {
    /// An error for people, on standard error.
    pub(crate) fn tell(&self, error: &Error) {
        let printer = &self.printer;
        printer.error(&report::render_error(
            error,
            printer.width(),
            printer.error_colors(),
        ));
    }

    /// A report for people, on standard error, before a question.
    pub(crate) fn show(&self, report: &Report) {
        let options = Options {
            width: self.printer.width(),
            color: self.printer.error_colors(),
            verbosity: output::verbosity(&self.global),
        };
        self.printer
            .error(&report::render_servers(report, &options));
    }
}

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let environment = Environment::of_process();
    let parsed = Cli::command()
        .try_get_matches()
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() {
                exit::USAGE
            } else {
                exit::OK
            };
            // A reader that has gone away can't be told either.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let printer = Printer::new(&cli.global, &environment);
    if let Command::Guard(args) = cli.command {
        return guard::main(cli.global, *args, environment, printer);
    }
    let watched = interrupt::watched(move |interrupt| run(cli, environment, printer, interrupt));
    // Whatever servers left behind, and, after an interrupt, what still runs of them.
    end_orphans();
    watched.unwrap_or_else(|error| {
        let plain = Printer::plain();
        plain.error(&report::render_error(&error, plain.width(), false));
        ExitCode::from(error.kind().reason().code())
    })
}

/// Carries the command out and tells the error that it ends with, if any.
fn run(cli: Cli, environment: Environment, printer: Printer, interrupt: Interrupt) -> ExitCode {
    let shell = Shell {
        global: cli.global,
        environment,
        printer,
        interrupt,
    };
    match dispatch(&shell, &cli.command) {
        Ok(code) => code,
        Err(error) => {
            shell.tell(&error);
            ExitCode::from(error.kind().reason().code())
        }
    }
}

fn dispatch(shell: &Shell, command: &Command) -> Result<ExitCode> {
    match command {
        Command::Pin(args) => block_on(pin::run(shell, args)),
        Command::Verify(args) => block_on(verify::verify(shell, args)),
        Command::Diff(args) => block_on(verify::diff(shell, args)),
        Command::Check(args) => block_on(check::run(shell, args)),
        Command::Fetch(args) => block_on(fetch::run(shell, args)),
        Command::List(args) => list::run(shell, args),
        Command::Show(args) => show::run(shell, args),
        Command::Explain(args) => explain::run(shell, args),
        // It has been dealt with: it obeys signals in its own way.
        Command::Guard(_) => Ok(ExitCode::SUCCESS),
        Command::Completions(args) => {
            let mut text = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::command(), "mcplock", &mut text);
            shell
                .printer
                .product(&String::from_utf8_lossy(&text))
                .map_err(|error| Error::usage(format!("could not write the script: {error}")))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Demo => demo::run(shell),
        Command::DemoServer(args) => demo::run_server(args),
    }
}

/// One thread is enough: it waits for servers most of the time, and a second one costs more than
/// it saves.
fn block_on<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::usage(format!("could not start the runtime: {error}")))?
        .block_on(work)
}
