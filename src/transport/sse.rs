//! Server-sent events out of a byte stream, in whatever pieces it comes.
//!
//! Pure. As the HTML standard has it (section "Server-sent events"), except that an event whose
//! data is empty is passed over, since it can hold no message. What is kept is bounded.

use std::time::Duration;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name; empty when the stream gives none, which means `message`.
    pub(super) name: String,
    /// Its data, never empty, the lines joined with line feeds.
    pub(super) data: Vec<u8>,
}

/// The event that comes now is larger than the limit; nothing more can be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Reads events from chunks.
#[derive(Debug)]
pub(super) struct Events {
    /// Bytes that one event may have, its name and the line that is being read included.
    limit: usize,
    line: Vec<u8>,
    /// Lines are what comes; the first may begin with a byte order mark.
    first: bool,
    /// The last byte was a carriage return, which ended a line: a line feed now is part of that.
    returned: bool,
    /// The line that is being read is a comment, and its bytes are dropped.
    comment: bool,
    name: String,
    /// The data so far, with a line feed after each line.
    data: Vec<u8>,
    /// The id that the stream gave last, and that of the last event that ended.
    id: Vec<u8>,
    last_id: Vec<u8>,
    /// How long to wait before the stream is taken up again.
    retry: Option<Duration>,
}

const BOM: &[u8] = b"\xef\xbb\xbf";
/// A buffer larger than this is given back once it is empty.
const KEPT: usize = 64 << 10;
/// An id longer than this is none that a header could carry back.
const LONGEST_ID: usize = 1 << 10;

impl Events {
    pub(super) fn new(limit: usize) -> Self {
        Events {
            limit,
            line: Vec::new(),
            first: true,
            returned: false,
            comment: false,
            name: String::new(),
            data: Vec::new(),
            id: Vec::new(),
            last_id: Vec::new(),
            retry: None,
        }
    }

    /// The id of the last event that came whole (its data may be empty), from which the stream can
    /// be taken up again; none when the stream gives no ids.
    pub(super) fn last_id(&self) -> Option<&[u8]> {
        (!self.last_id.is_empty()).then_some(&*self.last_id)
    }

