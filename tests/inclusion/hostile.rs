//! Schemas made to exhaust: each must end, on a small stack, with an answer that repeats.

use mcplock::schema::Dialect;
use mcplock::schema::inclusion::{Options, Verdict, inclusion, tool_input};

use crate::pairs::json;

/// The stack of a thread that nobody sized.
const STACK: usize = 2 * 1024 * 1024;

fn on_a_small_stack(old: String, new: String) -> Verdict {
    let run = move || {
        let options = Options::for_dialect(Dialect::Draft2020_12);
        let (old, new) = (json(&old), json(&new));
        let first = inclusion(&old, &new, &options);
        let again = inclusion(&old, &new, &options);
        assert_eq!(first, again);
        let _ = tool_input(&old, &new, &options);
        first
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    let thread = thread.expect("a thread starts");
    thread.join().expect("the stack is enough")
}

fn nested(depth: usize, open: &str, core: &str, close: &str) -> String {
    open.repeat(depth) + core + &close.repeat(depth)
}

#[test]
fn deep_nesting_of_any_kind_ends() {
    for (open, close) in [
        (r#"{"properties":{"a":"#, "}}"),
        (r#"{"items":"#, "}"),
        (r#"{"not":"#, "}"),
        (r#"{"allOf":["#, "]}"),
        (r#"{"anyOf":[{"type":"null"},"#, "]}"),
        (r#"{"oneOf":[{"minimum":3},"#, "]}"),
        (r#"{"if":{"minimum":1},"then":"#, "}"),
        (r#"{"additionalProperties":"#, "}"),
        (r#"{"contains":"#, "}"),
        (r#"{"unevaluatedProperties":"#, "}"),
        (r#"{"dependentSchemas":{"a":"#, "}}"),
        (r#"{"propertyNames":"#, "}"),
    ] {
        for depth in [30, 125] {
            let old = nested(depth, open, r#"{"type":"integer"}"#, close);
            let new = nested(depth, open, r#"{"type":"string"}"#, close);
            on_a_small_stack(old, new);
        }
    }
}

#[test]
fn deep_values_end() {
    let old = format!(r#"{{"const":{}}}"#, nested(120, "[", "1", "]"));
    let new = nested(120, r#"{"items":"#, r#"{"type":"string"}"#, "}");
    on_a_small_stack(old, new);
}

#[test]
fn references_that_multiply_end() {
    // Each definition applies the next one twice, in place and in a member.
    for part in [
        r##"{"allOf":[{"$ref":"#/$defs/N"},{"$ref":"#/$defs/N"}]}"##,
        r##"{"properties":{"a":{"$ref":"#/$defs/N"},"b":{"$ref":"#/$defs/N"}}}"##,
        r##"{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/N"}}},{"$ref":"#/$defs/N"}]}"##,
        r##"{"oneOf":[{"$ref":"#/$defs/N"},{"items":{"$ref":"#/$defs/N"}}]}"##,
    ] {
        let definitions = |last: &str| {
            let mut all: Vec<String> = (0..60)
                .map(|i| format!(r#""d{i}":{}"#, part.replace('N', &format!("d{}", i + 1))))
                .collect();
            all.push(format!(r#""d60":{last}"#));
            format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, all.join(","))
        };
        on_a_small_stack(
            definitions(r#"{"type":"integer"}"#),
            definitions(r#"{"type":"string"}"#),
        );
    }
}

#[test]
fn a_long_chain_of_references_ends() {
    let chain = |last: &str| {
        let mut all: Vec<String> = (0..3_000)
            .map(|i| format!(r##""d{i}":{{"$ref":"#/$defs/d{}"}}"##, i + 1))
            .collect();
        all.push(format!(r#""d3000":{last}"#));
        format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, all.join(","))
    };
    on_a_small_stack(chain(r#"{"type":"integer"}"#), chain(r#"{"type":"null"}"#));
}

#[test]
fn many_branches_end() {
    let branches = |keyword: &str, extra: &str| {
        let all: Vec<String> = (0..40)
            .map(|i| {
                format!(r#"{{"properties":{{"p{i}":{{"minimum":{i}}},"q{i}":{{"type":"string"{extra}}}}}}}"#)
            })
            .collect();
        format!(r#"{{"type":"object","{keyword}":[{}]}}"#, all.join(","))
    };
    for keyword in ["anyOf", "oneOf", "allOf"] {
        on_a_small_stack(
            branches(keyword, ""),
            branches(keyword, r#","maxLength":3"#),
        );
        on_a_small_stack(branches(keyword, ""), branches("oneOf", ""));
    }
    let closed = branches("anyOf", "").replace(
        r#"{"type":"object""#,
        r#"{"unevaluatedProperties":false,"type":"object""#,
    );
    on_a_small_stack(closed.clone(), closed.replace("p39", "z"));
}

#[test]
fn wide_objects_end() {
    let wide = |extra: &str| {
        let all: Vec<String> = (0..600)
            .map(|i| {
                format!(r#""p{i}":{{"anyOf":[{{"type":"string"}},{{"type":"null"{extra}}}]}}"#)
            })
            .collect();
        format!(r#"{{"type":"object","properties":{{{}}}}}"#, all.join(","))
    };
    let verdict = on_a_small_stack(wide(""), wide(r#","title":"t""#));
    assert!(verdict.is_included(), "{verdict:?}");
    on_a_small_stack(
        wide(""),
        wide(r#","minimum":3"#).replace("\"null\"", "\"number\""),
    );
}

#[test]
fn patterns_made_to_explode_end() {
    for (old, new) in [
        ("^(a|aa)+$", "^(a|b|ab)*c$"),
        ("(x+x+)+y", "(x|y)*y"),
        ("^[ab]*a[ab]{40}$", "^[ab]*b[ab]{40}$"),
        ("^(.{0,500}){0,500}$", "^.{3,4000}z$"),
        (
            "^(?=.*a)(?=.*b)(?=.*c)(?=.*d)(?=.*e)(?=.*f).{6,60}$",
            "^[a-f]+$",
        ),
        ("((((((a?){9}){9}){9}){9}){9})b", "^b$"),
    ] {
        let schema = |pattern: &str| format!(r#"{{"type":"string","pattern":"{pattern}"}}"#);
        on_a_small_stack(schema(old), schema(new));
        let keys = |pattern: &str| {
            format!(
                r#"{{"patternProperties":{{"{pattern}":{{"type":"string"}},"^z":false}},"additionalProperties":false}}"#
            )
        };
        on_a_small_stack(keys(old), keys(new));
    }
    let long = format!(r#"{{"pattern":"^{}$"}}"#, "a?".repeat(900));
    on_a_small_stack(long, r#"{"maxLength":3}"#.to_owned());
}

#[test]
fn huge_numbers_and_counts_end() {
    for (old, new) in [
        (r#"{"minimum":1e999}"#, r#"{"maximum":-1e999}"#),
        (
            r#"{"type":"integer","multipleOf":1e-300}"#,
            r#"{"multipleOf":3e200}"#,
        ),
        (
            r#"{"type":"array","minItems":4000000000}"#,
            r#"{"maxItems":3}"#,
        ),
        (
            r#"{"type":"string","minLength":4000000000}"#,
            r#"{"maxLength":3}"#,
        ),
        (
            r#"{"type":"object","minProperties":99999999999}"#,
            r#"{"maxProperties":3}"#,
        ),
        (
            r#"{"type":"array","contains":{"type":"string"},"minContains":100000}"#,
            r#"{"contains":{"maxLength":2},"maxContains":99999}"#,
        ),
        (
            r#"{"type":"array","uniqueItems":true,"minItems":5000,"items":{"type":"boolean"}}"#,
            "false",
        ),
    ] {
        on_a_small_stack(old.to_owned(), new.to_owned());
    }
}

#[test]
fn loops_of_references_end() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"},{"type":"object"}]}"##,
        r##"{"not":{"$ref":"#"}}"##,
        r##"{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"oneOf":[{"$ref":"#"},{"minimum":1}]}}}"##,
        r##"{"properties":{"a":{"not":{"$ref":"#"}}},"required":["a"]}"##,
        r##"{"$ref":"#/$defs/a","unevaluatedProperties":false,"$defs":{"a":{"anyOf":[{"$ref":"#"},{"properties":{"x":{}}}]}}}"##,
    ] {
        on_a_small_stack(schema.to_owned(), "false".to_owned());
        on_a_small_stack("true".to_owned(), schema.to_owned());
    }
}
