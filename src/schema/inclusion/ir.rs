//! The one form that schemas of every dialect are lowered to.
//!
//! A node is a set of JSON values. Leaves say one thing about one type and hold for every value of
//! another type, as the keywords do. Nodes are interned, so equal normal forms have equal ids.

use std::collections::HashMap;
use std::ops::{BitAnd, BitOr, Not};
use std::rc::Rc;

use super::exact::Exact;
use super::regex::{Term, Terms};
use super::val::Val;

/// A set of the seven kinds of value: `number` is integers and fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Types = Types(0);
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOL: Types = Types(2);
    pub(crate) const INTEGER: Types = Types(4);
    pub(crate) const FRACTION: Types = Types(8);
    pub(crate) const STRING: Types = Types(16);
    pub(crate) const ARRAY: Types = Types(32);
    pub(crate) const OBJECT: Types = Types(64);
    pub(crate) const NUMBER: Types = Types(12);
    pub(crate) const ALL: Types = Types(127);

    pub(crate) fn has(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    /// The single kinds in the set.
    pub(crate) fn each(self) -> impl Iterator<Item = Types> {
        (0..7).map(|i| Types(1 << i)).filter(move |t| self.has(*t))
    }

    /// The set that a `type` name stands for.
    pub(crate) fn named(name: &str) -> Option<Types> {
        Some(match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOL,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => return None,
        })
    }
}

impl BitAnd for Types {
    type Output = Types;
    fn bitand(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }
}

impl BitOr for Types {
    type Output = Types;
    fn bitor(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }
}

impl Not for Types {
    type Output = Types;
    fn not(self) -> Types {
        Types(!self.0 & Types::ALL.0)
    }
}

/// A node of the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

/// A place that a recursive reference points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(u32);

/// A pattern of the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PatternId(u32);

/// A node, wanted or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Lit {
    pub(crate) id: Id,
    pub(crate) yes: bool,
}

impl Lit {
    pub(crate) fn flip(self) -> Lit {
        Lit {
            id: self.id,
            yes: !self.yes,
        }
    }
}

/// A set of JSON values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    Types(Types),
    /// The values listed, sorted.
    Enum(Vec<Val>),
    /// Numbers at least this (above it, when exclusive).
    Min(Exact, bool),
    /// Numbers at most this (below it, when exclusive).
    Max(Exact, bool),
    Multiple(Exact),
    MinLength(u64),
    MaxLength(u64),
    Pattern(PatternId),
    MinItems(u64),
    MaxItems(u64),
    Unique,
    /// An item at this index, if there is one.
    Item(usize, Id),
    /// Every item from this index on.
    ItemsFrom(usize, Id),
    /// At least so many items are in the set.
    AtLeast(u64, Id),
    /// At most so many items are in the set.
    AtMost(u64, Id),
    MinProperties(u64),
    MaxProperties(u64),
    Required(String),
    /// The member of this name, if there is one.
    Member(String, Id),
    /// Every member whose name is in the first set has a value in the second.
    Members(Id, Id),
    And(Vec<Id>),
    Or(Vec<Id>),
    Not(Id),
    ExactlyOne(Vec<Id>),
    Ref(Slot),
    /// Something that can't be modelled; equal texts are equal sets.
    Opaque(String),
}

/// The nodes, patterns and recursive places of one comparison.
#[derive(Debug)]
pub(crate) struct Arena {
    nodes: Vec<Rc<Node>>,
    index: HashMap<Rc<Node>, Id>,
    slots: Vec<Option<Id>>,
    patterns: Vec<(String, Option<Term>)>,
    pattern_index: HashMap<String, PatternId>,
    unknown: usize,
    /// The languages of the patterns.
    pub(crate) terms: Terms,
}

impl Default for Arena {
    fn default() -> Self {
        let mut arena = Arena {
            nodes: Vec::new(),
            index: HashMap::new(),
            slots: Vec::new(),
            patterns: Vec::new(),
            pattern_index: HashMap::new(),
            unknown: 0,
            terms: Terms::default(),
        };
        arena.add(Node::True);
        arena.add(Node::False);
        arena
    }
}

impl Arena {
    pub(crate) const TRUE: Id = Id(0);
    pub(crate) const FALSE: Id = Id(1);

