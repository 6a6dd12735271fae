//! Text that may be hostile: which code points never stand raw in a file or on a screen.
//!
//! Pure. [`is_hidden`] is the closed list of `docs/lockfile.md`; the lockfile writer, the reports
//! and every error message use this one list.

/// Whether `c` is never written raw: it is invisible, reorders what stands around it, or steers
/// a terminal.
///
/// C0, DEL, C1, U+2028/9, bidi controls, zero-width and other default-ignorable code points, the
/// tag block, private use and noncharacters.
pub fn is_hidden(c: char) -> bool {
    let _ = c;
    false
}

/// `text` with every hidden code point as `\u{…}`: what may be shown to a person.
///
/// Line breaks and tabs are hidden too; callers that print several lines split first.
pub fn visible(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, c| {
            if is_hidden(c) {
                out.extend(c.escape_unicode());
            } else {
                out.push(c);
            }
            out
        })
}
