//! The family that keeps a table of servers by name (`mcpServers`, `servers`, `context_servers`).

use std::path::Path;

use super::entry::{Entry, settle, transport, unread};
use super::table::Keys;
use super::{Client, Format, Found};
use crate::config::assemble::RawServer;
use crate::config::dialect::{INPUT_PREFIX, input_variable};
use crate::config::document::{Data, Member, Node};
use crate::config::fields::{Fields, Told, error_at};
use crate::config::spec::ToolFilter;
use crate::error::Result;
use crate::text::visible;

/// Keys of an entry that every client of the family reads.
const COMMON: [&str; 6] = ["type", "command", "args", "env", "url", "headers"];

/// Reads one file of the family.
pub(super) fn read(
    format: &Format,
    keys: &'static Keys,
    root: &Node,
    file: &Path,
    workspace: &Path,
) -> Result<Found> {
    let mut found = Found::default();
    let mut fields = Fields::of(root, file, "the file")?;
    let entry = Entry::new(file, format.dialect);
    let table = fields.get(keys.root);
    // Claude Code keeps a project's own servers in the user's file, under the project's path; they
    // come before those of the user.
    let local = fields
        .get("projects")
        .filter(|_| file.file_name().is_some_and(|name| name == ".claude.json"))
        .and_then(|projects| projects.member(&workspace.display().to_string()))
        .and_then(|project| project.node.member(keys.root))
        .map(|member| &member.node);
    if table.is_none() && local.is_none() {
        found.notes.push(format!("no `{}` in it", keys.root));
    }
    let mut seen: Vec<&str> = Vec::new();
    for table in local.into_iter().chain(table) {
        let Data::Table(members) = &table.data else {
            return Err(error_at(
                file,
                table.spot,
                format!(
                    "`{}` must be a table of servers, not {}",
                    keys.root,
                    table.type_name()
                ),
            ));
        };
        for member in members {
            if seen.contains(&member.name.as_str()) {
                found.notes.push(format!(
                    "line {}: `{}` is shadowed by the project's own entry",
                    member.spot.line,
                    visible(&member.name)
                ));
                continue;
            }
            seen.push(&member.name);
            if is_of_an_extension(keys, &member.node) {
                found.notes.push(format!(
                    "line {}: `{}` comes from an extension of the editor, which alone knows its command",
                    member.spot.line,
                    visible(&member.name)
                ));
                continue;
            }
            found.add(server(&entry, keys, member), &member.name);
        }
    }
    if format.client == Client::VsCode {
        undeclared_inputs(&mut fields, file, &mut found)?;
    }
    if format.client == Client::Gemini {
        switched_off(&mut fields, file, &mut found)?;
    }
    Ok(found)
}

/// Zed: an entry that has settings for an extension's server, and no command of its own.
fn is_of_an_extension(keys: &Keys, node: &Node) -> bool {
    keys.reads.contains(&"extension")
        && node.member("command").is_none()
        && node.member("url").is_none()
        && (node.member("settings").is_some() || node.member("source").is_some())
}

fn server(entry: &Entry<'_>, keys: &'static Keys, member: &Member) -> Result<RawServer> {
    let file = entry.file;
    let mut fields = Fields::of(
        &member.node,
        file,
        format!("server `{}`", visible(&member.name)),
    )?;
    let reads = |key: &str| keys.reads.contains(&key);
    let mut raw = RawServer {
        name: member.name.clone(),
        spot: Some(member.spot),
        ..RawServer::default()
    };
    let asked = fields
        .text("type")?
        .map(|told| transport(told, file))
        .transpose()?;
    command(entry, keys, &mut fields, &mut raw)?;
    for &(key, kind) in keys.urls {
        let address = fields.text(key)?;
        if let (None, Some(told)) = (&raw.url, address) {
            raw.url = Some(entry.told(told)?);
            raw.http = kind;
        }
    }
    raw.headers = entry.named(fields.text_table("headers", false)?)?;
    if reads("headersHelper") {
        raw.headers_helper = entry.maybe(fields.text("headersHelper")?)?;
    }
    let env = entry.named(fields.text_table("env", reads("loose-env"))?)?;
    raw.env.extend(env);
    if reads("envFile") {
        raw.env_file = entry.maybe(fields.text("envFile")?)?;
    }
    if reads("cwd") {
        raw.cwd = entry.maybe(fields.text("cwd")?)?;
    }
    if reads("disabled") {
        raw.disabled |= fields.flag("disabled")?.unwrap_or(false);
    }
    if reads("enabled") {
        raw.disabled |= !fields.flag("enabled")?.unwrap_or(true);
    }
    raw.tools = tools(keys, &mut fields)?;
    if raw.url.is_none() && !raw.headers.is_empty() {
        raw.notes
            .push("`headers` mean nothing without an address".to_owned());
        raw.headers.clear();
    }
    settle(&mut raw, asked, file)?;
    fields.know(keys.ignores);
    let known: Vec<&'static str> = COMMON
        .iter()
        .chain(keys.reads)
        .copied()
        .chain(keys.urls.iter().map(|(key, _)| *key))
        .collect();
    unread(&fields, &known, &mut raw.notes);
    Ok(raw)
}

