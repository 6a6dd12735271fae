//! The report for people: worst first, by server and item, one headline a finding.
//!
//! A pure function from a report to text. Success is one line.

use std::fmt::Write as _;

use crate::error::Error;
use crate::exit::OK;
use crate::rules::{Finding, Level};

use super::group::{self, Block, Emitted};
use super::layout::{NAME, Page, Text, shortened};
use super::levels::{self, SideBySide};
use super::style::Role;
use super::summary::{self, Counts, number};
use super::{
    Options, Outcome, PinAction, Report, ServerReport, Verbosity, detail, help, sanitize, unsteady,
};
use crate::compare::Basis;

/// Labels named of an edit that many items share.
const LABELS: usize = 6;
/// The same of items that are gone: their names are all that there is to tell.
const GONE_LABELS: usize = 40;

/// Renders `report` for a terminal or a log of `options.width` columns.
pub(super) fn render(report: &Report, options: &Options) -> String {
    let mut page = Page::new(options.width, options.color);
    if options.verbosity == Verbosity::Quiet {
        // As with other gates: silence is success. What compared nothing is none, nor is what may
        // have missed something.
        let sure = report.servers.iter().all(|server| server.doubts.is_empty());
        if sure && report.reasons.code() == OK && Counts::of(report).judged > 0 {
            return String::new();
        }
    } else {
        for error in &report.errors {
            write_error(&mut page, error);
            page.gap();
        }
        for server in group::servers(report) {
            write_server(&mut page, report, options, server);
        }
        for table in levels::side_by_side(report) {
            write_side_by_side(&mut page, &table);
        }
        if options.verbosity == Verbosity::Verbose {
            for note in &report.notes {
                page.line(0, "note: ", Role::Dim, &prose(note));
            }
        }
        page.gap();
    }
    last_line(&mut page, report, options);
    page.finish()
}

/// What `render` says of the servers, without help and last line: before a question.
pub fn render_servers(report: &Report, options: &Options) -> String {
    let mut page = Page::new(options.width, options.color);
    for server in group::servers(report) {
        write_server(&mut page, report, options, server);
    }
    page.gap();
    page.finish()
}

/// Renders one error for standard error: message, place, detail, help.
pub fn render_error(error: &Error, width: usize, color: bool) -> String {
    let mut page = Page::new(width, color);
    write_error(&mut page, error);
    page.finish()
}

fn prose(words: &str) -> Text {
    let mut text = Text::new();
    text.push_prose(words);
    text
}

fn write_error(page: &mut Page, error: &Error) {
    page.line(0, "error: ", Role::Error, &prose(error.message()));
    error_below(page, 0, error, true);
}

/// Place, detail and help of an error.
fn error_below(page: &mut Page, indent: usize, error: &Error, name_server: bool) {
    let mut place = error.place().clone();
    if !name_server {
        place.server = None;
    }
    let place = place.to_string();
    if !place.is_empty() {
        page.line(indent, " --> ", Role::Dim, &Text::of(&place, Role::Plain));
    }
    for line in error.detail_text().unwrap_or_default().lines() {
        page.quote(indent + 1, &Text::of(line, Role::Dim));
    }
    if let Some(help) = error.help_text() {
        page.line(indent, "help: ", Role::Strong, &prose(help));
    }
}

/// How much each far side loses, an item a line.
fn write_side_by_side(page: &mut Page, table: &SideBySide<'_>) {
    page.gap();
    let title = format!("losses of `{}`", table.server);
    page.line(
        0,
        "side by side, ",
        Role::Plain,
        &Text::of(&title, Role::Strong),
    );
    let side = |count: usize, side: &str| format!("{count} in {side}");
    for (label, counts) in &table.rows {
        let sides = counts.iter().zip(&table.sides);
        let sides: Vec<String> = sides.map(|(count, name)| side(*count, name)).collect();
        page.quote(
            1,
            &Text::of(&format!("{label}: {}", sides.join(", ")), Role::Plain),
        );
    }
    if table.rows.is_empty() {
        let sides = format!("nothing in {}", table.sides.join(", "));
        page.quote(1, &Text::of(&sides, Role::Plain));
    }
}

