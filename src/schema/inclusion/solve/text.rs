//! Strings: length, patterns, and values left out.

use super::super::regex::{Found, Terms};
use super::super::val::Val;
use super::facts::Facts;
use super::{Answer, Solver};

/// States that a search through a language may visit.
const STATE_LIMIT: usize = 4_000;
/// Longer strings are not made up.
const LENGTH_LIMIT: u64 = 20_000;

impl Solver<'_> {
    /// Whether a string satisfies the facts.
    pub(super) fn text(&mut self, facts: &Facts) -> Answer {
        if facts.max.is_some_and(|max| max < facts.min) {
            return Answer::Empty;
        }
        let excluded: Vec<&str> = facts
            .excluded
            .iter()
            .filter_map(|v| match v {
                Val::Str(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if facts.patterns.is_empty() {
            return plain(facts, &excluded);
        }
        let mut term = Terms::EVERY;
        let mut known = true;
        for (pattern, yes) in &facts.patterns {
            let Some(language) = self.arena.language(*pattern) else {
                known = false;
                continue;
            };
            let language = if *yes {
                language
            } else {
                self.arena.terms.not(language)
            };
            term = self.arena.terms.and(term, language);
        }
        if !excluded.is_empty() {
            let words = self.arena.terms.words(excluded);
            let others = self.arena.terms.not(words);
            term = self.arena.terms.and(term, others);
        }
        match self
            .arena
            .terms
            .find(term, facts.min, facts.max, STATE_LIMIT)
        {
            Found::None => Answer::Empty,
            Found::Some(text) if known => Answer::Open(Some(Val::Str(text))),
            _ => Answer::Open(None),
        }
    }
}

/// Without patterns there are more strings than can be left out, except of length 0.
fn plain(facts: &Facts, excluded: &[&str]) -> Answer {
    if facts.max == Some(0) {
        return if excluded.contains(&"") {
            Answer::Empty
        } else {
            Answer::Open(Some(Val::Str(String::new())))
        };
    }
    if facts.min > LENGTH_LIMIT {
        return Answer::Open(None);
    }
    let length = usize::try_from(facts.min).unwrap_or(0);
    let short = "a".repeat(length);
    if !excluded.contains(&short.as_str()) {
        return Answer::Open(Some(Val::Str(short)));
    }
    let length = length.max(1);
    let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
    let mut found = letters
        .clone()
        .map(|c| "a".repeat(length - 1) + &c.to_string());
    let mut found = found.find(|text| !excluded.contains(&text.as_str()));
    if found.is_none() {
        let next = |n: u32| char::from_u32(0x4e00 + n);
        found = (0..=u32::try_from(excluded.len()).unwrap_or(0))
            .filter_map(next)
            .map(|c| "a".repeat(length - 1) + &c.to_string())
            .find(|text| !excluded.contains(&text.as_str()));
    }
    Answer::Open(found.map(Val::Str))
}
