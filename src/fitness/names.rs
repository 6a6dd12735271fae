//! Names that hosts mangle, take for paths, or that people take for other names.

use std::collections::HashMap;

use crate::catalog::{Catalog, Item, Kind};
use crate::json::{Pointer, Value};
use crate::schema::Outline;

use super::scripts::{Mixture, mixture, skeleton};
use super::{Fault, FaultKind, Report};

/// Names of one kind that look like some other, by what they look like.
#[derive(Default)]
pub(super) struct Looks(HashMap<(Kind, String), String>);

/// The name of a tool or prompt.
pub(super) fn check(item: &Item, looks: &mut Looks, report: &mut Report) {
    let Some(name) = item.key.as_deref() else {
        return;
    };
    if !matches!(item.kind, Kind::Tool | Kind::Prompt) {
        return;
    }
    let at = Pointer::root().key("name");
    if is_path(name) {
        let message = "the name is a path, and hosts use names as file names";
        report.fault(FaultKind::PathName, at.clone(), message);
    } else if let Some(mixture) = mixture(name) {
        mixed(&mixture, at.clone(), report);
    } else if item.kind == Kind::Tool
        && let Some(message) = odd(name)
    {
        report.fault(FaultKind::OddName, at.clone(), message);
    }
    look(looks, item.kind, name, at, report);
}

fn mixed(mixture: &Mixture, at: Pointer, report: &mut Report) {
    let Mixture { found, among, code } = mixture;
    let message = format!("the name mixes scripts: a {found} letter (U+{code:04X}) among {among}");
    report.fault(FaultKind::MixedScript, at, message);
}

fn look(looks: &mut Looks, kind: Kind, name: &str, at: Pointer, report: &mut Report) {
    let other = looks
        .0
        .entry((kind, skeleton(name)))
        .or_insert_with(|| name.to_owned());
    if other != name {
        let message =
            "the name looks like the name of another item, with letters of another script";
        report.fault(FaultKind::LookAlikeName, at, message);
    }
}

/// The revision of 2025-11-25, "Tool Names": 1 to 128 of `A-Z a-z 0-9 _ - .`
fn odd(name: &str) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if name.chars().count() > 128 {
        Some("the name is longer than the 128 characters that the specification allows")
    } else if !name.chars().all(plain) {
        Some("the specification allows only ASCII letters, digits, `_`, `-` and `.` in names")
    } else {
        None
    }
}

fn is_path(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':')
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    name.starts_with(['/', '\\', '~'])
        || (drive && name[2..].starts_with(['/', '\\']))
        || name
            .split(['/', '\\'])
            .any(|part| matches!(part, "." | ".."))
}

/// The names of parameters, wherever they are declared.
pub(super) fn parameters(outline: &Outline, at: &Pointer, report: &mut Report) {
    for subschema in outline.subschemas() {
        let Some(Value::Object(properties)) = subschema.value().get("properties") else {
            continue;
        };
        if properties.iter().all(|(name, _)| name.is_ascii()) {
            continue;
        }
        let mut looks = HashMap::new();
        for (name, _) in properties.iter() {
            let here = || at.join(&subschema.pointer()).key("properties").key(name);
            if let Some(mixture) = mixture(name) {
                mixed(&mixture, here(), report);
            }
            let other: &mut &str = looks.entry(skeleton(name)).or_insert(name);
            if *other != name {
                let message =
                    "the name looks like that of another parameter, with letters of another script";
                report.fault(FaultKind::LookAlikeName, here(), message);
            }
        }
    }
}

/// How many characters hosts keep of `mcp__SERVER__TOOL`.
const HOST_NAME: usize = 64;

/// Tools of different servers, or of one, that get one name where hosts join the names of server
/// and tool and cut what is too long. Each fault goes with the name of its server.
pub fn collisions<'c>(servers: &[(&'c str, &'c Catalog)]) -> Vec<(String, Fault)> {
    let mut faults = Vec::new();
    let mut first: HashMap<String, (&str, &str)> = HashMap::new();
    for (server, catalog) in servers {
        for item in catalog.items.iter().filter(|item| item.kind == Kind::Tool) {
            let Some(tool) = item.key.as_deref() else {
                continue;
            };
            let joined = host_name(server, tool);
            let (other_server, other_tool) = *first.entry(joined).or_insert((server, tool));
            if (other_server, other_tool) == (*server, tool) {
                continue;
            }
            let visible = crate::text::visible;
            faults.push((
                (*server).to_owned(),
                Fault {
                    kind: FaultKind::NameCollision,
                    item: Some(Kind::Tool),
                    label: item.label(),
                    pointer: Pointer::root().key("name"),
                    message: format!(
                        "hosts that call it `mcp__SERVER__TOOL`, in {HOST_NAME} characters, give `{}` of \
                         server `{}` the same name",
                        visible(other_tool),
                        visible(other_server),
                    ),
                    value: None,
                },
            ));
        }
    }
    faults
}

fn host_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || c == '-' => c,
            _ => '_',
        })
        .take(HOST_NAME)
        .collect()
}
