//! Names that hosts mangle, take for paths, or that people take for other names.

use std::collections::HashMap;

use crate::catalog::{Item, Kind};
use crate::json::{Pointer, Value};
use crate::schema::Outline;

use super::scripts::{Looks, Mixture, mixture};
use super::{FaultKind, Report};

/// The names of one catalog, by what they look like.
#[derive(Default)]
pub(super) struct Names<'c>(HashMap<Kind, Looks<'c>>);

/// The name of a tool or prompt.
pub(super) fn check<'c>(item: &'c Item, names: &mut Names<'c>, report: &mut Report) {
    let Some(name) = item.key.as_deref() else {
        return;
    };
    if !matches!(item.kind, Kind::Tool | Kind::Prompt) {
        return;
    }
    let at = Pointer::root().key("name");
    if name.contains(['\t', '\n', '\r']) {
        let message = "the name has tabs or line breaks, with which it can pass for several lines";
        report.fault(FaultKind::HiddenText, at, message);
    } else if is_path(name) {
        let message = "the name is a path, and hosts use names as file names";
        report.fault(FaultKind::PathName, at, message);
    } else if let Some(mixture) = mixture(name) {
        mixed(&mixture, at, report);
    } else if item.kind == Kind::Tool
        && let Some(message) = odd(name)
    {
        report.fault(FaultKind::OddName, at, message);
    }
    let at = Pointer::root().key("name");
    if names.0.entry(item.kind).or_default().deceives(name) {
        let message =
            "the name looks like the name of another item, with letters of another script";
        report.fault(FaultKind::LookAlikeName, at, message);
    }
}

fn mixed(mixture: &Mixture, at: Pointer, report: &mut Report) {
    let Mixture { found, among, code } = mixture;
    let message = format!("the name mixes scripts: a {found} letter (U+{code:04X}) among {among}");
    report.fault(FaultKind::MixedScript, at, message);
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
        let mut looks = Looks::default();
        for (name, _) in properties.iter() {
            let here = || at.join(&subschema.pointer()).key("properties").key(name);
            if let Some(mixture) = mixture(name) {
                mixed(&mixture, here(), report);
            }
            if looks.deceives(name) {
                let message =
                    "the name looks like that of another parameter, with letters of another script";
                report.fault(FaultKind::LookAlikeName, here(), message);
            }
        }
    }
}
