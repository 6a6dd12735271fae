//! How a secret may come back: in a JSON string, in a URL, as base64 … A server that repeats a secret
//! need not repeat it letter by letter.
//!
//! Pure.

use super::secret::ANYWHERE;

/// A value as it may come back: as it is, without the spaces around it, by line, behind its scheme
/// alone; each as text of JSON, URLs, HTML, in base64 and in hex digits.
pub(super) fn spellings(value: &str) -> Vec<String> {
    let mut plain = vec![value.to_owned(), value.trim().to_owned()];
    let long = |text: &str| text.chars().count() >= ANYWHERE;
    if value.trim().contains('\n') {
        plain.extend(
            value
                .lines()
                .map(|line| line.trim().to_owned())
                .filter(|line| long(line)),
        );
    }
    if let Some((_, rest)) = value.split_once(' ') {
        // `Bearer abc`: the server may repeat `abc` alone.
        if long(rest) && !rest.contains(' ') {
            plain.push(rest.to_owned());
        }
    }
    plain.sort();
    plain.dedup();
    let mut forms = Vec::new();
    for text in plain {
        forms.push(json(&text));
        forms.push(json(&text).replace('/', "\\/"));
        let strict = url(&text, b"-_.~");
        forms.push(with_small_escapes(&strict));
        forms.push(strict.replace("%20", "+"));
        forms.push(strict);
        // As `encodeURIComponent` leaves it.
        forms.push(url(&text, b"-_.~!*'()"));
        forms.push(html(&text));
        // Encoded, a short value is found in too much that it is not.
        if long(&text) {
            forms.extend(base64(text.as_bytes()));
            let hex = hex(text.as_bytes());
            forms.push(hex.to_ascii_uppercase());
            forms.push(hex);
        }
        forms.push(text);
    }
    forms
}

fn json(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('\t', "\\t")
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        for nibble in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(u32::from(nibble), 16));
        }
        out
    })
}

/// Percent-encoded, but for letters, digits and `kept`.
fn url(text: &str, kept: &[u8]) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&hex(&[byte]).to_ascii_uppercase());
        }
        out
    })
}

/// The same with the digits of percent escapes in small letters, as some write them.
fn with_small_escapes(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut small = 0u8;
    for c in url.chars() {
        out.push(if small > 0 { c.to_ascii_lowercase() } else { c });
        small = if c == '%' { 2 } else { small.saturating_sub(1) };
    }
    out
}

/// The characters that base64 gives for `bytes` wherever they stand in what is encoded, in both
/// alphabets: for each of the three positions those that depend on nothing around.
fn base64(bytes: &[u8]) -> Vec<String> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut forms = Vec::new();
    for skip in 0..3usize {
        let mut padded = vec![0; skip];
        padded.extend_from_slice(bytes);
        let bit = |at: usize| padded[at / 8] >> (7 - at % 8) & 1;
        // The first character of six bits that are all the value's own.
        let first = (skip * 8).div_ceil(6);
        let last = padded.len() * 8 / 6;
        let text: String = (first..last)
            .map(|at| {
                let index = (at * 6..at * 6 + 6).fold(0, |index, at| index << 1 | bit(at));
                char::from(DIGITS[usize::from(index & 63)])
            })
            .collect();
        if text.len() >= ANYWHERE {
            forms.push(text.replace('+', "-").replace('/', "_"));
            forms.push(text);
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_found_at_every_position_of_what_is_encoded() {
        // Made by `printf … | base64`.
        let forms = base64(b"hunter2hunter2");
        for encoded in [
            "aHVudGVyMmh1bnRlcjI=",
            "YTpodW50ZXIyaHVudGVyMg==",
            "dTpodW50ZXIyaHVudGVyMjp4",
            "dXNlcjpodW50ZXIyaHVudGVyMg==",
        ] {
            assert!(
                forms.iter().any(|form| encoded.contains(form)),
                "{encoded} {forms:?}"
            );
        }
    }

    #[test]
    fn escapes_of_urls_are_known_in_both_cases_and_with_a_plus() {
        let forms = spellings("a b/c:d+12");
        for form in [
            "a%20b%2Fc%3Ad%2B12",
            "a%20b%2fc%3ad%2b12",
            "a+b%2Fc%3Ad%2B12",
            "a b\\/c:d+12",
            "6120622f633a642b3132",
        ] {
            assert!(forms.iter().any(|known| known == form), "{form} {forms:?}");
        }
    }
}
