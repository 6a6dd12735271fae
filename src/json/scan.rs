//! The tokens of JSON (RFC 8259), strictly: white space, words, numbers, strings.
//!
//! Builds no tree. [`Scanner::skip_value`] checks a whole value without keeping it.

use super::Number;

/// What scanning gives, or the fragment that says what is wrong at [`Scanner::at`].
pub(super) type Step<T> = Result<T, &'static str>;

/// A position in a text.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'t> {
    /// The text.
    pub(super) text: &'t [u8],
    /// Byte offset of what comes next.
    pub(super) at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t [u8], at: usize) -> Self {
        Scanner { text, at }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Goes past `byte`, if it comes next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Reads `word`, which means `value`.
    pub(super) fn word<T>(&mut self, word: &str, value: T) -> Step<T> {
        if self.text[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err("expected a value")
        }
    }

    /// Reads `"name" :` and the white space around; the flag tells of a lone surrogate in it.
    pub(super) fn member_name(&mut self) -> Step<(String, bool)> {
        let mut name = String::new();
        let lone = self.member_name_into(&mut name)?;
        Ok((name, lone))
    }

    fn member_name_into(&mut self, name: &mut String) -> Step<bool> {
        self.space();
        match self.peek() {
            Some(b'"') => {}
            None => return Err("unexpected end"),
            Some(_) => return Err("expected a member name in double quotes"),
        }
        let lone = self.string_into(name)?;
        self.space();
        if self.eat(b':') {
            Ok(lone)
        } else if self.peek().is_none() {
            Err("unexpected end")
        } else {
            Err("expected `:`")
        }
    }

    pub(super) fn number(&mut self) -> Step<Number> {
        let start = self.at;
        self.skip_number()?;
        std::str::from_utf8(&self.text[start..self.at])
            .map(Number::new)
            .map_err(|_| "invalid UTF-8")
    }

    fn skip_number(&mut self) -> Step<()> {
        self.eat(b'-');
        if self.eat(b'0') {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err("a number can't begin with 0");
            }
        } else {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
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

    /// Reads a string; the flag tells whether it held a lone surrogate.
    pub(super) fn string(&mut self) -> Step<(String, bool)> {
        let mut text = String::new();
        let lone = self.string_into(&mut text)?;
        Ok((text, lone))
    }

    fn string_into(&mut self, out: &mut String) -> Step<bool> {
        self.at += 1;
        let mut lone = false;
        loop {
            let rest = &self.text[self.at..];
            let run = rest
                .iter()
                .position(|&b| b == b'"' || b == b'\\' || b < 0x20)
                .unwrap_or(rest.len());
            match std::str::from_utf8(&rest[..run]) {
                Ok(text) => out.push_str(text),
                Err(error) => {
                    self.at += error.valid_up_to();
                    return Err("invalid UTF-8");
                }
            }
            self.at += run;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(lone);
                }
                Some(b'\\') => {
                    self.at += 1;
                    lone |= self.escape(out)?;
                }
                None => return Err("unexpected end inside a string"),
                Some(_) => return Err("control character in a string"),
            }
        }
    }

    /// Reads what follows a backslash; true for a lone surrogate.
    fn escape(&mut self, out: &mut String) -> Step<bool> {
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
                return self.unicode_escape(out);
            }
            None => return Err("unexpected end inside a string"),
            Some(_) => return Err("unknown escape"),
        };
        self.at += 1;
        out.push(c);
        Ok(false)
    }

    fn unicode_escape(&mut self, out: &mut String) -> Step<bool> {
        let unit = self.hex4()?;
        if let Some(c) = char::from_u32(unit) {
            out.push(c);
            return Ok(false);
        }
        // `unit` is half a pair.
        if unit < 0xdc00 && self.text[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low)
                && let Some(c) = char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
            {
                out.push(c);
                return Ok(false);
            }
            // Not a low half: leave it to be read as an escape of its own.
            self.at = back;
        }
        out.push(char::REPLACEMENT_CHARACTER);
        Ok(true)
    }

    fn hex4(&mut self) -> Step<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(c) => char::from(c)
                    .to_digit(16)
                    .ok_or("expected four hex digits")?,
                None => return Err("unexpected end inside a string"),
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    /// Goes past one value, checking that it is JSON at any depth.
    pub(super) fn skip_value(&mut self) -> Step<()> {
        // For each open container, whether it is an object: one byte a level, so that a megabyte
        // of brackets costs a megabyte.
        let mut open: Vec<bool> = Vec::new();
        let mut scratch = String::new();
        loop {
            self.space();
            match self.peek() {
                Some(bracket @ (b'[' | b'{')) => {
                    let object = bracket == b'{';
                    self.at += 1;
                    self.space();
                    if !self.eat(if object { b'}' } else { b']' }) {
                        open.push(object);
                        if object {
                            scratch.clear();
                            self.member_name_into(&mut scratch)?;
                        }
                        continue;
                    }
                }
                Some(b'"') => {
                    scratch.clear();
                    self.string_into(&mut scratch)?;
                }
                Some(b'-' | b'0'..=b'9') => self.skip_number()?,
                Some(b't') => self.word("true", ())?,
                Some(b'f') => self.word("false", ())?,
                Some(b'n') => self.word("null", ())?,
                None => return Err("unexpected end"),
                Some(_) => return Err("expected a value"),
            }
            // A value has ended: close what ends with it.
            loop {
                let Some(&object) = open.last() else {
                    return Ok(());
                };
                self.space();
                if self.more(object)? {
                    if object {
                        scratch.clear();
                        self.member_name_into(&mut scratch)?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    /// After an element or member: past the comma if another one comes (true), or past the bracket
    /// that ends the container.
    pub(super) fn more(&mut self, object: bool) -> Step<bool> {
        if self.eat(b',') {
            Ok(true)
        } else if self.eat(if object { b'}' } else { b']' }) {
            Ok(false)
        } else if self.peek().is_none() {
            Err("unexpected end")
        } else if object {
            Err("expected `,` or `}`")
        } else {
            Err("expected `,` or `]`")
        }
    }
}
