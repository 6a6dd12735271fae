//! JSON-RPC 2.0 messages as they arrive: what a line is, and the parts of a message as raw bytes.
//!
//! Pure. Says what a message is, never what to do about it.

use serde_json::value::RawValue;

use super::members::{Unreadable, elements, members};
use crate::json;

/// How many messages one batch may hold.
const BATCH: usize = 1_000;
/// How long an id may be; ours are short numbers.
const ID_BYTES: usize = 1 << 10;
/// How many elements of a list of revisions are read.
const TEXTS: usize = 100;

/// What a line of output is.
#[derive(Debug)]
pub(super) enum Line<'t> {
    /// One message.
    Message(Message<'t>),
    /// An array of messages (2025-03-26 only, but every revision meets it).
    Batch(Vec<Message<'t>>),
    /// Not meant as a message: a log line, a banner.
    Noise,
    /// Meant as a message and not one.
    Bad(Bad),
}

/// A message that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bad {
    /// Why, as a fragment.
    pub(super) why: String,
    /// Byte offset in the line, where there is a place.
    pub(super) offset: Option<usize>,
}

impl Bad {
    fn new(why: impl Into<String>) -> Self {
        Bad {
            why: why.into(),
            offset: None,
        }
    }
}

/// A message, its parts as sent.
#[derive(Debug)]
pub(super) enum Message<'t> {
    /// It wants a reply.
    Request {
        /// Its id, to be sent back as it is.
        id: &'t RawValue,
        /// Its method, unescaped.
        method: String,
    },
    /// It wants none.
    Notification {
        /// Its method, unescaped.
        method: String,
    },
    /// It answers a request.
    Reply {
        /// The id as sent; none when it is absent or `null`.
        id: Option<&'t RawValue>,
        /// What it says.
        outcome: Outcome<'t>,
        /// Whether it says `"jsonrpc": "2.0"`.
        versioned: bool,
    },
}

/// What a reply says.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome<'t> {
    /// `result`
    Result(&'t RawValue),
    /// `error`
    Error(&'t RawValue),
}

impl Message<'_> {
    /// The id of a reply, when it is one that mcplock could have sent: a whole number, however it
    /// is written (`2`, `2.0`, `2e0`). JSON has one kind of number, and servers whose language has
    /// two may send back the other.
    pub(super) fn number(id: &RawValue) -> Option<u64> {
        let token = id.get();
        let of_a_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        if !token.bytes().all(of_a_number) {
            return None;
        }
        let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent: i64 = exponent.parse().ok()?;
        let point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
        let point = usize::try_from(point)
            .ok()
            .filter(|&point| point <= ID_BYTES)?;
        let digits = format!("{whole}{fraction}");
        let (before, behind) = digits.split_at(point.min(digits.len()));
        if behind.bytes().any(|digit| digit != b'0') {
            return None;
        }
        format!("{before:0<point$}").parse().ok()
    }
}

/// Says what a line is. Only a line that begins like an object can be a bad message: everything
/// else that is not JSON is noise.
pub(super) fn classify(bytes: &[u8]) -> Line<'_> {
    let object = bytes.first() == Some(&b'{');
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if object => {
            return Line::Bad(Bad {
                why: "invalid UTF-8".to_owned(),
                offset: Some(error.valid_up_to()),
            });
        }
        Err(_) => return Line::Noise,
    };
    if object {
        return message(text)
            .map_or_else(Line::Bad, |found| found.map_or(Line::Noise, Line::Message));
    }
    if bytes.first() == Some(&b'[') {
        return batch(text);
    }
    Line::Noise
}

fn batch(text: &str) -> Line<'_> {
    let Some((found, more)) = elements(text, BATCH) else {
        return Line::Noise;
    };
    if found.is_empty() || !found.iter().all(|element| element.get().starts_with('{')) {
        return Line::Noise;
    }
    if more {
        return Line::Bad(Bad::new(format!("a batch of more than {BATCH} messages")));
    }
    let mut messages = Vec::with_capacity(found.len());
    for element in found {
        match message(element.get()) {
            Ok(Some(message)) => messages.push(message),
            Ok(None) => return Line::Noise,
            Err(bad) => return Line::Bad(bad),
        }
    }
    Line::Batch(messages)
}