    /// How long the stream asks to wait before it is taken up again.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Takes the next bytes of the stream; the events that they complete.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        while !bytes.is_empty() {
            if std::mem::take(&mut self.returned) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|&b| b == b'\n' || b == b'\r');
            self.extend(&bytes[..end.unwrap_or(bytes.len())])?;
            let Some(end) = end else { break };
            self.returned = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.line_ends());
        }
        Ok(events)
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.line.is_empty() && bytes.first() == Some(&b':') {
            self.comment = true;
        }
        if self.comment {
            return Ok(());
        }
        let kept = self.line.len() + self.data.len() + self.name.len();
        // The name of the field and the space after it do not count.
        if kept + bytes.len() > self.limit + b"data: ".len() {
            self.line = Vec::new();
            self.data = Vec::new();
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line_ends(&mut self) -> Option<Event> {
        let first = std::mem::take(&mut self.first);
        if std::mem::take(&mut self.comment) {
            return None;
        }
        let line = std::mem::take(&mut self.line);
        let text = match line.strip_prefix(BOM) {
            Some(rest) if first => rest,
            _ => &line,
        };
        if text.is_empty() {
            return self.event_ends();
        }
        let (field, value) = match text.iter().position(|&b| b == b':') {
            Some(colon) => (&text[..colon], &text[colon + 1..]),
            None => (text, &text[text.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            b"id" if value.len() <= LONGEST_ID && !value.contains(&0) => {
                self.id = value.to_vec();
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let text = String::from_utf8_lossy(value);
                // A number beyond all numbers is a wait beyond all waits.
                let wait = text.parse().unwrap_or(u64::MAX);
                self.retry = Some(Duration::from_millis(wait));
            }
            _ => {}
        }
        if line.capacity() <= KEPT {
            self.line = line;
            self.line.clear();
        }
        None
    }

    fn event_ends(&mut self) -> Option<Event> {
        self.last_id.clone_from(&self.id);
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        data.pop();
        (!data.is_empty()).then_some(Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(stream: &[u8]) -> Vec<(String, String)> {
        pieces(stream, stream.len().max(1))
    }

    fn pieces(stream: &[u8], size: usize) -> Vec<(String, String)> {
        let mut events = Events::new(1 << 20);
        let found = stream
            .chunks(size)
            .flat_map(|chunk| events.take(chunk).unwrap());
        found
            .map(|event| (event.name, String::from_utf8(event.data).unwrap()))
            .collect()
    }

    fn messages(texts: &[&str]) -> Vec<(String, String)> {
        texts
            .iter()
            .map(|text| (String::new(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn all_three_line_ends_are_the_same() {
        let stream = "event: message\ndata: {\"a\":\ndata: 1}\n\n: note\ndata:x\n\n";
        let expected = [
            ("message".to_owned(), "{\"a\":\n1}".to_owned()),
            (String::new(), "x".to_owned()),
        ];
        for end in ["\n", "\r\n", "\r"] {
            assert_eq!(whole(stream.replace('\n', end).as_bytes()), expected);
        }
    }

    #[test]
    fn a_byte_order_mark_counts_for_nothing_at_the_head_and_for_text_elsewhere() {
        assert_eq!(whole("\u{feff}data: x\n\n".as_bytes()), messages(&["x"]));
        assert_eq!(
            whole("\u{feff}:c\n\u{feff}data: x\n\n".as_bytes()),
            messages(&[])
        );
    }

    #[test]
    fn events_without_data_say_nothing_and_lend_their_name_to_no_other() {
        let stream =
            b"id: 1\ndata: \n\nevent: ping\n\ndata\n\n: c\n\nretry: 10\nfoo: y\ndata: x\n\n";
        assert_eq!(whole(stream), messages(&["x"]));
    }

    #[test]
    fn an_id_counts_once_its_event_has_ended_and_a_wait_at_once() {
        let mut events = Events::new(1 << 20);
        let mut after = |bytes: &[u8]| {
            events.take(bytes).unwrap();
            let id = events
                .last_id()
                .map(|id| String::from_utf8_lossy(id).into_owned());
            (id, events.retry().map(|wait| wait.as_millis()))
        };
        let id = |id: &str| Some(id.to_owned());
        assert_eq!(after(b"data: x\n\n"), (None, None));
        assert_eq!(after(b"id: a-1\nretry: 250\ndata: \n"), (None, Some(250)));
        assert_eq!(after(b"\n"), (id("a-1"), Some(250)));
        assert_eq!(
            after(b"id: b\0\nretry: -1\nretry: 1.5\n\n"),
            (id("a-1"), Some(250))
        );
        assert_eq!(after(b"data: y\n\n"), (id("a-1"), Some(250)));
        assert_eq!(after(b"id: cut\ndata: z"), (id("a-1"), Some(250)));
        let long = [b"\n\nid: ".to_vec(), vec![b'x'; 2000], b"\n\n".to_vec()].concat();
        assert_eq!(after(&long), (id("cut"), Some(250)));
        assert_eq!(after(b"id\n\n"), (None, Some(250)));
    }

    #[test]
    fn only_one_space_is_cut_and_only_a_blank_line_ends_an_event() {
        assert_eq!(whole(b"data:  x\n\ndata: cut\n"), messages(&[" x"]));
    }

    #[test]
    fn what_is_too_large_is_given_up_however_it_is_spread() {
        let stream = [&b"data: "[..], &[b'x'; 100], b"\n\n"].concat();
        assert_eq!(Events::new(100).take(&stream).map(|e| e.len()), Ok(1));
        assert_eq!(Events::new(99).take(&stream), Err(TooLarge));
        let lines = b"data: xxxxx\n".repeat(100);
        assert_eq!(Events::new(300).take(&lines), Err(TooLarge));
        let mut events = Events::new(10);
        for _ in 0..100 {
            assert_eq!(events.take(b": a comment costs nothing"), Ok(Vec::new()));
        }
    }

    proptest! {
        #[test]
        fn the_pieces_in_which_a_stream_comes_change_nothing(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("\r\n"), Just("\n"), Just("\r"), Just("data: "), Just("data"), Just(":"),
                    Just("event: e"), Just("€😀"), Just("\u{feff}"), Just("x"), Just("\n\n"),
                ],
                0..40,
            ),
            size in 1_usize..7,
        ) {
            let stream = parts.concat();
            prop_assert_eq!(pieces(stream.as_bytes(), size), whole(stream.as_bytes()));
        }

        #[test]
        fn a_text_goes_through_as_the_lines_that_it_has(text in "[a-z€😀 :]{0,20}(\n[a-z: ]{0,9}){0,3}") {
            let stream = format!("data: {}\n\n", text.replace('\n', "\ndata: "));
            let expected = if text.is_empty() { messages(&[]) } else { messages(&[&text]) };
            prop_assert_eq!(whole(stream.as_bytes()), expected);
        }

        #[test]
        fn no_bytes_make_it_panic_or_keep_more_than_the_limit(
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
        ) {
            let mut events = Events::new(64);
            for chunk in bytes.chunks(9) {
                if events.take(chunk).is_err() {
                    break;
                }
                prop_assert!(events.line.len() + events.data.len() <= 64 + 8);
            }
        }
    }
}
