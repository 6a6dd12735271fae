//! Faults of a schema's references: out of the document, to nothing, back to themselves.
//!
//! A reference may be hostile and may hold credentials: of one that leaves the document only the
//! scheme and the host are shown.

use crate::json::Pointer;
use crate::schema::uri::Uri;
use crate::schema::{Reference, References, Target};
use crate::text::visible;

use super::FaultKind;

/// A fault at a place of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefFault {
    pub(super) kind: FaultKind,
    pub(super) pointer: Pointer,
    pub(super) message: String,
}

/// All faults of the references of one schema.
pub(super) fn faults(references: &References) -> Vec<RefFault> {
    let unknown = references.unknown_dialects.iter().map(|pointer| RefFault {
        kind: FaultKind::UnknownDialect,
        pointer: pointer.clone(),
        message: "the embedded schema's `$schema` names no dialect that is known".to_owned(),
    });
    let broken = references.references.iter().filter_map(broken);
    let loops = references.loops.iter().filter_map(|members| {
        let first = &references.references[*members.first()?];
        let message = match members.len() {
            1 => "the reference leads back to itself and consumes nothing of the value".to_owned(),
            count => format!(
                "{count} references lead back to themselves and consume nothing of the value"
            ),
        };
        Some(RefFault {
            kind: FaultKind::RefLoop,
            pointer: first.pointer.clone(),
            message,
        })
    });
    unknown.chain(broken).chain(loops).collect()
}

fn broken(reference: &Reference) -> Option<RefFault> {
    let word = reference.keyword.word();
    let (kind, message) = match &reference.target {
        Target::Resolved(_) | Target::Metaschema => return None,
        Target::External => (
            FaultKind::ExternalRef,
            format!(
                "`{word}` leads out of the schema, {}; nothing is fetched",
                destination(&reference.text)
            ),
        ),
        Target::Dangling => (
            FaultKind::DanglingRef,
            format!(
                "`{word}` leads to nothing in the schema{}",
                place(&reference.text)
            ),
        ),
        Target::Ambiguous => (
            FaultKind::DanglingRef,
            format!("`{word}` leads to a name that different parts of the schema have"),
        ),
        Target::NotASchema(_) => (
            FaultKind::DanglingRef,
            format!(
                "`{word}` leads to a value that is no schema{}",
                place(&reference.text)
            ),
        ),
    };
    Some(RefFault {
        kind,
        pointer: reference.pointer.clone(),
        message,
    })
}

/// Longest text of a reference that is shown, in characters.
const LONGEST: usize = 80;

fn cut(text: &str) -> String {
    let short: String = text.chars().take(LONGEST).collect();
    let rest = if short.len() < text.len() { "…" } else { "" };
    format!("{}{rest}", visible(&short))
}

fn destination(text: &str) -> String {
    let uri = Uri::parse(text);
    match (uri.origin(), uri.scheme()) {
        (Some(origin), Some("file")) if origin == "file://" => "to a file".to_owned(),
        (Some(origin), _) => format!("to `{}`", cut(&origin)),
        (None, Some(scheme)) => format!("to a `{}:` address", cut(scheme)),
        (None, None) => "to another document, by a relative address".to_owned(),
    }
}

/// The fragment, which is a place in the schema; the rest of the reference is not shown.
fn place(text: &str) -> String {
    match text.split_once('#') {
        Some((_, fragment)) if !fragment.is_empty() => format!(": `#{}`", cut(fragment)),
        _ => String::new(),
    }
}
