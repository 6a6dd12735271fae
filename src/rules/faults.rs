//! Rules about one item alone: whether its contract can be relied on.

use super::level::Level;
use super::registry::{Rule, Subject};

pub(super) const UNFIT: Subject = Subject::Fault {
    level: Level::Unfit,
    waivable: true,
};
/// Unfit, and nothing that could be pinned or named by a digest.
const UNPINNABLE: Subject = Subject::Fault {
    level: Level::Unfit,
    waivable: false,
};
pub(super) const ADVICE: Subject = Subject::Fault {
    level: Level::Advice,
    waivable: false,
};

/// What someone who is not the server's author can do about an unfit item.
pub(super) const TELL: &str = "Tell the server's author. Until it is mended, use another release, or waive the \
    fault with a reason in mcplock.toml; the waiver lapses when the contract moves.";

/// The same, where there is no canonical form to pin or to waive.
const NO_FORM: &str = "Tell the server's author. The item has no canonical form, so it can be neither \
    pinned nor waived; the other items of the server are judged as usual.";

pub(super) static DUPLICATE_KEY: Rule = Rule {
    id: "duplicate-key",
    subject: UNPINNABLE,
    summary: "an object has two members with one name",
    meaning: "Some JSON readers keep the first member, some the last, some refuse the text. Two \
        clients see two contracts, and a reviewer may approve the one that is not used.",
    action: NO_FORM,
};

pub(super) static LONE_SURROGATE: Rule = Rule {
    id: "lone-surrogate",
    subject: UNPINNABLE,
    summary: "a string holds half a surrogate pair",
    meaning: "An escape like `\\ud800` alone stands for no Unicode text. Readers replace it, drop \
        it, or refuse the message, each in its own way.",
    action: NO_FORM,
};

pub(super) static TOO_DEEP: Rule = Rule {
    id: "too-deep",
    subject: UNPINNABLE,
    summary: "nested deeper than the limit",
    meaning: "Arrays and objects nest deeper than mcplock reads (128 levels). No real contract \
        does, and readers that recurse may overflow their stack on it.",
    action: NO_FORM,
};

pub(super) static EXPONENT_TOO_LARGE: Rule = Rule {
    id: "exponent-too-large",
    subject: UNPINNABLE,
    summary: "a number has an exponent that nothing can compare",
    meaning: "The number's exponent has more than 17 digits. No reader can tell it from its \
        neighbours, so no digest could rest on it.",
    action: NO_FORM,
};

pub(super) static NOT_AN_ITEM: Rule = Rule {
    id: "not-an-item",
    subject: UNPINNABLE,
    summary: "an element of a list is no item",
    meaning: "It is not an object, or its name or URI is missing, empty or not a string, so it \
        can't be called, pinned or compared.",
    action: NO_FORM,
};

pub(super) static DUPLICATE_ITEM: Rule = Rule {
    id: "duplicate-item",
    subject: UNPINNABLE,
    summary: "two items of one kind have one name",
    meaning: "Which of the two a client shows and which one the server runs is chance. A second \
        tool can take the place of one that was reviewed.",
    action: "Tell the server's author. Nothing of the server can be pinned while a name stands twice, \
        since a pin is found by its name.",
};

pub(super) static INPUT_SCHEMA_MISSING: Rule = Rule {
    id: "input-schema-missing",
    subject: UNFIT,
    summary: "a tool has no `inputSchema`",
    meaning: "The protocol asks for one in every revision. Clients drop the tool, the whole list, or \
        make up a schema.",
    action: TELL,
};

pub(super) static ROOT_NOT_OBJECT: Rule = Rule {
    id: "root-not-object",
    subject: UNFIT,
    summary: "the root of a schema is not `type: \"object\"`",
    meaning: "Arguments are an object, and the protocol asks the schema to say so at its root. \
        Clients and model providers refuse a tool that does not. A schema of nothing but `$schema` \
        is the sign of an SDK and a schema library that don't fit together.",
    action: TELL,
};