/// Reads one object; `None` when it is JSON but not JSON-RPC, e.g. a structured log line.
fn message(text: &str) -> Result<Option<Message<'_>>, Bad> {
    let names = ["jsonrpc", "id", "method", "result", "error"];
    let [version, id, method, result, error] = match members(text, names) {
        Ok(found) => found,
        Err(Unreadable::Twice(name)) => {
            return Err(Bad::new(format!("the member `{name}` stands twice")));
        }
        Err(Unreadable::NotAnObject | Unreadable::NotJson) => return Err(syntax(text)),
    };
    let versioned = version.is_some_and(|version| version.get() == "\"2.0\"");
    let present = |value: Option<&'_ RawValue>| value.is_some_and(|value| value.get() != "null");
    if version.is_none() && !(present(id) && (result.is_some() || present(error))) {
        return Ok(None);
    }
    if id.is_some_and(|id| id.get().len() > ID_BYTES) {
        return Err(Bad::new(format!("an id of more than {ID_BYTES} bytes")));
    }
    if id.is_some_and(|id| id.get().starts_with(['{', '[', 't', 'f'])) {
        return Err(Bad::new("an id that is neither a number nor a string"));
    }
    if let Some(method) = method {
        if result.is_some() || error.is_some() {
            return Err(Bad::new("both a request and a reply"));
        }
        let Ok(method) = serde_json::from_str(method.get()) else {
            return Err(Bad::new("a method that is no string"));
        };
        return Ok(Some(match id {
            Some(id) if id.get() != "null" => Message::Request { id, method },
            _ => Message::Notification { method },
        }));
    }
    // `"error": null` beside a result is what JSON-RPC 1.0 asked for; it says nothing.
    let outcome = match (result, error.filter(|_| present(error))) {
        (Some(_), Some(_)) => return Err(Bad::new("a reply with both a result and an error")),
        (Some(result), None) => Outcome::Result(result),
        (None, Some(error)) => Outcome::Error(error),
        (None, None) => return Err(Bad::new("neither a request nor a reply")),
    };
    Ok(Some(Message::Reply {
        id: id.filter(|_| present(id)),
        outcome,
        versioned,
    }))
}

/// Where an object stops being JSON. The lossless parser says it better than `serde_json`, whose
/// messages may hold pieces of the text.
fn syntax(text: &str) -> Bad {
    match json::parse(text.as_bytes(), &json::Limits::default()) {
        Err(error) => Bad {
            why: error.message.to_owned(),
            offset: Some(error.offset),
        },
        // A member name with half a surrogate pair, which no reader could tell apart.
        Ok(document) => Bad {
            why: "a member name that is not Unicode".to_owned(),
            offset: document.defects.first().map(|defect| defect.offset),
        },
    }
}

/// An error that a server replied with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RpcError {
    /// The code; none when it is no integer.
    pub(crate) code: Option<i64>,
    /// The message; empty when it is no string.
    pub(crate) message: String,
    /// `data.supported` of an error that names the revisions of the server.
    pub(crate) supported: Vec<String>,
}

impl RpcError {
    /// The method is not known to the server.
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    /// The headers of a request contradict its body (2026-07-28).
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    /// The server needs a capability that was not declared (2026-07-28).
    pub(crate) const MISSING_CAPABILITY: i64 = -32021;
    /// The server does not speak the revision of the request (2026-07-28).
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

    /// Reads what it can of an error object.
    pub(super) fn read(error: &RawValue) -> RpcError {
        let [code, message, data] =
            members(error.get(), ["code", "message", "data"]).unwrap_or([None; 3]);
        let code = code.and_then(|code| code.get().parse().ok());
        let supported = data
            .filter(|_| code == Some(RpcError::UNSUPPORTED_VERSION))
            .and_then(|data| members(data.get(), ["supported"]).ok())
            .and_then(|[supported]| supported);
        RpcError {
            code,
            supported: supported.map(texts).unwrap_or_default(),
            message: message
                .and_then(|message| serde_json::from_str(message.get()).ok())
                .unwrap_or_default(),
        }
    }
}

