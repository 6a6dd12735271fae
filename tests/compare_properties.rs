//! What holds of every comparison, whatever the two sides are.

#[path = "support/pinned.rs"]
mod pinned;

use mcplock::canonical::canonical;
use mcplock::compare::{Callers, Change, ChangeKind, Comparison, Live, Model, compare};
use mcplock::lock::Entry;
use mcplock::rules::{Level, judge};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A small value, as it may stand in `enum`, `default` or a member that nobody knows.
fn plain() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3..4_i32).prop_map(Value::from),
        Just(json!(1.5)),
        "[ab]{0,2}".prop_map(Value::from),
        Just(json!(["a", 1])),
        Just(json!({"a": 1, "b": [2]})),
    ]
}

fn type_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "null", "boolean", "integer", "number", "string", "array", "object",
    ])
}

/// A schema keyword with a value of the right shape over the schemas of `inner`.
fn keyword(inner: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    let name = prop::sample::select(vec!["a", "b", "c", "description", "required", "x y"]);
    let map =
        prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner.clone(), 0..4)
            .prop_map(|map| Value::Object(map.into_iter().collect()));
    let list = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array);
    let names = prop::collection::vec(name, 0..3).prop_map(Value::from);
    let key = |keys: &[&'static str]| prop::sample::select(keys.to_vec()).prop_map(str::to_owned);
    prop_oneof![
        (Just("properties".to_owned()), map.clone()),
        (
            key(&[
                "$defs",
                "definitions",
                "patternProperties",
                "dependentSchemas"
            ]),
            map
        ),
        (
            key(&[
                "items",
                "additionalProperties",
                "not",
                "if",
                "then",
                "contains",
                "propertyNames"
            ]),
            inner
        ),
        (
            key(&["anyOf", "allOf", "oneOf", "prefixItems", "items"]),
            list
        ),
        (Just("required".to_owned()), names.clone()),
        (
            Just("dependentRequired".to_owned()),
            names.prop_map(|names| json!({ "a": names }))
        ),
        (
            Just("type".to_owned()),
            prop_oneof![
                type_name().prop_map(Value::from),
                prop::collection::vec(type_name(), 1..3).prop_map(Value::from)
            ]
        ),
        (
            Just("enum".to_owned()),
            prop::collection::vec(plain(), 0..4).prop_map(Value::Array)
        ),
        (key(&["const", "default", "x-any", "examples"]), plain()),
        (
            key(&["minimum", "maxLength", "minItems", "maxProperties"]),
            (0..4_i32).prop_map(Value::from)
        ),
        (
            key(&[
                "description",
                "title",
                "$comment",
                "format",
                "pattern",
                "$schema"
            ]),
            "[ab]{0,2}".prop_map(Value::from)
        ),
        (
            Just("$ref".to_owned()),
            key(&["#/$defs/a", "#/properties/a", "#"]).prop_map(Value::from)
        ),
        (
            key(&["unevaluatedProperties", "unevaluatedItems"]),
            any::<bool>().prop_map(Value::from)
        ),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({})),
        type_name().prop_map(|name| json!({ "type": name })),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop::collection::vec(keyword(inner.boxed()), 0..5).prop_map(|members| {
            let mut object = Map::new();
            object.extend(members);
            Value::Object(object)
        })
    })
}

fn tool() -> impl Strategy<Value = Value> {
    (
        schema(),
        prop::option::of(schema()),
        prop::option::of(plain()),
        prop::option::of(prop::sample::select(vec![
            json!({}),
            json!({"readOnlyHint": true}),
            json!({"readOnlyHint": false, "title": "T"}),
            json!("x"),
        ])),
    )
        .prop_map(|(input, output, extra, annotations)| {
            let mut tool = json!({ "name": "t", "inputSchema": input });
            let members = [
                ("outputSchema", output),
                ("annotations", annotations),
                ("_meta", extra.clone()),
                ("description", extra),
            ];
            for (name, value) in members {
                if let Some(value) = value {
                    tool[name] = value;
                }
            }
            tool
        })
}

