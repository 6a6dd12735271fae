//! The references of a schema: where each leads, and which lead back to themselves.
//!
//! Nothing is fetched: a reference that leaves the document is [`Target::External`], whatever it
//! names.

use std::collections::HashMap;

use crate::json::{Pointer, Value};

use super::Dialect;
use super::graph::{Graph, Via};

/// The keyword of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefKeyword {
    /// `$ref`
    Ref,
    /// `$dynamicRef` (2020-12)
    DynamicRef,
    /// `$recursiveRef` (2019-09)
    RecursiveRef,
}

impl RefKeyword {
    /// The keyword itself.
    pub fn word(self) -> &'static str {
        match self {
            RefKeyword::Ref => "$ref",
            RefKeyword::DynamicRef => "$dynamicRef",
            RefKeyword::RecursiveRef => "$recursiveRef",
        }
    }
}

/// One reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The keyword's place, e.g. `/properties/a/$ref`.
    pub pointer: Pointer,
    /// The keyword.
    pub keyword: RefKeyword,
    /// Its value, which may be hostile and may hold credentials.
    pub text: String,
    /// Where it leads; of a dynamic one, where it leads at first.
    pub target: Target,
}

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// To the subschema at this place of the document.
    Resolved(Pointer),
    /// Into the metaschema of a published dialect, which needs no fetching.
    Metaschema,
    /// Out of the document.
    External,
    /// To nothing in the document.
    Dangling,
    /// To a name that different subschemas of the document have.
    Ambiguous,
    /// To a value of the document that is no schema.
    NotASchema(Pointer),
}

/// All references of a schema.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct References {
    /// The references, in document order as far as they stand in it.
    pub references: Vec<Reference>,
    /// Loops that never consume any of the instance; each is the references that make it up, as
    /// positions in `references`.
    pub loops: Vec<Vec<usize>>,
    /// The `$schema` members of embedded resources, and of the root, that name no known dialect.
    pub unknown_dialects: Vec<Pointer>,
}

/// The schema has so many subschemas and references that it is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManySubschemas;

/// The references of `schema`, whose root is read in `dialect` unless it declares a known one.
pub fn references(schema: &Value, dialect: Dialect) -> Result<References, TooManySubschemas> {
    let graph = Graph::of(schema, dialect).map_err(|_| TooManySubschemas)?;
    Ok(References {
        loops: loops(&graph),
        references: graph.references,
        unknown_dialects: graph.unknown_dialects,
    })
}

/// The references inside each strongly connected part of the in-place applications.
pub(super) fn loops(graph: &Graph) -> Vec<Vec<usize>> {
    if graph.references.is_empty() {
        return Vec::new();
    }
    let part = parts(graph);
    let mut number: HashMap<u32, usize> = HashMap::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (i, (from, targets)) in graph.links.iter().enumerate() {
        let own = part[*from as usize];
        if targets.iter().any(|&target| part[target as usize] == own) {
            let which = *number.entry(own).or_insert(found.len());
            if which == found.len() {
                found.push(Vec::new());
            }
            found[which].push(i);
        }
    }
    found
}

