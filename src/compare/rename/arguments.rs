//! Renamed arguments: of one object schema the properties that went and those that came, of one
//! prompt its arguments.

use crate::canonical::canonical;
use crate::json::Value;

use super::super::keyword::Keyword;
use super::super::normal::normal;
use super::likeness::{name_words, names, shared, text_words};
use super::{Candidate, Pair, Part, mean, one_to_one};

/// How many pairs are looked at; an object that changes more than that is another object.
const MOST: usize = 4_096;

/// What the name counts, what a word of the description counts, and what all of them may count;
/// what a constraint counts by its weight, and what all of them may count.
const NAME: u64 = 25;
const WORD: u64 = 12;
const WORDS: u64 = 60;
const FACT: u64 = 10;
const FACTS: u64 = 50;

/// What is known of an argument besides its place.
pub(in super::super) struct ArgumentFacts {
    name: String,
    words: Vec<String>,
    /// What it constrains, each with its weight; sorted.
    facts: Vec<(String, u64)>,
}

impl ArgumentFacts {
    /// The argument `name` with this schema (of a prompt: the object that describes it).
    pub(in super::super) fn of(name: &str, schema: &Value) -> Self {
        let mut words = Vec::new();
        let mut facts = Vec::new();
        for (keyword, value) in schema
            .as_object()
            .into_iter()
            .flat_map(crate::json::Object::iter)
        {
            match (Keyword::of(keyword), value) {
                (Keyword::Words, Value::String(text)) => {
                    // A title that repeats the name was made from it.
                    if keyword != "title" || name_words(text) != name_words(name) {
                        words.extend(text_words(text));
                    }
                }
                (Keyword::Words, _) => {}
                (Keyword::Annotation, _) if keyword == "name" => {}
                (Keyword::Type, value) => {
                    facts.push((format!("type {}", canonical(value)), 1));
                }
                (Keyword::Properties, Value::Object(map)) => {
                    facts.extend(map.iter().map(|(name, _)| (format!("property {name}"), 2)));
                }
                (Keyword::Values, value) => facts.push((normal_of("enum", value), 4)),
                (_, value) => facts.push((normal_of(keyword, value), 2)),
            }
        }
        words.sort_unstable();
        words.dedup();
        facts.sort_unstable();
        ArgumentFacts {
            name: name.to_owned(),
            words,
            facts,
        }
    }
}

/// A keyword and its value, in the form in which order and spelling are gone.
fn normal_of(keyword: &str, value: &Value) -> String {
    let member = crate::json::Object::new(vec![(keyword.to_owned(), value.clone())]);
    normal(&Value::Object(member))
}

/// The likely renames among the arguments that went and those that came.
pub(in super::super) fn renamed_arguments(
    old: &[ArgumentFacts],
    new: &[ArgumentFacts],
) -> Vec<Pair> {
    if old.len().saturating_mul(new.len()) > MOST {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    for (i, a) in old.iter().enumerate() {
        for (j, b) in new.iter().enumerate() {
            let name = names(&a.name, &b.name);
            candidates.push(Candidate {
                score: score(a, b, name),
                name,
                pair: (i, j),
            });
        }
    }
    one_to_one(candidates)
}

fn score(a: &ArgumentFacts, b: &ArgumentFacts, name: u64) -> u64 {
    let mut parts = vec![Part {
        shared: name,
        weight: NAME,
    }];
    if let Some(shared) = shared(&a.words, &b.words, |_| 1) {
        let most = u64::try_from(a.words.len().max(b.words.len())).unwrap_or(WORDS);
        parts.push(Part {
            shared,
            weight: most.saturating_mul(WORD).min(WORDS),
        });
    }
    if let Some(shared) = shared(&a.facts, &b.facts, |(_, weight)| *weight) {
        let weight =
            |side: &ArgumentFacts| side.facts.iter().map(|(_, weight)| weight).sum::<u64>();
        let most = weight(a).max(weight(b));
        parts.push(Part {
            shared,
            weight: (most * FACT).min(FACTS),
        });
    }
    mean(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn facts(list: &[(&str, &str)]) -> Vec<ArgumentFacts> {
        list.iter()
            .map(|(name, schema)| {
                let document = parse(schema.as_bytes(), &Limits::default()).expect("JSON");
                ArgumentFacts::of(name, &document.value)
            })
            .collect()
    }

    fn renamed(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<(String, String)> {
        renamed_arguments(&facts(old), &facts(new))
            .into_iter()
            .map(|(i, j)| (old[i].0.to_owned(), new[j].0.to_owned()))
            .collect()
    }

    fn pair(old: &str, new: &str) -> Vec<(String, String)> {
        vec![(old.to_owned(), new.to_owned())]
    }

    const TEXT: &str = r#"{"type":"string"}"#;

    #[test]
    fn a_bare_argument_is_recognised_by_an_abbreviated_name_only() {
        assert_eq!(
            renamed(&[("query", TEXT)], &[("q", TEXT)]),
            pair("query", "q")
        );
        assert_eq!(renamed(&[("owner", TEXT)], &[("repo", TEXT)]), []);
        assert_eq!(
            renamed(
                &[("path", TEXT)],
                &[("paths", r#"{"type":"array","items":{"type":"string"}}"#)]
            ),
            []
        );
    }

    #[test]
    fn the_same_words_or_values_under_another_name_are_a_rename() {
        let file = r#"{"type":"string","description":"The file to read"}"#;
        assert_eq!(
            renamed(&[("filename", file)], &[("path", file)]),
            pair("filename", "path")
        );
        let unit = r#"{"enum":["celsius","fahrenheit"],"type":"string"}"#;
        let turned = r#"{"type":"string","enum":["fahrenheit","celsius"]}"#;
        assert_eq!(
            renamed(&[("unit", unit)], &[("scale", turned)]),
            pair("unit", "scale")
        );
    }

    #[test]
    fn another_meaning_under_another_name_is_none() {
        assert_eq!(
            renamed(
                &[(
                    "limit",
                    r#"{"type":"integer","description":"most results"}"#
                )],
                &[(
                    "page",
                    r#"{"type":"integer","description":"index of the page"}"#
                )]
            ),
            []
        );
    }

    #[test]
    fn a_title_made_from_the_name_says_nothing() {
        assert_eq!(
            renamed(
                &[("owner_name", r#"{"type":"string","title":"Owner Name"}"#)],
                &[("branch", r#"{"type":"string","title":"Branch"}"#)]
            ),
            []
        );
    }

    #[test]
    fn the_best_of_several_is_taken_whatever_their_order() {
        let old = [("query", TEXT), ("message", TEXT)];
        let expected =
            [("message", "msg"), ("query", "q")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        for new in [[("msg", TEXT), ("q", TEXT)], [("q", TEXT), ("msg", TEXT)]] {
            let mut found = renamed(&old, &new);
            found.sort();
            assert_eq!(found, expected);
        }
    }
}
