//! From the bytes of a file to the tools of a far side: every format is known by its shape.
//!
//! Knows no file: it gets bytes, and a path for messages.

use std::path::Path;

use crate::catalog::{self, Catalog, Kind};
use crate::error::{Error, Result};
use crate::json::{Limits, Object, Pointer, Value, line_column, parse, without_bom};
use crate::text::visible;

use super::gemini;
use super::shape::{FarTool, Projection, Shape};

/// What is looked for, for messages.
const LOOKED_FOR: &str = "looked for: MCP `tools/list` (result, response or saved catalog), OpenAI \
    `tools` (chat completions or responses), Anthropic `tools` with `input_schema`, Gemini \
    `functionDeclarations`, Bedrock `toolConfig` or `toolSpec`, a list of {name, description, \
    parameters}, or a captured request body that holds one of these";

/// Members under which a captured request may hold its body, or a response its result.
const WRAPPERS: [&str; 10] = [
    "result", "body", "request", "json", "params", "session", "response", "data", "config",
    "payload",
];

/// Wrappers inside wrappers that are looked into.
const WRAPPING_DEPTH: usize = 3;

/// The tools that a file holds.
///
/// # Errors
///
/// Text that is no JSON, JSON that nobody could read in one way only, and JSON of no known shape;
/// the message names what was looked for.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Projection> {
    let document = match parse(without_bom(bytes), &Limits::default()) {
        Ok(document) => document,
        Err(error) => {
            // JSON Lines, which only a saved catalog comes in.
            if let Ok(catalog) = catalog::read_saved(&[(path, bytes)]) {
                return Ok(of_catalog(&catalog));
            }
            let (line, column) = line_column(bytes, error.offset);
            return Err(Error::usage(error.to_string())
                .in_file(path)
                .at_line(line, Some(column))
                .help(LOOKED_FOR));
        }
    };
    let root = &document.value;
    if root.get("mcplock_catalog").is_some() {
        return Ok(of_catalog(&catalog::read_saved(&[(path, bytes)])?));
    }
    if let Some(defect) = document.defects.first() {
        let (line, column) = line_column(without_bom(bytes), defect.offset);
        return Err(Error::usage(
            "the file can be read in more than one way (a duplicate key, half a surrogate pair, or \
             too much depth)",
        )
        .in_file(path)
        .at_line(line, Some(column)));
    }
    let Some((at, list)) = list(root, &Pointer::root(), WRAPPING_DEPTH) else {
        return Err(unknown(path, "the file holds no list of tools"));
    };
    let mut projection = Projection::default();
    for (i, element) in list.iter().enumerate() {
        let at = at.index(i);
        if !element_of(element, &at, &mut projection) {
            let error = unknown(path, "this is no tool in any known format");
            return Err(error.at_pointer(at.as_str()));
        }
    }
    Ok(projection)
}

fn unknown(path: &Path, message: &str) -> Error {
    Error::usage(message).in_file(path).help(LOOKED_FOR)
}

/// The tools of a catalog as a far side: what a gateway serves.
pub(super) fn of_catalog(catalog: &Catalog) -> Projection {
    let mut projection = Projection::default();
    for item in catalog.of_kind(Kind::Tool) {
        let at = Pointer::root().key("tools").index(item.position);
        if item.document.defects.is_empty() {
            element_of(item.value(), &at, &mut projection);
        }
    }
    projection
}

impl From<&Catalog> for Projection {
    /// The tools that a gateway serves as MCP.
    fn from(catalog: &Catalog) -> Self {
        of_catalog(catalog)
    }
}

/// The list of tools in `value`, and its place.
fn list<'v>(value: &'v Value, at: &Pointer, depth: usize) -> Option<(Pointer, &'v [Value])> {
    match value {
        Value::Array(list) => Some((at.clone(), list)),
        Value::Object(object) => {
            for name in ["tools", "functions"] {
                if let Some(Value::Array(list)) = object.get(name) {
                    return Some((at.key(name), list));
                }
            }
            if declarations(object).is_some() || object.contains_key("toolSpec") {
                // One tool object by itself.
                return Some((at.clone(), std::slice::from_ref(value)));
            }
            if let Some(config) = object.get("toolConfig").or(object.get("tool_config"))
                && let Some(Value::Array(list)) = config.get("tools")
            {
                let name = if object.contains_key("toolConfig") {
                    "toolConfig"
                } else {
                    "tool_config"
                };
                return Some((at.key(name).key("tools"), list));
            }
            let depth = depth.checked_sub(1)?;
            WRAPPERS.iter().find_map(|name| {
                let inner = object.get(name)?;
                inner.as_object()?;
                list(inner, &at.key(name), depth)
            })
        }
        _ => None,
    }
}

fn declarations(object: &Object) -> Option<(&'static str, &[Value])> {
    ["functionDeclarations", "function_declarations"]
        .into_iter()
        .find_map(|name| Some((name, object.get(name)?.as_array()?)))
}

