//! Regular expressions with intersection and complement, decided by derivatives.
//!
//! A string `w` is read as START `w` END, so that anchors are characters and a pattern, its
//! negation and any combination are one kind of term (Brzozowski 1964). Terms are interned and
//! normalised up to associativity, commutativity and idempotence, so derivatives stay finite.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::charset::{CharSet, END, START};
use super::parse::{Ast, parse, parse_widely};

/// An interned term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Shape {
    Nothing,
    Empty,
    Class(CharSet),
    Cat(Term, Term),
    Or(Vec<Term>),
    And(Vec<Term>),
    Not(Term),
    Repeat(Term, u32, Option<u32>),
}

/// What a search for a string of a language came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// A shortest string.
    Some(String),
    /// There is none.
    None,
    /// The bound was reached.
    TooLarge,
}

/// The terms of one comparison.
#[derive(Debug)]
pub(crate) struct Terms {
    shapes: Vec<Shape>,
    nullable: Vec<bool>,
    index: HashMap<Shape, Term>,
    derived: HashMap<(Term, u32), Term>,
    cuts: HashMap<Term, Vec<u32>>,
    /// Work done so far.
    pub(crate) steps: u64,
}

const NOTHING: Term = Term(0);
const EMPTY: Term = Term(1);
/// Every sequence, marks included.
const ALL: Term = Term(2);

/// Work beyond this ends every search: a step is about one part of a term looked at once.
const STEP_LIMIT: u64 = 200_000;

impl Default for Terms {
    fn default() -> Self {
        let mut terms = Terms {
            shapes: Vec::new(),
            nullable: Vec::new(),
            index: HashMap::new(),
            derived: HashMap::new(),
            cuts: HashMap::new(),
            steps: 0,
        };
        terms.add(Shape::Nothing);
        terms.add(Shape::Empty);
        // The class comes after its star, so that ALL has a fixed number.
        terms.add(Shape::Repeat(Term(3), 0, None));
        terms.add(Shape::Class(CharSet::everything()));
        terms
    }
}

impl Terms {
    /// The language of every string.
    pub(crate) const EVERY: Term = ALL;

