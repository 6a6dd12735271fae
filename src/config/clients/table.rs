//! The table: which files each client reads, in which syntax, with which variables and keys.

use std::path::PathBuf;

use super::Client;
use crate::config::dialect::Dialect;
use crate::config::document::Syntax;
use crate::config::env::{Environment, Platform};
use crate::config::spec::HttpKind;

/// One client's format.
pub(in crate::config) struct Format {
    /// The client.
    pub(in crate::config) client: Client,
    /// Its word for `--client`.
    pub(in crate::config) word: &'static str,
    /// Its name for people.
    pub(in crate::config) title: &'static str,
    /// Files in a project, relative to its folder.
    pub(in crate::config) project: &'static [&'static str],
    /// Files of a user.
    pub(in crate::config) user: &'static [UserFile],
    /// Their syntax.
    pub(in crate::config) syntax: Syntax,
    /// Its variables.
    pub(in crate::config) dialect: Dialect,
    /// How servers are laid out.
    pub(in crate::config) family: Family,
}

/// How a file lays its servers out.
#[derive(Clone, Copy)]
pub(in crate::config) enum Family {
    /// A table of servers by name.
    Servers(&'static Keys),
    /// Codex's TOML.
    Codex,
    /// opencode, both forms.
    OpenCode,
    /// The registry's `server.json`.
    Registry,
}

/// The keys of a client that keeps a table of servers by name.
pub(in crate::config) struct Keys {
    /// The key of that table.
    pub(in crate::config) root: &'static str,
    /// The keys that hold an address, and the transport that they stand for where no `type` is given.
    pub(in crate::config) urls: &'static [(&'static str, HttpKind)],
    /// The keys of an entry, beyond those that every client reads, that this one reads.
    pub(in crate::config) reads: &'static [&'static str],
    /// The keys that it knows but that say nothing about what a server is.
    pub(in crate::config) ignores: &'static [&'static str],
}

/// A user's file: below a folder that a variable names, or else below the home folder.
pub(in crate::config) struct UserFile {
    /// The variable that names the folder, if the client has one.
    variable: Option<&'static str>,
    /// The path below the home folder on Linux, macOS and Windows; the file alone below the
    /// variable's folder.
    paths: [&'static str; 3],
}

impl UserFile {
    const fn home(path: &'static str) -> Self {
        UserFile {
            variable: None,
            paths: [path, path, path],
        }
    }

    const fn each(linux: &'static str, mac: &'static str, windows: &'static str) -> Self {
        UserFile {
            variable: None,
            paths: [linux, mac, windows],
        }
    }

    const fn below(variable: &'static str, path: &'static str) -> Self {
        UserFile {
            variable: Some(variable),
            paths: [path, path, path],
        }
    }

    /// Where the file is for the user of `environment`.
    pub(in crate::config) fn path(&self, environment: &Environment) -> Option<PathBuf> {
        let path = match environment.platform() {
            Platform::Unix => self.paths[0],
            Platform::MacOs => self.paths[1],
            Platform::Windows => self.paths[2],
        };
        if let Some(folder) = self.variable.and_then(|name| environment.get(name)) {
            let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
            return Some(PathBuf::from(folder).join(file));
        }
        if let (None, Some(folder), Some(rest)) = (
            self.variable,
            environment.get("APPDATA"),
            path.strip_prefix("AppData/Roaming/"),
        ) {
            return Some(PathBuf::from(folder).join(rest));
        }
        Some(environment.home()?.join(path))
    }

    /// The last two parts of the path: enough to know the file by.
    pub(in crate::config) fn end(&self) -> &'static str {
        let path = self.paths[0];
        match path.rmatch_indices('/').nth(1) {
            Some((at, _)) => &path[at + 1..],
            None => path,
        }
    }
}

const URL: &[(&str, HttpKind)] = &[("url", HttpKind::Streamable)];

