//! Text that a person does not see and a model reads, at every depth of an item.
//!
//! Invisible characters are judged by what stands around them: joiners and selectors belong into
//! emoji and into Persian, Indic, Khmer or Mongolian text, marks of direction into text of the
//! right-to-left scripts, and three sequences of tags are flags. Elsewhere they hide something.

use std::collections::BTreeSet;

use crate::json::{Pointer, Value};
use crate::text::{HiddenGroup, hidden_group};

use super::FaultKind;

/// Every string and every name inside `value`: for each that hides something, where, and a message
/// that shows code points only.
pub(super) fn check(value: &Value, mut fault: impl FnMut(FaultKind, Pointer, String)) {
    let mut queue = vec![(value, Place::Root)];
    let mut places: Vec<(usize, Step)> = Vec::new();
    while let Some((value, place)) = queue.pop() {
        let before = queue.len();
        match value {
            Value::String(text) => {
                if let Some(message) = message(text, false) {
                    fault(FaultKind::HiddenText, pointer(&places, place), message);
                }
            }
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    if worth_entering(item) {
                        places.push((place.index(), Step::Index(i)));
                        queue.push((item, Place::Inside(places.len() - 1)));
                    }
                }
            }
            Value::Object(object) => {
                for (key, member) in object.iter() {
                    let text = message(key, true);
                    if text.is_none() && !worth_entering(member) {
                        continue;
                    }
                    places.push((place.index(), Step::Key(key)));
                    let here = Place::Inside(places.len() - 1);
                    if let Some(message) = text {
                        let message = format!("the member's name {message}");
                        fault(FaultKind::HiddenText, pointer(&places, here), message);
                    }
                    queue.push((member, here));
                }
            }
            _ => {}
        }
        // the next one to come is the first in the document
        queue[before..].reverse();
    }
}

#[derive(Clone, Copy)]
enum Place {
    Root,
    Inside(usize),
}

impl Place {
    fn index(self) -> usize {
        match self {
            Place::Root => usize::MAX,
            Place::Inside(i) => i,
        }
    }
}

enum Step<'v> {
    Key(&'v str),
    Index(usize),
}

fn pointer(places: &[(usize, Step)], place: Place) -> Pointer {
    let mut steps = Vec::new();
    let mut at = place.index();
    while let Some((before, step)) = places.get(at) {
        steps.push(step);
        at = *before;
    }
    steps
        .iter()
        .rev()
        .fold(Pointer::root(), |at, step| match step {
            Step::Key(key) => at.key(key),
            Step::Index(i) => at.index(*i),
        })
}

fn worth_entering(value: &Value) -> bool {
    match value {
        Value::String(text) => !is_plain(text),
        Value::Array(_) | Value::Object(_) => true,
        _ => false,
    }
}

fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|b| matches!(b, b' '..=b'~' | b'\t' | b'\n' | b'\r'))
}

/// Code points that are listed in one message.
const MAX_LISTED: usize = 6;

/// What `text` hides; none when it hides nothing. A name has no line breaks.
fn message(text: &str, is_name: bool) -> Option<String> {
    if is_plain(text) && !(is_name && text.contains(['\t', '\n', '\r'])) {
        return None;
    }
    let found = out_of_place(text, is_name);
    let groups: BTreeSet<&str> = found.iter().map(|(_, group)| group.word()).collect();
    let codes: BTreeSet<char> = found.iter().map(|(c, _)| *c).collect();
    let listed: Vec<String> = codes
        .iter()
        .take(MAX_LISTED)
        .map(|c| format!("U+{:04X}", u32::from(*c)))
        .collect();
    let more = codes.len().saturating_sub(MAX_LISTED);
    let rest = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let groups: Vec<&str> = groups.into_iter().collect();
    (!found.is_empty()).then(|| {
        format!(
            "hides {} invisible characters ({}): {}{rest}",
            found.len(),
            groups.join(", "),
            listed.join(", "),
        )
    })
}

