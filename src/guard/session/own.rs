//! The ids of the guard's own requests, which no agent can have chosen.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Makes ids of one length, so that two replies to the same question have the same length too.
#[derive(Debug)]
pub(super) struct OwnIds {
    prefix: String,
    count: u64,
}

impl OwnIds {
    pub(super) fn new() -> Self {
        let (one, two) = (RandomState::new(), RandomState::new());
        OwnIds {
            prefix: format!(
                "mcplock-{:016x}{:016x}-",
                one.hash_one(std::process::id()),
                two.hash_one(std::process::id())
            ),
            count: 0,
        }
    }

    /// The next id, as the text of a JSON string without its quotes.
    pub(super) fn next(&mut self) -> String {
        self.count += 1;
        format!("{}{:012x}", self.prefix, self.count)
    }

    /// Whether a key (see [`super::super::scan::id_key`]) is that of one of these.
    pub(super) fn is_own(&self, key: &str) -> bool {
        key.strip_prefix('s')
            .is_some_and(|text| text.starts_with(&self.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::scan::id_key;

    #[test]
    fn ids_are_known_again_and_differ_between_sessions() {
        let (mut one, mut two) = (OwnIds::new(), OwnIds::new());
        let (a, b) = (one.next(), two.next());
        assert_eq!(a.len(), b.len());
        assert_ne!(a, one.next());
        let key = id_key(&format!("\"{a}\"")).unwrap();
        assert!(one.is_own(&key) && !two.is_own(&key));
    }
}