    fn add(&mut self, shape: Shape) -> Term {
        if let Some(term) = self.index.get(&shape) {
            return *term;
        }
        let nullable = match &shape {
            Shape::Nothing | Shape::Class(_) => false,
            Shape::Empty => true,
            Shape::Cat(a, b) => self.is_nullable(*a) && self.is_nullable(*b),
            Shape::Or(parts) => parts.iter().any(|p| self.is_nullable(*p)),
            Shape::And(parts) => parts.iter().all(|p| self.is_nullable(*p)),
            Shape::Not(inner) => !self.is_nullable(*inner),
            Shape::Repeat(inner, min, _) => *min == 0 || self.is_nullable(*inner),
        };
        let term = Term(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        self.shapes.push(shape.clone());
        self.nullable.push(nullable);
        self.index.insert(shape, term);
        term
    }

    /// Whether the work was given up; what is derived after that means nothing.
    fn is_spent(&self) -> bool {
        self.steps > STEP_LIMIT
    }

    fn is_nullable(&self, term: Term) -> bool {
        // Only the star of everything is asked for before it is there.
        self.nullable.get(term.0 as usize).copied().unwrap_or(false)
    }

    fn shape(&self, term: Term) -> &Shape {
        &self.shapes[term.0 as usize]
    }

    fn class(&mut self, set: CharSet) -> Term {
        if set.is_empty() {
            NOTHING
        } else {
            self.add(Shape::Class(set))
        }
    }

    fn cat(&mut self, a: Term, b: Term) -> Term {
        if a == NOTHING || b == NOTHING {
            return NOTHING;
        }
        if a == EMPTY {
            return b;
        }
        if b == EMPTY {
            return a;
        }
        if b == ALL && self.is_nullable(a) {
            return ALL;
        }
        self.steps += 1;
        if let Shape::Cat(x, y) = *self.shape(a) {
            let rest = self.cat(y, b);
            return self.cat(x, rest);
        }
        self.add(Shape::Cat(a, b))
    }

    /// Union or intersection.
    fn join(&mut self, parts: impl IntoIterator<Item = Term>, or: bool) -> Term {
        let (unit, zero) = if or { (NOTHING, ALL) } else { (ALL, NOTHING) };
        let mut flat = BTreeSet::new();
        let mut classes: Option<CharSet> = None;
        let mut looked = 0;
        for part in parts {
            looked += 1;
            let inner = match self.shape(part) {
                Shape::Or(inner) if or => inner.clone(),
                Shape::And(inner) if !or => inner.clone(),
                _ => vec![part],
            };
            for term in inner {
                match self.shape(term) {
                    Shape::Class(set) if or => {
                        classes = Some(classes.map_or_else(|| set.clone(), |c| c.union(set)));
                    }
                    _ => {
                        flat.insert(term);
                    }
                }
            }
        }
        if let Some(set) = classes {
            let class = self.class(set);
            flat.insert(class);
        }
        flat.remove(&unit);
        self.steps += (flat.len() + looked) as u64;
        let clash = flat
            .iter()
            .any(|t| matches!(self.shape(*t), Shape::Not(inner) if flat.contains(inner)));
        if clash || flat.contains(&zero) {
            return zero;
        }
        let flat: Vec<Term> = flat.into_iter().collect();
        match flat.as_slice() {
            [] => unit,
            [one] => *one,
            _ if or => self.add(Shape::Or(flat)),
            _ => self.add(Shape::And(flat)),
        }
    }

    fn or(&mut self, a: Term, b: Term) -> Term {
        self.join([a, b], true)
    }

    /// The strings of both.
    pub(crate) fn and(&mut self, a: Term, b: Term) -> Term {
        self.join([a, b], false)
    }

    /// The strings not of it.
    pub(crate) fn not(&mut self, term: Term) -> Term {
        match *self.shape(term) {
            Shape::Nothing => ALL,
            Shape::Not(inner) => inner,
            _ if term == ALL => NOTHING,
            _ => self.add(Shape::Not(term)),
        }
    }

    fn repeat(&mut self, term: Term, min: u32, max: Option<u32>) -> Term {
        if max == Some(0) || term == EMPTY {
            return EMPTY;
        }
        if term == NOTHING {
            return if min == 0 { EMPTY } else { NOTHING };
        }
        if (min, max) == (1, Some(1)) {
            return term;
        }
        if let (Shape::Repeat(_, 0, None), None, 0 | 1) = (self.shape(term), max, min) {
            return term;
        }
        self.add(Shape::Repeat(term, min, max))
    }

    /// The language of a pattern, as the state after START; none for what is not modelled.
    pub(crate) fn pattern(&mut self, text: &str) -> Option<Term> {
        let ast = parse(text)?;
        self.search(&ast)
    }

    /// Whether the pattern matches `text` where `\d` and `\w` are read as Unicode.
    pub(crate) fn matches_widely(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let ast = parse_widely(pattern, text)?;
        let term = self.search(&ast)?;
        self.matches(term, text)
    }

    fn search(&mut self, ast: &Ast) -> Option<Term> {
        let found = self.lower(ast, ALL)?;
        let anywhere = self.cat(ALL, found);
        let started = self.derive(anywhere, START);
        (!self.is_spent()).then_some(started)
    }

    /// The language of exactly these strings.
    pub(crate) fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) -> Term {
        let words: Vec<Term> = words
            .into_iter()
            .map(|word| {
                let end = self.class(CharSet::single(END));
                word.chars().rev().fold(end, |rest, c| {
                    let c = self.class(CharSet::single(u32::from(c)));
                    self.cat(c, rest)
                })
            })
            .collect();
        self.join(words, true)
    }

    /// `ast` followed by `rest`.
    fn lower(&mut self, ast: &Ast, rest: Term) -> Option<Term> {
        Some(match ast {
            Ast::Class(set) => {
                let class = self.class(set.clone());
                self.cat(class, rest)
            }
            Ast::Start => {
                let mark = self.class(CharSet::single(START));
                self.cat(mark, rest)
            }
            Ast::End => {
                let mark = self.class(CharSet::single(END));
                self.cat(mark, rest)
            }
            Ast::Cat(parts) => {
                let mut term = rest;
                for part in parts.iter().rev() {
                    term = self.lower(part, term)?;
                }
                term
            }
            Ast::Alt(parts) => {
                if ast.is_plain() {
                    let inner = self.plain(ast)?;
                    return Some(self.cat(inner, rest));
                }
                let mut branches = Vec::new();
                for part in parts {
                    branches.push(self.lower(part, rest)?);
                }
                self.join(branches, true)
            }
            Ast::Repeat(inner, min, max) if inner.is_plain() => {
                let inner = self.plain(inner)?;
                let repeated = self.repeat(inner, *min, *max);
                self.cat(repeated, rest)
            }
            Ast::Repeat(inner, min, Some(1)) => {
                let once = self.lower(inner, rest)?;
                if *min == 1 { once } else { self.or(once, rest) }
            }
            Ast::Repeat(..) => return None,
            Ast::Look(positive, inner) => {
                let ahead = self.lower(inner, ALL)?;
                let ahead = if *positive { ahead } else { self.not(ahead) };
                self.and(ahead, rest)
            }
        })
    }

