//! A strict RFC 8259 parser that keeps what other parsers lose, and says where.
//!
//! Iterative, so that depth costs memory of our own choosing and never the stack.

use std::collections::HashSet;
use std::fmt;

use super::{Number, Object, Pointer, Value};

/// Bounds on one document.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How deep arrays and objects may nest; below that a value reads as `null` and is a defect.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 128 }
    }
}

/// What is odd about a document that is JSON all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DefectKind {
    /// An object has two members with one name (compared after unescaping).
    DuplicateKey,
    /// A string holds half a surrogate pair (`\ud800` alone), which no Unicode text can hold.
    LoneSurrogate,
    /// Nested deeper than the limit.
    TooDeep,
    /// A number with an exponent of more than 17 digits, which nothing can compare exactly.
    ExponentTooLarge,
}

/// One oddity and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// What it is.
    pub kind: DefectKind,
    /// The member or value concerned.
    pub pointer: Pointer,
    /// Byte offset in the text.
    pub offset: usize,
}

/// A parsed text: its tree and what is odd about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The tree. Where there are defects, it is for naming and showing, never for digests.
    pub value: Value,
    /// The oddities, in order of their offset; empty for a sound document.
    pub defects: Vec<Defect>,
}

impl Document {
    /// The tree, if nothing is odd about it: only then has it a canonical form.
    pub fn sound(&self) -> Option<&Value> {
        self.defects.is_empty().then_some(&self.value)
    }
}

/// Text that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What was met, as a fragment ("unexpected end", "control character in a string" …).
    pub message: &'static str,
    /// Byte offset in the text.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters (bytes where the line is not UTF-8).
    pub column: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at line {}, column {}",
            self.message, self.line, self.column
        )
    }
}

impl std::error::Error for SyntaxError {}

/// Parses one JSON text (RFC 8259). A byte order mark is not part of JSON: the caller strips it.
pub fn parse(text: &[u8], limits: &Limits) -> Result<Document, SyntaxError> {
    let mut parser = Parser {
        text,
        at: 0,
        defects: Vec::new(),
        stack: Vec::new(),
        limits: *limits,
    };
    match parser.document() {
        Ok(value) => Ok(Document {
            value,
            defects: parser.defects,
        }),
        Err(message) => Err(place(text, parser.at, message)),
    }
}

fn place(text: &[u8], offset: usize, message: &'static str) -> SyntaxError {
    let before = &text[..offset.min(text.len())];
    let line_start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let tail = &before[line_start..];
    SyntaxError {
        message,
        offset,
        line: before.iter().filter(|&&b| b == b'\n').count() + 1,
        column: std::str::from_utf8(tail).map_or(tail.len(), |s| s.chars().count()) + 1,
    }
}

/// How many significant digits the exponent of a number token has.
fn exponent_digits(token: &str) -> usize {
    let Some(i) = token.find(['e', 'E']) else {
        return 0;
    };
    token[i + 1..]
        .trim_start_matches(['+', '-'])
        .trim_start_matches('0')
        .len()
}

/// A container that is open while its contents are read.
enum Frame {
    Array(Vec<Value>),
    Object {
        members: Vec<(String, Value)>,
        seen: Option<HashSet<String>>,
        key: String,
    },
}

/// Objects up to this size look for duplicates by scanning, larger ones with a set.
const SCAN_LIMIT: usize = 16;

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    defects: Vec<Defect>,
    stack: Vec<Frame>,
    limits: Limits,
}

type Step<T> = Result<T, &'static str>;

