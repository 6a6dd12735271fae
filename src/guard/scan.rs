//! The envelope of a server's message, found without reading what it carries.
//!
//! Pure. Follows strings and brackets only, so that a megabyte costs a fraction of a millisecond and
//! odd numbers (`NaN`) inside a result are left to the agent; an envelope that two readers could
//! take for different messages is none.

use std::ops::Range;

use memchr::memchr2;

use crate::canonical::number;

/// What a line of a server's output is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One message.
    Object(Envelope),
    /// An array, perhaps of messages.
    Batch,
    /// Not meant as a message.
    Noise,
    /// Meant as a message, and not one.
    Bad(&'static str),
}

/// Where the members of a message stand.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Envelope {
    pub(super) id: Option<Range<usize>>,
    pub(super) method: Option<Range<usize>>,
    pub(super) params: Option<Range<usize>>,
    pub(super) result: Option<Range<usize>>,
    pub(super) error: Option<Range<usize>>,
}

/// Says what a line is.
pub(super) fn shape(bytes: &[u8]) -> Shape {
    let mut scan = Scan { bytes, at: 0 };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        scan.at = 3;
    }
    scan.space();
    match scan.peek() {
        Some(b'{') => scan.envelope().map_or_else(Shape::Bad, Shape::Object),
        Some(b'[') => Shape::Batch,
        _ => Shape::Noise,
    }
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

const CUT: &str = "it is cut off";

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn envelope(&mut self) -> Result<Envelope, &'static str> {
        let mut found = Envelope::default();
        self.at += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                self.space();
                let name = self.string()?;
                self.space();
                if self.peek() != Some(b':') {
                    return Err("a colon is missing");
                }
                self.at += 1;
                self.space();
                let start = self.at;
                self.value()?;
                let value = start..self.at;
                let slot = match self.name(name)?.as_str() {
                    "id" => Some(&mut found.id),
                    "method" => Some(&mut found.method),
                    "params" => Some(&mut found.params),
                    "result" => Some(&mut found.result),
                    "error" => Some(&mut found.error),
                    _ => None,
                };
                if let Some(slot) = slot
                    && slot.replace(value).is_some()
                {
                    return Err("a member of its envelope stands twice");
                }
                self.space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => {
                        self.at += 1;
                        break;
                    }
                    None => return Err(CUT),
                    Some(_) => return Err("it is no JSON"),
                }
            }
        }
        self.space();
        if self.at < self.bytes.len() {
            return Err("something follows it on its line");
        }
        Ok(found)
    }

    /// The text of a member name.
    fn name(&self, at: Range<usize>) -> Result<String, &'static str> {
        let raw = &self.bytes[at];
        if raw.contains(&b'\\') {
            return serde_json::from_slice(raw).map_err(|_| "a member name is no string");
        }
        Ok(String::from_utf8_lossy(&raw[1..raw.len() - 1]).into_owned())
    }

    /// Goes past a string; where it stands, quotes included.
    fn string(&mut self) -> Result<Range<usize>, &'static str> {
        if self.peek() != Some(b'"') {
            return Err("a member name is missing");
        }
        let start = self.at;
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(found) = memchr2(b'"', b'\\', rest) else {
                return Err(CUT);
            };
            self.at += found + 1;
            if rest[found] == b'"' {
                return Ok(start..self.at);
            }
            // What is escaped ends no string.
            self.at += 1;
            if self.at > self.bytes.len() {
                return Err(CUT);
            }
        }
    }

    fn value(&mut self) -> Result<(), &'static str> {
        match self.peek() {
            None => Err(CUT),
            Some(b'"') => self.string().map(|_| ()),
            Some(b'{' | b'[') => self.container(),
            Some(_) => {
                let rest = &self.bytes[self.at..];
                let end = rest
                    .iter()
                    .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r'));
                self.at += end.unwrap_or(rest.len());
                Ok(())
            }
        }
    }

    fn container(&mut self) -> Result<(), &'static str> {
        let mut depth = 0usize;
        loop {
            let rest = &self.bytes[self.at..];
            let found = rest
                .iter()
                .position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
                .ok_or(CUT)?;
            self.at += found;
            match rest[found] {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                _ => {
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// What two ids have in common when some reader takes them for one: numbers count by their value,
/// and a string that spells a number counts as that number. None for `null` and what is no id.
pub(super) fn id_key(raw: &str) -> Option<String> {
    let raw = raw.trim();
    if raw.starts_with('"') {
        let text: String = serde_json::from_str(raw).ok()?;
        return Some(match as_number(text.trim()) {
            Some(key) => key,
            None => format!("s{text}"),
        });
    }
    as_number(raw)
}

fn as_number(text: &str) -> Option<String> {
    serde_json::from_str::<serde_json::Number>(text)
        .ok()
        .map(|_| format!("n{}", number::canonical(text)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> [Option<&str>; 5] {
        let Shape::Object(found) = shape(text.as_bytes()) else {
            panic!("{text}: {:?}", shape(text.as_bytes()));
        };
        [
            found.id,
            found.method,
            found.params,
            found.result,
            found.error,
        ]
        .map(|range| range.map(|range| &text[range]))
    }

    #[test]
    fn members_are_found_in_any_order_and_keep_their_bytes() {
        let text =
            r#" {"result": {"a":["}",{"b":"\""}], "id":7} ,"jsonrpc":"2.0", "i\u0064" : "x" } "#;
        assert_eq!(
            parts(text),
            [
                Some("\"x\""),
                None,
                None,
                Some(r#"{"a":["}",{"b":"\""}], "id":7}"#),
                None
            ]
        );
        assert_eq!(parts("{\"id\":1,\"result\":NaN}")[3], Some("NaN"));
        assert_eq!(parts("\u{feff}{}"), [None; 5]);
    }

    #[test]
    fn what_two_readers_could_take_for_two_messages_is_none() {
        for text in [
            r#"{"id":1,"id":2,"result":{}}"#,
            r#"{"id":1,"\u0069d":2,"result":{}}"#,
            r#"{"id":1,"result":{}"#,
            r#"{"id":1,"result":{}} {"id":2}"#,
            r#"{"id":1,"result":"x}"#,
            r#"{"id":1 "result":{}}"#,
            r#"{"id":"\"#,
        ] {
            assert!(matches!(shape(text.as_bytes()), Shape::Bad(_)), "{text}");
        }
        assert_eq!(shape(b"listening on stdio"), Shape::Noise);
        assert_eq!(shape(b" [1]"), Shape::Batch);
    }

    #[test]
    fn ids_that_some_client_takes_for_one_have_one_key() {
        for raw in ["5", "5.0", "\"5\"", "\" 5 \"", "50e-1"] {
            assert_eq!(id_key(raw).as_deref(), Some("n5"), "{raw}");
        }
        assert_eq!(id_key("\"a\"").as_deref(), Some("sa"));
        assert_eq!(id_key("\"\\u0061\"").as_deref(), Some("sa"));
        assert_ne!(id_key("9007199254740992"), id_key("9007199254740993"));
        for raw in ["null", "true", "{}", "[1]", "0x5"] {
            assert_eq!(id_key(raw), None, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_server_sends_is_scanned_without_a_panic(text in r#"[{}\[\]",:\\ a1]{0,40}"#) {
            let _ = shape(text.as_bytes());
        }
    }
}
