//! Legal schemas of every dialect, made at random: none is unfit.
//!
//! A schema grows from a list of numbers, each a decision; where the list ends the plainest one is
//! taken, so that a counterexample shrinks to little.

use mcplock::catalog::{Catalog, Instructions, Item, Kind};
use mcplock::fitness::check_catalog;
use mcplock::protocol::Revision;
use mcplock::rules::{Level, judge_fault};
use mcplock::schema::Dialect;
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

/// The base of a document that has one.
const BASE: &str = "https://example.com/schemas/root.json";

struct Growth<'d> {
    decisions: &'d [u8],
    dialect: Dialect,
    /// The `$id` of the root.
    id: Option<&'static str>,
}

impl Growth<'_> {
    fn pick(&mut self, among: usize) -> usize {
        let Some((first, rest)) = self.decisions.split_first() else {
            return 0;
        };
        self.decisions = rest;
        usize::from(*first) % among
    }

    fn maybe(&mut self) -> bool {
        self.pick(3) == 1
    }

    fn has(&self, first: Dialect) -> bool {
        self.dialect >= first
    }

    fn definitions(&self) -> &'static str {
        if self.has(Dialect::Draft2019_09) {
            "$defs"
        } else {
            "definitions"
        }
    }

    /// A reference that leads somewhere. Where part of the value was consumed on the way it may lead
    /// to the root; else only to what has no references in place.
    fn reference(&mut self, consumed: bool) -> Json {
        let at = self.definitions();
        let mut targets = vec![
            format!("#/{at}/plain"),
            format!("#/{at}/a%20b"),
            format!("#/{at}/c~1d"),
            format!("#/{at}/e~0f"),
            format!("#/{at}/g%25h"),
            format!("#/{at}/%C3%A9"),
            format!("#/{at}/tree"),
            format!("#/{at}/tree/properties/children/items"),
            format!("#/{at}/plain/{at}/inner"),
            "#here".to_owned(),
            "#/x-own/0".to_owned(),
            "https://example.com/schemas/sub.json".to_owned(),
            format!("https://example.com/schemas/sub.json#/{at}/inner"),
            "https://example.com/schemas/dir/../sub.json".to_owned(),
            "urn:example:embedded".to_owned(),
        ];
        if self.id == Some(BASE) {
            targets.extend([
                "sub.json".to_owned(),
                "./sub.json".to_owned(),
                "/schemas/sub.json".to_owned(),
                "//example.com/schemas/sub.json".to_owned(),
                format!("root.json#/{at}/plain"),
                format!("{BASE}#here"),
            ]);
        }
        if consumed {
            targets.extend([
                "#".to_owned(),
                "#/properties/first".to_owned(),
                "#/properties/%24ref".to_owned(),
                "http://json-schema.org/draft-07/schema#".to_owned(),
            ]);
        }
        if consumed && self.dialect >= Dialect::Draft2019_09 && self.maybe() {
            return match self.dialect {
                Dialect::Draft2019_09 => json!({ "$recursiveRef": "#" }),
                _ => json!({ "$dynamicRef": "#node" }),
            };
        }
        let which = self.pick(targets.len());
        let mut schema = json!({ "$ref": targets[which] });
        if self.maybe() {
            schema["description"] = json!("beside a reference");
        }
        schema
    }

    /// Any value: what looks like a schema in it is data.
    fn data(&mut self) -> Json {
        match self.pick(9) {
            0 => json!(null),
            1 => json!(1.0),
            2 => json!("text"),
            3 => json!([]),
            4 => json!({ "$ref": "#/nowhere" }),
            5 => {
                json!({ "$ref": "https://elsewhere.example/x", "$schema": "https://x.example/own" })
            }
            6 => json!({ "type": "nonsense", "$id": "##", "properties": 5 }),
            7 => json!([{ "pattern": "(", "$dynamicRef": "#gone", "$anchor": "9" }]),
            _ => json!({ "minLength": -1, "allOf": [], "id": "#/x", "$vocabulary": { "x": true } }),
        }
    }

    fn pattern(&mut self) -> &'static str {
        let patterns = [
            "",
            "^a$",
            "\\d+",
            "[^\\s]",
            "^\\p{L}+$",
            "a{2,3}?",
            "(?<y>\\d)\\k<y>",
            "(?!x)y",
            "(?<=a)b",
            "^https\\:\\/\\/",
            "[\\w.-]+@x",
            "\\u{1F600}",
            "^[a-z0-9[\\]._-]+$",
            "x*?|y",
        ];
        patterns[self.pick(patterns.len())]
    }

    fn name(&mut self) -> &'static str {
        let names = [
            "a",
            "$ref",
            "$id",
            "id",
            "$schema",
            "$defs",
            "enum",
            "const",
            "default",
            "",
            "a/b",
            "m~n",
            "%41",
            "größe",
            "имя",
            "名前",
            "properties",
            "x y",
            "$vocabulary",
            "__proto__",
            "type",
        ];
        names[self.pick(names.len())]
    }

    fn schemas(&mut self, depth: usize, consumed: bool) -> Json {
        let count = 1 + self.pick(2);
        (0..count).map(|_| self.schema(depth, consumed)).collect()
    }

    fn map(&mut self, depth: usize, consumed: bool) -> Map<String, Json> {
        let count = self.pick(4);
        (0..count)
            .map(|_| (self.name().to_owned(), self.schema(depth, consumed)))
            .collect()
    }

    fn schema(&mut self, depth: usize, consumed: bool) -> Json {
        use Dialect::{Draft4, Draft6, Draft7, Draft2019_09, Draft2020_12};
        let booleans = self.dialect > Draft4;
        match self.pick(8) {
            0 => return json!({}),
            1 if booleans => return json!(true),
            2 if booleans => return json!(false),
            3 | 4 => return self.reference(consumed),
            _ => {}
        }
        let mut schema = Map::new();
        let count = 1 + self.pick(4);
        for _ in 0..count {
            let deep = depth > 0;
            let below = depth.saturating_sub(1);
            let (keyword, value): (&str, Json) = match self.pick(40) {
                0 => ("type", json!("array")),
                1 => ("type", json!(["string", "null"])),
                2 => ("title", json!("A title")),
                3 => ("default", self.data()),
                4 => ("enum", json!([self.data(), "b", 7])),
                5 => ("pattern", json!(self.pattern())),
                6 => ("format", json!("no-format-of-ours")),
                7 => ("minLength", json!(0)),
                8 => ("maxItems", json!(3.0)),
                9 => ("multipleOf", json!(0.01)),
                10 => ("uniqueItems", json!(true)),
                11 => ("x-unknown", self.data()),
                12 => ("minimum", json!(-5)),
                13 if self.dialect == Draft4 => {
                    schema.insert("maximum".to_owned(), json!(9));
                    ("exclusiveMaximum", json!(true))
                }
                13 => ("exclusiveMaximum", json!(9)),
                14 if self.has(Draft6) => ("examples", json!([self.data()])),
                15 if self.has(Draft6) => ("const", self.data()),
                16 if self.has(Draft7) => ("$comment", json!("a comment")),
                17 if self.has(Draft7) => ("readOnly", json!(true)),
                18 if self.has(Draft2019_09) => ("deprecated", json!(false)),
                19 if self.has(Draft2019_09) => {
                    ("dependentRequired", json!({ "a": ["b"], "c": [] }))
                }
                20 => ("dependencies", json!({ "a": ["b"] })),
                21 => ("required", json!(["a", "zz"])),
                22 if self.has(Draft6) => ("required", json!([])),
                23 if deep => ("properties", self.map(below, true).into()),
                24 if deep => ("additionalProperties", self.schema(below, true)),
                25 => ("additionalProperties", json!(false)),
                26 if deep => {
                    let pattern = self.pattern();
                    (
                        "patternProperties",
                        json!({ pattern: self.schema(below, true) }),
                    )
                }
                27 if deep => ("items", self.schema(below, true)),
                28 if deep && self.dialect < Draft2020_12 => ("items", self.schemas(below, true)),
                28 if deep => ("prefixItems", self.schemas(below, true)),
                29 if deep && self.dialect < Draft2020_12 => {
                    ("additionalItems", self.schema(below, true))
                }
                30 if deep => ("allOf", self.schemas(below, consumed)),
                31 if deep => ("anyOf", self.schemas(below, consumed)),
                32 if deep => ("oneOf", self.schemas(below, consumed)),
                33 if deep => ("not", self.schema(below, consumed)),
                34 if deep && self.has(Draft7) => {
                    schema.insert("then".to_owned(), self.schema(below, consumed));
                    ("if", self.schema(below, consumed))
                }
                35 if deep && self.has(Draft6) => ("contains", self.schema(below, true)),
                36 if deep && self.has(Draft6) => ("propertyNames", self.schema(below, true)),
                37 if deep && self.has(Draft2019_09) => {
                    ("dependentSchemas", self.map(below, consumed).into())
                }
                38 if deep && self.has(Draft2019_09) => {
                    ("unevaluatedProperties", self.schema(below, true))
                }
                // definitions may stand anywhere, in the words of every dialect
                39 if deep => ("definitions", self.map(below, true).into()),
                _ => ("description", json!("Some words.")),
            };
            schema.insert(keyword.to_owned(), value);
        }
        schema.into()
    }

    fn named(&self, schema: Json, name: &str) -> Json {
        let mut schema = schema;
        let (keyword, name) = match self.dialect {
            Dialect::Draft4 => ("id", format!("#{name}")),
            Dialect::Draft6 | Dialect::Draft7 => ("$id", format!("#{name}")),
            _ => ("$anchor", name.to_owned()),
        };
        schema[keyword] = json!(name);
        schema
    }

    /// A resource of its own in the document, in a dialect of its own.
    fn resource(&mut self, id: &str, dialect: Option<Dialect>) -> Json {
        let own = dialect.unwrap_or(self.dialect);
        let at = if own >= Dialect::Draft2019_09 {
            "$defs"
        } else {
            "definitions"
        };
        let mut schema = json!({
            own.id_keyword(): id,
            "type": "object",
            "properties": { "x": { "$ref": format!("#/{at}/inner") }, "y": { "$ref": "#" } },
            at: { "inner": { "type": "integer" } },
        });
        if let Some(dialect) = dialect {
            schema["$schema"] = json!(dialect.uri());
            if dialect < Dialect::Draft2020_12 {
                schema["items"] = json!([{ "type": "string" }]);
            }
        }
        schema
    }

    fn root(&mut self, declared: bool) -> Json {
        let at = self.definitions();
        let mut root = self.schema(3, false);
        if !root.is_object() || root.get("$ref").is_some() {
            root = json!({});
        }
        let inner = json!({ "type": "string", at: { "inner": {} } });
        let mut definitions = json!({
            "plain": inner,
            "a b": {}, "c/d": { "type": "null" }, "e~f": {}, "g%h": {}, "é": {},
            "tree": { "type": "object", "properties": {
                "value": { "$ref": "#" },
                "children": { "type": "array", "items": { "$ref": format!("#/{at}/tree") } } } },
            "named": self.named(json!({ "type": "boolean" }), "here"),
            "sub": self.resource("https://example.com/schemas/sub.json", None),
            "embedded": self.resource("urn:example:embedded", None),
        });
        if self.dialect == Dialect::Draft2020_12 {
            definitions["dynamic"] = json!({ "$dynamicAnchor": "node", "type": "string" });
        }
        if self.dialect >= Dialect::Draft6 && declared {
            // the keyword that identifies it is the same, so that both dialects see the resource
            let others = [
                Dialect::Draft6,
                Dialect::Draft7,
                Dialect::Draft2019_09,
                Dialect::Draft2020_12,
            ];
            let other = others[self.pick(others.len())];
            definitions["other"] =
                self.resource("https://example.com/schemas/other.json", Some(other));
        }
        if self.dialect == Dialect::Draft2019_09 && self.maybe() {
            root["$recursiveAnchor"] = json!(true);
        }
        for (name, definition) in definitions.as_object().unwrap() {
            root[at][name] = definition.clone();
        }
        root["type"] = json!("object");
        root["x-own"] = json!([{ "type": "string" }]);
        root["properties"]["first"] = json!({ "type": "string" });
        root["properties"]["$ref"] = json!({ "type": "string" });
        if let Some(id) = self.id {
            root[self.dialect.id_keyword()] = json!(id);
        }
        if declared {
            root["$schema"] = json!(self.dialect.uri());
        }
        root
    }
}

