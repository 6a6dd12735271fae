//! The MCP registry's `server.json`: how a published server is started or reached.
//!
//! It describes one server in several ways; the first that can be started or reached is taken.

use std::path::Path;

use super::entry::{Asked, Entry, transport};
use super::{Format, Found};
use crate::config::assemble::RawServer;
use crate::config::document::{Node, Spot};
use crate::config::fields::{Fields, Told, error_at};
use crate::config::spec::{HttpKind, Word};
use crate::config::template::{Piece, Template, is_variable_name};
use crate::error::Result;
use crate::text::visible;

/// Reads `server.json`.
pub(super) fn read(format: &Format, root: &Node, file: &Path) -> Result<Found> {
    let mut found = Found::default();
    let mut fields = Fields::of(root, file, "the file")?;
    let entry = Entry::new(file, format.dialect);
    let Some(told) = fields.text("name")? else {
        return Err(error_at(
            file,
            fields.spot(),
            "a `server.json` without a `name`",
        ));
    };
    // `io.github.user/server`: what stands before the slash is the publisher.
    let name = told
        .text
        .rsplit_once('/')
        .map_or(told.text, |(_, name)| name);
    let packages = fields.tables("packages")?.iter().map(|node| (node, true));
    let remotes = fields.tables("remotes")?.iter().map(|node| (node, false));
    for (node, is_package) in packages.chain(remotes) {
        if !found.servers.is_empty() {
            found.notes.push(format!(
                "line {}: another way to reach the same server is not read",
                node.spot.line
            ));
            continue;
        }
        let server = if is_package {
            package(&entry, node)
        } else {
            remote(&entry, node).map(Some)
        };
        match server {
            Ok(Some(server)) => found.servers.push(RawServer {
                name: name.to_owned(),
                spot: Some(node.spot),
                ..server
            }),
            Ok(None) => found.notes.push(format!(
                "line {}: a package of this kind is not started by a command",
                node.spot.line
            )),
            Err(error) => found.errors.push(error.for_server(name)),
        }
    }
    if found.servers.is_empty() && found.errors.is_empty() {
        found
            .notes
            .push("no package and no remote that could be reached".to_owned());
    }
    Ok(found)
}

fn package(entry: &Entry<'_>, node: &Node) -> Result<Option<RawServer>> {
    let file = entry.file;
    let mut fields = Fields::of(node, file, "a package")?;
    let (Some(kind), Some(identifier)) = (
        either(&mut fields, "registryType", "registry_type")?,
        fields.text("identifier")?,
    ) else {
        return Err(error_at(
            file,
            node.spot,
            "a package without `registryType` or `identifier`",
        ));
    };
    let version = fields.text("version")?.map(|told| told.text);
    if let Some(node) = fields.get("transport") {
        let mut inner = Fields::of(node, file, "`transport`")?;
        let asked = inner
            .text("type")?
            .map(|told| transport(told, file))
            .transpose()?;
        if matches!(asked, Some(Asked::Http(_))) {
            return Ok(None);
        }
    }
    let hint = either(&mut fields, "runtimeHint", "runtime_hint")?.map(|told| told.text);
    let runtime = arguments(
        entry,
        list(&mut fields, "runtimeArguments", "runtime_arguments")?,
    )?;
    let own = arguments(
        entry,
        list(&mut fields, "packageArguments", "package_arguments")?,
    )?;
    let env = inputs(
        entry,
        list(&mut fields, "environmentVariables", "environment_variables")?,
    )?;
    let plain = |text: &str| Word {
        template: Template::literal(text),
        line: Some(identifier.spot.line),
    };
    let with_version = |mark: char| match version {
        Some(version) => format!("{}{mark}{version}", identifier.text),
        None => identifier.text.to_owned(),
    };
    let has_runtime = |word: &str| {
        runtime
            .iter()
            .any(|w| w.template.as_literal() == Some(word))
    };
    let mut words = Vec::new();
    match kind.text {
        "npm" => {
            let program = hint.unwrap_or("npx");
            words.push(plain(program));
            if program == "npx" && !has_runtime("-y") {
                words.push(plain("-y"));
            }
            words.extend(runtime);
            words.push(plain(&with_version('@')));
        }
        "pypi" => {
            words.push(plain(hint.unwrap_or("uvx")));
            words.extend(runtime);
            words.push(plain(&with_version('@')));
        }
        "nuget" => {
            words.push(plain(hint.unwrap_or("dnx")));
            words.extend(runtime);
            words.extend([plain(&with_version('@')), plain("--yes")]);
        }
        "oci" => {
            words.push(plain(hint.unwrap_or("docker")));
            if !has_runtime("run") {
                words.extend(["run", "-i", "--rm"].map(plain));
            }
            for (name, _) in &env {
                words.extend([plain("-e"), plain(name)]);
            }
            words.extend(runtime);
            let image = identifier
                .text
                .rsplit_once('/')
                .map_or(identifier.text, |(_, image)| image);
            words.push(plain(&if image.contains([':', '@']) {
                identifier.text.to_owned()
            } else {
                with_version(':')
            }));
        }
        _ => return Ok(None),
    }
    words.extend(own);
    Ok(Some(RawServer {
        command: Some(words),
        env,
        ..RawServer::default()
    }))
}

