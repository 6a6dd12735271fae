//! `x-mcp-header`: parameters that are copied into an HTTP header (2026-07-28).

use std::collections::{HashMap, HashSet};

use crate::json::{Pointer, Value};
use crate::schema::Outline;

use super::{FaultKind, Report};

const KEYWORD: &str = "x-mcp-header";

/// Every `x-mcp-header` of an input schema. HTTP clients drop a tool that has a wrong one.
pub(super) fn check(outline: &Outline, root: &Value, at: &Pointer, report: &mut Report) {
    let mut allowed = None;
    let mut seen: HashMap<String, Pointer> = HashMap::new();
    for subschema in outline.subschemas() {
        let Some(header) = subschema.value().get(KEYWORD) else {
            continue;
        };
        let allowed = allowed.get_or_insert_with(|| parameters(root));
        let pointer = at.join(&subschema.pointer()).key(KEYWORD);
        let is_parameter = allowed.contains(&std::ptr::from_ref(subschema.value()).addr());
        let reason = match header {
            Value::String(name) if !is_token(name) => {
                Some("the name is no token of RFC 9110, section 5.6.2")
            }
            Value::String(name) => {
                let other = seen.insert(name.to_ascii_lowercase(), pointer.clone());
                if other.is_some() {
                    Some("two parameters name the same header")
                } else if !is_parameter {
                    Some("the parameter is not reached through `properties` alone")
                } else if !is_plain(subschema.value()) {
                    Some("the parameter is no string, integer or boolean")
                } else {
                    None
                }
            }
            _ => Some("the name must be a string"),
        };
        if let Some(reason) = reason {
            let message =
                format!("`{KEYWORD}` is not valid, and HTTP clients drop the tool: {reason}");
            report.fault(FaultKind::InvalidHeader, pointer, message);
        }
    }
}

/// The subschemas that are reached from the root through `properties` alone, by their address.
fn parameters(root: &Value) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut queue = vec![root];
    while let Some(schema) = queue.pop() {
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (_, property) in properties.iter() {
                found.insert(std::ptr::from_ref(property).addr());
                queue.push(property);
            }
        }
    }
    found
}

fn is_plain(schema: &Value) -> bool {
    matches!(schema.get("type"), Some(Value::String(name)) if ["string", "integer", "boolean"].contains(&name.as_str()))
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
