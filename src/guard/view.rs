//! What a server lists now, judged item by item.
//!
//! Pure. A list is replaced as a whole or not at all.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::canonical::Digest;
use crate::catalog::Kind;
use crate::protocol::Revision;
use crate::rules::Finding;

use super::decision::Reason;

/// What a server's lists may depend on, as far as the agent decides it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    /// The revision that agent and server agreed on.
    pub revision: Option<Revision>,
    /// The capabilities that the agent declared; none when that is not known.
    pub declared: Option<Vec<String>>,
}

/// How the live contract of one item stands to the pinned one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// [`Reason::Equal`], [`Reason::Tolerated`], [`Reason::Drift`], [`Reason::NotPinned`],
    /// [`Reason::Unfit`], [`Reason::Twice`] or [`Reason::Ignored`].
    pub reason: Reason,
    /// Digest of the live contract, if it has one.
    pub live: Option<Digest>,
    /// Digest of the pinned contract, if it is pinned.
    pub pinned: Option<Digest>,
    /// What the rules say of the difference.
    pub findings: Vec<Finding>,
}

impl Standing {
    pub(super) fn new(reason: Reason, pinned: Option<Digest>, live: Option<Digest>) -> Self {
        Standing {
            reason,
            live,
            pinned,
            findings: Vec::new(),
        }
    }
}

/// A complete list of one kind, or one page of it, judged.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// In the order of the list: the key, if the item has one, and how it stands.
    items: Vec<(Option<Rc<str>>, Rc<Standing>)>,
    by_key: HashMap<Rc<str>, Rc<Standing>>,
}

impl Judged {
    pub(super) fn push(&mut self, key: Option<&str>, standing: Standing) {
        let key: Option<Rc<str>> = key.map(Rc::from);
        let mut standing = Rc::new(standing);
        if let Some(key) = &key {
            if let Some(other) = self.by_key.get(key) {
                // Which of the two a call would reach, nobody knows.
                standing = Rc::new(Standing {
                    reason: Reason::Twice,
                    ..(**other).clone()
                });
                for (of, item) in &mut self.items {
                    if of.as_ref() == Some(key) {
                        *item = Rc::clone(&standing);
                    }
                }
            }
            self.by_key.insert(Rc::clone(key), Rc::clone(&standing));
        }
        self.items.push((key, standing));
    }

    /// The items in the order of the list.
    pub fn items(&self) -> impl ExactSizeIterator<Item = (Option<&str>, &Standing)> {
        self.items
            .iter()
            .map(|(key, standing)| (key.as_deref(), &**standing))
    }

    /// How the item called `key` stands.
    pub fn get(&self, key: &str) -> Option<&Standing> {
        self.by_key.get(key).map(|standing| &**standing)
    }
}

/// Complete lists of a server, as one agent would get them.
#[derive(Debug, Clone, Default)]
pub struct View {
    agent: Agent,
    lists: BTreeMap<Kind, Judged>,
}

impl View {
    /// A view of nothing, for `agent`.
    pub fn new(agent: Agent) -> Self {
        View {
            agent,
            lists: BTreeMap::new(),
        }
    }

    /// For whom it is.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Puts a complete list in the place of the one of its kind.
    pub fn put(&mut self, kind: Kind, list: Judged) {
        self.lists.insert(kind, list);
    }

    /// The list of a kind, if it was put here.
    pub fn list(&self, kind: Kind) -> Option<&Judged> {
        self.lists.get(&kind)
    }

    /// Forgets a list.
    pub fn drop_list(&mut self, kind: Kind) {
        self.lists.remove(&kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_items_with_one_key_neither_is_relied_on() {
        let equal = Standing::new(Reason::Equal, None, Some(Digest::of(b"a")));
        let mut list = Judged::default();
        list.push(Some("x"), equal.clone());
        list.push(Some("y"), equal.clone());
        list.push(Some("x"), equal);
        let reasons: Vec<Reason> = list.items().map(|(_, standing)| standing.reason).collect();
        assert_eq!(reasons, [Reason::Twice, Reason::Equal, Reason::Twice]);
        assert_eq!(list.get("x").unwrap().reason, Reason::Twice);
    }
}
