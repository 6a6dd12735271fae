//! Projections of real tools: the same schema in any wrapping is clean, and a constraint that is
//! taken out is found, with a call that shows it.
#![cfg(test)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcplock::canonical::canonical;
use mcplock::catalog::{Catalog, Kind, read_saved};
use mcplock::compare::Basis;
use mcplock::json::{Limits, Object, Pointer, Value, parse};
use mcplock::projection::{self, Compared, LossKind, Near};
use mcplock::schema::inclusion::{Options, Verdict, inclusion};
use mcplock::schema::{Dialect, Undeclared, Validator};

/// Of the tools of the corpus one in this many is changed; all with `MCPLOCK_ALL`.
const SAMPLE: usize = 40;

/// The newest catalog of each package; none, after saying so, where there is no corpus.
fn newest() -> Option<Vec<(String, Catalog)>> {
    let Some(suites) = std::env::var_os("MCPLOCK_SUITES") else {
        eprintln!("SKIPPED: MCPLOCK_SUITES is not set, so no real tool is projected");
        return None;
    };
    let corpus = Path::new(&suites).join("corpus");
    let mut found = Vec::new();
    for package in folders(&corpus) {
        let files = folders(&package).into_iter().rev();
        let mut files = files.map(|version| version.join("tools.json"));
        let read = |file: PathBuf| Some((fs::read(&file).ok()?, file));
        let Some((text, file)) = files.find_map(read) else {
            continue;
        };
        if let Ok(catalog) = read_saved(&[(&file, text)]) {
            let name = package.file_name().unwrap().to_string_lossy().into_owned();
            found.push((name, catalog));
        }
    }
    assert!(found.len() > 50, "the corpus is not there");
    Some(found)
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort_by_key(|path| version(path.file_name().unwrap().to_str().unwrap()));
    found
}

fn version(name: &str) -> Vec<(u64, String)> {
    name.split(['.', '-', '_'])
        .map(|part| {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            (digits.parse().unwrap_or(u64::MAX), part.to_owned())
        })
        .collect()
}

/// A way to give a tool to a provider: its name, description and schema in a list.
type Wrapping = (
    &'static str,
    fn(&str, &str, &str) -> String,
    fn(&str) -> String,
);

