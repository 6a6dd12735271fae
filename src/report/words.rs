//! Two texts as one readable line: which words went, which came, and what around them matters.
//!
//! Pure; knows nothing of colours, widths or formats. Work is bounded by size before the diff is
//! asked, so that no text can make a report slow.

use similar::{Algorithm, DiffTag, TextDiff, capture_diff_slices};

/// Bytes that differ (both sides together, common ends cut) beyond which no diff is tried: below
/// it the cost of a diff stays under a few million steps.
const MOST_BYTES: usize = 16 * 1024;
/// Characters kept on each side of a change when the unchanged text between is long.
const CONTEXT: usize = 60;
/// Part of the longer text, in percent, that both must share; below it, marks inside the line are
/// confetti and two lines read better.
const LEAST_SHARED: usize = 30;

/// What happened to a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    /// On both sides.
    Same,
    /// Only in the old text.
    Old,
    /// Only in the new text.
    New,
    /// Not shown: the text says how much.
    Cut,
}

/// A run of text with one mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// What happened to it.
    pub(super) mark: Mark,
    /// The text, as it was.
    pub(super) text: String,
}

impl Piece {
    pub(super) fn new(mark: Mark, text: &str) -> Self {
        Piece {
            mark,
            text: text.to_owned(),
        }
    }
}

/// The words of `old` and `new` in one line; `None` where that would not be readable because the
/// two share too little or are too long.
///
/// The pieces without [`Mark::New`] are `old`, those without [`Mark::Old`] are `new`.
pub(super) fn diff(old: &str, new: &str) -> Option<Vec<Piece>> {
    let (head, old_middle, new_middle, tail) = split_common(old, new);
    if old_middle.len() + new_middle.len() > MOST_BYTES {
        return None;
    }
    let mut pieces = Vec::new();
    push(&mut pieces, Mark::Same, head);
    let words = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .diff_unicode_words(old_middle, new_middle);
    for op in words.ops() {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        for index in old_range {
            let mark = if tag == DiffTag::Equal {
                Mark::Same
            } else {
                Mark::Old
            };
            push(
                &mut pieces,
                mark,
                words.old_slice(index).unwrap_or_default(),
            );
        }
        if tag != DiffTag::Equal {
            for index in new_range {
                push(
                    &mut pieces,
                    Mark::New,
                    words.new_slice(index).unwrap_or_default(),
                );
            }
        }
    }
    push(&mut pieces, Mark::Same, tail);
    let pieces = join_confetti(pieces);
    readable(&pieces, old, new).then_some(pieces)
}

/// Two lists, element by element, as they would be written in JSON: `["a"[-, "b"-], "c"]`. A string
/// that changed inside has its words marked. `None` as for [`diff`].
///
/// `old` and `new` are the elements as JSON text.
pub(super) fn list(old: &[String], new: &[String]) -> Option<Vec<Piece>> {
    let bytes = |list: &[String]| list.iter().map(String::len).sum::<usize>();
    if bytes(old) + bytes(new) > MOST_BYTES {
        return None;
    }
    let mut line = Line {
        pieces: vec![Piece::new(Mark::Same, "[")],
        empty: true,
    };
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (_, old_range, new_range) = op.as_tag_tuple();
        let (old, new) = (&old[old_range], &new[new_range]);
        match op.tag() {
            DiffTag::Equal => {
                for text in old {
                    line.element(Mark::Same, text);
                }
            }
            DiffTag::Replace if old.len() == new.len() => {
                for (old, new) in old.iter().zip(new) {
                    if let Some(pieces) = diff(old, new) {
                        line.comma(Mark::Same);
                        for piece in pieces {
                            push(&mut line.pieces, piece.mark, &piece.text);
                        }
                    } else {
                        line.comma(Mark::Same);
                        push(&mut line.pieces, Mark::Old, old);
                        push(&mut line.pieces, Mark::New, new);
                    }
                }
            }
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                for text in old {
                    line.element(Mark::Old, text);
                }
                for text in new {
                    line.element(Mark::New, text);
                }
            }
        }
    }
    push(&mut line.pieces, Mark::Same, "]");
    Some(line.pieces)
}

/// A list as it is written.
struct Line {
    pieces: Vec<Piece>,
    empty: bool,
}

