//! What stands below a headline: the words or values that changed, and the call that shows it.
//!
//! Never a wall of JSON: values are cut to a few lines around what changed, and say so; the verbose
//! report has them whole.

use crate::compare::Basis;
use crate::json::Value;
use crate::rules::Finding;

use super::layout::{Page, Text};
use super::style::Role;
use super::words::{Mark, Piece};
use super::{Options, Verbosity, sanitize, spot, value, words};

/// Lines that words may take, and that any other value may take.
const WORD_LINES: usize = 8;
const VALUE_LINES: usize = 2;
/// Arguments named of a new item.
const ARGUMENTS: usize = 12;

/// Writes the details of a finding.
pub(super) fn write(page: &mut Page, options: &Options, indent: usize, finding: &Finding) {
    let verbose = options.verbosity == Verbosity::Verbose;
    let place = spot::spot(&finding.pointer);
    if verbose && !place.is_whole() {
        let text = Text::of(&place.words(), Role::Plain)
            .with("  ", Role::Plain)
            .with(finding.pointer.as_str(), Role::Dim);
        page.detail(indent, "at", &text);
    } else if !place.is_whole() && !finding.message.contains(&named(&place)) {
        page.detail(indent, "at", &Text::of(&place.words(), Role::Plain));
    }
    let writer = Writer { indent, verbose };
    match (&finding.old, &finding.new) {
        (None, None) => {}
        (old, new) if place.is_whole() && is_item(old.as_ref(), new.as_ref()) => {
            writer.item(page, old.as_ref(), new.as_ref());
        }
        (old, new) => writer.change(page, old.as_ref(), new.as_ref()),
    }
    if let Some(witness) = &finding.witness {
        let output = finding.pointer.as_str().starts_with("/outputSchema");
        let label = if output { "reply" } else { "call" };
        writer.value(page, label, &witness.value, Role::Strong);
        page.detail(indent, "why", &Text::of(&witness.reason, Role::Plain));
    }
}

/// The headline and details of a finding as plain lines of `width` columns, for formats that have
/// a field for text.
pub(super) fn plain(finding: &Finding, width: usize) -> String {
    let mut page = Page::new(width, false);
    let mut text = Text::of(&format!("[{}] ", finding.rule), Role::Plain);
    text.push(&finding.message, Role::Plain);
    if finding.basis == Basis::Undecided {
        text.push(" (undecided)", Role::Plain);
    }
    page.line(0, finding.level.word(), Role::Plain, &text);
    write(&mut page, &Options::default(), 0, finding);
    page.finish()
}

/// The name of the place as a message would quote it.
fn named(place: &spot::Spot) -> String {
    if place.path.is_empty() {
        place.member.clone()
    } else {
        let path = place.path.strip_prefix("result.").unwrap_or(&place.path);
        format!("`{path}`")
    }
}

/// Whether a change without a pointer is about an item as a whole, of which only one side is there.
fn is_item(old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old, new) {
        (Some(one), None) | (None, Some(one)) => one.as_object().is_some(),
        _ => false,
    }
}

/// Writes values and words behind the gutter of one finding.
struct Writer {
    indent: usize,
    verbose: bool,
}

impl Writer {
    /// Characters that fit on `lines` lines of detail.
    fn room(&self, page: &Page, lines: usize) -> usize {
        if self.verbose {
            usize::MAX / 4
        } else {
            page.detail_width(self.indent) * lines
        }
    }

    /// A new or gone item: what it says and takes, not its JSON.
    fn item(&self, page: &mut Page, old: Option<&Value>, new: Option<&Value>) {
        let Some(item) = new.or(old) else { return };
        if let Some(text) = item.get("description").and_then(Value::as_str)
            && (new.is_some() || self.verbose)
        {
            // All of it is new (or gone), so that a mark would say nothing.
            self.pieces(page, "says", vec![Piece::new(Mark::Same, text)]);
        }
        let arguments = value::arguments(item);
        if !arguments.is_empty() && (new.is_some() || self.verbose) {
            let most = if self.verbose { usize::MAX } else { ARGUMENTS };
            let mut names: Vec<String> = arguments
                .iter()
                .take(most)
                .map(|argument| {
                    let need = if argument.required { ", required" } else { "" };
                    format!("{} ({}{need})", argument.name, argument.kind)
                })
                .collect();
            if let Some(more) = arguments.len().checked_sub(most).filter(|&more| more > 0) {
                names.push(format!("{more} more"));
            }
            page.detail(
                self.indent,
                "takes",
                &Text::of(&names.join(", "), Role::Plain),
            );
        }
        if self.verbose {
            self.value(
                page,
                if new.is_some() { "now" } else { "was" },
                item,
                Role::Dim,
            );
        }
    }

