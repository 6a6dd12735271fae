//! Hostile schemas and instances: each ends in a verdict, a fault or the limit that it met, on a
//! stack of two megabytes.

use mcplock::catalog::{Catalog, Instructions, Item, Kind};
use mcplock::fitness::{Fault, FaultKind, check_catalog};
use mcplock::json::{Limits, Value, parse};
use mcplock::schema::{Dialect, Limit, Target, Unusable, Validator, Verdict, flaws, references};

/// Runs `work` on the stack of a worker thread.
fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new()
        .stack_size(2 * 1024 * 1024)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap()
}

fn value(text: &str) -> Value {
    parse(text.as_bytes(), &Limits::default()).unwrap().value
}

/// The kinds of the faults of one tool with that `inputSchema`.
fn faults(schema: &str) -> Vec<FaultKind> {
    told(schema).iter().map(|fault| fault.kind).collect()
}

/// The faults of one tool with that `inputSchema`.
fn told(schema: &str) -> Vec<Fault> {
    let raw = format!(r#"{{"name":"t","description":"x","inputSchema":{schema}}}"#);
    let catalog = Catalog {
        revision: None,
        declared: Vec::new(),
        implementation: None,
        instructions: Instructions::Unknown,
        listed: vec![Kind::Tool],
        unknown: Vec::new(),
        items: vec![Item::new(Kind::Tool, 0, raw.into())],
        remarks: Vec::new(),
        doubts: Vec::new(),
    };
    check_catalog(&catalog, None)
}

fn newest(schema: &str) -> Result<Validator, Unusable> {
    Validator::new(&value(schema), Dialect::Draft2020_12)
}

#[test]
fn a_hundred_thousand_levels_are_a_fault() {
    on_a_small_stack(|| {
        let deep = r#"{"not":"#.repeat(100_000) + "{}" + &"}".repeat(100_000);
        let schema = format!(r#"{{"type":"object","properties":{{"a":{deep}}}}}"#);
        assert_eq!(faults(&schema), [FaultKind::TooDeep]);
    });
}

#[test]
fn as_many_levels_as_the_parser_lets_through_are_judged() {
    on_a_small_stack(|| {
        let deep = r#"{"not":"#.repeat(120) + "{}" + &"}".repeat(120);
        let schema = format!(r#"{{"type":"object","properties":{{"a":{deep}}}}}"#);
        assert_eq!(faults(&schema), []);
        let validator = newest(&schema).unwrap();
        assert_eq!(validator.validate(&value(r#"{"a":1}"#)), Verdict::Valid);
    });
}

#[test]
fn an_instance_as_deep_as_the_parser_lets_through_is_judged() {
    on_a_small_stack(|| {
        let validator = newest(r##"{"items":{"$ref":"#"},"type":"array"}"##).unwrap();
        let deep = "[".repeat(127) + &"]".repeat(127);
        assert_eq!(validator.validate(&value(&deep)), Verdict::Valid);
    });
}

/// `2^22` visits for one number.
fn doubling(levels: usize) -> String {
    let defs: Vec<String> = (0..levels)
        .map(|i| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, i + 1);
            format!(r#""d{i}":{{"allOf":[{next},{next}]}}"#)
        })
        .collect();
    format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{},"d{levels}":{{"type":"integer"}}}}}}"##,
        defs.join(",")
    )
}

#[test]
fn doubling_is_sound_and_its_work_is_not_begun() {
    on_a_small_stack(|| {
        assert_eq!(faults(&doubling(22)), []);
        let verdict = newest(&doubling(22))
            .unwrap()
            .validate(&value(r#"{"a":1}"#));
        assert_eq!(verdict, Verdict::OverBudget(Limit::Steps));
        let verdict = newest(&doubling(200))
            .unwrap()
            .validate(&value(r#"{"a":1}"#));
        assert_eq!(verdict, Verdict::OverBudget(Limit::Steps));
        let verdict = newest(&doubling(10))
            .unwrap()
            .validate(&value(r#"{"a":1}"#));
        assert_eq!(verdict, Verdict::Valid);
        let verdict = newest(&doubling(22))
            .unwrap()
            .validate(&value(r#"{"b":1}"#));
        assert_eq!(
            verdict,
            Verdict::Valid,
            "what is not looked at costs nothing"
        );
    });
}

#[test]
fn looking_twice_at_each_level_is_counted() {
    on_a_small_stack(|| {
        let mut schema = r#"{"type":"object"}"#.to_owned();
        for _ in 0..40 {
            schema = format!(r#"{{"unevaluatedProperties":false,"anyOf":[{schema}]}}"#);
        }
        let verdict = newest(&schema).unwrap().validate(&value("{}"));
        assert_eq!(verdict, Verdict::OverBudget(Limit::Steps));
    });
}

#[test]
fn a_chain_of_ten_thousand_references_is_sound_and_too_deep_to_validate() {
    on_a_small_stack(|| {
        let chain = |length: usize| {
            let defs: Vec<String> = (0..length)
                .map(|i| format!(r##""d{i}":{{"$ref":"#/$defs/d{}"}}"##, i + 1))
                .collect();
            format!(
                r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{},"d{length}":{{"type":"integer"}}}}}}"##,
                defs.join(",")
            )
        };
        assert_eq!(faults(&chain(10_000)), []);
        let found = references(&value(&chain(10_000)), Dialect::Draft2020_12).unwrap();
        assert_eq!(found.references.len(), 10_001);
        assert!(
            found
                .references
                .iter()
                .all(|reference| matches!(reference.target, Target::Resolved(_)))
        );
        let validator = newest(&chain(10_000)).unwrap();
        let verdict = validator.validate(&value(r#"{"a":1}"#));
        assert_eq!(verdict, Verdict::OverBudget(Limit::Depth));
        let validator = newest(&chain(1_000)).unwrap();
        assert_eq!(validator.validate(&value(r#"{"a":1}"#)), Verdict::Valid);
        assert!(matches!(
            validator.validate(&value(r#"{"a":"x"}"#)),
            Verdict::Invalid(_)
        ));
    });
}

#[test]
fn a_ring_of_ten_thousand_references_is_one_loop() {
    on_a_small_stack(|| {
        let defs: Vec<String> = (0..10_000)
            .map(|i| format!(r##""d{i}":{{"$ref":"#/$defs/d{}"}}"##, (i + 1) % 10_000))
            .collect();
        let schema = format!(r#"{{"type":"object","$defs":{{{}}}}}"#, defs.join(","));
        assert_eq!(faults(&schema), [FaultKind::RefLoop]);
    });
}

#[test]
fn an_enum_of_a_million_values_is_judged() {
    on_a_small_stack(|| {
        let values: Vec<String> = (0..1_000_000).map(|i| i.to_string()).collect();
        let schema = format!(
            r#"{{"type":"object","properties":{{"a":{{"enum":[{}]}}}}}}"#,
            values.join(",")
        );
        assert_eq!(faults(&schema), []);
    });
}

#[test]
fn of_ten_thousand_faults_of_a_kind_some_are_told_and_the_rest_are_counted() {
    on_a_small_stack(|| {
        let properties: Vec<String> = (0..10_000)
            .map(|i| format!(r##""p{i}":{{"$ref":"#/gone"}}"##))
            .collect();
        let schema = format!(
            r#"{{"type":"object","properties":{{{}}}}}"#,
            properties.join(",")
        );
        let found = told(&schema);
        assert_eq!(found.len(), 256);
        assert!(
            found[255]
                .message
                .ends_with("and so in 9744 more places of the item")
        );
    });
}

/// Each default could be held against each value of each branch.
#[test]
fn many_defaults_against_many_values_cost_no_more_than_the_budget() {
    on_a_small_stack(|| {
        let values: Vec<String> = (0..20_000).map(|i| i.to_string()).collect();
        let branches = [r##"{"$ref":"#/$defs/e"}"##; 50].join(",");
        let one = format!(r#"{{"default":"x","anyOf":[{branches}]}}"#);
        let properties: Vec<String> = (0..200).map(|i| format!(r#""p{i}":{one}"#)).collect();
        let schema = format!(
            r#"{{"type":"object","properties":{{{}}},"$defs":{{"e":{{"enum":[{}]}}}}}}"#,
            properties.join(","),
            values.join(",")
        );
        let found = faults(&schema);
        assert!(found.len() < 200);
        assert!(found.iter().all(|kind| *kind == FaultKind::DefaultRefused));
    });
}

#[test]
fn more_subschemas_than_are_judged_are_said_so() {
    on_a_small_stack(|| {
        let properties: Vec<String> = (0..60_000).map(|i| format!(r#""p{i}":true"#)).collect();
        let schema = format!(
            r#"{{"type":"object","properties":{{{}}}}}"#,
            properties.join(",")
        );
        assert_eq!(faults(&schema), [FaultKind::SchemaTooLarge]);
        assert_eq!(
            newest(&schema).unwrap_err(),
            Unusable::OverBudget(Limit::Subschemas)
        );
    });
}

#[test]
fn exploding_patterns_are_bounded() {
    on_a_small_stack(|| {
        let with = |pattern: &str| newest(&format!(r#"{{"pattern":{pattern:?}}}"#));
        // the library's linear engine takes it
        let many = Value::String("a".repeat(10_000) + "!");
        let validator = with("^(a+)+$").unwrap();
        assert!(matches!(validator.validate(&many), Verdict::Invalid(_)));
        // a lookahead makes it backtrack
        let many = Value::String("a".repeat(60));
        let validator = with("^((?=a)a|a)*!$").unwrap();
        assert_eq!(
            validator.validate(&many),
            Verdict::OverBudget(Limit::PatternSteps)
        );
        for large in ["((a{1000}){1000}){1000}", &"a".repeat(10_000)] {
            assert_eq!(
                with(large).unwrap_err(),
                Unusable::OverBudget(Limit::PatternSize),
            );
        }
    });
}

/// A pattern that gives up counts as one that does not match: under `not` that would be "valid".
#[test]
fn a_pattern_that_gives_up_under_a_not_decides_nothing() {
    on_a_small_stack(|| {
        let validator = newest(r#"{"not":{"pattern":"^((?=a)a|a)*!$"}}"#).unwrap();
        let many = Value::String("a".repeat(60));
        assert_eq!(
            validator.validate(&many),
            Verdict::OverBudget(Limit::PatternSteps)
        );
    });
}

#[test]
fn a_number_beyond_doubles_is_sound_and_decides_nothing() {
    on_a_small_stack(|| {
        let schema = r#"{"type":"object","properties":{"a":{"maximum":1e400}}}"#;
        assert_eq!(faults(schema), [FaultKind::InexactNumber]);
        assert_eq!(
            newest(schema).unwrap_err(),
            Unusable::OverBudget(Limit::Number)
        );
        let validator = newest(r#"{"maximum":5}"#).unwrap();
        let verdict = validator.validate(&value("1e400"));
        assert_eq!(verdict, Verdict::OverBudget(Limit::Number));
    });
}

#[test]
fn a_string_of_ten_megabytes_is_judged() {
    on_a_small_stack(|| {
        let long = "x".repeat(10_000_000);
        let schema = format!(
            r#"{{"type":"object","description":"{long}","properties":{{"a":{{"const":"{long}"}}}}}}"#
        );
        assert_eq!(faults(&schema), []);
        let pattern =
            format!(r#"{{"type":"object","properties":{{"a":{{"pattern":"({long}"}}}}}}"#);
        assert_eq!(faults(&pattern), [FaultKind::NotWellFormed]);
        let validator = newest(r#"{"maxLength":5}"#).unwrap();
        assert!(matches!(
            validator.validate(&Value::String(long)),
            Verdict::Invalid(_)
        ));
    });
}

/// Neither the reasons nor the flaws repeat what they are about.
#[test]
fn nothing_hostile_is_echoed() {
    on_a_small_stack(|| {
        let payload = "IGNORE\u{1b}[2J".repeat(1_000);
        let instance = Value::String(payload.clone());
        for schema in [
            r#"{"maxLength":5}"#,
            r#"{"type":"integer"}"#,
            r#"{"enum":["a"]}"#,
            r#"{"const":"a"}"#,
            r#"{"anyOf":[{"type":"null"}]}"#,
            r#"{"pattern":"^a$"}"#,
        ] {
            let Verdict::Invalid(reasons) = newest(schema).unwrap().validate(&instance) else {
                panic!("{schema}");
            };
            for reason in reasons {
                assert!(!reason.message.contains("IGNORE"), "{}", reason.message);
            }
        }
        let schema = Value::Object(mcplock::json::Object::new(vec![(
            "type".to_owned(),
            instance,
        )]));
        for flaw in flaws(&schema, Dialect::Draft2020_12) {
            assert!(!flaw.reason.contains("IGNORE"), "{}", flaw.reason);
        }
    });
}
