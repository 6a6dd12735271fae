//! Letters that are taken for others: which scripts a name mixes, and which names look alike.
//!
//! Scripts and looks are those of Unicode (UAX 24, UTS 39), from the tables of the `unicode-*`
//! crates. A mixture alone is no fault, since honest names have one (`timeout_μs`, `検索API`): a
//! letter must look like one of the script that it stands among.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;

/// A name with a letter that is taken for one of another script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mixture {
    /// The script of the letter.
    pub(super) found: &'static str,
    /// The script that it stands among.
    pub(super) among: &'static str,
    /// The letter.
    pub(super) code: u32,
}

const LATIN: &str = "Latin";

/// The script of a letter; none for what belongs to every script, or is no letter.
///
/// The scripts that Chinese, Japanese and Korean are written with count as one, as UTS 39 has it;
/// letters in another style of writing, which Unicode gives to Latin or to none, as one of their own.
fn script(c: char) -> Option<&'static str> {
    match u32::from(c) {
        0xff21..=0xff3a | 0xff41..=0xff5a => return Some("full-width"),
        0x1d400..=0x1d7cb => return Some("mathematical"),
        _ => {}
    }
    match c.script() {
        _ if !c.is_alphabetic() => None,
        Script::Common | Script::Inherited | Script::Unknown => None,
        Script::Hiragana | Script::Katakana | Script::Hangul | Script::Bopomofo => Some("Han"),
        script => Some(script.full_name()),
    }
}

/// What one letter looks like: its prototype in the tables of UTS 39, or the plain form of a letter
/// in another style.
fn look(c: char) -> String {
    let plain: String = if matches!(script(c), Some("full-width" | "mathematical")) {
        c.nfkc().collect()
    } else {
        c.to_string()
    };
    skeleton(&plain).collect()
}

/// Characters of a name that are looked at: no host takes a longer one.
const MAX_NAME: usize = 1_024;

fn beginning(name: &str) -> &str {
    let rest = name.char_indices().nth(MAX_NAME);
    rest.map_or(name, |(end, _)| &name[..end])
}

/// The words of an identifier: apart by ASCII signs and blanks, and where a capital follows a small
/// letter.
fn words(name: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in
        name.split(|c: char| (c.is_ascii() && !c.is_ascii_alphanumeric()) || c.is_whitespace())
    {
        let mut start = 0;
        let mut before_is_small = false;
        for (at, c) in part.char_indices() {
            if before_is_small && c.is_uppercase() {
                found.push(&part[start..at]);
                start = at;
            }
            before_is_small = c.is_lowercase();
        }
        found.push(&part[start..]);
    }
    found.retain(|word| !word.is_empty());
    found
}

/// The letter of `name` that is taken for one of another script, if there is one: within a word, or
/// a whole word among Latin ones, if the name then reads as ASCII throughout.
pub(super) fn mixture(name: &str) -> Option<Mixture> {
    if name.is_ascii() {
        return None;
    }
    let name = beginning(name);
    let words = words(name);
    words
        .iter()
        .find_map(|word| within(word))
        .or_else(|| among_words(&words))
}

fn within(word: &str) -> Option<Mixture> {
    let scripts: Vec<&str> = word.chars().filter_map(script).collect();
    if scripts.windows(2).all(|pair| pair[0] == pair[1]) {
        return None;
    }
    word.chars().find_map(|c| {
        let found = script(c)?;
        let among = look(c).chars().find_map(script)?;
        (among != found && scripts.contains(&among)).then_some(Mixture {
            found,
            among,
            code: u32::from(c),
        })
    })
}

/// Greek letters stand alone as symbols (`χ_square`): one alone is no disguise.
fn among_words(words: &[&str]) -> Option<Mixture> {
    let letters = |word: &str| word.chars().filter(|c| script(*c).is_some()).count();
    let is_ascii = |word: &&&str| word.is_ascii() && letters(word) > 0;
    let odd = words.iter().find(|word| {
        let greek = word.chars().any(|c| script(c) == Some("Greek"));
        !word.is_ascii() && letters(word) > usize::from(greek)
    })?;
    let disguised = |word: &&str| {
        word.chars().all(|c| {
            script(c).is_none_or(|script| script != LATIN || c.is_ascii()) && look(c).is_ascii()
        })
    };
    if words.iter().find(is_ascii).is_none() || !words.iter().all(disguised) {
        return None;
    }
    let c = odd
        .chars()
        .find(|c| script(*c).is_some_and(|script| script != LATIN))?;
    Some(Mixture {
        found: script(c)?,
        among: LATIN,
        code: u32::from(c),
    })
}

/// Names by what they look like, each with whose it is.
pub(super) struct Looks<'n, W = ()>(HashMap<String, (W, &'n str)>);

impl<W> Default for Looks<'_, W> {
    fn default() -> Self {
        Looks(HashMap::new())
    }
}

