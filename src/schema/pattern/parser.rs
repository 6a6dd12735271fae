//! The grammar of ECMA-262, section 22.2.1, read once from left to right.

use std::collections::HashSet;

use super::PatternError;

/// How a character of the syntax without the `u` flag is written with it.
#[derive(Clone, Copy)]
pub(super) enum Edit {
    /// With a backslash before it.
    Escape,
    /// Not at all.
    Drop,
}

pub(super) struct Parser<'p> {
    pub(super) chars: &'p [char],
    pub(super) at: usize,
    pub(super) unicode: bool,
    pub(super) groups: usize,
    pub(super) names: &'p HashSet<String>,
    pub(super) backtracks: bool,
    /// What would have to be written differently with the `u` flag, by place.
    pub(super) edits: Vec<(usize, Edit)>,
}

/// A group that is open, or the whole pattern.
#[derive(Default)]
struct Open {
    /// Atoms so far.
    size: u64,
    /// What may be repeated once it is closed.
    repeatable: bool,
}

/// What was read last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing that can be repeated.
    Nothing,
    /// Something of that size that can be.
    Atom(u64),
}

/// A member of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ClassAtom {
    /// There is none: the class ends.
    End,
    /// A whole class, such as `\d`.
    Class,
    /// One code point.
    One(u32),
}

type Step<T> = Result<T, PatternError>;

fn fail<T>(offset: usize, reason: &'static str) -> Step<T> {
    Err(PatternError { reason, offset })
}

