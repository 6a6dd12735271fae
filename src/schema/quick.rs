//! Whether a subschema takes a value, where that can be told at a glance.
//!
//! The default of a parameter is checked against its schema, thousands of times over a catalog;
//! building a validator for each would cost more than all the rest. This reads the everyday
//! keywords itself, and gives no answer as soon as it meets another one that counts. Tests hold it
//! against the validator.

use crate::canonical::canonical;
use crate::json::{Object, Value};

use super::Dialect;
use super::graph::Graph;
use super::verdict::Formats;
use super::wellformed::is_integer;

/// How many subschemas may be looked at one inside the other.
const MAX_DEPTH: usize = 24;

/// A reader of one graph.
pub(super) struct Quick<'g, 'v> {
    graph: &'g Graph<'v>,
    /// Subschemas and values that may still be looked at.
    looks: &'g mut usize,
    /// A keyword of the outermost subschema that does not count.
    except: Option<&'static str>,
    formats: Formats,
}

/// Where a keyword stands, and what it looks at.
#[derive(Clone, Copy)]
struct At<'a> {
    node: u32,
    dialect: Dialect,
    schema: &'a Object,
    instance: &'a Value,
}

impl<'g, 'v> Quick<'g, 'v> {
    pub(super) fn new(
        graph: &'g Graph<'v>,
        looks: &'g mut usize,
        except: Option<&'static str>,
    ) -> Self {
        Quick {
            graph,
            looks,
            except,
            formats: Formats::default(),
        }
    }

    pub(super) fn with(mut self, formats: Formats) -> Self {
        self.formats = formats;
        self
    }

    /// Whether the subschema `node` takes `instance`; none when it can't be told so.
    pub(super) fn takes(mut self, node: u32, instance: &Value) -> Option<bool> {
        self.node(node, instance, MAX_DEPTH)
    }

    fn node(&mut self, node: u32, instance: &Value, depth: usize) -> Option<bool> {
        self.look(1)?;
        let depth = depth.checked_sub(1)?;
        let at = &self.graph.nodes[node as usize];
        let schema = match at.value {
            Value::Bool(value) => return Some(*value),
            Value::Object(object) => object,
            _ => return None,
        };
        let hides =
            at.dialect.ref_hides_siblings() && matches!(schema.get("$ref"), Some(Value::String(_)));
        let look = At {
            node,
            dialect: at.dialect,
            schema,
            instance,
        };
        // the answers of all keywords: one "no" is enough, one "unknown" spoils a "yes"
        let mut all = Some(true);
        let except = self.except.take();
        for (keyword, value) in schema.iter() {
            if (hides && keyword != "$ref") || except == Some(keyword) {
                continue;
            }
            let answer = self.keyword(look, keyword, value, depth);
            if answer == Some(false) {
                return answer;
            }
            all = and(all, answer);
        }
        all
    }

    /// Takes `times` looks from what is left; none when there are not so many.
    fn look(&mut self, times: usize) -> Option<()> {
        *self.looks = self.looks.checked_sub(times)?;
        Some(())
    }

    fn child(&mut self, schema: &Value, instance: &Value, depth: usize) -> Option<bool> {
        let node = self.graph.node_of(schema)?;
        self.node(node, instance, depth)
    }

    fn keyword(&mut self, at: At, keyword: &str, value: &Value, depth: usize) -> Option<bool> {
        let At {
            node,
            dialect,
            schema,
            instance,
        } = at;
        match keyword {
            "type" => types(value, instance),
            "enum" => {
                let values = value.as_array()?;
                self.look(values.len())?;
                let text = canonical(instance);
                Some(values.iter().any(|value| canonical(value) == text))
            }
            "const" if dialect > Dialect::Draft4 => Some(canonical(value) == canonical(instance)),
            "$ref" => match self.graph.target_of(node)? {
                [target] => self.node(*target, instance, depth),
                _ => None,
            },
            "allOf" | "anyOf" | "oneOf" => {
                let branches = value.as_array()?;
                let answers: Vec<_> = branches
                    .iter()
                    .map(|branch| self.child(branch, instance, depth))
                    .collect();
                combine(keyword, &answers)
            }
            "not" => Some(!self.child(value, instance, depth)?),
            "format" | "contentEncoding" | "contentMediaType"
                if self.formats == Formats::Asserted =>
            {
                None
            }
            _ => match instance {
                Value::Number(number) => bound(keyword, value, number.as_str()),
                Value::String(text) => string(keyword, value, text),
                Value::Array(items) => self.array(schema, keyword, value, items, depth),
                Value::Object(object) => self.object(schema, keyword, value, object, depth),
                Value::Null | Value::Bool(_) => in_place_only(keyword),
            },
        }
    }

