//! The lockfile changed while the session runs.

use std::time::Instant;

use crate::catalog::Kind;
use crate::text::visible;

use super::super::decision::Decision;
use super::super::gate::Gate;
use super::Session;

impl Session {
    /// From now on this gate decides, or nothing passes for that reason.
    pub(in super::super) fn repinned(&mut self, gate: Result<Gate, Box<Decision>>, now: Instant) {
        self.tick();
        let same = match (&self.gate, &gate) {
            (Ok(old), Ok(new)) => old.entry() == new.entry(),
            (Err(old), Err(new)) => old == new,
            _ => false,
        };
        if same {
            return;
        }
        match &gate {
            Ok(gate) => self.log.event(
                "lockfile",
                &format!(
                    "the lockfile pins another `{}` now: the agent has to list again",
                    visible(gate.entry().name.as_str())
                ),
            ),
            Err(decision) => self.log.event(
                "lockfile",
                &format!("nothing passes any more: {}", decision.message),
            ),
        }
        self.gate = gate;
        self.known.clear();
        self.listings.clear();
        for kind in Kind::ALL {
            self.view.drop_list(kind);
        }
        self.served.forget();
        if self.instructions.is_some() || self.served.instructions().is_some() {
            self.judge_instructions();
        }
        let offered = self.offered.clone().unwrap_or_else(|| vec![Kind::Tool]);
        for kind in offered {
            // One notification is for resources and templates alike.
            if kind != Kind::ResourceTemplate {
                self.announce_change(kind);
            }
        }
        self.pump(now);
    }
}
