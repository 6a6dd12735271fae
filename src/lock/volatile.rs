//! Volatile words: what of an item may differ between runs without being drift
//! (`docs/lockfile.md`, section 7).
//!
//! Pure. Patterns are bounded before and while they are compiled, and match in linear time.

use regex::{Regex, RegexBuilder};

use crate::error::{Error, Result};
use crate::json::{Pointer, Value};
use crate::protocol::Kind;
use crate::text::visible;

use super::Volatile;
use super::model::label;

/// Stands for every match.
pub(super) const MARK: char = '\u{fffc}';
/// The label of the server's instructions in [`Volatile::item`].
pub(super) const INSTRUCTIONS: &str = "instructions";
/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 1000;
/// Most memory for one compiled pattern, in bytes.
const MAX_COMPILED: usize = 1 << 20;
/// Deepest nesting of groups in a pattern.
const MAX_NESTING: u32 = 50;

/// A list of volatile words, known to be usable.
#[derive(Debug, Clone, Default)]
pub struct Words(Vec<Rule>);

#[derive(Debug, Clone)]
struct Rule {
    written: Volatile,
    pointer: Pointer,
    regex: Regex,
}

/// What became of one rule in one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Replaced {
    /// Some of a string was replaced.
    Part,
    /// Nothing of a string is pinned any more.
    Whole,
    /// The pointer meets no string.
    NoString,
    /// The pattern matches nothing.
    NoMatch,
    /// The string holds U+FFFC before anything is replaced, so it can't be told from a replaced
    /// one; matches are replaced all the same.
    MarkBefore,
    /// The catalog has no such item.
    NoItem,
}

impl Replaced {
    /// What is odd about it, as a fragment; none for a rule that did its work.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Replaced::Part => None,
            Replaced::Whole => Some("replaces the whole string, so that nothing of it is pinned"),
            Replaced::NoString => Some("points at nothing that is a string"),
            Replaced::NoMatch => Some("matches nothing"),
            Replaced::MarkBefore => {
                Some("meets a string that holds U+FFFC already, the mark of replaced words")
            }
            Replaced::NoItem => Some("names an item that the server does not list"),
        }
    }
}

impl Words {
    /// Compiles `list`.
    ///
    /// # Errors
    ///
    /// A config error, without a place, for a rule with an unknown kind of item, a bad pointer, a
    /// pointer at the member that identifies the item, or a pattern that is too long, does not
    /// compile within bounds, or matches the empty string.
    pub fn compile(list: &[Volatile]) -> Result<Self> {
        list.iter()
            .map(Rule::compile)
            .collect::<Result<_>>()
            .map(Words)
    }

    /// The list as it was written.
    pub fn list(&self) -> Vec<Volatile> {
        self.0.iter().map(|rule| rule.written.clone()).collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the volatile words of the item `kind`, `key` in its contract `value`. Returns what
    /// each rule for the item did, by its position in the list.
    pub fn apply(&self, kind: Kind, key: &str, value: &mut Value) -> Vec<(usize, Replaced)> {
        self.apply_to(&label(kind, key), value)
    }

    /// The same for the instructions.
    pub fn apply_to_instructions(&self, text: &mut Value) -> Vec<(usize, Replaced)> {
        self.apply_to(INSTRUCTIONS, text)
    }

    fn apply_to(&self, label: &str, value: &mut Value) -> Vec<(usize, Replaced)> {
        // Looked for before any rule runs, so that a mark set by one rule is no oddity to the next.
        let marked: Vec<bool> = self
            .0
            .iter()
            .map(|rule| {
                rule.pointer
                    .find(value)
                    .and_then(Value::as_str)
                    .is_some_and(|text| text.contains(MARK))
            })
            .collect();
        let mut did = Vec::new();
        for (i, rule) in self.0.iter().enumerate() {
            if rule.written.item == label {
                did.push((i, rule.apply(value, marked[i])));
            }
        }
        did
    }

    /// One rule in words: `volatile words of ITEM at POINTER`, made visible.
    pub fn describe(&self, position: usize) -> String {
        self.0.get(position).map_or_else(String::new, |rule| {
            let written = &rule.written;
            format!(
                "volatile pattern `{}` for `{}` at `{}`",
                visible(&written.pattern),
                visible(&written.item),
                visible(&written.pointer)
            )
        })
    }

    /// How many rules there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Rule {
    fn compile(written: &Volatile) -> Result<Self> {
        let wrong = |message: String| {
            Error::config(message)
                .for_item(&written.item)
                .at_pointer(&written.pointer)
        };
        let pointer = Pointer::parse(&written.pointer).ok_or_else(|| {
            wrong("the `pointer` of volatile words is no JSON Pointer".to_owned())
                .help("write it as `/inputSchema/properties/port/description`")
        })?;
        if written.item == INSTRUCTIONS {
            if !written.pointer.is_empty() {
                return Err(wrong(
                    "volatile words of the instructions take an empty `pointer`".to_owned(),
                ));
            }
        } else {
            let kind = written
                .item
                .split_once(':')
                .and_then(|(word, _)| Kind::from_word(word))
                .ok_or_else(|| {
                    wrong("volatile words of an unknown kind of item".to_owned()).help(
                        "name it as `tool:NAME`, `prompt:NAME`, `resource:URI`, \
                         `resource_template:TEMPLATE` or `instructions`",
                    )
                })?;
            if pointer == Pointer::root().key(kind.key_member()) {
                return Err(wrong(format!(
                    "`{}` identifies the item and can't be volatile",
                    kind.key_member()
                )));
            }
        }
        let regex = compile(&written.pattern).map_err(|reason| {
            wrong(format!(
                "the pattern `{}` of volatile words {reason}",
                visible(&written.pattern)
            ))
        })?;
        Ok(Rule {
            written: written.clone(),
            pointer,
            regex,
        })
    }

    fn apply(&self, value: &mut Value, marked: bool) -> Replaced {
        let Some(Value::String(text)) = find_mut(value, &self.pointer) else {
            return Replaced::NoString;
        };
        let mut out = String::with_capacity(text.len());
        let mut kept = 0;
        let mut matched = false;
        for found in self.regex.find_iter(text).filter(|found| !found.is_empty()) {
            out.push_str(&text[kept..found.start()]);
            out.push(MARK);
            kept = found.end();
            matched = true;
        }
        out.push_str(&text[kept..]);
        if !matched {
            return Replaced::NoMatch;
        }
        *text = out;
        if marked {
            Replaced::MarkBefore
        } else if text.chars().all(|c| c == MARK) {
            Replaced::Whole
        } else {
            Replaced::Part
        }
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > MAX_PATTERN {
        return Err(format!("is longer than {MAX_PATTERN} bytes"));
    }
    let regex = RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_COMPILED)
        .nest_limit(MAX_NESTING)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "is too large once compiled".to_owned(),
            // The last line says what is wrong; those before it draw the pattern.
            other => format!(
                "does not compile: {}",
                visible(other.to_string().lines().last().unwrap_or_default().trim())
            ),
        })?;
    if regex.is_match("") {
        return Err("matches the empty string".to_owned());
    }
    Ok(regex)
}