    fn array(
        &mut self,
        schema: &Object,
        keyword: &str,
        value: &Value,
        items: &[Value],
        depth: usize,
    ) -> Option<bool> {
        match keyword {
            "minItems" => Some(size(items.len())? >= count(value)?),
            "maxItems" => Some(size(items.len())? <= count(value)?),
            "uniqueItems" if items.len() < 2 => Some(true),
            "items" if !schema.contains_key("prefixItems") && value.as_array().is_none() => {
                let mut all = Some(true);
                for item in items {
                    all = and(all, self.child(value, item, depth));
                }
                all
            }
            "items" | "prefixItems" | "additionalItems" | "contains" | "unevaluatedItems"
                if items.is_empty() && keyword != "contains" =>
            {
                Some(true)
            }
            "items" | "prefixItems" | "additionalItems" | "contains" | "minContains"
            | "maxContains" | "unevaluatedItems" | "uniqueItems" => None,
            keyword => in_place_only(keyword),
        }
    }

    fn object(
        &mut self,
        schema: &Object,
        keyword: &str,
        value: &Value,
        object: &Object,
        depth: usize,
    ) -> Option<bool> {
        let declared = schema.get("properties").and_then(Value::as_object);
        match keyword {
            "minProperties" => Some(size(object.len())? >= count(value)?),
            "maxProperties" => Some(size(object.len())? <= count(value)?),
            "required" => {
                let mut names = value.as_array()?.iter();
                Some(names.all(|name| name.as_str().is_some_and(|name| object.contains_key(name))))
            }
            "properties" => {
                let mut all = Some(true);
                for (name, member) in object.iter() {
                    if let Some(schema) = value.get(name) {
                        all = and(all, self.child(schema, member, depth));
                    }
                }
                all
            }
            "additionalProperties" if !schema.contains_key("patternProperties") => {
                let mut all = Some(true);
                for (name, member) in object.iter() {
                    if !declared.is_some_and(|declared| declared.contains_key(name)) {
                        let answer = match value {
                            // draft-04, where a boolean is no subschema
                            Value::Bool(open) => Some(*open),
                            schema => self.child(schema, member, depth),
                        };
                        all = and(all, answer);
                    }
                }
                all
            }
            "additionalProperties"
            | "patternProperties"
            | "propertyNames"
            | "unevaluatedProperties"
            | "dependencies"
            | "dependentRequired"
            | "dependentSchemas"
                if object.is_empty() =>
            {
                Some(true)
            }
            "additionalProperties"
            | "patternProperties"
            | "propertyNames"
            | "unevaluatedProperties"
            | "dependencies"
            | "dependentRequired"
            | "dependentSchemas" => None,
            keyword => in_place_only(keyword),
        }
    }
}

/// What a keyword says of a value of a type that it does not look at: nothing, unless it looks at
/// every type.
fn in_place_only(keyword: &str) -> Option<bool> {
    match keyword {
        "if" | "then" | "else" | "$dynamicRef" | "$recursiveRef" => None,
        _ => Some(true),
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn combine(keyword: &str, answers: &[Option<bool>]) -> Option<bool> {
    let yes = answers
        .iter()
        .filter(|answer| **answer == Some(true))
        .count();
    let unknown = answers.iter().filter(|answer| answer.is_none()).count();
    match keyword {
        "allOf" if answers.contains(&Some(false)) => Some(false),
        "anyOf" if yes > 0 => Some(true),
        "oneOf" if yes > 1 => Some(false),
        _ if unknown > 0 => None,
        "oneOf" => Some(yes == 1),
        "anyOf" => Some(false),
        _ => Some(true),
    }
}

fn types(value: &Value, instance: &Value) -> Option<bool> {
    let is = |name: &str| match (name, instance) {
        ("integer", Value::Number(number)) => is_integer(number.as_str().trim_start_matches('-')),
        ("integer", _) => false,
        (name, instance) => name == instance.type_name(),
    };
    match value {
        Value::String(name) => Some(is(name)),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).any(is)),
        _ => None,
    }
}

fn bound(keyword: &str, value: &Value, token: &str) -> Option<bool> {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            let (limit, number) = (count(value)?, small(token)?);
            Some(match keyword {
                "minimum" => number >= limit,
                "maximum" => number <= limit,
                "exclusiveMinimum" => number > limit,
                _ => number < limit,
            })
        }
        "multipleOf" => None,
        keyword => in_place_only(keyword),
    }
}

fn string(keyword: &str, value: &Value, text: &str) -> Option<bool> {
    match keyword {
        "minLength" => Some(size(text.chars().count())? >= count(value)?),
        "maxLength" => Some(size(text.chars().count())? <= count(value)?),
        "pattern" => None,
        keyword => in_place_only(keyword),
    }
}

/// A number that compares exactly as a double.
fn count(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => small(number.as_str()),
        _ => None,
    }
}

fn size(length: usize) -> Option<f64> {
    u32::try_from(length).ok().map(f64::from)
}