    fn plain(&mut self, ast: &Ast) -> Option<Term> {
        Some(match ast {
            Ast::Class(set) => self.class(set.clone()),
            Ast::Cat(parts) => {
                let mut term = EMPTY;
                for part in parts.iter().rev() {
                    let part = self.plain(part)?;
                    term = self.cat(part, term);
                }
                term
            }
            Ast::Alt(parts) => {
                let parts: Option<Vec<Term>> = parts.iter().map(|p| self.plain(p)).collect();
                self.join(parts?, true)
            }
            Ast::Repeat(inner, min, max) => {
                let inner = self.plain(inner)?;
                self.repeat(inner, *min, *max)
            }
            Ast::Start | Ast::End | Ast::Look(..) => return None,
        })
    }

    /// What may follow `c`.
    fn derive(&mut self, term: Term, c: u32) -> Term {
        if term == ALL || term == NOTHING {
            return term;
        }
        if let Some(done) = self.derived.get(&(term, c)) {
            return *done;
        }
        self.steps += 1;
        if self.is_spent() {
            return NOTHING;
        }
        let result = match self.shape(term).clone() {
            Shape::Nothing | Shape::Empty => NOTHING,
            Shape::Class(set) => {
                if set.has(c) {
                    EMPTY
                } else {
                    NOTHING
                }
            }
            Shape::Cat(mut a, mut b) => {
                // Along the chain, not by recursion: patterns can be long.
                let mut ways = Vec::new();
                loop {
                    let first = self.derive(a, c);
                    ways.push(self.cat(first, b));
                    if !self.is_nullable(a) {
                        break;
                    }
                    if let Shape::Cat(next, rest) = *self.shape(b) {
                        (a, b) = (next, rest);
                    } else {
                        ways.push(self.derive(b, c));
                        break;
                    }
                }
                self.join(ways, true)
            }
            Shape::Or(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| self.derive(*p, c)).collect();
                self.join(parts, true)
            }
            Shape::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| self.derive(*p, c)).collect();
                self.join(parts, false)
            }
            Shape::Not(inner) => {
                let inner = self.derive(inner, c);
                self.not(inner)
            }
            Shape::Repeat(inner, min, max) => {
                let first = self.derive(inner, c);
                let rest = self.repeat(inner, min.saturating_sub(1), max.map(|m| m - 1));
                self.cat(first, rest)
            }
        };
        self.derived.insert((term, c), result);
        result
    }

    /// Whether the string is in the language.
    pub(crate) fn matches(&mut self, term: Term, text: &str) -> Option<bool> {
        let mut at = term;
        for c in text.chars() {
            at = self.derive(at, u32::from(c));
        }
        let end = self.derive(at, END);
        (!self.is_spent()).then(|| self.is_nullable(end))
    }

    /// One character for each way that the next one can matter.
    fn letters(&mut self, term: Term) -> Vec<u32> {
        if let Some(done) = self.cuts.get(&term) {
            return done.clone();
        }
        let mut cuts = BTreeSet::from([0u32]);
        let mut seen = HashSet::new();
        let mut queue = vec![term];
        while let Some(term) = queue.pop() {
            if term == ALL || !seen.insert(term) {
                continue;
            }
            self.steps += 1;
            match self.shape(term) {
                Shape::Nothing | Shape::Empty => {}
                Shape::Class(set) => cuts.extend(set.cuts()),
                Shape::Cat(a, b) => {
                    queue.push(*a);
                    if self.is_nullable(*a) {
                        queue.push(*b);
                    }
                }
                Shape::Or(parts) | Shape::And(parts) => queue.extend(parts),
                Shape::Not(inner) | Shape::Repeat(inner, ..) => queue.push(*inner),
            }
        }
        // Between two cuts every character acts alike: take one that reads well.
        let cuts: Vec<u32> = cuts.into_iter().filter(|c| *c < START).collect();
        let mut letters: Vec<u32> = Vec::with_capacity(cuts.len());
        for (i, low) in cuts.iter().enumerate() {
            let next = cuts.get(i + 1).copied().unwrap_or(START);
            let nice = [0x61, 0x41, 0x30, 0x20, 0x2d]
                .into_iter()
                .find(|c| (*low..next).contains(c));
            let letter = nice.or_else(|| {
                let visible = (*low).max(0x21);
                [visible, *low, 0xe000.max(*low)]
                    .into_iter()
                    .find(|c| *c < next && char::from_u32(*c).is_some())
            });
            letters.extend(letter);
        }
        letters.sort_by_key(|c| (!(0x30..0x7f).contains(c), *c != 0x61, *c));
        self.steps += letters.len() as u64;
        self.cuts.insert(term, letters.clone());
        letters
    }

    /// A shortest string of the language with a length (in code points) within bounds.
    pub(crate) fn find(&mut self, term: Term, min: u64, max: Option<u64>, limit: usize) -> Found {
        // Beyond the least length a state says all; below it, the length counts too.
        let mut seen: HashSet<(Term, u64)> = HashSet::from([(term, 0)]);
        let mut nodes: Vec<(Term, usize, u32, u64)> = vec![(term, usize::MAX, 0, 0)];
        let mut at = 0;
        while at < nodes.len() {
            let (state, _, _, length) = nodes[at];
            if length >= min {
                let end = self.derive(state, END);
                if self.is_nullable(end) {
                    return Found::Some(spell(&nodes, at));
                }
            }
            if max.is_none_or(|max| length < max) {
                for letter in self.letters(state) {
                    let next = self.derive(state, letter);
                    if next != NOTHING && seen.insert((next, (length + 1).min(min))) {
                        nodes.push((next, at, letter, length + 1));
                    }
                }
            }
            if nodes.len() > limit || self.is_spent() {
                return Found::TooLarge;
            }
            at += 1;
        }
        Found::None
    }
}