/// The hidden characters of `text` that have no business where they stand.
fn out_of_place(text: &str, is_name: bool) -> Vec<(char, HiddenGroup)> {
    let chars: Vec<char> = text.chars().collect();
    let right_to_left = chars.iter().any(|&c| is_right_to_left(c));
    let balanced = is_balanced(&chars);
    let spelled = chars
        .iter()
        .filter(|c| matches!(u32::from(**c), 0xe0100..=0xe01ef))
        .count();
    let mut found = Vec::new();
    let mut i = 0;
    while let Some(&c) = chars.get(i) {
        if let Some(length) = flag_of_tags(&chars[i..]) {
            i += length;
            continue;
        }
        if let Some(group) = hidden_group(c) {
            let before = i.checked_sub(1).and_then(|i| chars.get(i)).copied();
            let after = chars.get(i + 1).copied();
            let fine = match group {
                HiddenGroup::Control => !is_name && matches!(c, '\t' | '\n' | '\r'),
                HiddenGroup::Separator => !is_name,
                HiddenGroup::Bidi => {
                    let repeated = before.is_some_and(|c| hidden_group(c) == Some(group));
                    right_to_left && !repeated && direction_fits(c, balanced)
                }
                HiddenGroup::ZeroWidth if c == '\u{ad}' => hyphenates(&chars, i),
                HiddenGroup::ZeroWidth => joins(c, before, after),
                HiddenGroup::Filler => {
                    matches!(c, '\u{115f}' | '\u{1160}')
                        && [before, after].into_iter().flatten().any(is_jamo)
                }
                // one selector of an ideograph can carry a letter: many of them are no spelling
                HiddenGroup::VariationSelector => {
                    before.is_some_and(|base| selects(c, base))
                        && (spelled <= MAX_SPELLED || !matches!(u32::from(c), 0xe0100..=0xe01ef))
                }
                // what is drawn depends on the font, but it is drawn
                HiddenGroup::PrivateUse => true,
                _ => false,
            };
            if !fine {
                found.push((c, group));
            }
        }
        i += 1;
    }
    found
}

/// The length of a flag of England, Scotland or Wales at the start of `chars`.
fn flag_of_tags(chars: &[char]) -> Option<usize> {
    if chars.first() != Some(&'\u{1f3f4}') {
        return None;
    }
    ["gbeng", "gbsct", "gbwls"].into_iter().find_map(|region| {
        let tags = region
            .chars()
            .map(|c| char::from_u32(0xe0000 + u32::from(c)))
            .chain([Some('\u{e007f}')]);
        let length = region.len() + 2;
        let fits = chars.len() >= length && tags.zip(&chars[1..]).all(|(tag, c)| tag == Some(*c));
        fits.then_some(length)
    })
}

/// In text of a right-to-left script: marks are fine, one at a time, embeddings and isolates too if they are
/// closed. An override never is: it shows letters in an order in which nobody wrote them.
fn direction_fits(c: char, balanced: bool) -> bool {
    match c {
        '\u{200e}' | '\u{200f}' | '\u{61c}' => true,
        '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}' => balanced,
        _ => false,
    }
}

/// Whether each embedding and isolate is closed, and no override is opened.
fn is_balanced(chars: &[char]) -> bool {
    let (mut embeddings, mut isolates) = (0_i64, 0_i64);
    for c in chars {
        match c {
            '\u{202a}' | '\u{202b}' => embeddings += 1,
            '\u{202c}' => embeddings -= 1,
            '\u{2066}'..='\u{2068}' => isolates += 1,
            '\u{2069}' => isolates -= 1,
            '\u{202d}' | '\u{202e}' => return false,
            _ => {}
        }
        if embeddings < 0 || isolates < 0 {
            return false;
        }
    }
    embeddings == 0 && isolates == 0
}

