//! Where a report goes: standard output, and files beside it, from the same run.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::error::{Error, Result};
use crate::report::{self, Format, Options, Report, Verbosity};

use super::Shell;
use super::args::{GlobalArgs, ReportArgs};
use super::printer::Printer;
use crate::text::nearest;

/// The formats and files that one run writes.
#[derive(Debug)]
pub(crate) struct Output {
    format: Format,
    files: Vec<(Format, PathBuf)>,
    verbosity: Verbosity,
    /// The file in which GitHub's runner takes what a step has no annotations for.
    step_summary: Option<PathBuf>,
}

/// The variable that names that file.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

impl Output {
    /// Reads `--format` and `--report`.
    pub(crate) fn new(args: &ReportArgs, shell: &Shell) -> Result<Self> {
        let files = args.report.iter().map(|text| {
            let (format, path) = text.split_once('=').ok_or_else(|| {
                Error::usage(format!("`--report {text}` has no `=`"))
                    .help("write FORMAT=PATH, e.g. `--report json=report.json`")
            })?;
            if path.is_empty() || path == "-" {
                return Err(Error::usage(format!("`--report {text}` names no file"))
                    .help("`--format` decides what goes to standard output"));
            }
            Ok((parse_format("--report", format)?, PathBuf::from(path)))
        });
        let files: Vec<(Format, PathBuf)> = files.collect::<Result<_>>()?;
        for (position, (_, path)) in files.iter().enumerate() {
            if files[..position].iter().any(|(_, other)| other == path) {
                let path = crate::text::visible(&path.display().to_string());
                return Err(Error::usage(format!(
                    "`--report` names the file `{path}` twice"
                )));
            }
            not_an_input(path)?;
        }
        let format = parse_format("--format", &args.format)?;
        let step_summary = (format == Format::Github)
            .then(|| shell.environment.get(STEP_SUMMARY))
            .flatten()
            .filter(|path| !path.is_empty())
            .map(PathBuf::from);
        Ok(Output {
            format,
            files,
            verbosity: verbosity(&shell.global),
            step_summary,
        })
    }

    /// Writes the report everywhere and returns the exit code.
    pub(crate) fn write(&self, printer: &Printer, report: &Report) -> Result<ExitCode> {
        let options = Options {
            width: printer.width(),
            color: printer.colors(),
            verbosity: self.verbosity,
        };
        printer
            .product(&report::render(self.format, report, &options)?)
            .map_err(|error| Error::usage(format!("could not write the report: {error}")))?;
        for (format, path) in &self.files {
            let plain = Options {
                width: Options::WIDTH,
                color: false,
                ..options
            };
            let text = report::render(*format, report, &plain)?;
            fs::write(path, text).map_err(|error| Error::io(path, "write the report", &error))?;
        }
        if let Some(path) = &self.step_summary
            && let Err(error) = append_summary(path, report)
        {
            // The annotations stand: the verdict must not hang on a page about it.
            printer.error(&format!(
                "warning: could not write the step summary ({STEP_SUMMARY}): {error}\n"
            ));
        }
        Ok(ExitCode::from(report.reasons.code()))
    }
}

/// Appends the report to a step summary, in the room that is left: the runner drops a summary that
/// is too large as a whole.
fn append_summary(path: &Path, report: &Report) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)?;
    let used = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    match report::step_summary(report, used) {
        Some(text) => file.write_all(text.as_bytes()),
        None => Err(std::io::Error::other("the step has filled it already")),
    }
}

/// Refuses to write over what mcplock reads: a lockfile, a policy or a client's config.
pub(crate) fn not_an_input(path: &Path) -> Result<()> {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let toml = path
        .extension()
        .is_some_and(|extension| extension == "toml");
    if toml || [".mcp.json", "mcp.json", "settings.json", "opencode.json"].contains(&name) {
        return Err(
            Error::usage("that file is one that mcplock reads, not one to write over")
                .in_file(path)
                .help("choose another name for the output"),
        );
    }
    Ok(())
}

/// How much reports tell.
pub(crate) fn verbosity(global: &GlobalArgs) -> Verbosity {
    match (global.quiet, global.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, false) => Verbosity::Normal,
        (false, true) => Verbosity::Verbose,
    }
}

/// The format that `flag` names.
pub(crate) fn parse_format(flag: &str, name: &str) -> Result<Format> {
    Format::parse(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name);
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean `{near}`? formats: {}", names.join(", ")),
            None => format!("formats: {}", names.join(", ")),
        };
        Error::usage(format!(
            "`{flag} {}` is no format",
            crate::text::visible(name)
        ))
        .help(help)
    })
}
