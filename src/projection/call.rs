//! One call: what the model sent, against the arguments that reached the server.
//!
//! Pure. The provider's own form of a call is known by its shape, as that of a list of tools is.

use std::path::Path;

use crate::canonical::canonical;
use crate::error::{Error, Result};
use crate::json::{Document, Limits, Object, Pointer, Value, line_column, parse, without_bom};
use crate::text::visible;

use super::loss::{Loss, LossKind};
use super::words::quoted;

/// What is looked for, for messages.
const LOOKED_FOR: &str = "looked for: an OpenAI tool call (`function` with `arguments`, or \
    `function_call`), an Anthropic `tool_use`, a Gemini `functionCall`, a Bedrock `toolUse`, the \
    message of an MCP call, or {name, arguments}; alone or in the response that holds it";

/// Containers inside containers that are looked into.
const DEPTH: usize = 12;

/// A call as a model made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The tool's name on the far side.
    pub name: String,
    /// The arguments.
    pub arguments: Value,
}

/// The one call that a captured message holds.
///
/// # Errors
///
/// Text that is no JSON; no call, or more than one.
pub fn read_call(path: &Path, bytes: &[u8]) -> Result<Call> {
    let document = document(path, bytes)?;
    let mut found = Vec::new();
    calls(&document.value, DEPTH, &mut found);
    let mut calls = Vec::new();
    for (name, arguments) in found {
        calls.push(Call {
            arguments: spelled_out(path, arguments)?,
            name,
        });
    }
    match calls.len() {
        1 => calls.pop().ok_or_else(|| no_call(path)),
        0 => Err(no_call(path)),
        count => Err(Error::usage(format!("the file holds {count} calls"))
            .in_file(path)
            .help("leave the one that is meant")),
    }
}

fn no_call(path: &Path) -> Error {
    Error::usage("the file holds no call")
        .in_file(path)
        .help(LOOKED_FOR)
}

/// The arguments that a server received: the object itself, or a message that holds it.
///
/// # Errors
///
/// Text that is no JSON, and JSON that is no object.
pub fn read_arguments(path: &Path, bytes: &[u8]) -> Result<Value> {
    let document = document(path, bytes)?;
    let root = &document.value;
    let params = root.get("params").unwrap_or(root);
    let is_call = params
        .get("name")
        .is_some_and(|name| name.as_str().is_some());
    let found = match params.get("arguments") {
        Some(arguments) if is_call => spelled_out(path, arguments)?,
        None if is_call && root.get("method").is_some() => Value::Object(Object::default()),
        _ => root.clone(),
    };
    if found.as_object().is_none() {
        return Err(
            Error::usage("the arguments that were received are no JSON object")
                .in_file(path)
                .help("an object, or the message of the MCP call that holds it"),
        );
    }
    Ok(found)
}

fn document(path: &Path, bytes: &[u8]) -> Result<Document> {
    let bytes = without_bom(bytes);
    let document = parse(bytes, &Limits::default()).map_err(|error| {
        let (line, column) = line_column(bytes, error.offset);
        Error::usage(error.to_string())
            .in_file(path)
            .at_line(line, Some(column))
    })?;
    match document.defects.first() {
        None => Ok(document),
        Some(defect) => {
            let (line, column) = line_column(bytes, defect.offset);
            Err(Error::usage("the file can be read in more than one way")
                .in_file(path)
                .at_line(line, Some(column)))
        }
    }
}

/// Arguments that came as a string of JSON, as OpenAI sends them.
fn spelled_out(path: &Path, arguments: &Value) -> Result<Value> {
    let Value::String(text) = arguments else {
        return Ok(arguments.clone());
    };
    if text.trim().is_empty() {
        return Ok(Value::Object(Object::default()));
    }
    match parse(text.as_bytes(), &Limits::default()) {
        Ok(document) if document.defects.is_empty() => Ok(document.value),
        Ok(_) => Err(
            Error::usage("the arguments of the call can be read in more than one way")
                .in_file(path),
        ),
        Err(error) => Err(
            Error::usage(format!("the arguments of the call are no JSON: {error}")).in_file(path),
        ),
    }
}

/// Every call in `value`: the tool's name and the arguments, in document order.
fn calls<'v>(value: &'v Value, depth: usize, found: &mut Vec<(String, &'v Value)>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| calls(item, depth, found)),
        Value::Object(object) => {
            if let Some(call) = call(object) {
                found.push(call);
                return;
            }
            for (name, member) in object.iter() {
                // What the model was offered is no call.
                if name != "tools" && name != "toolConfig" {
                    calls(member, depth, found);
                }
            }
        }
        _ => {}
    }
}

