//! The names that a document declares, as a tree that needs no document any more.

use std::collections::BTreeMap;

use super::declared::Openness;
use super::{Lowering, Place};

/// Deeper declarations are not looked at.
const DEPTH_LIMIT: usize = 8;
/// Nor more locations than this.
const SIZE_LIMIT: usize = 3_000;

/// What is declared at one location of the instances.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The names, with what is declared below; none where the tree was cut.
    pub(crate) names: BTreeMap<String, Option<Shape>>,
    /// The patterns that declare names.
    pub(crate) patterns: Vec<String>,
    /// What is said of other names.
    pub(crate) openness: Openness,
    /// What is declared of items.
    pub(crate) items: Option<Box<Shape>>,
}

impl Lowering<'_, '_> {
    /// The declarations of the whole document.
    pub(crate) fn shape(&mut self) -> Option<Shape> {
        let start = self.start();
        self.shape_of(&[start], DEPTH_LIMIT, &mut { SIZE_LIMIT })
    }

    fn shape_of(&mut self, places: &[Place], depth: usize, budget: &mut usize) -> Option<Shape> {
        let depth = depth.checked_sub(1)?;
        *budget = budget.checked_sub(1)?;
        let declared = self.declared(places);
        let mut names = BTreeMap::new();
        for name in declared.names.keys() {
            let member = self.of_member(&declared, name);
            let below = self.shape_of(&member, depth, budget);
            names.insert((*name).to_owned(), below);
        }
        let items = if declared.items.is_empty() {
            None
        } else {
            self.shape_of(&declared.items, depth, budget).map(Box::new)
        };
        Some(Shape {
            names,
            patterns: declared
                .patterns
                .iter()
                .map(|(p, _)| (*p).to_owned())
                .collect(),
            openness: declared.openness,
            items,
        })
    }
}
