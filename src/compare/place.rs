//! A place in two schemas at once: its pointers, its name in words, and what a route to it proves.

use crate::json::{Object, Pointer, Value};
use crate::text::visible;

use super::change::{Basis, Callers};
use super::effect::Side;
use super::reach;

/// How a place is reached from the root of its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Route {
    /// Through `properties` and `items` alone, of schemas that say nothing of their members in any
    /// other way: what stands there is all that is said of the values put there.
    Direct,
    /// Through keywords under which a schema that accepts more makes the whole accept more.
    Monotone,
    /// Any other way.
    Opaque,
}

/// A place that both schemas have.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// In the pinned item.
    pub(super) old: Pointer,
    /// In the live item.
    pub(super) new: Pointer,
    /// How it is reached.
    pub(super) route: Route,
    /// Whether the accepting side has a valid value that reaches this place, whatever value its
    /// schema here accepts; only ever with a direct route.
    pub(super) reached: bool,
    /// Members that stand beside a reference that was followed: where, and their names.
    beside: [Option<(Pointer, Vec<String>)>; 2],
    path: String,
    side: Side,
    definition: bool,
}

impl Place {
    /// The root of the schema in the member `member` of an item.
    pub(super) fn root(member: &str, side: Side) -> Self {
        let at = Pointer::root().key(member);
        Place {
            old: at.clone(),
            new: at,
            route: Route::Direct,
            reached: true,
            beside: [None, None],
            path: String::new(),
            side,
            definition: false,
        }
    }

    /// Whether this is the root of the schema.
    pub(super) fn is_root(&self) -> bool {
        self.new.tokens().count() == 1
    }

    /// The pointer to a member here, on the side that has it.
    pub(super) fn member(&self, name: &str, new_has_it: bool) -> Pointer {
        let (at, beside) = if new_has_it {
            (&self.new, &self.beside[1])
        } else {
            (&self.old, &self.beside[0])
        };
        match beside {
            Some((there, names)) if names.iter().any(|other| other == name) => there.key(name),
            _ => at.key(name),
        }
    }

    /// This place, where the reference of one side leads to `at`; `names` stand beside it.
    pub(super) fn followed(&self, in_new: bool, at: Pointer, names: Vec<String>) -> Self {
        let mut place = self.clone();
        let from = if in_new {
            std::mem::replace(&mut place.new, at)
        } else {
            std::mem::replace(&mut place.old, at)
        };
        place.beside[usize::from(in_new)] = Some((from, names));
        place
    }

    /// A property that both sides declare; `from` is the schema of the accepting side here, `to`
    /// that of the refusing one.
    pub(super) fn property(&self, name: &str, from: &Object, to: &Object) -> Self {
        let mut place = self.step(&["properties", name], &["properties", name]);
        place.path = self.dotted(name);
        place.reached =
            self.reached && reach::reaches_property(from, name) && !reach::has_reference(to);
        if reach::declares_elsewhere(from) || reach::declares_elsewhere(to) {
            place.route = place.route.max(Route::Monotone);
        }
        place
    }

    /// The elements, where both sides have one schema for all of them.
    pub(super) fn elements(&self, from: &Object, to: &Object) -> Self {
        let mut place = self.step(&["items"], &["items"]);
        place.path.push_str("[]");
        place.reached = self.reached
            && reach::reaches_elements(from)
            && !reach::has_reference(to)
            && !to.contains_key("prefixItems");
        let elsewhere = |schema: &Object| {
            reach::declares_elsewhere(schema)
                || ["prefixItems", "contains"]
                    .iter()
                    .any(|name| schema.contains_key(name))
        };
        if elsewhere(from) || elsewhere(to) {
            place.route = place.route.max(Route::Monotone);
        }
        place
    }

    /// The schema under a keyword that holds one.
    pub(super) fn under(&self, keyword: &str) -> Self {
        let mut place = self.step(&[keyword], &[keyword]);
        place.weaken(match keyword {
            "additionalProperties"
            | "additionalItems"
            | "propertyNames"
            | "then"
            | "else"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "items" => Route::Monotone,
            // A `contains` that accepts more is wider only without `maxContains`.
            _ => Route::Opaque,
        });
        match keyword {
            "additionalProperties" | "unevaluatedProperties" => place.path = self.dotted("*"),
            "contains" | "unevaluatedItems" | "additionalItems" => place.path.push_str("[]"),
            _ => {}
        }
        place
    }

