//! The table of keywords against the metaschemas themselves, as the library holds them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mcplock::canonical::canonical;
use mcplock::json::{Limits, Value, parse};
use mcplock::schema::bridge::{from_serde, to_serde};
use mcplock::schema::{Dialect, flaws};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// Whether the metaschema of `dialect` takes `schema`; a `$schema` in it is left out.
fn metaschema_takes(dialect: Dialect, schema: &Json) -> bool {
    match dialect {
        Dialect::Draft4 => jsonschema::draft4::meta::is_valid(schema),
        Dialect::Draft6 => jsonschema::draft6::meta::is_valid(schema),
        Dialect::Draft7 => jsonschema::draft7::meta::is_valid(schema),
        Dialect::Draft2019_09 => jsonschema::draft201909::meta::is_valid(schema),
        Dialect::Draft2020_12 => jsonschema::draft202012::meta::is_valid(schema),
    }
}

/// Whether the spelling of a number decides: the library takes `1.0` for no integer in draft-04,
/// and mcplock does.
fn hangs_on_spelling(dialect: Dialect, schema: &Json) -> bool {
    let text = schema.to_string();
    dialect == Dialect::Draft4 && [".0", "e30"].iter().any(|number| text.contains(number))
}

const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$vocabulary",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "unknown",
    "writeOnly",
];

fn value(schema: BoxedStrategy<Json>) -> BoxedStrategy<Json> {
    let scalars = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.0),
        json!(2.5),
        json!(1e30),
        json!(0.0),
        json!(""),
        json!("a"),
        json!("a:b"),
        json!("_a"),
        json!("#a"),
        json!("a#"),
        json!("string"),
        json!("object"),
        json!([]),
        json!({}),
        json!([1]),
        json!(["a"]),
        json!(["a", "a"]),
        json!(["a", "b"]),
        json!(["string", "null"]),
        json!(["string", "string"]),
        json!({"a": true}),
        json!({"a": 1}),
        json!({"a": ["b"]}),
        json!({"a": []}),
        json!({"a": ["b", "b"]}),
        json!({"a": [1]}),
    ]);
    prop_oneof![
        3 => scalars,
        1 => schema.clone(),
        1 => prop::collection::vec(schema.clone(), 0..3).prop_map(Json::from),
        1 => schema.prop_map(|schema| json!({ "a": schema })),
    ]
    .boxed()
}

fn schema() -> BoxedStrategy<Json> {
    let leaf = prop_oneof![Just(json!({})), Just(json!(true)), Just(json!(false))].boxed();
    leaf.prop_recursive(3, 24, 3, |inner| {
        let member = (prop::sample::select(KEYWORDS), value(inner));
        prop::collection::vec(member, 1..4).prop_map(|members| {
            members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<serde_json::Map<_, _>>()
                .into()
        })
    })
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_table_agrees_with_every_metaschema(schema in schema()) {
        let own = from_serde(&schema);
        for dialect in Dialect::ALL {
            if hangs_on_spelling(dialect, &schema) {
                continue;
            }
            let found = flaws(&own, dialect);
            prop_assert_eq!(
                found.is_empty(),
                metaschema_takes(dialect, &schema),
                "{} {}: {:?}", dialect, schema, found
            );
        }
    }
}

/// Each keyword alone with each kind of value: nothing is left to chance.
#[test]
fn the_table_agrees_on_each_keyword_alone() {
    let values = [
        json!(null),
        json!(false),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(1.5),
        json!("a"),
        json!("a:b"),
        json!("_a"),
        json!("object"),
        json!([]),
        json!(["a"]),
        json!(["a", "a"]),
        json!(["object", "null"]),
        json!([{}]),
        json!([{"type": 1}]),
        json!([true]),
        json!({}),
        json!({"type": "object"}),
        json!({"type": 1}),
        json!({"a": {}}),
        json!({"a": true}),
        json!({"a": []}),
        json!({"a": ["b"]}),
        json!({"a": [1]}),
        json!({"a": {"type": 1}}),
    ];
    for keyword in KEYWORDS {
        for value in &values {
            let schema = json!({ *keyword: value });
            let own = from_serde(&schema);
            for dialect in Dialect::ALL {
                if hangs_on_spelling(dialect, &schema) {
                    continue;
                }
                let found = flaws(&own, dialect);
                let expected = metaschema_takes(dialect, &schema);
                assert_eq!(found.is_empty(), expected, "{dialect} {schema}: {found:?}");
            }
        }
    }
}

fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap();
    parse(&text, &Limits { depth: 200 }).unwrap().value
}

fn json_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            json_files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            found.push(path);
        }
    }
}

#[test]
fn the_table_agrees_on_the_schemas_of_the_suite_and_of_real_servers() {
    let Some(root) = std::env::var_os("MCPLOCK_SUITES").map(PathBuf::from) else {
        println!("SKIPPED: MCPLOCK_SUITES is not set");
        return;
    };
    let mut schemas = Vec::new();
    let mut files = Vec::new();
    json_files(
        &root.join("suites/vendor/JSON-Schema-Test-Suite/tests"),
        &mut files,
    );
    for file in &files {
        if let Value::Array(groups) = read(file) {
            schemas.extend(
                groups
                    .iter()
                    .filter_map(|group| group.get("schema").cloned()),
            );
        }
    }
    let mut files = Vec::new();
    json_files(&root.join("corpus"), &mut files);
    for file in files.iter().filter(|file| file.ends_with("tools.json")) {
        let text = std::fs::read_to_string(file).unwrap();
        for line in text.lines() {
            let page = parse(line.as_bytes(), &Limits::default()).unwrap().value;
            let tools = page.get("result").and_then(|result| result.get("tools"));
            for tool in tools.and_then(Value::as_array).into_iter().flatten() {
                schemas.extend(tool.get("inputSchema").cloned());
                schemas.extend(tool.get("outputSchema").cloned());
            }
        }
    }
    assert!(schemas.len() > 5_000, "{}", schemas.len());
    let mut seen = HashSet::new();
    for schema in schemas {
        if !seen.insert(canonical(&schema)) {
            continue;
        }
        // embedded `$schema` are resource business, which the metaschemas know nothing of
        let bridged = to_serde(&schema).unwrap().value;
        if bridged.to_string().matches("\"$schema\"").count() > 1 {
            continue;
        }
        let declared = bridged.get("$schema").and_then(Json::as_str);
        let dialects = match declared {
            Some(uri) => Dialect::from_uri(uri).into_iter().collect(),
            None => Dialect::ALL.to_vec(),
        };
        for dialect in dialects {
            if hangs_on_spelling(dialect, &bridged) {
                continue;
            }
            let found = flaws(&schema, dialect);
            let expected = metaschema_takes(dialect, &bridged);
            assert_eq!(found.is_empty(), expected, "{dialect} {bridged}: {found:?}");
        }
    }
}
