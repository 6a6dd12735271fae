//! Markdown for a pull-request comment or a step summary.
//!
//! A summary table; per item what changed for callers and for the model; the call that shows it;
//! values folded away. Every text of someone else stands in `<code>`, in character references, so
//! that it is never read as Markdown or HTML and mentions nobody. What does not fit is left out
//! whole, worst first, and said.

use std::fmt::Write as _;

use crate::rules::{Finding, Level};

use super::evidence::{self, Part, Room};
use super::group::{self, Block};
use super::levels;
use super::summary::{self, Counts};
use super::words::Mark;
use super::{
    Options, Outcome, Report, ServerReport, detail, help, sanitize, spot, trouble, unsteady,
};

/// What a GitHub comment may hold, less room for what a workflow puts around it. In bytes, which
/// are never fewer than characters.
pub(super) const COMMENT: usize = 65_000;
/// What a step summary may hold, likewise.
pub(super) const STEP_SUMMARY: usize = 1_000_000;
/// Less room than this is not worth writing into.
pub(super) const LEAST: usize = 4_096;
/// What of a finding is shown before it is cut.
const ROOM: Room = Room {
    words: 900,
    value: 500,
    whole: false,
};
/// Items named of an edit that many share.
const LABELS: usize = 12;
/// Room kept for the closing sentence.
const CLOSING: usize = 400;

/// Renders `report` in at most `most` bytes.
pub(super) fn render(report: &Report, most: usize) -> String {
    let mut page = Page {
        out: String::new(),
        most: most.saturating_sub(CLOSING),
        left_out: 0,
    };
    let head = head(report);
    page.add(&head, 0);
    page.add(&table(report), 0);
    page.add(&side_by_side(report), 0);
    for error in &report.errors {
        page.add(
            &error_lines(error.message(), error.detail_text(), error.help_text()),
            1,
        );
    }
    for server in &report.servers {
        for doubt in &server.doubts {
            let title = sanitize::markdown_code(&server.title());
            page.add(&format!("\n> {title}: {}\n", quiet(doubt)), 1);
        }
    }
    for server in group::servers(report) {
        write_server(&mut page, report, server);
    }
    if page.left_out > 0 {
        let _ = writeln!(
            page.out,
            "\n**{} more did not fit here.** Run `mcplock {}` to read all of it.",
            page.left_out,
            sanitize::markdown_text(report.command)
        );
    }
    page.out
}

/// The comment as it grows, up to its limit.
struct Page {
    out: String,
    most: usize,
    left_out: usize,
}

impl Page {
    /// Adds `block`, which tells of `findings` findings, if it still fits. Once something did not
    /// fit nothing more is added, so that what is left out is never worse than what is shown.
    fn add(&mut self, block: &str, findings: usize) -> bool {
        let fits = self.left_out == 0 && self.out.len() + block.len() <= self.most;
        if fits {
            self.out.push_str(block);
        } else {
            self.left_out += findings.max(1);
        }
        fits
    }
}

fn head(report: &Report) -> String {
    let counts = Counts::of(report);
    let verdict = if report.reasons.code() == crate::exit::OK {
        "✅"
    } else {
        "❌"
    };
    let levels = summary::by_level(&counts, &summary::LEVELS[..4]);
    let title = if levels.is_empty() {
        String::new()
    } else {
        format!(": {levels}")
    };
    format!(
        "<!-- mcplock -->\n## {verdict} mcplock {}{title}\n\n{}; {}.\n",
        sanitize::markdown_text(report.command),
        quiet(&summary::verdict(report)),
        quiet(&summary::exit_sentence(report)),
    )
}

/// Words of our own that may hold names from elsewhere.
fn quiet(text: &str) -> String {
    sanitize::markdown_prose(text)
}

/// How much each of several far sides of one server loses.
fn side_by_side(report: &Report) -> String {
    let mut out = String::new();
    for table in levels::side_by_side(report) {
        let code = sanitize::markdown_code;
        let names: Vec<String> = table.sides.iter().map(|side| code(side)).collect();
        // Writing to a string never fails.
        let _ = writeln!(
            out,
            "\n| losses of {} | {} |",
            code(table.server),
            names.join(" | ")
        );
        let _ = writeln!(out, "|---|{}", "---|".repeat(names.len()));
        for (label, counts) in &table.rows {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            let _ = writeln!(out, "| {} | {} |", code(label), counts.join(" | "));
        }
    }
    out
}

