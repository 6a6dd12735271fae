//! From a schema of any dialect to the arena's one form.
//!
//! What can't be modelled exactly becomes a set that is equal only to itself, so that nothing is
//! ever proved from a misreading. Nothing is fetched.

mod applicators;
mod close;
mod declared;
mod keywords;
mod shape;
mod unevaluated;

use std::collections::HashMap;

use crate::canonical::canonical;
use crate::json::{Object, Value};
use crate::schema::Dialect;
use crate::schema::graph::Graph;
use crate::schema::refs::{RefKeyword, Target};

use super::ir::{Arena, Id, Node, Slot};

pub(crate) use declared::Openness;
pub(crate) use shape::Shape;

/// Subschemas nested or referred to deeper than this are not modelled.
const DEPTH_LIMIT: usize = 100;
/// Nor are more nodes than this.
const NODE_LIMIT: usize = 100_000;

/// The resources entered so far, outermost first: what `$dynamicRef` depends on.
type Scope = Vec<u32>;

/// A subschema in a dynamic scope.
pub(crate) type Place = (u32, u32);

enum State {
    Open(Option<Slot>),
    Done(Id),
}

/// One document while it is lowered.
pub(crate) struct Lowering<'a, 'v> {
    graph: &'a Graph<'v>,
    arena: &'a mut Arena,
    /// What the references of each subschema lead to.
    links: HashMap<u32, Vec<(RefKeyword, usize)>>,
    memo: HashMap<Place, State>,
    scopes: Vec<Scope>,
    scope_index: HashMap<Scope, u32>,
    has_dynamic: bool,
    closings: HashMap<Vec<Place>, State>,
    depth: usize,
}

impl<'a, 'v> Lowering<'a, 'v> {
    pub(crate) fn new(graph: &'a Graph<'v>, arena: &'a mut Arena) -> Self {
        let mut links: HashMap<u32, Vec<(RefKeyword, usize)>> = HashMap::new();
        let mut has_dynamic = false;
        for (i, (from, targets)) in graph.links.iter().enumerate() {
            let keyword = graph.references[i].keyword;
            links.entry(*from).or_default().push((keyword, i));
            has_dynamic |= keyword != RefKeyword::Ref && targets.len() > 1;
        }
        Lowering {
            graph,
            arena,
            links,
            memo: HashMap::new(),
            scopes: vec![Vec::new()],
            scope_index: HashMap::from([(Vec::new(), 0)]),
            has_dynamic,
            closings: HashMap::new(),
            depth: 0,
        }
    }

    /// The set of values that the document accepts.
    pub(crate) fn root(&mut self) -> Id {
        let place = self.start();
        self.place(place)
    }

    /// The document itself.
    pub(crate) fn start(&mut self) -> Place {
        self.enter((0, 0), 0)
    }

    fn value(&self, place: Place) -> &'v Value {
        self.graph.nodes[place.0 as usize].value
    }

    fn dialect(&self, place: Place) -> Dialect {
        self.graph.nodes[place.0 as usize].dialect
    }

    /// `node` as reached from `from`.
    fn enter(&mut self, from: Place, node: u32) -> Place {
        if !self.has_dynamic {
            return (node, 0);
        }
        let resource = self.graph.nodes[node as usize].resource;
        let scope = &self.scopes[from.1 as usize];
        if scope.contains(&resource) {
            return (node, from.1);
        }
        let mut scope = scope.clone();
        scope.push(resource);
        let next = u32::try_from(self.scopes.len()).unwrap_or(u32::MAX);
        let index = *self.scope_index.entry(scope.clone()).or_insert(next);
        if index == next {
            self.scopes.push(scope);
        }
        (node, index)
    }

    /// A subschema that stands inside another.
    fn child(&mut self, from: Place, value: &'v Value) -> Option<Place> {
        let node = self.graph.node_of(value)?;
        Some(self.enter(from, node))
    }

    /// The set of a subschema inside another.
    fn sub(&mut self, from: Place, value: &'v Value) -> Id {
        match value {
            Value::Bool(value) => Arena::bool(*value),
            _ => match self.child(from, value) {
                Some(place) => self.place(place),
                None => self.unknown(),
            },
        }
    }

    /// A set about which nothing is known.
    fn unknown(&mut self) -> Id {
        self.arena.unknown()
    }

    /// A set that is the same wherever keyword and value are, as far as that can be known.
    fn unmodelled(&mut self, dialect: Dialect, keyword: &str, value: &Value) -> Id {
        let text = canonical(value);
        if text.contains("Ref\"") || text.contains("$ref\"") {
            return self.unknown();
        }
        self.arena
            .add(Node::Opaque(format!("{dialect} {keyword} {text}")))
    }

    fn place(&mut self, place: Place) -> Id {
        match self.memo.get_mut(&place) {
            Some(State::Done(id)) => return *id,
            Some(State::Open(slot)) => {
                let slot = *slot.get_or_insert_with(|| self.arena.slot());
                return self.arena.add(Node::Ref(slot));
            }
            None => {}
        }
        if self.depth >= DEPTH_LIMIT || self.arena.len() > NODE_LIMIT {
            return self.unknown();
        }
        self.depth += 1;
        self.memo.insert(place, State::Open(None));
        let id = self.schema(place);
        self.depth -= 1;
        if let Some(State::Open(Some(slot))) = self.memo.insert(place, State::Done(id)) {
            self.arena.fill(slot, id);
        }
        id
    }

    fn schema(&mut self, place: Place) -> Id {
        let object = match self.value(place) {
            Value::Bool(value) => return Arena::bool(*value),
            Value::Object(object) => object,
            _ => return self.unknown(),
        };
        let mut parts = Vec::new();
        self.references(place, &mut parts);
        if !self.hides_siblings(place, object) {
            self.keywords(place, object, &mut parts);
            self.applicators(place, object, &mut parts);
            self.unevaluated(place, object, &mut parts);
        }
        self.arena.and(parts)
    }

    /// Up to draft 7, `$ref` is all that a schema with one says.
    fn hides_siblings(&self, place: Place, object: &Object) -> bool {
        self.dialect(place).ref_hides_siblings()
            && matches!(object.get("$ref"), Some(Value::String(_)))
    }

    fn references(&mut self, place: Place, parts: &mut Vec<Id>) {
        for (keyword, link) in self.links.get(&place.0).cloned().unwrap_or_default() {
            let id = match self.target(place, keyword, link) {
                Some(target) => self.place(target),
                None if self.graph.references[link].target == Target::Metaschema => {
                    let text = format!("metaschema {}", self.graph.references[link].text);
                    self.arena.add(Node::Opaque(text))
                }
                None => self.unknown(),
            };
            parts.push(id);
        }
    }

    /// What a reference leads to from here.
    fn target(&mut self, place: Place, keyword: RefKeyword, link: usize) -> Option<Place> {
        let targets = &self.graph.links[link].1;
        let start = *targets.first()?;
        let mut target = start;
        if keyword != RefKeyword::Ref && targets.len() > 1 {
            // The outermost resource of the dynamic scope that holds a candidate decides
            // (2020-12 core, section 8.2.3.2; 2019-09 core, section 8.2.4.2).
            let scope = &self.scopes[place.1 as usize];
            let outermost = scope.iter().find_map(|resource| {
                targets
                    .iter()
                    .find(|t| self.graph.nodes[**t as usize].resource == *resource)
            });
            target = outermost.copied().unwrap_or(start);
        }
        Some(self.enter(place, target))
    }
}
