//! Rules about one call: what became of its arguments between the model and the server.

use super::losses::LOSSY;
use super::registry::Rule;

/// What can be done about any of them.
const TELL: &str = "Tell the author of the client, gateway or adapter, with both files. A guard that \
    passes arguments on byte for byte does not mend what was changed before it.";

pub(super) static COERCED: Rule = Rule {
    id: "call-coerced",
    subject: LOSSY,
    summary: "an argument reached the server with another type",
    meaning: "Something on the way repaired the call, such as `\"50\"` to `50`. The server never saw \
        what the model said, and a wrong call passes for a right one.",
    action: TELL,
};

pub(super) static CHANGED: Rule = Rule {
    id: "call-changed",
    subject: LOSSY,
    summary: "an argument reached the server with another value",
    meaning: "A number was rounded or cut, a text was trimmed or encoded anew. The call means \
        something else now.",
    action: TELL,
};

pub(super) static DROPPED: Rule = Rule {
    id: "call-dropped",
    subject: LOSSY,
    summary: "an argument did not reach the server",
    meaning: "Adapters that rebuild a call from a model of its arguments drop what the model does \
        not have. The server acts without it.",
    action: TELL,
};

pub(super) static RENAMED: Rule = Rule {
    id: "call-renamed",
    subject: LOSSY,
    summary: "an argument reached the server under another name",
    meaning: "A server that tolerates undeclared names ignores the argument in silence; where the \
        far side had renamed it before, this is the way back and right.",
    action: TELL,
};

pub(super) static FILLED_IN: Rule = Rule {
    id: "call-filled-in",
    subject: LOSSY,
    summary: "the server received an argument that the model did not send",
    meaning: "An adapter filled in a default, its own or the declared one, or a null. A server that \
        treats an absent argument otherwise does something else now.",
    action: TELL,
};