const CLAUDE: Keys = Keys {
    root: "mcpServers",
    urls: URL,
    reads: &["headersHelper"],
    ignores: &["oauth", "timeout", "alwaysLoad", "description"],
};

const DESKTOP: Keys = Keys {
    root: "mcpServers",
    urls: &[],
    reads: &[],
    ignores: &["description", "disabled", "autoApprove", "alwaysAllow"],
};

const VS_CODE: Keys = Keys {
    root: "servers",
    urls: URL,
    reads: &["envFile", "cwd", "loose-env"],
    ignores: &[
        "gallery",
        "version",
        "dev",
        "sandbox",
        "sandboxEnabled",
        "oauth",
        "description",
    ],
};

const COPILOT: Keys = Keys {
    root: "mcpServers",
    urls: URL,
    reads: &["tools", "cwd"],
    ignores: &[
        "timeout",
        "description",
        "oauthClientId",
        "oauthPublicClient",
    ],
};

const CURSOR: Keys = Keys {
    root: "mcpServers",
    urls: URL,
    reads: &["envFile"],
    ignores: &["auth", "description", "autoApprove"],
};

const WINDSURF: Keys = Keys {
    root: "mcpServers",
    urls: &[
        ("serverUrl", HttpKind::Streamable),
        ("url", HttpKind::Streamable),
    ],
    reads: &["disabled", "disabledTools"],
    ignores: &["alwaysAllow", "description"],
};

const ZED: Keys = Keys {
    root: "context_servers",
    urls: URL,
    reads: &["enabled", "command-table", "extension"],
    ignores: &["source", "timeout", "remote", "oauth"],
};

const GEMINI: Keys = Keys {
    root: "mcpServers",
    // An address in `url` alone means the old transport there.
    urls: &[("httpUrl", HttpKind::Streamable), ("url", HttpKind::Sse)],
    reads: &["cwd", "includeTools", "excludeTools"],
    ignores: &[
        "timeout",
        "trust",
        "description",
        "oauth",
        "authProviderType",
        "targetAudience",
        "targetServiceAccount",
        "extensionName",
    ],
};

const JUNIE: Keys = Keys {
    root: "mcpServers",
    urls: URL,
    reads: &["enabled", "disabled"],
    ignores: &["description"],
};

const AIR: Keys = Keys {
    root: "mcpServers",
    urls: URL,
    reads: &["disabled"],
    ignores: &["description"],
};

