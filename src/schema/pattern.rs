//! Whether a pattern is a regular expression of ECMA-262 (section 22.2.1 and annex B.1.2).
//!
//! Only the syntax and the size; matching is the validator's. Iterative, so that nested groups
//! cost no stack.

use std::collections::HashSet;

/// What a well-formed pattern needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// It is well-formed only without the `u` flag, which JSON Schema recommends to set.
    pub needs_legacy_syntax: bool,
    /// How many atoms it has when bounded repetitions are written out.
    pub expanded: u64,
    /// It looks around or refers back, so that no engine matches it in linear time.
    pub backtracks: bool,
}

/// Why a pattern is no regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternError {
    /// As a fragment ("a group is not closed").
    pub reason: &'static str,
    /// Where, in characters from the start.
    pub offset: usize,
}

/// Checks `pattern`, with the `u` flag first and then without.
pub fn check(pattern: &str) -> Result<Pattern, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let (groups, names) = capture_groups(&chars);
    let parse = |unicode| {
        let mut parser = Parser {
            chars: &chars,
            at: 0,
            unicode,
            groups,
            names: &names,
            backtracks: false,
        };
        let expanded = parser.pattern()?;
        Ok(Pattern {
            needs_legacy_syntax: !unicode,
            expanded,
            backtracks: parser.backtracks,
        })
    };
    parse(true).or_else(|_: PatternError| parse(false))
}

/// How many groups capture, and the names of those that have one: references may come first.
fn capture_groups(chars: &[char]) -> (usize, HashSet<String>) {
    let mut names = HashSet::new();
    let mut count = 0;
    let mut in_class = false;
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => match (chars.get(at + 1), chars.get(at + 2), chars.get(at + 3)) {
                (Some('?'), Some('<'), Some('=' | '!')) => {}
                (Some('?'), Some('<'), _) => {
                    count += 1;
                    let name = chars[at + 3..].iter().take_while(|&&c| c != '>');
                    names.insert(name.collect());
                }
                (Some('?'), ..) => {}
                _ => count += 1,
            },
            _ => {}
        }
        at += 1;
    }
    (count, names)
}

struct Parser<'p> {
    chars: &'p [char],
    at: usize,
    unicode: bool,
    groups: usize,
    names: &'p HashSet<String>,
    backtracks: bool,
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

type Step<T> = Result<T, PatternError>;

/// An escaped character's value, which may be half a surrogate pair.
fn code(c: char) -> Step<Option<u32>> {
    Ok(Some(u32::from(c)))
}