impl Parser<'_> {
    fn document(&mut self) -> Step<Value> {
        let mut value = self.open_or_scalar()?;
        loop {
            // `value` is complete: hand it to the innermost container, and close what ends.
            if let Some(done) = value.take() {
                match self.stack.last_mut() {
                    None => {
                        self.space();
                        return if self.at == self.text.len() {
                            Ok(done)
                        } else {
                            Err("text after the end of the value")
                        };
                    }
                    Some(Frame::Array(items)) => items.push(done),
                    Some(Frame::Object { members, seen, key }) => {
                        let key = std::mem::take(key);
                        if let Some(seen) = seen {
                            seen.insert(key.clone());
                        } else if members.len() == SCAN_LIMIT {
                            let mut set: HashSet<String> =
                                members.iter().map(|(k, _)| k.clone()).collect();
                            set.insert(key.clone());
                            *seen = Some(set);
                        }
                        members.push((key, done));
                    }
                }
                value = self.separator()?;
            } else {
                value = self.open_or_scalar()?;
            }
        }
    }

    /// After a value inside a container: a comma and the next key, or the end of the container.
    fn separator(&mut self) -> Step<Option<Value>> {
        self.space();
        let in_array = matches!(self.stack.last(), Some(Frame::Array(_)));
        match (self.peek(), in_array) {
            (Some(b','), true) => {
                self.at += 1;
                Ok(None)
            }
            (Some(b','), false) => {
                self.at += 1;
                self.space();
                self.key()?;
                Ok(None)
            }
            (Some(b']'), true) | (Some(b'}'), false) => {
                self.at += 1;
                Ok(Some(self.close()))
            }
            (None, _) => Err("unexpected end"),
            (_, true) => Err("expected `,` or `]`"),
            (_, false) => Err("expected `,` or `}`"),
        }
    }

    fn close(&mut self) -> Value {
        match self.stack.pop() {
            Some(Frame::Array(items)) => Value::Array(items),
            Some(Frame::Object { members, .. }) => Value::Object(Object::new(members)),
            None => Value::Null,
        }
    }

    /// Reads a scalar, or opens a container; `None` means that a value inside it comes next.
    fn open_or_scalar(&mut self) -> Step<Option<Value>> {
        self.space();
        match self.peek() {
            Some(b'{' | b'[') if self.stack.len() >= self.limits.depth => {
                let offset = self.at;
                self.defect(DefectKind::TooDeep, self.pointer(), offset);
                self.skip_container()?;
                Ok(Some(Value::Null))
            }
            Some(b'[') => {
                self.at += 1;
                self.space();
                if self.peek() == Some(b']') {
                    self.at += 1;
                    return Ok(Some(Value::Array(Vec::new())));
                }
                self.stack.push(Frame::Array(Vec::new()));
                Ok(None)
            }
            Some(b'{') => {
                self.at += 1;
                self.space();
                if self.peek() == Some(b'}') {
                    self.at += 1;
                    return Ok(Some(Value::Object(Object::default())));
                }
                self.stack.push(Frame::Object {
                    members: Vec::new(),
                    seen: None,
                    key: String::new(),
                });
                self.key()?;
                Ok(None)
            }
            Some(b'"') => {
                let offset = self.at;
                let (text, lone) = self.string()?;
                if lone {
                    self.defect(DefectKind::LoneSurrogate, self.pointer(), offset);
                }
                Ok(Some(Value::String(text)))
            }
            Some(b'-' | b'0'..=b'9') => {
                let offset = self.at;
                let number = self.number()?;
                if exponent_digits(number.as_str()) > 17 {
                    self.defect(DefectKind::ExponentTooLarge, self.pointer(), offset);
                }
                Ok(Some(Value::Number(number)))
            }
            Some(b't') => self.word("true", Value::Bool(true)).map(Some),
            Some(b'f') => self.word("false", Value::Bool(false)).map(Some),
            Some(b'n') => self.word("null", Value::Null).map(Some),
            None => Err("unexpected end"),
            Some(_) => Err("expected a value"),
        }
    }

    /// Reads `"name" :` of the innermost object.
    fn key(&mut self) -> Step<()> {
        let offset = self.at;
        if self.peek() != Some(b'"') {
            return Err(if self.peek().is_none() {
                "unexpected end"
            } else {
                "expected a member name in double quotes"
            });
        }
        let (name, lone) = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err("expected `:`");
        }
        self.at += 1;
        let mut duplicate = false;
        if let Some(Frame::Object { members, seen, key }) = self.stack.last_mut() {
            duplicate = match seen {
                Some(seen) => seen.contains(&name),
                None => members.iter().any(|(k, _)| *k == name),
            };
            *key = name;
        }
        if lone {
            self.defect(DefectKind::LoneSurrogate, self.pointer(), offset);
        }
        if duplicate {
            self.defect(DefectKind::DuplicateKey, self.pointer(), offset);
        }
        Ok(())
    }

    fn defect(&mut self, kind: DefectKind, pointer: Pointer, offset: usize) {
        self.defects.push(Defect {
            kind,
            pointer,
            offset,
        });
    }

    /// Where the parser stands, from the open containers.
    fn pointer(&self) -> Pointer {
        self.stack
            .iter()
            .fold(Pointer::root(), |at, frame| match frame {
                Frame::Array(items) => at.index(items.len()),
                Frame::Object { key, .. } => at.key(key),
            })
    }

    /// Skips a container below the depth limit, still checking that it is JSON.
    fn skip_container(&mut self) -> Step<()> {
        // One bit per level is enough: which bracket closes it.
        let mut open: Vec<bool> = Vec::new();
        let mut expect_value = true;
        loop {
            self.space();
            if expect_value {
                match self.peek() {
                    Some(c @ (b'[' | b'{')) => {
                        let object = c == b'{';
                        self.at += 1;
                        self.space();
                        let end = if object { b'}' } else { b']' };
                        if self.peek() == Some(end) {
                            self.at += 1;
                            expect_value = false;
                        } else {
                            open.push(object);
                            if object {
                                self.skip_key()?;
                            }
                        }
                    }
                    Some(b'"') => {
                        self.string()?;
                        expect_value = false;
                    }
                    Some(b'-' | b'0'..=b'9') => {
                        self.number()?;
                        expect_value = false;
                    }
                    Some(b't') => expect_value = self.word("true", false)?,
                    Some(b'f') => expect_value = self.word("false", false)?,
                    Some(b'n') => expect_value = self.word("null", false)?,
                    None => return Err("unexpected end"),
                    Some(_) => return Err("expected a value"),
                }
            } else {
                match (self.peek(), open.last().copied()) {
                    (Some(b','), Some(object)) => {
                        self.at += 1;
                        if object {
                            self.space();
                            self.skip_key()?;
                        }
                        expect_value = true;
                    }
                    (Some(b']'), Some(false)) | (Some(b'}'), Some(true)) => {
                        self.at += 1;
                        open.pop();
                    }
                    (None, _) => return Err("unexpected end"),
                    _ => return Err("expected `,` or the end of the container"),
                }
            }
            if !expect_value && open.is_empty() {
                return Ok(());
            }
        }
    }

    fn skip_key(&mut self) -> Step<()> {
        if self.peek() != Some(b'"') {
            return Err("expected a member name in double quotes");
        }
        self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err("expected `:`");
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn word<T>(&mut self, word: &str, value: T) -> Step<T> {
        if self.text[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err("expected a value")
        }
    }

    fn digits(&mut self) -> Step<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            Err("expected a digit")
        } else {
            Ok(())
        }
    }

    fn number(&mut self) -> Step<Number> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err("a number can't begin with 0");
            }
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        std::str::from_utf8(&self.text[start..self.at])
            .map(Number::new)
            .map_err(|_| "invalid UTF-8")
    }

    /// Reads a string; the flag tells whether it held a lone surrogate.
    fn string(&mut self) -> Step<(String, bool)> {
        self.at += 1;
        let mut text = String::new();
        let mut lone = false;
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            match std::str::from_utf8(&self.text[start..self.at]) {
                Ok(run) => text.push_str(run),
                Err(error) => {
                    self.at = start + error.valid_up_to();
                    return Err("invalid UTF-8");
                }
            }
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((text, lone));
                }
                Some(b'\\') => {
                    self.at += 1;
                    lone |= self.escape(&mut text)?;
                }
                None => return Err("unexpected end inside a string"),
                Some(_) => return Err("control character in a string"),
            }
        }
    }

    /// Reads what follows a backslash; true for a lone surrogate.
    fn escape(&mut self, text: &mut String) -> Step<bool> {
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(text);
            }
            _ => return Err("unknown escape"),
        };
        self.at += 1;
        text.push(c);
        Ok(false)
    }

    fn unicode_escape(&mut self, text: &mut String) -> Step<bool> {
        let unit = self.hex4()?;
        if !(0xd800..0xe000).contains(&unit) {
            text.push(char::from_u32(unit).unwrap_or('\u{fffd}'));
            return Ok(false);
        }
        if unit < 0xdc00 && self.text[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                let c = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                text.push(char::from_u32(c).unwrap_or('\u{fffd}'));
                return Ok(false);
            }
            // Not a low half: leave it to be read as an escape of its own.
            self.at = back;
        }
        text.push('\u{fffd}');
        Ok(true)
    }

    fn hex4(&mut self) -> Step<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(c) => (c as char).to_digit(16).ok_or("expected four hex digits")?,
                None => return Err("unexpected end inside a string"),
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}
