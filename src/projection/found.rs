//! What a walk through two schemas finds.

use std::collections::HashMap;

use crate::compare::Witness;
use crate::json::{Pointer, Value};

use super::fragment::Step;
use super::words;

/// A constraint of which the other side admits, or may admit, what it refuses.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The constraint's place in the own document.
    pub(super) at: Pointer,
    /// The schema that it stands in.
    pub(super) place: Pointer,
    /// Its keyword, or the several that stand below a place that the other side lacks.
    pub(super) keywords: Vec<String>,
    /// The argument, as people name it: `filters[].op`; empty for all of them.
    pub(super) path: String,
    /// The `allOf` branches and references that the constraint stands in, outermost first.
    pub(super) groups: Vec<Pointer>,
    /// What stands there, and what the other side has in its place.
    pub(super) own: Option<Value>,
    pub(super) other: Option<Value>,
    /// A call that shows it; none when it could not be decided.
    pub(super) witness: Option<Witness>,
}

/// A name that the own side declares and the other one does not.
#[derive(Debug, Clone)]
pub(super) struct Missing {
    /// Its place in the own document.
    pub(super) at: Pointer,
    /// The argument that it is a member of; empty for the arguments themselves.
    pub(super) path: String,
    /// The name.
    pub(super) name: String,
    /// Its schema.
    pub(super) schema: Value,
    /// Whether it must be given.
    pub(super) required: bool,
    /// How its object is reached.
    pub(super) route: Vec<Step>,
    /// The other side declares nothing at all there.
    pub(super) nothing_declared: bool,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) hits: Vec<Hit>,
    pub(super) missing: Vec<Missing>,
    pub(super) words: Vec<words::Difference>,
    /// How many constraints each `allOf` branch and reference holds, kept ones included.
    pub(super) in_group: HashMap<Pointer, usize>,
    /// The engine was asked too often; the rest was not looked at.
    pub(super) gave_up: bool,
}

/// What a walk is to find, beside names that only one side declares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// What is read beside the constraints.
    pub(super) words: bool,
    /// Lost constraints: not where the whole is known to be within the other.
    pub(super) constraints: bool,
}