pub(super) static UNKNOWN_DIALECT: Rule = Rule {
    id: "unknown-dialect",
    subject: UNFIT,
    summary: "`$schema` names a dialect that is not known",
    meaning: "What the keywords mean depends on the dialect, so nobody can say which arguments are \
        right. mcplock knows draft-04, draft-06, draft-07, 2019-09 and 2020-12, and never fetches \
        one.",
    action: TELL,
};

pub(super) static UNKNOWN_VOCABULARY: Rule = Rule {
    id: "unknown-vocabulary",
    subject: UNFIT,
    summary: "a schema needs a vocabulary that is not known",
    meaning: "`$vocabulary`, at the root or in the embedded metaschema that `$schema` names, says \
        that a reader must know a vocabulary which is none of JSON Schema's own. Its keywords may \
        forbid arguments, and nobody who does not know them can tell which. A vocabulary that need \
        not be known (`false`) is fine.",
    action: TELL,
};

pub(super) static NOT_WELL_FORMED: Rule = Rule {
    id: "not-well-formed",
    subject: UNFIT,
    summary: "a schema is not valid against the metaschema of its dialect",
    meaning: "A keyword has a value that its dialect does not allow, such as `exclusiveMinimum: \
        true` in 2020-12. Strict clients refuse the tool or the whole list; others skip the \
        keyword, and with it a constraint.",
    action: TELL,
};

pub(super) static EXTERNAL_REF: Rule = Rule {
    id: "external-ref",
    subject: UNFIT,
    summary: "a reference leads out of the document",
    meaning: "The schema is not whole: part of it lies at a URL or in a file, can change without \
        the catalog changing, and a client that fetches it can be made to read what it should \
        not. mcplock fetches nothing for a reference.",
    action: TELL,
};

pub(super) static DANGLING_REF: Rule = Rule {
    id: "dangling-ref",
    subject: UNFIT,
    summary: "a reference points at nothing",
    meaning: "The definition that the reference names is not in the document, often because a \
        gateway or an SDK dropped `$defs`. Clients refuse the tool or accept anything there.",
    action: TELL,
};

pub(super) static REF_LOOP: Rule = Rule {
    id: "ref-loop",
    subject: UNFIT,
    summary: "references lead back to themselves",
    meaning: "Following the references never reaches the end without looking at any further part of \
        the arguments. Validators hang or overflow their stack on it. A schema that refers to \
        itself for a member or element is fine.",
    action: TELL,
};

pub(super) static INSTRUCTIONS_NOT_TEXT: Rule = Rule {
    id: "instructions-not-text",
    subject: UNPINNABLE,
    summary: "`instructions` is not a string",
    meaning: "The protocol asks for a string. What a client makes of anything else is its own \
        affair.",
    action: "Tell the server's author. Instructions that are no text can't be pinned.",
};

pub(super) static SCHEMA_TOO_LARGE: Rule = Rule {
    id: "schema-too-large",
    subject: UNFIT,
    summary: "a schema is too large to be judged",
    meaning: "It has more subschemas than mcplock looks at, so whether it is well-formed and where \
        its references lead is not known.",
    action: TELL,
};

pub(super) static DIALECT_DEPENDENT: Rule = Rule {
    id: "dialect-dependent",
    subject: ADVICE,
    summary: "what a schema is worth depends on the dialect that it does not declare",
    meaning: "The schema has no `$schema`, the agreed revision does not say which dialect that \
        means, and 2020-12 and draft-07 disagree on whether the schema is well-formed or where its \
        references lead. Clients will disagree too.",
    action: "A server author adds `$schema`. Others set `default-dialect` for the server in \
        mcplock.toml.",
};

pub(super) static SECRET_ECHO: Rule = Rule {
    id: "secret-echo",
    subject: UNPINNABLE,
    summary: "the catalog holds a secret that the server was given",
    meaning: "A text, name or default of the catalog holds the value of a variable, header or \
        argument that is a credential. Every model that reads the catalog would see it, and pinning \
        would write it into a file that is committed.",
    action: "Change the credential, since it may have been seen already, and tell the server's \
        author. The item can't be pinned while the text holds the value.",
};
