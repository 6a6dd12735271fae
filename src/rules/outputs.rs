//! Rules about what is promised of results.

use crate::compare::Basis;

use super::registry::{Rule, Subject};
use super::wording::{detail, moved, subject, with_doubt};

pub(super) static REMOVED: Rule = Rule {
    id: "output-schema-removed",
    subject: Subject::Change {
        levels: "breaking",
        message: |_| {
            "the output schema is gone, and with it every promise about the result".to_owned()
        },
    },
    summary: "a tool promises nothing about its result any more",
    meaning: "Code that reads `structuredContent` relied on the schema. Without it a result may \
        hold anything, or no structured content at all.",
    action: "Check every reader of the result, then pin again.",
};

pub(super) static ADDED: Rule = Rule {
    id: "output-schema-added",
    subject: Subject::Change {
        levels: "compatible, or risky where the schema brings words",
        message: |change| {
            with_doubt(
                "the tool has an output schema now, and had none".to_owned(),
                change,
            )
        },
    },
    summary: "a tool has an output schema that had none",
    meaning: "Nothing was promised about the result, so nothing that was promised is broken. \
        Clients that know the schema will validate results against it, and some show it to the \
        model.",
    action: "Read its words, then pin again.",
};

pub(super) static BROKEN: Rule = Rule {
    id: "output-outside-promise",
    subject: Subject::Change {
        levels: "breaking",
        message: |change| {
            format!(
                "{} can be other than was promised: {}",
                subject(change, "the result"),
                detail(change)
            )
        },
    },
    summary: "a result can be outside what was promised",
    meaning: "Readers of a result may rely on every member that was required, every type and every \
        list of values. What a caller would call an extension (a member that may be left out, one \
        more value, one more type) breaks a reader.",
    action: "Make readers cope with the new results, then pin again.",
};

pub(super) static EXTENDED: Rule = Rule {
    id: "output-promise-extended",
    subject: Subject::Change {
        levels: "compatible, or risky where it brings words that a model reads",
        message: |change| {
            with_doubt(
                format!(
                    "more is promised about {} than was: {}",
                    subject(change, "the result"),
                    detail(change)
                ),
                change,
            )
        },
    },
    summary: "more is promised about a result, and nothing less",
    meaning: "Every result that the live schema allows was allowed before.",
    action: "Pin again.",
};

pub(super) static OUTPUT: Rule = Rule {
    id: "output-schema-changed",
    subject: Subject::Change {
        levels: "risky; breaking, compatible or equivalent where that is proved",
        message: |change| {
            let told = change
                .detail
                .as_ref()
                .map_or_else(|| moved(change), |detail| format!("changed: {detail}"));
            let message = format!("{} {told}", subject(change, "the output schema"));
            if change.basis == Basis::Undecided {
                format!("{message}; what it does to readers could not be decided")
            } else {
                with_doubt(message, change)
            }
        },
    },
    summary: "an output schema changed in a way that no other rule judges",
    meaning: "Something about the promised result moved. What it does to readers is told where it \
        can be proved; where it can't it is risky, and says that it could not be decided.",
    action: "Compare the two schemas at the place that is named, with the code that reads the \
        result in mind. Then pin again.",
};
