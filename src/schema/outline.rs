//! The subschemas of a schema, one after the other, for those who judge each alone.

use crate::json::{Pointer, Value};

use super::Dialect;
use super::graph::Graph;
use super::quick::Quick;
use super::refs::{References, TooManySubschemas, loops};
use super::validate::{Validator, Verdict};

/// All subschemas of one document, and its references.
pub struct Outline<'v> {
    graph: Graph<'v>,
    root: &'v Value,
    dialect: Dialect,
}

/// One subschema of an [`Outline`].
#[derive(Clone, Copy)]
pub struct Subschema<'o, 'v> {
    outline: &'o Outline<'v>,
    node: u32,
}

impl<'v> Outline<'v> {
    /// The outline of `schema`, whose root is read in `dialect` unless it declares a known one.
    pub fn of(schema: &'v Value, dialect: Dialect) -> Result<Self, TooManySubschemas> {
        let graph = Graph::of(schema, dialect).map_err(|_| TooManySubschemas)?;
        Ok(Outline {
            graph,
            root: schema,
            dialect,
        })
    }

    /// The references.
    pub fn references(&self) -> References {
        References {
            references: self.graph.references.clone(),
            loops: loops(&self.graph),
            unknown_dialects: self.graph.unknown_dialects.clone(),
        }
    }

    /// The subschemas that count: not what a `$ref` hides. The root comes first.
    pub fn subschemas(&self) -> impl Iterator<Item = Subschema<'_, 'v>> {
        let count = u32::try_from(self.graph.nodes.len()).unwrap_or(u32::MAX);
        (0..count).map(|node| Subschema {
            outline: self,
            node,
        })
    }
}

impl<'v> Subschema<'_, 'v> {
    /// The subschema itself.
    pub fn value(&self) -> &'v Value {
        self.outline.graph.nodes[self.node as usize].value
    }

    /// The dialect that it is read in.
    pub fn dialect(&self) -> Dialect {
        self.outline.graph.nodes[self.node as usize].dialect
    }

    /// Where it is.
    pub fn pointer(&self) -> Pointer {
        self.outline.graph.pointer(self.node)
    }

    /// Whether everything beside its `$ref` is ignored.
    pub fn is_mere_reference(&self) -> bool {
        self.dialect().ref_hides_siblings()
            && matches!(self.value().get("$ref"), Some(Value::String(_)))
    }

    /// Whether it takes `instance`; none when that could not be told within the bounds. `trials`
    /// is how often the validator may still be asked for what can't be told at a glance.
    pub fn takes(&self, instance: &Value, trials: &mut usize) -> Option<bool> {
        let at_a_glance = Quick::new(&self.outline.graph).takes(self.node, instance);
        if at_a_glance.is_some() || *trials == 0 {
            return at_a_glance;
        }
        *trials -= 1;
        let validator = Validator::at(self.outline.root, &self.pointer(), self.outline.dialect);
        match validator.ok()?.validate(instance) {
            Verdict::Valid => Some(true),
            Verdict::Invalid(_) => Some(false),
            Verdict::OverBudget(_) => None,
        }
    }
}