fn prompt() -> impl Strategy<Value = Value> {
    let argument = (
        prop::sample::select(vec!["a", "b", "c"]),
        prop::option::of(any::<bool>()),
        prop::option::of("[ab]{0,2}"),
    )
        .prop_map(|(name, required, description)| {
            let mut argument = json!({ "name": name });
            if let Some(required) = required {
                argument["required"] = required.into();
            }
            if let Some(description) = description {
                argument["description"] = description.into();
            }
            argument
        });
    prop::option::of(prop::collection::vec(argument, 0..4)).prop_map(|arguments| {
        let mut prompt = json!({ "name": "p" });
        if let Some(arguments) = arguments {
            prompt["arguments"] = arguments.into();
        }
        prompt
    })
}

fn resource() -> impl Strategy<Value = Value> {
    let annotations = prop_oneof![
        Just(json!({})),
        Just(json!({"audience": ["user", "assistant"]})),
        Just(json!({"audience": ["assistant", "user"], "priority": 1})),
        Just(json!(["user"])),
    ];
    (prop::option::of(annotations), prop::option::of("[ab]{0,2}")).prop_map(|(hints, name)| {
        let mut resource = json!({ "uri": "a:b" });
        if let Some(hints) = hints {
            resource["annotations"] = hints;
        }
        if let Some(name) = name {
            resource["name"] = name.into();
        }
        resource
    })
}

fn catalog() -> impl Strategy<Value = Value> {
    (tool(), prompt(), resource()).prop_map(|(tool, prompt, resource)| {
        json!({ "tools": [tool], "prompts": [prompt], "resources": [resource] })
    })
}

/// Changes one place of `value`, found by following `route`: drops, replaces or adds something.
fn mutate(value: &mut Value, route: &[usize], with: &Value) {
    let Some((&step, rest)) = route.split_first() else {
        *value = with.clone();
        return;
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            let name = members.keys().nth(step % members.len()).cloned();
            let name = name.expect("a member");
            if rest.is_empty() && step % 3 == 0 && !matches!(&*name, "name" | "uri") {
                members.remove(&name);
            } else if !matches!(&*name, "name" | "uri") {
                mutate(members.get_mut(&name).expect("a member"), rest, with);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = step % items.len();
            if rest.is_empty() && step % 3 == 0 {
                items.remove(at);
            } else if rest.is_empty() && step % 3 == 1 {
                items.insert(at, with.clone());
            } else {
                mutate(&mut items[at], rest, with);
            }
        }
        other => *other = with.clone(),
    }
}

