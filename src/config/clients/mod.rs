//! Every client's config: the table of clients, and the reader of each family of formats.
//!
//! Reads no file: gets the parsed [`Node`] and its path. What a reader makes of it is a
//! [`RawServer`] per entry; one bad entry never hides the others.

mod codex;
mod entry;
mod mcp_servers;
mod opencode;
mod registry;
mod table;

use std::path::Path;

use super::assemble::RawServer;
use super::document::{Data, Node};
use crate::error::{Error, Result};

pub(super) use entry::Entry as EntryReader;
pub(super) use table::{Family, Format, format};

/// A program that reads a config of MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Client {
    /// Claude Code, and whoever else reads `.mcp.json`.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Visual Studio Code.
    VsCode,
    /// GitHub Copilot CLI.
    Copilot,
    /// Cursor.
    Cursor,
    /// Windsurf.
    Windsurf,
    /// Zed.
    Zed,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    OpenCode,
    /// Junie, of `JetBrains`.
    Junie,
    /// AI Assistant of `JetBrains`, whose settings page holds JSON.
    AiAssistant,
    /// Air, of `JetBrains`.
    Air,
    /// The MCP registry's `server.json`.
    Registry,
}

impl Client {
    /// All clients, in the order in which their files are looked at.
    pub const ALL: [Client; 14] = [
        Client::ClaudeCode,
        Client::VsCode,
        Client::Copilot,
        Client::Cursor,
        Client::Zed,
        Client::Codex,
        Client::Gemini,
        Client::OpenCode,
        Client::Junie,
        Client::Air,
        Client::ClaudeDesktop,
        Client::Windsurf,
        Client::AiAssistant,
        Client::Registry,
    ];

    /// The word for `--client`.
    pub fn word(self) -> &'static str {
        format(self).word
    }

    /// The client that [`Client::word`] names.
    pub fn from_word(word: &str) -> Option<Client> {
        Client::ALL.into_iter().find(|client| client.word() == word)
    }

    /// Whether it keeps a config of the user's in a known place.
    pub fn has_user_file(self) -> bool {
        !format(self).user.is_empty()
    }

    /// Its name, for people.
    pub fn title(self) -> &'static str {
        format(self).title
    }

    /// How it writes the variable `name`; none where it has no variables.
    pub fn variable(self, name: &str) -> Option<String> {
        format(self).dialect.example(name)
    }
}

/// What a reader made of one file.
#[derive(Default)]
pub(super) struct Found {
    /// The servers.
    pub(super) servers: Vec<RawServer>,
    /// What is wrong with single entries.
    pub(super) errors: Vec<Error>,
    /// Remarks about the file.
    pub(super) notes: Vec<String>,
}

impl Found {
    fn add(&mut self, server: Result<RawServer>, name: &str) {
        match server {
            Ok(server) => self.servers.push(server),
            Err(error) => self.errors.push(error.for_server(name)),
        }
    }
}

/// Reads the servers of `root`, which stands in `file`. `workspace` is the absolute project folder,
/// by which a client may have keyed its settings.
pub(super) fn read(format: &Format, root: &Node, file: &Path, workspace: &Path) -> Result<Found> {
    match format.family {
        Family::Servers(keys) => mcp_servers::read(format, keys, root, file, workspace),
        Family::Codex => codex::read(format, root, file),
        Family::OpenCode => opencode::read(format, root, file),
        Family::Registry => registry::read(format, root, file),
    }
}

/// Which client's file this is, by its path and, failing that, by what it holds.
pub(super) fn recognise(file: &Path, root: Option<&Node>) -> Option<Client> {
    let path = file.to_string_lossy().replace('\\', "/");
    let by_path = |end: &&str| path == *end || path.ends_with(&format!("/{end}"));
    for client in Client::ALL {
        let format = format(client);
        if format.project.iter().any(&by_path)
            || format.user.iter().any(|user| by_path(&user.end()))
        {
            return Some(client);
        }
    }
    if path.ends_with("server.json") && root.is_none_or(|root| root.member("mcpServers").is_none())
    {
        return Some(Client::Registry);
    }
    let has = |name: &str| {
        root.and_then(|root| root.member(name))
            .is_some_and(|member| matches!(member.node.data, Data::Table(_)))
    };
    [
        ("mcpServers", Client::ClaudeCode),
        ("servers", Client::VsCode),
        ("context_servers", Client::Zed),
        ("mcp_servers", Client::Codex),
        ("mcp", Client::OpenCode),
    ]
    .into_iter()
    .find(|(key, _)| has(key))
    .map(|(_, client)| client)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::document::{Syntax, parse};

    /// JSON made of the words that readers look for, with values of every type.
    fn document() -> impl Strategy<Value = String> {
        let names = prop::sample::select(vec![
            "mcpServers",
            "servers",
            "context_servers",
            "mcp_servers",
            "mcp",
            "projects",
            "inputs",
            "command",
            "args",
            "env",
            "url",
            "httpUrl",
            "serverUrl",
            "headers",
            "type",
            "cwd",
            "env_vars",
            "environment",
            "enabled",
            "disabled",
            "tools",
            "excludeTools",
            "allowed",
            "packages",
            "remotes",
            "registryType",
            "identifier",
            "name",
            "variables",
            "value",
            "a",
        ]);
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            Just("3".to_owned()),
            prop::sample::select(vec![
                "", "stdio", "npm", "oci", "${A}", "${", "{x}", "$A", "{env:A}", "h: v"
            ])
            .prop_map(|text| format!("\"{text}\"")),
        ];
        leaf.prop_recursive(5, 64, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::btree_map(names.clone(), inner, 0..5).prop_map(|members| {
                    let members: Vec<String> = members
                        .iter()
                        .map(|(name, value)| format!("\"{name}\":{value}"))
                        .collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_document_makes_a_reader_panic_and_every_error_has_its_place(text in document()) {
            let file = Path::new("c.json");
            let Ok(root) = parse(&text, Syntax::JsonWithComments, file) else {
                return Err(TestCaseError::fail("the document is JSON"));
            };
            for client in Client::ALL {
                let errors = match read(format(client), &root, file, Path::new("/p")) {
                    Ok(found) => found.errors,
                    Err(error) => vec![error],
                };
                for error in errors {
                    prop_assert!(error.place().line.is_some(), "{}", error);
                }
            }
        }
    }

    #[test]
    fn every_client_has_a_word_of_its_own_and_is_found_by_it() {
        for client in Client::ALL {
            assert_eq!(Client::from_word(client.word()), Some(client));
            assert_eq!(format(client).client, client);
        }
        assert_eq!(Client::from_word("notepad"), None);
    }

    #[test]
    fn a_file_is_recognised_by_its_path() {
        for (path, client) in [
            ("/p/.mcp.json", Client::ClaudeCode),
            ("/p/.vscode/mcp.json", Client::VsCode),
            ("/h/.cursor/mcp.json", Client::Cursor),
            ("/h/.junie/mcp/mcp.json", Client::Junie),
            (
                "C:\\u\\Claude\\claude_desktop_config.json",
                Client::ClaudeDesktop,
            ),
            ("/h/.codex/config.toml", Client::Codex),
            ("/h/.codeium/windsurf/mcp_config.json", Client::Windsurf),
            ("opencode.jsonc", Client::OpenCode),
            ("/h/.claude.json", Client::ClaudeCode),
            ("server.json", Client::Registry),
        ] {
            assert_eq!(recognise(Path::new(path), None), Some(client), "{path}");
        }
        assert_eq!(recognise(Path::new("/p/notes.json"), None), None);
    }
}