/// The call that an object is.
fn call(object: &Object) -> Option<(String, &Value)> {
    for (holder, arguments) in [
        ("functionCall", "args"),
        ("function_call", "args"),
        ("toolUse", "input"),
        ("tool_use", "input"),
        ("function", "arguments"),
        ("function_call", "arguments"),
    ] {
        if let Some(inner) = object.get(holder)
            && let Some(name) = inner.get("name").and_then(Value::as_str)
            && let Some(arguments) = inner.get(arguments)
        {
            return Some((name.to_owned(), arguments));
        }
    }
    let name = object.get("name")?.as_str()?.to_owned();
    let kind = object.get("type").and_then(Value::as_str);
    let arguments = match kind {
        Some("tool_use") => object.get("input"),
        _ => object
            .get("arguments")
            .or(object.get("args"))
            .or(object.get("input")),
    };
    Some((name, arguments?))
}

/// What became of the arguments on the way. `schema` is the tool's, for its defaults.
pub fn compare_call(
    label: &str,
    sent: &Value,
    received: &Value,
    schema: Option<&Value>,
) -> Vec<Loss> {
    let mut comparison = Comparison {
        label,
        losses: Vec::new(),
    };
    comparison.value(sent, received, schema, &Pointer::root(), "");
    comparison.losses
}

struct Comparison<'a> {
    label: &'a str,
    losses: Vec<Loss>,
}

impl Comparison<'_> {
    fn tell(
        &mut self,
        kind: LossKind,
        at: &Pointer,
        message: String,
        values: (Option<&Value>, Option<&Value>),
    ) {
        let pointer = Pointer::root().key("arguments").join(at);
        self.losses
            .push(Loss::new(kind, self.label, pointer, message).values(values.0, values.1));
    }

    fn value(
        &mut self,
        sent: &Value,
        received: &Value,
        schema: Option<&Value>,
        at: &Pointer,
        path: &str,
    ) {
        match (sent, received) {
            (Value::Object(a), Value::Object(b)) => self.object(a, b, schema, at, path),
            (Value::Array(a), Value::Array(b)) => self.array(a, b, schema, at, path),
            _ if canonical(sent) == canonical(received) => {}
            _ => {
                let same_type = sent.type_name() == received.type_name();
                let (kind, what) = if same_type {
                    (LossKind::CallChanged, "was changed from")
                } else {
                    (LossKind::CallCoerced, "was coerced from")
                };
                let message = format!(
                    "argument `{path}` {what} {} to {}",
                    quoted(sent),
                    quoted(received)
                );
                self.tell(kind, at, message, (Some(sent), Some(received)));
            }
        }
    }

    fn object(
        &mut self,
        sent: &Object,
        received: &Object,
        schema: Option<&Value>,
        at: &Pointer,
        path: &str,
    ) {
        let property = |name: &str| schema.and_then(|schema| schema.get("properties")?.get(name));
        let mut new: Vec<(&str, &Value)> = received
            .iter()
            .filter(|(name, _)| !sent.contains_key(name))
            .collect();
        for (name, value) in sent.iter() {
            let inner = super::walk::member_path(path, name);
            if let Some(there) = received.get(name) {
                self.value(value, there, property(name), &at.key(name), &inner);
                continue;
            }
            if let Some(i) = renamed(name, value, &new) {
                let (other, there) = new.remove(i);
                let message = format!("argument `{inner}` was renamed to `{}`", visible(other));
                let values = (Some(value), Some(there));
                self.tell(LossKind::CallRenamed, &at.key(name), message, values);
            } else {
                let message = format!("argument `{inner}` was dropped");
                let values = (Some(value), None);
                self.tell(LossKind::CallDropped, &at.key(name), message, values);
            }
        }
        for (name, value) in new {
            let inner = super::walk::member_path(path, name);
            let default = property(name).and_then(|schema| schema.get("default"));
            let declared = match default {
                Some(default) if canonical(default) == canonical(value) => "its declared default, ",
                _ => "",
            };
            let message = format!(
                "argument `{inner}` was filled in with {declared}{}",
                quoted(value)
            );
            self.tell(
                LossKind::CallFilledIn,
                &at.key(name),
                message,
                (None, Some(value)),
            );
        }
    }

    fn array(
        &mut self,
        sent: &[Value],
        received: &[Value],
        schema: Option<&Value>,
        at: &Pointer,
        path: &str,
    ) {
        let items = schema.and_then(|schema| schema.get("items"));
        for i in 0..sent.len().max(received.len()) {
            let inner = format!("{path}[{i}]");
            let at = at.index(i);
            match (sent.get(i), received.get(i)) {
                (Some(a), Some(b)) => self.value(a, b, items, &at, &inner),
                (Some(a), None) => {
                    let message = format!("argument `{inner}` was dropped");
                    self.tell(LossKind::CallDropped, &at, message, (Some(a), None));
                }
                (None, Some(b)) => {
                    let message = format!("argument `{inner}` was filled in with {}", quoted(b));
                    self.tell(LossKind::CallFilledIn, &at, message, (None, Some(b)));
                }
                (None, None) => {}
            }
        }
    }
}

