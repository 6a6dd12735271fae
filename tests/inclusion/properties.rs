//! Properties of inclusion over schemas made at random.

use std::fmt::Write as _;

use mcplock::schema::inclusion::{Options, Verdict, inclusion};
use mcplock::schema::{Dialect, Validator};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

use crate::pairs;

const OPTIONS: Options = Options {
    old_dialect: Dialect::Draft2020_12,
    new_dialect: Dialect::Draft2020_12,
    budget: Options::DEFAULT_BUDGET,
};

fn ask(old: &Value, new: &Value) -> Verdict {
    let (old, new) = (pairs::json(&old.to_string()), pairs::json(&new.to_string()));
    inclusion(&old, &new, &OPTIONS)
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "ab", "x1"]).prop_map(str::to_owned)
}

fn pattern() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["^a", "b$", "^[a-c]{1,2}$", "^x\\d+$", "a|1", "^(?!a)"])
}

fn constant() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2.5),
        json!("a"),
        json!("ab"),
        json!(""),
        json!([]),
        json!([1]),
        json!([1, 1]),
        json!({}),
        json!({"a": 1}),
        json!({"a": "ab", "b": null}),
    ])
}

/// A schema of about the size that a parameter of a tool has.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!({})),
        prop::sample::subsequence(
            vec![
                "null", "boolean", "integer", "number", "string", "array", "object"
            ],
            1..4
        )
        .prop_map(|types| json!({ "type": types })),
        (-2i32..4, 0i32..5).prop_map(|(low, more)| json!({"minimum": low, "maximum": low + more})),
        (1i32..5).prop_map(|n| json!({"type": "number", "multipleOf": f64::from(n) / 2.0})),
        (0u32..3, 0u32..3)
            .prop_map(|(min, more)| json!({"minLength": min, "maxLength": min + more})),
        pattern().prop_map(|p| json!({"type": "string", "pattern": p})),
        prop::collection::vec(constant(), 1..4).prop_map(|values| json!({ "enum": values })),
        constant().prop_map(|value| json!({ "const": value })),
        (0u32..3, 0u32..3).prop_map(|(min, more)| json!({"minItems": min, "maxItems": min + more})),
        Just(json!({"type": "array", "uniqueItems": true})),
        (0u32..3, 0u32..3)
            .prop_map(|(min, more)| json!({"minProperties": min, "maxProperties": min + more})),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let object = (
            prop::collection::btree_map(name(), inner.clone(), 0..3),
            prop::collection::btree_set(name(), 0..2),
            prop::option::of(inner.clone()),
            prop::option::of((pattern(), inner.clone())),
            any::<bool>(),
        )
            .prop_map(|(properties, required, others, patterned, typed)| {
                let mut schema = json!({"properties": properties, "required": required});
                if let Some(others) = others {
                    schema["additionalProperties"] = others;
                }
                if let Some((pattern, value)) = patterned {
                    schema["patternProperties"] = json!({ pattern: value });
                }
                if typed {
                    schema["type"] = json!("object");
                }
                schema
            });
        let array = (
            prop::collection::vec(inner.clone(), 0..3),
            prop::option::of(inner.clone()),
            prop::option::of((inner.clone(), 0u32..3, 0u32..3)),
        )
            .prop_map(|(prefix, rest, contains)| {
                let mut schema = json!({"type": "array"});
                if !prefix.is_empty() {
                    schema["prefixItems"] = json!(prefix);
                }
                if let Some(rest) = rest {
                    schema["items"] = rest;
                }
                if let Some((contains, min, more)) = contains {
                    schema["contains"] = contains;
                    schema["minContains"] = json!(min);
                    schema["maxContains"] = json!(min + more);
                }
                schema
            });
        let list = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            3 => object,
            2 => array,
            1 => list.clone().prop_map(|l| json!({ "anyOf": l })),
            1 => list.clone().prop_map(|l| json!({ "oneOf": l })),
            1 => list.prop_map(|l| json!({ "allOf": l })),
            1 => inner.clone().prop_map(|s| json!({ "not": s })),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(i, t, e)| json!({"if": i, "then": t, "else": e})),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| {
                json!({"anyOf": [a, true], "properties": {"b": b}, "unevaluatedProperties": false})
            }),
            1 => inner.clone().prop_map(|s| json!({ "propertyNames": s })),
            1 => (name(), inner).prop_map(|(n, s)| json!({"dependentSchemas": {n: s}})),
        ]
    })
}

