//! GitHub workflow commands: an annotation a result, as many as a step may show.
//!
//! The runner shows ten annotations of each level a step and drops the rest without a word, so the
//! tenth here says how many more there are; the step summary has them all.

use crate::rules::Level;

use super::{Report, detail, sanitize, summary, trouble};

/// Annotations of one level that a step shows.
const MOST: usize = 10;
/// Columns of an annotation's text.
const WIDTH: usize = 80;

/// Renders `report` as workflow commands, and the sentence of the report last.
pub(super) fn render(report: &Report) -> String {
    let annotations = annotations(report);
    let mut out = String::new();
    for command in ["error", "warning", "notice"] {
        let mut of_level: Vec<String> = annotations
            .iter()
            .filter(|annotation| annotation.command == command)
            .map(Annotation::line)
            .collect();
        if of_level.len() > MOST {
            let more = of_level.len() + 1 - MOST;
            of_level.truncate(MOST - 1);
            of_level.push(format!(
                "::{command} title=mcplock::{more} more, worst first: see the step summary or the \
                 report"
            ));
        }
        for line in of_level {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out.push_str("mcplock: ");
    out.push_str(&sanitize::terminal(&summary::verdict(report)));
    out.push_str("; ");
    out.push_str(&sanitize::terminal(&summary::exit_sentence(report)));
    out.push('\n');
    out
}

struct Annotation {
    command: &'static str,
    file: Option<(String, usize)>,
    title: String,
    message: String,
}

impl Annotation {
    fn line(&self) -> String {
        let title = sanitize::workflow_property(&self.title);
        let place = self.file.as_ref().map_or(String::new(), |(file, line)| {
            format!("file={},line={line},", sanitize::workflow_property(file))
        });
        format!(
            "::{} {place}title={title}::{}",
            self.command,
            sanitize::workflow_message(&self.message)
        )
    }
}

/// All annotations, those of one level worst first.
fn annotations(report: &Report) -> Vec<Annotation> {
    let mut all = Vec::new();
    for error in &report.errors {
        let place = error.place();
        all.push(Annotation {
            command: "error",
            file: place
                .file
                .as_ref()
                .map(|file| (file.display().to_string(), place.line.unwrap_or(1))),
            title: "mcplock".to_owned(),
            message: with_help(error.message(), error.help_text()),
        });
    }
    for server in &report.servers {
        if let Some(trouble) = trouble::of(server) {
            let (file, line) = trouble::place(report, server, None);
            all.push(Annotation {
                command: "error",
                file: Some((file.display().to_string(), line)),
                title: format!("server {}", server.title()),
                message: with_help(&trouble.message, trouble.help.as_deref()),
            });
        }
        for doubt in &server.doubts {
            let (file, line) = trouble::place(report, server, None);
            all.push(Annotation {
                command: "notice",
                file: Some((file.display().to_string(), line)),
                title: format!("server {}", server.title()),
                message: doubt.clone(),
            });
        }
    }
    for (server, finding, labels) in trouble::joined_results(report) {
        let mut message = detail::plain(finding, WIDTH).trim_end().to_owned();
        let mut what = sanitize::literal(&finding.label);
        if labels.len() > 1 {
            what = summary::number(labels.len(), "item");
            message.push_str("\n│ items ");
            message.push_str(&sanitize::literal(&summary::some(&labels)));
        }
        let (file, line) = trouble::place(report, server, Some(&finding.label));
        all.push(Annotation {
            command: match finding.level {
                Level::Unfit | Level::Breaking => "error",
                Level::Risky => "warning",
                Level::Compatible | Level::Equivalent | Level::Advice => "notice",
            },
            file: Some((file.display().to_string(), line)),
            title: format!("{} {what} ({})", finding.level.word(), server.title()),
            message,
        });
    }
    all
}

fn with_help(message: &str, help: Option<&str>) -> String {
    match help {
        Some(help) => format!("{message}\nhelp: {help}"),
        None => message.to_owned(),
    }
}
