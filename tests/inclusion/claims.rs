//! Claims about inclusion of schemas, on single cases.

use mcplock::schema::Dialect;
use mcplock::schema::inclusion::{
    Options, Reason, Verdict, careful, inclusion, inclusion_within, tool_input, tool_output,
};

use crate::pairs::{json, verdict};

fn included(old: &str, new: &str) {
    let verdict = verdict(old, new);
    assert!(verdict.is_included(), "{old} in {new}: {verdict:?}");
}

fn broken(old: &str, new: &str) {
    let verdict = verdict(old, new);
    assert!(
        matches!(verdict, Verdict::Broken(_)),
        "{old} in {new}: {verdict:?}"
    );
}

#[test]
fn numbers_are_compared_as_decimals_and_not_as_floats() {
    included(r#"{"multipleOf":3}"#, r#"{"multipleOf":0.3}"#);
    included(r#"{"multipleOf":3.3}"#, r#"{"multipleOf":1.1}"#);
    broken(r#"{"multipleOf":0.1}"#, r#"{"multipleOf":0.3}"#);
    included(
        r#"{"type":"integer","exclusiveMinimum":0}"#,
        r#"{"type":"number","minimum":1}"#,
    );
    broken(
        r#"{"type":"number","exclusiveMinimum":0}"#,
        r#"{"minimum":1}"#,
    );
}

#[test]
fn one_pattern_is_within_another_when_its_language_is() {
    included(r#"{"pattern":"^[a-c]{2}$"}"#, r#"{"pattern":"^[a-z]+$"}"#);
    broken(r#"{"pattern":"^[a-z]+$"}"#, r#"{"pattern":"^[a-c]{2}$"}"#);
    included(
        r#"{"type":"string","pattern":"^a{3,5}$"}"#,
        r#"{"minLength":3,"maxLength":5}"#,
    );
    included(
        r#"{"type":"string","pattern":"^(?!x).+$"}"#,
        r#"{"pattern":"^[^x]"}"#,
    );
}

#[test]
fn a_pattern_that_is_not_regular_is_within_itself_and_else_undecided_or_broken() {
    included(
        r#"{"type":"string","pattern":"(a)\\1"}"#,
        r#"{"pattern":"(a)\\1"}"#,
    );
    let verdict = verdict(r#"{"type":"string"}"#, r#"{"pattern":"(ab)\\1"}"#);
    assert!(!verdict.is_included(), "{verdict:?}");
}

#[test]
fn unions_are_split_where_neither_branch_alone_covers() {
    included(
        r#"{"type":["string","null"]}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
    );
    included(
        r#"{"type":"integer","minimum":0,"maximum":10}"#,
        r#"{"anyOf":[{"maximum":5},{"minimum":6}]}"#,
    );
    broken(
        r#"{"type":"number","minimum":0,"maximum":10}"#,
        r#"{"anyOf":[{"maximum":5},{"minimum":6}]}"#,
    );
    broken(
        r#"{"type":"integer"}"#,
        r#"{"oneOf":[{"type":"integer"},{"minimum":3}]}"#,
    );
}

#[test]
fn recursive_schemas_are_compared_by_assuming_what_is_being_asked() {
    let tree = |key: &str, place: &str| {
        format!(
            r##"{{"{place}":{{"{key}":{{"type":"object","properties":{{"next":{{"$ref":"#/{place}/{key}"}},"v":{{"type":"integer"}}}},"additionalProperties":false}}}},"$ref":"#/{place}/{key}"}}"##
        )
    };
    let (a, b) = (tree("Node", "$defs"), tree("N", "definitions"));
    included(&a, &b);
    included(&b, &a);
    broken(&a, &b.replace("integer", "string"));
    included(
        r##"{"type":"object","properties":{"c":{"items":{"$ref":"#"}}}}"##,
        r#"{"type":"object"}"#,
    );
}

#[test]
fn a_reference_that_only_leads_back_to_itself_proves_nothing() {
    let verdict = verdict(r##"{"$ref":"#"}"##, r#"{"type":"string"}"#);
    assert!(!verdict.is_included(), "{verdict:?}");
}

#[test]
fn unevaluated_members_see_through_branches_and_references() {
    included(
        r##"{"$defs":{"a":{"properties":{"x":{"type":"string"}}}},"$ref":"#/$defs/a","unevaluatedProperties":false}"##,
        r#"{"properties":{"x":{"type":"string"}},"additionalProperties":false}"#,
    );
    broken(
        r#"{"type":"object","anyOf":[{"properties":{"x":{}}},{"properties":{"y":{}}}],"unevaluatedProperties":false}"#,
        r#"{"properties":{"x":{}},"additionalProperties":false}"#,
    );
    included(
        r#"{"type":"array","prefixItems":[{}],"contains":{"type":"string"},"unevaluatedItems":{"type":"null"}}"#,
        r#"{"prefixItems":[{}],"items":{"type":["string","null"]}}"#,
    );
}

#[test]
fn one_new_name_may_meet_two_demands() {
    // Whatever breaks the first pattern property may be what breaks the second.
    broken(
        r#"{"type":"object"}"#,
        r#"{"anyOf":[{"patternProperties":{"^b$":{"type":"string"}}},{"patternProperties":{"^b$":{"maximum":2}}}]}"#,
    );
}

#[test]
fn one_item_may_meet_two_demands() {
    broken(
        r#"{"type":"array","maxItems":1}"#,
        r#"{"anyOf":[{"items":{"type":"string"}},{"items":{"maximum":2}}]}"#,
    );
    broken(
        r#"{"type":"array","maxItems":2,"items":{"type":"integer"}}"#,
        r#"{"anyOf":[{"prefixItems":[true],"items":{"minimum":2}},{"prefixItems":[true],"items":{"minimum":5}},{"contains":{"type":"integer"},"minContains":3}]}"#,
    );
}

#[test]
fn a_changed_dialect_is_compared_by_its_effect() {
    let options = Options {
        new_dialect: Dialect::Draft2020_12,
        ..Options::for_dialect(Dialect::Draft7)
    };
    let ask = |old: &str, new: &str| inclusion(&json(old), &json(new), &options);
    let tuple = r#"{"type":"array","items":[{"type":"string"}],"additionalItems":false}"#;
    let prefix = r#"{"type":"array","prefixItems":[{"type":"string"}],"items":false}"#;
    assert!(ask(tuple, prefix).is_included());
    // Up to draft 7 what stands beside `$ref` is ignored, later it counts.
    let beside =
        r##"{"definitions":{"s":{"type":"string"}},"$ref":"#/definitions/s","maxLength":3}"##;
    assert!(matches!(ask(beside, beside), Verdict::Broken(_)));
    let options = Options {
        new_dialect: Dialect::Draft7,
        ..Options::for_dialect(Dialect::Draft4)
    };
    let old = json(r#"{"type":"number","minimum":0,"exclusiveMinimum":true}"#);
    let new = json(r#"{"type":"number","exclusiveMinimum":0}"#);
    assert!(inclusion(&old, &new, &options).is_included());
}

#[test]
fn a_document_that_cannot_be_used_is_undecided_and_says_why() {
    let foreign = r#"{"$ref":"https://example.com/other.json"}"#;
    let verdict = verdict(foreign, r#"{"type":"string"}"#);
    assert!(
        matches!(verdict, Verdict::Undecided(Reason::Unusable(true, _))),
        "{verdict:?}"
    );
}

#[test]
fn text_beyond_ascii_under_a_class_that_engines_read_differently_is_undecided() {
    let verdict = verdict(r#"{"const":"৪২"}"#, r#"{"not":{"pattern":"^\\d+$"}}"#);
    assert_eq!(verdict, Verdict::Undecided(Reason::PatternReading));
}

#[test]
fn a_witness_is_small_and_brings_the_reason() {
    let old = r#"{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},"required":["a","n"]}"#;
    let new = r#"{"type":"object","properties":{"a":{"type":"string","minLength":3},"n":{"type":"integer"}},"required":["n"]}"#;
    let Verdict::Broken(witness) = verdict(old, new) else {
        panic!("not broken");
    };
    assert_eq!(witness.value, json(r#"{"a":"","n":0}"#));
    assert_eq!(witness.reasons[0].keyword, "minLength");
}

const OPEN: &str = r#"{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}"#;

#[test]
fn a_careful_caller_does_not_mind_a_new_optional_argument_or_a_closed_object() {
    let options = Options::for_dialect(Dialect::Draft2020_12);
    let added = OPEN.replace(r#""limit""#, r#""page":{"type":"integer"},"limit""#);
    let closed = OPEN.replace(
        r#""required""#,
        r#""additionalProperties":false,"required""#,
    );
    for new in [added, closed] {
        let judged = tool_input(&json(OPEN), &json(&new), &options);
        assert!(judged.careful.is_included(), "{new}: {judged:?}");
        assert!(
            matches!(judged.any, Verdict::Broken(_)),
            "{new}: {judged:?}"
        );
        assert_eq!(judged.ignored, []);
    }
}

#[test]
fn a_declared_argument_that_is_tolerated_but_no_longer_declared_is_silently_ignored() {
    let options = Options::for_dialect(Dialect::Draft2020_12);
    let renamed = OPEN.replace("limit", "count");
    let judged = tool_input(&json(OPEN), &json(&renamed), &options);
    assert!(judged.careful.is_included());
    assert_eq!(judged.ignored.len(), 1);
    assert_eq!(judged.ignored[0].name, "limit");
    assert_eq!(
        judged.ignored[0].call,
        Some(json(r#"{"limit":0,"query":""}"#))
    );
    // An emptied schema ignores every argument.
    let emptied = tool_input(&json(OPEN), &json("{}"), &options);
    assert_eq!(emptied.ignored.len(), 2);
    // A typed map declares every name.
    let typed = r#"{"type":"object","additionalProperties":{"type":["string","integer"]}}"#;
    assert_eq!(tool_input(&json(OPEN), &json(typed), &options).ignored, []);
}

#[test]
fn an_ignored_argument_is_found_inside_members_and_items() {
    let options = Options::for_dialect(Dialect::Draft2020_12);
    let old = r#"{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"id":{},"name":{}}}}}}"#;
    let new = old.replace(r#","name":{}"#, "");
    let judged = tool_input(&json(old), &json(&new), &options);
    assert_eq!(judged.ignored.len(), 1);
    assert_eq!(judged.ignored[0].at.as_str(), "/rows/*");
    assert_eq!(
        judged.ignored[0].call,
        Some(json(r#"{"rows":[{"name":null}]}"#))
    );
}

#[test]
fn an_output_may_promise_more_but_not_less() {
    let options = Options::for_dialect(Dialect::Draft2020_12);
    let old = json(r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);
    let more = json(
        r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}"#,
    );
    assert!(tool_output(&old, &more, &options).is_included());
    assert!(matches!(
        tool_output(&more, &old, &options),
        Verdict::Broken(_)
    ));
}

#[test]
fn one_constraint_is_asked_about_by_a_set_that_has_all_the_others() {
    let options = Options::for_dialect(Dialect::Draft2020_12);
    let ask = |new: &str, within: &str| {
        inclusion_within(
            &json(r#"{"type":"integer"}"#),
            &json(new),
            &json(within),
            &options,
        )
    };
    let both = r#"{"minimum":1,"multipleOf":5}"#;
    let Verdict::Broken(witness) = ask(both, r#"{"multipleOf":5}"#) else {
        panic!("0 is refused by the minimum alone");
    };
    assert_eq!(witness.value, json("0"));
    assert!(ask(r#"{"minimum":1}"#, r#"{"minimum":1}"#).is_included());
}

#[test]
fn a_careful_caller_is_not_refused_by_an_object_that_is_closed() {
    let options = Options::for_dialect(Dialect::Draft2020_12);
    let old = json(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
    let new = |text: &str| careful(&old, &json(text), &options);
    let closed = r#"{"type":"object","properties":{"a":{}},"additionalProperties":false}"#;
    assert!(new(closed).is_included());
    assert!(matches!(new(r#"{"required":["a"]}"#), Verdict::Broken(_)));
}
