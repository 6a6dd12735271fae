//! What stands below a headline, in parts: the words or values that changed, and the call that
//! shows it.
//!
//! Pure; knows nothing of a format. Never a wall of JSON: values are cut to a few lines around what
//! changed, and say so. All text of a part has passed the door.

use crate::json::Value;
use crate::rules::Finding;

use super::words::{Mark, Piece};
use super::{sanitize, spot, value, words};

/// Arguments named of a new item.
const ARGUMENTS: usize = 12;

/// Changes inside a name, a pattern or a URL that can still be read in one line.
const TOKEN_CHANGES: usize = 2;

/// How much may be shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// Characters of words.
    pub(super) words: usize,
    /// Characters of any other value.
    pub(super) value: usize,
    /// Everything, and what is usually left out.
    pub(super) whole: bool,
}

/// One labelled line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// At most five letters: `was`, `now`, `words`, `diff`, `says`, `takes`, `call`, `reply`, `why`,
    /// `note`.
    pub(super) label: &'static str,
    /// The text.
    pub(super) pieces: Vec<Piece>,
    /// Whether old and new stand in one line, so that they need marks.
    pub(super) marked: bool,
}

impl Part {
    fn plain(label: &'static str, text: &str) -> Self {
        Part {
            label,
            pieces: vec![Piece::new(Mark::Same, text)],
            marked: false,
        }
    }
}

/// The parts of a finding.
pub(super) fn parts(finding: &Finding, room: Room) -> Vec<Part> {
    let mut writer = Writer {
        room,
        message: &finding.message,
        parts: Vec::new(),
    };
    let whole = spot::spot(&finding.pointer).is_whole();
    // What was likely renamed is told by what differs between its two ends.
    let was = finding.counterpart.as_ref().map(|other| &other.value);
    match (&finding.old, &finding.new) {
        (None, None) => {}
        (None, Some(new)) if was.is_some() && !room.whole => {
            if !whole && was != Some(new) {
                writer.change(was, Some(new));
            }
        }
        (old, new) if whole && is_item(old.as_ref(), new.as_ref()) => {
            writer.item(old.as_ref(), new.as_ref());
        }
        // The call shows better than two schemas what came of it.
        (Some(Value::Object(_)), Some(Value::Object(_)))
            if is_schema(finding) && finding.witness.is_some() && !room.whole => {}
        (old, new) => writer.change(old.as_ref(), new.as_ref()),
    }
    if let Some(witness) = &finding.witness {
        let output = finding.pointer.as_str().starts_with("/outputSchema");
        let label = if output { "reply" } else { "call" };
        writer.value(label, &witness.value, Mark::Same);
        writer
            .parts
            .push(Part::plain("why", &sanitize::terminal(&witness.reason)));
    }
    if let Some(note) = finding.note.as_ref().filter(|_| room.whole) {
        writer
            .parts
            .push(Part::plain("note", &sanitize::terminal(note)));
    }
    writer.parts
}

/// Whether a finding is about all arguments or all of a result.
fn is_schema(finding: &Finding) -> bool {
    matches!(finding.pointer.as_str(), "/inputSchema" | "/outputSchema")
}

/// Whether a change without a pointer is about an item as a whole, of which only one side is there.
fn is_item(old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old, new) {
        (Some(one), None) | (None, Some(one)) => one.as_object().is_some(),
        _ => false,
    }
}

struct Writer<'f> {
    room: Room,
    message: &'f str,
    parts: Vec<Part>,
}

