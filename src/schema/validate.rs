//! The one validator of the product: the `jsonschema` library, bounded before it is called.
//!
//! `format` and `content*` assert only where asked to, patterns are ECMA-262, nothing is fetched. Bounds depend
//! on schema and instance alone, so that verdicts repeat.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError, ValidationOptions};

use crate::json::{Object, Pointer, Value};

use super::adapt::adapt;
use super::bridge::to_serde;
use super::cost::{MAX_STEPS, Plan};
use super::dialect::{Declared, Dialect, declared};
use super::graph::Graph;
use super::pattern;
use super::reason::Reason;
use super::refs::{Target, loops};
use super::uri::percent_encode;
use super::verdict::{Formats, Limit, Unusable, Verdict};
use super::vocabulary::settled;
use super::wellformed::flaws;

/// A pattern that is longer, in characters, is not handed to the library.
pub const MAX_PATTERN_LENGTH: usize = 4_096;
/// Nor are patterns that have more atoms, together, when repetitions are written out.
pub const MAX_PATTERN_ATOMS: u64 = 100_000;
/// Steps that a pattern which looks around or refers back may take on one string.
const MAX_PATTERN_STEPS: usize = 100_000;
/// Such patterns times the strings of an instance: no more are tried.
const MAX_PATTERN_TRIALS: usize = 10_000;
/// The library may recurse this deep.
const MAX_LEVELS: usize = 4_096;
/// Up to here it does so on the caller's stack.
const LEVELS_ON_THE_STACK: usize = 24;
/// Stack for one level, in bytes: twice what a debug build was seen to take (8 kB to compile a
/// schema one level deeper, 2 kB to validate one).
const STACK_PER_LEVEL: usize = 16 * 1024;
/// No more reasons than this are given for one verdict.
const MAX_REASONS: usize = 8;

/// What a document without an address is called inside another one.
const DOCUMENT: &str = "mcplock:document";

/// A schema that instances can be validated against.
#[derive(Debug)]
pub struct Validator {
    library: jsonschema::Validator,
    /// One validator for each pattern that looks around or refers back.
    backtracking: Vec<jsonschema::Validator>,
    plan: Plan,
    dialect: Dialect,
}

impl Validator {
    /// A validator for `schema`, whose root is read in `dialect` unless it declares a known one.
    pub fn new(schema: &Value, dialect: Dialect) -> Result<Self, Unusable> {
        Validator::with(schema, dialect, Formats::default())
    }

    /// The same, for which `format` is worth what `formats` says.
    pub fn with(schema: &Value, dialect: Dialect, formats: Formats) -> Result<Self, Unusable> {
        if let Some(settled) = settled(schema) {
            return Validator::with(&settled, dialect, formats);
        }
        let dialect = match declared(schema) {
            Declared::Absent => dialect,
            Declared::Known(own) => own,
            Declared::Unknown => {
                return Err(Unusable::UnknownDialect(Pointer::root().key("$schema")));
            }
        };
        let graph =
            Graph::of(schema, dialect).map_err(|_| Unusable::OverBudget(Limit::Subschemas))?;
        let mut bridged = to_serde(schema).ok_or(Unusable::OverBudget(Limit::Depth))?;
        refuse_what_is_not_sound(schema, dialect, &graph)?;
        if !bridged.exact {
            return Err(Unusable::OverBudget(Limit::Number));
        }
        let patterns = backtracking_patterns(&graph)?;
        adapt(&graph, &mut bridged.value).map_err(|_| Unusable::NotSupported)?;
        let plan = Plan::of(&graph);
        let build = || {
            let options = options(dialect, formats);
            let backtracking = patterns.iter().map(|pattern| {
                options.build(&serde_json::json!({ "type": "string", "pattern": pattern }))
            });
            let backtracking = backtracking.collect::<Result<_, _>>();
            let library = options.build(&bridged.value);
            match (library, backtracking) {
                (Ok(library), Ok(backtracking)) => Ok((library, backtracking)),
                _ => Err(Unusable::NotSupported),
            }
        };
        let (library, backtracking) = on_stack(depth(&bridged.value), build)
            .unwrap_or(Err(Unusable::OverBudget(Limit::Depth)))?;
        Ok(Validator {
            library,
            backtracking,
            plan,
            dialect,
        })
    }