fn grown(decisions: &[u8], dialect: Dialect, declared: bool) -> Json {
    let mut growth = Growth {
        decisions,
        dialect,
        id: None,
    };
    let ids = [
        None,
        Some(BASE),
        Some("urn:example:root"),
        Some("root.json"),
    ];
    growth.id = ids[growth.pick(ids.len())];
    growth.root(declared)
}

/// What is unfit about a tool with this schema for its input and its output.
fn unfit(schema: &Json, revision: Option<Revision>) -> Vec<String> {
    let tool = json!({ "name": "t", "description": "Does it.", "inputSchema": schema,
        "outputSchema": schema });
    let catalog = Catalog {
        revision,
        declared: Vec::new(),
        implementation: None,
        instructions: Instructions::Absent,
        listed: vec![Kind::Tool],
        unknown: Vec::new(),
        items: vec![Item::new(Kind::Tool, 0, tool.to_string().into())],
        remarks: Vec::new(),
        doubts: Vec::new(),
    };
    let found = check_catalog(&catalog, None);
    let findings = found.iter().map(|fault| judge_fault("server", fault));
    findings
        .filter(|finding| finding.level == Level::Unfit)
        .map(|finding| format!("{} {}: {}", finding.pointer, finding.rule, finding.message))
        .collect()
}

