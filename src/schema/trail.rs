//! Ways from the root of a document to its values, which share their beginnings.
//!
//! A JSON Pointer for each of a hundred thousand values would cost the square of their depth; a
//! pointer is built only for the few that are named.

use crate::json::Pointer;

/// One way, valid in the [`Trails`] that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trail(u32);

impl Trail {
    /// The whole document.
    pub(super) const ROOT: Trail = Trail(u32::MAX);
}

#[derive(Debug, Clone, Copy)]
enum Token<'v> {
    Key(&'v str),
    Index(usize),
}

/// The ways of one document.
#[derive(Debug, Default)]
pub(super) struct Trails<'v> {
    steps: Vec<(Trail, Token<'v>)>,
}

impl<'v> Trails<'v> {
    /// `trail` and one more member name.
    pub(super) fn key(&mut self, trail: Trail, key: &'v str) -> Trail {
        self.step(trail, Token::Key(key))
    }

    /// `trail` and one more index.
    pub(super) fn index(&mut self, trail: Trail, index: usize) -> Trail {
        self.step(trail, Token::Index(index))
    }

    fn step(&mut self, trail: Trail, token: Token<'v>) -> Trail {
        let next = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        self.steps.push((trail, token));
        Trail(next)
    }

    /// The JSON Pointer of `trail`.
    pub(super) fn pointer(&self, trail: Trail) -> Pointer {
        let mut tokens = Vec::new();
        let mut at = trail;
        while let Some((before, token)) = self.steps.get(at.0 as usize) {
            tokens.push(*token);
            at = *before;
        }
        tokens
            .iter()
            .rev()
            .fold(Pointer::root(), |way, token| match token {
                Token::Key(key) => way.key(key),
                Token::Index(index) => way.index(*index),
            })
    }
}
