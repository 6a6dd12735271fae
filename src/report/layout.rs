//! Lines of a given width, each of which begins with something of our own.
//!
//! A page is written line by line. Text of any origin is made harmless as it enters a [`Text`], and
//! is cut where it grows too long for a screen, and every line starts with a word or a gutter (`│`) that the page puts there: build runners obey
//! `::command::` at the start of a line even after spaces.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use super::sanitize;
use super::style::{Role, style};

/// No line is made narrower than this, whatever the terminal says.
const LEAST_WIDTH: usize = 40;
/// Characters that are shown of a name inside a text, and of one text. What is longer is no reading
/// for a screen; machine formats have it in full.
pub(super) const NAME: usize = 200;
const WHOLE: usize = 2_000;
/// Width of a label in the gutter, its space included.
const LABEL: usize = 6;

/// `text` when it has at most `most` characters, else its beginning and how much was left out.
pub(super) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            let s = if more == 1 { "" } else { "s" };
            Cow::Owned(format!("{}… ({more} more character{s})", &text[..end]))
        }
    }
}

/// A run of styled text, harmless on a terminal.
#[derive(Debug, Clone, Default)]
pub(super) struct Text(Vec<(char, Role)>);

impl Text {
    /// No text.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// `text` in one role.
    pub(super) fn of(text: &str, role: Role) -> Self {
        Self::new().with(text, role)
    }

    /// This, followed by `text`.
    pub(super) fn with(mut self, text: &str, role: Role) -> Self {
        self.push(text, role);
        self
    }

    /// Appends `text`; the only way in, and it leads through the door.
    pub(super) fn push(&mut self, text: &str, role: Role) {
        let shown = sanitize::terminal(text);
        self.0.extend(shown.chars().map(|c| (c, role)));
    }

    /// Appends prose in which `` `names` `` stand out.
    pub(super) fn push_prose(&mut self, prose: &str) {
        for (i, part) in prose.split_inclusive('`').enumerate() {
            let role = if i % 2 == 1 {
                Role::Strong
            } else {
                Role::Plain
            };
            match part.strip_suffix('`') {
                Some(words) => {
                    let words = if i % 2 == 1 {
                        shortened(words, NAME)
                    } else {
                        Cow::Borrowed(words)
                    };
                    self.push(&words, role);
                    self.push("`", Role::Plain);
                }
                None => self.push(part, Role::Plain),
            }
        }
    }

    /// This, cut where it is too long for a screen.
    fn on_screen(&self) -> Cow<'_, Text> {
        let more = self.0.len().saturating_sub(WHOLE);
        if more == 0 {
            return Cow::Borrowed(self);
        }
        let mut cut = Text(self.0[..WHOLE].to_vec());
        let s = if more == 1 { "" } else { "s" };
        cut.push(&format!("… ({more} more character{s})"), Role::Dim);
        Cow::Owned(cut)
    }

    /// Breaks the text into lines of at most `first` and then `rest` columns, at spaces where
    /// there are any.
    fn lines(&self, first: usize, rest: usize) -> Vec<&[(char, Role)]> {
        let mut lines = Vec::new();
        let (mut start, mut columns, mut space) = (0, 0, None);
        let mut most = first;
        let mut i = 0;
        while let Some(&(c, _)) = self.0.get(i) {
            let wide = c.width().unwrap_or(0);
            if columns + wide > most && i > start && c != ' ' {
                let (end, next) = match space {
                    Some(at) if at > start => (at, at + 1),
                    _ => (i, i),
                };
                lines.push(&self.0[start..end]);
                (start, i, columns, space, most) = (next, next, 0, None, rest);
                continue;
            }
            if c == ' ' {
                space = Some(i);
            }
            columns += wide;
            i += 1;
        }
        lines.push(&self.0[start..]);
        lines
    }
}

/// The report as it grows.
#[derive(Debug)]
pub(super) struct Page {
    out: String,
    width: usize,
    color: bool,
}

impl Page {
    /// An empty page of `width` columns, with or without escape sequences for colour.
    pub(super) fn new(width: usize, color: bool) -> Self {
        Page {
            out: String::new(),
            width: width.max(LEAST_WIDTH),
            color,
        }
    }

    /// Whether styles are shown, so that marks can be left out.
    pub(super) fn color(&self) -> bool {
        self.color
    }

    /// Columns that a detail line has for its text.
    pub(super) fn detail_width(&self, indent: usize) -> usize {
        self.width
            .saturating_sub(indent + 2 + LABEL)
            .max(LEAST_WIDTH / 2)
    }