    fn change(&self, page: &mut Page, old: Option<&Value>, new: Option<&Value>) {
        if let (Some(Value::Array(old)), Some(Value::Array(new))) = (old, new)
            && let Some(pieces) = words::list(&elements(old), &elements(new))
        {
            return self.pieces(page, "diff", pieces);
        }
        let (old_text, new_text) = (text_of(old, new), text_of(new, old));
        let prose = is_prose(old) || is_prose(new);
        let label = if prose { "words" } else { "diff" };
        match (&old_text, &new_text) {
            (Some(old_text), Some(new_text)) => {
                if let Some(pieces) = words::diff(old_text, new_text) {
                    return self.pieces(page, label, pieces);
                }
            }
            (Some(text), None) if is_prose(old) => {
                return self.pieces(page, "words", vec![Piece::new(Mark::Old, text)]);
            }
            (None, Some(text)) if is_prose(new) => {
                return self.pieces(page, "words", vec![Piece::new(Mark::New, text)]);
            }
            _ => {}
        }
        for (label, side, text, mark) in [
            ("was", old, old_text, Mark::Old),
            ("now", new, new_text, Mark::New),
        ] {
            match (side, text) {
                (Some(_), Some(text)) if prose => {
                    self.pieces(page, label, vec![Piece::new(mark, &text)]);
                }
                (Some(side), _) => {
                    let role = if mark == Mark::Old {
                        Role::Old
                    } else {
                        Role::New
                    };
                    self.value(page, label, side, role);
                }
                (None, _) => {}
            }
        }
    }

    /// A value as JSON.
    fn value(&self, page: &mut Page, label: &'static str, value: &Value, role: Role) {
        let mut out = Text::new();
        let piece = Piece::new(Mark::New, &value::spaced(value));
        for piece in words::cut(vec![piece], self.room(page, VALUE_LINES)) {
            let role = if piece.mark == Mark::Cut {
                Role::Dim
            } else {
                role
            };
            out.push(&piece.text, role);
        }
        page.detail(self.indent, label, &out);
    }

    /// Words with their marks; without colour the marks are written.
    fn pieces(&self, page: &mut Page, label: &'static str, pieces: Vec<Piece>) {
        let mut out = Text::new();
        for piece in words::cut(pieces, self.room(page, WORD_LINES)) {
            let (open, close, role) = match piece.mark {
                Mark::Same => ("", "", Role::Plain),
                Mark::Cut => ("", "", Role::Dim),
                Mark::Old => ("[-", "-]", Role::Old),
                Mark::New => ("{+", "+}", Role::New),
            };
            if page.color() {
                out.push(&sanitize::literal(&piece.text), role);
            } else {
                out.push(open, role);
                out.push(&unmarked(&sanitize::literal(&piece.text)), role);
                out.push(close, role);
            }
        }
        page.detail(self.indent, label, &out);
    }
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

fn elements(list: &[Value]) -> Vec<String> {
    list.iter().map(value::spaced).collect()
}

/// The text of one side: a string's own where the other side is a string or nothing, else JSON.
fn text_of(side: Option<&Value>, other: Option<&Value>) -> Option<String> {
    match (side?, other) {
        (Value::String(text), None | Some(Value::String(_))) => Some(text.clone()),
        (side, _) => Some(value::spaced(side)),
    }
}

/// Whether a value is words for a reader rather than a name or a number.
fn is_prose(value: Option<&Value>) -> bool {
    value
        .and_then(Value::as_str)
        .is_some_and(|text| text.contains(char::is_whitespace))
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
