//! How the evidence of a finding stands below its headline on a page.

use crate::compare::Basis;
use crate::rules::Finding;

use super::evidence::{self, Part, Room};
use super::layout::{NAME, Page, Text, shortened};
use super::style::Role;
use super::words::Mark;
use super::{Options, Verbosity, sanitize, spot};

/// Lines that words may take, and that any other value may take.
const WORD_LINES: usize = 8;
const VALUE_LINES: usize = 2;

/// Writes the details of a finding.
pub(super) fn write(page: &mut Page, options: &Options, indent: usize, finding: &Finding) {
    let verbose = options.verbosity == Verbosity::Verbose;
    let place = spot::spot(&finding.pointer);
    if verbose && !place.is_whole() {
        let pointer = sanitize::literal(&shortened(finding.pointer.as_str(), NAME));
        let text = Text::of(
            &sanitize::literal(&shortened(&place.words(), NAME)),
            Role::Plain,
        )
        .with("  ", Role::Plain)
        .with(&pointer, Role::Dim);
        page.detail(indent, "at", &text);
    } else if !is_named(finding, &place) {
        let words = sanitize::literal(&shortened(&place.words(), NAME));
        page.detail(indent, "at", &Text::of(&words, Role::Plain));
    }
    let width = page.detail_width(indent);
    let room = Room {
        words: width * WORD_LINES,
        value: width * VALUE_LINES,
        whole: verbose,
    };
    for part in evidence::parts(finding, room) {
        let text = text_of(&part, page.color());
        page.detail(indent, part.label, &text);
    }
}

/// The headline and details of a finding as plain lines of `width` columns, for formats that have
/// a field for text.
pub(super) fn plain(finding: &Finding, width: usize) -> String {
    let mut page = Page::new(width, false);
    let mut text = Text::of(&format!("[{}] ", finding.rule), Role::Plain);
    text.push(&finding.message, Role::Plain);
    if is_silent_doubt(finding) {
        text.push(" (undecided)", Role::Plain);
    }
    page.line(0, finding.level.word(), Role::Plain, &text);
    write(&mut page, &Options::default(), 0, finding);
    page.finish()
}

/// Whether a finding is undecided and its message does not say so.
pub(super) fn is_silent_doubt(finding: &Finding) -> bool {
    finding.basis == Basis::Undecided && !finding.message.contains("decided")
}

/// Whether the message of a finding names its place already, so that it need not be told again.
pub(super) fn is_named(finding: &Finding, place: &spot::Spot) -> bool {
    let path = place.path.strip_prefix("result.").unwrap_or(&place.path);
    if path.is_empty() {
        finding.message.contains(&place.member)
    } else {
        finding.message.contains(&format!("`{path}`"))
    }
}

/// A part in its styles; without colour, marks stand in their place.
fn text_of(part: &Part, color: bool) -> Text {
    let mut out = Text::new();
    let mut last = None;
    for piece in &part.pieces {
        // Without marks an old word would run into the new one.
        let runs_on = last == Some(Mark::Old)
            && piece.mark == Mark::New
            && piece.text.starts_with(char::is_alphanumeric);
        if color && part.marked && runs_on {
            out.push(" ", Role::Plain);
        }
        last = piece
            .text
            .ends_with(char::is_alphanumeric)
            .then_some(piece.mark);
        let (open, close, role) = match piece.mark {
            Mark::Same if part.label == "call" || part.label == "reply" => ("", "", Role::Strong),
            Mark::Same => ("", "", Role::Plain),
            Mark::Cut => ("", "", Role::Dim),
            Mark::Old => ("[-", "-]", Role::Old),
            Mark::New => ("{+", "+}", Role::New),
        };
        if part.marked && !color {
            out.push(open, role);
            out.push(&unmarked(&piece.text), role);
            out.push(close, role);
        } else {
            out.push(&piece.text, role);
        }
    }
    out
}

/// Breaks up what would read as one of the marks, so that a server can't make new words look old.
fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        if matches!((last, c), ('[', '-') | ('-', ']') | ('{', '+') | ('+', '}')) {
            out.push('\\');
        }
        out.push(c);
        last = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_cannot_forge_the_marks() {
        assert_eq!(unmarked("+}[-evil-]{+"), "+\\}[\\-evil-\\]{\\+");
        assert_eq!(unmarked("a [b] - c"), "a [b] - c");
    }
}