static FORMATS: [Format; 14] = [
    Format {
        client: Client::ClaudeCode,
        word: "claude-code",
        title: "Claude Code",
        project: &[".mcp.json"],
        user: &[UserFile::home(".claude.json")],
        syntax: Syntax::Json,
        dialect: Dialect::Claude,
        family: Family::Servers(&CLAUDE),
    },
    Format {
        client: Client::ClaudeDesktop,
        word: "claude-desktop",
        title: "Claude Desktop",
        project: &[],
        user: &[UserFile::each(
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        )],
        syntax: Syntax::Json,
        dialect: Dialect::Plain,
        family: Family::Servers(&DESKTOP),
    },
    Format {
        client: Client::VsCode,
        word: "vscode",
        title: "VS Code",
        project: &[".vscode/mcp.json"],
        user: &[UserFile::each(
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        )],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::VsCode,
        family: Family::Servers(&VS_CODE),
    },
    Format {
        client: Client::Copilot,
        word: "copilot",
        title: "Copilot CLI",
        project: &[".github/mcp.json"],
        user: &[UserFile::below("COPILOT_HOME", ".copilot/mcp-config.json")],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Dollar,
        family: Family::Servers(&COPILOT),
    },
    Format {
        client: Client::Cursor,
        word: "cursor",
        title: "Cursor",
        project: &[".cursor/mcp.json"],
        user: &[UserFile::home(".cursor/mcp.json")],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Cursor,
        family: Family::Servers(&CURSOR),
    },
    Format {
        client: Client::Windsurf,
        word: "windsurf",
        title: "Windsurf",
        project: &[],
        user: &[
            UserFile::home(".codeium/windsurf/mcp_config.json"),
            UserFile::home(".codeium/mcp_config.json"),
        ],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Windsurf,
        family: Family::Servers(&WINDSURF),
    },
    Format {
        client: Client::Zed,
        word: "zed",
        title: "Zed",
        project: &[".zed/settings.json"],
        user: &[UserFile::each(
            ".config/zed/settings.json",
            ".config/zed/settings.json",
            "AppData/Roaming/Zed/settings.json",
        )],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Plain,
        family: Family::Servers(&ZED),
    },
    Format {
        client: Client::Codex,
        word: "codex",
        title: "Codex",
        project: &[".codex/config.toml"],
        user: &[UserFile::below("CODEX_HOME", ".codex/config.toml")],
        syntax: Syntax::Toml,
        dialect: Dialect::Plain,
        family: Family::Codex,
    },
    Format {
        client: Client::Gemini,
        word: "gemini",
        title: "Gemini CLI",
        project: &[".gemini/settings.json"],
        user: &[UserFile::home(".gemini/settings.json")],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Dollar,
        family: Family::Servers(&GEMINI),
    },
    Format {
        client: Client::OpenCode,
        word: "opencode",
        title: "opencode",
        project: &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
        ],
        user: &[
            UserFile::home(".config/opencode/opencode.json"),
            UserFile::home(".config/opencode/opencode.jsonc"),
        ],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Curly,
        family: Family::OpenCode,
    },
    Format {
        client: Client::Junie,
        word: "junie",
        title: "Junie",
        project: &[".junie/mcp/mcp.json"],
        user: &[UserFile::home(".junie/mcp/mcp.json")],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Plain,
        family: Family::Servers(&JUNIE),
    },
    Format {
        client: Client::AiAssistant,
        word: "ai-assistant",
        title: "JetBrains AI Assistant",
        project: &[],
        user: &[],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Plain,
        family: Family::Servers(&AIR),
    },
    Format {
        client: Client::Air,
        word: "air",
        title: "JetBrains Air",
        project: &[".air/mcp.json"],
        user: &[],
        syntax: Syntax::JsonWithComments,
        dialect: Dialect::Plain,
        family: Family::Servers(&AIR),
    },
    Format {
        client: Client::Registry,
        word: "registry",
        title: "the MCP registry",
        project: &[],
        user: &[],
        syntax: Syntax::Json,
        dialect: Dialect::Plain,
        family: Family::Registry,
    },
];

/// The format of `client`.
pub(in crate::config) fn format(client: Client) -> &'static Format {
    // The table holds every client once, which a test keeps.
    FORMATS
        .iter()
        .find(|format| format.client == client)
        .unwrap_or(&FORMATS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_files_are_found_below_the_home_folder_or_where_a_variable_says() {
        let at = |client, variables: &[(&str, &str)], platform| {
            let environment = Environment::new(variables.iter().copied(), platform);
            format(client).user[0].path(&environment).unwrap()
        };
        let home = [("HOME", "/home/a")];
        assert_eq!(
            at(Client::Codex, &home, Platform::Unix),
            PathBuf::from("/home/a/.codex/config.toml")
        );
        assert_eq!(
            at(Client::Codex, &[("CODEX_HOME", "/c")], Platform::Unix),
            PathBuf::from("/c/config.toml")
        );
        assert_eq!(
            at(Client::ClaudeDesktop, &home, Platform::MacOs),
            PathBuf::from("/home/a/Library/Application Support/Claude/claude_desktop_config.json")
        );
        assert_eq!(
            at(
                Client::ClaudeDesktop,
                &[("APPDATA", "R")],
                Platform::Windows
            ),
            PathBuf::from("R/Claude/claude_desktop_config.json")
        );
    }
}
