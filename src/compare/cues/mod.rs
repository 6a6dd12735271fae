//! What a change of words may mean, where a word for it can be named.
//!
//! Pure and deterministic: two texts in, at most one cue a class out. Only sentences that differ
//! are looked at. A cue says where to look; the absence of one says nothing, and the level of a
//! change of words does not depend on it. `docs/drift.md` lists the classes.

mod classes;

use std::collections::BTreeSet;

use classes::{CLASSES, Class, MUST, NOTHING};

/// How many words may have changed; a text that changed more was rewritten and has to be read.
const MOST: usize = 60;

/// What a text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// One argument, or one member of a result.
    Argument,
    /// A whole item or server, so that words that only came or only went may belong to anything.
    Whole,
}

/// Sentences of the words `old` that changed to `new`, read for cues: `the unit: seconds before,
/// milliseconds now`.
pub(super) fn cues(old: &str, new: &str, about: About) -> Vec<String> {
    let (before, after) = changed(old, new);
    let mut found = Vec::new();
    if before.iter().chain(&after).map(Vec::len).sum::<usize>() > MOST {
        return found;
    }
    for class in CLASSES {
        if about == About::Whole && class.name == MUST {
            continue;
        }
        let alone = class.alone && about == About::Argument;
        let (was, is) = (senses(class, &before), senses(class, &after));
        let names = |senses: &BTreeSet<usize>| -> String {
            let names: Vec<&str> = senses.iter().map(|at| class.senses[*at].0).collect();
            names.join(" and ")
        };
        let went: BTreeSet<usize> = was.difference(&is).copied().collect();
        let came: BTreeSet<usize> = is.difference(&was).copied().collect();
        match (went.is_empty(), came.is_empty()) {
            (false, false) => {
                found.push(format!(
                    "{}: {} before, {} now",
                    class.name,
                    names(&went),
                    names(&came)
                ));
            }
            (true, false) if alone && was.is_empty() => {
                found.push(format!("{}: {} now", class.name, names(&is)));
            }
            (false, true) if alone && is.is_empty() => {
                found.push(format!("{}: {} no longer", class.name, names(&was)));
            }
            _ => {}
        }
    }
    found
}

/// The sentences that only one of the two texts has, as words.
fn changed(old: &str, new: &str) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let (a, b) = (sentences(old), sentences(new));
    let only = |list: &[Vec<String>], other: &[Vec<String>]| {
        let other: BTreeSet<&Vec<String>> = other.iter().collect();
        list.iter()
            .filter(|sentence| !other.contains(sentence))
            .cloned()
            .collect()
    };
    (only(&a, &b), only(&b, &a))
}

/// A text sentence by sentence, each as its words in lower case. Signs inside a word (`0-based`,
/// `1.5`, `user's`) stay, those around it go.
fn sentences(text: &str) -> Vec<Vec<String>> {
    text.split(['\n', ';', '!', '?'])
        .flat_map(|line| line.split(". "))
        .map(read)
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

fn read(sentence: &str) -> Vec<String> {
    sentence
        .split(|c: char| c.is_whitespace() || "()[]{},\"`/:=<>|".contains(c))
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != '°')
                .to_lowercase()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// The senses of `class` that the sentences show, the longest phrase at a place only.
fn senses(class: &Class, sentences: &[Vec<String>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for sentence in sentences {
        let mut at = 0;
        while at < sentence.len() {
            let longest = class
                .senses
                .iter()
                .enumerate()
                .flat_map(|(sense, (_, phrases))| phrases.iter().map(move |p| (sense, *p)))
                .filter_map(|(sense, phrase)| Some((matches(phrase, &sentence[at..])?, sense)))
                .max();
            if let Some((length, sense)) = longest {
                if class.senses[sense].0 != NOTHING {
                    found.insert(sense);
                }
                at += length;
            } else {
                at += 1;
            }
        }
    }
    found
}

/// How many words `phrase` takes at the start of `words`; none where it does not stand there.
fn matches(phrase: &str, words: &[String]) -> Option<usize> {
    let mut count = 0;
    for part in phrase.split(' ') {
        if words.get(count)? != part {
            return None;
        }
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_class_is_named_where_its_words_are_exchanged() {
        for (old, new, cue) in [
            (
                "Max results",
                "Page index",
                "what the number says: a limit before, a page now",
            ),
            (
                "Timeout in seconds",
                "Timeout in milliseconds",
                "the unit: seconds before, milliseconds now",
            ),
            (
                "Wait (ms).",
                "Wait (sec).",
                "the unit: milliseconds before, seconds now",
            ),
            (
                "Temperature in Celsius",
                "Temperature in °F",
                "the unit: degrees Celsius before, degrees Fahrenheit now",
            ),
            (
                "Quality, 0-100",
                "Quality, 0-1",
                "the unit: percent before, a fraction now",
            ),
            (
                "Row number (0-based)",
                "Row number (1-based)",
                "where counting starts: at 0 before, at 1 now",
            ),
            (
                "Start position",
                "Start position, zero-based",
                "where counting starts: at 0 now",
            ),
            (
                "Number of results per page",
                "Number of results to skip",
                "what the number says: the size of a page before, an offset now",
            ),
            (
                "A non-negative number",
                "A negative number",
                "the sign: not negative before, negative now",
            ),
            (
                "End date (inclusive)",
                "End date (exclusive)",
                "the end of the range: inclusive before, exclusive now",
            ),
            (
                "Time in UTC",
                "Time in the user's timezone",
                "the time zone: UTC before, the user's time now",
            ),
            (
                "Optional filter",
                "Filter (required)",
                "whether it must be given: optional before, required now",
            ),
            (
                "The filter",
                "The filter. Required.",
                "whether it must be given: required now",
            ),
            (
                "Absolute path",
                "Relative path",
                "the kind of path: absolute before, relative now",
            ),
            (
                "Newest first",
                "Sorted ascending",
                "the order: descending before, ascending now",
            ),
            (
                "Case-sensitive match",
                "Case-insensitive match",
                "letter case: counts before, does not count now",
            ),
            (
                "Job title",
                "[DEPRECATED] Job title",
                "its future: deprecated now",
            ),
        ] {
            assert_eq!(cues(old, new, About::Argument), [cue], "{old} -> {new}");
        }
    }

    #[test]
    fn words_that_stay_or_stand_in_other_sentences_are_no_cue() {
        for (old, new) in [
            ("Maximum number of results", "The maximum number of results"),
            (
                "Returns up to 10 results. Sorted.",
                "Returns up to 10 results. Ordered.",
            ),
            (
                "Required for create, update",
                "Required for create, update, delete",
            ),
            ("By user", "By user. Mutually exclusive with id"),
            ("A page", "A page of the book"),
            ("Waits a few seconds", "Waits"),
            ("Search the web", "Search the web now"),
        ] {
            assert_eq!(
                cues(old, new, About::Argument),
                Vec::<String>::new(),
                "{old} -> {new}"
            );
        }
    }

    proptest! {
        #[test]
        fn equal_texts_have_no_cue_and_no_text_is_too_strange(a in any::<String>(), b in any::<String>()) {
            prop_assert_eq!(cues(&a, &a, About::Argument), Vec::<String>::new());
            let there = cues(&a, &b, About::Argument);
            let back = cues(&b, &a, About::Argument);
            prop_assert_eq!(there.len(), back.len());
        }
    }
}
