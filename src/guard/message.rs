//! The messages of an agent, read strictly: what can be read in two ways goes nowhere.
//!
//! Pure.

use std::ops::Range;

use crate::json;

/// Methods that the gate decides about: the only place in the program that can spell them. They
/// are recognised, never sent by us.
const TOOL: &str = "tools/call";
const PROMPT: &str = "prompts/get";
const RESOURCE: &str = "resources/read";

use super::call::CallKind;

/// One object with the places of its members.
#[derive(Debug)]
pub(super) struct Fields<'t> {
    text: &'t str,
    members: Vec<(String, Range<usize>)>,
}

impl<'t> Fields<'t> {
    /// The members of the object that is `text`, and nothing else.
    pub(super) fn of(text: &'t str) -> Result<Self, &'static str> {
        let start = text.len() - text.trim_start_matches([' ', '\t']).len();
        let members = json::members(text, start).map_err(|error| error.message)?;
        let end = members.last().map_or(start + 1, |(_, value)| value.end);
        // `members` has read up to the bracket that ends the object.
        let rest = text[end..].trim_matches([' ', '\t', '\n', '\r']);
        if rest == "}" {
            Ok(Fields { text, members })
        } else {
            Err("text after the end of the value")
        }
    }

    /// The bytes of a member.
    pub(super) fn get(&self, name: &str) -> Option<&'t str> {
        self.range(name).map(|range| &self.text[range])
    }

    /// Where a member stands in the text.
    pub(super) fn range(&self, name: &str) -> Option<Range<usize>> {
        self.members
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, range)| range.clone())
    }

    /// A member that is a string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?).ok()
    }

    /// A member that is an object.
    pub(super) fn object(&self, name: &str) -> Result<Option<Fields<'t>>, &'static str> {
        match self.get(name) {
            None | Some("null") => Ok(None),
            Some(text) => Fields::of(text).map(Some),
        }
    }

    /// The names of the members.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| name.as_str())
    }
}

/// What an agent sent.
#[derive(Debug)]
pub(super) enum Said<'t> {
    /// It wants a reply; `id` as sent.
    Request {
        id: &'t str,
        method: String,
        params: Option<Fields<'t>>,
    },
    /// It wants none.
    Notification {
        method: String,
        params: Option<Fields<'t>>,
    },
    /// It answers a request of the server.
    Response,
}

/// Reads one message.
pub(super) fn read(text: &str) -> Result<Said<'_>, &'static str> {
    let fields = Fields::of(text)?;
    let id = fields.get("id").filter(|id| *id != "null");
    if fields.get("method").is_some() {
        if fields.get("result").is_some() || fields.get("error").is_some() {
            return Err("it is a request and a reply at once");
        }
        let method = fields.text("method").ok_or("its method is no string")?;
        let params = match fields.get("params") {
            Some(list) if list.starts_with('[') => {
                // By position: no method of the protocol is called so, and none is recognised.
                if call_kind(&method).is_some() {
                    return Err("its parameters are a list");
                }
                None
            }
            _ => fields.object("params")?,
        };
        return Ok(match id {
            Some(id) => Said::Request { id, method, params },
            None if call_kind(&method).is_some() => return Err("a call has no id"),
            None => Said::Notification { method, params },
        });
    }
    if fields.get("result").is_some() || fields.get("error").is_some() {
        return Ok(Said::Response);
    }
    Err("it is neither a request nor a reply")
}

/// What a method calls, if the gate decides about it.
pub(super) fn call_kind(method: &str) -> Option<CallKind> {
    match method {
        TOOL => Some(CallKind::Tool),
        PROMPT => Some(CallKind::Prompt),
        RESOURCE => Some(CallKind::Resource),
        _ => None,
    }
}

/// The parameter that names what is called.
pub(super) fn key_parameter(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Tool | CallKind::Prompt => "name",
        CallKind::Resource => "uri",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_by_any_spelling_of_its_method() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#,
            r#" {"params":{"name":"x"},"m\u0065thod":"tools\/call","id":1} "#,
        ] {
            let Ok(Said::Request { method, params, .. }) = read(text) else {
                panic!("{text}");
            };
            assert_eq!(call_kind(&method), Some(CallKind::Tool));
            assert_eq!(params.unwrap().text("name").as_deref(), Some("x"));
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for text in [
            r#"{"id":1,"method":"ping","method":"tools/call"}"#,
            r#"{"id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"{"id":1,"method":"tools/call","params":["a"]}"#,
            r#"{"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"id":1,"method":"ping"}{"id":2,"method":"tools/call"}"#,
            r#"{"id":1,"method":"ping","result":{}}"#,
            r#"{"id":1,"method":"ping","params":{"a":NaN}}"#,
            r#"{"id":1}"#,
            "{}",
            "7",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(matches!(
            read(r#"{"method":"notifications/x"}"#),
            Ok(Said::Notification { .. })
        ));
        assert!(matches!(
            read(r#"{"id":1,"result":{}}"#),
            Ok(Said::Response)
        ));
    }
}