    /// A line that begins with `lead`, a word of our own; continued behind a gutter.
    pub(super) fn line(&mut self, indent: usize, lead: &'static str, lead_role: Role, text: &Text) {
        let room = self.width.saturating_sub(indent);
        let text = text.on_screen();
        let lines = text.lines(
            room.saturating_sub(lead.chars().count()),
            room.saturating_sub(4),
        );
        for (i, line) in lines.into_iter().enumerate() {
            self.blanks(indent);
            if i == 0 {
                self.paint(lead, lead_role);
            } else {
                self.paint("  │ ", Role::Dim);
            }
            self.spans(line);
            self.end();
        }
    }

    /// A line of detail behind a gutter, with a label of at most five letters.
    pub(super) fn detail(&mut self, indent: usize, label: &'static str, text: &Text) {
        let room = self.detail_width(indent);
        for (i, line) in text.lines(room, room).into_iter().enumerate() {
            let label = if i == 0 { label } else { "" };
            self.blanks(indent);
            self.paint("│ ", Role::Dim);
            self.paint(&format!("{label:<LABEL$}"), Role::Dim);
            self.spans(line);
            self.end();
        }
    }

    /// Text of someone else, quoted behind a gutter.
    pub(super) fn quote(&mut self, indent: usize, text: &Text) {
        let room = self.width.saturating_sub(indent + 2);
        for line in text.on_screen().lines(room, room) {
            self.blanks(indent);
            self.paint("│ ", Role::Dim);
            self.spans(line);
            self.end();
        }
    }

    /// A line that is never broken, so that it can be copied; begins with `lead`.
    pub(super) fn whole(&mut self, indent: usize, lead: &'static str, text: &Text) {
        self.blanks(indent);
        self.paint(lead, Role::Dim);
        self.spans(&text.0);
        self.end();
    }

    /// An empty line, unless the page is empty or has just had one.
    pub(super) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// All that was written.
    pub(super) fn finish(self) -> String {
        self.out
    }

    fn blanks(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    fn end(&mut self) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        self.out.push('\n');
    }

    fn paint(&mut self, text: &str, role: Role) {
        let style = style(role);
        if self.color && !style.is_plain() {
            // Writing to a string can't fail.
            let _ = write!(self.out, "{style}{text}{style:#}");
        } else {
            self.out.push_str(text);
        }
    }

    fn spans(&mut self, chars: &[(char, Role)]) {
        for run in chars.chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().map(|(c, _)| c).collect();
            self.paint(&text, run[0].1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize, text: &str) -> String {
        let mut page = Page::new(width, false);
        page.line(0, "error: ", Role::Error, &Text::of(text, Role::Plain));
        page.finish()
    }

    #[test]
    fn lines_break_at_spaces_and_go_on_behind_a_gutter() {
        let shown = page(40, "one two three four five six seven eight nine ten");
        assert_eq!(
            shown,
            "error: one two three four five six seven\n  │ eight nine ten\n"
        );
    }

    #[test]
    fn a_word_longer_than_the_line_is_broken_inside() {
        let shown = page(40, &"x".repeat(90));
        assert!(
            shown.lines().all(|line| line.chars().count() <= 40),
            "{shown}"
        );
        assert_eq!(shown.matches('x').count(), 90);
    }

    #[test]
    fn a_long_name_is_cut_and_what_is_said_of_it_is_not() {
        let long = "x".repeat(10_000);
        let mut text = Text::new();
        text.push_prose(&format!("argument `{long}` is gone, and so is `y`"));
        let mut page = Page::new(80, false);
        page.line(0, "error: ", Role::Error, &text);
        let shown = page.finish().replace("\n  │ ", "");
        assert!(shown.contains("x… (9800 more characters)`"), "{shown}");
        assert!(
            shown.ends_with("is gone, and so is`y`\n")
                || shown.ends_with("is gone, and so is `y`\n"),
            "{shown}"
        );
    }

    #[test]
    fn a_long_text_is_cut_with_a_mark_that_counts_the_rest() {
        let shown = page(80, &"€".repeat(10_000)).replace("\n  │ ", "");
        assert!(shown.ends_with("€… (8000 more characters)\n"), "{shown}");
        assert_eq!(shown.matches('€').count(), 2_000);
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "abc… (1 more character)");
    }

    #[test]
    fn wide_characters_count_as_two_columns() {
        let shown = page(40, &"界".repeat(40));
        assert_eq!(shown.lines().next().unwrap().chars().count(), 7 + 16);
    }

    #[test]
    fn a_command_in_the_text_never_begins_a_line() {
        let shown = page(
            40,
            "a word or two, then more ::error::x ::error::y\n::error::z",
        );
        assert!(
            shown
                .lines()
                .all(|line| !line.trim_start().starts_with("::")),
            "{shown}"
        );
    }
}
