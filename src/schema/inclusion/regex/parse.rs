//! Reads ECMA-262 patterns, as far as they are regular.

use super::charset::CharSet;

/// A parsed pattern.
#[derive(Debug, Clone)]
pub(super) enum Ast {
    Class(CharSet),
    Start,
    End,
    Cat(Vec<Ast>),
    Alt(Vec<Ast>),
    Repeat(Box<Ast>, u32, Option<u32>),
    /// Look-ahead; false for the negative one.
    Look(bool, Box<Ast>),
}

/// Longer patterns are not modelled.
const LENGTH_LIMIT: usize = 2_000;
const DEPTH_LIMIT: usize = 40;
const REPEAT_LIMIT: u32 = 5_000;

/// None for what is not modelled or is no pattern.
pub(super) fn parse(pattern: &str) -> Option<Ast> {
    parse_widely(pattern, "")
}

/// The same, with the letters and digits of `text` beyond ASCII in `\w` and `\d`, as engines have
/// it that read the classes as Unicode.
pub(super) fn parse_widely(pattern: &str, text: &str) -> Option<Ast> {
    let beyond = |is: fn(char) -> bool| {
        let chars = text.chars().filter(move |c| !c.is_ascii() && is(*c));
        CharSet::of(chars.map(|c| (u32::from(c), u32::from(c))))
    };
    if pattern.len() > LENGTH_LIMIT {
        return None;
    }
    let mut parser = Parser {
        text: pattern.chars().collect(),
        at: 0,
        digits: CharSet::digits().union(&beyond(char::is_numeric)),
        word: CharSet::word().union(&beyond(char::is_alphanumeric)),
    };
    let ast = parser.alternation(0)?;
    (parser.at == parser.text.len() && ast.anchors_are_sound()).then_some(ast)
}

impl Ast {
    /// Whether each anchor is met at most once on any way through, so that it may consume its mark.
    fn anchors_are_sound(&self) -> bool {
        self.most(true) <= 1 && self.ends_after(false).is_some()
    }

    fn holds_anchor(&self, start: bool) -> bool {
        match self {
            Ast::Start => start,
            Ast::End => !start,
            Ast::Class(_) => false,
            Ast::Cat(parts) | Ast::Alt(parts) => parts.iter().any(|p| p.holds_anchor(start)),
            Ast::Repeat(inner, ..) | Ast::Look(_, inner) => inner.holds_anchor(start),
        }
    }

    /// The most start anchors on one way; a look-ahead with one counts as too many.
    fn most(&self, start: bool) -> usize {
        match self {
            Ast::Start => usize::from(start),
            Ast::End => usize::from(!start),
            Ast::Class(_) => 0,
            Ast::Cat(parts) => parts.iter().map(|p| p.most(start)).sum(),
            Ast::Alt(parts) => parts.iter().map(|p| p.most(start)).max().unwrap_or(0),
            Ast::Repeat(inner, _, max) => match max {
                Some(0 | 1) => inner.most(start),
                _ => inner.most(start) * 2,
            },
            Ast::Look(_, inner) => 2 * usize::from(inner.holds_anchor(start)),
        }
    }

    /// Whether an end anchor may have been met after this, or none if one could be met twice.
    fn ends_after(&self, before: bool) -> Option<bool> {
        match self {
            Ast::End => (!before).then_some(true),
            Ast::Start | Ast::Class(_) => Some(before),
            Ast::Cat(parts) => parts.iter().try_fold(before, |b, p| p.ends_after(b)),
            Ast::Alt(parts) => {
                let mut after = false;
                for part in parts {
                    after |= part.ends_after(before)?;
                }
                Some(after)
            }
            Ast::Repeat(inner, _, Some(0 | 1)) => inner.ends_after(before).map(|a| a || before),
            Ast::Repeat(inner, ..) => (!inner.holds_anchor(false)).then_some(before),
            Ast::Look(_, inner) => {
                inner.ends_after(before)?;
                Some(before)
            }
        }
    }

    /// Whether it is a plain regular expression, which can be repeated.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Ast::Class(_) => true,
            Ast::Start | Ast::End | Ast::Look(..) => false,
            Ast::Cat(parts) | Ast::Alt(parts) => parts.iter().all(Ast::is_plain),
            Ast::Repeat(inner, ..) => inner.is_plain(),
        }
    }
}

