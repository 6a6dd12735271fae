//! How a message is put together.

use crate::compare::{Basis, Callers, Change, Model, quoted};
use crate::json::{Pointer, Value};
use crate::text::visible;

/// What the change is about, or `fallback`.
pub(super) fn subject<'c>(change: &'c Change, fallback: &'c str) -> &'c str {
    change.subject.as_deref().unwrap_or(fallback)
}

/// `changed from X to Y`, `was added`, `was removed`, with the values where they fit; the report
/// shows the others below the message.
pub(super) fn moved(change: &Change) -> String {
    let fits = |side: &Option<Value>| {
        side.as_ref()
            .is_none_or(|value| !quoted(value).ends_with("…`"))
    };
    if !fits(&change.old) || !fits(&change.new) {
        return moved_words(change).to_owned();
    }
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => {
            let (old, new) = (quoted(old), quoted(new));
            if old == new {
                // Cut short, the two look alike; the report shows them whole.
                "changed".to_owned()
            } else {
                format!("changed from {old} to {new}")
            }
        }
        (None, Some(new)) => format!("was added: {}", quoted(new)),
        (Some(old), None) => format!("was removed: {}", quoted(old)),
        (None, None) => "changed".to_owned(),
    }
}

/// `changed`, `was added`, `was removed`, without the values, which are words to be read in full.
pub(super) fn moved_words(change: &Change) -> &'static str {
    match (&change.old, &change.new) {
        (None, Some(_)) => "was added",
        (Some(_), None) => "was removed",
        _ => "changed",
    }
}

/// What the kind alone does not say, or how the value moved.
pub(super) fn detail(change: &Change) -> String {
    change.detail.clone().unwrap_or_else(|| moved(change))
}

/// What is not known, or what a model reads besides, as a tail for `message`.
pub(super) fn with_doubt(message: String, change: &Change) -> String {
    if change.callers == Callers::Undecided && change.basis == Basis::Undecided {
        format!("{message}; what it does to calls could not be decided")
    } else if change.callers <= Callers::Wider && change.model == Model::Changed {
        format!("{message}; no call breaks, but a model reads other words now")
    } else {
        message
    }
}

/// What the words may mean now, as a tail for `message`.
pub(super) fn with_cues(message: String, change: &Change) -> String {
    match &change.detail {
        Some(detail) => format!("{message}; {detail}"),
        None => message,
    }
}

/// The other end of a likely rename, as a tail for `message`.
pub(super) fn with_counterpart(message: String, change: &Change) -> String {
    let Some(counterpart) = &change.counterpart else {
        return message;
    };
    let way = if change.new.is_none() { "to" } else { "from" };
    let name = counterpart.name.as_str();
    let name = match name.split_once(':') {
        // The label of an item; of a resource the URI follows.
        Some((_, key)) if change.pointer == Pointer::root() => key,
        _ => name,
    };
    format!("{message}; renamed {way} `{}` (likely)", visible(name))
}