    /// A validator for the subschema of `document` at `pointer`, with the references that lead
    /// elsewhere in the document.
    pub fn at(
        document: &Value,
        pointer: &Pointer,
        dialect: Dialect,
        formats: Formats,
    ) -> Result<Self, Unusable> {
        let dialect = match declared(document) {
            Declared::Known(own) => own,
            _ => dialect,
        };
        let Value::Object(members) = document else {
            return Validator::with(document, dialect, formats);
        };
        let text = |text: &str| Value::String(text.to_owned());
        let id = dialect.id_keyword();
        let mut members = members.members().to_vec();
        let address = if let Some(Value::String(address)) = document.get(id) {
            address.clone()
        } else {
            members.retain(|(key, _)| key != id);
            members.push((id.to_owned(), text(DOCUMENT)));
            DOCUMENT.to_owned()
        };
        let address = address.split('#').next().unwrap_or_default();
        let target = format!("{address}#{}", percent_encode(pointer.as_str()));
        let object = |key: &str, value| Value::Object(Object::new(vec![(key.to_owned(), value)]));
        let defs = match dialect {
            Dialect::Draft2019_09 | Dialect::Draft2020_12 => "$defs",
            _ => "definitions",
        };
        let wrapper = Value::Object(Object::new(vec![
            (
                defs.to_owned(),
                object("document", Value::Object(Object::new(members))),
            ),
            (
                "allOf".to_owned(),
                Value::Array(vec![object("$ref", text(&target))]),
            ),
        ]));
        Validator::with(&wrapper, dialect, formats)
    }

    /// The dialect that the schema is read in.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether `instance` is valid.
    pub fn validate(&self, instance: &Value) -> Verdict {
        let Some(bridged) = to_serde(instance) else {
            return Verdict::OverBudget(Limit::Depth);
        };
        if !bridged.exact {
            return Verdict::OverBudget(Limit::Number);
        }
        let work = match self.plan.work(instance) {
            Some(work) if work.steps <= MAX_STEPS => work,
            _ => return Verdict::OverBudget(Limit::Steps),
        };
        let levels = work.levels.max(depth(&bridged.value));
        let judge = || {
            if let Some(limit) = self.backtracks_too_much(instance) {
                return Verdict::OverBudget(limit);
            }
            if self.library.is_valid(&bridged.value) {
                return Verdict::Valid;
            }
            let errors = self.library.iter_errors(&bridged.value).take(MAX_REASONS);
            let reasons: Vec<Reason> = errors.map(|error| Reason::of(&error)).collect();
            if reasons.is_empty() {
                // the library contradicts itself: not to be relied on
                return Verdict::OverBudget(Limit::Steps);
            }
            Verdict::Invalid(reasons)
        };
        on_stack(levels, judge).unwrap_or(Verdict::OverBudget(Limit::Depth))
    }

    /// Tries each pattern that may backtrack on each string. The library takes a pattern that gave
    /// up for one that does not match, which under a `not` would make an instance valid.
    fn backtracks_too_much(&self, instance: &Value) -> Option<Limit> {
        if self.backtracking.is_empty() {
            return None;
        }
        let strings = strings(instance);
        if strings.len().saturating_mul(self.backtracking.len()) > MAX_PATTERN_TRIALS {
            return Some(Limit::PatternSteps);
        }
        let gave_up = |error: &ValidationError| {
            matches!(
                error.kind(),
                ValidationErrorKind::BacktrackLimitExceeded { .. }
                    | ValidationErrorKind::RegexEngineFailure { .. }
            )
        };
        let any = strings.into_iter().any(|text| {
            let text = serde_json::Value::String(text.to_owned());
            self.backtracking
                .iter()
                .any(|pattern| pattern.iter_errors(&text).any(|error| gave_up(&error)))
        });
        any.then_some(Limit::PatternSteps)
    }
}

/// Calls `work`, which recurses `levels` deep, on a stack that is large enough; none when that
/// would be deeper than [`MAX_LEVELS`].
fn on_stack<T: Send>(levels: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    if levels <= LEVELS_ON_THE_STACK {
        return Some(work());
    }
    if levels > MAX_LEVELS {
        return None;
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(2 * 1024 * 1024 + levels * STACK_PER_LEVEL)
            .spawn_scoped(scope, work)
            .ok()?
            .join()
            .ok()
    })
}

fn refuse_what_is_not_sound(
    schema: &Value,
    dialect: Dialect,
    graph: &Graph,
) -> Result<(), Unusable> {
    if let Some(pointer) = graph.unknown_dialects.first() {
        return Err(Unusable::UnknownDialect(pointer.clone()));
    }
    let flaws = flaws(schema, dialect);
    if !flaws.is_empty() {
        return Err(Unusable::NotWellFormed(flaws));
    }
    for reference in &graph.references {
        if !matches!(reference.target, Target::Resolved(_) | Target::Metaschema) {
            return Err(Unusable::Reference(reference.pointer.clone()));
        }
    }
    match loops(graph).first().and_then(|members| members.first()) {
        Some(&first) => Err(Unusable::Loop(graph.references[first].pointer.clone())),
        None => Ok(()),
    }
}

