//! How text of a server is quoted in a message: secrets masked, control characters made visible,
//! length bounded.
//!
//! Pure. Whatever a server wrote reaches an [`crate::error::Error`] or a remark only through here.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use crate::config::{Redactor, Secret};
use crate::text::visible;

/// Quotes text of one server, whose launch holds the secrets to be masked.
#[derive(Clone, Default)]
pub struct Quoter {
    mask: Arc<RwLock<Redactor>>,
}

impl fmt::Debug for Quoter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Quoter({:?})", *self.known())
    }
}

impl Quoter {
    /// A quoter that masks these values, in every spelling that [`Redactor`] knows.
    pub fn new(secrets: &[Secret]) -> Self {
        let quoter = Quoter::default();
        quoter.learn(secrets);
        quoter
    }

    /// Masks these values too, in every clone.
    pub fn learn(&self, secrets: &[Secret]) {
        let mut mask = self.mask.write().unwrap_or_else(PoisonError::into_inner);
        mask.extend(&Redactor::new(secrets));
    }

    fn known(&self) -> RwLockReadGuard<'_, Redactor> {
        self.mask.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// `text` with every secret replaced.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.known().mask(text)
    }

    /// One line for a message: masked, visible, at most `most` characters of the original.
    pub fn line(&self, bytes: &[u8], most: usize) -> String {
        let text = String::from_utf8_lossy(bytes);
        let masked = self.mask(&text);
        match masked.char_indices().nth(most) {
            Some((cut, _)) => format!("{}…", visible(&masked[..cut])),
            None => visible(&masked),
        }
    }

    /// The last lines of a longer text, each as [`Quoter::line`] quotes it. `cut` says that the
    /// text has lost its beginning: what is left of its first line may be half a secret.
    pub fn last_lines(&self, bytes: &[u8], cut: bool, lines: usize, most: usize) -> Vec<String> {
        let mut rest = bytes;
        if cut {
            let longest = self.known().longest();
            let newline = rest.iter().position(|&b| b == b'\n').map(|at| at + 1);
            rest = &rest[newline.unwrap_or(longest).min(rest.len())..];
        }
        // Masked as a whole, since a secret (a private key, say) may run over several lines.
        let text = String::from_utf8_lossy(rest);
        let masked = self.mask(&text);
        let all: Vec<&str> = masked
            .split(['\n', '\r'])
            .filter(|line| !line.trim().is_empty())
            .collect();
        all[all.len().saturating_sub(lines)..]
            .iter()
            .map(|line| match line.char_indices().nth(most) {
                Some((end, _)) => format!("{}…", visible(&line[..end])),
                None => visible(line),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoter(secrets: &[&str]) -> Quoter {
        let secrets: Vec<Secret> = secrets.iter().map(|s| Secret::new(*s)).collect();
        Quoter::new(&secrets)
    }

    #[test]
    fn a_secret_is_masked_in_plain_and_in_json_and_before_the_line_is_cut() {
        let quoter = quoter(&["to\"ken-1", "on"]);
        assert_eq!(quoter.line(b"got to\"ken-1 on", 80), "got <redacted> on");
        assert_eq!(
            quoter.line(br#"{"t":"to\"ken-1"}"#, 80),
            "{\"t\":\"<redacted>\"}"
        );
        assert!(!quoter.line(b"xxxxto\"ken-1", 8).contains("to\""));
    }

    #[test]
    fn a_secret_that_holds_another_is_masked_as_a_whole() {
        assert_eq!(
            quoter(&["abcd", "abcdefgh"]).line(b"abcdefgh", 80),
            "<redacted>"
        );
    }

    #[test]
    fn a_tail_that_lost_its_beginning_never_begins_with_half_a_secret() {
        let quoter = quoter(&["abcd1234secret"]);
        let lines = quoter.last_lines(b"1234secret\nsecond", true, 5, 80);
        assert_eq!(lines, ["second"]);
        let lines = quoter.last_lines(b"1234secretxxxxxxxx", true, 5, 80);
        assert!(!lines.concat().contains("1234secret"));
    }

    #[test]
    fn only_the_last_lines_are_quoted_and_a_secret_over_two_lines_is_masked() {
        let quoter = quoter(&["one\ntwo"]);
        let lines = quoter.last_lines(b"a\nb\n\none\ntwo\nc\n", false, 2, 80);
        assert_eq!(lines, ["<redacted>", "c"]);
    }
}
