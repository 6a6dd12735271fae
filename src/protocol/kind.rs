//! The four kinds of item that a server lists.

use std::fmt;

/// A kind of item. The order is that of the lockfile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A tool, keyed by `name`.
    Tool,
    /// A prompt, keyed by `name`.
    Prompt,
    /// A resource, keyed by `uri`.
    Resource,
    /// A resource template, keyed by `uriTemplate`.
    ResourceTemplate,
}

impl Kind {
    /// All kinds, in order.
    pub const ALL: [Kind; 4] = [
        Kind::Tool,
        Kind::Prompt,
        Kind::Resource,
        Kind::ResourceTemplate,
    ];

    /// The list method.
    pub fn method(self) -> &'static str {
        match self {
            Kind::Tool => "tools/list",
            Kind::Prompt => "prompts/list",
            Kind::Resource => "resources/list",
            Kind::ResourceTemplate => "resources/templates/list",
        }
    }

    /// The member of a list result that holds the items.
    pub fn list_member(self) -> &'static str {
        match self {
            Kind::Tool => "tools",
            Kind::Prompt => "prompts",
            Kind::Resource => "resources",
            Kind::ResourceTemplate => "resourceTemplates",
        }
    }

    /// The member of an item that identifies it.
    pub fn key_member(self) -> &'static str {
        match self {
            Kind::Tool | Kind::Prompt => "name",
            Kind::Resource => "uri",
            Kind::ResourceTemplate => "uriTemplate",
        }
    }

    /// The server capability that announces the list.
    pub fn capability(self) -> &'static str {
        match self {
            Kind::Tool => "tools",
            Kind::Prompt => "prompts",
            Kind::Resource | Kind::ResourceTemplate => "resources",
        }
    }

    /// The word for one item: in the lockfile, in `KIND:NAME` and in reports.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Tool => "tool",
            Kind::Prompt => "prompt",
            Kind::Resource => "resource",
            Kind::ResourceTemplate => "resource_template",
        }
    }

    /// The kind that [`Kind::word`] names.
    pub fn from_word(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