fn table(report: &Report) -> String {
    if report.servers.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "\n| server | state | items | unfit | breaking | risky | compatible |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for server in &report.servers {
        let count = |level| server.findings.iter().filter(|f| f.level == level).count();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            sanitize::markdown_code(&server.title()),
            state(server),
            server.items,
            count(Level::Unfit),
            count(Level::Breaking),
            count(Level::Risky),
            count(Level::Compatible),
        );
    }
    out
}

fn state(server: &ServerReport) -> &'static str {
    match &server.outcome {
        Outcome::Judged => "compared",
        Outcome::NotJudged(_) => "**not judged**",
        Outcome::NotStarted => "**not started**",
        Outcome::NotPinned => "**not pinned**",
        Outcome::NotConfigured => "**not configured**",
        Outcome::Pinned(action) => action.word(),
        Outcome::Disabled => "switched off",
    }
}

fn error_lines(message: &str, detail: Option<&str>, help: Option<&str>) -> String {
    let mut out = format!("\n**error:** {}\n", quiet(message));
    if let Some(detail) = detail {
        let lines: Vec<_> = detail.lines().map(sanitize::html).collect();
        let _ = writeln!(out, "\n<pre>{}</pre>", lines.join("\n"));
    }
    if let Some(help) = help {
        let _ = writeln!(out, "\n**help:** {}", quiet(help));
    }
    out
}

fn write_server(page: &mut Page, report: &Report, server: &ServerReport) {
    let options = Options::default();
    let shown: Vec<&Finding> = server
        .findings
        .iter()
        .filter(|finding| group::is_shown(report, &options, finding.level))
        .collect();
    let trouble = trouble::of(server);
    if shown.is_empty() && trouble.is_none() {
        return;
    }
    let mut heading = format!(
        "\n### Server {}\n",
        sanitize::markdown_code(&server.title())
    );
    if let Some(trouble) = &trouble {
        if matches!(server.outcome, Outcome::NotJudged(_)) {
            heading += &error_lines(
                &trouble.message,
                trouble.detail.as_deref(),
                trouble.help.as_deref(),
            );
        } else {
            let _ = writeln!(heading, "\n{}.", quiet(&trouble.message));
        }
    }
    if !page.add(&heading, shown.len()) {
        return;
    }
    let (emitted, rest) = group::emitted(&shown);
    for block in group::blocks(&rest) {
        match block {
            Block::Item(label, findings) => write_item(page, label, &findings),
            Block::Same(finding, labels) => {
                let names = names(&labels);
                let text = format!(
                    "\n#### The same in {} items\n\n{}\n{}",
                    labels.len(),
                    finding_lines(finding),
                    format_args!("\n  in {names}\n"),
                );
                page.add(&text, labels.len());
            }
        }
    }
    if let Some(emitted) = emitted {
        let lines: Vec<String> = emitted
            .lines
            .iter()
            .map(|(level, mark, count)| format!("- **{}** {mark} ({count})", level.word()))
            .collect();
        let text = format!(
            "\n#### Written anew by the SDK, in {} items\n\n{}\n\n  in {}\n",
            emitted.labels.len(),
            lines.join("\n"),
            names(&emitted.labels),
        );
        page.add(&text, emitted.findings);
    }
    if let Some(advice) = unsteady::advice(server) {
        write_unsteady(page, &advice);
    }
    let commands: Vec<_> = help::steps(report, server, &shown)
        .iter()
        .map(|step| match &step.command {
            Some(command) => format!("- {}: {}", step.what, sanitize::markdown_code(command)),
            None => format!("- {}", step.what),
        })
        .collect();
    if !commands.is_empty() {
        page.add(&format!("\nNext:\n\n{}\n", commands.join("\n")), 0);
    }
}

/// The first few of some labels, and how many more there are.
fn names(labels: &[&str]) -> String {
    let mut names: Vec<_> = labels
        .iter()
        .take(LABELS)
        .map(|label| sanitize::markdown_code(&sanitize::literal(label)))
        .collect();
    if labels.len() > LABELS {
        names.push(format!("{} more", labels.len() - LABELS));
    }
    names.join(", ")
}

