//! What a model reads beside the constraints: descriptions, defaults, formats.
//!
//! Pure. Titles and comments are not compared: generators write them and SDKs drop them, and no
//! call depends on them.

use crate::canonical::canonical;
use crate::json::{Pointer, Value};
use crate::text::visible;

use super::loss::LossKind;
use super::view::Parts;

/// Keywords that annotate a value and that a model may read.
const ANNOTATIONS: [&str; 4] = ["format", "contentEncoding", "contentMediaType", "examples"];

/// How many characters of a text a message quotes.
const QUOTED: usize = 60;

/// A difference in what is read.
#[derive(Debug, Clone)]
pub(super) struct Difference {
    pub(super) kind: LossKind,
    /// Its place in the server's schema.
    pub(super) at: Pointer,
    /// The argument, as people name it.
    pub(super) path: String,
    /// What happened, as the rest of a sentence.
    pub(super) what: String,
    pub(super) old: Option<Value>,
    pub(super) new: Option<Value>,
}

/// Compares what is said of one place.
pub(super) fn compare(own: &Parts, other: &Parts, path: &str, found: &mut Vec<Difference>) {
    if let Some((at, value)) = own.values("description").next()
        && let Some(text) = value.as_str()
    {
        let theirs: Vec<&str> = other
            .values("description")
            .filter_map(|(_, value)| value.as_str())
            .collect();
        let whole = theirs.join("\n");
        if let Some((kind, what)) = texts(text, (!theirs.is_empty()).then_some(&*whole)) {
            found.push(Difference {
                kind,
                at,
                path: path.to_owned(),
                what,
                old: Some(value.clone()),
                new: other.value("description").cloned(),
            });
        }
    }
    let others = std::iter::once("default").chain(ANNOTATIONS);
    for keyword in others {
        let Some((at, value)) = own.values(keyword).next() else {
            continue;
        };
        let theirs = other.value(keyword);
        if other
            .values(keyword)
            .any(|(_, theirs)| canonical(theirs) == canonical(value))
        {
            continue;
        }
        found.push(Difference {
            kind: if keyword == "default" {
                LossKind::DefaultLost
            } else {
                LossKind::AnnotationLost
            },
            at,
            path: path.to_owned(),
            what: match theirs {
                None => format!("`{keyword}` {} is not passed on", quoted(value)),
                Some(theirs) => {
                    format!("`{keyword}` {} became {}", quoted(value), quoted(theirs))
                }
            },
            old: Some(value.clone()),
            new: theirs.cloned(),
        });
    }
}

/// What became of the text `own`; none when all of it is still read.
pub(super) fn texts(own: &str, theirs: Option<&str>) -> Option<(LossKind, String)> {
    let own = spaced(own);
    if own.is_empty() {
        return None;
    }
    let theirs = spaced(theirs.unwrap_or_default());
    if theirs.contains(&own) {
        return None;
    }
    if theirs.is_empty() {
        return Some((
            LossKind::WordsLost,
            "the description is not passed on".to_owned(),
        ));
    }
    let cut = theirs
        .trim_end_matches('…')
        .trim_end_matches("...")
        .trim_end_matches("[truncated]")
        .trim_end();
    let (kept, all) = (cut.chars().count(), own.chars().count());
    if !cut.is_empty() && own.starts_with(cut) {
        let what = format!("the description is cut short, to {kept} of {all} characters");
        return Some((LossKind::WordsLost, what));
    }
    if own.contains(cut) {
        let what = format!("the description keeps {kept} of {all} characters");
        return Some((LossKind::WordsLost, what));
    }
    Some((
        LossKind::WordsRewritten,
        "the description says something else".to_owned(),
    ))
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value for a message, visible and cut short.
pub(super) fn quoted(value: &Value) -> String {
    let text = visible(&canonical(value));
    if text.chars().count() <= QUOTED {
        return format!("`{text}`");
    }
    let head: String = text.chars().take(QUOTED).collect();
    format!("`{head}…`")
}
