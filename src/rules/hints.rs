//! Rules about what an item says of itself: annotations, execution, icons, metadata.

use super::registry::{Rule, Subject};
use super::wording::{moved, subject};

pub(super) static DANGER: Rule = Rule {
    id: "hint-more-dangerous",
    subject: Subject::Change {
        levels: "risky",
        message: |change| {
            let what = change.detail.as_deref().unwrap_or("it is more dangerous");
            format!("{} {}: {what}", subject(change, "a hint"), moved(change))
        },
    },
    summary: "a hint of a tool moved toward danger",
    meaning: "Hosts decide by these hints whether to ask a person before a call. A tool that was \
        read-only and may write now, or that may destroy what it only added to, was approved as \
        something else. Hints that are left out have the meaning that the protocol gives them: not \
        read-only, destructive, not idempotent, open world.",
    action: "Decide again whether agents may call the tool without being asked, then pin again.",
};

pub(super) static ANNOTATIONS: Rule = Rule {
    id: "annotations-changed",
    subject: Subject::Change {
        levels: "equivalent where a hint means what it meant, else risky",
        message: |change| {
            let what = subject(change, "the annotations");
            match &change.detail {
                Some(detail) => format!("{what} {}: {detail}", moved(change)),
                None => format!("{what} {}", moved(change)),
            }
        },
    },
    summary: "annotations changed, not toward danger",
    meaning: "A hint was spelled out with the meaning that it had by default, moved toward safety, \
        or is one that mcplock does not know. Hints are claims: a server that is not trusted can \
        claim to be harmless.",
    action: "Read what changed, then pin again.",
};

pub(super) static EXECUTION: Rule = Rule {
    id: "execution-changed",
    subject: Subject::Change {
        levels: "equivalent where a call is carried out as before, else risky",
        message: |change| {
            let message = format!("{} {}", subject(change, "`execution`"), moved(change));
            match &change.detail {
                Some(detail) => format!("{message}: {detail}"),
                None => message,
            }
        },
    },
    summary: "`execution` changed",
    meaning: "`execution.taskSupport` says whether a tool may or must be called as a task. A client \
        that calls it the other way gets an error. Without it tasks are forbidden, so spelling that \
        out changes nothing.",
    action: "Check that your client can call the tool as it asks to be called, then pin again.",
};

pub(super) static ICONS: Rule = Rule {
    id: "icons-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| format!("{} {}", subject(change, "the icons"), moved(change)),
    },
    summary: "the icons changed",
    meaning: "Hosts show icons to people, and fetch them from where the server says. A picture can \
        pass one tool off as another, and an address can report who looked.",
    action: "Look at the addresses, then pin again.",
};

pub(super) static META: Rule = Rule {
    id: "meta-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| format!("{} {}", subject(change, "`_meta`"), moved(change)),
    },
    summary: "`_meta` of an item changed",
    meaning: "`_meta` is free for extensions, and clients act on some of it. It is part of the \
        contract: what a check leaves out is where a change would hide.",
    action: "Read what changed, then pin again.",
};

pub(super) static MIME_TYPE: Rule = Rule {
    id: "media-type-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| format!("{} {}", subject(change, "the media type"), moved(change)),
    },
    summary: "the media type of a resource or template changed",
    meaning: "Readers choose how to read a resource by its media type.",
    action: "Check the readers of the resource, then pin again.",
};
