//! Rules about what the far side of a client, gateway or provider conversion loses.

use super::level::Level;
use super::registry::{Rule, Subject};

pub(super) const LOSSY: Subject = Subject::Loss {
    level: Level::Unfit,
};
const TOLD: Subject = Subject::Loss {
    level: Level::Advice,
};

/// What can be done about any of them.
const TELL: &str = "Tell the author of the client, gateway or adapter, with the witness. Until it \
    is mended, check arguments against the server's own schema before a call (the guard does), or \
    set another level with a reason: `[[override]]` in mcplock.toml.";

pub(super) static TOOL_LOST: Rule = Rule {
    id: "tool-lost",
    subject: LOSSY,
    summary: "a tool of the server is not shown on the far side",
    meaning: "The model can't call it. Clients drop a tool that they can't read, sometimes with the \
        whole list, and say nothing; others filter on purpose.",
    action: TELL,
};

pub(super) static TOOL_INVENTED: Rule = Rule {
    id: "tool-invented",
    subject: TOLD,
    summary: "a tool is shown on the far side that the server does not have",
    meaning: "It belongs to another server or to the host, or it was made up on the way. It was not \
        compared with anything.",
    action: "Check it with the server that it belongs to.",
};

pub(super) static TOOL_RENAMED: Rule = Rule {
    id: "tool-renamed",
    subject: TOLD,
    summary: "a tool has another name on the far side, not made from the server's",
    meaning: "It was recognised by its description alone. Words that name the tool, in instructions \
        or in other descriptions, lead nowhere.",
    action: "Nothing, if the host maps the name back.",
};

pub(super) static PAIRING_AMBIGUOUS: Rule = Rule {
    id: "pairing-ambiguous",
    subject: LOSSY,
    summary: "several far tools may stand for one tool of the server",
    meaning: "Names were cut short or carry prefixes, so that two far tools fit one tool. Neither \
        was compared.",
    action: "Capture the tools of this server alone, or give each server a prefix of its own.",
};

pub(super) static CONSTRAINT_LOST: Rule = Rule {
    id: "constraint-lost",
    subject: LOSSY,
    summary: "a constraint of the server is not passed on",
    meaning: "The model is not told of it and may make the call of the witness, which the server \
        refuses. Both sides were asked by the validator; where neither a proof nor a call was \
        found, the message says that it could not be decided.",
    action: TELL,
};

pub(super) static NARROWED: Rule = Rule {
    id: "narrowed",
    subject: LOSSY,
    summary: "the far side refuses a legal call",
    meaning: "The model is told of a constraint that the server does not have, such as a type less \
        or a name that must be given, and can't make the call of the witness. Undeclared names \
        don't count: a far side may close an object that the server leaves open.",
    action: TELL,
};

pub(super) static ARGUMENT_LOST: Rule = Rule {
    id: "argument-lost",
    subject: LOSSY,
    summary: "a declared argument is not passed on",
    meaning: "The model does not know that it exists, so the calls that need it are never made. The \
        witness is one of them.",
    action: TELL,
};

pub(super) static ARGUMENT_INVENTED: Rule = Rule {
    id: "argument-invented",
    subject: LOSSY,
    summary: "the far side declares an argument that the server does not know",
    meaning: "The server refuses a call that uses it, or ignores it in silence. Adapters add such \
        names for themselves and take them out again before the call; where they do, it is \
        harmless.",
    action: TELL,
};

pub(super) static ARGUMENT_RENAMED: Rule = Rule {
    id: "argument-renamed",
    subject: LOSSY,
    summary: "an argument has another name on the far side",
    meaning: "A call under the far name reaches the server only if the adapter maps it back. Where it \
        does not, a server that tolerates undeclared names ignores the argument in silence.",
    action: TELL,
};

pub(super) static WORDS_LOST: Rule = Rule {
    id: "words-lost",
    subject: LOSSY,
    summary: "words for the model are missing or cut short",
    meaning: "What stands at the end of a description is often the exception or the warning. The \
        model decides without it.",
    action: TELL,
};

pub(super) static WORDS_REWRITTEN: Rule = Rule {
    id: "words-rewritten",
    subject: TOLD,
    summary: "words for the model are others on the far side",
    meaning: "The description was replaced, so that what was reviewed is not what the model reads.",
    action: "Read both.",
};

pub(super) static DEFAULT_LOST: Rule = Rule {
    id: "default-lost",
    subject: TOLD,
    summary: "a default is missing or another one on the far side",
    meaning: "No call is refused, but the model does not know what happens when it leaves the \
        argument out, or is told something else.",
    action: TELL,
};

pub(super) static ANNOTATION_LOST: Rule = Rule {
    id: "annotation-lost",
    subject: TOLD,
    summary: "a format, an encoding or examples are missing or others on the far side",
    meaning: "By default they refuse nothing, so no call is affected; the model has a hint less.",
    action: TELL,
};

pub(super) static NOT_COMPARED: Rule = Rule {
    id: "not-compared",
    subject: LOSSY,
    summary: "what is lost could not be decided",
    meaning: "One of the two schemas can't be used, or is larger than what is asked about, so \
        nothing is known of the rest.",
    action: "See what is said of the schema itself; a waiver or a smaller schema helps.",
};

pub(super) static PROVIDER_REFUSES: Rule = Rule {
    id: "provider-refuses",
    subject: LOSSY,
    summary: "a provider's documented subset refuses a construct of the schema",
    meaning: "The provider answers the request with an error, or an adapter cuts the construct out \
        first. Only what `--for` names is asked about; the message says where and when the provider \
        documented it.",
    action: "Say it in a way that the subset has, use the provider without its strict mode, or \
        capture what your adapter sends and compare it: `--projection`.",
};

pub(super) static PROVIDER_STRICT_REFUSES: Rule = Rule {
    id: "provider-strict-refuses",
    subject: TOLD,
    summary: "a provider's strict mode refuses a construct of the schema",
    meaning: "Without strict mode the tool passes and the schema is a hint. With it the request is \
        refused, unless the adapter rewrites the schema first, which is where constraints get lost.",
    action: "Capture what your adapter sends and compare it: `--projection`.",
};

pub(super) static PROVIDER_IGNORES: Rule = Rule {
    id: "provider-ignores",
    subject: TOLD,
    summary: "a provider takes a construct of the schema and does not enforce it",
    meaning: "The model may or may not keep to it, so that calls which break it reach the server.",
    action: "Check arguments before the call; repeat the constraint in the description.",
};