/// `command` and `args`; in old files of Zed, `command` is a table of path, arguments and variables.
fn command(
    entry: &Entry<'_>,
    keys: &Keys,
    fields: &mut Fields<'_>,
    raw: &mut RawServer,
) -> Result<()> {
    let is_table = fields
        .get("command")
        .is_some_and(|node| matches!(node.data, Data::Table(_)));
    if is_table && keys.reads.contains(&"command-table") {
        if let Some(node) = fields.get("command") {
            let mut inner = Fields::of(node, entry.file, "`command`")?;
            let program = inner.text("path")?;
            let args = inner.texts("args")?;
            if let Some(program) = program {
                let mut words = vec![entry.told(program)?];
                words.extend(entry.words(args)?);
                raw.command = Some(words);
            }
            raw.env = entry.named(inner.text_table("env", true)?)?;
        }
        return Ok(());
    }
    let program = fields.text("command")?;
    let args = fields.texts("args")?;
    if let Some(program) = program {
        let mut words = vec![entry.told(program)?];
        words.extend(entry.words(args)?);
        raw.command = Some(words);
    } else if args.is_some() {
        raw.notes
            .push("`args` mean nothing without a `command`".to_owned());
    }
    Ok(())
}

fn tools(keys: &Keys, fields: &mut Fields<'_>) -> Result<ToolFilter> {
    let list = |told: Option<Vec<Told<'_>>>| -> Option<Vec<String>> {
        told.map(|list| list.into_iter().map(|told| told.text.to_owned()).collect())
    };
    let mut filter = ToolFilter::default();
    if keys.reads.contains(&"tools") {
        filter.only =
            list(fields.texts("tools")?).filter(|only| !only.iter().any(|tool| tool == "*"));
    }
    if keys.reads.contains(&"includeTools") {
        filter.only = list(fields.texts("includeTools")?);
        filter.without = list(fields.texts("excludeTools")?).unwrap_or_default();
    }
    if keys.reads.contains(&"disabledTools") {
        filter.without = list(fields.texts("disabledTools")?).unwrap_or_default();
    }
    Ok(filter)
}

/// VS Code asks for the inputs that the file declares; it leaves any other `${input:…}` as text.
fn undeclared_inputs(fields: &mut Fields<'_>, file: &Path, found: &mut Found) -> Result<()> {
    let mut declared = Vec::new();
    for node in fields.tables("inputs")? {
        let mut input = Fields::of(node, file, "an input")?;
        declared.extend(input.text("id")?.map(|id| input_variable(id.text)));
    }
    for server in &mut found.servers {
        let mut missing: Vec<String> = server
            .words()
            .flat_map(|word| word.template.variables())
            .filter(|name| name.starts_with(INPUT_PREFIX))
            .filter(|name| !declared.iter().any(|declared| declared == name))
            .map(|name| format!("`inputs` declares no input that `{name}` would answer"))
            .collect();
        missing.dedup();
        server.notes.extend(missing);
    }
    Ok(())
}

/// Gemini CLI switches servers off by name, beside their table.
fn switched_off(fields: &mut Fields<'_>, file: &Path, found: &mut Found) -> Result<()> {
    let Some(node) = fields.get("mcp") else {
        return Ok(());
    };
    let mut mcp = Fields::of(node, file, "`mcp`")?;
    let names = |list: Option<Vec<Told<'_>>>| -> Option<Vec<String>> {
        list.map(|list| list.into_iter().map(|told| told.text.to_owned()).collect())
    };
    let allowed = names(mcp.texts("allowed")?);
    let excluded = names(mcp.texts("excluded")?).unwrap_or_default();
    for server in &mut found.servers {
        server.disabled |= excluded.contains(&server.name)
            || allowed
                .as_ref()
                .is_some_and(|allowed| !allowed.contains(&server.name));
    }
    Ok(())
}
