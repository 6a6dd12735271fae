//! The subschemas of a schema, how each is applied, and where its references lead.
//!
//! Iterative throughout: neither nesting nor a long chain of references costs stack. What is data
//! (`const`, `enum`, `default`, `examples`, unknown keywords) is never entered, unless a reference
//! points into it.

use std::collections::{HashMap, HashSet};

use crate::json::{Object, Pointer, Value};

use super::dialect::{Declared, Dialect, declared};
use super::keywords::{Application, Shape, application, shape};
use super::refs::{RefKeyword, Reference, Target};
use super::trail::{Trail, Trails};
use super::uri::{Uri, percent_decode};

/// A schema with more subschemas and references than this is not judged.
pub(super) const MAX_NODES: usize = 50_000;

/// How a schema applies one of its subschemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Via<'v> {
    /// To the instance itself.
    InPlace,
    /// To the member of that name.
    Member(&'v str),
    /// To any member.
    Members,
    /// To the name of any member.
    MemberNames,
    /// To the element at that index.
    Element(usize),
    /// To any element.
    Elements,
}

/// One subschema.
#[derive(Debug)]
pub(super) struct Node<'v> {
    pub(super) value: &'v Value,
    pub(super) dialect: Dialect,
    trail: Trail,
    pub(super) resource: u32,
    /// The subschemas that it applies, through references too.
    pub(super) applies: Vec<(Via<'v>, u32)>,
    /// How many values nest around it, from the root of the document.
    pub(super) depth: u32,
    /// Whether it looks at what its neighbours leave unevaluated.
    pub(super) unevaluated: bool,
}

struct Resource {
    base: Uri,
    root: u32,
}

/// A reference that is found but not yet resolved.
struct Found<'v> {
    from: u32,
    keyword: RefKeyword,
    text: &'v str,
}