impl Writer<'_> {
    /// A new or gone item: what it says and takes, not its JSON.
    fn item(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let Some(item) = new.or(old) else { return };
        if new.is_none() && !self.room.whole {
            return;
        }
        if let Some(text) = item.get("description").and_then(Value::as_str) {
            // All of it is new (or gone), so that a mark would say nothing.
            self.words("says", vec![Piece::new(Mark::Same, text)], false);
        }
        let arguments = value::arguments(item);
        if !arguments.is_empty() {
            let most = if self.room.whole {
                usize::MAX
            } else {
                ARGUMENTS
            };
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
            let names = vec![Piece::new(Mark::Same, &names.join(", "))];
            self.words("takes", names, false);
        }
        if self.room.whole {
            self.value(if new.is_some() { "now" } else { "was" }, item, Mark::Same);
        }
    }

    fn change(&mut self, old: Option<&Value>, new: Option<&Value>) {
        if let (Some(old), Some(new)) = (old, new)
            && self.is_quoted(old)
            && self.is_quoted(new)
        {
            return;
        }
        if let (Some(Value::Array(old)), Some(Value::Array(new))) = (old, new)
            && let Some(pieces) = words::list(&elements(old), &elements(new))
        {
            return self.words("diff", pieces, true);
        }
        let (old_text, new_text) = (text_of(old, new), text_of(new, old));
        let prose = is_prose(old) || is_prose(new);
        let label = if prose { "words" } else { "diff" };
        match (&old_text, &new_text) {
            (Some(old_text), Some(new_text)) => {
                if let Some(pieces) = words::diff(old_text, new_text)
                    && (prose || changes(&pieces) <= TOKEN_CHANGES)
                {
                    return self.words(label, pieces, true);
                }
            }
            (Some(text), None) if prose => {
                return self.words(label, vec![Piece::new(Mark::Old, text)], true);
            }
            (None, Some(text)) if prose => {
                return self.words(label, vec![Piece::new(Mark::New, text)], true);
            }
            _ => {}
        }
        for (label, side, text, mark) in [
            ("was", old, old_text, Mark::Old),
            ("now", new, new_text, Mark::New),
        ] {
            match (side, text) {
                (Some(_), Some(text)) if prose => {
                    self.words(label, vec![Piece::new(mark, &text)], false);
                }
                // A short value that the headline quotes whole is not told twice.
                (Some(side), _) if self.is_quoted(side) => {}
                (Some(side), _) => self.value(label, side, mark),
                (None, _) => {}
            }
        }
    }

    fn is_quoted(&self, value: &Value) -> bool {
        !self.room.whole && self.message.contains(&format!("`{}`", value::exact(value)))
    }

    /// A value as JSON.
    fn value(&mut self, label: &'static str, value: &Value, mark: Mark) {
        // Cut as a change, so that what is missing is counted.
        let piece = Piece::new(Mark::New, &value::spaced(value));
        let mut pieces = words::cut(vec![piece], self.most(self.room.value));
        for piece in pieces.iter_mut().filter(|piece| piece.mark == Mark::New) {
            piece.mark = mark;
            piece.text = sanitize::terminal(&piece.text);
        }
        self.parts.push(Part {
            label,
            pieces,
            marked: false,
        });
    }

    /// Words of a server.
    fn words(&mut self, label: &'static str, pieces: Vec<Piece>, marked: bool) {
        let mut pieces = words::cut(pieces, self.most(self.room.words));
        for piece in &mut pieces {
            piece.text = sanitize::literal(&piece.text);
        }
        self.parts.push(Part {
            label,
            pieces,
            marked,
        });
    }

    fn most(&self, room: usize) -> usize {
        if self.room.whole {
            usize::MAX / 4
        } else {
            room
        }
    }
}

/// In how many places a line has changed.
fn changes(pieces: &[Piece]) -> usize {
    let is_change = |piece: &Piece| piece.mark != Mark::Same;
    pieces
        .chunk_by(|a, b| is_change(a) == is_change(b))
        .filter(|run| run.first().is_some_and(is_change))
        .count()
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
    use crate::report::sample::{changed, finding, saying};
    use crate::rules::Level;

    fn labels(message: &str, old: &str, new: &str) -> Vec<&'static str> {
        let one = finding("default-changed", Level::Risky, "tool:a", "/inputSchema/x");
        let room = Room {
            words: 300,
            value: 100,
            whole: false,
        };
        parts(&changed(saying(one, message), old, new), room)
            .into_iter()
            .map(|part| part.label)
            .collect()
    }

    #[test]
    fn words_are_marked_in_line_and_unlike_values_stand_side_by_side() {
        assert_eq!(
            labels("", r#""all the old words""#, r#""all the new words""#),
            ["words"]
        );
        assert_eq!(labels("", "50", "10"), ["was", "now"]);
        assert_eq!(labels("", r#""string""#, r#"["string","null"]"#), ["diff"]);
        assert_eq!(labels("", "[1,2]", "[1,3]"), ["diff"]);
        assert_eq!(labels("", "", r#"{"type":"string"}"#), ["now"]);
    }

    #[test]
    fn a_name_that_changed_in_many_places_is_not_mixed() {
        let old = r#""http://json-schema.org/draft-07/schema#""#;
        let new = r#""https://json-schema.org/draft/2020-12/schema""#;
        assert_eq!(labels("", old, new), ["was", "now"]);
    }

    #[test]
    fn what_the_headline_quotes_whole_is_not_told_twice() {
        assert_eq!(labels("it is `7` now", "", "7"), Vec::<&str>::new());
        assert_eq!(labels("from `50` to `10`", "50", "10"), Vec::<&str>::new());
        assert_eq!(labels("it was `50`", "50", "10"), ["now"]);
    }
}