fn write_server(page: &mut Page, report: &Report, options: &Options, server: &ServerReport) {
    let shown: Vec<&Finding> = server
        .findings
        .iter()
        .filter(|finding| group::is_shown(report, options, finding.level))
        .collect();
    let verbose = options.verbosity == Verbosity::Verbose;
    let Some(state) = state(server, &shown, verbose || !server.doubts.is_empty()) else {
        return;
    };
    page.gap();
    let title = format!("`{}`", server.title());
    let mut head = Text::of(&title, Role::Strong);
    head.push(&format!(": {state}"), Role::Plain);
    page.line(0, "server ", Role::Plain, &head);
    if let Outcome::NotJudged(error) = &server.outcome {
        page.line(2, "error: ", Role::Error, &prose(error.message()));
        error_below(page, 2, error, false);
    }
    let (emitted, rest) = if verbose {
        (None, shown.clone())
    } else {
        group::emitted(&shown)
    };
    for block in group::blocks(&rest) {
        page.gap();
        write_block(page, options, &block);
    }
    if let Some(emitted) = emitted {
        page.gap();
        write_emitted(page, options, &emitted);
    }
    let notes = server.notes.iter().filter(|_| verbose);
    for note in server.doubts.iter().chain(notes) {
        page.line(2, "note: ", Role::Dim, &prose(note));
    }
    if let Some(advice) = unsteady::advice(server) {
        write_unsteady(page, &advice);
    }
    let steps = help::steps(report, server, &shown);
    if !shown.is_empty() && !steps.is_empty() {
        page.gap();
    }
    write_steps(page, &steps);
}

fn write_unsteady(page: &mut Page, advice: &unsteady::Advice) {
    for open in &advice.open {
        page.line(2, "no pattern helps: ", Role::Strong, &prose(open));
    }
    if !advice.entries.is_empty() {
        let words = "if these words may differ, add this to `mcplock.toml`, to the list that the \
                     server has there if it has one, and pin again:";
        page.line(2, "volatile: ", Role::Strong, &prose(words));
        page.gap();
        for line in &advice.entries {
            page.whole(0, "", &Text::of(line, Role::Plain));
        }
        page.gap();
    }
}

/// The state of a server in a few words; none for one of which there is nothing to say.
fn state(server: &ServerReport, shown: &[&Finding], all: bool) -> Option<String> {
    let state = match &server.outcome {
        Outcome::NotJudged(_) => "not judged".to_owned(),
        Outcome::NotStarted => "not started, its launch is not the pinned one".to_owned(),
        Outcome::NotPinned => "configured but not pinned".to_owned(),
        Outcome::NotConfigured => "pinned but not configured any more".to_owned(),
        Outcome::Disabled => return all.then(|| "switched off in its config, skipped".to_owned()),
        Outcome::Judged if shown.is_empty() => {
            return all.then(|| format!("{} compared", number(server.items, "item")));
        }
        Outcome::Judged => {
            let items = number(server.items, "item");
            format!("{}; {items} compared", levels(shown))
        }
        Outcome::Pinned(action) => {
            let said = match action {
                PinAction::Unchanged if shown.is_empty() && !all => return None,
                action => action.sentence(),
            };
            let items = number(server.items, "item");
            if shown.is_empty() {
                format!("{said}, {items}")
            } else {
                format!("{said}; {}; {items} compared", levels(shown))
            }
        }
    };
    Some(state)
}

fn levels(shown: &[&Finding]) -> String {
    let parts: Vec<_> = summary::LEVELS
        .into_iter()
        .filter_map(|level| {
            let count = shown.iter().filter(|f| f.level == level).count();
            (count > 0).then(|| format!("{count} {}", level.word()))
        })
        .collect();
    parts.join(", ")
}

fn write_block(page: &mut Page, options: &Options, block: &Block<'_>) {
    match block {
        Block::Item(label, findings) => {
            page.line(2, item_word(label), Role::Dim, &item_name(label));
            for finding in findings {
                headline(page, options, 4, finding);
                detail::write(page, options, 6, finding);
            }
        }
        Block::Same(finding, labels) => {
            let text = Text::of(
                &format!("in {}", number(labels.len(), "item")),
                Role::Strong,
            );
            page.line(2, "the same ", Role::Dim, &text);
            headline(page, options, 4, finding);
            detail::write(page, options, 6, finding);
            let most = if finding.rule == "item-gone" {
                GONE_LABELS
            } else {
                LABELS
            };
            write_labels(page, options, labels, most);
        }
    }
}

/// What the SDK wrote of its own accord.
fn write_emitted(page: &mut Page, options: &Options, emitted: &Emitted<'_>) {
    let items = number(emitted.labels.len(), "item");
    page.line(
        2,
        "written anew by the SDK, ",
        Role::Dim,
        &Text::of(&format!("in {items}"), Role::Strong),
    );
    for (level, mark, count) in &emitted.lines {
        let mut text = Text::new();
        text.push_prose(&format!("{mark}, {}", number(*count, "place")));
        page.line(4, level.word(), Role::Level(*level), &text);
    }
    write_labels(page, options, &emitted.labels, LABELS);
}