/// The graph of one document.
pub(super) struct Graph<'v> {
    pub(super) nodes: Vec<Node<'v>>,
    pub(super) references: Vec<Reference>,
    /// For each reference, the nodes that it connects; a dynamic one may connect several.
    pub(super) links: Vec<(u32, Vec<u32>)>,
    /// Resource roots whose `$schema` is not known.
    pub(super) unknown_dialects: Vec<Pointer>,
    trails: Trails<'v>,
    resources: Vec<Resource>,
    by_uri: HashMap<String, u32>,
    anchors: HashMap<(u32, &'v str), u32>,
    /// Addresses and anchors that different subschemas have.
    ambiguous_uris: HashSet<String>,
    ambiguous_anchors: HashSet<(u32, &'v str)>,
    dynamic_anchors: HashMap<&'v str, Vec<u32>>,
    recursive_anchors: Vec<u32>,
    by_address: HashMap<usize, u32>,
    /// The position in `links` of the `$ref` of a node.
    by_source: HashMap<u32, usize>,
    wide_objects: HashMap<usize, HashMap<&'v str, usize>>,
    queue: Vec<u32>,
    found: Vec<Found<'v>>,
}

/// The schema has more than [`MAX_NODES`] subschemas and references.
pub(super) struct TooLarge;

impl<'v> Graph<'v> {
    /// The graph of `schema`, whose root is read in `dialect` unless it declares another one.
    pub(super) fn of(schema: &'v Value, dialect: Dialect) -> Result<Self, TooLarge> {
        let mut graph = Graph {
            nodes: Vec::new(),
            references: Vec::new(),
            links: Vec::new(),
            unknown_dialects: Vec::new(),
            trails: Trails::default(),
            resources: vec![Resource {
                base: Uri::nowhere(),
                root: 0,
            }],
            by_uri: HashMap::from([(Uri::nowhere().absolute(), 0)]),
            anchors: HashMap::new(),
            ambiguous_uris: HashSet::new(),
            ambiguous_anchors: HashSet::new(),
            dynamic_anchors: HashMap::new(),
            recursive_anchors: Vec::new(),
            by_address: HashMap::new(),
            by_source: HashMap::new(),
            wide_objects: HashMap::new(),
            queue: Vec::new(),
            found: Vec::new(),
        };
        graph.add(schema, Trail::ROOT, dialect, 0, 0);
        graph.drain()?;
        let mut next = 0;
        while next < graph.found.len() {
            graph.resolve(next);
            graph.drain()?;
            next += 1;
        }
        Ok(graph)
    }

    /// Where `node` is in the document.
    pub(super) fn pointer(&self, node: u32) -> Pointer {
        self.trails.pointer(self.nodes[node as usize].trail)
    }

    /// The node of a subschema of this document.
    pub(super) fn node_of(&self, value: &Value) -> Option<u32> {
        let address = std::ptr::from_ref(value).addr();
        self.by_address.get(&address).copied()
    }

    /// Where the `$ref` of `node` leads; empty when it leads nowhere in the document.
    pub(super) fn target_of(&self, node: u32) -> Option<&[u32]> {
        let which = *self.by_source.get(&node)?;
        self.links.get(which).map(|(_, targets)| targets.as_slice())
    }

    fn add(
        &mut self,
        value: &'v Value,
        trail: Trail,
        dialect: Dialect,
        resource: u32,
        depth: u32,
    ) -> u32 {
        let address = std::ptr::from_ref(value).addr();
        if let Some(&node) = self.by_address.get(&address) {
            return node;
        }
        let node = index(self.nodes.len());
        self.nodes.push(Node {
            value,
            dialect,
            trail,
            resource,
            applies: Vec::new(),
            depth,
            unevaluated: false,
        });
        self.by_address.insert(address, node);
        self.queue.push(node);
        node
    }

    /// Enters all nodes that wait, in document order.
    fn drain(&mut self) -> Result<(), TooLarge> {
        while let Some(node) = self.queue.pop() {
            if self.nodes.len() + self.found.len() > MAX_NODES {
                return Err(TooLarge);
            }
            let before = self.queue.len();
            if let Value::Object(object) = self.nodes[node as usize].value {
                self.enter(node, object);
            }
            self.queue[before..].reverse();
        }
        Ok(())
    }

    fn enter(&mut self, node: u32, object: &'v Object) {
        let hidden = self.identify(node, object);
        let dialect = self.nodes[node as usize].dialect;
        for (keyword, value) in object.iter() {
            let is_reference = match (keyword, value) {
                ("$ref", Value::String(text)) => Some((RefKeyword::Ref, text)),
                ("$dynamicRef", Value::String(text)) if dialect == Dialect::Draft2020_12 => {
                    Some((RefKeyword::DynamicRef, text))
                }
                ("$recursiveRef", Value::String(text)) if dialect == Dialect::Draft2019_09 => {
                    Some((RefKeyword::RecursiveRef, text))
                }
                _ => None,
            };
            if let Some((keyword, text)) = is_reference {
                self.found.push(Found {
                    from: node,
                    keyword,
                    text,
                });
                continue;
            }
            match application(dialect, keyword) {
                Some(how) if !hidden || how == Application::Never => {
                    self.children(node, keyword, value, how);
                }
                _ => {}
            }
        }
    }

    /// Reads what identifies `node`: its dialect, `$id` and anchors. True when a `$ref` hides
    /// everything beside it.
    fn identify(&mut self, node: u32, object: &'v Object) -> bool {
        let at = &self.nodes[node as usize];
        let (mut dialect, mut resource, trail) = (at.dialect, at.resource, at.trail);
        let is_document = trail == Trail::ROOT;
        let has_id = |dialect: Dialect| match object.get(dialect.id_keyword()) {
            Some(Value::String(id)) => !Uri::parse(id).is_fragment_only(),
            _ => false,
        };
        match declared(at.value) {
            Declared::Known(own) if is_document || has_id(own) || has_id(dialect) => dialect = own,
            Declared::Unknown if is_document || has_id(dialect) => {
                let pointer = self.trails.pointer(trail).key("$schema");
                self.unknown_dialects.push(pointer);
            }
            _ => {}
        }
        let hidden =
            dialect.ref_hides_siblings() && matches!(object.get("$ref"), Some(Value::String(_)));
        if !hidden && let Some(Value::String(id)) = object.get(dialect.id_keyword()) {
            let id = Uri::parse(id);
            if !id.is_fragment_only() {
                let base = self.resources[resource as usize].base.resolve(&id);
                let own = index(self.resources.len());
                let address = base.absolute();
                let first = *self.by_uri.entry(address.clone()).or_insert(own);
                if first != own && self.differ(self.resources[first as usize].root, node) {
                    self.ambiguous_uris.insert(address);
                }
                self.resources.push(Resource { base, root: node });
                resource = own;
            }
        }
        if !hidden {
            self.anchors_of(node, object, dialect, resource);
        }
        let at = &mut self.nodes[node as usize];
        at.dialect = dialect;
        at.resource = resource;
        at.unevaluated =
            object.contains_key("unevaluatedItems") || object.contains_key("unevaluatedProperties");
        hidden
    }

    fn anchors_of(&mut self, node: u32, object: &'v Object, dialect: Dialect, resource: u32) {
        let text = |keyword| object.get(keyword).and_then(Value::as_str);
        if dialect <= Dialect::Draft7 {
            let anchor = text(dialect.id_keyword()).and_then(|id| id.split_once('#'));
            if let Some((_, anchor)) = anchor
                && !anchor.is_empty()
            {
                self.anchor(resource, anchor, node);
            }
            return;
        }
        if let Some(anchor) = text("$anchor") {
            self.anchor(resource, anchor, node);
        }
        if dialect == Dialect::Draft2020_12
            && let Some(anchor) = text("$dynamicAnchor")
        {
            self.anchor(resource, anchor, node);
            self.dynamic_anchors.entry(anchor).or_default().push(node);
        }
        if dialect == Dialect::Draft2019_09
            && object.get("$recursiveAnchor") == Some(&Value::Bool(true))
        {
            self.recursive_anchors.push(node);
        }
    }

    fn anchor(&mut self, resource: u32, name: &'v str, node: u32) {
        let first = *self.anchors.entry((resource, name)).or_insert(node);
        if self.differ(first, node) {
            self.ambiguous_anchors.insert((resource, name));
        }
    }

    /// Whether two subschemas are different ones; copies with one identifier are common.
    fn differ(&self, one: u32, other: u32) -> bool {
        one != other && self.nodes[one as usize].value != self.nodes[other as usize].value
    }

    fn children(&mut self, node: u32, keyword: &'v str, value: &'v Value, how: Application) {
        let at = &self.nodes[node as usize];
        let (dialect, resource, depth) = (at.dialect, at.resource, at.depth);
        let Some(shape) = shape(dialect, keyword) else {
            return;
        };
        let here = self.trails.key(at.trail, keyword);
        let attach = |graph: &mut Self, trail, value: &'v Value, via, below| {
            if !matches!(value, Value::Object(_) | Value::Bool(_)) {
                return;
            }
            let child = graph.add(value, trail, dialect, resource, depth + below);
            if how != Application::Never {
                graph.nodes[node as usize].applies.push((via, child));
            }
        };
        let inside = match keyword {
            "propertyNames" => Via::MemberNames,
            "additionalProperties" | "patternProperties" | "unevaluatedProperties" => Via::Members,
            _ if how == Application::InPlace => Via::InPlace,
            _ => Via::Elements,
        };
        match (shape, value) {
            (Shape::SchemaMap | Shape::PatternMap | Shape::Dependencies, Value::Object(map)) => {
                for (key, value) in map.iter() {
                    let via = if keyword == "properties" {
                        Via::Member(key)
                    } else {
                        inside
                    };
                    let trail = self.trails.key(here, key);
                    attach(self, trail, value, via, 2);
                }
            }
            (Shape::Schemas | Shape::SchemaOrSchemas, Value::Array(list)) => {
                for (i, value) in list.iter().enumerate() {
                    let via = if how == Application::InPlace {
                        Via::InPlace
                    } else {
                        Via::Element(i)
                    };
                    let trail = self.trails.index(here, i);
                    attach(self, trail, value, via, 2);
                }
            }
            (Shape::Schema | Shape::SchemaOrBoolean | Shape::SchemaOrSchemas, value) => {
                attach(self, here, value, inside, 1);
            }
            _ => {}
        }
    }

    fn resolve(&mut self, which: usize) {
        let Found {
            from,
            keyword,
            text,
        } = self.found[which];
        let at = &self.nodes[from as usize];
        let uri = self.resources[at.resource as usize]
            .base
            .resolve(&Uri::parse(text));
        let absolute = uri.absolute();
        let fragment = uri.fragment.as_deref().unwrap_or_default();
        let (target, mut links) = match self.by_uri.get(&absolute).copied() {
            Some(_) if self.ambiguous_uris.contains(&absolute) => (Target::Ambiguous, Vec::new()),
            Some(resource) => match percent_decode(fragment) {
                None => (Target::Dangling, Vec::new()),
                Some(fragment) => self.locate(resource, &fragment),
            },
            None if is_metaschema(&absolute) => (Target::Metaschema, Vec::new()),
            None => (Target::External, Vec::new()),
        };
        let start = links.first().copied();
        match keyword {
            RefKeyword::Ref => {}
            RefKeyword::DynamicRef => {
                let fragment = percent_decode(fragment).unwrap_or_default();
                if let Some(others) = self.dynamic_anchors.get(fragment.as_str())
                    && start.is_some_and(|start| others.contains(&start))
                {
                    links.extend(others.iter().filter(|&&other| Some(other) != start));
                }
            }
            RefKeyword::RecursiveRef => {
                if start.is_some_and(|start| self.recursive_anchors.contains(&start)) {
                    let others = self.recursive_anchors.iter();
                    links.extend(others.filter(|&&other| Some(other) != start));
                }
            }
        }
        for &link in &links {
            self.nodes[from as usize].applies.push((Via::InPlace, link));
        }
        self.references.push(Reference {
            pointer: self.pointer(from).key(keyword.word()),
            keyword,
            text: text.to_owned(),
            target,
        });
        if keyword == RefKeyword::Ref {
            self.by_source.insert(from, self.links.len());
        }
        self.links.push((from, links));
    }

    /// The place that `fragment` (decoded) names in a resource.
    fn locate(&mut self, resource: u32, fragment: &str) -> (Target, Vec<u32>) {
        let root = self.resources[resource as usize].root;
        let node = if fragment.is_empty() {
            Some(root)
        } else if fragment.starts_with('/') {
            self.follow(root, fragment)
        } else if self.ambiguous_anchors.contains(&(resource, fragment)) {
            return (Target::Ambiguous, Vec::new());
        } else {
            self.anchors.get(&(resource, fragment)).copied()
        };
        match node {
            None => (Target::Dangling, Vec::new()),
            Some(node) => match self.nodes[node as usize].value {
                Value::Object(_) | Value::Bool(_) => {
                    (Target::Resolved(self.pointer(node)), vec![node])
                }
                _ => (Target::NotASchema(self.pointer(node)), Vec::new()),
            },
        }
    }

    /// Follows a JSON Pointer from `root`, and makes a node of what it finds there: in a place
    /// that holds no schema it is read like the nearest subschema around it.
    fn follow(&mut self, root: u32, pointer: &str) -> Option<u32> {
        let mut around = root;
        let at = &self.nodes[root as usize];
        let (mut value, mut trail, mut depth) = (at.value, at.trail, at.depth);
        for token in Pointer::parse(pointer)?.tokens() {
            let next = match value {
                Value::Object(object) => {
                    let (key, member) = self.member(object, &token)?;
                    value = member;
                    self.trails.key(trail, key)
                }
                Value::Array(items) if token == "0" || !token.starts_with('0') => {
                    let i = token.parse::<usize>().ok()?;
                    value = items.get(i)?;
                    self.trails.index(trail, i)
                }
                _ => return None,
            };
            depth += 1;
            trail = next;
            if let Some(&node) = self.by_address.get(&std::ptr::from_ref(value).addr()) {
                around = node;
                trail = self.nodes[node as usize].trail;
            }
        }
        let at = &self.nodes[around as usize];
        let (dialect, resource) = (at.dialect, at.resource);
        Some(self.add(value, trail, dialect, resource, depth))
    }

    /// The member of `object` called `name`; wide objects get an index, since thousands of
    /// references may point into one.
    fn member(&mut self, object: &'v Object, name: &str) -> Option<(&'v str, &'v Value)> {
        let members = object.members();
        let position = if members.len() <= 32 {
            members.iter().position(|(key, _)| key == name)?
        } else {
            let address = std::ptr::from_ref(object).addr();
            let names = self.wide_objects.entry(address).or_insert_with(|| {
                let mut names = HashMap::with_capacity(members.len());
                for (i, (key, _)) in members.iter().enumerate() {
                    names.entry(key.as_str()).or_insert(i);
                }
                names
            });
            *names.get(name)?
        };
        members
            .get(position)
            .map(|(key, value)| (key.as_str(), value))
    }
}

fn is_metaschema(absolute: &str) -> bool {
    Dialect::from_uri(absolute).is_some() || Dialect::of_vocabulary_metaschema(absolute).is_some()
}

/// Indexes are four bytes: [`MAX_NODES`] keeps them far below the limit, and steps are at most
/// one a byte of a message.
fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