fn joins(c: char, before: Option<char>, after: Option<char>) -> bool {
    let both = |fits: fn(char) -> bool| before.is_some_and(fits) && after.is_some_and(fits);
    match c {
        // after a virama a joiner may end a word
        '\u{200c}' | '\u{200d}' if before.is_some_and(is_joining_script) => {
            c == '\u{200d}' || after.is_none_or(|c| is_joining_script(c) || !c.is_alphanumeric())
        }
        '\u{200d}' => {
            before.is_some_and(|c| is_emoji(c) || matches!(c, '\u{fe0f}'))
                && after.is_some_and(is_emoji)
        }
        '\u{200b}' => both(is_written_without_blanks),
        '\u{180e}' => before.is_some_and(is_mongolian),
        '\u{34f}' => both(is_right_to_left),
        _ => false,
    }
}

/// Ideographs of one text that may be in a variant of their own.
const MAX_SPELLED: usize = 16;

/// A soft hyphen shows where a long word may be broken: no single letter stands between two.
fn hyphenates(chars: &[char], at: usize) -> bool {
    let letter = |i: Option<usize>| {
        i.and_then(|i| chars.get(i))
            .is_some_and(|c| c.is_alphabetic())
    };
    letter(at.checked_sub(1))
        && letter(at.checked_sub(2))
        && letter(Some(at + 1))
        && letter(Some(at + 2))
}

/// One selector after a base that has variants.
fn selects(selector: char, base: char) -> bool {
    let code = u32::from(base);
    match u32::from(selector) {
        0xfe0e | 0xfe0f => {
            is_emoji(base)
                || matches!(base, '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}')
                || is_symbol(code)
        }
        0xfe00..=0xfe0d => is_ideograph(code) || is_symbol(code) || matches!(code, 0x1000..=0x109f),
        0xe0100..=0xe01ef => is_ideograph(code),
        0x180b..=0x180d | 0x180f => is_mongolian(base),
        _ => false,
    }
}

fn is_symbol(code: u32) -> bool {
    matches!(code, 0x2000..=0x206f | 0x2100..=0x2bff | 0x3000..=0x303f | 0x3297 | 0x3299)
}

