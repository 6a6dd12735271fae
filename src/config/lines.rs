//! Words that are lines of their own: what a shell is given, and connection strings. Each part is
//! redacted by itself.
//!
//! Pure.

use super::redact::{PARTS, Redaction, command, named, word};

/// Redacts a word that is a line of several: each is looked at, and the space between stays.
pub(super) fn script(text: &str) -> Redaction {
    let mut pieces = pieces_of(text, true);
    if pieces.len() == 1 {
        // A word that is the line itself would be looked into for ever.
        pieces = pieces_of(text, false);
    }
    let bare = |piece: &str| piece.trim_matches(['"', '\'']).to_owned();
    let words: Vec<String> = pieces
        .iter()
        .filter(|piece| !piece.starts_with(char::is_whitespace))
        .map(|piece| bare(piece))
        .collect();
    let mut redacted = command(&words).into_iter();
    let mut out = Redaction::default();
    for piece in pieces {
        if piece.starts_with(char::is_whitespace) {
            out.text.push_str(piece);
            continue;
        }
        let head = piece.len() - piece.trim_start_matches(['"', '\'']).len();
        let inner = bare(piece).len();
        let tail = (head + inner).min(piece.len());
        if let Some(redaction) = redacted.next() {
            out.append(redaction.framed(&piece[..head.min(tail)], &piece[tail..]));
        }
    }
    out
}

/// The words of a line and the space between them. With `quotes`, what stands in quotes is one
/// word.
fn pieces_of(text: &str, quotes: bool) -> Vec<&str> {
    let mut pieces: Vec<&str> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let space = rest.starts_with(char::is_whitespace);
        let mut end = 0;
        let mut before = ' ';
        while let Some(c) = rest[end..].chars().next() {
            if c.is_whitespace() != space {
                break;
            }
            end += c.len_utf8();
            let opens = quotes && !space && "\"'".contains(c) && " =:([{".contains(before);
            if opens && let Some(length) = rest[end..].find(c) {
                end += length + 1;
            }
            before = c;
        }
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// Redacts `Server=db;User Id=sa;Password=x`: each part by its own name;
/// none for what is no connection string.
pub(super) fn connection_string(text: &str) -> Option<Redaction> {
    let is_key = |key: &str| {
        !key.trim().is_empty()
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || " -_.".contains(c))
    };
    let first = text.split(';').next()?;
    let (key, _) = first.split_once('=')?;
    let parts = text.matches(';').count();
    if parts == 0 || parts > PARTS || !is_key(key) {
        return None;
    }
    let mut out = Redaction::default();
    // A quoted value may hold a semicolon.
    let mut quoted: Option<char> = None;
    for part in text.split_inclusive(';') {
        let (part, end) = match part.strip_suffix(';') {
            Some(part) => (part, ";"),
            None => (part, ""),
        };
        if let Some(quote) = quoted {
            if part.ends_with(quote) {
                quoted = None;
            }
            out.found.push(part.to_owned());
            out.text.push_str(end);
            continue;
        }
        match part.split_once('=') {
            Some((key, rest)) if is_key(key) => {
                let open = rest
                    .chars()
                    .next()
                    .filter(|&c| "\"'".contains(c) && (rest.len() == 1 || !rest.ends_with(c)));
                let inner = named(key, rest);
                if !inner.found.is_empty() {
                    quoted = open;
                }
                out.append(inner.framed(&format!("{key}="), end));
            }
            _ => out.append(word(part).framed("", end)),
        }
    }
    Some(out)
}