    /// An entry of a map from names to schemas.
    pub(super) fn entry(&self, keyword: &str, name: &str) -> Self {
        let mut place = self.step(&[keyword, name], &[keyword, name]);
        match keyword {
            "patternProperties" => {
                place.path = self.dotted(&format!("/{name}/"));
                place.weaken(Route::Monotone);
            }
            "dependentSchemas" | "dependencies" => place.weaken(Route::Monotone),
            _ => {
                name.clone_into(&mut place.path);
                place.definition = true;
                place.weaken(Route::Opaque);
            }
        }
        place
    }

    /// A branch of `allOf`, `anyOf` or `oneOf`, or an element of a tuple: position `old` there,
    /// `new` here.
    pub(super) fn branch(&self, keyword: &str, old: usize, new: usize) -> Self {
        let mut place = self.clone();
        place.beside = [None, None];
        place.old = self.old.key(keyword).index(old);
        place.new = self.new.key(keyword).index(new);
        place.weaken(if keyword == "oneOf" {
            Route::Opaque
        } else {
            Route::Monotone
        });
        if matches!(keyword, "prefixItems" | "items") {
            place.path = format!("{}[{new}]", self.path);
        }
        place
    }

    /// The name of the definition that this place is the root of.
    pub(super) fn definition_name(&self) -> Option<String> {
        let map = self.new.as_str().rsplit('/').nth(1)?;
        (self.definition && matches!(map, "$defs" | "definitions")).then(|| self.path.clone())
    }

    /// The claim that values were lost here: proved where the place is reached and `inhabited` says
    /// that there was such a value.
    pub(super) fn lost(&self, inhabited: bool) -> (Callers, Basis) {
        if self.reached && inhabited {
            (Callers::Narrower, Basis::Proof)
        } else {
            (Callers::Undecided, Basis::Undecided)
        }
    }

    /// What the place is called in a message.
    pub(super) fn subject(&self) -> String {
        let path = visible(&self.path);
        match (self.definition, self.side, path.is_empty()) {
            (true, ..) => format!("definition `{path}`"),
            (_, Side::Input, true) => "the arguments object".to_owned(),
            (_, Side::Input, false) => format!("argument `{path}`"),
            (_, Side::Output, true) => "the result".to_owned(),
            (_, Side::Output, false) => format!("result member `{path}`"),
        }
    }

    /// What the property `name` here is called in a message.
    pub(super) fn subject_of(&self, name: &str) -> String {
        let mut place = self.clone();
        place.path = self.dotted(name);
        place.subject()
    }

    fn dotted(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    fn step(&self, old: &[&str], new: &[&str]) -> Self {
        let follow = |at: &Pointer, tokens: &[&str]| {
            tokens.iter().fold(at.clone(), |at, token| at.key(token))
        };
        Place {
            old: follow(&self.old, old),
            new: follow(&self.new, new),
            beside: [None, None],
            ..self.clone()
        }
    }

    fn weaken(&mut self, route: Route) {
        self.route = self.route.max(route);
        self.reached = false;
    }
}

/// Whether every reference in `root` leads into `$defs` or `definitions`, and none can be led
/// elsewhere by an identifier: only then is a place outside of them reached by its own route alone.
pub(super) fn references_are_apart(root: &Value) -> bool {
    let mut left = vec![root];
    let mut is_root = true;
    while let Some(schema) = left.pop() {
        if let Value::Object(object) = schema {
            let apart = object.iter().all(|(name, value)| match name {
                "$ref" => value.as_str().is_some_and(|target| {
                    target.starts_with("#/$defs/") || target.starts_with("#/definitions/")
                }),
                "$dynamicRef" | "$recursiveRef" => false,
                "$id" | "id" => is_root || value.as_str().is_none(),
                _ => true,
            });
            if !apart {
                return false;
            }
            left.extend(
                super::keyword::subschemas(object)
                    .into_iter()
                    .map(|(_, s)| s),
            );
        }
        is_root = false;
    }
    true
}