fn is_ideograph(code: u32) -> bool {
    matches!(code, 0x2e80..=0x2fdf | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

fn is_emoji(c: char) -> bool {
    matches!(u32::from(c),
        0x1f000..=0x1faff | 0x2600..=0x27bf | 0x2190..=0x21ff | 0x2300..=0x23ff | 0x2b00..=0x2bff
        | 0x200d | 0x20e3 | 0x3030 | 0x303d | 0x3297 | 0x3299)
        && c != '\u{200d}'
}

fn is_mongolian(c: char) -> bool {
    matches!(u32::from(c), 0x1800..=0x18af)
}

fn is_jamo(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x11ff | 0xa960..=0xa97f | 0xd7b0..=0xd7ff)
        && hidden_group(c).is_none()
}

/// Hebrew, Arabic, Syriac, Thaana, N'Ko and the other right-to-left blocks.
fn is_right_to_left(c: char) -> bool {
    hidden_group(c).is_none()
        && matches!(u32::from(c), 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfefe | 0x10800..=0x10fff | 0x1e800..=0x1efff)
}

/// Scripts whose letters join or stack, and where a joiner changes the shape of its neighbours:
/// Arabic and its kin, Indic, Tibetan, Myanmar, Khmer, Mongolian.
fn is_joining_script(c: char) -> bool {
    hidden_group(c).is_none()
        && matches!(u32::from(c),
            0x600..=0x8ff | 0xfb50..=0xfdff | 0xfe70..=0xfefc | 0x900..=0xdff | 0xf00..=0xfff
            | 0x1000..=0x109f | 0x1780..=0x17ff | 0x1800..=0x18af | 0xa8e0..=0xa8ff
            | 0x11000..=0x11fff)
}

/// Thai, Lao, Myanmar, Khmer, Tibetan, Japanese and Chinese: an empty space may mark where a line
/// can be broken.
fn is_written_without_blanks(c: char) -> bool {
    let code = u32::from(c);
    matches!(code, 0xe00..=0xfff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff)
        || is_ideograph(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_world_hides_nothing() {
        for text in [
            "Plain text.\n\tIndented.\r\n",
            "Flags: \u{1f1e9}\u{1f1ea} \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} \u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
            "Family: \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466} \u{1f9d1}\u{1f3fd}\u{200d}\u{1f4bb}",
            "Keycap 1\u{fe0f}\u{20e3}, heart \u{2764}\u{fe0f}, \u{26a0}\u{fe0f} warning, \u{2139}\u{fe0f}, \u{a9}\u{fe0f}, \u{2194}\u{fe0f}",
            "می\u{200c}خواهم نامه\u{200c}ای بنویسم",
            "क\u{94d}\u{200d}ष क\u{94d}\u{200c}ष",
            "ශ\u{dca}\u{200d}රී ලංකාව",
            "שלום \u{200e}(abc)\u{200e}",
            "عربي \u{2067}text\u{2069}",
            "\u{e20}\u{e32}\u{e29}\u{e32}\u{200b}\u{e44}\u{e17}\u{e22}",
            "Donau\u{ad}dampf\u{ad}schiff",
            "葛\u{e0100}飾区",
            "ᠮᠣᠩᠭᠣᠯ\u{180b}",
            "nerd font \u{f17c}",
        ] {
            assert_eq!(out_of_place(text, false), [], "{text:?}");
        }
    }

    #[test]
    fn what_hides_is_found_by_its_group() {
        for (text, group) in [
            (
                "Read.\u{e0061}\u{e006c}\u{e0073}\u{e006f}",
                HiddenGroup::Tag,
            ),
            (
                "\u{1f3f4}\u{e0075}\u{e0073}\u{e0063}\u{e0061}\u{e007f}",
                HiddenGroup::Tag,
            ),
            ("Se\u{200b}arch", HiddenGroup::ZeroWidth),
            ("the in\u{2060}dex", HiddenGroup::ZeroWidth),
            ("a\u{200d}b", HiddenGroup::ZeroWidth),
            ("a\u{200c}b", HiddenGroup::ZeroWidth),
            ("\u{feff}text", HiddenGroup::ZeroWidth),
            ("Pay \u{202e}yenom\u{202c} now", HiddenGroup::Bidi),
            ("plain \u{200f}text", HiddenGroup::Bidi),
            ("עברית \u{2067}open", HiddenGroup::Bidi),
            (
                "\u{1f600}\u{e0173}\u{e0175}",
                HiddenGroup::VariationSelector,
            ),
            ("a\u{fe0f}", HiddenGroup::VariationSelector),
            ("\u{1f600}\u{fe0f}\u{fe0f}", HiddenGroup::VariationSelector),
            ("\u{1b}[2J", HiddenGroup::Control),
            ("bell\u{7}", HiddenGroup::Control),
            ("\u{9b}31m", HiddenGroup::Control),
            ("x\u{3164}y", HiddenGroup::Filler),
            ("x\u{fff9}y", HiddenGroup::Annotation),
            ("s\u{ad}e\u{ad}n\u{ad}d", HiddenGroup::ZeroWidth),
        ] {
            let found = out_of_place(text, false);
            assert!(!found.is_empty(), "{text:?}");
            assert!(
                found.iter().all(|(_, found)| *found == group),
                "{text:?}: {found:?}"
            );
        }
    }

    #[test]
    fn many_variants_of_ideographs_are_no_spelling() {
        let spelled = |count| out_of_place(&"葛\u{e0100}飾".repeat(count), false).len();
        assert_eq!((spelled(16), spelled(17)), (0, 17));
    }

    #[test]
    fn a_name_has_no_line_breaks() {
        assert!(message("a\nb", true).is_some());
        assert!(message("a\nb", false).is_none());
    }

    #[test]
    fn a_message_shows_code_points_and_nothing_raw() {
        let text = "Se\u{200b}arch \u{1b}[2J \u{e0041}";
        let shown = message(text, false).unwrap();
        assert!(shown.is_ascii(), "{shown}");
        assert!(shown.contains("U+200B") && shown.contains("U+001B") && shown.contains("U+E0041"));
    }
}
