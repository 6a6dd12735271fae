//! Rules about one item alone that go beyond its being well-formed: values, names, words.

use super::faults::{TELL, advice, unfit};
use super::registry::Rule;

pub(super) static KEYWORD_WITHOUT_EFFECT: Rule = Rule {
    id: "keyword-without-effect",
    subject: advice(
        "every reader of the dialect agrees on what the schema lets in; it is only more than its author meant",
    ),
    summary: "a keyword constrains nothing in the schema's dialect",
    meaning: "The keyword belongs to another dialect of JSON Schema (such as `prefixItems` in \
        draft-07), or stands beside a `$ref` where the dialect ignores it. The author meant \
        a constraint that nobody need check. Some readers check a few of them all the same: \
        `dependencies`, which 2019-09 split in two, is one. mcplock keeps to the standard.",
    action: "A server author writes the constraint in the dialect that `$schema` names, or names \
        another one.",
};

pub(super) static DEFAULT_REFUSED: Rule = Rule {
    id: "default-refused",
    subject: advice(
        "the contract is clear and a default binds nobody; one real tool in twenty has such a default",
    ),
    summary: "a default is not valid under its own schema",
    meaning: "A model that fills in the default, as it is invited to, sends a value that a strict \
        server or client refuses. Often it is `null` where the type does not allow it.",
    action: "A server author corrects the default or lets the schema take it.",
};

pub(super) static VALUE_REFUSED: Rule = Rule {
    id: "value-refused",
    subject: advice("the contract is clear: the value is refused by everybody alike"),
    summary: "a value of `enum` or `examples` is not valid under its own schema",
    meaning: "The list offers a value that another keyword beside it refuses, so a model that \
        picks it is refused.",
    action: "A server author takes the value out, or lets the schema take it.",
};

pub(super) static UNSATISFIABLE: Rule = Rule {
    id: "unsatisfiable",
    subject: advice(
        "the contract is clear: the part can't be used, and nothing wrong gets through",
    ),
    summary: "no value can be right",
    meaning: "Keywords contradict each other, such as a minimum above the maximum, or `enum` is \
        empty. A parameter \
        with this schema can't be given, and if it is required the tool can't be called.",
    action: "A server author corrects the bounds or the values.",
};

pub(super) static REQUIRED_UNDECLARED: Rule = Rule {
    id: "required-undeclared",
    subject: advice("the contract is clear: the object is refused by everybody alike"),
    summary: "a closed object requires a member that it does not let in",
    meaning: "`required` names a member that `properties` does not declare while \
        `additionalProperties` is false. Whether it is given or not, the object is refused.",
    action: "A server author declares the member, or takes it out of `required`.",
};

pub(super) static INEXACT_NUMBER: Rule = Rule {
    id: "inexact-number",
    subject: advice(
        "only values near the bound are read differently, and such bounds are often limits of a type that no call comes near",
    ),
    summary: "a number is none that a double holds",
    meaning: "Most JSON readers keep numbers as doubles and read this one as another number, so \
        that two clients enforce two bounds.",
    action: "A server author uses a number within 2^53, or leaves the bound out.",
};

pub(super) static PATTERN_NEEDS_NON_UNICODE: Rule = Rule {
    id: "pattern-needs-non-unicode",
    subject: advice("what the author meant is plain, and most readers take it"),
    summary: "a pattern is a regular expression only without the `u` flag",
    meaning: "JSON Schema asks for ECMA-262 and recommends the `u` flag, under which needless \
        backslashes and loose braces are errors. Some validators refuse the schema, others \
        read the pattern.",
    action: "A server author writes the pattern without the needless escapes.",
};

pub(super) static PATTERN_NOT_EVALUATED: Rule = Rule {
    id: "pattern-not-evaluated",
    subject: advice("the pattern is a legal one, and it is mcplock that can't evaluate it"),
    summary: "a pattern can't be evaluated",
    meaning: "The pattern is too long, grows too large when its repetitions are written out, or uses \
        a part of ECMA-262 that mcplock's engine lacks. Whether an argument matches it can't be \
        told, so calls to the tool can't be checked.",
    action: "A server author states lengths by `maxLength`, and what is left by a simpler pattern.",
};

