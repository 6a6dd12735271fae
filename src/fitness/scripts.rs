//! Letters that are taken for others: which scripts a name mixes, and what it looks like.
//!
//! Own tables of the scripts that imitate Latin; a name in one script alone, whatever it is, mixes
//! nothing.

/// A name with letters of another script among its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mixture {
    /// The script of the letter that stands out.
    pub(super) found: &'static str,
    /// The script that it stands among.
    pub(super) among: &'static str,
    /// The letter.
    pub(super) code: u32,
}

/// The scripts with letters that look like Latin ones.
const SCRIPTS: &[(&str, &[(u32, u32)])] = &[
    ("Greek", &[(0x370, 0x3ff), (0x1f00, 0x1fff)]),
    (
        "Cyrillic",
        &[
            (0x400, 0x52f),
            (0x1c80, 0x1c8f),
            (0x2de0, 0x2dff),
            (0xa640, 0xa69f),
        ],
    ),
    ("Armenian", &[(0x531, 0x58f)]),
    ("Cherokee", &[(0x13a0, 0x13ff), (0xab70, 0xabbf)]),
    ("Lisu", &[(0xa4d0, 0xa4ff)]),
    ("Coptic", &[(0x2c80, 0x2cff)]),
    ("full-width", &[(0xff21, 0xff3a), (0xff41, 0xff5a)]),
    ("mathematical", &[(0x1d400, 0x1d7ff)]),
];

fn script(c: char) -> Option<&'static str> {
    let code = u32::from(c);
    let latin = c.is_ascii_alphabetic()
        || (c.is_alphabetic() && (matches!(code, 0xc0..=0x24f | 0x1e00..=0x1eff)));
    if latin {
        return Some("Latin");
    }
    let inside = |ranges: &[(u32, u32)]| {
        ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
    };
    SCRIPTS
        .iter()
        .find(|(_, ranges)| c.is_alphabetic() && inside(ranges))
        .map(|(name, _)| *name)
}

/// What `name` mixes, if it mixes one of these scripts with another of them.
///
/// Words apart by `_`, `-`, `.` or a blank are judged one by one: `поиск_v2` and `run_поиск` are
/// what they seem.
pub(super) fn mixture(name: &str) -> Option<Mixture> {
    if name.is_ascii() {
        return None;
    }
    name.split(['_', '-', '.', ' ', '/']).find_map(|word| {
        let mut among = None;
        for c in word.chars() {
            match (script(c), among) {
                (Some(found), None) => among = Some(found),
                (Some(found), Some(before)) if found != before => {
                    let (found, among, code) = if found == "Latin" {
                        let odd = word.chars().find(|&c| script(c) == Some(before))?;
                        (before, found, u32::from(odd))
                    } else {
                        (found, before, u32::from(c))
                    };
                    return Some(Mixture { found, among, code });
                }
                _ => {}
            }
        }
        None
    })
}

/// What each letter looks like.
const LOOKS: &[(&str, char)] = &[
    ("аɑα", 'a'),
    ("сϲ", 'c'),
    ("ԁ", 'd'),
    ("е", 'e'),
    ("һ", 'h'),
    ("іι", 'i'),
    ("ј", 'j'),
    ("κк", 'k'),
    ("ӏ", 'l'),
    ("ո", 'n'),
    ("оοօ", 'o'),
    ("рρ", 'p'),
    ("ԛ", 'q'),
    ("ѕ", 's'),
    ("υս", 'u'),
    ("ѵν", 'v'),
    ("ԝ", 'w'),
    ("хχ", 'x'),
    ("уγ", 'y'),
    ("АΑ", 'A'),
    ("ВΒ", 'B'),
    ("СϹ", 'C'),
    ("ЕΕ", 'E'),
    ("НΗ", 'H'),
    ("ІΙ", 'I'),
    ("Ј", 'J'),
    ("КΚ", 'K'),
    ("МΜ", 'M'),
    ("Ν", 'N'),
    ("ОΟ", 'O'),
    ("РΡ", 'P'),
    ("Ѕ", 'S'),
    ("ТΤ", 'T'),
    ("ХΧ", 'X'),
    ("ҮΥ", 'Y'),
    ("Ζ", 'Z'),
];

/// What `name` looks like in ASCII, as far as it looks like that.
pub(super) fn skeleton(name: &str) -> String {
    if name.is_ascii() {
        return name.to_owned();
    }
    name.chars()
        .filter(|c| crate::text::hidden_group(*c).is_none())
        .map(|c| match u32::from(c) {
            code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(c),
            _ => LOOKS
                .iter()
                .find(|(letters, _)| letters.contains(c))
                .map_or(c, |(_, looks)| *looks),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_of_another_script_inside_a_word_is_found() {
        let found = mixture("re\u{0430}d_file").unwrap();
        assert_eq!((found.found, found.code), ("Cyrillic", 0x430));
        assert_eq!(mixture("\u{0440}ay").unwrap().found, "Cyrillic");
        assert_eq!(mixture("s\u{ff45}nd").unwrap().found, "full-width");
    }

    #[test]
    fn names_in_one_script_mix_nothing() {
        for name in [
            "read_file",
            "größe",
            "поиск",
            "поиск_v2",
            "run_поиск",
            "検索",
            "検索tool",
            "αβγ",
            "naïve",
            "تفتيش",
            "खोज",
            "검색",
            "İstanbul",
        ] {
            assert_eq!(mixture(name), None, "{name}");
        }
    }

    #[test]
    fn look_alikes_have_one_skeleton() {
        assert_eq!(skeleton("\u{0440}\u{0430}\u{0443}"), "pay");
        assert_eq!(skeleton("r\u{200b}un"), "run");
        assert_eq!(skeleton("run"), "run");
        assert_ne!(skeleton("поиск"), "поиск1");
    }
}
