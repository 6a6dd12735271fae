//! The parsing test suite of `JSONTestSuite`: what must be accepted, what must be refused, and what becomes of the rest.

use std::collections::BTreeMap;
use std::fs;

use mcplock::json::{DefectKind, Limits, parse};

use super::suites::{files, name, suites};

/// `refused`, `sound`, or the kind of the first defect.
fn outcome(text: &[u8]) -> &'static str {
    match parse(text, &Limits::default()) {
        Err(_) => "refused",
        Ok(document) => match document.defects.first().map(|defect| defect.kind) {
            None => "sound",
            Some(DefectKind::DuplicateKey) => "duplicate key",
            Some(DefectKind::LoneSurrogate) => "lone surrogate",
            Some(DefectKind::TooDeep) => "too deep",
            Some(DefectKind::ExponentTooLarge) => "exponent too large",
            Some(_) => "other defect",
        },
    }
}

fn outcomes(prefix: &str) -> Option<BTreeMap<String, &'static str>> {
    let folder = suites("JSONTestSuite")?.join("suites/vendor/JSONTestSuite/test_parsing");
    let files = files(&folder, ".json").into_iter();
    Some(
        files
            .map(|path| (name(&path), path))
            .filter(|(name, _)| name.starts_with(prefix))
            .map(|(name, path)| (name, outcome(&fs::read(path).unwrap())))
            .collect(),
    )
}

#[test]
fn what_is_json_is_accepted_and_two_texts_with_duplicate_keys_are_defective() {
    let Some(outcomes) = outcomes("y_") else {
        return;
    };
    assert_eq!(outcomes.len(), 95);
    let odd: Vec<_> = outcomes
        .iter()
        .filter(|(_, was)| **was != "sound")
        .collect();
    assert_eq!(
        odd,
        [
            (&"y_object_duplicated_key.json".to_owned(), &"duplicate key"),
            (
                &"y_object_duplicated_key_and_value.json".to_owned(),
                &"duplicate key"
            ),
        ]
    );
}

#[test]
fn what_is_not_json_is_refused() {
    let Some(outcomes) = outcomes("n_") else {
        return;
    };
    assert_eq!(outcomes.len(), 188);
    let accepted: Vec<_> = outcomes
        .iter()
        .filter(|(_, was)| **was != "refused")
        .collect();
    assert_eq!(accepted, []);
}

/// What becomes of the texts that a parser may accept or refuse.
const FREE: [(&str, &str); 35] = [
    ("i_number_double_huge_neg_exp", "sound"),
    ("i_number_huge_exp", "exponent too large"),
    ("i_number_neg_int_huge_exp", "sound"),
    ("i_number_pos_double_huge_exp", "sound"),
    ("i_number_real_neg_overflow", "sound"),
    ("i_number_real_pos_overflow", "sound"),
    ("i_number_real_underflow", "sound"),
    ("i_number_too_big_neg_int", "sound"),
    ("i_number_too_big_pos_int", "sound"),
    ("i_number_very_big_negative_int", "sound"),
    ("i_object_key_lone_2nd_surrogate", "lone surrogate"),
    ("i_string_1st_surrogate_but_2nd_missing", "lone surrogate"),
    ("i_string_1st_valid_surrogate_2nd_invalid", "lone surrogate"),
    ("i_string_UTF-16LE_with_BOM", "refused"),
    ("i_string_UTF-8_invalid_sequence", "refused"),
    ("i_string_UTF8_surrogate_U+D800", "refused"),
    (
        "i_string_incomplete_surrogate_and_escape_valid",
        "lone surrogate",
    ),
    ("i_string_incomplete_surrogate_pair", "lone surrogate"),
    (
        "i_string_incomplete_surrogates_escape_valid",
        "lone surrogate",
    ),
    ("i_string_invalid_lonely_surrogate", "lone surrogate"),
    ("i_string_invalid_surrogate", "lone surrogate"),
    ("i_string_invalid_utf-8", "refused"),
    ("i_string_inverted_surrogates_U+1D11E", "lone surrogate"),
    ("i_string_iso_latin_1", "refused"),
    ("i_string_lone_second_surrogate", "lone surrogate"),
    ("i_string_lone_utf8_continuation_byte", "refused"),
    ("i_string_not_in_unicode_range", "refused"),
    ("i_string_overlong_sequence_2_bytes", "refused"),
    ("i_string_overlong_sequence_6_bytes", "refused"),
    ("i_string_overlong_sequence_6_bytes_null", "refused"),
    ("i_string_truncated-utf-8", "refused"),
    ("i_string_utf16BE_no_BOM", "refused"),
    ("i_string_utf16LE_no_BOM", "refused"),
    ("i_structure_500_nested_arrays", "too deep"),
    // A byte order mark is no JSON; readers of messages and files strip it before they parse.
    ("i_structure_UTF-8_BOM_empty_object", "refused"),
];

#[test]
fn what_a_parser_may_decide_is_decided_as_this_table_says() {
    let Some(outcomes) = outcomes("i_") else {
        return;
    };
    for (name, outcome) in &outcomes {
        println!("{outcome:>20}  {name}");
    }
    let wanted: BTreeMap<String, &str> = FREE
        .into_iter()
        .map(|(name, outcome)| (format!("{name}.json"), outcome))
        .collect();
    assert_eq!(outcomes, wanted);
}

#[test]
fn texts_that_readers_transform_are_read_without_loss_or_named() {
    let Some(root) = suites("JSONTestSuite transforms") else {
        return;
    };
    let folder = root.join("suites/vendor/JSONTestSuite/test_transform");
    let outcomes: BTreeMap<String, &str> = files(&folder, ".json")
        .into_iter()
        .map(|path| (name(&path), outcome(&fs::read(path).unwrap())))
        .collect();
    assert_eq!(outcomes.len(), 22);
    for (name, outcome) in outcomes {
        let wanted = match name.as_str() {
            "object_same_key_different_values.json"
            | "object_same_key_same_value.json"
            | "object_same_key_unclear_values.json" => "duplicate key",
            "string_1_escaped_invalid_codepoint.json"
            | "string_2_escaped_invalid_codepoints.json"
            | "string_3_escaped_invalid_codepoints.json" => "lone surrogate",
            "string_1_invalid_codepoint.json"
            | "string_2_invalid_codepoints.json"
            | "string_3_invalid_codepoints.json" => "refused",
            _ => "sound",
        };
        assert_eq!(outcome, wanted, "{name}");
    }
}
