//! Two schemas side by side, constraint by constraint: of each one of `own`, whether the other side
//! admits what it refuses.
//!
//! A constraint that stands at the same place on both sides is kept, by its place. Of every other
//! one the engine is asked, and only its witness or its doubt makes a [`Hit`].

use std::collections::HashSet;

use crate::canonical::canonical;
use crate::json::{Object, Pointer, Value};
use crate::schema::Dialect;
use crate::text::visible;

use super::constraint::{COUPLED, LEAVES, constraints_below, is_trivial, keeps, tuple_length};
use super::engine::{Answer, Engine};
use super::found::{Found, Hit, Missing, Wanted};
use super::fragment::{Source, Step, one, refers};
use super::union;
use super::view::{Part, Parts, View};
use super::words;

/// Places deeper than this are asked about as a whole.
const DEEPEST: usize = 24;
/// Constraints of one tool that the engine is asked about.
const MOST_QUESTIONS: usize = 400;

/// A walk through the constraints of `own`.
pub(super) struct Walk<'a, 'v> {
    pub(super) own: &'a View<'v>,
    pub(super) other: &'a View<'v>,
    pub(super) engine: &'a Engine<'v>,
    source: Source<'a>,
    /// Both documents define the same under the same names.
    same_definitions: bool,
    wanted: Wanted,
    seen: HashSet<(Vec<Pointer>, Vec<Pointer>)>,
    questions: usize,
    found: Found,
}

/// The place that a walk is at.
struct Here<'h, 'v> {
    own: &'h Parts<'v>,
    other: &'h Parts<'v>,
    route: &'h [Step],
    path: &'h str,
    /// The `allOf` branches and references that led here.
    groups: &'h [Pointer],
}

impl<'a, 'v> Walk<'a, 'v> {
    /// A walk from the roots.
    pub(super) fn through(
        own: &'a View<'v>,
        other: &'a View<'v>,
        engine: &'a Engine<'v>,
        wanted: Wanted,
    ) -> Found {
        let mut walk = Walk {
            own,
            other,
            engine,
            source: Source::of(own),
            same_definitions: same_definitions(own.root, other.root)
                && !own.has_addresses
                && !other.has_addresses,
            wanted,
            seen: HashSet::new(),
            questions: 0,
            found: Found::default(),
        };
        walk.place(&Here {
            own: &own.start(),
            other: &other.start(),
            route: &[],
            path: "",
            groups: &[],
        });
        walk.found
    }

    fn place(&mut self, here: &Here<'_, 'v>) {
        if !self.seen.insert((here.own.places(), here.other.places()))
            || here.route.len() > DEEPEST
            || here.other.refuses_all
        {
            return;
        }
        if here.own.refuses_all {
            if let Some(at) = here.route.last().and(here.own.places().first().cloned()) {
                self.ask(here, None, &at, &["false"], &Value::Bool(false));
            }
            return;
        }
        if self.wanted.words {
            words::compare(here.own, here.other, here.path, &mut self.found.words);
        }
        for part in here.own.effective() {
            let lies_behind_reference =
                |group: &Pointer| group.as_str().ends_with("/$ref") || group.as_str() == "/$ref";
            if here.other.is_broken && part.groups.iter().any(lies_behind_reference) {
                // The reference that leads nowhere says so by itself.
                continue;
            }
            for (keyword, value) in part.object.iter() {
                self.keyword(here, part, keyword, value);
            }
        }
    }

