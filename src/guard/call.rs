//! What an agent calls.
//!
//! Pure data.

use crate::catalog::Kind;
use crate::text::visible;

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// A tool is called.
    Tool,
    /// A prompt is asked for.
    Prompt,
    /// A resource is read, by its URI.
    Resource,
}

/// One call, as the agent sent it.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// What is called.
    pub kind: CallKind,
    /// The name, or the URI.
    pub key: &'a str,
    /// The JSON of `arguments`; none when there are none.
    pub arguments: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// A call of a tool.
    pub fn tool(name: &'a str, arguments: Option<&'a str>) -> Self {
        Call {
            kind: CallKind::Tool,
            key: name,
            arguments,
        }
    }

    /// A prompt.
    pub fn prompt(name: &'a str, arguments: Option<&'a str>) -> Self {
        Call {
            kind: CallKind::Prompt,
            key: name,
            arguments,
        }
    }

    /// A resource that is read.
    pub fn resource(uri: &'a str) -> Self {
        Call {
            kind: CallKind::Resource,
            key: uri,
            arguments: None,
        }
    }
}

/// `tool:NAME` and the like, for what is called.
pub(super) fn label(kind: CallKind, key: &str) -> String {
    let kind = match kind {
        CallKind::Tool => Kind::Tool,
        CallKind::Prompt => Kind::Prompt,
        CallKind::Resource => Kind::Resource,
    };
    format!("{}:{}", kind.word(), visible(key))
}