fn spell(nodes: &[(Term, usize, u32, u64)], mut at: usize) -> String {
    let mut text = Vec::new();
    while nodes[at].1 != usize::MAX {
        text.extend(char::from_u32(nodes[at].2));
        at = nodes[at].1;
    }
    text.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let mut terms = Terms::default();
        let term = terms.pattern(pattern).expect(pattern);
        terms.matches(term, text).unwrap()
    }

    #[test]
    fn a_pattern_is_searched_for_and_anchors_hold_it() {
        assert!(matches("b", "abc"));
        assert!(!matches("^b", "abc"));
        assert!(matches("^a|c$", "abc"));
        assert!(matches("^a|c$", "xxc"));
        assert!(!matches("^(a|c)$", "ac"));
        assert!(matches("^$", ""));
        assert!(!matches("^$", "a"));
        assert!(!matches("^.*$", "a\nb"));
        assert!(matches("(^|,)b", "a,b"));
    }

    #[test]
    fn classes_are_those_of_ecmascript() {
        assert!(!matches("^\\d$", "\u{9ea}"));
        assert!(!matches("^\\w$", "é"));
        assert!(matches("^\\s$", "\u{feff}"));
        assert!(matches("^[^a-c\\d]$", "é"));
        assert!(matches("^\\cC$", "\u{3}"));
        assert!(matches("^.$", "\u{1f600}"));
    }

    #[test]
    fn counted_and_look_ahead_patterns_are_exact() {
        assert!(matches("^a{2,3}$", "aaa"));
        assert!(!matches("^a{2,3}$", "aaaa"));
        assert!(matches("^(?=.*\\d)[a-z\\d]{3}$", "ab1"));
        assert!(!matches("^(?=.*\\d)[a-z\\d]{3}$", "abc"));
        assert!(!matches("^(?!foo$).*$", "foo"));
        assert!(matches("^(?!foo$).*$", "food"));
    }

    #[test]
    fn what_is_not_regular_has_no_language() {
        let mut terms = Terms::default();
        for pattern in [
            "(a)\\1", "(?<=a)b", "a\\b", "\\p{L}", "a{2", "(?i)a", "^^a", "a$(?=$)",
        ] {
            assert_eq!(terms.pattern(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn inclusion_and_joint_lengths_are_decided() {
        let mut terms = Terms::default();
        let narrow = terms.pattern("^[a-c]{1,5}$").unwrap();
        let wide = terms.pattern("^[a-z]+$").unwrap();
        let not_wide = terms.not(wide);
        let both = terms.and(narrow, not_wide);
        assert_eq!(terms.find(both, 0, None, 1_000), Found::None);
        let not_narrow = terms.not(narrow);
        let both = terms.and(wide, not_narrow);
        assert_eq!(
            terms.find(both, 0, Some(1), 1_000),
            Found::Some("d".to_owned())
        );
        assert_eq!(terms.find(narrow, 6, None, 1_000), Found::None);
        assert_eq!(
            terms.find(wide, 3, Some(3), 1_000),
            Found::Some("aaa".to_owned())
        );
    }
}
