//! opencode: `mcp.servers` with `disabled` (its second form), `mcp` with `enabled` (its first).

use std::path::Path;

use super::entry::{Entry, settle, transport, unread};
use super::{Format, Found};
use crate::config::assemble::RawServer;
use crate::config::document::{Data, Member, Node};
use crate::config::fields::{Fields, error_at};
use crate::error::Result;
use crate::text::visible;

/// Keys that are read.
const READ: [&str; 9] = [
    "type",
    "command",
    "environment",
    "cwd",
    "url",
    "headers",
    "enabled",
    "disabled",
    "env",
];

/// Reads `opencode.json`.
pub(super) fn read(format: &Format, root: &Node, file: &Path) -> Result<Found> {
    let mut found = Found::default();
    let entry = Entry::new(file, format.dialect);
    let mut fields = Fields::of(root, file, "the file")?;
    let Some(mcp) = fields.get("mcp") else {
        found.notes.push("no `mcp` in it".to_owned());
        return Ok(found);
    };
    let Data::Table(first_form) = &mcp.data else {
        return Err(error_at(file, mcp.spot, "`mcp` must be a table"));
    };
    // In the first form a server could be called `servers`; then it has a `type`.
    let second_form = mcp
        .member("servers")
        .filter(|servers| {
            servers
                .node
                .member("type")
                .is_none_or(|kind| matches!(kind.node.data, Data::Table(_)))
        })
        .map(|servers| &servers.node);
    let members = match second_form {
        Some(Node {
            data: Data::Table(members),
            ..
        }) => members,
        Some(node) => {
            return Err(error_at(
                file,
                node.spot,
                "`mcp.servers` must be a table of servers",
            ));
        }
        None => first_form,
    };
    for member in members {
        // In the first form, settings of all servers stand beside them.
        if second_form.is_none() && !matches!(member.node.data, Data::Table(_)) {
            continue;
        }
        let says_something = ["type", "command", "url"]
            .iter()
            .any(|key| member.node.member(key).is_some());
        if !says_something {
            found.notes.push(format!(
                "line {}: `{}` only switches a server of another file on or off",
                member.spot.line,
                visible(&member.name)
            ));
            continue;
        }
        found.add(server(&entry, member), &member.name);
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
    let asked = fields
        .text("type")?
        .map(|told| transport(told, file))
        .transpose()?;
    raw.command = match fields.texts("command")? {
        Some(words) => Some(entry.words(Some(words))?),
        None => None,
    };
    raw.env = entry.named(fields.text_table("environment", false)?)?;
    raw.cwd = entry.maybe(fields.text("cwd")?)?;
    raw.url = entry.maybe(fields.text("url")?)?;
    raw.headers = entry.named(fields.text_table("headers", false)?)?;
    raw.disabled =
        fields.flag("disabled")?.unwrap_or(false) || !fields.flag("enabled")?.unwrap_or(true);
    settle(&mut raw, asked, file)?;
    fields.know(&["timeout", "oauth"]);
    unread(&fields, &READ, &mut raw.notes);
    Ok(raw)
}
