//! The one door through which text reaches a sink.
//!
//! A server's words are hostile: they may steer a terminal, reorder a line, look like a command to
//! a build runner, or close the element that they stand in. Each sink has one function here; a
//! renderer writes nothing that has not passed it. Pure.

use std::fmt::Write as _;

use crate::text::is_hidden;

/// Markers that build runners obey wherever they stand in a log line.
const RUNNER_MARKS: [&str; 3] = ["##[", "##vso[", "##teamcity["];

/// `text` on one line of a terminal or a log: line breaks as `⏎`, tabs as `⇥`, every other hidden
/// code point as `\u{…}`, and no marker that a build runner obeys in the middle of a line.
///
/// Text that has been made visible already stays as it is; see [`literal`] for text that has not.
///
/// A marker that counts at the *start* of a line (`::error::`) can't be disarmed without spoiling
/// honest text; the layout keeps every line's start for itself.
pub(super) fn terminal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\n', '\r', '\t']) {
        escape_hidden(&mut shown, &rest[..at]);
        let (mark, length) = match &rest[at..] {
            tail if tail.starts_with("\r\n") => ("⏎", 2),
            tail if tail.starts_with('\n') => ("⏎", 1),
            tail if tail.starts_with('\t') => ("⇥", 1),
            _ => ("\\u{d}", 1),
        };
        shown.push_str(mark);
        rest = &rest[at + length..];
    }
    escape_hidden(&mut shown, rest);
    disarm(&shown)
}

fn disarm(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("##") {
        out.push_str(&rest[..=at]);
        if is_runner_mark(&rest[at..]) {
            out.push_str("\\u{23}");
            rest = &rest[at + 2..];
        } else {
            // Only one `#` is passed, so that a third one can still begin a marker.
            rest = &rest[at + 1..];
        }
    }
    out.push_str(rest);
    out
}

/// Whether `text` begins with a marker that a build runner obeys.
fn is_runner_mark(text: &str) -> bool {
    RUNNER_MARKS.iter().any(|mark| {
        text.get(..mark.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(mark))
    })
}

/// `text` as a server sent it, so that what looks like an escape of [`terminal`] always is one: a
/// backslash before `u{` becomes `\u{5c}`. For text that [`crate::text::visible`] has not seen.
pub(super) fn literal(text: &str) -> String {
    terminal(&text.replace("\\u{", "\\u{5c}u{"))
}

fn escape_hidden(out: &mut String, text: &str) {
    for c in text.chars() {
        if is_hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
}

/// A JSON text, as serialised, with every hidden code point as `\uXXXX`, harmless inside an HTML
/// page (`</` and `<!--` are escaped), and without a marker that a build runner obeys. Still the
/// same JSON value.
///
/// Outside of strings JSON is ASCII and knows neither `<` nor `#`, so that each character escaped
/// here, save the line feed of a pretty-printed text, stands in a string.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        match c {
            '\n' => out.push(c),
            '<' if rest.starts_with("</") || rest.starts_with("<!") => out.push_str("\\u003c"),
            '#' if is_runner_mark(rest) => out.push_str("\\u0023"),
            c if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string can't fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Character data or an attribute value of XML 1.0: hidden code points as in [`terminal`], but
/// line breaks kept where `lines` says so, and every character of markup as an entity.
pub(super) fn xml(text: &str, lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in split(text, lines).enumerate() {
        if i > 0 {
            out.push('\n');
        }
        for c in terminal(line).chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&apos;"),
                // The two that XML forbids and the list of hidden code points may not name.
                '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
                c => out.push(c),
            }
        }
    }
    out
}

fn split(text: &str, lines: bool) -> impl Iterator<Item = &str> {
    text.split(move |c| lines && c == '\n')
}

/// The message of a GitHub workflow command; lines are kept.
pub(super) fn workflow_message(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(terminal).collect();
    lines.join("\n").replace('%', "%25").replace('\n', "%0A")
}

/// The value of a property of a GitHub workflow command.
pub(super) fn workflow_property(text: &str) -> String {
    terminal(text)
        .replace('%', "%25")
        .replace(':', "%3A")
        .replace(',', "%2C")
}

/// Text that Markdown shows as code inside a line, and never reads: no emphasis, no link, no
/// mention, no HTML.
///
/// A `<code>` element whose text is written in character references wherever it isn't a letter or
/// a digit or of no meaning in a line. A reference never counts as syntax (`CommonMark`, section 6.2), unlike a back-tick
/// fence this works in a table cell, and forges leave mentions inside `<code>` alone.
pub(super) fn markdown_code(text: &str) -> String {
    format!("<code>{}</code>", markdown_text(text))
}