impl Parser<'_> {
    fn pattern(&mut self) -> Step<u64> {
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
                        return self.fail(start, "a `)` closes no group");
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
                                return self.fail(start, "there is nothing to repeat");
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
                            return self.fail(start, "a `{` is not escaped");
                        }
                        None => {
                            self.at = start + 1;
                            Some(1)
                        }
                    }
                }
                '}' | ']' if self.unicode => {
                    return self.fail(start, "a bracket is not escaped");
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
            _ => self.fail(self.chars.len(), "a group is not closed"),
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

    fn fail<T>(&self, offset: usize, reason: &'static str) -> Step<T> {
        Err(PatternError { reason, offset })
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
                        _ => return self.fail(start, "a group begins with an unknown `(?`"),
                    }
                }
            }
            _ => self.fail(start, "a group begins with an unknown `(?`"),
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
                _ => return self.fail(start, "a group has a bad name"),
            }
        }
    }

    /// Reads a quantifier; none when the `{` is no quantifier. The result is how often the atom
    /// stands there when the repetition is written out.
    fn quantifier(&mut self) -> Step<Option<u64>> {
        let start = self.at;
        match self.next() {
            Some('*' | '?' | '+') => return Ok(Some(1)),
            _ => {}
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
            return self.fail(start, "a repetition's bounds are out of order");
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
                self.fail(start, "a back reference names no group")
            }
            Some('k') => {
                self.at += 1;
                if !self.unicode && self.names.is_empty() {
                    return Ok(());
                }
                if !self.eat('<') {
                    return self.fail(start, "a back reference has no name");
                }
                let name = self.group_name(start)?;
                self.backtracks = true;
                if self.names.contains(&name) {
                    return Ok(());
                }
                self.fail(start, "a back reference names no group")
            }
            _ => self.character_escape(start, false).map(|_| ()),
        }
    }

    /// After a `\`: a class escape or an escaped character, whose value is known.
    fn character_escape(&mut self, start: usize, in_class: bool) -> Step<Option<u32>> {
        let Some(c) = self.next() else {
            return self.fail(start, "a `\\` ends the pattern");
        };
        match c {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Ok(None),
            'p' | 'P' if self.unicode => {
                self.property(start)?;
                Ok(None)
            }
            't' => code('\t'),
            'n' => code('\n'),
            'v' => code('\u{b}'),
            'f' => code('\u{c}'),
            'r' => code('\r'),
            'b' if in_class => code('\u{8}'),
            'c' => {
                if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
                    self.at += 1;
                    Ok(None)
                } else if self.unicode {
                    self.fail(start, "a control escape has no letter")
                } else {
                    code('\\')
                }
            }
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => code('\0'),
            '0'..='9' if self.unicode => self.fail(start, "a decimal escape stands for nothing"),
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
                    return self.fail(start, "a `\\u{…}` is not complete");
                }
                self.hex(start, 4)
            }
            '-' if self.unicode && in_class => code('-'),
            c if self.unicode => {
                if "^$\\.*+?()[]{}|/".contains(c) {
                    code(c)
                } else {
                    self.fail(start, "a `\\` stands before a character that needs none")
                }
            }
            c => code(c),
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
            return self.fail(start, "a hexadecimal escape is not complete");
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
        self.fail(start, "a `\\p{…}` is not complete")
    }

    /// After `[`.
    fn class(&mut self, start: usize) -> Step<()> {
        self.eat('^');
        loop {
            let at = self.at;
            let Some(low) = self.class_atom(start)? else {
                return Ok(());
            };
            if self.peek() != Some('-') {
                continue;
            }
            self.at += 1;
            let Some(high) = self.class_atom(start)? else {
                return Ok(());
            };
            match (low, high) {
                (Some(low), Some(high)) if low > high => {
                    return self.fail(at, "a range in a class is out of order");
                }
                (None, _) | (_, None) if self.unicode => {
                    return self.fail(at, "a range in a class has a class as its end");
                }
                _ => {}
            }
        }
    }

    /// One member of a class (none inside for a whole class such as `\d`), or none at its end.
    fn class_atom(&mut self, start: usize) -> Step<Option<Option<u32>>> {
        let at = self.at;
        match self.next() {
            None => self.fail(start, "a class is not closed"),
            Some(']') => Ok(None),
            Some('\\') => self.character_escape(at, true).map(Some),
            Some(c) => Ok(Some(Some(u32::from(c)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_the_wild_are_well_formed() {
        for pattern in [
            "",
            "^[a-z0-9[\\]._-]+$",
            "^\\d+$",
            "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}|0{8}-0{4})$",
            "(?<year>\\d{4})-\\k<year>",
            "(?<=a)b(?<!c)(?=d)(?!e)",
            "\\p{L}\\P{Script=Greek}\\u{1F600}\\u00e9\\x41\\cA\\0",
            "a|b|",
            "(a)(b)\\2\\1",
            "[\\b\\-\\d]",
            "a{0}b{2,}c{1,3}?d*?",
            "[]",
            "[^]",
            "(?i:a)(?-s:b)",
        ] {
            let checked = check(pattern);
            assert!(
                matches!(checked, Ok(p) if !p.needs_legacy_syntax),
                "{pattern}: {checked:?}"
            );
        }
    }

    #[test]
    fn some_patterns_are_well_formed_only_without_the_u_flag() {
        for pattern in [
            "^https\\:\\/\\/",
            "a{",
            "a{,5}",
            "]",
            "}",
            "[\\w-.]",
            "\\_",
            "\\8",
            "(?=a)*",
            "\\k",
            "\\u12",
            "\\c",
            "[\\'\"]",
        ] {
            let checked = check(pattern);
            assert!(
                matches!(checked, Ok(p) if p.needs_legacy_syntax),
                "{pattern}: {checked:?}"
            );
        }
    }

    #[test]
    fn what_no_engine_of_ecmascript_reads_is_refused() {
        for pattern in [
            "^(abc$",
            "abc)",
            "[a",
            "[z-a]",
            "*a",
            "a**",
            "+",
            "?",
            "{1}",
            "a{2,1}",
            "(?P<name>a)",
            "(?i)a",
            "(?#comment)",
            "(?<1>a)",
            "(?<a>b)\\k<c>",
            "(?<=a)*",
            "\\",
            "^*",
            "(?>a)",
            "a++",
        ] {
            assert!(check(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn repetitions_are_counted_as_if_written_out() {
        assert_eq!(check("abc").unwrap().expanded, 3);
        assert_eq!(check("a{100}").unwrap().expanded, 100);
        assert!(check("((a{100}){100}){100}").unwrap().expanded >= 1_000_000);
        assert!(check("(a{999999999999}){999999999999}").unwrap().expanded > 1 << 60);
    }

    #[test]
    fn a_hundred_thousand_groups_cost_no_stack() {
        let nested = "(".repeat(100_000) + &")".repeat(100_000);
        assert!(check(&nested).is_ok());
        assert!(check(&"(".repeat(100_000)).is_err());
    }
}
