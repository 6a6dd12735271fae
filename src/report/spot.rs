//! A JSON Pointer in words: `filters[].op` instead of `/inputSchema/properties/filters/items/…`.
//!
//! Pure.

use std::fmt::Write as _;

use crate::canonical::write_string;
use crate::json::Pointer;

/// A place in an item, as a reader would name it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// The argument or result field, e.g. `filters[].op`; empty for the item itself.
    pub(super) path: String,
    /// The keyword or member there, e.g. `maximum`; empty for the whole.
    pub(super) member: String,
}

impl Spot {
    /// Whether this is the item as a whole.
    pub(super) fn is_whole(&self) -> bool {
        self.path.is_empty() && self.member.is_empty()
    }

    /// `filters[].op (maximum)`, `limit`, `description`.
    pub(super) fn words(&self) -> String {
        match (self.path.is_empty(), self.member.is_empty()) {
            (true, _) => self.member.clone(),
            (false, true) => self.path.clone(),
            (false, false) => format!("{} ({})", self.path, self.member),
        }
    }
}

/// Names the place of `pointer` in an item.
pub(super) fn spot(pointer: &Pointer) -> Spot {
    let tokens: Vec<String> = pointer.tokens().collect();
    match tokens.split_first() {
        None => Spot::default(),
        Some((first, rest)) if first == "inputSchema" => schema_spot("", "arguments", rest),
        Some((first, rest)) if first == "outputSchema" => schema_spot("result", "result", rest),
        Some(_) => Spot {
            path: String::new(),
            member: joined(&tokens),
        },
    }
}

fn joined(tokens: &[String]) -> String {
    let mut out = String::new();
    for token in tokens {
        step(&mut out, token);
    }
    out
}

/// Appends a member or an index as people write them: `.name`, `["odd name"]`, `[3]`.
fn step(path: &mut String, token: &str) {
    let plain = !token.is_empty()
        && token
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$'));
    if !path.is_empty() && token.bytes().all(|b| b.is_ascii_digit()) && !token.is_empty() {
        // Writing to a string can't fail.
        let _ = write!(path, "[{token}]");
    } else if plain {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(token);
    } else {
        path.push('[');
        write_string(path, token);
        path.push(']');
    }
}

/// Appends a step as it is.
fn dotted(path: &mut String, step: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(step);
}

/// Appends the name of a property, which is never an index.
fn named(path: &mut String, name: &str) {
    if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
        dotted(path, name);
    } else {
        step(path, name);
    }
}

/// Walks the keywords of a schema; what is no step to a subschema is the member.
fn schema_spot(start: &str, whole: &str, tokens: &[String]) -> Spot {
    let mut path = start.to_owned();
    let mut rest = tokens;
    loop {
        let (keyword, tail) = match rest.split_first() {
            None => {
                let path = if path.is_empty() {
                    whole.to_owned()
                } else {
                    path
                };
                return Spot {
                    path,
                    member: String::new(),
                };
            }
            Some((keyword, tail)) => (keyword.as_str(), tail),
        };
        let next = tail.first().map(String::as_str);
        rest = match (keyword, next) {
            ("properties", Some(name)) => {
                named(&mut path, name);
                &tail[1..]
            }
            ("patternProperties", Some(pattern)) => {
                dotted(&mut path, &format!("/{pattern}/"));
                &tail[1..]
            }
            ("prefixItems", Some(index)) => {
                let _ = write!(path, "[{index}]");
                &tail[1..]
            }
            ("items", Some(index)) if index.bytes().all(|b| b.is_ascii_digit()) => {
                let _ = write!(path, "[{index}]");
                &tail[1..]
            }
            ("items", _) => {
                path.push_str("[]");
                tail
            }
            ("additionalProperties" | "unevaluatedProperties", Some(_)) => {
                dotted(&mut path, "*");
                tail
            }
            ("anyOf" | "oneOf" | "allOf", Some(index)) => {
                if !path.is_empty() {
                    path.push(' ');
                }
                let _ = write!(path, "{keyword}[{index}]");
                &tail[1..]
            }
            ("$defs" | "definitions", Some(name)) => {
                path = format!("definition {name}");
                &tail[1..]
            }
            ("not" | "if" | "then" | "else" | "contains" | "propertyNames", _) => {
                if !path.is_empty() {
                    path.push(' ');
                }
                path.push_str(keyword);
                tail
            }
            _ => {
                // An element of a list of names or values is told by the value, not its index.
                let lists = matches!(keyword, "required" | "enum" | "type" | "examples");
                return Spot {
                    path,
                    member: joined(if lists { &rest[..1] } else { rest }),
                };
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pointer: &str) -> String {
        spot(&Pointer::parse(pointer).unwrap()).words()
    }

    #[test]
    fn an_argument_is_named_as_its_caller_would() {
        for (pointer, expected) in [
            ("", ""),
            ("/description", "description"),
            ("/annotations/readOnlyHint", "annotations.readOnlyHint"),
            ("/arguments/0/description", "arguments[0].description"),
            ("/inputSchema", "arguments"),
            ("/inputSchema/required/1", "required"),
            ("/inputSchema/properties/limit", "limit"),
            ("/inputSchema/properties/limit/type", "limit (type)"),
            (
                "/inputSchema/properties/filters/items/properties/op/enum/2",
                "filters[].op (enum)",
            ),
            ("/inputSchema/properties/a/prefixItems/0", "a[0]"),
            (
                "/inputSchema/properties/m/additionalProperties/type",
                "m.* (type)",
            ),
            ("/inputSchema/additionalProperties", "additionalProperties"),
            (
                "/inputSchema/properties/a/anyOf/1/maximum",
                "a anyOf[1] (maximum)",
            ),
            (
                "/inputSchema/$defs/Op/properties/kind",
                "definition Op.kind",
            ),
            ("/inputSchema/properties/a b~1c/type", "[\"a b/c\"] (type)"),
            ("/outputSchema/properties/id", "result.id"),
            ("/outputSchema", "result"),
        ] {
            assert_eq!(words(pointer), expected, "{pointer}");
        }
    }
}