/// The strings of an array; whatever else it holds is passed over.
pub(super) fn texts(array: &RawValue) -> Vec<String> {
    let (found, _) = elements(array.get(), TEXTS).unwrap_or_default();
    found
        .into_iter()
        .filter_map(|element| serde_json::from_str(element.get()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(line: &[u8]) -> Bad {
        match classify(line) {
            Line::Bad(bad) => bad,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn log_lines_are_noise_even_when_they_are_json() {
        for line in [
            &b"Demo server v1.2"[..],
            "✓ ready".as_bytes(),
            br#"{"level":"info","msg":"booted"}"#,
            br#"{"method":"GET","path":"/"}"#,
            b"-42",
            b"[12:00:01] handling tools/list",
            b"[]",
            b"[1,2]",
            b"\xff\xfe",
            b"\0",
            br#""{}""#,
        ] {
            assert!(matches!(classify(line), Line::Noise), "{line:?}");
        }
    }

    #[test]
    fn what_begins_like_an_object_and_is_no_json_is_bad_with_its_place() {
        let found = bad(br#"{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}"#);
        assert_eq!(found.offset, Some(38));
        assert_eq!(bad(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"res").offset, Some(28));
        assert_eq!(bad(b"{\"a\":\"\xff\"}").why, "invalid UTF-8");
        assert_eq!(bad(b"{\"a\":\"\xff\"}").offset, Some(6));
    }

    #[test]
    fn an_envelope_that_can_be_read_in_two_ways_is_bad() {
        for (line, why) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
                "`id` stands twice",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#,
                "`result` stands twice",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
                "both a result and an error",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#,
                "both a request and a reply",
            ),
            (r#"{"jsonrpc":"2.0","id":1}"#, "neither"),
            (r#"{"jsonrpc":"2.0","id":[1],"result":{}}"#, "an id that"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "no string"),
        ] {
            assert!(bad(line.as_bytes()).why.contains(why), "{line}");
        }
    }

    #[test]
    fn replies_without_a_version_and_with_a_null_error_are_understood() {
        let line = br#"{"id":1,"result":{},"error":null}"#;
        assert!(matches!(
            classify(line),
            Line::Message(Message::Reply {
                id: Some(_),
                outcome: Outcome::Result(_),
                versioned: false
            })
        ));
    }

    #[test]
    fn an_id_is_the_same_number_however_it_is_written() {
        let number = |text: &str| {
            let id = RawValue::from_string(text.to_owned()).unwrap();
            Message::number(&id)
        };
        for (text, meant) in [
            ("2", 2),
            ("2.0", 2),
            ("2e0", 2),
            ("20E-1", 2),
            ("0.2e+1", 2),
            ("2e1", 20),
            ("0", 0),
            ("18446744073709551615.000", u64::MAX),
        ] {
            assert_eq!(number(text), Some(meant), "{text}");
        }
        for text in [
            "2.5",
            "-2",
            "\"2\"",
            "\"\u{e4}\"",
            "2.00000000000000000001",
            "2e-1",
            "2e999999999999999999",
            "2e9223372036854775807",
            "1e-9223372036854775808",
            "18446744073709551616",
            "null",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn a_batch_is_its_messages() {
        let line = br#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{}}]"#;
        assert!(matches!(classify(line), Line::Batch(found) if found.len() == 2));
        let line = br#"[{"jsonrpc":"2.0","id":1,"id":1,"result":{}}]"#;
        assert!(matches!(classify(line), Line::Bad(_)));
    }

    #[test]
    fn an_error_object_is_read_as_far_as_it_goes() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let error = RpcError::read(&raw(r#"{"code":-32601,"message":"no"}"#));
        assert_eq!(error.code, Some(RpcError::METHOD_NOT_FOUND));
        assert_eq!(error.message, "no");
        let error = RpcError::read(&raw("\"oops\""));
        assert_eq!((error.code, error.message.as_str()), (None, ""));
        let error = RpcError::read(&raw(
            r#"{"code":-32022,"data":{"supported":["2026-07-28",7],"requested":"x"}}"#,
        ));
        assert_eq!(error.supported, ["2026-07-28"]);
    }
}