/// The patterns that look around or refer back, once all have been found small enough.
fn backtracking_patterns<'v>(graph: &Graph<'v>) -> Result<Vec<&'v str>, Unusable> {
    let mut found = Vec::new();
    let mut atoms: u64 = 0;
    for node in &graph.nodes {
        let own = node.value.get("pattern").and_then(Value::as_str);
        let keys = node
            .value
            .get("patternProperties")
            .and_then(Value::as_object);
        let keys = keys
            .into_iter()
            .flat_map(|map| map.iter().map(|(key, _)| key));
        for text in own.into_iter().chain(keys) {
            let Ok(pattern) = pattern::check(text) else {
                // such as in a place that a `$ref` beside it hides
                continue;
            };
            atoms = atoms.saturating_add(pattern.expanded);
            if text.len() > MAX_PATTERN_LENGTH || atoms > MAX_PATTERN_ATOMS {
                return Err(Unusable::OverBudget(Limit::PatternSize));
            }
            if pattern.backtracks && !found.contains(&text) {
                found.push(text);
            }
        }
    }
    Ok(found)
}

/// Whether the engine takes `pattern`, which [`pattern::check`] has found to be one of ECMA-262.
pub fn evaluates(pattern: &str) -> bool {
    let modern = pattern::modernized(pattern);
    let pattern = modern.as_deref().unwrap_or(pattern);
    let schema = serde_json::json!({ "pattern": pattern });
    options(Dialect::Draft2020_12, Formats::Noted)
        .build(&schema)
        .is_ok()
}

fn options(dialect: Dialect, formats: Formats) -> ValidationOptions<'static> {
    let mut options = jsonschema::options()
        .with_draft(match dialect {
            Dialect::Draft4 => Draft::Draft4,
            Dialect::Draft6 => Draft::Draft6,
            Dialect::Draft7 => Draft::Draft7,
            Dialect::Draft2019_09 => Draft::Draft201909,
            Dialect::Draft2020_12 => Draft::Draft202012,
        })
        .offline()
        .should_validate_formats(formats == Formats::Asserted)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_PATTERN_STEPS));
    if formats == Formats::Asserted {
        return options;
    }
    for encoding in ["base64", "base64url", "base32", "base32hex", "base16"] {
        options = options.without_content_encoding_support(encoding);
    }
    options.without_content_media_type_support("application/json")
}

