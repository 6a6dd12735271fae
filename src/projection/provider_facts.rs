//! What providers document of the JSON Schema that they take for tools, each fact with its source
//! and the date of what was read. Data alone.
//!
//! Where only the strict mode (constrained decoding) has a rule, the effect says so: without it the
//! schema is a hint to the model and most of JSON Schema passes.

use crate::json::Value;

use super::provider::Provider;

/// One thing that a provider documents.
#[derive(Debug, Clone, Copy)]
pub struct Fact {
    /// The provider.
    pub provider: Provider,
    /// What of a tool it is about.
    pub construct: Construct,
    /// What the provider does.
    pub effect: Effect,
    /// The rule in our words, as a fragment.
    pub says: &'static str,
    /// Where it is documented.
    pub source: &'static str,
    /// The date of what was read: a day or a month.
    pub date: &'static str,
}

/// What a provider does with a construct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The request is refused.
    Refuses,
    /// The request is refused when the tool asks for strict mode.
    StrictRefuses,
    /// It is taken and not enforced.
    Ignores,
}

/// A construct of a tool.
#[derive(Debug, Clone, Copy)]
pub enum Construct {
    /// A name with other characters than letters, digits and these, or longer than this.
    Name {
        /// Characters beside letters and digits.
        others: &'static str,
        /// In characters.
        longest: usize,
    },
    /// A description of no characters.
    EmptyDescription,
    /// One of these keywords, anywhere.
    Keywords(&'static [&'static str]),
    /// Any keyword but these, anywhere.
    KeywordsBut(&'static [&'static str]),
    /// One of these keywords at the root.
    RootKeyword(&'static [&'static str]),
    /// A root without `type: "object"`.
    RootNotObject,
    /// A keyword with a number above this one.
    CountAbove(&'static str, f64),
    /// An object that is not closed.
    Open,
    /// A property that is not in `required`.
    Optional,
    /// A list of types.
    TypeList,
    /// `true` or `false` as a schema.
    BooleanSchema,
    /// An `enum` with a value that this does not take.
    EnumOf(fn(&Value) -> bool),
    /// A `format` but these.
    FormatsBut(&'static [&'static str]),
    /// A schema that contains itself.
    Recursion,
    /// A reference out of the document.
    ExternalRef,
    /// More properties than this, all objects together.
    Properties(usize),
    /// More values of `enum` than this, all together.
    EnumValues(usize),
    /// Objects nested deeper than this.
    Depth(usize),
}

const OPENAI: &str = "https://developers.openai.com/api/docs/guides/structured-outputs";
const OPENAI_CALLS: &str = "https://developers.openai.com/api/docs/guides/function-calling";
const ANTHROPIC: &str = "https://platform.claude.com/docs/en/build-with-claude/structured-outputs";
const ANTHROPIC_TOOLS: &str =
    "https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes";
const GEMINI: &str = "https://ai.google.dev/api/caching#Schema";
const GEMINI_CALLS: &str = "https://ai.google.dev/api/caching#FunctionDeclaration";
const BEDROCK: &str =
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html";
const BEDROCK_SCHEMA: &str =
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolInputSchema.html";

