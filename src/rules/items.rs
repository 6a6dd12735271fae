//! Rules about items as wholes, and about what no other rule knows.

use super::registry::{Rule, Subject};
use super::wording::{moved, moved_words, subject, with_doubt};

pub(super) static GONE: Rule = Rule {
    id: "item-gone",
    subject: Subject::Change {
        levels: "breaking",
        message: |_| "the server does not list it any more".to_owned(),
    },
    summary: "a pinned item is not listed any more",
    meaning: "The lockfile pins a tool, prompt, resource or template that the server no longer \
        lists, so whoever relies on it gets an error. Where an item that came has nearly the same \
        contract, the message says what it was likely renamed to; that is a guess from the two \
        contracts (`docs/drift.md` says how it is made) and changes nothing for callers of the old \
        name.",
    action: "If the item is gone for good, stop using it and pin again. If it is missing because \
        of credentials, flags or the platform, give that catalog a profile of its own.",
};

pub(super) static ADDED: Rule = Rule {
    id: "item-added",
    subject: Subject::Change {
        levels: "risky",
        message: |_| "the server lists it, and it is not pinned".to_owned(),
    },
    summary: "a listed item is not pinned",
    meaning: "The server offers something that nobody has reviewed. No call that was right breaks, \
        but its name and words reach every model that is given the list, and may change which \
        tool the model picks. Where it is likely one that was pinned under another name, what else \
        changed is told as findings of its own.",
    action: "Read it as you would read code, then pin it (`mcplock pin --item KIND:NAME`).",
};

pub(super) static SPELLING: Rule = Rule {
    id: "order-only",
    subject: Subject::Change {
        levels: "equivalent",
        message: |change| {
            let what = subject(change, "the item");
            match &change.detail {
                Some(detail) => format!("{what} {}: {detail}", moved_words(change)),
                None => format!("{what}: only the order or the spelling changed"),
            }
        },
    },
    summary: "only an order or a spelling without meaning changed",
    meaning: "The digests differ, the meaning is proved the same: `required`, `enum`, `type`, \
        `allOf`, `anyOf`, `oneOf`, the audience or a prompt's arguments in another order, `true` \
        for `{}`, one type for a list of one, an empty keyword left out, a bound beyond every \
        interoperable integer (±9007199254740991, RFC 8259 section 6).",
    action: "Nothing has to be done. The next `mcplock pin` that writes the entry takes it along.",
};

pub(super) static OTHER: Rule = Rule {
    id: "member-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| {
            with_doubt(
                format!("{} {}", subject(change, "the item"), moved(change)),
                change,
            )
        },
    },
    summary: "a member that no other rule knows changed",
    meaning: "A member of the item that the protocol does not define (or not where it stands) \
        changed. Some client may read it, so it is part of the contract.",
    action: "Find out who reads the member. If nobody you care about does, pin again.",
};
