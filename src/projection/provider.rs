//! What a provider's documented subset of JSON Schema refuses or ignores of a server's tools, before
//! anything is captured. What is known of providers stands in `provider_facts`, as data.
//!
//! Pure.

use std::collections::BTreeSet;

use crate::catalog::{Catalog, Kind};
use crate::json::{Object, Pointer, Value};
use crate::schema::{Dialect, Outline, Target, Undeclared};
use crate::text::visible;

use super::loss::{Loss, LossKind};
use super::provider_facts::{Construct, Effect, FACTS, Fact};

/// A model provider, by the interface that takes its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// OpenAI: chat completions and responses.
    OpenAi,
    /// Anthropic: messages.
    Anthropic,
    /// Gemini: `functionDeclarations` with `parameters`.
    Gemini,
    /// Amazon Bedrock: Converse.
    Bedrock,
}

impl Provider {
    /// All providers.
    pub const ALL: [Provider; 4] = [
        Provider::OpenAi,
        Provider::Anthropic,
        Provider::Gemini,
        Provider::Bedrock,
    ];

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Provider::OpenAi => "openai",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
            Provider::Bedrock => "bedrock",
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Provider::OpenAi => "OpenAI",
            Provider::Anthropic => "Anthropic",
            Provider::Gemini => "Gemini",
            Provider::Bedrock => "Bedrock",
        }
    }
}

/// What `provider` refuses or ignores of the tools of `catalog`: for each tool and fact the first
/// place, and how many more there are.
pub fn lint(catalog: &Catalog, default_dialect: Option<Dialect>, provider: Provider) -> Vec<Loss> {
    let dialect = Undeclared::for_revision(catalog.revision, default_dialect).first();
    let mut losses = Vec::new();
    for item in catalog.of_kind(Kind::Tool) {
        if !item.document.defects.is_empty() {
            continue;
        }
        let label = item.label();
        for fact in FACTS.iter().filter(|fact| fact.provider == provider) {
            let places = places(fact.construct, item.value(), dialect);
            let Some((first, what)) = places.first() else {
                continue;
            };
            let loss = loss(fact, &label, first, what, places.len(), item.value());
            let told = |known: &Loss| {
                known.label == label && known.kind == loss.kind && known.pointer == loss.pointer
            };
            if !losses.iter().any(told) {
                losses.push(loss);
            }
        }
    }
    losses
}

fn loss(fact: &Fact, label: &str, at: &Pointer, what: &str, count: usize, tool: &Value) -> Loss {
    let (kind, verb) = match fact.effect {
        Effect::Refuses => (LossKind::ProviderRefuses, "refuses"),
        Effect::StrictRefuses => (LossKind::ProviderStrictRefuses, "refuses in strict mode"),
        Effect::Ignores => (LossKind::ProviderIgnores, "does not enforce"),
    };
    let more = match count - 1 {
        0 => String::new(),
        1 => ", and at one more place".to_owned(),
        more => format!(", and at {more} more places"),
    };
    let message = format!(
        "{} {verb} {what}{more}: {} ({}, as of {})",
        fact.provider.name(),
        fact.says,
        fact.source,
        fact.date
    );
    Loss::new(kind, label, at.clone(), message).values(at.find(tool), None)
}

/// Where a tool has a construct, and what it is called there.
fn places(construct: Construct, tool: &Value, dialect: Dialect) -> Vec<(Pointer, String)> {
    let root = Pointer::root().key("inputSchema");
    match construct {
        Construct::Name { others, longest } => {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            let fits = name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || others.contains(c))
                && (1..=longest).contains(&name.chars().count());
            let named = (
                Pointer::root().key("name"),
                format!("the name `{}`", visible(name)),
            );
            if fits { Vec::new() } else { vec![named] }
        }
        Construct::EmptyDescription => match tool.get("description").and_then(Value::as_str) {
            Some("") => vec![(
                Pointer::root().key("description"),
                "an empty description".to_owned(),
            )],
            _ => Vec::new(),
        },
        _ => {
            let Some(schema) = tool.get("inputSchema") else {
                return Vec::new();
            };
            let found = in_schema(construct, schema, dialect);
            found
                .into_iter()
                .map(|(at, what)| (root.join(&at), what))
                .collect()
        }
    }
}

