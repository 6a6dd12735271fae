//! Rules about the arguments of tools and prompts.

use crate::compare::Change;

use super::registry::{Rule, Subject};
use super::wording::{detail, moved, subject, with_doubt};

fn told(change: &Change, verb: &str) -> String {
    with_doubt(
        format!(
            "{} {verb}; {}",
            subject(change, "an argument"),
            detail(change)
        ),
        change,
    )
}

pub(super) static REMOVED: Rule = Rule {
    id: "argument-removed",
    subject: Subject::Change {
        levels: "breaking where the old call is proved to be refused or ignored, else risky",
        message: |change| {
            format!(
                "{} is no longer declared; {}",
                subject(change, "an argument"),
                detail(change)
            )
        },
    },
    summary: "a declared argument is no longer declared",
    meaning: "Agents that read the list earlier go on sending the argument. In a closed object \
        (`additionalProperties: false`) the call is refused. In an open one it is worse: the call \
        is accepted, the argument is silently dropped, and the answer is to another question. An \
        argument that came and is much like it is told as the likely new name; the old one is \
        judged all the same.",
    action: "Find out what replaces the argument, change what relies on it, then pin again. A \
        server author can keep the old name for a while, or close the object so that callers \
        learn of it.",
};

pub(super) static REQUIRED: Rule = Rule {
    id: "argument-required",
    subject: Subject::Change {
        levels: "breaking where an old call is proved to be refused, else risky",
        message: |change| told(change, "must be given now"),
    },
    summary: "an argument must be given now",
    meaning: "A call without the argument was right and is refused now. A `default` does not help: \
        a validator never fills it in.",
    action: "Make every caller send the argument, then pin again. A server author can leave it \
        optional and use the default.",
};

pub(super) static ADDED: Rule = Rule {
    id: "argument-added",
    subject: Subject::Change {
        levels: "compatible; risky where it brings words that a model reads, or where it could not \
            be decided",
        message: |change| told(change, "is new"),
    },
    summary: "an optional argument is declared that was not",
    meaning: "A caller that keeps to the names it knew is not affected. A caller that already sent \
        the name undeclared may be: it has a type now. The description of a new argument is read \
        by the model like any other text, and asking a model to put something into a harmless \
        looking argument is a known attack.",
    action: "Read what the argument asks for, then pin again. `--fail-on risky` lets it pass where \
        it brings no words.",
};

pub(super) static OPTIONAL: Rule = Rule {
    id: "argument-optional",
    subject: Subject::Change {
        levels: "compatible, or risky where it could not be decided",
        message: |change| {
            with_doubt(
                format!(
                    "{} need not be given any more",
                    subject(change, "an argument")
                ),
                change,
            )
        },
    },
    summary: "an argument need not be given any more",
    meaning: "Every call that was right still is. Calls without the argument are right as well.",
    action: "Pin again.",
};

pub(super) static PROMPT_ARGUMENTS: Rule = Rule {
    id: "prompt-arguments-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| {
            with_doubt(
                format!("{} {}", subject(change, "the list"), moved(change)),
                change,
            )
        },
    },
    summary: "the arguments of a prompt changed and can't be paired by name",
    meaning: "The list of arguments is not a list of objects with distinct names, or `required` is \
        not a boolean, so mcplock can't say what a request has to give.",
    action: "Read both lists. Tell the server's author, since clients will not understand them \
        either.",
};
