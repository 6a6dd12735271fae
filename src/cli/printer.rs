//! Standard output and standard error, with or without colour; the only place that writes to them.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::config::Environment;

use super::args::{ColorWhen, GlobalArgs};

const HEADING: Style = Style::new().bold();
const COMMAND: Style = AnsiColor::Cyan.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Width assumed where there is no terminal to ask.
const DEFAULT_WIDTH: usize = 100;

/// Where a command's output goes.
pub(crate) struct Printer {
    out: Stream<io::Stdout>,
    err: Stream<io::Stderr>,
    width: usize,
    talk: Talk,
}

/// One of the two streams.
struct Stream<S> {
    handle: S,
    colors: bool,
    terminal: bool,
}

/// How much is told on standard error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Talk {
    /// Errors only.
    Errors,
    /// Hints too.
    Hints,
    /// And what goes on at the moment.
    Progress,
}

impl Printer {
    /// Looks at the flags, the environment and the terminal.
    ///
    /// Colour: `--color`, then `NO_COLOR`, then `CLICOLOR_FORCE` and `FORCE_COLOR`, then whether
    /// the stream is a terminal.
    pub(crate) fn new(args: &GlobalArgs, environment: &Environment) -> Self {
        let set = |name: &str| environment.get(name).is_some_and(|value| !value.is_empty());
        let forced = set("CLICOLOR_FORCE") || set("FORCE_COLOR");
        let colors = |terminal: bool| match args.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => !set("NO_COLOR") && (forced || terminal),
        };
        let (out, err) = (io::stdout(), io::stderr());
        let (on_terminal, errors_on_terminal) = (out.is_terminal(), err.is_terminal());
        let columns = environment
            .get("COLUMNS")
            .and_then(|value| value.parse().ok());
        let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let silent = args.no_progress || set("CI") || !errors_on_terminal;
        Printer {
            out: Stream {
                colors: colors(on_terminal),
                terminal: on_terminal,
                handle: out,
            },
            err: Stream {
                colors: colors(errors_on_terminal),
                terminal: errors_on_terminal,
                handle: err,
            },
            width: columns
                .or_else(terminal)
                .unwrap_or(DEFAULT_WIDTH)
                .clamp(40, 200),
            talk: match (args.quiet, silent) {
                (true, _) => Talk::Errors,
                (false, true) => Talk::Hints,
                (false, false) => Talk::Progress,
            },
        }
    }

    /// Without flags or environment: for an error before anything is known.
    pub(crate) fn plain() -> Self {
        Printer {
            out: Stream {
                handle: io::stdout(),
                colors: false,
                terminal: false,
            },
            err: Stream {
                handle: io::stderr(),
                colors: false,
                terminal: false,
            },
            width: DEFAULT_WIDTH,
            talk: Talk::Errors,
        }
    }

    /// Whether standard output is coloured.
    pub(crate) fn colors(&self) -> bool {
        self.out.colors
    }

    /// Columns of the terminal.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Writes the product of a command. A reader that has gone away (`| head`) ends nothing.
    pub(crate) fn product(&self, text: &str) -> io::Result<()> {
        let mut out = self.out.handle.lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// Writes to standard error: errors, hints and logs. What can't be written there is lost.
    pub(crate) fn error(&self, text: &str) {
        let _ = self.err.handle.lock().write_all(text.as_bytes());
    }

    /// Whether standard output is a terminal.
    pub(crate) fn shows_product(&self) -> bool {
        self.out.terminal
    }

    /// Whether a person can be asked: both streams are terminals.
    pub(crate) fn is_terminal(&self) -> bool {
        self.out.terminal && self.err.terminal
    }

    /// Whether standard error is coloured.
    pub(crate) fn error_colors(&self) -> bool {
        self.err.colors
    }

    /// A hint on standard error, unless `--quiet`.
    pub(crate) fn hint(&self, text: &str) {
        if self.talk >= Talk::Hints {
            self.error(&format!("{text}\n"));
        }
    }

    /// A line that tells what goes on, on a terminal only.
    pub(crate) fn progress(&self, text: &str) {
        if self.talk >= Talk::Progress {
            self.error(&format!("{}\n", self.styled_err(DIM, text)));
        }
    }

    fn styled_err(&self, style: Style, text: &str) -> String {
        if self.err.colors {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.out.colors {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// A heading of the demo.
    pub(crate) fn heading(&self, text: &str) -> io::Result<()> {
        self.product(&format!(
            "\n{}\n\n",
            self.styled(HEADING, &format!("== {text}"))
        ))
    }

    /// A paragraph of the demo.
    pub(crate) fn text(&self, text: &str) -> io::Result<()> {
        self.product(&format!("{text}\n"))
    }

    /// A command as the user would type it.
    pub(crate) fn command(&self, text: &str) -> io::Result<()> {
        self.product(&format!(
            "\n{}\n",
            self.styled(COMMAND, &format!("$ {text}"))
        ))
    }

    /// What a command printed, set off from the story.
    pub(crate) fn quoted(&self, text: &str) -> io::Result<()> {
        let bar = self.styled(DIM, "|");
        text.lines()
            .try_for_each(|line| self.product(&format!("{bar} {line}\n")))
    }

    /// The exit code of a command.
    pub(crate) fn exit_code(&self, code: Option<i32>) -> io::Result<()> {
        let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        self.product(&format!(
            "{}\n",
            self.styled(DIM, &format!("(exit code {code})"))
        ))
    }
}