fn metaschema_takes(dialect: Dialect, schema: &Json) -> bool {
    match dialect {
        Dialect::Draft4 => jsonschema::draft4::meta::is_valid(schema),
        Dialect::Draft6 => jsonschema::draft6::meta::is_valid(schema),
        Dialect::Draft7 => jsonschema::draft7::meta::is_valid(schema),
        Dialect::Draft2019_09 => jsonschema::draft201909::meta::is_valid(schema),
        Dialect::Draft2020_12 => jsonschema::draft202012::meta::is_valid(schema),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn no_legal_schema_is_unfit_in_any_dialect(decisions in prop::collection::vec(any::<u8>(), 0..160)) {
        for dialect in Dialect::ALL {
            let schema = grown(&decisions, dialect, true);
            let found = unfit(&schema, Some(Revision::V2025_11_25));
            prop_assert!(found.is_empty(), "{dialect} {schema}\n{found:#?}");
        }
    }

    #[test]
    fn no_legal_schema_is_unfit_where_the_dialect_is_left_open(
        decisions in prop::collection::vec(any::<u8>(), 0..160),
    ) {
        let newest = grown(&decisions, Dialect::Draft2020_12, false);
        for revision in [Some(Revision::V2025_11_25), Some(Revision::V2026_07_28), None] {
            let found = unfit(&newest, revision);
            prop_assert!(found.is_empty(), "{newest}\n{found:#?}");
        }
        // read both ways: right in one of them is not wrong
        for dialect in [Dialect::Draft2020_12, Dialect::Draft7] {
            let schema = grown(&decisions, dialect, false);
            let found = unfit(&schema, Some(Revision::V2025_06_18));
            prop_assert!(found.is_empty(), "{dialect} {schema}\n{found:#?}");
        }
    }
}

/// The generator is worth something only if what it makes is legal, and varied.
#[test]
fn what_grows_is_legal_by_the_metaschemas_and_uses_every_keyword() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut decisions = || -> Vec<u8> {
        (0..160)
            .map(|_| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random.to_le_bytes()[3]
            })
            .collect()
    };
    let mut text = String::new();
    for _ in 0..200 {
        let decisions = decisions();
        for dialect in Dialect::ALL {
            let mut schema = grown(&decisions, dialect, true);
            text += &schema.to_string();
            // embedded resources in another dialect are no business of the metaschema
            let at = if dialect >= Dialect::Draft2019_09 {
                "$defs"
            } else {
                "definitions"
            };
            schema[at].as_object_mut().unwrap().remove("other");
            let spelled = dialect == Dialect::Draft4 && schema.to_string().contains(".0");
            assert!(
                spelled || metaschema_takes(dialect, &schema),
                "{dialect} {schema}"
            );
        }
    }
    for keyword in [
        "unevaluatedProperties",
        "dependentSchemas",
        "dependencies",
        "propertyNames",
        "contains",
        "if",
        "then",
        "not",
        "oneOf",
        "anyOf",
        "allOf",
        "prefixItems",
        "additionalItems",
        "patternProperties",
        "additionalProperties",
        "$dynamicRef",
        "$recursiveRef",
        "const",
        "examples",
        "sub.json#",
    ] {
        assert!(text.contains(keyword), "{keyword} never grew");
    }
}