/// The facts, by provider.
pub static FACTS: &[Fact] = &[
    openai(
        Construct::RootNotObject,
        Effect::Refuses,
        "the root of the parameters is an object",
    ),
    openai(
        Construct::RootKeyword(&["anyOf", "oneOf", "allOf", "enum", "not"]),
        Effect::Refuses,
        "the root is a plain object, without a union beside it",
    ),
    Fact {
        provider: Provider::OpenAi,
        construct: Construct::Name {
            others: "_-",
            longest: 64,
        },
        effect: Effect::Refuses,
        says: "a name is up to 64 letters, digits, `_` and `-`",
        source: OPENAI_CALLS,
        date: "2026-02",
    },
    openai(
        Construct::Keywords(&[
            "allOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
            "dependentRequired",
            "dependentSchemas",
        ]),
        Effect::StrictRefuses,
        "of the ways to combine schemas only a nested `anyOf` is supported",
    ),
    openai(
        Construct::Optional,
        Effect::StrictRefuses,
        "every property must be required; one that may be missing is a union with null",
    ),
    openai(
        Construct::Open,
        Effect::StrictRefuses,
        "every object must have `additionalProperties: false`",
    ),
    openai(
        Construct::Keywords(&[
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "unevaluatedProperties",
            "unevaluatedItems",
            "contains",
            "minContains",
            "maxContains",
            "uniqueItems",
            "prefixItems",
            "minLength",
            "maxLength",
        ]),
        Effect::StrictRefuses,
        "the supported constraints are `pattern`, `format`, bounds and `multipleOf` of numbers, \
         `minItems` and `maxItems`",
    ),
    openai(
        Construct::FormatsBut(&[
            "date-time",
            "time",
            "date",
            "duration",
            "email",
            "hostname",
            "ipv4",
            "ipv6",
            "uuid",
        ]),
        Effect::StrictRefuses,
        "nine formats are supported",
    ),
    openai(
        Construct::Properties(5_000),
        Effect::StrictRefuses,
        "a schema has up to 5,000 properties",
    ),
    openai(
        Construct::EnumValues(1_000),
        Effect::StrictRefuses,
        "a schema has up to 1,000 values of `enum`",
    ),
    openai(
        Construct::Depth(10),
        Effect::StrictRefuses,
        "objects nest up to 10 levels",
    ),
    anthropic(
        Construct::RootNotObject,
        Effect::Refuses,
        "the root of `input_schema` is an object",
    ),
    Fact {
        provider: Provider::Anthropic,
        construct: Construct::RootKeyword(&["anyOf", "oneOf", "allOf"]),
        effect: Effect::Refuses,
        says: "a union at the root is rejected",
        source: ANTHROPIC_TOOLS,
        date: "2026-09",
    },
    anthropic(
        Construct::Name {
            others: "_-",
            longest: 64,
        },
        Effect::Refuses,
        "a name is up to 64 letters, digits, `_` and `-`",
    ),
    anthropic(
        Construct::Recursion,
        Effect::StrictRefuses,
        "schemas that contain themselves are not supported",
    ),
    anthropic(
        Construct::ExternalRef,
        Effect::StrictRefuses,
        "references lead into the document alone",
    ),
    anthropic(
        Construct::Keywords(&[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ]),
        Effect::StrictRefuses,
        "numbers can't be bounded",
    ),
    anthropic(
        Construct::Keywords(&["minLength", "maxLength"]),
        Effect::StrictRefuses,
        "the length of a string can't be bounded",
    ),
    anthropic(
        Construct::Keywords(&["maxItems", "uniqueItems", "contains"]),
        Effect::StrictRefuses,
        "of an array only `minItems` 0 or 1 can be said",
    ),
    anthropic(
        Construct::CountAbove("minItems", 1.0),
        Effect::StrictRefuses,
        "`minItems` is 0 or 1",
    ),
    anthropic(
        Construct::EnumOf(is_scalar),
        Effect::StrictRefuses,
        "an `enum` holds strings, numbers, booleans and null",
    ),
    anthropic(
        Construct::Open,
        Effect::StrictRefuses,
        "every object must have `additionalProperties: false`",
    ),
    gemini(
        Construct::RootNotObject,
        Effect::Refuses,
        "the parameters are an object",
    ),
    gemini(
        Construct::KeywordsBut(&[
            "type",
            "format",
            "title",
            "description",
            "nullable",
            "enum",
            "maxItems",
            "minItems",
            "properties",
            "required",
            "minProperties",
            "maxProperties",
            "minLength",
            "maxLength",
            "pattern",
            "example",
            "anyOf",
            "propertyOrdering",
            "default",
            "items",
            "minimum",
            "maximum",
        ]),
        Effect::Refuses,
        "`parameters` has no such field (`parametersJsonSchema` takes JSON Schema)",
    ),
    gemini(
        Construct::TypeList,
        Effect::Refuses,
        "`type` of `parameters` is one type; null is said with `nullable`",
    ),
    gemini(
        Construct::BooleanSchema,
        Effect::Refuses,
        "a schema of `parameters` is an object",
    ),
    gemini(
        Construct::EnumOf(is_text),
        Effect::Refuses,
        "an `enum` of `parameters` holds strings",
    ),
    gemini(
        Construct::Keywords(&["default"]),
        Effect::Ignores,
        "it is taken so that requests don't fail, and ignored",
    ),
    Fact {
        provider: Provider::Gemini,
        construct: Construct::Name {
            others: "_-.:",
            longest: 64,
        },
        effect: Effect::Refuses,
        says: "a name is up to 64 letters, digits, `_`, `-`, `.` and `:`",
        source: GEMINI_CALLS,
        date: "2026-11",
    },
    Fact {
        provider: Provider::Bedrock,
        construct: Construct::Name {
            others: "_-",
            longest: 64,
        },
        effect: Effect::Refuses,
        says: "a name is up to 64 letters, digits, `_` and `-`",
        source: BEDROCK,
        date: "2026-11",
    },
    Fact {
        provider: Provider::Bedrock,
        construct: Construct::EmptyDescription,
        effect: Effect::Refuses,
        says: "a description that is given has at least one character",
        source: BEDROCK,
        date: "2026-11",
    },
    Fact {
        provider: Provider::Bedrock,
        construct: Construct::RootNotObject,
        effect: Effect::Refuses,
        says: "the root of the schema is an object",
        source: BEDROCK_SCHEMA,
        date: "2026-11",
    },
];

const fn openai(construct: Construct, effect: Effect, says: &'static str) -> Fact {
    Fact {
        provider: Provider::OpenAi,
        construct,
        effect,
        says,
        source: OPENAI,
        date: "2026-02",
    }
}

const fn anthropic(construct: Construct, effect: Effect, says: &'static str) -> Fact {
    Fact {
        provider: Provider::Anthropic,
        construct,
        effect,
        says,
        source: ANTHROPIC,
        date: "2025-11",
    }
}

const fn gemini(construct: Construct, effect: Effect, says: &'static str) -> Fact {
    Fact {
        provider: Provider::Gemini,
        construct,
        effect,
        says,
        source: GEMINI,
        date: "2026-11",
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some()
}
