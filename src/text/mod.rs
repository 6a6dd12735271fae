//! Text that may be hostile: which code points never stand raw in a file or on a screen.
//!
//! Pure. [`is_hidden`] is the closed list of `docs/lockfile.md`; the lockfile writer, the reports
//! and every error message use this one list.

mod address;
mod hidden;
mod near;

pub use address::{address, names};
pub use hidden::{HIDDEN, HiddenGroup, HiddenRange, hidden_group};
pub use near::nearest;

/// Whether `c` is never written raw: it is invisible, reorders what stands around it, or steers
/// a terminal.
///
/// C0, DEL, C1, U+2028/9, bidi controls, zero-width and other default-ignorable code points, the
/// tag block, private use and noncharacters: the ranges of [`HIDDEN`].
pub fn is_hidden(c: char) -> bool {
    hidden_group(c).is_some()
}

/// `text` on one line, with every hidden code point as `\u{…}`: what may be shown to a person.
///
/// Line breaks and tabs are hidden too; callers that print several lines split first. A backslash
/// that stands before `u{` in the text itself is shown as `\u{5c}`, so that what looks like an
/// escape always is one and two different texts never look the same for it. Other backslashes
/// (paths, patterns) are shown as they are.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, c) in text.char_indices() {
        if is_hidden(c) || (c == '\\' && text[i + 1..].starts_with("u{")) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_steers_a_terminal_or_reorders_text_is_shown_as_its_code_point() {
        assert_eq!(
            visible("\u{1b}[2J\r\n\u{202e}evil\u{e0041}\u{7f}"),
            r"\u{1b}[2J\u{d}\u{a}\u{202e}evil\u{e0041}\u{7f}"
        );
    }

    #[test]
    fn letters_of_every_script_are_shown_as_they_are() {
        for text in [
            "Проверка",
            "తెలుగు",
            "日本語",
            "🙂",
            "naïve",
            "C:\\temp",
            "\\u0041",
            "\u{fffc}",
        ] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn text_that_spells_an_escape_is_not_mistaken_for_one() {
        assert_eq!(visible(r"\u{202e}"), r"\u{5c}u{202e}");
        assert_eq!(visible("\u{202e}"), r"\u{202e}");
    }

    /// Undoes [`visible`].
    fn hidden_again(shown: &str) -> String {
        let mut out = String::new();
        let mut rest = shown;
        while let Some(start) = rest.find("\\u{") {
            out.push_str(&rest[..start]);
            let end = start + rest[start..].find('}').unwrap();
            let code = u32::from_str_radix(&rest[start + 3..end], 16).unwrap();
            out.push(char::from_u32(code).unwrap());
            rest = &rest[end + 1..];
        }
        out + rest
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left_and_different_texts_look_different(
            parts in prop::collection::vec(
                prop_oneof![
                    any::<char>().prop_map(String::from),
                    prop::sample::select(vec![
                        "\\", "u{", "}", "u", "{", "202e", "\u{202e}", "\n", "\u{0}",
                    ]).prop_map(str::to_owned),
                ],
                0..12,
            )
        ) {
            let text = parts.concat();
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_hidden));
            prop_assert_eq!(hidden_again(&shown), text);
        }
    }
}
