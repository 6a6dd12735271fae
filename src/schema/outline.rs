//! The subschemas of a schema, one after the other, for those who judge each alone.

use crate::json::{Pointer, Value};

use super::Dialect;
use super::graph::Graph;
use super::quick::Quick;
use super::refs::{References, TooManySubschemas, loops};
use super::validate::Validator;
use super::verdict::{Formats, Verdict};

/// All subschemas of one document, and its references.
pub struct Outline<'v> {
    graph: Graph<'v>,
    root: &'v Value,
    dialect: Dialect,
    formats: Formats,
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
            formats: Formats::default(),
        })
    }

    /// The same, whose subschemas take values by `formats`.
    #[must_use]
    pub fn with(mut self, formats: Formats) -> Self {
        self.formats = formats;
        self
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

    /// Whether it takes `instance`; none when that could not be told within `budget`. Of its
    /// keywords `except` does not count.
    pub fn takes(
        &self,
        instance: &Value,
        except: Option<&'static str>,
        budget: &mut Budget,
    ) -> Option<bool> {
        let graph = &self.outline.graph;
        let formats = self.outline.formats;
        let at_a_glance = Quick::new(graph, &mut budget.looks, except)
            .with(formats)
            .takes(self.node, instance);
        if at_a_glance.is_some() || budget.trials == 0 {
            return at_a_glance;
        }
        budget.trials -= 1;
        let validator = Validator::at(
            self.outline.root,
            &self.pointer(),
            self.outline.dialect,
            formats,
        );
        match validator.ok()?.validate(instance) {
            Verdict::Valid => Some(true),
            // the keyword that does not count may be the one that refuses
            Verdict::Invalid(_) if except.is_some() => None,
            Verdict::Invalid(_) => Some(false),
            Verdict::OverBudget(_) => None,
        }
    }
}

/// How much may be spent on the questions about one schema.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Subschemas and values that may be looked at.
    looks: usize,
    /// How often a validator may be built for what can't be told at a glance.
    trials: usize,
}

impl Budget {
    /// The budget for all questions about the schema of `outline`.
    pub fn of(outline: &Outline) -> Self {
        let is_small = outline.graph.nodes.len() <= 2_000;
        Budget {
            looks: 500_000,
            trials: if is_small { 16 } else { 0 },
        }
    }
}