    /// Interns a node as it is.
    pub(crate) fn add(&mut self, node: Node) -> Id {
        if let Some(id) = self.index.get(&node) {
            return *id;
        }
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        let node = Rc::new(node);
        self.nodes.push(Rc::clone(&node));
        self.index.insert(node, id);
        id
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node, to be kept while the arena grows.
    pub(crate) fn shared(&self, id: Id) -> Rc<Node> {
        Rc::clone(&self.nodes[id.0 as usize])
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A set about which nothing is known: equal to itself alone.
    pub(crate) fn unknown(&mut self) -> Id {
        self.unknown += 1;
        self.add(Node::Opaque(format!("#{}", self.unknown)))
    }

    /// A new place for a recursive reference.
    pub(crate) fn slot(&mut self) -> Slot {
        self.slots.push(None);
        Slot(u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn fill(&mut self, slot: Slot, id: Id) {
        self.slots[slot.0 as usize] = Some(id);
    }

    pub(crate) fn filled(&self, slot: Slot) -> Option<Id> {
        self.slots[slot.0 as usize]
    }

    pub(crate) fn bool(value: bool) -> Id {
        if value { Arena::TRUE } else { Arena::FALSE }
    }

    pub(crate) fn pattern(&mut self, text: &str) -> Id {
        let known = self.pattern_index.get(text).copied();
        let id = known.unwrap_or_else(|| {
            let id = PatternId(u32::try_from(self.patterns.len()).unwrap_or(u32::MAX));
            let term = self.terms.pattern(text);
            self.patterns.push((text.to_owned(), term));
            self.pattern_index.insert(text.to_owned(), id);
            id
        });
        if self.language(id) == Some(Terms::EVERY) {
            return Arena::TRUE;
        }
        self.add(Node::Pattern(id))
    }

    /// The language of a pattern; none when it uses what is not modelled.
    pub(crate) fn language(&self, id: PatternId) -> Option<Term> {
        self.patterns[id.0 as usize].1
    }

    /// Whether the string matches the pattern; none where engines differ, some of which read `\d`
    /// and `\w` as Unicode.
    pub(crate) fn matches(&mut self, id: PatternId, text: &str) -> Option<bool> {
        let term = self.language(id)?;
        let matches = self.terms.matches(term, text)?;
        if !text.is_ascii() && self.is_read_differently(id) {
            let pattern = self.patterns[id.0 as usize].0.clone();
            let widely = self.terms.matches_widely(&pattern, text)?;
            return (widely == matches).then_some(matches);
        }
        Some(matches)
    }

    /// Whether the pattern names a class that engines differ on.
    fn is_read_differently(&self, id: PatternId) -> bool {
        let text = &self.patterns[id.0 as usize].0;
        ["\\d", "\\D", "\\w", "\\W"]
            .iter()
            .any(|escape| text.contains(escape))
    }

    /// Whether any pattern is one of those.
    pub(crate) fn has_ambiguous_pattern(&self) -> bool {
        self.pattern_index
            .values()
            .any(|id| self.is_read_differently(*id))
    }

    pub(crate) fn types(&mut self, types: Types) -> Id {
        match types {
            Types::ALL => Arena::TRUE,
            Types::NONE => Arena::FALSE,
            types => self.add(Node::Types(types)),
        }
    }

    pub(crate) fn values(&mut self, mut values: Vec<Val>) -> Id {
        values.sort();
        values.dedup();
        match values.as_slice() {
            [] => Arena::FALSE,
            [Val::Null] => self.types(Types::NULL),
            _ => self.add(Node::Enum(values)),
        }
    }

    pub(crate) fn names(&mut self, names: impl IntoIterator<Item = String>) -> Id {
        self.values(names.into_iter().map(Val::Str).collect())
    }

    pub(crate) fn not(&mut self, id: Id) -> Id {
        match self.node(id).clone() {
            Node::True => Arena::FALSE,
            Node::False => Arena::TRUE,
            Node::Not(inner) => inner,
            Node::Types(types) => self.types(!types),
            _ => self.add(Node::Not(id)),
        }
    }

    pub(crate) fn and(&mut self, parts: Vec<Id>) -> Id {
        let mut flat = Vec::new();
        let mut types = Types::ALL;
        let mut values: Option<Vec<Val>> = None;
        self.flatten(parts, true, &mut |node, id| match node {
            Node::Types(t) => types = types & *t,
            Node::Enum(list) => {
                values = Some(match values.take() {
                    Some(old) => old.into_iter().filter(|v| list.contains(v)).collect(),
                    None => list.clone(),
                });
            }
            _ => flat.push(id),
        });
        if let Some(list) = values {
            let list: Vec<Val> = list.into_iter().filter(|v| types.has(v.kind())).collect();
            types = Types::ALL;
            flat.push(self.values(list));
        }
        flat.push(self.types(types));
        self.finish(flat, true)
    }

    pub(crate) fn or(&mut self, parts: Vec<Id>) -> Id {
        let mut flat = Vec::new();
        let mut types = Types::NONE;
        let mut values: Vec<Val> = Vec::new();
        self.flatten(parts, false, &mut |node, id| match node {
            Node::Types(t) => types = types | *t,
            Node::Enum(list) => values.extend(list.iter().cloned()),
            _ => flat.push(id),
        });
        values.retain(|v| !types.has(v.kind()));
        flat.push(self.types(types));
        flat.push(self.values(values));
        self.finish(flat, false)
    }

    fn flatten(&self, parts: Vec<Id>, and: bool, take: &mut impl FnMut(&Node, Id)) {
        let mut queue = parts;
        queue.reverse();
        while let Some(id) = queue.pop() {
            match (self.node(id), and) {
                (Node::And(inner), true) | (Node::Or(inner), false) => {
                    queue.extend(inner.iter().rev());
                }
                (node, _) => take(node, id),
            }
        }
    }

    fn finish(&mut self, mut flat: Vec<Id>, and: bool) -> Id {
        let (unit, zero) = (Arena::bool(and), Arena::bool(!and));
        flat.retain(|id| *id != unit);
        flat.sort_unstable();
        flat.dedup();
        let clash = flat
            .iter()
            .any(|id| matches!(self.node(*id), Node::Not(inner) if flat.contains(inner)));
        if clash || flat.contains(&zero) {
            return zero;
        }
        match flat.as_slice() {
            [] => unit,
            [one] => *one,
            _ if and => self.add(Node::And(flat)),
            _ => self.add(Node::Or(flat)),
        }
    }

    pub(crate) fn exactly_one(&mut self, mut parts: Vec<Id>) -> Id {
        parts.retain(|id| *id != Arena::FALSE);
        parts.sort_unstable();
        match parts.as_slice() {
            [] => Arena::FALSE,
            [one] => *one,
            _ => self.add(Node::ExactlyOne(parts)),
        }
    }

    /// `if a then b` as a set.
    pub(crate) fn implies(&mut self, a: Id, b: Id) -> Id {
        let not_a = self.not(a);
        self.or(vec![not_a, b])
    }

    pub(crate) fn member(&mut self, name: &str, value: Id) -> Id {
        match value {
            Arena::TRUE => Arena::TRUE,
            Arena::FALSE => self.lacks(name),
            value => self.add(Node::Member(name.to_owned(), value)),
        }
    }

    /// Anything but an object that has the member.
    pub(crate) fn lacks(&mut self, name: &str) -> Id {
        self.add(Node::Member(name.to_owned(), Arena::FALSE))
    }

    pub(crate) fn members(&mut self, names: Id, value: Id) -> Id {
        if value == Arena::TRUE || names == Arena::FALSE {
            return Arena::TRUE;
        }
        self.add(Node::Members(names, value))
    }

    pub(crate) fn item(&mut self, index: usize, value: Id) -> Id {
        if value == Arena::TRUE {
            return Arena::TRUE;
        }
        if value == Arena::FALSE {
            return self.add(Node::MaxItems(index as u64));
        }
        self.add(Node::Item(index, value))
    }

    pub(crate) fn items_from(&mut self, index: usize, value: Id) -> Id {
        if value == Arena::TRUE {
            return Arena::TRUE;
        }
        if value == Arena::FALSE {
            return self.add(Node::MaxItems(index as u64));
        }
        self.add(Node::ItemsFrom(index, value))
    }

    /// A counting leaf in its simplest spelling.
    pub(crate) fn count(&mut self, node: Node) -> Id {
        match node {
            Node::MinLength(0)
            | Node::MinItems(0)
            | Node::MinProperties(0)
            | Node::AtLeast(0, _)
            | Node::AtMost(_, Arena::FALSE) => Arena::TRUE,
            Node::AtLeast(n, Arena::TRUE) => self.add(Node::MinItems(n)),
            Node::AtMost(n, Arena::TRUE) => self.add(Node::MaxItems(n)),
            Node::AtMost(0, set) => {
                let none = self.not(set);
                self.items_from(0, none)
            }
            Node::MaxProperties(0) => self.add(Node::Members(Arena::TRUE, Arena::FALSE)),
            node => self.add(node),
        }
    }
}