impl<'n> Looks<'n> {
    /// Adds `name`; true if it looks like one before it that is another name.
    pub(super) fn deceives(&mut self, name: &'n str) -> bool {
        self.like(name, ()).is_some()
    }
}

impl<'n, W: Copy> Looks<'n, W> {
    /// Adds `name`, which is that of `whose`; the first one that looks like it, if that is another
    /// name.
    ///
    /// Names in ASCII are told apart by those who read code (`list_1` and `list_l`), and so are two
    /// in one script of their own, unless they are the same letters in another composition.
    pub(super) fn like(&mut self, name: &'n str, whose: W) -> Option<(W, &'n str)> {
        let shown: String = beginning(name)
            .chars()
            .filter(|c| crate::text::hidden_group(*c).is_none())
            .flat_map(|c| match script(c) {
                Some("full-width" | "mathematical") => c.nfkc().collect::<Vec<_>>(),
                _ => vec![c],
            })
            .collect();
        let (whose, first) = *self
            .0
            .entry(skeleton(&shown).collect())
            .or_insert((whose, name));
        if first == name
            || (first.is_ascii() && name.is_ascii())
            || beginning(name).len() < name.len()
        {
            return None;
        }
        let own = only_script(name);
        let is_own = own.is_some_and(|script| script != LATIN) && own == only_script(first);
        (!is_own || first.nfc().eq(name.nfc())).then_some((whose, first))
    }
}

/// The script of all letters of a name, if it is one.
fn only_script(name: &str) -> Option<&'static str> {
    let mut scripts = name.chars().filter_map(script);
    let first = scripts.next()?;
    scripts.all(|script| script == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_is_taken_for_one_of_another_script_is_found() {
        for (name, script, code) in [
            ("re\u{0430}d_file", "Cyrillic", 0x430),
            ("\u{0440}ay", "Cyrillic", 0x440),
            ("s\u{ff45}nd", "full-width", 0xff45),
            ("s\u{1d41e}nd", "mathematical", 0x1d41e),
            ("get\u{0410}ccount", "Cyrillic", 0x410),
            ("r\u{03bf}ute", "Greek", 0x3bf),
            ("ope\u{0578}", "Armenian", 0x578),
            ("\u{13aa}o", "Cherokee", 0x13aa),
            ("файлread", "Cyrillic", 0x444),
            ("\u{0440}\u{0430}\u{0443}_invoice", "Cyrillic", 0x440),
            ("sendАll", "Cyrillic", 0x410),
        ] {
            let found = mixture(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((found.found, found.code), (script, code), "{name}");
            assert_eq!(found.among, "Latin", "{name}");
        }
    }

    #[test]
    fn honest_names_of_every_script_mix_nothing() {
        for name in [
            "read_file",
            "größe",
            "поиск",
            "поиск_v2",
            "run_поиск",
            "работа_с_api",
            "рау",
            "検索",
            "検索tool",
            "検索カードID",
            "データベースを開く",
            "エラー一覧",
            "검색도구",
            "漢字한글",
            "查询天气API",
            "αβγ",
            "χ_square",
            "alpha_α",
            "timeout_μs",
            "timeout_µs",
            "Δt",
            "λ_max",
            "naïve",
            "تفتيش",
            "بحث_v2",
            "खोज",
            "खोजTool",
            "ค้นหา",
            "חיפוש",
            "ձայն",
            "ძებნა",
            "İstanbul",
            "ısı_değeri",
            "ＡＢＣ",
            "m²",
            "½cup",
            "🔍search",
        ] {
            assert_eq!(mixture(name), None, "{name}");
        }
    }

    fn deceives(first: &str, second: &str) -> bool {
        let mut looks = Looks::default();
        assert!(!looks.deceives(first));
        assert!(
            !looks.deceives(first),
            "the same name twice is another fault"
        );
        looks.deceives(second)
    }

    #[test]
    fn names_that_look_alike_are_found() {
        for (first, second) in [
            ("pay", "\u{0440}\u{0430}\u{0443}"),
            ("\u{0440}\u{0430}\u{0443}", "pay"),
            ("run", "r\u{200b}un"),
            ("list", "l\u{0131}st"),
            ("scope", "\u{0455}\u{0441}\u{043e}\u{0440}\u{0435}"),
            ("send", "s\u{ff45}nd"),
            ("send", "s\u{1d41e}nd"),
            ("größe", "gro\u{308}ße"),
            ("file", "ﬁle"),
        ] {
            assert!(deceives(first, second), "{first} {second}");
        }
    }

    #[test]
    fn names_that_people_tell_apart_are_fine() {
        for (first, second) in [
            ("list_1", "list_l"),
            ("modem", "modern"),
            ("x0", "xO"),
            ("поиск", "поиск1"),
            ("夕方", "タ方"),
            ("größe", "grosse"),
            ("naïve", "naive"),
            ("détail", "detail"),
        ] {
            assert!(!deceives(first, second), "{first} {second}");
        }
    }
}