/// Adds the tools of one element of a list; false when it is of no known shape.
fn element_of(element: &Value, at: &Pointer, projection: &mut Projection) -> bool {
    let Some(object) = element.as_object() else {
        return false;
    };
    if let Some((name, list)) = declarations(object) {
        let at = at.key(name);
        return list
            .iter()
            .enumerate()
            .all(|(i, tool)| declaration(tool, &at.index(i), projection));
    }
    let kind = object.get("type").and_then(Value::as_str);
    if let Some(function @ Value::Object(_)) = object.get("function") {
        let found = tool(function, Shape::OpenAiChat, "parameters", at);
        return keep(found, projection);
    }
    if let Some(spec) = object.get("toolSpec").or(object.get("tool_spec")) {
        return keep(bedrock(spec, at), projection);
    }
    let named = object.get("name").and_then(Value::as_str).is_some();
    if !named || !declares_parameters(object) {
        return match builtin(object, kind) {
            Some(name) => {
                projection.builtin.push(visible(&name));
                true
            }
            None if named => keep(tool(element, Shape::Plain, "parameters", at), projection),
            None => false,
        };
    }
    let found = if object.contains_key("input_schema") {
        tool(element, Shape::Anthropic, "input_schema", at)
    } else if let Some(schema) = object.get("inputSchema") {
        if schema.get("json").is_some() && schema.get("type").is_none() {
            bedrock(element, at)
        } else {
            tool(element, Shape::Mcp, "inputSchema", at)
        }
    } else if GEMINI_MEMBERS.iter().any(|name| object.contains_key(name)) {
        return declaration(element, at, projection);
    } else if kind == Some("function") {
        tool(element, Shape::OpenAiResponses, "parameters", at)
    } else if gemini::is_open_api(object.get("parameters")) {
        return declaration(element, at, projection);
    } else {
        tool(element, Shape::Plain, "parameters", at)
    };
    keep(found, projection)
}

const GEMINI_MEMBERS: [&str; 2] = ["parametersJsonSchema", "parameters_json_schema"];

fn declares_parameters(object: &Object) -> bool {
    ["input_schema", "inputSchema", "parameters"]
        .iter()
        .chain(&GEMINI_MEMBERS)
        .any(|name| object.contains_key(name))
        || object.get("type").and_then(Value::as_str) == Some("function")
}

/// The name of a tool that belongs to the provider or to the host: web search, code execution and
/// the like, and marks for caching.
fn builtin(object: &Object, kind: Option<&str>) -> Option<String> {
    if let Some(kind) = kind {
        return (kind != "function").then(|| kind.to_owned());
    }
    match object.members() {
        // Gemini's `{"googleSearch": {}}`, Bedrock's `{"cachePoint": {…}}`.
        [(name, Value::Object(_))] => Some(name.clone()),
        _ => None,
    }
}

fn keep(found: Option<FarTool>, projection: &mut Projection) -> bool {
    let is_one = found.is_some();
    projection.tools.extend(found);
    is_one
}

/// A tool whose parameters stand, as JSON Schema, in `member`.
fn tool(value: &Value, shape: Shape, member: &str, at: &Pointer) -> Option<FarTool> {
    let name = value.get("name")?.as_str()?.to_owned();
    let schema = match value.get(member) {
        None | Some(Value::Null) => nothing_said(),
        Some(schema) => schema.clone(),
    };
    Some(FarTool {
        name,
        description: text(value.get("description")),
        schema,
        shape,
        at: at.clone(),
    })
}

fn bedrock(spec: &Value, at: &Pointer) -> Option<FarTool> {
    let schema = spec.get("inputSchema").or(spec.get("input_schema"));
    let schema = schema.and_then(|schema| schema.get("json"));
    Some(FarTool {
        name: spec.get("name")?.as_str()?.to_owned(),
        description: text(spec.get("description")),
        schema: schema.cloned().unwrap_or_else(nothing_said),
        shape: Shape::Bedrock,
        at: at.clone(),
    })
}

/// One of Gemini's function declarations.
fn declaration(value: &Value, at: &Pointer, projection: &mut Projection) -> bool {
    let json_schema = GEMINI_MEMBERS
        .iter()
        .find(|name| value.get(name).is_some_and(|schema| *schema != Value::Null));
    let mut found = match json_schema {
        Some(member) => tool(value, Shape::Gemini, member, at),
        None => tool(value, Shape::Gemini, "parameters", at),
    };
    if let (Some(tool), None) = (&mut found, json_schema) {
        tool.schema = gemini::json_schema(&tool.schema);
    }
    keep(found, projection)
}

/// What a format says by leaving the parameters out: an object of which nothing is declared.
fn nothing_said() -> Value {
    Value::Object(Object::new(vec![(
        "type".to_owned(),
        Value::String("object".to_owned()),
    )]))
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}