/// Tokens of up to fifteen characters compare as doubles just as they do as decimals.
fn small(token: &str) -> Option<f64> {
    (token.len() <= 15).then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::schema::bridge::from_serde;
    use crate::schema::{Validator, Verdict};

    fn instance() -> BoxedStrategy<Json> {
        let leaf = prop::sample::select(vec![
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(-3),
            json!(1.5),
            json!(7.0),
            json!(""),
            json!("a"),
            json!("abcd"),
            json!("é"),
        ]);
        leaf.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
                prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|map| json!(map)),
            ]
        })
        .boxed()
    }

    fn keyword(schema: BoxedStrategy<Json>) -> BoxedStrategy<(String, Json)> {
        let several = prop::collection::vec(schema.clone(), 1..3).prop_map(Json::from);
        let by_name = prop::collection::btree_map("[abc]", schema.clone(), 0..3);
        let named = |names: &'static [&'static str]| prop::sample::select(names);
        prop_oneof![
            named(&[
                "integer", "number", "string", "null", "boolean", "array", "object"
            ])
            .prop_map(|name| ("type".to_owned(), json!(name))),
            Just(("type".to_owned(), json!(["string", "null"]))),
            (
                named(&[
                    "minLength",
                    "maxLength",
                    "minItems",
                    "maxItems",
                    "minProperties",
                    "maxProperties",
                    "minimum",
                    "maximum",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "multipleOf",
                ]),
                1..4_u8
            )
                .prop_map(|(keyword, n)| (keyword.to_owned(), json!(n))),
            prop::collection::vec(instance(), 1..3)
                .prop_map(|values| ("enum".to_owned(), json!(values))),
            instance().prop_map(|value| ("const".to_owned(), value)),
            (named(&["allOf", "anyOf", "oneOf", "prefixItems"]), several)
                .prop_map(|(keyword, value)| (keyword.to_owned(), value)),
            (
                named(&[
                    "not",
                    "items",
                    "contains",
                    "additionalProperties",
                    "propertyNames",
                    "if",
                    "then",
                    "else",
                    "unevaluatedProperties",
                    "unevaluatedItems",
                ]),
                schema
            )
                .prop_map(|(keyword, value)| (keyword.to_owned(), value)),
            (
                named(&["properties", "patternProperties", "dependentSchemas"]),
                by_name
            )
                .prop_map(|(keyword, value)| (keyword.to_owned(), json!(value))),
            Just(("required".to_owned(), json!(["a"]))),
            Just(("uniqueItems".to_owned(), json!(true))),
            Just(("pattern".to_owned(), json!("^a"))),
            Just(("$ref".to_owned(), json!("#/$defs/d"))),
        ]
        .boxed()
    }

    fn schema() -> BoxedStrategy<Json> {
        let leaf = prop_oneof![Just(json!({})), Just(json!(true)), Just(json!(false))];
        leaf.boxed()
            .prop_recursive(3, 16, 3, |inner| {
                prop::collection::vec(keyword(inner.boxed()), 0..4)
                    .prop_map(|members| Json::Object(members.into_iter().collect()))
            })
            .boxed()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

        #[test]
        fn an_answer_at_a_glance_is_the_validators(
            schema in schema(),
            value in instance(),
        ) {
            let mut schema = json!({"allOf": [schema]});
            schema["$defs"] = json!({"d": {"type": ["string", "integer"], "maxLength": 2}});
            let (schema, value) = (from_serde(&schema), from_serde(&value));
            let graph = Graph::of(&schema, Dialect::Draft2020_12).ok().unwrap();
            if let Some(answer) = Quick::new(&graph, &mut 1_000, None).takes(0, &value) {
                let validator = Validator::new(&schema, Dialect::Draft2020_12).unwrap();
                let expected = match validator.validate(&value) {
                    Verdict::Valid => true,
                    Verdict::Invalid(_) => false,
                    Verdict::OverBudget(_) => return Ok(()),
                };
                prop_assert_eq!(answer, expected);
            }
        }
    }

    #[test]
    fn everyday_defaults_are_told_at_a_glance() {
        for (schema, value, answer) in [
            (
                json!({"type": "string", "title": "x"}),
                json!(null),
                Some(false),
            ),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": null}),
                json!(null),
                Some(true),
            ),
            (
                json!({"type": "integer", "minimum": 1}),
                json!(0),
                Some(false),
            ),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                json!([]),
                Some(true),
            ),
            (json!({"pattern": "^a"}), json!("a"), None),
            (json!({"pattern": "^a"}), json!(1), Some(true)),
        ] {
            let schema = from_serde(&schema);
            let graph = Graph::of(&schema, Dialect::Draft2020_12).ok().unwrap();
            let found = Quick::new(&graph, &mut 1_000, None).takes(0, &from_serde(&value));
            assert_eq!(found, answer, "{schema:?}");
        }
    }
}
