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
use super::wellformed::is_integer;

/// Subschemas that are looked at for one value.
const MAX_LOOKS: usize = 500;
/// How many of them may stand inside one another.
const MAX_DEPTH: usize = 24;

/// A reader of one graph.
pub(super) struct Quick<'g, 'v> {
    graph: &'g Graph<'v>,
    looks: usize,
}

impl<'g, 'v> Quick<'g, 'v> {
    pub(super) fn new(graph: &'g Graph<'v>) -> Self {
        Quick { graph, looks: 0 }
    }

    /// Whether the subschema `node` takes `instance`; none when it can't be told so.
    pub(super) fn takes(mut self, node: u32, instance: &Value) -> Option<bool> {
        self.node(node, instance, MAX_DEPTH)
    }

    fn node(&mut self, node: u32, instance: &Value, depth: usize) -> Option<bool> {
        self.looks += 1;
        let depth = depth.checked_sub(1)?;
        if self.looks > MAX_LOOKS {
            return None;
        }
        let at = &self.graph.nodes[node as usize];
        let schema = match at.value {
            Value::Bool(value) => return Some(*value),
            Value::Object(object) => object,
            _ => return None,
        };
        let hides =
            at.dialect.ref_hides_siblings() && matches!(schema.get("$ref"), Some(Value::String(_)));
        // the answers of all keywords: one "no" is enough, one "unknown" spoils a "yes"
        let mut all = Some(true);
        for (keyword, value) in schema.iter() {
            if hides && keyword != "$ref" {
                continue;
            }
            let answer = self.keyword(node, at.dialect, schema, keyword, value, instance, depth);
            if answer == Some(false) {
                return answer;
            }
            all = and(all, answer);
        }
        all
    }

    fn child(&mut self, schema: &Value, instance: &Value, depth: usize) -> Option<bool> {
        let node = self.graph.node_of(schema)?;
        self.node(node, instance, depth)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one keyword needs all that it stands among"
    )]
    fn keyword(
        &mut self,
        node: u32,
        dialect: Dialect,
        schema: &Object,
        keyword: &str,
        value: &Value,
        instance: &Value,
        depth: usize,
    ) -> Option<bool> {
        match keyword {
            "type" => types(value, instance),
            "enum" => {
                let text = canonical(instance);
                let mut values = value.as_array()?.iter();
                Some(values.any(|value| canonical(value) == text))
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
            "minItems" => Some(items.len() as f64 >= count(value)?),
            "maxItems" => Some(items.len() as f64 <= count(value)?),
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
            "minProperties" => Some(object.len() as f64 >= count(value)?),
            "maxProperties" => Some(object.len() as f64 <= count(value)?),
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
        "minLength" => Some(text.chars().count() as f64 >= count(value)?),
        "maxLength" => Some(text.chars().count() as f64 <= count(value)?),
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

/// Tokens of up to fifteen characters compare as doubles just as they do as decimals.
fn small(token: &str) -> Option<f64> {
    (token.len() <= 15).then(|| token.parse().ok()).flatten()
}