/// The same set of values, written otherwise.
fn rewrites(schema: &Value) -> Vec<Value> {
    let mut out = vec![
        json!({"allOf": [schema]}),
        json!({"anyOf": [schema, false]}),
        json!({"oneOf": [schema, false]}),
        json!({"$ref": "#/$defs/S", "$defs": {"S": schema, "Unused": {"type": "string"}}}),
        json!({"not": {"not": schema}}),
        json!({"if": true, "then": schema}),
        json!({"allOf": [schema, true, {}, {"minLength": 0, "description": "x"}]}),
        json!({"anyOf": [schema, schema]}),
        respell(schema),
    ];
    if let Value::Object(object) = schema {
        let mut described = object.clone();
        described.insert("description".to_owned(), json!("words"));
        described.insert("default".to_owned(), json!(1));
        out.push(Value::Object(described));
        if !object.contains_key("additionalProperties")
            && !object.contains_key("unevaluatedProperties")
        {
            let mut open = object.clone();
            open.insert("additionalProperties".to_owned(), json!(true));
            out.push(Value::Object(open));
        }
    }
    out
}

/// Constants as one-value lists, types and names in another order, booleans as objects.
fn respell(schema: &Value) -> Value {
    match schema {
        Value::Bool(true) => json!({}),
        Value::Bool(false) => json!({"not": {}}),
        Value::Object(object) => {
            let mut out = serde_json::Map::new();
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("const", value) => {
                        out.insert("enum".to_owned(), json!([value]));
                    }
                    ("type" | "required" | "enum", Value::Array(list)) => {
                        let list: Vec<&Value> = list.iter().rev().collect();
                        out.insert(key.clone(), json!(list));
                    }
                    ("type", value) => {
                        out.insert(key.clone(), json!([value]));
                    }
                    (
                        "properties" | "patternProperties" | "dependentSchemas",
                        Value::Object(map),
                    ) => {
                        let map: serde_json::Map<_, _> =
                            map.iter().map(|(k, v)| (k.clone(), respell(v))).collect();
                        out.insert(key.clone(), Value::Object(map));
                    }
                    (_, Value::Array(list)) => {
                        out.insert(key.clone(), list.iter().map(respell).collect());
                    }
                    (_, Value::Object(_) | Value::Bool(_)) if key != "uniqueItems" => {
                        out.insert(key.clone(), respell(value));
                    }
                    (_, value) => {
                        out.insert(key.clone(), value.clone());
                    }
                }
            }
            Value::Object(out)
        }
        other => other.clone(),
    }
}

/// A schema and one that accepts strictly less, by one keyword.
fn tightening() -> impl Strategy<Value = (Value, Value)> {
    let number = (0i32..50, 1i32..9).prop_map(|(max, less)| {
        (
            json!({"type": "integer", "maximum": max}),
            json!({"type": "integer", "maximum": max - less}),
        )
    });
    let length = (0u32..20, 1u32..5).prop_map(|(min, more)| {
        (
            json!({"type": "string", "minLength": min}),
            json!({"type": "string", "minLength": min + more}),
        )
    });
    let listed = prop::sample::subsequence(vec!["u", "v", "w", "x"], 2..4)
        .prop_map(|values| (json!({"enum": values}), json!({"enum": values[1..]})));
    prop_oneof![
        number,
        length,
        listed,
        Just((
            json!({"type": ["string", "null"]}),
            json!({"type": "string"})
        )),
        Just((json!({"type": "number"}), json!({"type": "integer"}))),
        Just((
            json!({"type": "string"}),
            json!({"type": "string", "pattern": "^[a-z]"})
        )),
        Just((
            json!({"type": "array"}),
            json!({"type": "array", "uniqueItems": true})
        )),
        Just((
            json!({"type": "object"}),
            json!({"type": "object", "required": ["k"]})
        )),
        Just((
            json!({"type": "object"}),
            json!({"type": "object", "additionalProperties": false})
        )),
        Just((json!({}), json!({"not": {"const": 3}}))),
        Just((
            json!({"type": "number"}),
            json!({"type": "number", "multipleOf": 0.5})
        )),
    ]
}

/// Places where the difference of a pair stays a difference.
fn placed() -> impl Strategy<Value = (Value, Value)> {
    tightening().prop_recursive(4, 8, 1, |inner| {
        (inner, 0usize..9).prop_map(|((old, new), place)| {
            let put = |s: Value| match place {
                0 => json!({"type": "object", "properties": {"p": s, "q": {"type": "string"}}}),
                1 => json!({"type": "object", "required": ["p"], "properties": {"p": s}, "additionalProperties": false}),
                2 => json!({"type": "array", "items": s}),
                3 => json!({"type": "array", "prefixItems": [{"type": "null"}, s]}),
                4 => json!({"allOf": [s, {"title": "t"}]}),
                5 => json!({"$ref": "#/$defs/D", "$defs": {"D": s}}),
                6 => json!({"type": "object", "additionalProperties": s}),
                7 => json!({"type": "object", "patternProperties": {"^p": s}}),
                _ => json!({"type": "object", "if": {"required": ["t"]}, "then": {"properties": {"p": s}}}),
            };
            // Only at the root does a pointer from the root lead to its definition.
            if place == 5 {
                return match (old.get("$defs"), new.get("$defs")) {
                    (None, None) if !old.to_string().contains("$defs") => (put(old), put(new)),
                    _ => (old, new),
                };
            }
            if old.to_string().contains("$defs") {
                return (old, new);
            }
            (put(old), put(new))
        })
    })
}

