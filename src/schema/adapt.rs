//! A schema written as the validator library reads it, where library and standard differ.

use crate::json::Value;

use super::dialect::Dialect;
use super::graph::Graph;
use super::pattern;
use super::refs::Target;

/// A reference leads into what the library must not see.
pub(super) struct InTheWay;

/// Adapts `schema`, whose graph is `graph`.
pub(super) fn adapt(graph: &Graph, schema: &mut serde_json::Value) -> Result<(), InTheWay> {
    modernize_patterns(graph, schema);
    drop_dependencies(graph, schema)
}

/// Writes patterns that are ones only without the `u` flag as the library's engine reads them. One
/// that can't be written so makes the library refuse the schema.
fn modernize_patterns(graph: &Graph, schema: &mut serde_json::Value) {
    for (node, at) in graph.nodes.iter().zip(0..) {
        let Some(text) = node.value.get("pattern").and_then(Value::as_str) else {
            continue;
        };
        if !pattern::check(text).is_ok_and(|checked| checked.needs_legacy_syntax) {
            continue;
        }
        let place = graph.pointer(at).key("pattern");
        if let (Some(modern), Some(place)) = (
            pattern::modernized(text),
            schema.pointer_mut(place.as_str()),
        ) {
            *place = serde_json::Value::String(modern);
        }
    }
}

/// Takes out `dependencies` where it is no keyword: 2019-09 split it in two, and the metaschemas of
/// 2019-09 and 2020-12 say that it is none any more. The library asserts it all the same, which the
/// standard leaves to those who want to be compatible.
fn drop_dependencies(graph: &Graph, schema: &mut serde_json::Value) -> Result<(), InTheWay> {
    for (node, at) in graph.nodes.iter().zip(0..) {
        if node.dialect < Dialect::Draft2019_09 || node.value.get("dependencies").is_none() {
            continue;
        }
        let owner = graph.pointer(at);
        let inside = format!("{}/", owner.key("dependencies").as_str());
        let led_into = graph.references.iter().any(|reference| {
            matches!(&reference.target, Target::Resolved(target) if target.as_str().starts_with(&inside))
        });
        if led_into {
            return Err(InTheWay);
        }
        if let Some(serde_json::Value::Object(members)) = schema.pointer_mut(owner.as_str()) {
            members.remove("dependencies");
        }
    }
    Ok(())
}