impl Parser<'_> {
    /// Reads the whole pattern; the result is its size when repetitions are written out.
    pub(super) fn pattern(&mut self) -> Step<u64> {
        let mut open = vec![Open::default()];
        let mut last = Last::Nothing;
        while let Some(c) = self.next() {
            let start = self.at - 1;
            let size = match c {
                '^' | '$' | '|' => None,
                '(' => {
                    let repeatable = self.group()?;
                    open.push(Open {
                        size: 1,
                        repeatable,
                    });
                    None
                }
                ')' => {
                    let done = open.pop().filter(|_| !open.is_empty());
                    let Some(done) = done else {
                        return fail(start, "a `)` closes no group");
                    };
                    let own = done.size;
                    if let Some(around) = open.last_mut() {
                        around.size = around.size.saturating_add(own);
                    }
                    last = if done.repeatable {
                        Last::Atom(own)
                    } else {
                        Last::Nothing
                    };
                    continue;
                }
                '*' | '+' | '?' | '{' => {
                    self.at = start;
                    match self.quantifier()? {
                        Some(times) => {
                            let Last::Atom(size) = last else {
                                return fail(start, "there is nothing to repeat");
                            };
                            self.eat('?');
                            if let Some(around) = open.last_mut() {
                                let more = size.saturating_mul(times.saturating_sub(1));
                                around.size = around.size.saturating_add(more);
                            }
                            last = Last::Nothing;
                            continue;
                        }
                        None if self.unicode => {
                            return fail(start, "a `{` is not escaped");
                        }
                        None => {
                            self.at = start + 1;
                            self.edits.push((start, Edit::Escape));
                            Some(1)
                        }
                    }
                }
                '}' | ']' if self.unicode => {
                    return fail(start, "a bracket is not escaped");
                }
                '}' | ']' => {
                    self.edits.push((start, Edit::Escape));
                    Some(1)
                }
                '[' => {
                    self.class(start)?;
                    Some(1)
                }
                '\\' => {
                    if matches!(self.peek(), Some('b' | 'B')) {
                        self.at += 1;
                        None
                    } else {
                        self.atom_escape(start)?;
                        Some(1)
                    }
                }
                _ => Some(1),
            };
            if let (Some(size), Some(around)) = (size, open.last_mut()) {
                around.size = around.size.saturating_add(size);
            }
            last = size.map_or(Last::Nothing, Last::Atom);
        }
        match open.as_slice() {
            [all] => Ok(all.size),
            _ => fail(self.chars.len(), "a group is not closed"),
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    /// After `(`: what kind of group it is. True when it may be repeated.
    fn group(&mut self) -> Step<bool> {
        let start = self.at - 1;
        if !self.eat('?') {
            return Ok(true);
        }
        match self.next() {
            Some(':') => Ok(true),
            // annex B lets lookaheads be repeated
            Some('=' | '!') => {
                self.backtracks = true;
                Ok(!self.unicode)
            }
            Some('<') => {
                if matches!(self.peek(), Some('=' | '!')) {
                    self.at += 1;
                    self.backtracks = true;
                    return Ok(false);
                }
                self.group_name(start)?;
                Ok(true)
            }
            Some(c) if "ims-".contains(c) => {
                // ECMA-262 of 2025: `(?i-s:…)`
                let mut seen = HashSet::from([c]);
                loop {
                    match self.next() {
                        Some(':') if seen.len() > 1 || c != '-' => return Ok(true),
                        Some(c) if "ims-".contains(c) && seen.insert(c) => {}
                        _ => return fail(start, "a group begins with an unknown `(?`"),
                    }
                }
            }
            _ => fail(start, "a group begins with an unknown `(?`"),
        }
    }

    fn group_name(&mut self, start: usize) -> Step<String> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some('>') if !name.is_empty() => return Ok(name),
                Some(c) if c == '$' || c == '_' || c.is_alphabetic() => name.push(c),
                Some(c) if !name.is_empty() && (c.is_alphanumeric() || c.is_numeric()) => {
                    name.push(c);
                }
                _ => return fail(start, "a group has a bad name"),
            }
        }
    }

    /// Reads a quantifier; none when the `{` is no quantifier. The result is how often the atom
    /// stands there when the repetition is written out.
    fn quantifier(&mut self) -> Step<Option<u64>> {
        let start = self.at;
        if let Some('*' | '?' | '+') = self.next() {
            return Ok(Some(1));
        }
        let Some(least) = self.digits() else {
            return Ok(None);
        };
        let most = if self.eat(',') {
            self.digits()
        } else {
            Some(least)
        };
        if !self.eat('}') {
            return Ok(None);
        }
        if most.is_some_and(|most| most < least) {
            return fail(start, "a repetition's bounds are out of order");
        }
        Ok(Some(most.unwrap_or(least.saturating_add(1)).max(1)))
    }

    fn digits(&mut self) -> Option<u64> {
        let mut value: Option<u64> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            let so_far = value.unwrap_or(0).saturating_mul(10);
            value = Some(so_far.saturating_add(u64::from(digit)));
        }
        value
    }

    /// After a `\` outside a class.
    fn atom_escape(&mut self, start: usize) -> Step<()> {
        match self.peek() {
            Some('1'..='9') => {
                let number = self.digits().unwrap_or(u64::MAX);
                let known = usize::try_from(number).is_ok_and(|number| number <= self.groups);
                self.backtracks |= known;
                if known || !self.unicode {
                    return Ok(());
                }
                fail(start, "a back reference names no group")
            }
            Some('k') => {
                self.at += 1;
                if !self.unicode && self.names.is_empty() {
                    return Ok(());
                }
                if !self.eat('<') {
                    return fail(start, "a back reference has no name");
                }
                let name = self.group_name(start)?;
                self.backtracks = true;
                if self.names.contains(&name) {
                    return Ok(());
                }
                fail(start, "a back reference names no group")
            }
            _ => self.character_escape(start, false).map(|_| ()),
        }
    }

    /// After a `\`: a class escape or an escaped character, whose value is known.
    fn character_escape(&mut self, start: usize, in_class: bool) -> Step<Option<u32>> {
        let Some(c) = self.next() else {
            return fail(start, "a `\\` ends the pattern");
        };
        match c {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Ok(None),
            'p' | 'P' if self.unicode => {
                self.property(start)?;
                Ok(None)
            }
            't' => Ok(Some(u32::from('\t'))),
            'n' => Ok(Some(u32::from('\n'))),
            'v' => Ok(Some(u32::from('\u{b}'))),
            'f' => Ok(Some(u32::from('\u{c}'))),
            'r' => Ok(Some(u32::from('\r'))),
            'b' if in_class => Ok(Some(u32::from('\u{8}'))),
            'c' => {
                if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
                    self.at += 1;
                    Ok(None)
                } else if self.unicode {
                    fail(start, "a control escape has no letter")
                } else {
                    Ok(Some(u32::from('\\')))
                }
            }
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => Ok(Some(u32::from('\0'))),
            '0'..='9' if self.unicode => fail(start, "a decimal escape stands for nothing"),
            'x' => self.hex(start, 2),
            'u' => {
                if self.unicode && self.eat('{') {
                    let mut value = 0;
                    let mut any = false;
                    while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
                        self.at += 1;
                        any = true;
                        value = (value << 4 | digit).min(0x11_0000);
                    }
                    if any && value < 0x11_0000 && self.eat('}') {
                        return Ok(Some(value));
                    }
                    return fail(start, "a `\\u{…}` is not complete");
                }
                self.hex(start, 4)
            }
            '-' if self.unicode && in_class => Ok(Some(u32::from('-'))),
            c if self.unicode => {
                if "^$\\.*+?()[]{}|/".contains(c) {
                    Ok(Some(u32::from(c)))
                } else {
                    fail(start, "a `\\` stands before a character that needs none")
                }
            }
            c => {
                // a letter or digit would mean something else without its backslash
                if !c.is_alphanumeric() && !"^$\\.*+?()[]{}|/-".contains(c) {
                    self.edits.push((self.at - 2, Edit::Drop));
                }
                Ok(Some(u32::from(c)))
            }
        }
    }

    fn hex(&mut self, start: usize, digits: usize) -> Step<Option<u32>> {
        let from = self.at;
        let found = self.chars[from..]
            .iter()
            .take(digits)
            .map_while(|c| c.to_digit(16));
        let read: Vec<u32> = found.collect();
        if read.len() == digits {
            self.at += digits;
            let value = read.iter().fold(0, |value, digit| value << 4 | digit);
            return Ok(Some(value));
        }
        if self.unicode {
            return fail(start, "a hexadecimal escape is not complete");
        }
        Ok(self.chars.get(from - 1).map(|&c| u32::from(c)))
    }

    fn property(&mut self, start: usize) -> Step<()> {
        if self.eat('{') {
            let from = self.at;
            while self
                .peek()
                .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '='))
            {
                self.at += 1;
            }
            if self.at > from && self.eat('}') {
                return Ok(());
            }
        }
        fail(start, "a `\\p{…}` is not complete")
    }

    /// After `[`.
    fn class(&mut self, start: usize) -> Step<()> {
        self.eat('^');
        loop {
            let at = self.at;
            let low = self.class_atom(start)?;
            if low == ClassAtom::End {
                return Ok(());
            }
            if self.peek() != Some('-') {
                continue;
            }
            let dash = self.at;
            self.at += 1;
            match (low, self.class_atom(start)?) {
                (_, ClassAtom::End) => return Ok(()),
                (ClassAtom::One(low), ClassAtom::One(high)) if low > high => {
                    return fail(at, "a range in a class is out of order");
                }
                (ClassAtom::Class, _) | (_, ClassAtom::Class) if self.unicode => {
                    return fail(at, "a range in a class has a class as its end");
                }
                (ClassAtom::Class, _) | (_, ClassAtom::Class) => {
                    self.edits.push((dash, Edit::Escape));
                }
                _ => {}
            }
        }
    }

    /// The next member of a class.
    fn class_atom(&mut self, start: usize) -> Step<ClassAtom> {
        let at = self.at;
        match self.next() {
            None => fail(start, "a class is not closed"),
            Some(']') => Ok(ClassAtom::End),
            Some('\\') => self
                .character_escape(at, true)
                .map(|code| code.map_or(ClassAtom::Class, ClassAtom::One)),
            Some(c) => Ok(ClassAtom::One(u32::from(c))),
        }
    }
}
