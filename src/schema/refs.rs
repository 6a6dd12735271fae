//! The references of a schema: where each leads, and which lead back to themselves.
//!
//! Nothing is fetched: a reference that leaves the document is [`Target::External`], whatever it
//! names.

use std::collections::HashMap;

use crate::json::{Pointer, Value};

use super::Dialect;
use super::graph::{Graph, Via};

/// The keyword of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefKeyword {
    /// `$ref`
    Ref,
    /// `$dynamicRef` (2020-12)
    DynamicRef,
    /// `$recursiveRef` (2019-09)
    RecursiveRef,
}

impl RefKeyword {
    /// The keyword itself.
    pub fn word(self) -> &'static str {
        match self {
            RefKeyword::Ref => "$ref",
            RefKeyword::DynamicRef => "$dynamicRef",
            RefKeyword::RecursiveRef => "$recursiveRef",
        }
    }
}

/// One reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The keyword's place, e.g. `/properties/a/$ref`.
    pub pointer: Pointer,
    /// The keyword.
    pub keyword: RefKeyword,
    /// Its value, which may be hostile and may hold credentials.
    pub text: String,
    /// Where it leads; of a dynamic one, where it leads at first.
    pub target: Target,
}

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// To the subschema at this place of the document.
    Resolved(Pointer),
    /// Into the metaschema of a published dialect, which needs no fetching.
    Metaschema,
    /// Out of the document.
    External,
    /// To nothing in the document.
    Dangling,
    /// To a value of the document that is no schema.
    NotASchema(Pointer),
}

/// All references of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct References {
    /// The references, in document order as far as they stand in it.
    pub references: Vec<Reference>,
    /// Loops that never consume any of the instance; each is the references that make it up, as
    /// positions in `references`.
    pub loops: Vec<Vec<usize>>,
    /// The `$schema` members of embedded resources, and of the root, that name no known dialect.
    pub unknown_dialects: Vec<Pointer>,
}

/// The schema has so many subschemas and references that it is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManySubschemas;

/// The references of `schema`, whose root is read in `dialect` unless it declares a known one.
pub fn references(schema: &Value, dialect: Dialect) -> Result<References, TooManySubschemas> {
    let graph = Graph::of(schema, dialect).map_err(|_| TooManySubschemas)?;
    Ok(References {
        loops: loops(&graph),
        references: graph.references,
        unknown_dialects: graph.unknown_dialects,
    })
}

/// The references inside each strongly connected part of the in-place applications.
pub(super) fn loops(graph: &Graph) -> Vec<Vec<usize>> {
    if graph.references.is_empty() {
        return Vec::new();
    }
    let part = parts(graph);
    let mut number: HashMap<u32, usize> = HashMap::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (i, (from, targets)) in graph.links.iter().enumerate() {
        let own = part[*from as usize];
        if targets.iter().any(|&target| part[target as usize] == own) {
            let which = *number.entry(own).or_insert(found.len());
            if which == found.len() {
                found.push(Vec::new());
            }
            found[which].push(i);
        }
    }
    found
}

/// Tarjan's algorithm with its own stack: for each node the number of its strongly connected
/// part, over in-place applications only.
fn parts(graph: &Graph) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let count = graph.nodes.len();
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut part = vec![UNSEEN; count];
    let mut open: Vec<usize> = Vec::new();
    let mut next_order = 0;
    let mut next_part = 0;
    for start in 0..count {
        if order[start] != UNSEEN {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                open.push(node);
            }
            let edges = &graph.nodes[node].applies;
            let mut edge = edge;
            let mut deeper = None;
            while let Some((via, target)) = edges.get(edge) {
                edge += 1;
                let target = *target as usize;
                if *via != Via::InPlace {
                    continue;
                }
                if order[target] == UNSEEN {
                    deeper = Some(target);
                    break;
                }
                if part[target] == UNSEEN {
                    low[node] = low[node].min(order[target]);
                }
            }
            if let Some(target) = deeper {
                path.push((node, edge));
                path.push((target, 0));
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    part[member] = next_part;
                    if member == node {
                        break;
                    }
                }
                next_part += 1;
            }
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    part
}