/// The new name that an argument has: the same word in another spelling, or else the only one with
/// the very same value, if that says anything.
fn renamed(name: &str, value: &Value, new: &[(&str, &Value)]) -> Option<usize> {
    let plain = |name: &str| {
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect::<String>()
    };
    let respelled = new
        .iter()
        .position(|(other, _)| plain(other) == plain(name) && !plain(name).is_empty());
    if respelled.is_some() {
        return respelled;
    }
    let telling = !matches!(value, Value::Null | Value::Bool(_));
    let same: Vec<usize> = (0..new.len())
        .filter(|&i| telling && canonical(new[i].1) == canonical(value))
        .collect();
    match same.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        parse(text.as_bytes(), &Limits::default()).unwrap().value
    }

    fn told(sent: &str, received: &str) -> Vec<(LossKind, String)> {
        let schema = read(r#"{"properties":{"limit":{"default":10}}}"#);
        compare_call("tool:t", &read(sent), &read(received), Some(&schema))
            .into_iter()
            .map(|loss| (loss.kind, loss.pointer.to_string()))
            .collect()
    }

    #[test]
    fn every_form_of_a_call_is_read() {
        for text in [
            r#"{"id":"1","type":"function","function":{"name":"t","arguments":"{\"a\":1}"}}"#,
            r#"{"choices":[{"message":{"tool_calls":[{"function":{"name":"t","arguments":"{\"a\":1}"}}]}}]}"#,
            r#"{"output":[{"type":"function_call","name":"t","arguments":"{\"a\":1}"}]}"#,
            r#"{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"t","input":{"a":1}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":{"a":1}}}]}}]}"#,
            r#"{"output":{"message":{"content":[{"toolUse":{"toolUseId":"1","name":"t","input":{"a":1}}}]}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"params":{"name":"t","arguments":{"a":1}}}"#,
            r#"{"name":"t","arguments":{"a":1}}"#,
        ] {
            let call = read_call(Path::new("call.json"), text.as_bytes()).unwrap();
            assert_eq!(call.name, "t", "{text}");
            assert_eq!(canonical(&call.arguments), r#"{"a":1}"#, "{text}");
        }
    }

    #[test]
    fn no_call_or_two_calls_are_an_error() {
        let two = r#"[{"name":"a","input":{}},{"name":"b","input":{}}]"#;
        for text in ["{}", two, r#"{"function":{"name":"t","arguments":"{"}}"#] {
            assert!(
                read_call(Path::new("call.json"), text.as_bytes()).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn each_thing_that_happens_to_an_argument_has_its_name_and_place() {
        use LossKind::{CallChanged, CallCoerced, CallDropped, CallFilledIn, CallRenamed};
        for (sent, received, kind, place) in [
            (
                r#"{"ms":"50"}"#,
                r#"{"ms":50}"#,
                CallCoerced,
                "/arguments/ms",
            ),
            (r#"{"ms":0.5}"#, r#"{"ms":0}"#, CallChanged, "/arguments/ms"),
            (
                r#"{"a":{"b":[1,2]}}"#,
                r#"{"a":{"b":[1]}}"#,
                CallDropped,
                "/arguments/a/b/1",
            ),
            (
                r#"{"q":"x"}"#,
                r#"{"query":"x"}"#,
                CallRenamed,
                "/arguments/q",
            ),
            (
                r#"{"file_path":1}"#,
                r#"{"filePath":2}"#,
                CallRenamed,
                "/arguments/file_path",
            ),
            ("{}", r#"{"limit":10}"#, CallFilledIn, "/arguments/limit"),
            (
                r#"{"n":9007199254740993}"#,
                r#"{"n":9007199254740992}"#,
                CallChanged,
                "/arguments/n",
            ),
        ] {
            assert_eq!(told(sent, received), [(kind, place.to_owned())], "{sent}");
        }
    }

    #[test]
    fn the_spelling_of_a_number_and_the_order_of_keys_are_no_change() {
        assert_eq!(told(r#"{"a":3.0,"b":1e2}"#, r#"{"b":100,"a":3}"#), []);
    }
}
