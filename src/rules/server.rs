//! Rules about the server and its entry as a whole.

use super::registry::{Rule, Subject};
use super::wording::{detail, moved, moved_words, subject, with_cues};

pub(super) static INSTRUCTIONS: Rule = Rule {
    id: "instructions-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| {
            with_cues(
                format!(
                    "the server's instructions {}",
                    moved_change(moved_words(change))
                ),
                change,
            )
        },
    },
    summary: "the server's instructions changed",
    meaning: "Hosts put the instructions of a server into the model's context, before any tool is \
        called. They are words like a description, with a wider reach.",
    action: "Read the old and the new text side by side (`mcplock diff`), then pin again.",
};

fn moved_change(words: &'static str) -> &'static str {
    match words {
        "was added" => "are new",
        "was removed" => "are gone",
        words => words,
    }
}

pub(super) static LAUNCH: Rule = Rule {
    id: "launch-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| format!("{} {}", subject(change, "the launch"), moved(change)),
    },
    summary: "how the server is started or reached changed",
    meaning: "The command, an argument, the URL, a header, the working folder or a variable that \
        the config sets is not what was pinned, so another program may answer. `verify` does not \
        start it unless told to (`--allow-launch-change`).",
    action: "If you changed the config, pin again. If you did not, find out who did before anything \
        is started.",
};

pub(super) static VOLATILE: Rule = Rule {
    id: "volatile-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |_| {
            "the volatile words that mcplock.toml sets are not those of the lockfile".to_owned()
        },
    },
    summary: "the list of volatile words differs from the pinned one",
    meaning: "Volatile words are cut out before digests are made. A list that differs makes other \
        digests of the same contract, and a list that grew hides more.",
    action: "Pin again after a change of mcplock.toml that was meant.",
};

pub(super) static PROTOCOL: Rule = Rule {
    id: "protocol-changed",
    subject: Subject::Change {
        levels: "equivalent for a newer revision, risky for an older one",
        message: |change| {
            format!(
                "the revision of the protocol {}: {}",
                moved(change),
                detail(change)
            )
        },
    },
    summary: "another revision of the protocol answers",
    meaning: "A server that speaks a newer revision still answers clients of the old one. A server \
        that lost the pinned revision may refuse clients that need it, and fields that only that \
        revision has can go.",
    action: "Check that your client speaks a revision that the server still has, then pin again.",
};

pub(super) static CAPABILITIES: Rule = Rule {
    id: "capabilities-changed",
    subject: Subject::Change {
        levels: "risky",
        message: |change| {
            format!(
                "the client capabilities that were declared {}",
                moved(change)
            )
        },
    },
    summary: "the catalogs were fetched with different client capabilities",
    meaning: "Servers list other tools for other clients: one that can't be asked back (sampling, \
        elicitation, roots) is offered less. So the two catalogs may differ for that reason alone.",
    action: "Compare catalogs that were fetched with the same capabilities, or pin again.",
};
