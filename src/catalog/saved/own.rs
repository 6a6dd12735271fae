//! The form in which `fetch` saves a catalog: one JSON document, version 1.
//!
//! `{"mcplock_catalog": 1, "protocol": …, "declared": […], "implementation": …, "instructions": …,
//! "tools": […], "prompts": […], "resources": […], "resourceTemplates": […]}`. A list that the
//! server does not offer is absent, and so are instructions that it does not give. Items and
//! instructions stand in it byte for byte as the server sent them.

use std::ops::Range;

use crate::error::Result;
use crate::json::write_string;
use crate::protocol::{Fetched, Kind, Revision};

use super::super::fetched::{brief, implementation, instructions};
use super::super::item::document;
use super::super::{Catalog, Instructions, Item};
use super::source::{Members, Source};

/// The member that marks the form, and its version.
pub(super) const MARK: &str = "mcplock_catalog";
const VERSION: &str = "1";

/// What a session brought, as one document to be read back by [`super::read_saved`].
pub fn write_saved(fetched: &Fetched) -> String {
    let mut out = format!("{{\n  \"{MARK}\": {VERSION},\n  \"protocol\": ");
    write_string(&mut out, fetched.revision.as_str());
    out.push_str(",\n  \"declared\": [");
    for (i, capability) in fetched.declared.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write_string(&mut out, capability);
    }
    out.push(']');
    let server_info = fetched.server_info.as_ref();
    if let Some(text) = server_info.and_then(|raw| implementation(&document(raw.get()))) {
        out.push_str(",\n  \"implementation\": ");
        write_string(&mut out, &text);
    }
    if let Some(raw) = fetched.instructions.as_ref().map(|raw| raw.get())
        && raw != "null"
    {
        out.push_str(",\n  \"instructions\": ");
        out.push_str(raw);
    }
    for kind in Kind::ALL {
        let Some(list) = fetched.lists.iter().find(|list| list.kind == kind) else {
            continue;
        };
        out.push_str(",\n  ");
        write_string(&mut out, kind.list_member());
        out.push_str(": [");
        for (i, item) in list.items.iter().enumerate() {
            out.push_str(if i > 0 { ",\n    " } else { "\n    " });
            out.push_str(item.get());
        }
        out.push_str(if list.items.is_empty() { "]" } else { "\n  ]" });
    }
    out.push_str("\n}\n");
    out
}

/// The catalog that [`write_saved`] wrote, whose members are `members`.
pub(super) fn read(source: Source<'_>, whole: &Range<usize>, members: &Members) -> Result<Catalog> {
    let version = members.get(MARK).map_or("", |span| source.slice(&span));
    if version != VERSION {
        return Err(source
            .error(whole.start, "a saved catalog of an unknown version")
            .help("fetch it again with this version of mcplock"));
    }
    if let Some((name, offset)) = members.names().find(|(name, _)| !is_known(name)) {
        let message = format!("unknown member `{}` in a saved catalog", brief(name));
        return Err(source.error(offset, message));
    }
    let mut catalog = Catalog {
        revision: Some(revision(source, whole, members)?),
        declared: declared(source, whole, members)?,
        implementation: None,
        instructions: Instructions::Absent,
        listed: Vec::new(),
        unknown: Vec::new(),
        items: Vec::new(),
        remarks: Vec::new(),
        doubts: Vec::new(),
    };
    if let Some(span) = members.get("implementation") {
        catalog.implementation = Some(brief(&string(source, &span)?));
    }
    if let Some(span) = members.get("instructions") {
        catalog.instructions = instructions(source.slice(&span), &mut catalog.remarks);
    }
    for kind in Kind::ALL {
        let Some(span) = members.get(kind.list_member()) else {
            continue;
        };
        let items = source.elements(&span)?.ok_or_else(|| {
            source.error(
                span.start,
                format!("`{}` is not an array", kind.list_member()),
            )
        })?;
        catalog.listed.push(kind);
        catalog.items.extend(
            items
                .iter()
                .enumerate()
                .map(|(position, item)| Item::new(kind, position, source.slice(item).into())),
        );
    }
    Ok(catalog)
}

fn is_known(name: &str) -> bool {
    [
        MARK,
        "protocol",
        "declared",
        "implementation",
        "instructions",
    ]
    .contains(&name)
        || Kind::ALL.iter().any(|kind| kind.list_member() == name)
}

fn revision(source: Source<'_>, whole: &Range<usize>, members: &Members) -> Result<Revision> {
    let span = required(source, whole, members, "protocol")?;
    Revision::parse(&string(source, &span)?)
        .ok_or_else(|| source.error(span.start, "an unknown revision of the protocol"))
}

fn declared(source: Source<'_>, whole: &Range<usize>, members: &Members) -> Result<Vec<String>> {
    let span = required(source, whole, members, "declared")?;
    let elements = source
        .elements(&span)?
        .ok_or_else(|| source.error(span.start, "`declared` is not an array"))?;
    elements
        .iter()
        .map(|element| string(source, element))
        .collect()
}

fn required(
    source: Source<'_>,
    whole: &Range<usize>,
    members: &Members,
    name: &str,
) -> Result<Range<usize>> {
    members
        .get(name)
        .ok_or_else(|| source.error(whole.start, format!("a saved catalog without `{name}`")))
}

fn string(source: Source<'_>, span: &Range<usize>) -> Result<String> {
    let document = document(source.slice(span));
    let text = document.sound().and_then(|value| value.as_str());
    text.map(str::to_owned)
        .ok_or_else(|| source.error(span.start, "expected a string"))
}
