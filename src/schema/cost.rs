//! How much work a validation would be, counted before the validator is asked.
//!
//! The validator library has no budget: twenty definitions that each apply the next one twice cost
//! a million visits for a single number. Here every visit of a subschema to a value is counted
//! without making it, by adding up instead of repeating, so that the count of work is cheap where
//! the work is not. The result depends on schema and instance alone.

use std::collections::HashMap;

use crate::json::Value;

use super::graph::{Graph, Node, Via};
use super::refs::Target;

/// More work than this is not begun. A step is about one subschema looking at one value.
pub(super) const MAX_STEPS: u64 = 2_000_000;
/// No more pairs of subschema and value are counted than this.
const MAX_PAIRS: usize = 300_000;
/// What one look at a value by a metaschema weighs.
const METASCHEMA_WEIGHT: u64 = 100;

/// What is needed of a schema to count the work of a validation.
#[derive(Debug)]
pub(super) struct Plan {
    nodes: Vec<PlanNode>,
    /// Sum of all weights.
    weight: u64,
    /// No subschema is reached in two ways, and none is looked at twice.
    is_tree: bool,
    /// How deep values nest around the deepest subschema.
    depth: usize,
}

#[derive(Debug)]
struct PlanNode {
    applies: Vec<(Part, u32)>,
    weight: u64,
    unevaluated: bool,
}

#[derive(Debug)]
enum Part {
    Same,
    Member(Box<str>),
    Members,
    MemberNames,
    Element(usize),
    Elements,
}

/// The work of one validation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// Visits, weighted.
    pub(super) steps: u64,
    /// The longest chain of visits, one inside the other.
    pub(super) levels: usize,
}

impl Plan {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut nodes: Vec<PlanNode> = graph.nodes.iter().map(plan_node).collect();
        for (reference, (from, _)) in graph.references.iter().zip(&graph.links) {
            if reference.target == Target::Metaschema {
                nodes[*from as usize].weight += METASCHEMA_WEIGHT;
            }
        }
        let is_tree = graph.references.is_empty() && nodes.iter().all(|node| !node.unevaluated);
        Plan {
            weight: nodes.iter().map(|node| node.weight).sum(),
            nodes,
            is_tree,
            depth: graph
                .nodes
                .iter()
                .map(|node| node.depth as usize)
                .max()
                .unwrap_or(0),
        }
    }

    /// The work of validating `instance`; none when it is beyond counting.
    pub(super) fn work(&self, instance: &Value) -> Option<Work> {
        let values = flatten(instance);
        if self.is_tree {
            let size: u64 = values.iter().map(|value| value.size).sum();
            let steps = self.weight.saturating_mul(size);
            if steps <= MAX_STEPS {
                // each visit inside another one goes down in the schema
                let levels = self.depth + 1;
                return Some(Work { steps, levels });
            }
        }
        self.count(&values)
    }

    /// Adds up from the leaves; no pair of subschema and value is looked at twice.
    fn count(&self, values: &[Flat]) -> Option<Work> {
        let mut done: HashMap<(u32, u32), Work> = HashMap::new();
        let mut path: Vec<(u32, u32, bool)> = vec![(0, 0, false)];
        let mut parts = Vec::new();
        while let Some((node, value, ready)) = path.pop() {
            if !ready && done.contains_key(&(node, value)) {
                continue;
            }
            self.parts(node, &values[value as usize], value, &mut parts);
            if ready {
                let plan = &self.nodes[node as usize];
                let own = plan.weight.saturating_mul(values[value as usize].size);
                let mut work = Work {
                    steps: own,
                    levels: 0,
                };
                for (part, times) in &parts {
                    // a pair that is still open is a loop, which callers have refused
                    let below = done.get(part).copied().unwrap_or_default();
                    let steps = below.steps.saturating_mul(*times);
                    work.steps = work.steps.saturating_add(steps);
                    work.levels = work.levels.max(below.levels);
                }
                work.levels += 1;
                done.insert((node, value), work);
            } else {
                if done.len() + path.len() > MAX_PAIRS {
                    return None;
                }
                path.push((node, value, true));
                path.extend(
                    parts
                        .iter()
                        .map(|((node, value), _)| (*node, *value, false)),
                );
            }
        }
        done.get(&(0, 0)).copied()
    }

    /// The visits that a visit of `node` to a value makes, and how often.
    fn parts(&self, node: u32, flat: &Flat, value: u32, parts: &mut Vec<((u32, u32), u64)>) {
        parts.clear();
        let plan = &self.nodes[node as usize];
        for (part, child) in &plan.applies {
            match part {
                Part::Same => {
                    let times = if plan.unevaluated { 2 } else { 1 };
                    parts.push(((*child, value), times));
                }
                Part::Member(name) => {
                    let named = flat.members.iter().filter(|(key, _)| *key == name.as_ref());
                    parts.extend(named.map(|(_, value)| ((*child, *value), 1)));
                }
                Part::Members | Part::MemberNames => {
                    parts.extend(flat.members.iter().map(|(_, value)| ((*child, *value), 1)));
                }
                Part::Element(i) => {
                    parts.extend(flat.elements.get(*i).map(|value| ((*child, *value), 1)));
                }
                Part::Elements => {
                    parts.extend(flat.elements.iter().map(|value| ((*child, *value), 1)));
                }
            }
        }
    }
}

fn plan_node(node: &Node) -> PlanNode {
    let length = |keyword| match node.value.get(keyword) {
        Some(Value::Array(list)) => list.len(),
        Some(Value::Object(map)) => map.len(),
        _ => 0,
    };
    let extra = length("enum") / 8 + length("required") + length("patternProperties");
    PlanNode {
        applies: node
            .applies
            .iter()
            .map(|(via, to)| (part(*via), *to))
            .collect(),
        weight: 1 + extra as u64,
        unevaluated: node.unevaluated,
    }
}

fn part(via: Via) -> Part {
    match via {
        Via::InPlace => Part::Same,
        Via::Member(name) => Part::Member(name.into()),
        Via::Members => Part::Members,
        Via::MemberNames => Part::MemberNames,
        Via::Element(i) => Part::Element(i),
        Via::Elements => Part::Elements,
    }
}

/// A value of the instance, with its parts as positions in one list.
struct Flat<'v> {
    size: u64,
    members: Vec<(&'v str, u32)>,
    elements: Vec<u32>,
}

/// All values of `instance`, itself first.
fn flatten(instance: &Value) -> Vec<Flat<'_>> {
    let mut values: Vec<Flat> = Vec::new();
    let mut queue = vec![instance];
    let mut next = 0;
    while let Some(&value) = queue.get(next) {
        next += 1;
        let mut flat = Flat {
            size: 1,
            members: Vec::new(),
            elements: Vec::new(),
        };
        match value {
            Value::String(text) => flat.size += text.len() as u64 / 64,
            Value::Array(items) => {
                for item in items {
                    flat.elements.push(position(&queue));
                    queue.push(item);
                }
            }
            Value::Object(object) => {
                for (key, member) in object.iter() {
                    flat.size += 1 + key.len() as u64 / 64;
                    flat.members.push((key, position(&queue)));
                    queue.push(member);
                }
            }
            _ => {}
        }
        values.push(flat);
    }
    values
}

fn position(queue: &[&Value]) -> u32 {
    u32::try_from(queue.len()).unwrap_or(u32::MAX)
}