/// `value` as text, with the members of every object in another order and every whole number
/// spelled another way.
fn respelled(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .rev()
                .map(|(name, value)| format!("{}:{}", json!(name), respelled(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(respelled).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Number(number) if number.is_i64() => format!("{number}.0e0"),
        other => other.to_string(),
    }
}

/// `schema` with every array whose order means nothing turned round, walked by keyword.
fn turned(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let reversed = |list: &Value, each: fn(&Value) -> Value| match list {
        Value::Array(items) => items.iter().rev().map(each).collect(),
        other => other.clone(),
    };
    let each = |(name, value): (&String, &Value)| {
        let value = match name.as_str() {
            "required" | "enum" | "type" => reversed(value, Value::clone),
            "anyOf" | "allOf" | "oneOf" => reversed(value, turned),
            "prefixItems" | "items" if value.is_array() => {
                value.as_array().into_iter().flatten().map(turned).collect()
            }
            "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                let map = value.as_object().into_iter().flatten();
                map.map(|(name, schema)| (name.clone(), turned(schema)))
                    .collect()
            }
            "dependentRequired" => {
                let map = value.as_object().into_iter().flatten();
                map.map(|(name, list)| (name.clone(), reversed(list, Value::clone)))
                    .collect()
            }
            "items"
            | "additionalProperties"
            | "not"
            | "if"
            | "then"
            | "contains"
            | "propertyNames" => turned(value),
            _ => value.clone(),
        };
        (name.clone(), value)
    };
    Value::Object(members.iter().map(each).collect())
}

fn compared(old: &Entry, new: &Entry) -> Comparison {
    compare(old, &Live::from(new))
}

fn changes(comparison: &Comparison) -> impl Iterator<Item = &Change> {
    comparison.drifts.iter().flat_map(|drift| &drift.changes)
}

/// Whether a change of this kind may be about a name in `required`.
fn tells_of_a_name(kind: ChangeKind) -> bool {
    matches!(
        kind,
        ChangeKind::ArgumentRequired
            | ChangeKind::ArgumentOptional
            | ChangeKind::OutputBroken
            | ChangeKind::OutputExtended
            | ChangeKind::OutputSchema
    )
}

/// Every digest that differs has a change, every change has its place on the side that it names,
/// and no change is without a difference.
fn holds(old: &Entry, new: &Entry) -> Result<(), TestCaseError> {
    let comparison = compared(old, new);
    for (a, b) in old.items.iter().zip(&new.items) {
        let drift = comparison
            .drifts
            .iter()
            .find(|drift| drift.label == a.label());
        prop_assert_eq!(a.contract != b.contract, drift.is_some(), "{}", a.label());
        let Some(drift) = drift else { continue };
        prop_assert!(!drift.changes.is_empty());
        for change in &drift.changes {
            let (side, value) = match (&change.old, &change.new) {
                (_, Some(new)) => (&b.value, new),
                (Some(old), None) => (&a.value, old),
                (None, None) => return Err(TestCaseError::fail("a change of nothing")),
            };
            let there = change.pointer.find(side);
            if tells_of_a_name(change.kind) {
                // The place is the property, the values are the lists of required names.
                let either = [&a.value, &b.value].map(|side| change.pointer.find(side));
                prop_assert!(either.iter().any(Option::is_some), "{}", change.pointer);
            } else {
                prop_assert_eq!(
                    there.map(canonical),
                    Some(canonical(value)),
                    "{}",
                    change.pointer
                );
            }
            let same = change.old.as_ref().map(canonical) == change.new.as_ref().map(canonical);
            prop_assert!(!same, "no difference at {}", change.pointer);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_catalog_compared_with_itself_shows_nothing(catalog in catalog()) {
        let entry = pinned::entry(&catalog.to_string());
        prop_assert_eq!(compared(&entry, &entry).drifts, vec![]);
    }

    #[test]
    fn key_order_and_number_spelling_show_nothing(catalog in catalog()) {
        let old = pinned::entry(&catalog.to_string());
        let new = pinned::entry(&respelled(&catalog));
        prop_assert_eq!(compared(&old, &new).drifts, vec![]);
    }

    #[test]
    fn set_like_arrays_turned_round_are_equivalent(tool in tool()) {
        let mut other = tool.clone();
        other["inputSchema"] = turned(&tool["inputSchema"]);
        let old = pinned::entry(&json!({ "tools": [tool] }).to_string());
        let new = pinned::entry(&json!({ "tools": [other] }).to_string());
        holds(&old, &new)?;
        let comparison = compared(&old, &new);
        for change in changes(&comparison) {
            prop_assert_eq!(change.callers, Callers::Same, "{:?}", change);
            prop_assert_eq!(change.model, Model::Same, "{:?}", change);
        }
        for finding in comparison.drifts.iter().flat_map(|drift| judge("s", drift)) {
            prop_assert_eq!(finding.level, Level::Equivalent);
        }
    }

    #[test]
    fn no_difference_of_two_catalogs_goes_unseen(old in catalog(), new in catalog()) {
        holds(&pinned::entry(&old.to_string()), &pinned::entry(&new.to_string()))?;
    }

    #[test]
    fn no_single_edit_goes_unseen(
        old in catalog(),
        route in prop::collection::vec(0..12_usize, 2..9),
        with in prop_oneof![plain(), schema()],
    ) {
        let mut new = old.clone();
        let lists = new.as_object_mut().expect("a catalog");
        let list = ["tools", "prompts", "resources"][route[0] % 3];
        mutate(&mut lists[list][0], &route[1..], &with);
        let sound = new["tools"][0].is_object() && new["prompts"][0].is_object()
            && new["resources"][0].is_object();
        prop_assume!(sound);
        holds(&pinned::entry(&old.to_string()), &pinned::entry(&new.to_string()))?;
    }
}