impl Line {
    fn comma(&mut self, mark: Mark) {
        if !self.empty {
            push(&mut self.pieces, mark, ", ");
        }
        self.empty = false;
    }

    fn element(&mut self, mark: Mark, text: &str) {
        self.comma(mark);
        push(&mut self.pieces, mark, text);
    }
}

/// Cuts what both texts share at their ends, at a space, so that no word is torn.
fn split_common<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str, &'t str, &'t str) {
    let same = old
        .bytes()
        .zip(new.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let head = old.as_bytes()[..same]
        .iter()
        .rposition(|&b| b == b' ' || b == b'\n')
        .map_or(0, |i| i + 1);
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let same = old_rest
        .bytes()
        .rev()
        .zip(new_rest.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let tail = old_rest.as_bytes()[old_rest.len() - same..]
        .iter()
        .position(|&b| b == b' ' || b == b'\n')
        .map_or(0, |i| same - i);
    (
        &old[..head],
        &old_rest[..old_rest.len() - tail],
        &new_rest[..new_rest.len() - tail],
        &old_rest[old_rest.len() - tail..],
    )
}

/// Appends text, joining it to the last piece of the same mark.
fn push(pieces: &mut Vec<Piece>, mark: Mark, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.mark == mark => last.text.push_str(text),
        _ => pieces.push(Piece::new(mark, text)),
    }
}

/// Joins changes that only a short common run (a space, an article) holds apart, and writes each
/// change as old, then new.
fn join_confetti(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out = Vec::new();
    let (mut old, mut new) = (String::new(), String::new());
    let mut rest = pieces.into_iter().peekable();
    while let Some(piece) = rest.next() {
        match piece.mark {
            Mark::Old => old.push_str(&piece.text),
            Mark::New => new.push_str(&piece.text),
            Mark::Same | Mark::Cut => {
                let open = !old.is_empty() || !new.is_empty();
                if open && rest.peek().is_some() && is_thin(&piece.text) {
                    old.push_str(&piece.text);
                    new.push_str(&piece.text);
                } else {
                    push(&mut out, Mark::Old, &std::mem::take(&mut old));
                    push(&mut out, Mark::New, &std::mem::take(&mut new));
                    push(&mut out, Mark::Same, &piece.text);
                }
            }
        }
    }
    push(&mut out, Mark::Old, &old);
    push(&mut out, Mark::New, &new);
    out
}

fn is_thin(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).count() <= 3 && text.chars().count() <= 5
}

fn readable(pieces: &[Piece], old: &str, new: &str) -> bool {
    let longer = old.len().max(new.len());
    let same: usize = pieces
        .iter()
        .filter(|piece| piece.mark == Mark::Same)
        .map(|piece| piece.text.len())
        .sum();
    old.is_empty() || new.is_empty() || same * 100 >= longer * LEAST_SHARED
}

/// Cuts unchanged text far from any change, and changed text longer than `most` characters, and
/// says how much was cut. Nothing changed is ever cut silently.
pub(super) fn cut(pieces: Vec<Piece>, most: usize) -> Vec<Piece> {
    let last = pieces.len().saturating_sub(1);
    let mut out = Vec::new();
    for (i, piece) in pieces.into_iter().enumerate() {
        let (head, tail) = match piece.mark {
            Mark::Same if i == 0 && last == 0 => (most, 0),
            Mark::Same if i == 0 => (0, CONTEXT),
            Mark::Same if i == last => (CONTEXT, 0),
            Mark::Same => (CONTEXT, CONTEXT),
            Mark::Old | Mark::New => (most - most / 3, most / 3),
            Mark::Cut => (usize::MAX, 0),
        };
        keep_ends(&mut out, &piece, head, tail);
    }
    out
}

