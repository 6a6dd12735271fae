//! What a careful caller sends: declared names only.

use super::super::ir::{Arena, Id, Node};
use super::{Lowering, Place, State};

impl Lowering<'_, '_> {
    /// The values in which every object uses only the names that the document declares for it.
    ///
    /// An object is closed so when nothing is said of other names; below the root only if some
    /// name is declared, for an object that declares none is a free map.
    pub(crate) fn careful(&mut self) -> Id {
        let start = self.start();
        self.closing(vec![start], true)
    }

    fn closing(&mut self, places: Vec<Place>, root: bool) -> Id {
        if places.is_empty() {
            return Arena::TRUE;
        }
        match self.closings.get_mut(&places) {
            Some(State::Done(id)) => return *id,
            Some(State::Open(slot)) => {
                let slot = *slot.get_or_insert_with(|| self.arena.slot());
                return self.arena.add(Node::Ref(slot));
            }
            None => {}
        }
        if self.depth >= super::DEPTH_LIMIT / 2 {
            return Arena::TRUE;
        }
        self.depth += 1;
        self.closings.insert(places.clone(), State::Open(None));
        let id = self.close(&places, root);
        self.depth -= 1;
        if let Some(State::Open(Some(slot))) = self.closings.insert(places, State::Done(id)) {
            self.arena.fill(slot, id);
        }
        id
    }

    fn close(&mut self, places: &[Place], root: bool) -> Id {
        let declared = self.declared(places);
        let mut parts = Vec::new();
        let names: Vec<&str> = declared.names.keys().copied().collect();
        let declares = root || !names.is_empty() || !declared.patterns.is_empty();
        if declares && !declared.expressly_open {
            let mut covered = vec![self.arena.names(names.iter().map(|n| (*n).to_owned()))];
            for (pattern, _) in &declared.patterns {
                covered.push(self.arena.pattern(pattern));
            }
            let covered = self.arena.or(covered);
            let others = self.arena.not(covered);
            parts.push(self.arena.members(others, Arena::FALSE));
        }
        for name in names {
            let member = self.of_member(&declared, name);
            let inner = self.closing(member, false);
            parts.push(self.arena.member(name, inner));
        }
        let items = self.closing(declared.items, false);
        parts.push(self.arena.items_from(0, items));
        self.arena.and(parts)
    }
}