/// What `pointer` points at, to be changed.
fn find_mut<'v>(value: &'v mut Value, pointer: &Pointer) -> Option<&'v mut Value> {
    pointer.tokens().try_fold(value, |at, token| match at {
        Value::Object(object) => object
            .members_mut()
            .iter_mut()
            .find(|(key, _)| *key == token)
            .map(|(_, member)| member),
        Value::Array(items) if token == "0" || !token.starts_with(['0', '+']) => {
            token.parse::<usize>().ok().and_then(|i| items.get_mut(i))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn rule(item: &str, pointer: &str, pattern: &str) -> Volatile {
        Volatile {
            item: item.to_owned(),
            pointer: pointer.to_owned(),
            pattern: pattern.to_owned(),
        }
    }

    fn applied(rules: &[Volatile], json: &str) -> (String, Vec<Replaced>) {
        let mut value = parse(json.as_bytes(), &Limits::default()).unwrap().value;
        let words = Words::compile(rules).unwrap();
        let did = words.apply(Kind::Tool, "t", &mut value);
        (
            crate::canonical::canonical(&value),
            did.into_iter().map(|(_, did)| did).collect(),
        )
    }

    #[test]
    fn only_the_match_is_replaced_and_only_at_the_pointer() {
        let (text, did) = applied(
            &[
                rule("tool:t", "/description", "port [0-9]+"),
                rule("tool:u", "/title", ".+"),
            ],
            r#"{"description":"on port 8080, then port 1","title":"port 8080"}"#,
        );
        assert_eq!(
            text,
            "{\"description\":\"on \u{fffc}, then \u{fffc}\",\"title\":\"port 8080\"}"
        );
        assert_eq!(did, [Replaced::Part]);
    }

    #[test]
    fn rules_run_in_order_and_reach_into_arrays() {
        let (text, did) = applied(
            &[
                rule("tool:t", "/a/1", "b+"),
                rule("tool:t", "/a/1", "a\u{fffc}"),
            ],
            r#"{"a":["abb","abb"]}"#,
        );
        assert_eq!(text, "{\"a\":[\"abb\",\"\u{fffc}\"]}");
        assert_eq!(did, [Replaced::Part, Replaced::Whole]);
    }

    #[test]
    fn a_rule_that_does_nothing_or_everything_is_told() {
        for (pointer, pattern, did) in [
            ("/missing", "x", Replaced::NoString),
            ("/n", "1", Replaced::NoString),
            ("/a/01", "x", Replaced::NoString),
            ("/a/+0", "x", Replaced::NoString),
            ("/s", "y", Replaced::NoMatch),
            ("/s", r"\b", Replaced::NoMatch),
            ("/s", "(?s).+", Replaced::Whole),
            ("/m", "x", Replaced::MarkBefore),
        ] {
            let (_, got) = applied(
                &[rule("tool:t", pointer, pattern)],
                "{\"s\":\"xx\",\"n\":1,\"a\":[\"x\"],\"m\":\"x \u{fffc}\"}",
            );
            assert_eq!(got, [did], "{pointer} {pattern}");
            assert!(did.remark().is_some());
        }
    }

    #[test]
    fn a_rule_that_can_not_work_is_an_error_that_says_why() {
        let long = "x".repeat(1001);
        for (item, pointer, pattern, says) in [
            ("tool:t", "description", "x", "no JSON Pointer"),
            ("tool:t", "/name", "x", "identifies the item"),
            ("resource:file:///a", "/uri", "x", "identifies the item"),
            ("gadget:t", "/a", "x", "unknown kind"),
            ("t", "/a", "x", "unknown kind"),
            ("instructions", "/a", "x", "empty `pointer`"),
            ("tool:t", "/a", "(", "does not compile"),
            ("tool:t", "/a", "x*", "empty string"),
            ("tool:t", "/a", long.as_str(), "longer than 1000"),
            ("tool:t", "/a", r"(\w{900}){900}", "too large"),
            ("tool:t", "/a", r"(?=x)", "does not compile"),
        ] {
            let error = Words::compile(&[rule(item, pointer, pattern)]).unwrap_err();
            assert!(error.message().contains(says), "{error}");
            assert_eq!(error.kind(), crate::error::ErrorKind::Config);
        }
    }
}
