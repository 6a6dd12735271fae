//! Rules about input schemas as a whole, and about what of them no single rule can judge.

use super::registry::{Rule, Subject};
use super::wording::{detail, moved, subject, with_doubt};

pub(super) static EMPTIED: Rule = Rule {
    id: "input-schema-emptied",
    subject: Subject::Change {
        levels: "breaking",
        message: |change| {
            format!(
                "the input schema says nothing any more; {} are no longer declared, and whatever \
                 is sent is accepted unseen",
                detail(change)
            )
        },
    },
    summary: "an input schema that declared arguments is empty now",
    meaning: "The schema is `{}` or holds nothing but `$schema` and words. Real releases look like \
        this when an SDK and a schema library stop fitting together: every argument disappears \
        from what a model sees, nothing is validated, and no version number has moved.",
    action: "Don't pin it. Pin the server's dependencies (a lockfile of its package manager, an \
        image by digest), or go back to a release whose schema is whole, and tell the author.",
};

pub(super) static INPUT: Rule = Rule {
    id: "input-schema-changed",
    subject: Subject::Change {
        levels: "risky; breaking or compatible where that is proved",
        message: |change| {
            let told = change
                .detail
                .as_ref()
                .map_or_else(|| moved(change), |detail| format!("changed: {detail}"));
            with_doubt(
                format!("{} {told}", subject(change, "the input schema")),
                change,
            )
        },
    },
    summary: "an input schema changed in a way that no other rule judges",
    meaning: "A bound, a pattern, a reference, a combination of schemas or a definition changed. \
        What it does to calls is told where it can be proved; where it can't it is risky, and says \
        that it could not be decided.",
    action: "Compare the two schemas at the place that is named, and try a call that matters to \
        you. Then pin again.",
};

pub(super) static OPENNESS: Rule = Rule {
    id: "openness-changed",
    subject: Subject::Change {
        levels: "compatible, or risky where it could not be decided",
        message: |change| {
            with_doubt(
                format!("{} {}", subject(change, "an object"), detail(change)),
                change,
            )
        },
    },
    summary: "an object accepts undeclared names no longer, or again",
    meaning: "`additionalProperties` went from open to `false` or back. A caller that keeps to \
        declared names is not affected either way. One that sends others is refused by a closed \
        object and silently ignored by an open one. SDK upgrades change this for all tools of a \
        server at once.",
    action: "If something of yours sends names that the schema does not declare, look at it. Then \
        pin again.",
};

pub(super) static DIALECT: Rule = Rule {
    id: "dialect-changed",
    subject: Subject::Change {
        levels: "equivalent where the dialect is the same all the same, else risky",
        message: |change| {
            with_doubt(
                format!("{} {}", subject(change, "`$schema`"), moved(change)),
                change,
            )
        },
    },
    summary: "`$schema` changed",
    meaning: "`$schema` decides what the other keywords mean: tuples, references with siblings, \
        boolean bounds and more differ between dialects. Without it the dialect is 2020-12 from \
        revision 2025-11-25 on, and not stated before.",
    action: "Where the schema uses none of what differs, pin again. `default-dialect` in \
        mcplock.toml says how to read the schemas of a server that does not say.",
};