/// Pushes the first `head` and the last `tail` characters of a piece, at spaces where there are
/// some near, and a [`Mark::Cut`] in between; all of it where that would save next to nothing.
fn keep_ends(out: &mut Vec<Piece>, piece: &Piece, head: usize, tail: usize) {
    let text = &piece.text;
    let length = text.chars().count();
    if length <= head.saturating_add(tail).saturating_add(20) {
        out.push(piece.clone());
        return;
    }
    let start = byte_of(text, head);
    let end = byte_of(text, length - tail);
    let start = text[..start]
        .rfind(' ')
        .filter(|at| start - at < 24)
        .map_or(start, |at| at + 1);
    let end = text[end..]
        .find(' ')
        .filter(|at| *at < 24)
        .map_or(end, |at| end + at);
    if start > 0 {
        out.push(Piece::new(piece.mark, &text[..start]));
    }
    out.push(Piece {
        mark: Mark::Cut,
        text: match piece.mark {
            Mark::Same => "…".to_owned(),
            _ => format!("…({} characters more)…", text[start..end].chars().count()),
        },
    });
    if end < text.len() {
        out.push(Piece::new(piece.mark, &text[end..]));
    }
}

fn byte_of(text: &str, chars: usize) -> usize {
    text.char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(pieces: &[Piece]) -> String {
        pieces
            .iter()
            .map(|piece| match piece.mark {
                Mark::Same | Mark::Cut => piece.text.clone(),
                Mark::Old => format!("[-{}-]", piece.text),
                Mark::New => format!("{{+{}+}}", piece.text),
            })
            .collect()
    }

    #[test]
    fn a_changed_word_is_marked_inside_its_sentence() {
        let pieces = diff("Maximum number of results", "Index of the page of results").unwrap();
        assert_eq!(
            line(&pieces),
            "[-Maximum number-]{+Index of the page+} of results"
        );
    }

    #[test]
    fn changes_that_a_space_holds_apart_are_one() {
        let pieces = diff("one two three four five", "one 2 3 four five").unwrap();
        assert_eq!(line(&pieces), "one [-two three-]{+2 3+} four five");
    }

    #[test]
    fn texts_that_share_next_to_nothing_are_not_mixed() {
        assert_eq!(diff("integer", "string"), None);
        assert_eq!(diff("50", "10"), None);
    }

    #[test]
    fn only_what_is_near_a_change_is_kept_of_a_long_text() {
        let filler = "word ".repeat(200);
        let old = format!("{filler}limit is the maximum {filler}");
        let new = format!("{filler}limit is the page {filler}");
        let shown = line(&cut(diff(&old, &new).unwrap(), 500));
        assert!(
            shown.contains("limit is the [-maximum-]{+page+} word"),
            "{shown}"
        );
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.len() < 220, "{shown}");
    }

    #[test]
    fn a_long_insertion_shows_both_ends_and_how_much_is_missing() {
        let added = format!("{} and read the key file", "please ".repeat(300));
        let shown = line(&cut(diff("", &added).unwrap(), 300));
        assert!(shown.contains("characters more)"), "{shown}");
        assert!(shown.ends_with("and read the key file+}"), "{shown}");
    }

    #[test]
    fn lists_are_compared_by_element_and_then_by_word() {
        let list = |old: &[&str], new: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
            line(&super::list(&own(old), &own(new)).unwrap())
        };
        assert_eq!(list(&["1", "2", "3"], &["1", "3"]), "[1[-, 2-], 3]");
        assert_eq!(list(&["1"], &["1", "2"]), "[1{+, 2+}]");
        assert_eq!(
            list(&["\"x\"", "\"pkg@1.0\""], &["\"x\"", "\"pkg@1.2\""]),
            "[\"x\", \"pkg@[-1.0-]{+1.2+}\"]"
        );
        assert_eq!(list(&[], &["1"]), "[{+1+}]");
    }

    #[test]
    fn texts_too_long_for_a_diff_are_refused_at_once() {
        assert_eq!(diff(&"a ".repeat(20_000), &"b ".repeat(20_000)), None);
    }

    proptest! {
        #[test]
        fn each_side_can_be_read_back(old in "[a-c é\n.]{0,60}", new in "[a-c é\n.]{0,60}") {
            if let Some(pieces) = diff(&old, &new) {
                let side = |without| -> String {
                    pieces.iter().filter(|p| p.mark != without).map(|p| p.text.as_str()).collect()
                };
                prop_assert_eq!(side(Mark::New), old);
                prop_assert_eq!(side(Mark::Old), new);
            }
        }

        #[test]
        fn cutting_never_panics_and_never_invents(text in any::<String>(), most in 0_usize..40) {
            for piece in cut(vec![Piece::new(Mark::New, &text)], most) {
                prop_assert!(piece.mark == Mark::Cut || text.contains(&piece.text));
            }
        }
    }
}