/// How deep `value` nests; at most [`super::bridge::MAX_DEPTH`], which the bridge has seen to.
fn depth(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        serde_json::Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// The strings of `instance`, names of members too.
fn strings(instance: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut queue = vec![instance];
    while let Some(value) = queue.pop() {
        match value {
            Value::String(text) => found.push(text.as_str()),
            Value::Array(items) => queue.extend(items),
            Value::Object(object) => {
                for (key, member) in object.iter() {
                    found.push(key);
                    queue.push(member);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn value(text: &str) -> Value {
        parse(text.as_bytes(), &Limits::default()).unwrap().value
    }

    fn valid(dialect: Dialect, schema: &str, instance: &str) -> bool {
        let validator =
            Validator::new(&value(schema), dialect).unwrap_or_else(|why| panic!("{schema}: {why}"));
        match validator.validate(&value(instance)) {
            Verdict::Valid => true,
            Verdict::Invalid(_) => false,
            Verdict::OverBudget(limit) => panic!("{limit}"),
        }
    }

    #[test]
    fn format_and_content_never_assert() {
        for dialect in [Dialect::Draft4, Dialect::Draft7, Dialect::Draft2020_12] {
            assert!(valid(dialect, r#"{"format":"email"}"#, r#""none""#));
        }
        let schema = r#"{"contentEncoding":"base64","contentMediaType":"application/json"}"#;
        assert!(valid(Dialect::Draft7, schema, r#""{:}""#));
    }

    #[test]
    fn formats_assert_where_that_is_asked_for() {
        for dialect in Dialect::ALL {
            let schema = value(r#"{"format":"ipv4"}"#);
            let validator = Validator::with(&schema, dialect, Formats::Asserted).unwrap();
            assert!(validator.validate(&value(r#""127.0.0.1""#)).is_valid());
            assert!(!validator.validate(&value(r#""no address""#)).is_valid());
        }
    }

    #[test]
    fn dependencies_count_only_in_the_dialects_that_have_them() {
        let schema = r#"{"dependencies":{"a":["b"]}}"#;
        for dialect in Dialect::ALL {
            let asserts = dialect <= Dialect::Draft7;
            assert_eq!(valid(dialect, schema, r#"{"a":1}"#), !asserts, "{dialect}");
        }
        let led_into = r##"{"dependencies":{"a":{}},"not":{"$ref":"#/dependencies/a"}}"##;
        assert_eq!(
            Validator::new(&value(led_into), Dialect::Draft2020_12).unwrap_err(),
            Unusable::NotSupported
        );
    }

    #[test]
    fn patterns_are_those_of_ecma_262() {
        for (pattern, text, matches) in [
            (r"^\\d+$", "42", true),
            (r"^\\d+$", "٣٤", false),
            (r"^abc$", r"abc\n", false),
            (r"^[a-z0-9[\\]._-]+$", "a[0]", true),
            (r"^[a-z0-9[\\]._-]+$", "a b", false),
            (r"^https\\:\\/\\/", "https://x", true),
            (r"^(\\d)\\1$", "11", true),
            (r"^a(?!b)", "ab", false),
            (r"^\\p{L}+$", "é", true),
        ] {
            let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
            let found = valid(Dialect::Draft2020_12, &schema, &format!("\"{text}\""));
            assert_eq!(found, matches, "{pattern} on {text}");
        }
    }

    #[test]
    fn an_everyday_pattern_is_evaluated_and_a_named_reference_is_not() {
        for pattern in [
            "^[a-z]{1,2000}$",
            "a|b",
            "^\\S+@\\S+$",
            "[^\\d\\s]",
            "^(?:a|b)*?$",
        ] {
            assert!(evaluates(pattern), "{pattern}");
        }
        assert!(!evaluates("^(?<y>\\d)\\k<y>$"));
    }

    #[test]
    fn an_integer_may_be_spelled_with_a_fraction_of_zero() {
        assert!(valid(Dialect::Draft2020_12, r#"{"type":"integer"}"#, "3.0"));
        assert!(valid(Dialect::Draft2020_12, r#"{"const":1}"#, "1.0"));
    }

    #[test]
    fn what_cannot_be_resolved_is_refused_and_never_taken_for_anything_goes() {
        let refused =
            |schema: &str| Validator::new(&value(schema), Dialect::Draft2020_12).unwrap_err();
        let at = |pointer: &str| Pointer::parse(pointer).unwrap();
        assert_eq!(
            refused(r#"{"not":{"$ref":"http://x.example/"}}"#),
            Unusable::Reference(at("/not/$ref"))
        );
        assert_eq!(
            refused(r##"{"$ref":"#/gone"}"##),
            Unusable::Reference(at("/$ref"))
        );
        assert_eq!(
            refused(r##"{"anyOf":[{"$ref":"#"}]}"##),
            Unusable::Loop(at("/anyOf/0/$ref"))
        );
        assert_eq!(
            refused(r#"{"$schema":"https://x.example/own"}"#),
            Unusable::UnknownDialect(at("/$schema"))
        );
        assert!(matches!(
            refused(r#"{"type":"text"}"#),
            Unusable::NotWellFormed(_)
        ));
        assert_eq!(
            refused(r#"{"$ref":"http://json-schema.org/draft-07/schema#/definitions/none"}"#),
            Unusable::NotSupported
        );
    }

    #[test]
    fn a_subschema_is_validated_with_the_references_of_its_document() {
        let document = value(
            r##"{"$id":"https://a.example/x","properties":{"a b":{"$ref":"#/$defs/n"}},
                "$defs":{"n":{"type":"integer"}}}"##,
        );
        let pointer = Pointer::root().key("properties").key("a b");
        for dialect in [Dialect::Draft7, Dialect::Draft2020_12] {
            let validator = Validator::at(&document, &pointer, dialect, Formats::Noted).unwrap();
            assert!(validator.validate(&value("1")).is_valid(), "{dialect}");
            assert!(!validator.validate(&value("\"x\"")).is_valid(), "{dialect}");
        }
    }

    #[test]
    fn reasons_name_the_place_and_the_keyword() {
        let schema = value(r#"{"properties":{"a":{"type":"integer"}},"required":["b"]}"#);
        let validator = Validator::new(&schema, Dialect::Draft2020_12).unwrap();
        let Verdict::Invalid(reasons) = validator.validate(&value(r#"{"a":"x"}"#)) else {
            panic!("valid");
        };
        let seen: Vec<(String, &str, &str)> = reasons
            .iter()
            .map(|r| {
                (
                    r.instance.to_string(),
                    r.keyword.as_str(),
                    r.message.as_str(),
                )
            })
            .collect();
        assert!(
            seen.contains(&("/a".to_owned(), "type", "must be integer")),
            "{seen:?}"
        );
        assert!(
            seen.contains(&(String::new(), "required", "lacks `b`")),
            "{seen:?}"
        );
    }
}