/// The items that share what was told.
fn write_labels(page: &mut Page, options: &Options, labels: &[&str], most: usize) {
    let all = options.verbosity == Verbosity::Verbose;
    let most = if all { labels.len() } else { most };
    let shown = labels[..labels.len().min(most)].iter();
    let shown: Vec<_> = shown.map(|label| shortened(label, NAME)).collect();
    let mut names = sanitize::literal(&shown.join(", "));
    if labels.len() > most {
        // Writing to a string can't fail.
        let _ = write!(names, " and {} more", labels.len() - most);
    }
    page.detail(6, "items", &Text::of(&names, Role::Plain));
}

/// The word that begins an item's line.
fn item_word(label: &str) -> &'static str {
    match label.split_once(':').map(|(kind, _)| kind) {
        Some("tool") => "tool ",
        Some("prompt") => "prompt ",
        Some("resource") => "resource ",
        Some("resource_template") => "resource template ",
        _ => "the ",
    }
}

fn item_name(label: &str) -> Text {
    match label.split_once(':') {
        Some((_, name)) => {
            let name = sanitize::literal(&shortened(name, NAME));
            Text::of(&format!("`{name}`"), Role::Strong)
        }
        None => Text::of(label, Role::Strong),
    }
}

fn headline(page: &mut Page, options: &Options, indent: usize, finding: &Finding) {
    let level = finding.level;
    let mut text = Text::of(&format!("[{}]", finding.rule), Role::Dim);
    text.push(" ", Role::Plain);
    text.push_prose(&finding.message);
    let basis = match finding.basis {
        Basis::Undecided if detail::is_silent_doubt(finding) => Some("undecided"),
        _ if options.verbosity != Verbosity::Verbose => None,
        Basis::Undecided => None,
        Basis::Witness => Some("shown by a witness"),
        Basis::Proof => Some("proved"),
        Basis::Policy => Some("by policy"),
    };
    if let Some(basis) = basis {
        text.push(&format!(" ({basis})"), Role::Dim);
    }
    page.line(indent, level.word(), Role::Level(level), &text);
}

fn write_steps(page: &mut Page, steps: &[help::Step]) {
    let wide = steps
        .iter()
        .filter(|step| step.command.is_some())
        .map(|step| step.what.len())
        .max()
        .unwrap_or_default();
    for (i, step) in steps.iter().enumerate() {
        let lead = if i == 0 { "help: " } else { "      " };
        if let Some(command) = &step.command {
            let what = format!("{:<wide$}  ", step.what);
            let text = Text::of(&what, Role::Plain).with(command, Role::Command);
            page.whole(2, lead, &text);
        } else {
            page.line(2, lead, Role::Dim, &prose(&step.what));
        }
    }
}

fn last_line(page: &mut Page, report: &Report, options: &Options) {
    let counts = Counts::of(report);
    let code = report.reasons.code();
    let mut text = Text::new();
    text.push(&summary::verdict(report), Role::Plain);
    if report.command == "pin"
        && code == OK
        && let Some(lockfile) = &report.lockfile
    {
        text.push(&format!(" in {}", lockfile.display()), Role::Plain);
        let wrote = |server: &ServerReport| {
            matches!(
                server.outcome,
                Outcome::Pinned(PinAction::Added | PinAction::Updated | PinAction::Pruned)
            )
        };
        if report.servers.iter().any(wrote) {
            text.push(": commit it", Role::Plain);
        }
    }
    let hidden: usize = [Level::Equivalent, Level::Advice]
        .into_iter()
        .filter(|&level| !group::is_shown(report, options, level))
        .map(|level| counts.level(level))
        .sum();
    let notes = if options.verbosity == Verbosity::Verbose {
        0
    } else {
        counts.notes
    };
    if notes > 0 {
        text.push(&format!("; {}", number(notes, "note")), Role::Plain);
    }
    if hidden + notes > 0 {
        text.push(" (-v shows more)", Role::Dim);
    }
    let shown_drift = counts.levels[..4].iter().any(|&count| count > 0);
    if code != OK || shown_drift {
        text.push("; ", Role::Plain);
        text.push(&summary::exit_sentence(report), Role::Strong);
    }
    let (lead, role) = match code {
        OK if counts.judged == 0 => ("done: ", Role::Plain),
        OK => ("ok: ", Role::Good),
        _ => ("failed: ", Role::Error),
    };
    page.line(0, lead, role, &text);
}