/// Name, description and schema are JSON text.
const WRAPPINGS: [Wrapping; 7] = [
    (
        "MCP",
        |n, d, s| format!(r#"{{"name":{n},"description":{d},"inputSchema":{s}}}"#),
        |tools| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tools}]}}}}"#),
    ),
    (
        "OpenAI chat",
        |n, d, s| {
            format!(
                r#"{{"type":"function","function":{{"name":{n},"description":{d},"parameters":{s}}}}}"#
            )
        },
        |tools| format!(r#"{{"model":"m","messages":[],"tools":[{tools}]}}"#),
    ),
    (
        "OpenAI responses",
        |n, d, s| format!(r#"{{"type":"function","name":{n},"description":{d},"parameters":{s}}}"#),
        |tools| format!(r#"{{"input":"x","tools":[{tools}]}}"#),
    ),
    (
        "Anthropic",
        |n, d, s| format!(r#"{{"name":{n},"description":{d},"input_schema":{s}}}"#),
        |tools| format!(r#"{{"max_tokens":1,"tools":[{tools}]}}"#),
    ),
    (
        "Gemini",
        |n, d, s| format!(r#"{{"name":{n},"description":{d},"parametersJsonSchema":{s}}}"#),
        |tools| format!(r#"{{"tools":[{{"functionDeclarations":[{tools}]}}]}}"#),
    ),
    (
        "Bedrock",
        |n, d, s| {
            format!(
                r#"{{"toolSpec":{{"name":{n},"description":{d},"inputSchema":{{"json":{s}}}}}}}"#
            )
        },
        |tools| format!(r#"{{"toolConfig":{{"tools":[{tools}]}}}}"#),
    ),
    (
        "plain",
        |n, d, s| format!(r#"{{"name":{n},"description":{d},"parameters":{s}}}"#),
        |tools| format!("[{tools}]"),
    ),
];

fn project(name: &str, catalog: &Catalog, far: &str) -> Compared {
    let far = projection::read(Path::new("far.json"), far.as_bytes())
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let near = Near {
        name,
        catalog,
        default_dialect: None,
    };
    projection::compare(&near, &far)
}

/// The tools of a catalog that have a schema: name, description, schema, as JSON text.
fn tools(catalog: &Catalog) -> Vec<(String, String, Value)> {
    catalog
        .of_kind(Kind::Tool)
        .filter_map(|item| {
            let value = item.value();
            let text = |name: &str| canonical(value.get(name).unwrap_or(&Value::Null));
            let schema = value.get("inputSchema")?.clone();
            Some((text("name"), text("description"), schema))
        })
        .collect()
}

#[test]
fn every_real_tool_in_every_wrapping_is_clean() {
    let Some(catalogs) = newest() else { return };
    let mut compared = 0;
    for (name, catalog) in &catalogs {
        for (wrapping, one, all) in WRAPPINGS {
            let list: Vec<String> = tools(catalog)
                .iter()
                .map(|(n, d, schema)| one(n, d, &canonical(schema)))
                .collect();
            let found = project(name, catalog, &all(&list.join(",")));
            assert!(
                found.losses.is_empty() && found.faults.is_empty(),
                "{name} as {wrapping}: {:?} {:?}",
                found.losses,
                found.faults
            );
            compared += found.compared.len();
        }
    }
    println!(
        "{compared} tools in {} wrappings, no finding",
        WRAPPINGS.len()
    );
    assert!(compared > 10_000);
}

#[test]
fn every_real_tool_that_geminis_own_schema_can_say_is_clean_in_it() {
    let Some(catalogs) = newest() else { return };
    let mut compared = 0;
    for (name, catalog) in &catalogs {
        let said: Vec<String> = tools(catalog)
            .iter()
            .filter_map(|(n, d, schema)| {
                let schema = canonical(&upper_case(schema)?);
                Some(format!(
                    r#"{{"name":{n},"description":{d},"parameters":{schema}}}"#
                ))
            })
            .collect();
        let far = format!(r#"{{"function_declarations":[{}]}}"#, said.join(","));
        let found = project(name, catalog, &far);
        let losses: Vec<_> = found
            .losses
            .iter()
            .filter(|loss| loss.kind != LossKind::ToolLost)
            .collect();
        assert!(
            losses.is_empty() && found.faults.is_empty(),
            "{name}: {losses:?}"
        );
        compared += found.compared.len();
    }
    println!("{compared} tools in Gemini's own schema, no finding");
    assert!(compared > 500);
}

/// A schema as Gemini spells it; none where it can't say all of it.
fn upper_case(schema: &Value) -> Option<Value> {
    let mut members = Vec::new();
    for (keyword, value) in schema.as_object()?.iter() {
        let value = match keyword {
            "type" => Value::String(value.as_str()?.to_ascii_uppercase()),
            "properties" => {
                let map = value.as_object()?.iter();
                let map = map.map(|(name, schema)| Some((name.to_owned(), upper_case(schema)?)));
                Value::Object(Object::new(map.collect::<Option<_>>()?))
            }
            "items" => upper_case(value)?,
            "description" | "required" | "enum" | "minimum" | "maximum" | "default" | "format"
            | "title" | "minItems" | "maxItems" | "minLength" | "maxLength" | "pattern" => {
                value.clone()
            }
            _ => return None,
        };
        members.push((keyword.to_owned(), value));
    }
    Some(Value::Object(Object::new(members)))
}

/// Keywords that are taken out, one at a time.
const TAKEN: [&str; 24] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "required",
    "additionalProperties",
    "propertyNames",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "$ref",
    "properties",
];

/// The places of the keywords in a schema, wherever a schema stands.
fn places(schema: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    let Some(object) = schema.as_object() else {
        return;
    };
    for (keyword, value) in object.iter() {
        let here = at.key(keyword);
        if TAKEN.contains(&keyword) {
            found.push(here.clone());
        }
        match (keyword, value) {
            ("properties" | "$defs" | "definitions" | "patternProperties", Value::Object(map)) => {
                for (name, schema) in map.iter() {
                    places(schema, &here.key(name), found);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Value::Array(list)) => {
                for (i, schema) in list.iter().enumerate() {
                    places(schema, &here.index(i), found);
                }
            }
            ("items" | "additionalProperties" | "not", _) => places(value, &here, found),
            _ => {}
        }
    }
}

fn without(value: &Value, tokens: &[String]) -> Value {
    let (first, rest) = tokens.split_first().unwrap();
    match value {
        Value::Object(object) => Value::Object(Object::new(
            object
                .iter()
                .filter(|(name, _)| name != first || !rest.is_empty())
                .map(|(name, value)| {
                    let value = if name == first {
                        without(value, rest)
                    } else {
                        value.clone()
                    };
                    (name.to_owned(), value)
                })
                .collect(),
        )),
        Value::Array(items) => {
            let position: usize = first.parse().unwrap();
            let items = items.iter().enumerate();
            let items = items.filter_map(|(i, value)| match (i == position, rest.is_empty()) {
                (true, true) => None,
                (true, false) => Some(without(value, rest)),
                (false, _) => Some(value.clone()),
            });
            Value::Array(items.collect())
        }
        other => other.clone(),
    }
}

#[derive(Default)]
struct Tally {
    /// Found at the very keyword.
    exact: usize,
    /// Found at a place that holds it, or that names the argument.
    near: usize,
    /// Proved to say nothing: no finding.
    equivalent: usize,
    /// Said that it could not be decided.
    undecided: usize,
}

#[test]
fn every_keyword_taken_out_of_a_real_schema_is_found() {
    let Some(catalogs) = newest() else { return };
    let every = if std::env::var_os("MCPLOCK_ALL").is_some() {
        1
    } else {
        SAMPLE
    };
    let mut tally: BTreeMap<String, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut number = 0;
    for (name, catalog) in &catalogs {
        let undeclared = Undeclared::for_revision(catalog.revision, None);
        for (n, d, schema) in tools(catalog) {
            number += 1;
            if number % every != 0 {
                continue;
            }
            let mut found = Vec::new();
            places(&schema, &Pointer::root(), &mut found);
            // Many tools repeat one construct a hundred times.
            let step = (found.len() / 24).max(1);
            for place in found.iter().step_by(if every == 1 { 1 } else { step }) {
                let tokens: Vec<String> = place.tokens().collect();
                let far = without(&schema, &tokens);
                let one = format!(
                    r#"[{{"name":{n},"description":{d},"parameters":{}}}]"#,
                    canonical(&far)
                );
                let text = format!(
                    r#"{{"tools":[{{"name":{n},"description":{d},"inputSchema":{}}}]}}"#,
                    canonical(&schema)
                );
                let mut near = read_saved(&[("near.json", text)]).unwrap();
                near.revision = catalog.revision;
                let compared = project("server", &near, &one);
                let keyword = tokens.last().unwrap();
                let told = judge(&compared, &schema, &far, place, undeclared.first());
                let tally = tally.entry(keyword.clone()).or_default();
                match told {
                    Ok(Told::Exact) => tally.exact += 1,
                    Ok(Told::Near) => tally.near += 1,
                    Ok(Told::Equivalent) => tally.equivalent += 1,
                    Ok(Told::Undecided) => tally.undecided += 1,
                    Err(why) => wrong.push(format!("{name} {n} {place}: {why}")),
                }
            }
        }
    }
    println!(
        "{:22} {:>6} {:>6} {:>6} {:>6}",
        "keyword", "exact", "near", "equal", "undec."
    );
    let mut sum = Tally::default();
    for (keyword, t) in &tally {
        println!(
            "{keyword:22} {:6} {:6} {:6} {:6}",
            t.exact, t.near, t.equivalent, t.undecided
        );
        sum.exact += t.exact;
        sum.near += t.near;
        sum.equivalent += t.equivalent;
        sum.undecided += t.undecided;
    }
    println!(
        "{:22} {:6} {:6} {:6} {:6}",
        "all", sum.exact, sum.near, sum.equivalent, sum.undecided
    );
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        sum.exact > 10 * (sum.near + sum.undecided),
        "places are exact, as a rule"
    );
}

enum Told {
    Exact,
    Near,
    Equivalent,
    Undecided,
}

/// Whether what was told of a schema without the keyword at `place` is right.
fn judge(
    compared: &Compared,
    near: &Value,
    far: &Value,
    place: &Pointer,
    dialect: Dialect,
) -> Result<Told, String> {
    let root = Pointer::root().key("inputSchema");
    let losses: Vec<_> = compared
        .losses
        .iter()
        .filter(|loss| {
            !matches!(
                loss.kind,
                LossKind::DefaultLost | LossKind::AnnotationLost | LossKind::WordsLost
            )
        })
        .collect();
    let (near_validator, far_validator) =
        match (Validator::new(near, dialect), Validator::new(far, dialect)) {
            (Ok(near), Ok(far)) => (near, far),
            _ if !losses.is_empty() || !compared.faults.is_empty() => return Ok(Told::Undecided),
            _ => return Err("a schema that can't be used was passed over".to_owned()),
        };
    for loss in &losses {
        let Some(witness) = &loss.witness else {
            continue;
        };
        let sides = (
            near_validator.validate(&witness.value).is_valid(),
            far_validator.validate(&witness.value).is_valid(),
        );
        let shows = match loss.kind {
            LossKind::ConstraintLost => sides == (false, true),
            LossKind::Narrowed => sides == (true, false),
            _ => true,
        };
        if !shows {
            return Err(format!("a witness that shows nothing: {loss:?}"));
        }
    }
    let options = Options::for_dialect(dialect);
    let lost = match inclusion(far, near, &options) {
        Verdict::Broken(_) => true,
        verdict if verdict.is_included() => {
            let claims = losses
                .iter()
                .any(|loss| loss.kind == LossKind::ConstraintLost);
            return if claims {
                Err(format!("nothing is lost, and it says {losses:?}"))
            } else {
                Ok(Told::Equivalent)
            };
        }
        _ => false,
    };
    let pointer = root.join(place);
    let exact = losses
        .iter()
        .any(|loss| loss.pointer == pointer && (loss.witness.is_some() || !lost));
    if exact {
        return Ok(Told::Exact);
    }
    if losses.iter().any(|loss| loss.witness.is_some()) {
        return Ok(Told::Near);
    }
    if losses.iter().any(|loss| loss.basis == Basis::Undecided) && !lost {
        return Ok(Told::Undecided);
    }
    Err(format!("not found: {losses:?}"))
}

/// A property's schema, the place in it that is taken out, and whether the finding is at that very
/// place (a keyword that only counts with a neighbour may be told there).
const BY_HAND: [(&str, &str, &str); 27] = [
    (
        r#"{"type":"string","minLength":2}"#,
        "/minLength",
        "/minLength",
    ),
    (
        r#"{"type":"string","pattern":"^a"}"#,
        "/pattern",
        "/pattern",
    ),
    (
        r#"{"type":"number","exclusiveMaximum":2}"#,
        "/exclusiveMaximum",
        "/exclusiveMaximum",
    ),
    (
        r#"{"type":"number","multipleOf":0.1}"#,
        "/multipleOf",
        "/multipleOf",
    ),
    (r#"{"const":"x"}"#, "/const", "/const"),
    (r#"{"enum":["a",null]}"#, "/enum", "/enum"),
    (r#"{"enum":["a",null]}"#, "/enum/1", "-narrowed"),
    (
        r#"{"type":["array","null"],"items":{"type":"string"}}"#,
        "/type/1",
        "-narrowed",
    ),
    (
        r#"{"type":"array","contains":{"const":1},"minContains":2}"#,
        "/contains",
        "/contains",
    ),
    (
        r#"{"type":"array","contains":{"const":1},"minContains":2}"#,
        "/minContains",
        "/contains",
    ),
    (
        r#"{"type":"array","prefixItems":[{"type":"string"}]}"#,
        "/prefixItems/0/type",
        "/prefixItems/0/type",
    ),
    (
        r#"{"type":"array","prefixItems":[true],"items":false}"#,
        "/items",
        "/items",
    ),
    (
        r#"{"type":"array","prefixItems":[true],"items":{"minimum":1}}"#,
        "/items/minimum",
        "/items/minimum",
    ),
    (
        r#"{"type":"array","uniqueItems":true}"#,
        "/uniqueItems",
        "/uniqueItems",
    ),
    (
        r#"{"type":"object","minProperties":1}"#,
        "/minProperties",
        "/minProperties",
    ),
    (
        r#"{"type":"object","propertyNames":{"maxLength":3}}"#,
        "/propertyNames",
        "/propertyNames",
    ),
    (
        r#"{"type":"object","patternProperties":{"^a":{"type":"string"}}}"#,
        "/patternProperties/^a/type",
        "/patternProperties/^a/type",
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        "/additionalProperties",
        "/additionalProperties",
    ),
    (
        r#"{"type":"object","additionalProperties":{"type":"string","minLength":1}}"#,
        "/additionalProperties/minLength",
        "/additionalProperties/minLength",
    ),
    (
        r#"{"type":"object","dependentRequired":{"a":["b"]}}"#,
        "/dependentRequired",
        "/dependentRequired",
    ),
    (r#"{"not":{"type":"string"}}"#, "/not", "/not"),
    (
        r#"{"if":{"type":"string"},"then":{"minLength":1}}"#,
        "/then",
        "/if",
    ),
    (
        r#"{"allOf":[{"minimum":1},{"maximum":5}]}"#,
        "/allOf/0/minimum",
        "/allOf/0",
    ),
    (
        r#"{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}"#,
        "/anyOf/0/maxLength",
        "/anyOf/0/maxLength",
    ),
    (
        r#"{"oneOf":[{"type":"object","properties":{"k":{"const":1},"n":{"type":"integer"}},"required":["k","n"]},{"type":"null"}]}"#,
        "/oneOf/0/properties/n/type",
        "/oneOf/0/properties/n/type",
    ),
    (
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        "/anyOf/1",
        "-narrowed",
    ),
    (
        r#"{"type":"object","properties":{"a":true},"unevaluatedProperties":false}"#,
        "/unevaluatedProperties",
        "/unevaluatedProperties",
    ),
];

#[test]
fn every_kind_of_constraint_taken_out_is_found_at_its_place_with_a_call() {
    let mut wrong = Vec::new();
    for (property, taken, expected) in BY_HAND {
        let read = |text: &str| parse(text.as_bytes(), &Limits::default()).unwrap().value;
        let text = format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#);
        let near = read(&text);
        let place = Pointer::parse(&format!("/properties/p{taken}")).unwrap();
        let tokens: Vec<String> = place.tokens().collect();
        let far = without(&near, &tokens);
        let catalog = format!(r#"{{"tools":[{{"name":"t","inputSchema":{text}}}]}}"#);
        let catalog = read_saved(&[("near.json", catalog)]).unwrap();
        let list = format!(r#"[{{"name":"t","parameters":{}}}]"#, canonical(&far));
        let compared = project("server", &catalog, &list);
        let told: Vec<String> = compared
            .losses
            .iter()
            .map(|loss| {
                format!(
                    "{:?} {} {}",
                    loss.kind,
                    loss.pointer,
                    loss.witness.is_some()
                )
            })
            .collect();
        let expected = if expected == "-narrowed" {
            "Narrowed /inputSchema/properties/p true".to_owned()
        } else {
            format!("ConstraintLost /inputSchema/properties/p{expected} true")
        };
        if told != [expected.clone()] {
            wrong.push(format!(
                "{property} without {taken}: {told:?}, not {expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_parser_and_the_writer_of_this_test_agree() {
    let text = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let value = parse(text.as_bytes(), &Limits::default()).unwrap().value;
    let mut found = Vec::new();
    places(&value, &Pointer::root(), &mut found);
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["/type", "/properties", "/properties/a/type"]);
}
