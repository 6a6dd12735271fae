//! Rules about the values and types that a place in an input allows.

use crate::compare::Change;

use super::registry::{Rule, Subject};
use super::wording::{detail, subject, with_doubt};

const NARROWED: &str = "breaking where an old call is proved to be refused, else risky";
const WIDENED: &str = "compatible; risky where it brings words that a model reads, or where it \
    could not be decided";

fn told(change: &Change, verb: &str) -> String {
    with_doubt(
        format!("{} {verb}: {}", subject(change, "a value"), detail(change)),
        change,
    )
}

pub(super) static ENUM_NARROWED: Rule = Rule {
    id: "enum-narrowed",
    subject: Subject::Change {
        levels: NARROWED,
        message: |change| told(change, "allows fewer values"),
    },
    summary: "a value is not allowed any more",
    meaning: "`enum` or `const` lost a value, or was added where any value was allowed. A call that \
        sends such a value was right and is refused now.",
    action: "Stop sending the values that went, then pin again. Look at the default too: what is \
        used when nothing is sent may have changed with the list.",
};

pub(super) static ENUM_WIDENED: Rule = Rule {
    id: "enum-widened",
    subject: Subject::Change {
        levels: WIDENED,
        message: |change| told(change, "allows more values"),
    },
    summary: "a value is allowed that was not",
    meaning: "`enum` or `const` gained a value or went. Every call that was right still is. A value \
        that reads as a sentence is text for the model, and is told as such.",
    action: "Pin again.",
};

pub(super) static TYPE_NARROWED: Rule = Rule {
    id: "type-narrowed",
    subject: Subject::Change {
        levels: NARROWED,
        message: |change| told(change, "allows fewer types"),
    },
    summary: "a type is not allowed any more",
    meaning: "`type` lost a type or was added where any was allowed: `number` to `integer` refuses \
        1.5, `[\"string\", \"null\"]` to `\"string\"` refuses null. A call that sends such a value \
        was right and is refused now.",
    action: "Make callers send the type that is left, then pin again.",
};

pub(super) static TYPE_WIDENED: Rule = Rule {
    id: "type-widened",
    subject: Subject::Change {
        levels: WIDENED,
        message: |change| told(change, "allows more types"),
    },
    summary: "a type is allowed that was not",
    meaning: "`type` gained a type or went. Every call that was right still is.",
    action: "Pin again.",
};
