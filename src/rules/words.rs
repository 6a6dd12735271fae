//! Rules about what a model reads, and what no validator asserts.

use super::registry::{Rule, Subject};
use super::wording::{moved, moved_words, subject, with_cues};

pub(super) static WORDS: Rule = Rule {
    id: "words-changed",
    subject: Subject::Change {
        levels: "risky; equivalent for a title that only repeats the name",
        message: |change| {
            with_cues(
                format!("{} {}", subject(change, "the text"), moved_words(change)),
                change,
            )
        },
    },
    summary: "a description, title, comment or example changed",
    meaning: "No call is refused, and everything may mean something else: words are what the model \
        goes by. `limit` can turn from \"most results\" into \"index of the page\" without any \
        schema noticing, and an instruction to the model can hide in any text, at any depth. Where \
        a class of meaning can be named (a unit, where counting starts, a limit or a page, a sign, \
        a time zone, required or optional) the message says what it was and is; `docs/drift.md` \
        lists them. A title that only repeats the name says nothing new.",
    action: "Read the old and the new words side by side (`mcplock diff`), then pin again.",
};

pub(super) static DEFAULT: Rule = Rule {
    id: "default-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| format!("{} {}", subject(change, "a default"), moved(change)),
    },
    summary: "a default changed",
    meaning: "A call that leaves the argument out is still accepted and does something else. \
        Defaults are compared by value: 1 and 1.0 are one.",
    action: "Make callers that rely on the old default send it, then pin again.",
};

pub(super) static FORMAT: Rule = Rule {
    id: "format-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| format!("{} {}", subject(change, "a format"), moved(change)),
    },
    summary: "`format` or a `content…` keyword changed",
    meaning: "By the standard these describe a string and refuse nothing. Some servers check them \
        all the same, and a model follows them.",
    action: "Look at whether the strings that you send still fit, then pin again.",
};

pub(super) static KEYWORD: Rule = Rule {
    id: "keyword-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| format!("{} {}", subject(change, "a keyword"), moved(change)),
    },
    summary: "a keyword that refuses nothing changed",
    meaning: "`readOnly`, `deprecated`, `x-mcp-header` and unknown keywords decide nothing about \
        what is valid. A client or a gateway may act on them (`x-mcp-header` copies an argument \
        into an HTTP header), and a model may read them.",
    action: "Find out who reads the keyword, then pin again.",
};
