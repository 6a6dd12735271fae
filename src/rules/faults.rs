//! Rules about one item alone: whether its contract can be relied on.

use super::level::Level;
use super::registry::{Rule, Subject};

/// Can't be relied on; a waiver lets it in. Each of these says why it is of its level, as a
/// fragment.
pub(super) const fn unfit(why: &'static str) -> Subject {
    Subject::Fault {
        level: Level::Unfit,
        waivable: true,
        why,
    }
}

/// Unfit, and nothing that could be pinned or named by a digest.
const fn unpinnable(why: &'static str) -> Subject {
    Subject::Fault {
        level: Level::Unfit,
        waivable: false,
        why,
    }
}

/// Worth telling the author.
pub(super) const fn advice(why: &'static str) -> Subject {
    Subject::Fault {
        level: Level::Advice,
        waivable: false,
        why,
    }
}

/// What someone who is not the server's author can do about an unfit item.
pub(super) const TELL: &str = "Tell the server's author. Until it is mended, use another release, or waive the \
    fault with a reason in mcplock.toml; the waiver lapses when the contract moves.";

/// The same, where there is no canonical form to pin or to waive.
const NO_FORM: &str = "Tell the server's author. The item has no canonical form, so it can be neither \
    pinned nor waived. The other items are judged as usual, but nothing of the server is written \
    while it is listed.";

pub(super) static DUPLICATE_KEY: Rule = Rule {
    id: "duplicate-key",
    subject: unpinnable("two readers of one text see two contracts, so there is none to rely on"),
    summary: "an object has two members with one name",
    meaning: "Some JSON readers keep the first member, some the last, some refuse the text. Two \
        clients see two contracts, and a reviewer may approve the one that is not used.",
    action: NO_FORM,
};

pub(super) static LONE_SURROGATE: Rule = Rule {
    id: "lone-surrogate",
    subject: unpinnable(
        "readers turn it into different texts, so no digest could stand for what they see",
    ),
    summary: "a string holds half a surrogate pair",
    meaning: "An escape like `\\ud800` alone stands for no Unicode text. Readers replace it, drop \
        it, or refuse the message, each in its own way.",
    action: NO_FORM,
};

pub(super) static TOO_DEEP: Rule = Rule {
    id: "too-deep",
    subject: unpinnable(
        "what is not read can't be judged, and readers that recurse can be brought down by it",
    ),
    summary: "nested deeper than the limit",
    meaning: "Arrays and objects nest deeper than mcplock reads (128 levels). No real contract \
        does, and readers that recurse may overflow their stack on it.",
    action: NO_FORM,
};

pub(super) static EXPONENT_TOO_LARGE: Rule = Rule {
    id: "exponent-too-large",
    subject: unpinnable("a number that nothing can compare may be any number"),
    summary: "a number has an exponent that nothing can compare",
    meaning: "The number's exponent has more than 17 digits. No reader can tell it from its \
        neighbours, so no digest could rest on it.",
    action: NO_FORM,
};

pub(super) static NOT_AN_ITEM: Rule = Rule {
    id: "not-an-item",
    subject: unpinnable("what has no name can't be reviewed, called or found again"),
    summary: "an element of a list is no item",
    meaning: "It is not an object, or its name or URI is missing, empty or not a string, so it \
        can't be called, pinned or compared.",
    action: NO_FORM,
};

pub(super) static DUPLICATE_ITEM: Rule = Rule {
    id: "duplicate-item",
    subject: unpinnable("nobody can say which of the two a call reaches"),
    summary: "two items of one kind have one name",
    meaning: "Which of the two a client shows and which one the server runs is chance. A second \
        tool can take the place of one that was reviewed.",
    action: "Tell the server's author. Nothing of the server can be pinned while a name stands twice, \
        since a pin is found by its name.",
};

pub(super) static INPUT_SCHEMA_MISSING: Rule = Rule {
    id: "input-schema-missing",
    subject: unfit(
        "there is no contract for the arguments; an empty one made up in its place would let everything through",
    ),
    summary: "a tool has no `inputSchema`",
    meaning: "The protocol asks for one in every revision. Clients drop the tool, the whole list, or \
        make up a schema.",
    action: TELL,
};

pub(super) static ROOT_NOT_OBJECT: Rule = Rule {
    id: "root-not-object",
    subject: unfit("the arguments that it describes are none that can be sent"),
    summary: "the root of a schema is not `type: \"object\"`",
    meaning: "Arguments are an object, and the protocol asks the schema to say so at its root. \
        Clients and model providers refuse a tool that does not. A schema of nothing but `$schema` \
        is the sign of an SDK and a schema library that don't fit together.",
    action: TELL,
};