fn validator(schema: &Value) -> Option<Validator> {
    Validator::new(&pairs::json(&schema.to_string()), Dialect::Draft2020_12).ok()
}

/// Values to hunt with, parsed once.
fn instances() -> &'static [mcplock::json::Value] {
    static INSTANCES: std::sync::OnceLock<Vec<mcplock::json::Value>> = std::sync::OnceLock::new();
    INSTANCES.get_or_init(|| {
        let parse = |value: &Value| pairs::json(&value.to_string());
        combinations().iter().map(parse).collect()
    })
}

/// Small values of every kind, combined.
fn combinations() -> Vec<Value> {
    let simple = [
        json!(null),
        json!(true),
        json!(-3),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(0.5),
        json!(2.5),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("b"),
        json!("x1"),
        json!("zzz"),
    ];
    let mut all = simple.to_vec();
    all.extend([
        json!([]),
        json!({}),
        json!([[]]),
        json!([{}]),
        json!([1, 1, 1]),
    ]);
    for a in &simple {
        all.push(json!([a]));
        for name in ["a", "b", "ab", "x1", "z"] {
            all.push(json!({ name: a }));
        }
        for b in &simple {
            all.push(json!([a, b]));
            all.push(json!({"a": a, "b": b}));
            all.push(json!({"ab": a, "x1": b, "z": 1}));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_rewrite_that_keeps_the_meaning_is_included_both_ways(schema in schema()) {
        for other in rewrites(&schema) {
            for (old, new) in [(&schema, &other), (&other, &schema)] {
                let verdict = ask(old, new);
                prop_assert!(verdict.is_included(), "{old}\n in {new}\n {verdict:?}");
            }
        }
    }

    #[test]
    fn one_tightening_is_broken_or_undecided_and_never_included((old, new) in placed()) {
        let verdict = ask(&old, &new);
        prop_assert!(!verdict.is_included(), "{old}\n in {new}\n {verdict:?}");
        prop_assert!(matches!(verdict, Verdict::Broken(_)), "{old}\n in {new}\n {verdict:?}");
        prop_assert!(ask(&new, &old).is_included(), "{new}\n in {old}");
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_proved_has_no_witness_and_what_is_broken_has_one(old in schema(), new in schema()) {
        let (Some(a), Some(b)) = (validator(&old), validator(&new)) else {
            return Ok(());
        };
        // The pair as it is, and pairs that share most of their parts.
        let both = json!({"allOf": [old, new]});
        let either = json!({"anyOf": [old, new]});
        let but = json!({"allOf": [old, {"not": new}]});
        for (x, y) in [(&old, &new), (&both, &new), (&old, &either), (&but, &old), (&either, &old), (&old, &both), (&old, &but)] {
            let verdict = ask(x, y);
            let (Some(vx), Some(vy)) = (validator(x), validator(y)) else {
                continue;
            };
            let separates = |value: &mcplock::json::Value| {
                vx.validate(value).is_valid() && !vy.validate(value).is_valid()
            };
            match &verdict {
                Verdict::Broken(witness) => prop_assert!(separates(&witness.value), "{x}\n in {y}\n {verdict:?}"),
                Verdict::Equal | Verdict::Included(_) => {
                    for value in instances() {
                        prop_assert!(!separates(value), "{x}\n in {y}\n {verdict:?} but {value:?}");
                    }
                }
                Verdict::Undecided(_) => {}
            }
        }
        let _ = (a, b);
    }
}

/// Among random pairs few may stay undecided: a prover that gives up is no prover.
#[test]
fn most_random_pairs_are_decided() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut undecided, mut total) = (0, 0);
    let mut told = String::new();
    for _ in 0..150 {
        let tree = |runner: &mut _| schema().new_tree(runner).unwrap().current();
        let (old, new) = (tree(&mut runner), tree(&mut runner));
        let either = json!({"anyOf": [old, new]});
        for (x, y) in [(&old, &new), (&old, &either), (&either, &new)] {
            total += 1;
            if let Verdict::Undecided(reason) = ask(x, y) {
                undecided += 1;
                let _ = writeln!(told, "{reason:?} {x} in {y}");
            }
        }
    }
    assert!(undecided * 50 <= total, "{undecided} of {total}\n{told}");
}