fn in_schema(construct: Construct, schema: &Value, dialect: Dialect) -> Vec<(Pointer, String)> {
    let Ok(outline) = Outline::of(schema, dialect) else {
        return Vec::new();
    };
    let one = |at: Pointer, what: String| vec![(at, what)];
    match construct {
        Construct::RootKeyword(keywords) => keywords
            .iter()
            .filter(|keyword| schema.get(keyword).is_some())
            .map(|keyword| {
                (
                    Pointer::root().key(keyword),
                    format!("`{keyword}` at the root"),
                )
            })
            .collect(),
        Construct::RootNotObject => match schema.get("type").and_then(Value::as_str) {
            Some("object") => Vec::new(),
            _ => one(
                Pointer::root(),
                "a root that is no `type: \"object\"`".to_owned(),
            ),
        },
        Construct::Recursion => recursion(&outline),
        Construct::ExternalRef => outline
            .references()
            .references
            .into_iter()
            .filter(|reference| reference.target == Target::External)
            .map(|reference| {
                (
                    reference.pointer,
                    "a reference out of the document".to_owned(),
                )
            })
            .collect(),
        Construct::Properties(most) => {
            let count: usize = each(&outline)
                .filter_map(|(_, object)| object.get("properties")?.as_object().map(Object::len))
                .sum();
            let what = format!("{count} properties, more than {most}");
            if count > most {
                one(Pointer::root(), what)
            } else {
                Vec::new()
            }
        }
        Construct::EnumValues(most) => {
            let count: usize = each(&outline)
                .filter_map(|(_, object)| object.get("enum")?.as_array().map(<[Value]>::len))
                .sum();
            let what = format!("{count} values of `enum`, more than {most}");
            if count > most {
                one(Pointer::root(), what)
            } else {
                Vec::new()
            }
        }
        Construct::Depth(most) => each(&outline)
            .filter(|(at, object)| object.contains_key("properties") && levels(at) > most)
            .map(|(at, _)| (at, format!("objects nested deeper than {most}")))
            .collect(),
        _ => outline
            .subschemas()
            .flat_map(|schema| at_one_place(construct, schema.value(), &schema.pointer()))
            .collect(),
    }
}