fn remote(entry: &Entry<'_>, node: &Node) -> Result<RawServer> {
    let file = entry.file;
    let mut fields = Fields::of(node, file, "a remote")?;
    let asked = fields
        .text("type")?
        .map(|told| transport(told, file))
        .transpose()?;
    let Some(url) = fields.text("url")? else {
        return Err(error_at(file, node.spot, "a remote without a `url`"));
    };
    let template = filled(url.text, fields.get("variables"), url.spot, file)?;
    Ok(RawServer {
        url: Some(Word {
            template,
            line: Some(url.spot.line),
        }),
        http: match asked {
            Some(Asked::Http(kind)) => kind,
            _ => HttpKind::Streamable,
        },
        headers: inputs(entry, fields.tables("headers")?)?,
        ..RawServer::default()
    })
}

/// A string under the name that is used today, or else the one of older files.
fn either<'a>(
    fields: &mut Fields<'a>,
    name: &'static str,
    older: &'static str,
) -> Result<Option<Told<'a>>> {
    Ok(match fields.text(name)? {
        None => fields.text(older)?,
        found => found,
    })
}

/// A list of tables, likewise.
fn list<'a>(
    fields: &mut Fields<'a>,
    name: &'static str,
    older: &'static str,
) -> Result<&'a [Node]> {
    let found = fields.tables(name)?;
    if found.is_empty() {
        fields.tables(older)
    } else {
        Ok(found)
    }
}

/// Arguments: positional ones, and named ones with their value in a word of its own.
fn arguments(entry: &Entry<'_>, list: &[Node]) -> Result<Vec<Word>> {
    let mut words = Vec::new();
    for node in list {
        let mut fields = Fields::of(node, entry.file, "an argument")?;
        let name = fields.text("name")?;
        if let Some(told) = name {
            words.push(Word {
                template: Template::literal(told.text),
                line: Some(told.spot.line),
            });
        }
        let variable = match name {
            Some(told) => told.text,
            None => {
                either(&mut fields, "valueHint", "value_hint")?.map_or("ARGUMENT", |told| told.text)
            }
        };
        words.extend(input(&mut fields, variable, entry.file)?);
    }
    Ok(words)
}

/// Environment variables or headers, each with a `name`.
fn inputs(entry: &Entry<'_>, list: &[Node]) -> Result<Vec<(String, Word)>> {
    let mut found = Vec::new();
    for node in list {
        let mut fields = Fields::of(node, entry.file, "an input")?;
        let Some(name) = fields.text("name")? else {
            return Err(error_at(entry.file, node.spot, "an input without a `name`"));
        };
        if let Some(word) = input(&mut fields, name.text, entry.file)? {
            found.push((name.text.to_owned(), word));
        }
    }
    Ok(found)
}

/// The value of an input: fixed, or the variable called after it; none when it may be left out.
fn input(fields: &mut Fields<'_>, name: &str, file: &Path) -> Result<Option<Word>> {
    let spot = fields.spot();
    let variables = fields.get("variables");
    let default = fields.text("default")?;
    if let Some(value) = fields.text("value")? {
        return Ok(Some(Word {
            template: filled(value.text, variables, value.spot, file)?,
            line: Some(value.spot.line),
        }));
    }
    if default.is_none() && fields.flag("isRequired")?.or(fields.flag("is_required")?) != Some(true)
    {
        return Ok(None);
    }
    let mut template = Template::default();
    template.push(Piece::Variable {
        name: variable_name(name),
        default: default.map(|told| told.text.to_owned()),
    });
    Ok(Some(Word {
        template,
        line: Some(spot.line),
    }))
}

/// `text` with each `{name}` filled from `variables`.
fn filled(text: &str, variables: Option<&Node>, spot: Spot, file: &Path) -> Result<Template> {
    let mut template = Template::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        template.push_text(before);
        let Some((name, tail)) = after.split_once('}') else {
            return Err(error_at(file, spot, "a `{` without its `}`"));
        };
        match variables.and_then(|variables| variables.member(name)) {
            Some(member) => {
                let mut fields =
                    Fields::of(&member.node, file, format!("variable `{}`", visible(name)))?;
                match fields.text("value")? {
                    Some(value) => template.push_text(value.text),
                    None => template.push(Piece::Variable {
                        name: variable_name(name),
                        default: fields.text("default")?.map(|told| told.text.to_owned()),
                    }),
                }
            }
            None => template.push(Piece::Variable {
                name: variable_name(name),
                default: None,
            }),
        }
        rest = tail;
    }
    template.push_text(rest);
    Ok(template)
}

/// The environment variable for an input: its own name where it can be one.
fn variable_name(name: &str) -> String {
    if is_variable_name(name) {
        return name.to_owned();
    }
    let name: String = name
        .trim_start_matches('-')
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect();
    if is_variable_name(&name) {
        name
    } else {
        format!("INPUT_{name}")
    }
}