fn write_unsteady(page: &mut Page, advice: &unsteady::Advice) {
    for open in &advice.open {
        page.add(&format!("\n- {}\n", quiet(open)), 0);
    }
    if !advice.entries.is_empty() {
        let lines: Vec<_> = advice
            .entries
            .iter()
            .map(|line| sanitize::html(line))
            .collect();
        let text = format!(
            "\nFor `mcplock.toml`, if these words may differ:\n\n<pre>{}</pre>\n",
            lines.join("\n")
        );
        page.add(&text, 0);
    }
}

/// One item: what changed for callers, then what changed for the model.
fn write_item(page: &mut Page, label: &str, findings: &[&Finding]) {
    let heading = format!(
        "\n#### {}\n",
        sanitize::markdown_code(&sanitize::literal(label))
    );
    if !page.add(&heading, findings.len()) {
        return;
    }
    let (model, callers): (Vec<&Finding>, Vec<&Finding>) = findings
        .iter()
        .partition(|finding| is_for_the_model(finding));
    for (title, findings) in [("For callers", callers), ("For the model", model)] {
        for (i, finding) in findings.iter().enumerate() {
            let title = if i == 0 {
                format!("\n{title}:\n\n")
            } else {
                String::new()
            };
            page.add(&(title + &finding_lines(finding)), 1);
        }
    }
}

/// Rules about what a model reads, where no call is refused.
const MODEL_RULES: [&str; 7] = [
    "words-changed",
    "default-changed",
    "instructions-changed",
    "annotations-changed",
    "hint-more-dangerous",
    "icons-changed",
    "item-added",
];

/// Whether a finding is about what a model reads rather than about what callers may send.
fn is_for_the_model(finding: &Finding) -> bool {
    finding.level != Level::Breaking && MODEL_RULES.contains(&finding.rule)
}

fn finding_lines(finding: &Finding) -> String {
    let mut out = format!(
        "- **{}** <code>{}</code> {}",
        finding.level.word(),
        finding.rule,
        quiet(&finding.message)
    );
    if detail::is_silent_doubt(finding) {
        out.push_str(" (undecided)");
    }
    let place = spot::spot(&finding.pointer);
    if !detail::is_named(finding, &place) {
        let words = sanitize::literal(&place.words());
        let _ = write!(out, ", at {}", sanitize::markdown_code(&words));
    }
    out.push('\n');
    let (values, told): (Vec<Part>, Vec<Part>) = evidence::parts(finding, ROOM)
        .into_iter()
        .partition(|part| matches!(part.label, "was" | "now"));
    for part in told {
        let _ = match part.label {
            "words" | "diff" => writeln!(out, "  <br>{}", marked(&part)),
            "why" => writeln!(out, "  <br>why: {}", quiet(&text(&part))),
            label => writeln!(
                out,
                "  <br>{label}: {}",
                sanitize::markdown_code(&text(&part))
            ),
        };
    }
    if !values.is_empty() {
        let values: Vec<_> = values
            .iter()
            .map(|part| format!("{} {}", part.label, sanitize::html(&text(part))))
            .collect();
        let _ = write!(
            out,
            "\n  <details><summary>values</summary>\n\n  <pre>{}</pre>\n  </details>\n\n",
            // The indentation keeps a line inside its list item, and so inside the block.
            values.join("\n  ")
        );
    }
    out
}

/// Words of both sides in one line: old ones in `<del>`, new ones in `<ins>`.
fn marked(part: &Part) -> String {
    let mut out = String::from("<code>");
    for piece in &part.pieces {
        let text = sanitize::markdown_text(&piece.text);
        let _ = match piece.mark {
            Mark::Same | Mark::Cut => write!(out, "{text}"),
            Mark::Old => write!(out, "<del>{text}</del>"),
            Mark::New => write!(out, "<ins>{text}</ins>"),
        };
    }
    out.push_str("</code>");
    out
}

fn text(part: &Part) -> String {
    part.pieces
        .iter()
        .map(|piece| piece.text.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_rule_about_what_a_model_reads_is_in_the_registry() {
        for id in super::MODEL_RULES {
            assert!(crate::rules::rule(id).is_some(), "{id}");
        }
    }
}