pub(super) static ODD_NAME: Rule = Rule {
    id: "odd-name",
    subject: advice(
        "the specification says \"should\", older revisions say nothing, and the name still names one tool",
    ),
    summary: "a name is none that the specification allows",
    meaning: "Since 2025-11-25 tool names should be 1 to 128 ASCII letters, digits, `_`, `-` and \
        `.`. Model providers refuse others, and hosts replace letters, so that the model \
        sees another name.",
    action: "A server author renames the tool; that is a breaking change for its callers.",
};

pub(super) static PATH_NAME: Rule = Rule {
    id: "path-name",
    subject: unfit(
        "no honest tool has such a name, and a host that uses it as a file name writes where the server wants",
    ),
    summary: "a name is a path",
    meaning: "Hosts use names of tools and prompts as file names, for caches, logs and \
        permissions. A name that climbs out of its folder, or is absolute, can make them \
        write elsewhere.",
    action: TELL,
};

pub(super) static MIXED_SCRIPT: Rule = Rule {
    id: "mixed-script",
    subject: unfit("people approve a name that is not the one which is called"),
    summary: "a name mixes letters of different scripts",
    meaning: "A letter that looks like one of another script stands among letters of that script, \
        such as a Cyrillic one in a Latin word; or a whole word is written so. People read one name, \
        machines another. Scripts that are written together (Japanese, Korean), words of different \
        scripts side by side, and letters that look like no others (`timeout_μs`) are fine.",
    action: TELL,
};

pub(super) static LOOK_ALIKE_NAME: Rule = Rule {
    id: "look-alike-name",
    subject: unfit("what was approved under one name is taken for what stands under the other"),
    summary: "a name looks like another one",
    meaning: "Two names differ only in letters of different scripts that look the same (UTS 39), in \
        invisible characters, or in how accents are composed. People who approve one may be shown the \
        other. Names in plain ASCII are never told, however alike.",
    action: TELL,
};

pub(super) static NAME_COLLISION: Rule = Rule {
    id: "name-collision",
    subject: advice(
        "each contract is sound by itself; whether they meet depends on the host and on the names in your config",
    ),
    summary: "hosts give two tools one name",
    meaning: "Hosts join the names of server and tool (`mcp__server__tool`), replace what they do \
        not allow, and cut at 64 characters. These two come out the same, and one of them \
        hides the other; or the tool looks like one of another server in letters of another script. \
        Servers that are not judged in a run count as they are pinned. One name in two servers \
        is no finding, since hosts tell them apart by the server's name; `-v` lists such names.",
    action: "Rename one of the servers in the config. Where both are tools of one server, give it a \
        shorter name, or tell its author.",
};

pub(super) static HIDDEN_TEXT: Rule = Rule {
    id: "hidden-text",
    subject: unfit("what a person has reviewed is not what a model reads"),
    summary: "text holds characters that are not seen",
    meaning: "Invisible, reordering or terminal-control characters stand where neither emoji nor a \
        script has a use for them. A model reads what they carry; a person who reviews the \
        text does not.",
    action: TELL,
};

pub(super) static RESERVED_ARGUMENT: Rule = Rule {
    id: "reserved-argument",
    subject: unfit("calls can't reach the server as the contract says"),
    summary: "an argument has a name that the host reserves",
    meaning: "The host takes an argument of this name out of every call, or puts its own value \
        there. The server never gets what the model says, or gets what it should not.",
    action: "Tell the server's author, or take the name out of `reserved-arguments` if your host \
        lets it pass.",
};

pub(super) static INVALID_HEADER: Rule = Rule {
    id: "invalid-header",
    subject: advice("the contract is sound, and over standard streams the tool works"),
    summary: "an `x-mcp-header` is not valid",
    meaning: "Clients over HTTP must drop a tool whose `x-mcp-header` is no header name, stands \
        twice, or belongs to no plain parameter, so the tool is there over standard streams \
        and gone over HTTP.",
    action: "A server author corrects the header's name or place.",
};

pub(super) static DESCRIPTION_MISSING: Rule = Rule {
    id: "description-missing",
    subject: advice("the schema still says which calls are right; only words are missing"),
    summary: "a tool has no description",
    meaning: "A model has only the name to tell what the tool does, so it is called at the wrong \
        time, or never.",
    action: "A server author says in a sentence what the tool does and when to use it.",
};