struct Parser {
    text: Vec<char>,
    at: usize,
    digits: CharSet,
    word: CharSet,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let n = text.chars().count();
        let hit = self.text[self.at..]
            .iter()
            .copied()
            .take(n)
            .eq(text.chars());
        if hit {
            self.at += n;
        }
        hit
    }

    fn alternation(&mut self, depth: usize) -> Option<Ast> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let mut branches = vec![self.sequence(depth)?];
        while self.eat("|") {
            branches.push(self.sequence(depth)?);
        }
        if branches.len() == 1 {
            return branches.pop();
        }
        Some(Ast::Alt(branches))
    }

    fn sequence(&mut self, depth: usize) -> Option<Ast> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            let atom = self.atom(depth)?;
            parts.push(self.quantified(atom)?);
        }
        Some(Ast::Cat(parts))
    }

    fn atom(&mut self, depth: usize) -> Option<Ast> {
        Some(match self.next()? {
            '^' => Ast::Start,
            '$' => Ast::End,
            '.' => Ast::Class(CharSet::dot()),
            '[' => Ast::Class(self.class()?),
            '\\' => Ast::Class(self.escape(false)?),
            '(' => {
                let look = if self.eat("?=") {
                    Some(true)
                } else if self.eat("?!") {
                    Some(false)
                } else {
                    if !self.eat("?:") && self.eat("?") {
                        self.group_name()?;
                    }
                    None
                };
                let inner = self.alternation(depth + 1)?;
                if !self.eat(")") {
                    return None;
                }
                match look {
                    Some(positive) => Ast::Look(positive, Box::new(inner)),
                    None => inner,
                }
            }
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            c => Ast::Class(CharSet::single(u32::from(c))),
        })
    }

    /// `<name>` of a named group; anything else after `(?` is not modelled.
    fn group_name(&mut self) -> Option<()> {
        if !self.eat("<") || matches!(self.peek(), Some('=' | '!')) {
            return None;
        }
        while self.next()? != '>' {}
        Some(())
    }

    fn quantified(&mut self, atom: Ast) -> Option<Ast> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(atom),
            _ => return Some(atom),
        };
        self.at += 1;
        self.repeat(atom, min, max)
    }

    fn counted(&mut self, atom: Ast) -> Option<Ast> {
        self.at += 1;
        let min = self.number()?;
        let max = if self.eat(",") {
            if self.peek() == Some('}') {
                None
            } else {
                Some(self.number()?)
            }
        } else {
            Some(min)
        };
        if !self.eat("}") || max.is_some_and(|max| max < min) {
            return None;
        }
        self.repeat(atom, min, max)
    }

    fn repeat(&mut self, atom: Ast, min: u32, max: Option<u32>) -> Option<Ast> {
        // Laziness changes captures, not the language; `++` is no ECMA-262.
        self.eat("?");
        if matches!(self.peek(), Some('*' | '+' | '?' | '{'))
            || matches!(atom, Ast::Start | Ast::End)
        {
            return None;
        }
        Some(Ast::Repeat(Box::new(atom), min, max))
    }

    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        while matches!(self.peek(), Some('0'..='9')) {
            self.at += 1;
        }
        let text: String = self.text[start..self.at].iter().collect();
        text.parse().ok().filter(|n| *n <= REPEAT_LIMIT)
    }

    fn class(&mut self) -> Option<CharSet> {
        let negated = self.eat("^");
        let mut set = CharSet::default();
        loop {
            let low = match self.next()? {
                ']' => break,
                // Nested sets mean something to some engines.
                '[' => return None,
                '\\' => self.escape(true)?,
                c => CharSet::single(u32::from(c)),
            };
            if self.peek() == Some('-') && self.text.get(self.at + 1) != Some(&']') {
                self.at += 1;
                let high = match self.next()? {
                    '\\' => self.escape(true)?,
                    '[' | '-' => return None,
                    c => CharSet::single(u32::from(c)),
                };
                let (low, high) = (low.only()?, high.only()?);
                if low > high {
                    return None;
                }
                set = set.union(&CharSet::of([(low, high)]));
            } else {
                set = set.union(&low);
            }
        }
        Some(if negated { set.complement() } else { set })
    }

    fn escape(&mut self, in_class: bool) -> Option<CharSet> {
        let c = match self.next()? {
            'd' => return Some(self.digits.clone()),
            'D' => return Some(self.digits.complement()),
            'w' => return Some(self.word.clone()),
            'W' => return Some(self.word.complement()),
            's' => return Some(CharSet::space()),
            'S' => return Some(CharSet::space().complement()),
            't' => 0x09,
            'n' => 0x0a,
            'v' => 0x0b,
            'f' => 0x0c,
            'r' => 0x0d,
            'b' if in_class => 0x08,
            '0' if !matches!(self.peek(), Some('0'..='9')) => 0,
            'c' => {
                let letter = self.next().filter(char::is_ascii_alphabetic)?;
                u32::from(letter) % 32
            }
            'x' => self.hex(2)?,
            'u' if self.eat("{") => {
                let mut value = 0u32;
                loop {
                    match self.next()? {
                        '}' => break,
                        c => value = value.checked_mul(16)?.checked_add(c.to_digit(16)?)?,
                    }
                }
                value
            }
            'u' => self.hex(4)?,
            c if c.is_ascii_alphanumeric() => return None,
            c => u32::from(c),
        };
        // Half a surrogate pair is no character of a string.
        char::from_u32(c).map(|_| CharSet::single(c))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        (0..digits).try_fold(0, |value, _| Some(value * 16 + self.next()?.to_digit(16)?))
    }
}
