//! A strict RFC 8259 parser that keeps what other parsers lose, and says where.
//!
//! Iterative, so that depth costs memory of our own choosing and never the stack.

use std::collections::HashSet;

use crate::json::scan::{Scanner, Step};
use crate::json::{Object, Pointer, SyntaxError, Value};

/// Bounds on one document.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How deep arrays and objects may nest; below that a value reads as `null` and is a defect.
    ///
    /// Trees are walked and dropped recursively, so this also bounds the use of the stack: keep it
    /// below about a thousand.
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
    /// Not JSON at all: the tree is `null`. [`parse`] gives an error instead; this is for an item
    /// that has to stay in its list all the same.
    NotJson,
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
    /// The oddities, in order of their offset; empty for a sound document. The first 64 are kept,
    /// fewer where their pointers are long: one already makes a document unsound.
    pub defects: Vec<Defect>,
}

impl Document {
    /// The tree, if nothing is odd about it: only then has it a canonical form.
    pub fn sound(&self) -> Option<&Value> {
        self.defects.is_empty().then_some(&self.value)
    }
}

/// Parses one JSON text (RFC 8259). A byte order mark is not part of JSON: the caller strips it
/// with [`crate::json::without_bom`].
pub fn parse(text: &[u8], limits: &Limits) -> Result<Document, SyntaxError> {
    let mut parser = Parser {
        scanner: Scanner::new(text, 0),
        defects: Vec::new(),
        pointer_bytes: 0,
        stack: Vec::new(),
        depth: limits.depth,
    };
    match parser.document() {
        Ok(value) => Ok(Document {
            value,
            defects: parser.defects,
        }),
        Err(message) => Err(SyntaxError::at(text, parser.scanner.at, message)),
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

/// Exponents of more digits than this are a defect; `i64` holds all shorter ones.
const EXPONENT_DIGITS: usize = 17;

/// How many defects are recorded, and how long their pointers may grow together: hostile text can
/// hold a defect every few bytes, each with a pointer of megabytes.
const DEFECTS_KEPT: usize = 64;
const POINTER_BYTES_KEPT: usize = 1 << 20;

struct Parser<'t> {
    scanner: Scanner<'t>,
    defects: Vec<Defect>,
    pointer_bytes: usize,
    stack: Vec<Frame>,
    depth: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Step<Value> {
        let mut value = self.open_or_scalar()?;
        loop {
            // `value` is complete: hand it to the innermost container, and close what ends.
            if let Some(done) = value.take() {
                match self.stack.last_mut() {
                    None => {
                        self.scanner.space();
                        return if self.scanner.peek().is_none() {
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
        self.scanner.space();
        let object = matches!(self.stack.last(), Some(Frame::Object { .. }));
        if !self.scanner.more(object)? {
            return Ok(Some(self.close()));
        }
        if object {
            self.key()?;
        }
        Ok(None)
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
        self.scanner.space();
        let offset = self.scanner.at;
        let value = match self.scanner.peek() {
            Some(b'{' | b'[') if self.stack.len() >= self.depth => {
                self.defect(DefectKind::TooDeep, offset);
                self.scanner.skip_value()?;
                Value::Null
            }
            Some(b'[') => {
                self.scanner.at += 1;
                self.scanner.space();
                if !self.scanner.eat(b']') {
                    self.stack.push(Frame::Array(Vec::new()));
                    return Ok(None);
                }
                Value::Array(Vec::new())
            }
            Some(b'{') => {
                self.scanner.at += 1;
                self.scanner.space();
                if !self.scanner.eat(b'}') {
                    self.stack.push(Frame::Object {
                        members: Vec::new(),
                        seen: None,
                        key: String::new(),
                    });
                    self.key()?;
                    return Ok(None);
                }
                Value::Object(Object::default())
            }
            Some(b'"') => {
                let (text, lone) = self.scanner.string()?;
                if lone {
                    self.defect(DefectKind::LoneSurrogate, offset);
                }
                Value::String(text)
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.scanner.number()?;
                if exponent_digits(number.as_str()) > EXPONENT_DIGITS {
                    self.defect(DefectKind::ExponentTooLarge, offset);
                }
                Value::Number(number)
            }
            Some(b't') => self.scanner.word("true", Value::Bool(true))?,
            Some(b'f') => self.scanner.word("false", Value::Bool(false))?,
            Some(b'n') => self.scanner.word("null", Value::Null)?,
            None => return Err("unexpected end"),
            Some(_) => return Err("expected a value"),
        };
        Ok(Some(value))
    }

    /// Reads `"name" :` of the innermost object.
    fn key(&mut self) -> Step<()> {
        self.scanner.space();
        let offset = self.scanner.at;
        let (name, lone) = self.scanner.member_name()?;
        let mut duplicate = false;
        if let Some(Frame::Object { members, seen, key }) = self.stack.last_mut() {
            duplicate = match seen {
                Some(seen) => seen.contains(&name),
                None => members.iter().any(|(k, _)| *k == name),
            };
            *key = name;
        }
        // Names with different halves read alike here: they are lone, not known to be duplicates.
        if lone {
            self.defect(DefectKind::LoneSurrogate, offset);
        } else if duplicate {
            self.defect(DefectKind::DuplicateKey, offset);
        }
        Ok(())
    }

    /// Records a defect of the value or member that is being read.
    fn defect(&mut self, kind: DefectKind, offset: usize) {
        if self.defects.len() >= DEFECTS_KEPT || self.pointer_bytes > POINTER_BYTES_KEPT {
            return;
        }
        let mut pointer = Pointer::root();
        for frame in &self.stack {
            match frame {
                Frame::Array(items) => pointer.push_index(items.len()),
                Frame::Object { key, .. } => pointer.push_key(key),
            }
        }
        self.pointer_bytes += pointer.as_str().len();
        self.defects.push(Defect {
            kind,
            pointer,
            offset,
        });
    }
}

#[cfg(test)]
mod tests;