pub(super) static UNKNOWN_DIALECT: Rule = Rule {
    id: "unknown-dialect",
    subject: unfit("a schema in a language that nobody here reads promises nothing"),
    summary: "`$schema` names a dialect that is not known",
    meaning: "What the keywords mean depends on the dialect, so nobody can say which arguments are \
        right. mcplock knows draft-04, draft-06, draft-07, 2019-09 and 2020-12, and never fetches \
        one.",
    action: TELL,
};

pub(super) static UNKNOWN_VOCABULARY: Rule = Rule {
    id: "unknown-vocabulary",
    subject: unfit("the schema itself says that it must not be read without it"),
    summary: "a schema needs a vocabulary that is not known",
    meaning: "`$vocabulary`, at the root or in the embedded metaschema that `$schema` names, says \
        that a reader must know a vocabulary which is none of JSON Schema's own. Its keywords may \
        forbid arguments, and nobody who does not know them can tell which. A vocabulary that need \
        not be known (`false`) is fine.",
    action: TELL,
};

pub(super) static NOT_WELL_FORMED: Rule = Rule {
    id: "not-well-formed",
    subject: unfit(
        "what a broken keyword means is left to each reader, so two clients enforce two contracts",
    ),
    summary: "a schema is not valid against the metaschema of its dialect",
    meaning: "A keyword has a value that its dialect does not allow, such as `exclusiveMinimum: \
        true` in 2020-12. Strict clients refuse the tool or the whole list; others skip the \
        keyword, and with it a constraint.",
    action: TELL,
};

pub(super) static EXTERNAL_REF: Rule = Rule {
    id: "external-ref",
    subject: unfit("what lies outside is not pinned by a digest of what lies inside"),
    summary: "a reference leads out of the document",
    meaning: "The schema is not whole: part of it lies at a URL or in a file, can change without \
        the catalog changing, and a client that fetches it can be made to read what it should \
        not. mcplock fetches nothing for a reference.",
    action: TELL,
};

pub(super) static DANGLING_REF: Rule = Rule {
    id: "dangling-ref",
    subject: unfit(
        "part of the contract is missing, and what stands in for it is left to each reader",
    ),
    summary: "a reference points at nothing, or at nothing for certain",
    meaning: "The definition that the reference names is not in the document, often because a \
        gateway or an SDK dropped `$defs`; or different parts of the document have the `$id` or \
        anchor that it names. Clients refuse the tool, accept anything there, or take one of them.",
    action: TELL,
};

pub(super) static REF_LOOP: Rule = Rule {
    id: "ref-loop",
    subject: unfit("no reader can decide whether arguments are right"),
    summary: "references lead back to themselves",
    meaning: "Following the references never reaches the end without looking at any further part of \
        the arguments. Validators hang or overflow their stack on it. A schema that refers to \
        itself for a member or element is fine.",
    action: TELL,
};

pub(super) static INSTRUCTIONS_NOT_TEXT: Rule = Rule {
    id: "instructions-not-text",
    subject: unpinnable("instructions steer the model, and these may reach it as anything"),
    summary: "`instructions` is not a string",
    meaning: "The protocol asks for a string. What a client makes of anything else is its own \
        affair.",
    action: "Tell the server's author. Instructions that are no text can't be pinned.",
};

pub(super) static SCHEMA_TOO_LARGE: Rule = Rule {
    id: "schema-too-large",
    subject: unfit("what was not judged must not pass for sound"),
    summary: "a schema is too large to be judged",
    meaning: "It has more subschemas than mcplock looks at, so whether it is well-formed and where \
        its references lead is not known.",
    action: TELL,
};

pub(super) static DIALECT_DEPENDENT: Rule = Rule {
    id: "dialect-dependent",
    subject: advice(
        "one of the readings is sound, and the setting `default-dialect` settles which one counts",
    ),
    summary: "what a schema is worth depends on the dialect that it does not declare",
    meaning: "The schema has no `$schema`, the agreed revision does not say which dialect that \
        means, and 2020-12 and draft-07 disagree on whether the schema is well-formed or where its \
        references lead. Clients will disagree too.",
    action: "A server author adds `$schema`. Others set `default-dialect` for the server in \
        mcplock.toml.",
};

pub(super) static SECRET_ECHO: Rule = Rule {
    id: "secret-echo",
    subject: unpinnable("a credential must reach neither a model nor a file that is committed"),
    summary: "the catalog holds a secret that the server was given",
    meaning: "A text, name or default of the catalog holds the value of a variable, header or \
        argument that is a credential. Every model that reads the catalog would see it, and pinning \
        would write it into a file that is committed.",
    action: "Change the credential, since it may have been seen already, and tell the server's \
        author. The item can't be pinned while the text holds the value.",
};
