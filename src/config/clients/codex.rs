//! Codex: `[mcp_servers.NAME]` in TOML, variables by name only.

use std::path::Path;

use super::entry::{Entry, settle, unread};
use super::{Format, Found};
use crate::config::assemble::RawServer;
use crate::config::document::{Data, Member, Node};
use crate::config::fields::{Fields, Told, error_at};
use crate::config::spec::{ToolFilter, Word};
use crate::config::template::{Piece, Template};
use crate::error::Result;
use crate::text::visible;

/// Keys that say nothing about what a server is.
const IGNORED: [&str; 13] = [
    "startup_timeout_sec",
    "startup_timeout_ms",
    "tool_timeout_sec",
    "required",
    "scopes",
    "oauth_resource",
    "oauth",
    "tools",
    "default_tools_approval_mode",
    "experimental_environment",
    "name",
    "description",
    "supports_parallel_tool_calls",
];

/// Keys that are read.
const READ: [&str; 13] = [
    "command",
    "args",
    "env",
    "env_vars",
    "cwd",
    "url",
    "bearer_token_env_var",
    "http_headers",
    "env_http_headers",
    "enabled",
    "enabled_tools",
    "disabled_tools",
    "bearer_token",
];

/// Reads `config.toml`.
pub(super) fn read(format: &Format, root: &Node, file: &Path) -> Result<Found> {
    let mut found = Found::default();
    let mut fields = Fields::of(root, file, "the file")?;
    let entry = Entry::new(file, format.dialect);
    match fields.get("mcp_servers") {
        None => found.notes.push("no `mcp_servers` in it".to_owned()),
        Some(Node {
            data: Data::Table(members),
            ..
        }) => {
            for member in members {
                found.add(server(&entry, member), &member.name);
            }
        }
        Some(node) => {
            return Err(error_at(
                file,
                node.spot,
                "`mcp_servers` must be a table of servers",
            ));
        }
    }
    Ok(found)
}

fn server(entry: &Entry<'_>, member: &Member) -> Result<RawServer> {
    let file = entry.file;
    let mut fields = Fields::of(
        &member.node,
        file,
        format!("server `{}`", visible(&member.name)),
    )?;
    let mut raw = RawServer {
        name: member.name.clone(),
        spot: Some(member.spot),
        ..RawServer::default()
    };
    let program = fields.text("command")?;
    let args = fields.texts("args")?;
    if let Some(program) = program {
        let mut words = vec![entry.told(program)?];
        words.extend(entry.words(args)?);
        raw.command = Some(words);
    }
    raw.env = entry.named(fields.text_table("env", false)?)?;
    passed_on(entry, &mut fields, &mut raw)?;
    raw.cwd = entry.maybe(fields.text("cwd")?)?;
    raw.url = entry.maybe(fields.text("url")?)?;
    if let Some(told) = fields.text("bearer_token")? {
        return Err(
            error_at(file, told.spot, "Codex takes no `bearer_token` in the file")
                .help("name the variable that holds it in `bearer_token_env_var`"),
        );
    }
    raw.headers = entry.named(fields.text_table("http_headers", false)?)?;
    for (header, variable, spot) in fields
        .text_table("env_http_headers", false)?
        .unwrap_or_default()
    {
        raw.headers
            .push((header.to_owned(), entry.variable(&variable, spot)?));
    }
    if let Some(told) = fields.text("bearer_token_env_var")? {
        entry.variable(told.text, told.spot)?;
        let mut template = Template::literal("Bearer ");
        template.push(Piece::Variable {
            name: told.text.to_owned(),
            default: None,
        });
        let word = Word {
            template,
            line: Some(told.spot.line),
        };
        raw.headers.push(("authorization".to_owned(), word));
    }
    raw.disabled = !fields.flag("enabled")?.unwrap_or(true);
    let names = |list: Option<Vec<Told<'_>>>| -> Option<Vec<String>> {
        list.map(|list| list.into_iter().map(|told| told.text.to_owned()).collect())
    };
    raw.tools = ToolFilter {
        only: names(fields.texts("enabled_tools")?),
        without: names(fields.texts("disabled_tools")?).unwrap_or_default(),
    };
    settle(&mut raw, None, file)?;
    if raw.url.is_none() {
        raw.headers.clear();
    }
    fields.know(&IGNORED);
    unread(&fields, &READ, &mut raw.notes);
    Ok(raw)
}

/// `env_vars`: names, or tables with a `name` and where it comes from.
fn passed_on(entry: &Entry<'_>, fields: &mut Fields<'_>, raw: &mut RawServer) -> Result<()> {
    for node in fields.tables("env_vars")? {
        let (name, spot) = if let Data::Text(name) = &node.data {
            (name.as_str(), node.spot)
        } else {
            let mut table = Fields::of(node, entry.file, "an element of `env_vars`")?;
            let Some(name) = table.text("name")? else {
                return Err(error_at(
                    entry.file,
                    node.spot,
                    "an element of `env_vars` without a `name`",
                ));
            };
            (name.text, name.spot)
        };
        raw.env.push((name.to_owned(), entry.variable(name, spot)?));
    }
    Ok(())
}
