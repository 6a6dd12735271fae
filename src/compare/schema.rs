//! Two schemas side by side, keyword by keyword.
//!
//! Every difference becomes a change where it stands. What it does to callers is claimed only as
//! far as it holds whatever else the schemas say; everything else stays undecided.

use std::collections::{BTreeSet, HashSet};

use crate::json::{Object, Pointer, Value};
use crate::schema::dialect::declared;
use crate::schema::{Declared, Undeclared};

use super::change::{Basis, Callers, Change, ChangeKind};
use super::effect::{SchemaPair, Side, callers_effect, settle};
use super::keyword::{Keyword, is_trivial, subschemas};
use super::place::{Place, Route, references_are_apart};
use super::reach;
use super::safe::same_bound;
use super::text::{named, quoted_list, same, same_member, words, words_of_definition};
use super::walk::members;
use super::{arguments, branches, single, values};

/// Every change between the two schemas of `pair`.
pub(super) fn changes(pair: &SchemaPair<'_>) -> Vec<Change> {
    let place = Place::root(pair.side.member(), pair.side);
    if let Some(change) = emptied(pair, &place) {
        return vec![change];
    }
    let mut walk = Walk {
        pair: *pair,
        apart: references_are_apart(pair.old) && references_are_apart(pair.new),
        evaluation: counts_evaluation(pair.old) || counts_evaluation(pair.new),
        moved: ["$defs", "definitions"]
            .iter()
            .any(|map| !same_member(pair.old.get(map), pair.new.get(map))),
        seen: HashSet::new(),
        followed: [BTreeSet::new(), BTreeSet::new()],
        found: Vec::new(),
    };
    walk.schema(pair.old, pair.new, &place);
    for map in ["$defs", "definitions"] {
        walk.map(map, pair.old.get(map), pair.new.get(map), &place);
    }
    walk.definitions();
    let mut found = walk.found;
    let effect = callers_effect(pair);
    settle(pair, effect, &mut found);
    single::settle(pair, &mut found);
    found
}

/// The change of an input schema that declared arguments and now says nothing about any.
fn emptied(pair: &SchemaPair<'_>, place: &Place) -> Option<Change> {
    let (old, new) = (pair.old.as_object()?, pair.new.as_object()?);
    let declared = old.get("properties")?.as_object()?;
    let silent = new.iter().all(|(name, _)| Keyword::of(name).is_silent());
    if pair.side == Side::Output || declared.is_empty() || !silent {
        return None;
    }
    let names: Vec<Value> = declared
        .iter()
        .map(|(name, _)| Value::String(name.to_owned()))
        .collect();
    let names: Vec<&Value> = names.iter().collect();
    let change = Change::new(
        ChangeKind::InputSchemaEmptied,
        place.new.clone(),
        Some(pair.old),
        Some(pair.new),
    );
    Some(
        change
            .about(place.subject())
            .callers(Callers::Narrower, Basis::Proof)
            .read_differently(true)
            .detail(quoted_list(&names)),
    )
}

/// Whether `root` uses a keyword that depends on which others have looked at a member or element.
fn counts_evaluation(root: &Value) -> bool {
    let mut left = vec![root];
    while let Some(schema) = left.pop() {
        if let Value::Object(object) = schema {
            if object.contains_key("unevaluatedProperties")
                || object.contains_key("unevaluatedItems")
            {
                return true;
            }
            left.extend(subschemas(object).into_iter().map(|(_, schema)| schema));
        }
    }
    false
}

/// A walk through two schemas.
pub(super) struct Walk<'a> {
    /// The schemas.
    pub(super) pair: SchemaPair<'a>,
    /// Whether a place outside of definitions is reached by its own route alone.
    pub(super) apart: bool,
    /// Whether it matters which keywords have looked at a member or element.
    evaluation: bool,
    /// Whether the definitions differ, so that one reference may lead to two things.
    pub(super) moved: bool,
    /// The pairs of places that references were followed to.
    pub(super) seen: HashSet<(Pointer, Pointer)>,
    /// The definitions that were compared where they are used, on either side.
    pub(super) followed: [BTreeSet<Pointer>; 2],
    /// What was found.
    pub(super) found: Vec<Change>,
}

