//! Writing a string as JSON.

/// Writes `text` as a JSON string with the escapes of RFC 8785, section 3.2.2.2: no more than must
/// be escaped, the short form where there is one.
pub fn write_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    while let Some(i) = rest
        .bytes()
        .position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
    {
        out.push_str(&rest[..i]);
        write_escape(out, rest.as_bytes()[i]);
        rest = &rest[i + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn write_escape(out: &mut String, byte: u8) {
    let short = match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        0x08 => "\\b",
        0x09 => "\\t",
        0x0a => "\\n",
        0x0c => "\\f",
        0x0d => "\\r",
        _ => {
            out.push_str("\\u00");
            for nibble in [byte >> 4, byte & 15] {
                out.push(char::from(b"0123456789abcdef"[usize::from(nibble)]));
            }
            return;
        }
    };
    out.push_str(short);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_must_be_escaped_is_escaped() {
        let mut out = String::new();
        write_string(
            &mut out,
            "\"\\/\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}\u{80}\u{2028}é😀",
        );
        assert_eq!(
            out,
            "\"\\\"\\\\/\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\u{80}\u{2028}é😀\""
        );
    }
}