/// Punctuation that means nothing inside a line of Markdown or HTML: some of it does at the start of
/// a line, which is never text of someone else.
const NO_SYNTAX: &str = ",;?%()=+-'\"/";

/// Text that Markdown shows as it is, with no meaning; see [`markdown_code`], which also stops
/// mentions.
pub(super) fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for c in terminal(text).chars() {
        if c.is_ascii_punctuation() && !NO_SYNTAX.contains(c) {
            // Writing to a string can't fail.
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Prose of our own in which `` `names` `` stand as code; all of it in references otherwise.
pub(super) fn markdown_prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some((before, name, after)) = rest.split_once('`').and_then(|(before, tail)| {
        let (name, after) = tail.split_once('`')?;
        Some((before, name, after))
    }) {
        out.push_str(&unmentioned(before));
        out.push_str(&markdown_code(name));
        rest = after;
    }
    out.push_str(&unmentioned(rest));
    out
}

/// Text outside of code: [`markdown_text`] with each `@` and `#` as code, so that no person is
/// mentioned and no issue referred to.
fn unmentioned(text: &str) -> String {
    markdown_text(text)
        .replace("&#64;", "<code>&#64;</code>")
        .replace("&#35;", "<code>&#35;</code>")
}

/// Text inside a `<pre>` block of Markdown, whose content is HTML and nothing else
/// (`CommonMark`, section 4.6, kind 1).
pub(super) fn html(text: &str) -> String {
    terminal(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
        .replace('@', "&#64;")
}

/// A plain-text message of SARIF: brackets would be a link, braces a placeholder (SARIF 2.1.0,
/// sections 3.11.5 and 3.11.6).
pub(super) fn sarif_message(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in terminal(text).chars() {
        match c {
            '[' | ']' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '{' | '}' => {
                out.push(c);
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn line_breaks_and_tabs_are_shown_as_one_sign_each() {
        assert_eq!(terminal("a\nb\r\nc\td"), "a⏎b⏎c⇥d");
        assert_eq!(terminal("a\rb"), "a\\u{d}b");
    }

    #[test]
    fn markers_of_build_runners_are_broken_wherever_they_stand() {
        for mark in [
            "##[error]x",
            "a ##[group]",
            "###[error]",
            "##VSO[task]",
            "##teamcity[x]",
        ] {
            let shown = terminal(mark);
            assert!(
                !RUNNER_MARKS
                    .iter()
                    .any(|m| shown.to_lowercase().contains(m)),
                "{shown}"
            );
        }
        assert_eq!(terminal("## Usage"), "## Usage", "an honest heading stays");
    }

    #[test]
    fn a_workflow_command_holds_no_raw_line_break_and_no_raw_separator() {
        assert_eq!(workflow_message("50%\n::error::x"), "50%25%0A::error::x");
        assert_eq!(workflow_property("a,b:c"), "a%2Cb%3Ac");
    }

    #[test]
    fn markup_is_data_in_xml() {
        assert_eq!(
            xml("]]></a>\n\"&'", true),
            "]]&gt;&lt;/a&gt;\n&quot;&amp;&apos;"
        );
        assert_eq!(xml("a\nb", false), "a⏎b");
    }

    #[test]
    fn nothing_in_inline_markdown_can_be_syntax() {
        assert_eq!(
            markdown_code("`@a` <img>|"),
            "<code>&#96;&#64;a&#96; &#60;img&#62;&#124;</code>"
        );
    }

    #[test]
    fn brackets_and_braces_are_literal_in_sarif() {
        assert_eq!(sarif_message("[a](1) {0}"), "\\[a\\](1) {{0}}");
    }

    proptest! {
        #[test]
        fn escaped_json_is_the_same_value(text in any::<String>()) {
            let plain = serde_json::to_string(&text).unwrap();
            let shown = json(&plain);
            prop_assert!(!shown.contains("</") && !shown.contains("<!"));
            prop_assert!(!shown.contains("##["));
            prop_assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }

        #[test]
        fn shown_text_is_one_line_and_stays_as_it_is_when_shown_again(text in any::<String>()) {
            let shown = terminal(&text);
            prop_assert!(!shown.contains('\n'));
            prop_assert_eq!(terminal(&shown), shown);
        }
    }
}