/// The subschemas that are objects, with their places.
fn each<'o, 'v>(outline: &'o Outline<'v>) -> impl Iterator<Item = (Pointer, &'v Object)> + 'o {
    outline
        .subschemas()
        .filter_map(|schema| Some((schema.pointer(), schema.value().as_object()?)))
}

/// How deep an object is nested at a place: the root is the first level.
fn levels(at: &Pointer) -> usize {
    1 + at.tokens().filter(|token| token == "properties").count()
}

fn at_one_place(construct: Construct, schema: &Value, at: &Pointer) -> Vec<(Pointer, String)> {
    let Some(object) = schema.as_object() else {
        return match (construct, schema) {
            (Construct::BooleanSchema, Value::Bool(accepts)) => {
                vec![(at.clone(), format!("the schema `{accepts}`"))]
            }
            _ => Vec::new(),
        };
    };
    let is_object = object.get("type").and_then(Value::as_str) == Some("object")
        || object.contains_key("properties");
    let keyword = |name: &str| (at.key(name), format!("`{name}`"));
    let has = |name: &&&str| object.contains_key(name);
    match construct {
        Construct::Keywords(names) => names.iter().filter(has).map(|n| keyword(n)).collect(),
        Construct::KeywordsBut(names) => object
            .iter()
            .filter(|(name, _)| !names.contains(name))
            .map(|(name, _)| (at.key(name), format!("`{}`", visible(name))))
            .collect(),
        Construct::CountAbove(name, most) => match object.get(name) {
            Some(Value::Number(number))
                if number
                    .as_str()
                    .parse::<f64>()
                    .is_ok_and(|value| value > most) =>
            {
                vec![(at.key(name), format!("`{name}` above {most}"))]
            }
            _ => Vec::new(),
        },
        Construct::Open if is_object => match object.get("additionalProperties") {
            Some(Value::Bool(false)) => Vec::new(),
            _ => vec![(
                at.clone(),
                "an object without `additionalProperties: false`".to_owned(),
            )],
        },
        Construct::Optional => optional(object, at),
        Construct::TypeList => match object.get("type") {
            Some(Value::Array(_)) => vec![(at.key("type"), "a list of types".to_owned())],
            _ => Vec::new(),
        },
        Construct::EnumOf(is_taken) => match object.get("enum") {
            Some(Value::Array(values)) if !values.iter().all(is_taken) => {
                vec![(at.key("enum"), "an `enum` with such values".to_owned())]
            }
            _ => Vec::new(),
        },
        Construct::FormatsBut(names) => match object.get("format").and_then(Value::as_str) {
            Some(format) if !names.contains(&format) => {
                vec![(at.key("format"), format!("`format` `{}`", visible(format)))]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The declared properties that need not be given.
fn optional(object: &Object, at: &Pointer) -> Vec<(Pointer, String)> {
    let Some(properties) = object.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required: BTreeSet<&str> = object
        .get("required")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    properties
        .iter()
        .filter(|(name, _)| !required.contains(name))
        .map(|(name, _)| {
            let what = format!("`{}`, which may be left out", visible(name));
            (at.key("properties").key(name), what)
        })
        .collect()
}

/// The references through which a schema contains itself.
fn recursion(outline: &Outline<'_>) -> Vec<(Pointer, String)> {
    let links: Vec<(Pointer, Pointer)> = outline
        .references()
        .references
        .into_iter()
        .filter_map(|reference| match reference.target {
            Target::Resolved(target) => Some((reference.pointer, target)),
            _ => None,
        })
        .collect();
    let lies_in = |place: &Pointer, holder: &Pointer| {
        let rest = place.as_str().strip_prefix(holder.as_str());
        rest.is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
    };
    let reaches = |from: &Pointer, goal: &Pointer| {
        let mut seen: BTreeSet<&Pointer> = BTreeSet::new();
        let mut left = vec![from];
        while let Some(target) = left.pop() {
            for (place, next) in &links {
                if lies_in(place, target) {
                    if place == goal {
                        return true;
                    }
                    if seen.insert(next) {
                        left.push(next);
                    }
                }
            }
        }
        false
    };
    links
        .iter()
        .filter(|(place, target)| reaches(target, place))
        .map(|(place, _)| (place.clone(), "a schema that contains itself".to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::read_saved;

    fn told(provider: Provider, schema: &str) -> Vec<String> {
        let text = format!(r#"{{"tools":[{{"name":"t","inputSchema":{schema}}}]}}"#);
        let catalog = read_saved(&[("tools.json", text)]).unwrap();
        lint(&catalog, None, provider)
            .into_iter()
            .map(|loss| loss.pointer.to_string())
            .collect()
    }

    #[test]
    fn a_construct_is_told_at_its_first_place() {
        let schema = r#"{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]},
            "b":{"oneOf":[{"type":"null"}]}},"required":["a","b"],"additionalProperties":false}"#;
        assert_eq!(
            told(Provider::OpenAi, schema),
            ["/inputSchema/properties/a/oneOf"]
        );
        assert_eq!(told(Provider::Bedrock, schema), [""; 0]);
    }

    #[test]
    fn recursion_is_seen_through_several_definitions() {
        let schema = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},
            "$defs":{"A":{"type":"object","additionalProperties":false,
            "properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"array",
            "items":{"$ref":"#/$defs/A"}},"C":{"type":"string"}},"additionalProperties":false}"##;
        let told = told(Provider::Anthropic, schema);
        assert_eq!(told, ["/inputSchema/$defs/A/properties/b/$ref"]);
    }

    #[test]
    fn every_fact_says_what_where_and_when() {
        for fact in FACTS {
            assert!(fact.source.starts_with("https://"), "{}", fact.says);
            assert!(fact.date.starts_with("20"), "{}", fact.says);
            assert!(!fact.says.is_empty());
        }
        for provider in Provider::ALL {
            assert!(FACTS.iter().any(|fact| fact.provider == provider));
        }
    }
}