/// Tarjan's algorithm with its own stack: for each node the number of its strongly connected
/// part, over in-place applications only.
fn parts(graph: &Graph) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let count = graph.nodes.len();
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut part = vec![UNSEEN; count];
    let mut open: Vec<usize> = Vec::new();
    let mut next_order = 0;
    let mut next_part = 0;
    for start in 0..count {
        if order[start] != UNSEEN {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                open.push(node);
            }
            let edges = &graph.nodes[node].applies;
            let mut edge = edge;
            let mut deeper = None;
            while let Some((via, target)) = edges.get(edge) {
                edge += 1;
                let target = *target as usize;
                if *via != Via::InPlace {
                    continue;
                }
                if order[target] == UNSEEN {
                    deeper = Some(target);
                    break;
                }
                if part[target] == UNSEEN {
                    low[node] = low[node].min(order[target]);
                }
            }
            if let Some(target) = deeper {
                path.push((node, edge));
                path.push((target, 0));
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    part[member] = next_part;
                    if member == node {
                        break;
                    }
                }
                next_part += 1;
            }
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn found(text: &str, dialect: Dialect) -> References {
        let value = parse(text.as_bytes(), &Limits::default()).unwrap().value;
        references(&value, dialect).unwrap()
    }

    /// The references as `place -> where to`.
    fn lines(text: &str, dialect: Dialect) -> Vec<String> {
        let found = found(text, dialect);
        let line = |reference: &Reference| {
            let target = match &reference.target {
                Target::Resolved(pointer) => format!("#{pointer}"),
                other => format!("{other:?}"),
            };
            format!("{} -> {target}", reference.pointer)
        };
        found.references.iter().map(line).collect()
    }

    fn newest(text: &str) -> Vec<String> {
        lines(text, Dialect::Draft2020_12)
    }

    #[test]
    fn a_pointer_is_decoded_twice() {
        let text = r##"{"$defs":{"a b/c~d%e":{}},"$ref":"#/$defs/a%20b~1c~0d%25e"}"##;
        assert_eq!(newest(text), ["/$ref -> #/$defs/a b~1c~0d%e"]);
    }

    #[test]
    fn what_is_data_holds_no_reference() {
        let text = r##"{"properties":{"$ref":{"type":"string"}},"const":{"$ref":"#/x"},
            "enum":[{"$ref":"#/x"}],"default":{"$ref":"#/x"},"examples":[{"$ref":"#/x"}],
            "unknown":{"$ref":"#/x"},"required":["$ref"]}"##;
        assert_eq!(newest(text), [] as [&str; 0]);
    }

    #[test]
    fn data_that_a_reference_points_into_is_a_schema() {
        let text = r##"{"$ref":"#/x/0","x":[{"not":{"$ref":"#/y"}}]}"##;
        assert_eq!(
            newest(text),
            ["/$ref -> #/x/0", "/x/0/not/$ref -> Dangling"]
        );
    }

    #[test]
    fn identifiers_and_anchors_are_resolved_against_their_base() {
        let text = r##"{"$id":"https://a.example/dir/root.json","$ref":"other.json#here",
            "allOf":[{"$ref":"root.json"},{"$ref":"/dir/other.json"},{"$ref":"#here"}],
            "$defs":{"o":{"$id":"other.json","$defs":{"h":{"$anchor":"here"}}}}}"##;
        assert_eq!(
            newest(text),
            [
                "/$ref -> #/$defs/o/$defs/h",
                "/allOf/0/$ref -> #",
                "/allOf/1/$ref -> #/$defs/o",
                "/allOf/2/$ref -> Dangling",
            ]
        );
    }

    #[test]
    fn a_name_that_different_subschemas_have_leads_nowhere_for_certain() {
        for (one, other, target) in [("1", "2", "Ambiguous"), ("1", "1", "#/$defs/a")] {
            let text = format!(
                r##"{{"allOf":[{{"$ref":"https://x.example/a"}},{{"$ref":"#here"}}],"$defs":{{
                    "a":{{"$id":"https://x.example/a","minimum":{one}}},
                    "b":{{"$id":"https://x.example/a","minimum":{other}}},
                    "c":{{"$anchor":"here","minimum":{one}}},
                    "d":{{"$anchor":"here","minimum":{other}}}}}}}"##
            );
            let anchored = target.replace("/a", "/c");
            assert_eq!(
                newest(&text),
                [
                    format!("/allOf/0/$ref -> {target}"),
                    format!("/allOf/1/$ref -> {anchored}"),
                ]
            );
        }
    }

    #[test]
    fn what_leaves_the_document_is_external_whatever_it_names() {
        for text in [
            "http://169.254.169.254/x",
            "file:///etc/passwd",
            "//host/x",
            "common.json#/a",
            "/x",
            "?q",
            "urn:uuid:0",
            "data:,x",
        ] {
            let schema = format!(r#"{{"$ref":"{text}"}}"#);
            assert_eq!(newest(&schema), ["/$ref -> External"], "{text}");
        }
    }

    #[test]
    fn metaschemas_of_published_dialects_need_no_fetching() {
        for uri in [
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger",
            "https://json-schema.org/draft/2020-12/meta/core",
        ] {
            let schema = format!(r#"{{"$ref":"{uri}"}}"#);
            assert_eq!(newest(&schema), ["/$ref -> Metaschema"], "{uri}");
        }
    }

    #[test]
    fn up_to_draft_07_a_reference_hides_what_stands_beside_it() {
        let text = r##"{"properties":{"a":{"$ref":"#/definitions/A","not":{"$ref":"#/gone"}}},
            "definitions":{"A":{}}}"##;
        let seen = ["/properties/a/$ref -> #/definitions/A"];
        assert_eq!(lines(text, Dialect::Draft7), seen);
        assert_eq!(
            newest(text),
            [seen[0], "/properties/a/not/$ref -> Dangling"]
        );
    }

    #[test]
    fn draft_04_identifies_by_id_and_draft_07_anchors_by_fragment() {
        let text = r##"{"id":"http://a.example/x","$ref":"#f","definitions":{"F":{"id":"#f"}}}"##;
        assert_eq!(lines(text, Dialect::Draft4), ["/$ref -> #/definitions/F"]);
        let text = r##"{"allOf":[{"$ref":"#f"}],"definitions":{"F":{"$id":"#f"}}}"##;
        assert_eq!(
            lines(text, Dialect::Draft7),
            ["/allOf/0/$ref -> #/definitions/F"]
        );
        assert_eq!(newest(text), ["/allOf/0/$ref -> Dangling"]);
    }

    #[test]
    fn a_reference_to_something_else_than_a_schema_is_said_so() {
        let text = r##"{"$ref":"#/title","title":"x"}"##;
        let found = found(text, Dialect::Draft2020_12);
        assert!(matches!(found.references[0].target, Target::NotASchema(_)));
    }

    fn loops_of(text: &str) -> Vec<Vec<String>> {
        let found = found(text, Dialect::Draft2020_12);
        let place = |&i: &usize| found.references[i].pointer.to_string();
        let places = |members: &Vec<usize>| members.iter().map(place).collect();
        found.loops.iter().map(places).collect()
    }

    #[test]
    fn loops_that_consume_nothing_are_found_in_every_in_place_keyword() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let text = format!(r##"{{"{keyword}":[{{"$ref":"#"}}]}}"##);
            assert_eq!(
                loops_of(&text),
                [[format!("/{keyword}/0/$ref")]],
                "{keyword}"
            );
        }
        for keyword in ["not", "if", "then", "else"] {
            let text = format!(r##"{{"{keyword}":{{"$ref":"#"}}}}"##);
            assert_eq!(loops_of(&text), [[format!("/{keyword}/$ref")]], "{keyword}");
        }
        let text = r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##;
        assert_eq!(loops_of(text).len(), 1);
        let text = r##"{"$dynamicAnchor":"a","$dynamicRef":"#a"}"##;
        assert_eq!(loops_of(text), [["/$dynamicRef"]]);
    }

    #[test]
    fn recursion_through_parts_of_the_instance_is_no_loop() {
        for keyword in [
            "additionalProperties",
            "unevaluatedProperties",
            "propertyNames",
            "items",
            "contains",
            "unevaluatedItems",
            "contentSchema",
        ] {
            let text = format!(r##"{{"{keyword}":{{"$ref":"#"}}}}"##);
            assert_eq!(loops_of(&text), [] as [Vec<String>; 0], "{keyword}");
        }
        for keyword in ["properties", "patternProperties", "$defs"] {
            let text = format!(r##"{{"{keyword}":{{"a":{{"$ref":"#"}}}}}}"##);
            assert_eq!(loops_of(&text), [] as [Vec<String>; 0], "{keyword}");
        }
    }

    #[test]
    fn two_loops_are_two() {
        let text = r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"},
            "c":{"not":{"$ref":"#/$defs/c"}},"d":{"$ref":"#/$defs/c"}}}"##;
        assert_eq!(
            loops_of(text),
            [
                vec!["/$defs/a/$ref".to_owned(), "/$defs/b/$ref".to_owned()],
                vec!["/$defs/c/not/$ref".to_owned()],
            ]
        );
    }

    #[test]
    fn an_embedded_dialect_counts_only_at_the_root_of_a_resource() {
        let text = r#"{"$defs":{"a":{"$schema":"https://x.example/own"},
            "b":{"$id":"b","$schema":"https://x.example/own"}}}"#;
        let found = found(text, Dialect::Draft2020_12);
        let places: Vec<String> = found
            .unknown_dialects
            .iter()
            .map(Pointer::to_string)
            .collect();
        assert_eq!(places, ["/$defs/b/$schema"]);
    }
}
