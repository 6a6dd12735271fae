//! Why an instance is refused, in words that repeat nothing of the instance.
//!
//! The library's own messages hold the whole instance, which may be long, hostile or secret.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};

use crate::json::Pointer;
use crate::text::visible;

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The part of the instance that is refused.
    pub instance: Pointer,
    /// The keyword in the schema that refuses it; references are followed.
    pub schema: Pointer,
    /// The keyword's name.
    pub keyword: String,
    /// What is wrong, as a fragment ("must be integer"), made visible.
    pub message: String,
}

impl Reason {
    pub(super) fn of(error: &ValidationError) -> Self {
        let pointer = |text: &str| Pointer::parse(text).unwrap_or_default();
        Reason {
            instance: pointer(error.instance_path().as_str()),
            schema: pointer(error.schema_path().as_str()),
            keyword: error.kind().keyword().to_owned(),
            message: message(error.kind()),
        }
    }
}

fn message(kind: &Kind) -> String {
    match kind {
        Kind::Type { kind } => match kind {
            TypeKind::Single(one) => format!("must be {one}"),
            TypeKind::Multiple(several) => {
                let names: Vec<String> = several.iter().map(|one| one.to_string()).collect();
                format!("must be {}", names.join(" or "))
            }
        },
        Kind::Required { property } => {
            format!("lacks {}", name(property.as_str().unwrap_or_default()))
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("has {}, which is not declared", names(unexpected))
        }
        Kind::Enum { options } => {
            let count = options.as_array().map_or(0, Vec::len);
            format!("is none of the {count} values of `enum`")
        }
        Kind::Constant { .. } => "is not the value of `const`".to_owned(),
        Kind::Minimum { limit } => format!("is below the minimum, {}", number(limit)),
        Kind::ExclusiveMinimum { limit } => format!("is not above {}", number(limit)),
        Kind::Maximum { limit } => format!("is above the maximum, {}", number(limit)),
        Kind::ExclusiveMaximum { limit } => format!("is not below {}", number(limit)),
        Kind::MultipleOf { multiple_of } => format!("is no multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("is shorter than {limit} characters"),
        Kind::MaxLength { limit } => format!("is longer than {limit} characters"),
        Kind::MinItems { limit } => format!("has fewer than {limit} elements"),
        Kind::MaxItems { limit } => format!("has more than {limit} elements"),
        Kind::AdditionalItems { limit } => format!("has more than {limit} elements"),
        Kind::MinProperties { limit } => format!("has fewer than {limit} members"),
        Kind::MaxProperties { limit } => format!("has more than {limit} members"),
        Kind::Pattern { pattern } => format!("does not match the pattern {}", name(pattern)),
        Kind::UniqueItems => "has equal elements".to_owned(),
        Kind::Contains => "has no element that `contains` asks for".to_owned(),
        Kind::UnevaluatedItems { .. } => "has elements that are not declared".to_owned(),
        Kind::FalseSchema => "is not allowed at all".to_owned(),
        Kind::AnyOf { .. } => "is valid under no branch of `anyOf`".to_owned(),
        Kind::OneOfNotValid { .. } => "is valid under no branch of `oneOf`".to_owned(),
        Kind::OneOfMultipleValid { .. } => "is valid under several branches of `oneOf`".to_owned(),
        Kind::Not { .. } => "is valid under `not`".to_owned(),
        Kind::PropertyNames { .. } => "has a member whose name is not allowed".to_owned(),
        other => format!("is refused by `{}`", other.keyword()),
    }
}

/// A name from the schema or the instance: visible, and no longer than a line can bear.
fn name(text: &str) -> String {
    const LONGEST: usize = 60;
    let cut: String = text.chars().take(LONGEST).collect();
    let rest = if cut.len() < text.len() { "…" } else { "" };
    format!("`{}{rest}`", visible(&cut))
}

fn names(unexpected: &[String]) -> String {
    match unexpected {
        [one] => name(one),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
        [] => "a member".to_owned(),
    }
}

fn number(limit: &serde_json::Value) -> String {
    name(&limit.to_string())
}