    fn keyword(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, keyword: &str, value: &Value) {
        let new = self.own.dialect >= Dialect::Draft2020_12;
        match (keyword, value) {
            ("properties", Value::Object(map)) => self.properties(here, part, map),
            ("patternProperties", Value::Object(map)) => {
                for (pattern, _) in map.iter() {
                    let at = part.at.key(keyword).key(pattern);
                    let other = here.other.members(keyword, pattern);
                    let step = Step::Pattern(pattern.to_owned());
                    self.child(here, part, &at, &other, step, &format!("{}.*", here.path));
                }
            }
            ("additionalProperties", _) => self.others(here, part, value),
            ("items", Value::Array(list)) if !new => self.tuple(here, part, keyword, list.len()),
            ("prefixItems", Value::Array(list)) if new => {
                self.tuple(here, part, keyword, list.len());
            }
            ("items", _) => {
                let count = if new {
                    tuple_length(part.object.get("prefixItems"))
                } else {
                    0
                };
                self.elements(here, part, keyword, count);
            }
            ("additionalItems", _) if !new => {
                if let Some(Value::Array(list)) = part.object.get("items") {
                    self.elements(here, part, keyword, list.len());
                }
            }
            ("required", Value::Array(names)) => self.required(here, part, names),
            ("unevaluatedProperties" | "unevaluatedItems", _) if !is_trivial(value) => {
                self.ask_in_place(here, part, keyword, value);
            }
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) => {}
            _ if LEAVES.contains(&keyword) => self.leaf(here, part, keyword, value),
            _ => {}
        }
    }

    /// Declared members.
    fn properties(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, map: &Object) {
        if map.is_empty() {
            return;
        }
        let at = part.at.key("properties");
        let declared = here.other.names("properties");
        let rest: Vec<Pointer> = here
            .other
            .values("additionalProperties")
            .filter(|(_, value)| value.as_object().is_some_and(|schema| !schema.is_empty()))
            .map(|(at, _)| at)
            .collect();
        let patterns = !here.other.names("patternProperties").is_empty();
        if declared.is_empty() && rest.is_empty() && !patterns && !here.route.is_empty() {
            // An object that declares no name at all is a free map there.
            let value = Value::Object(map.clone());
            let fragment = one("properties", value);
            let keywords = constraints_below(&fragment);
            let keywords: Vec<&str> = keywords.iter().map(String::as_str).collect();
            self.ask(here, Some(part), &at, &keywords, &fragment);
            return;
        }
        for (name, schema) in map.iter() {
            let mut other = here.other.members("properties", name);
            if other.is_empty() {
                other.clone_from(&rest);
            }
            if other.is_empty() && !patterns {
                self.found.missing.push(Missing {
                    at: at.key(name),
                    path: here.path.to_owned(),
                    name: name.to_owned(),
                    schema: schema.clone(),
                    required: here.own.values("required").any(|(_, names)| {
                        names
                            .as_array()
                            .is_some_and(|list| list.iter().any(|n| n.as_str() == Some(name)))
                    }),
                    route: here.route.to_vec(),
                    nothing_declared: declared.is_empty(),
                });
                continue;
            }
            let step = Step::Member(name.to_owned());
            let path = member_path(here.path, name);
            self.child(here, part, &at.key(name), &other, step, &path);
        }
    }

    /// What is said of members that are not declared.
    fn others(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, value: &Value) {
        if is_trivial(value) {
            return;
        }
        // A name that only one side declares is told by itself.
        let mut names = here.other.names("properties");
        let mut patterns = here.other.names("patternProperties");
        for (map, into) in [
            ("properties", &mut names),
            ("patternProperties", &mut patterns),
        ] {
            if let Some(Value::Object(map)) = part.object.get(map) {
                into.extend(map.iter().map(|(name, _)| name.to_owned()));
            }
            into.sort();
            into.dedup();
        }
        let step = Step::Others(names, patterns);
        let at = part.at.key("additionalProperties");
        let typed: Vec<Pointer> = here
            .other
            .values("additionalProperties")
            .filter(|(_, value)| value.as_object().is_some_and(|schema| !schema.is_empty()))
            .map(|(at, _)| at)
            .collect();
        if value.as_object().is_some() && !typed.is_empty() {
            let path = format!("{}.*", here.path);
            self.child(here, part, &at, &typed, step, &path);
            return;
        }
        let mut route = here.route.to_vec();
        route.push(step);
        let below = Here {
            route: &route,
            ..*here
        };
        self.ask(&below, Some(part), &at, &["additionalProperties"], value);
    }

    fn tuple(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, keyword: &str, count: usize) {
        for i in 0..count {
            let at = part.at.key(keyword).index(i);
            let theirs = self.tuple_keyword();
            let mut other: Vec<Pointer> = here
                .other
                .values(theirs)
                .filter(|(_, list)| tuple_length(Some(list)) > i)
                .map(|(at, _)| at.index(i))
                .collect();
            if here
                .other
                .value(theirs)
                .is_none_or(|list| list.as_array().is_none())
            {
                // One schema for all elements counts for this one, too.
                let all = here.other.values("items");
                other = all.map(|(at, _)| at).collect();
            }
            let path = format!("{}[{i}]", here.path);
            self.child(here, part, &at, &other, Step::Element(i), &path);
        }
    }

    fn tuple_keyword(&self) -> &'static str {
        if self.other.dialect >= Dialect::Draft2020_12 {
            "prefixItems"
        } else {
            "items"
        }
    }

    /// The schema of the elements from `count` on.
    fn elements(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, keyword: &str, count: usize) {
        let at = part.at.key(keyword);
        let theirs = tuple_length(here.other.value(self.tuple_keyword()));
        let rest = if self.other.dialect >= Dialect::Draft2020_12 || theirs == 0 {
            "items"
        } else {
            "additionalItems"
        };
        let other: Vec<Pointer> = if theirs == count {
            here.other
                .values(rest)
                .filter(|(_, value)| value.as_array().is_none())
                .map(|(at, _)| at)
                .collect()
        } else {
            Vec::new()
        };
        let path = format!("{}[]", here.path);
        self.child(here, part, &at, &other, Step::Elements(count), &path);
    }

    /// The schema at `at`, one step further in, against those of the other side.
    fn child(
        &mut self,
        here: &Here<'_, 'v>,
        part: &Part<'v>,
        at: &Pointer,
        other: &[Pointer],
        step: Step,
        path: &str,
    ) {
        let Some(schema) = at.find(self.own.root) else {
            return;
        };
        if is_trivial(schema) {
            return;
        }
        let mut route = here.route.to_vec();
        route.push(step);
        let theirs = self.other.gather(other.iter().cloned());
        let ours = self.own.gather([at.clone()]);
        let groups = all_groups(here, part);
        let below = Here {
            own: &ours,
            other: &theirs,
            route: &route,
            path: path.trim_start_matches('.'),
            groups: &groups,
        };
        if other.is_empty() || route.len() > DEEPEST {
            let keywords = constraints_below(schema);
            let keywords: Vec<&str> = keywords.iter().map(String::as_str).collect();
            self.ask(&below, None, at, &keywords, schema);
            return;
        }
        self.place(&below);
    }

    /// Names that must be given. One that the other side does not declare is told by itself.
    fn required(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, names: &[Value]) {
        let theirs: HashSet<String> = here
            .other
            .values("required")
            .filter_map(|(_, names)| names.as_array())
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let declared = here.other.names("properties");
        let left: Vec<Value> = names
            .iter()
            .filter(|name| {
                let name = name.as_str().unwrap_or_default();
                let told = (here.route.is_empty() || !declared.is_empty())
                    && here.own.names("properties").iter().any(|own| own == name)
                    && !declared.iter().any(|other| other == name);
                !theirs.contains(name) && !told
            })
            .cloned()
            .collect();
        let at = part.at.key("required");
        if left.is_empty() {
            self.count(here, Some(part));
            return;
        }
        let fragment = one("required", Value::Array(left));
        self.ask(here, Some(part), &at, &["required"], &fragment);
    }

    /// A keyword that says all that it says by itself.
    fn leaf(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, keyword: &str, value: &Value) {
        let coupled: Vec<&str> = COUPLED
            .iter()
            .filter(|(first, with)| {
                // A bound is coupled only where draft-04 says with a boolean whether it is open.
                let bound = matches!(keyword, "minimum" | "maximum");
                let value = part.object.get(with);
                *first == keyword && value.is_some_and(|v| !bound || v.as_bool().is_some())
            })
            .map(|(_, with)| *with)
            .collect();
        let same = |theirs: &Part<'_>| {
            theirs
                .object
                .get(keyword)
                .is_some_and(|theirs| keeps(keyword, value, theirs))
                && coupled.iter().all(|with| {
                    theirs.object.get(with).map(canonical) == part.object.get(with).map(canonical)
                })
        };
        if (self.same_definitions || !refers(value)) && here.other.effective().any(same) {
            self.count(here, Some(part));
            return;
        }
        let mut members = vec![(keyword.to_owned(), value.clone())];
        for with in coupled {
            if let Some(value) = part.object.get(with) {
                members.push((with.to_owned(), value.clone()));
            }
        }
        let fragment = Value::Object(Object::new(members));
        let at = part.at.key(keyword);
        let before = self.found.hits.len();
        self.ask(here, Some(part), &at, &[keyword], &fragment);
        let branches = here
            .other
            .values("anyOf")
            .chain(here.other.values("oneOf"))
            .chain(here.other.values(keyword));
        let branches: Vec<&Value> = branches.map(|(_, value)| value).collect();
        if self.found.hits.len() > before
            && union::IS_ONE.contains(&keyword)
            && !branches.is_empty()
            && let Some(whole) = self.source.only(here.route, &fragment)
        {
            let prefix = self.source_pointer(here.route);
            let inner = union::inside(
                self.engine,
                &whole,
                &prefix,
                part.object,
                keyword,
                &branches,
            );
            if !inner.is_empty()
                && let Some(outer) = self.found.hits.pop()
            {
                self.found
                    .hits
                    .extend(inner.into_iter().map(|(tail, value, witness)| {
                        Hit {
                            at: part.at.join(&tail),
                            keywords: tail
                                .split_last()
                                .map(|(_, last)| last)
                                .into_iter()
                                .collect(),
                            own: Some(value),
                            other: None,
                            witness: Some(witness),
                            ..outer.clone()
                        }
                    }));
            }
        }
    }

    /// Where the inner schema of a fragment stands that was made for `route`.
    fn source_pointer(&self, route: &[Step]) -> Pointer {
        let new = self.own.dialect >= Dialect::Draft2020_12;
        let mut at = Pointer::root();
        for step in route {
            at = match step {
                Step::Member(name) => at.key("properties").key(name),
                Step::Pattern(pattern) => at.key("patternProperties").key(pattern),
                Step::Others(..) => at.key("additionalProperties"),
                Step::Element(i) if new => at.key("prefixItems").index(*i),
                Step::Element(i) => at.key("items").index(*i),
                Step::Elements(n) if *n > 0 && !new => at.key("additionalItems"),
                Step::Elements(_) => at.key("items"),
            };
        }
        at
    }

    /// Asks the engine about a keyword that counts only with its neighbours.
    fn ask_in_place(&mut self, here: &Here<'_, 'v>, part: &Part<'v>, keyword: &str, value: &Value) {
        let at = part.at.key(keyword);
        let same = |(_, theirs): (Pointer, &Value)| canonical(theirs) == canonical(value);
        if here.other.values(keyword).any(same) {
            // Whether the neighbours are the same is asked of each of them.
            self.count(here, Some(part));
            return;
        }
        self.count(here, Some(part));
        if !self.wanted.constraints {
            return;
        }
        let answer = self.engine.ask_alone(&at);
        self.hit(here, Some(part), &at, &[keyword], answer);
    }

    /// Asks the engine whether the other side admits what `inner`, at the end of the route, refuses.
    fn ask(
        &mut self,
        here: &Here<'_, 'v>,
        part: Option<&Part<'v>>,
        at: &Pointer,
        keywords: &[&str],
        inner: &Value,
    ) {
        self.count(here, part);
        if !self.wanted.constraints {
            return;
        }
        self.questions += 1;
        if self.questions > MOST_QUESTIONS {
            self.found.gave_up = true;
            return;
        }
        let answer = match self.source.only(here.route, inner) {
            Some(fragment) => self.engine.ask(&fragment),
            None => self.engine.ask_alone(at),
        };
        self.hit(here, part, at, keywords, answer);
    }

    fn hit(
        &mut self,
        here: &Here<'_, 'v>,
        part: Option<&Part<'v>>,
        at: &Pointer,
        keywords: &[&str],
        answer: Answer,
    ) {
        let witness = match answer {
            Answer::Kept => return,
            Answer::Lost(witness) => {
                let keyword = keywords.first().copied().unwrap_or_default();
                Some(self.engine.sharpened(witness, at, keyword))
            }
            Answer::Undecided => None,
        };
        let other = keywords
            .first()
            .and_then(|keyword| here.other.value(keyword));
        self.found.hits.push(Hit {
            at: at.clone(),
            place: part.map_or_else(|| at.clone(), |part| part.at.clone()),
            keywords: match keywords {
                [] => at.split_last().map(|(_, last)| last).into_iter().collect(),
                several => several.iter().map(|&keyword| keyword.to_owned()).collect(),
            },
            path: here.path.to_owned(),
            groups: part.map_or_else(|| here.groups.to_vec(), |part| all_groups(here, part)),
            own: at.find(self.own.root).cloned(),
            other: other.cloned(),
            witness,
        });
    }

    /// Counts a constraint in every branch and reference that it stands in.
    fn count(&mut self, here: &Here<'_, 'v>, part: Option<&Part<'v>>) {
        let own = part.map(|part| part.groups.as_slice()).unwrap_or_default();
        for group in here.groups.iter().chain(own) {
            *self.found.in_group.entry(group.clone()).or_default() += 1;
        }
    }
}

/// The branches and references that a constraint of `part` stands in.
fn all_groups<'v>(here: &Here<'_, 'v>, part: &Part<'v>) -> Vec<Pointer> {
    here.groups.iter().chain(&part.groups).cloned().collect()
}

/// The argument called `name` of `path`, as people write it.
pub(super) fn member_path(path: &str, name: &str) -> String {
    let name = visible(name);
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}

fn same_definitions(a: &Value, b: &Value) -> bool {
    ["$defs", "definitions"]
        .iter()
        .all(|name| a.get(name).map(canonical) == b.get(name).map(canonical))
}