impl Walk<'_> {
    /// Which way the schemas are read.
    pub(super) fn side(&self) -> Side {
        self.pair.side
    }

    /// How many changes were found so far.
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    /// Whether it matters which keywords have looked at a member or element.
    pub(super) fn counts_evaluation(&self) -> bool {
        self.evaluation
    }

    /// Adds a change. What restricts or extends the arguments of a call has other names where it
    /// stands in a result.
    pub(super) fn push(&mut self, mut change: Change) {
        if self.pair.side == Side::Output {
            change.kind = match (change.kind, change.callers) {
                (
                    kind @ (ChangeKind::Words
                    | ChangeKind::Default
                    | ChangeKind::Format
                    | ChangeKind::Keyword
                    | ChangeKind::Dialect
                    | ChangeKind::Spelling),
                    _,
                ) => kind,
                (_, Callers::Narrower) => ChangeKind::OutputBroken,
                (_, Callers::Wider) => ChangeKind::OutputExtended,
                (_, Callers::Same | Callers::Undecided) => ChangeKind::OutputSchema,
            };
        }
        self.found.push(change);
    }

    /// The claim that values were only gained at `place`.
    pub(super) fn gained(&self, place: &Place) -> (Callers, Basis) {
        if place.route <= Route::Monotone && self.apart {
            (Callers::Wider, Basis::Proof)
        } else {
            (Callers::Undecided, Basis::Undecided)
        }
    }

    /// The claim that a caller who keeps to declared names is not affected at `place`, where
    /// `declaring` is the schema that did the declaring.
    pub(super) fn unnoticed(&self, place: &Place, declaring: &Object) -> (Callers, Basis) {
        if place.route == Route::Direct && !reach::declares_elsewhere(declaring) {
            self.gained(place)
        } else {
            (Callers::Undecided, Basis::Undecided)
        }
    }

    /// A keyword whose effect is not known.
    pub(super) fn undecided(
        &mut self,
        place: &Place,
        name: &str,
        old: Option<&Value>,
        new: Option<&Value>,
    ) {
        let pointer = place.member(name, new.is_some());
        let change = Change::new(ChangeKind::InputSchema, pointer, old, new);
        let read = |value: Option<&Value>| value.map(words).unwrap_or_default();
        self.push(
            change
                .about(of(name, place))
                .read_differently(read(old) != read(new)),
        );
    }

    /// A bound beyond every interoperable integer, which only one side has.
    fn idle(&mut self, place: &Place, name: &str, old: Option<&Value>, new: Option<&Value>) {
        let pointer = place.member(name, new.is_some());
        let change = Change::new(ChangeKind::Spelling, pointer, old, new);
        self.push(
            change
                .about(of(name, place))
                .callers(Callers::Same, Basis::Policy)
                .detail("no interoperable integer lies beyond it (RFC 8259 section 6)"),
        );
    }

    /// A keyword that is spelled otherwise and means the same.
    pub(super) fn spelling(
        &mut self,
        place: &Place,
        name: &str,
        old: Option<&Value>,
        new: Option<&Value>,
    ) {
        let pointer = place.member(name, new.is_some());
        let change = Change::new(ChangeKind::Spelling, pointer, old, new);
        self.push(change.about(of(name, place)).spelling());
    }

    /// Two schemas at `place`.
    pub(super) fn schema(&mut self, old: &Value, new: &Value, place: &Place) {
        let nothing = Object::default();
        match (old, new) {
            (Value::Object(a), Value::Object(b)) => {
                self.objects(a, b, place);
            }
            (Value::Bool(a), Value::Bool(b)) if a == b => {}
            _ if is_trivial(old) && is_trivial(new) => {
                let change = Change::new(
                    ChangeKind::Spelling,
                    place.new.clone(),
                    Some(old),
                    Some(new),
                );
                self.push(change.about(place.subject()).spelling());
            }
            (Value::Bool(true), Value::Object(b)) => self.keywords(&nothing, b, place),
            (Value::Object(a), Value::Bool(true)) => self.keywords(a, &nothing, place),
            _ if same(old, new) => {}
            _ => {
                let (from, to) = self.side().order(old, new);
                let (callers, basis) = if to == &Value::Bool(false) {
                    place.lost(reach::is_inhabited(from))
                } else if from == &Value::Bool(false) {
                    self.gained(place)
                } else {
                    (Callers::Undecided, Basis::Undecided)
                };
                let change = Change::new(
                    ChangeKind::InputSchema,
                    place.new.clone(),
                    Some(old),
                    Some(new),
                );
                self.push(
                    change
                        .about(place.subject())
                        .callers(callers, basis)
                        .read_differently(words(old) != words(new)),
                );
            }
        }
    }

    /// Two object schemas at `place`, however they are wrapped.
    pub(super) fn objects(&mut self, old: &Object, new: &Object, place: &Place) {
        if !self.through(old, new, place) && !self.nulls(old, new, place) {
            self.keywords(old, new, place);
        }
    }

    fn keywords(&mut self, old: &Object, new: &Object, place: &Place) {
        let (mut arguments_done, mut values_done) = (false, false);
        for (name, a, b) in members(old, new) {
            if place.is_root() && matches!(name, "$defs" | "definitions") {
                // They come last: most are compared where they are used.
                continue;
            }
            match Keyword::of(name) {
                Keyword::Properties | Keyword::Required => {
                    if !std::mem::replace(&mut arguments_done, true) {
                        arguments::compare(self, old, new, place);
                    }
                }
                Keyword::Type | Keyword::Values => {
                    if !std::mem::replace(&mut values_done, true) {
                        values::compare(self, old, new, place);
                    }
                }
                Keyword::Schema | Keyword::Items => self.single(name, old, new, place),
                Keyword::SchemaMap | Keyword::DependencyMap => self.map(name, a, b, place),
                Keyword::SchemaSet => branches::set(self, name, a, b, place),
                Keyword::Tuple => branches::tuple(self, name, a, b, place),
                _ if same_member(a, b) => {}
                Keyword::Assertion if same_bound(name, old, new) => self.idle(place, name, a, b),
                Keyword::Assertion => self.undecided(place, name, a, b),
                keyword => self.silent(keyword, name, a, b, place),
            }
        }
    }

    /// A keyword that refuses nothing.
    fn silent(
        &mut self,
        keyword: Keyword,
        name: &str,
        old: Option<&Value>,
        new: Option<&Value>,
        place: &Place,
    ) {
        let kind = match keyword {
            Keyword::Words => ChangeKind::Words,
            Keyword::Default => ChangeKind::Default,
            Keyword::Format => ChangeKind::Format,
            Keyword::Dialect => ChangeKind::Dialect,
            _ => ChangeKind::Keyword,
        };
        let change =
            Change::new(kind, place.member(name, new.is_some()), old, new).about(of(name, place));
        self.push(match kind {
            ChangeKind::Words | ChangeKind::Keyword => change.words(),
            ChangeKind::Dialect if place.is_root() && self.same_dialect() => {
                change.callers(Callers::Same, Basis::Proof)
            }
            ChangeKind::Dialect => change,
            _ => change.by_policy().read_differently(true),
        });
    }

    /// Whether the schemas that `$schema` opens are read in one dialect, on one side perhaps by what
    /// the revision says of silence.
    fn same_dialect(&self) -> bool {
        let read = |schema: &Value, revision| match declared(schema) {
            Declared::Known(dialect) => Some(dialect),
            Declared::Absent => match Undeclared::for_revision(revision, None) {
                Undeclared::Is(dialect) => Some(dialect),
                Undeclared::Either => None,
            },
            Declared::Unknown => None,
        };
        let before = read(self.pair.old, self.pair.old_revision);
        before.is_some() && before == read(self.pair.new, self.pair.new_revision)
    }

    /// A keyword that holds one schema (or, for `items`, perhaps a tuple).
    fn single(&mut self, name: &str, old: &Object, new: &Object, place: &Place) {
        let (a, b) = (old.get(name), new.get(name));
        let closes = |value: Option<&Value>| value == Some(&Value::Bool(false));
        let opens = |value: Option<&Value>| value.is_none_or(is_trivial);
        match (a, b) {
            (Some(Value::Array(_)), Some(Value::Array(_))) => {
                branches::tuple(self, name, a, b, place);
            }
            (Some(Value::Array(_)), _) | (_, Some(Value::Array(_))) => {
                self.undecided(place, name, a, b);
            }
            _ if name == "additionalProperties"
                && ((closes(a) && opens(b)) || (opens(a) && closes(b))) =>
            {
                self.openness(old, closes(b), a, b, place);
            }
            (Some(a), Some(b)) => {
                let (from, to) = self.side().order(old, new);
                let inner = if name == "items" {
                    place.elements(from, to)
                } else {
                    place.under(name)
                };
                self.schema(a, b, &inner);
            }
            _ => {
                let says_nothing = match name {
                    "propertyNames" => true,
                    "additionalProperties"
                    | "additionalItems"
                    | "items"
                    | "unevaluatedProperties"
                    | "unevaluatedItems" => !self.evaluation,
                    _ => false,
                };
                if says_nothing && opens(a) && opens(b) {
                    self.spelling(place, name, a, b);
                } else {
                    self.undecided(place, name, a, b);
                }
            }
        }
    }

    /// An object that is closed now, or open again.
    fn openness(
        &mut self,
        old: &Object,
        closed: bool,
        a: Option<&Value>,
        b: Option<&Value>,
        place: &Place,
    ) {
        let (callers, basis) = match (self.side(), closed) {
            _ if self.evaluation => (Callers::Undecided, Basis::Undecided),
            (Side::Input, true) => self.unnoticed(place, old),
            (Side::Input, false) | (Side::Output, true) => self.gained(place),
            // A result may hold members that readers were told never to meet.
            (Side::Output, false) => (Callers::Undecided, Basis::Undecided),
        };
        let pointer = place.member("additionalProperties", b.is_some());
        let change = Change::new(ChangeKind::Closed, pointer, a, b);
        self.push(
            change
                .about(place.subject())
                .callers(callers, basis)
                .detail(match (closed, self.side(), basis) {
                    (true, Side::Input, Basis::Proof) => {
                        "accepts undeclared names no longer; a call that keeps to declared names \
                         is not affected"
                    }
                    (true, ..) => "accepts undeclared names no longer",
                    (false, ..) => "accepts undeclared names now",
                }),
        );
    }

    /// A map from names to schemas, or (for `dependencies`) to lists of names.
    fn map(&mut self, name: &str, old: Option<&Value>, new: Option<&Value>, place: &Place) {
        let nothing = Object::default();
        let object = |value: Option<&Value>| value.is_none_or(|value| value.as_object().is_some());
        if !object(old) || !object(new) {
            if !same_member(old, new) {
                self.undecided(place, name, old, new);
            }
            return;
        }
        let a = old.and_then(Value::as_object).unwrap_or(&nothing);
        let b = new.and_then(Value::as_object).unwrap_or(&nothing);
        if a.is_empty() && b.is_empty() && old.is_some() != new.is_some() {
            return self.spelling(place, name, old, new);
        }
        for (key, a, b) in members(a, b) {
            let inner = place.entry(name, key);
            if a.is_some()
                && b.is_some()
                && self.followed[0].contains(&inner.old)
                && self.followed[1].contains(&inner.new)
            {
                continue;
            }
            match (a, b) {
                (Some(Value::Array(_)), _) | (_, Some(Value::Array(_))) => {
                    self.names(&inner, a, b);
                }
                (Some(a), Some(b)) => self.schema(a, b, &inner),
                _ => self.at(&inner, a, b, (Callers::Undecided, Basis::Undecided)),
            }
        }
    }

    /// A list of names whose order means nothing, at `place` itself.
    fn names(&mut self, place: &Place, old: Option<&Value>, new: Option<&Value>) {
        if same_member(old, new) {
            return;
        }
        let equal = old.is_some()
            && new.is_some()
            && reach::name_set(old).is_some()
            && reach::name_set(old) == reach::name_set(new);
        let pointer = if new.is_some() {
            &place.new
        } else {
            &place.old
        };
        let change =
            Change::new(ChangeKind::InputSchema, pointer.clone(), old, new).about(place.subject());
        self.push(if equal { change.spelling() } else { change });
    }

    /// A schema that only one side has.
    pub(super) fn at(
        &mut self,
        place: &Place,
        old: Option<&Value>,
        new: Option<&Value>,
        (callers, basis): (Callers, Basis),
    ) {
        let pointer = if new.is_some() {
            &place.new
        } else {
            &place.old
        };
        let definition = place.definition_name();
        let read = |value: Option<&Value>| match (value, &definition) {
            (None, _) => Vec::new(),
            (Some(schema), None) => words(schema),
            (Some(schema), Some(name)) => words_of_definition(name, schema),
        };
        let change = Change::new(ChangeKind::InputSchema, pointer.clone(), old, new);
        self.push(
            change
                .about(place.subject())
                .callers(callers, basis)
                .read_differently(read(old) != read(new)),
        );
    }
}

/// What the keyword `name` at `place` is called in a message.
fn of(name: &str, place: &Place) -> String {
    let subject = place.subject();
    match name {
        "description" | "title" | "examples" | "default" => format!("the {name} of {subject}"),
        "$comment" => format!("the comment in {subject}"),
        _ => format!("{} of {subject}", named(name)),
    }
}
