//! The closed list of code points that never stand raw, as a sorted table of ranges.
//!
//! Pure data and one search. `docs/lockfile.md` prints the table; changing it changes the bytes of
//! a lockfile and so needs another `version`.

use std::cmp::Ordering;
use std::fmt;

/// Why a code point is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HiddenGroup {
    /// C0 controls, DEL and C1 controls.
    Control,
    /// U+2028 and U+2029, which end a line in some readers only.
    Separator,
    /// Marks, embeddings, overrides and isolates of the bidirectional algorithm.
    Bidi,
    /// Characters without width: spaces, joiners, soft hyphen, invisible operators.
    ZeroWidth,
    /// Letters that are drawn as nothing (Hangul and Khmer fillers).
    Filler,
    /// Selectors of a glyph variant.
    VariationSelector,
    /// The tag block, which can carry a whole hidden ASCII text.
    Tag,
    /// Anchors of interlinear annotations.
    Annotation,
    /// The rest of `Default_Ignorable_Code_Point`: deprecated, musical and shorthand format
    /// controls, and code points reserved for more such.
    Ignorable,
    /// Private use: what is drawn depends on the font.
    PrivateUse,
    /// Code points that are no characters.
    Noncharacter,
}

impl HiddenGroup {
    /// The word for it, in documents and findings.
    pub fn word(self) -> &'static str {
        match self {
            HiddenGroup::Control => "control",
            HiddenGroup::Separator => "separator",
            HiddenGroup::Bidi => "bidi",
            HiddenGroup::ZeroWidth => "zero-width",
            HiddenGroup::Filler => "filler",
            HiddenGroup::VariationSelector => "variation-selector",
            HiddenGroup::Tag => "tag",
            HiddenGroup::Annotation => "annotation",
            HiddenGroup::Ignorable => "ignorable",
            HiddenGroup::PrivateUse => "private-use",
            HiddenGroup::Noncharacter => "noncharacter",
        }
    }
}

impl fmt::Display for HiddenGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Code points `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HiddenRange {
    /// The first one.
    pub first: u32,
    /// The last one.
    pub last: u32,
    /// Why they are hidden.
    pub group: HiddenGroup,
}

const fn range(first: u32, last: u32, group: HiddenGroup) -> HiddenRange {
    HiddenRange { first, last, group }
}

/// Every hidden code point, in order.
pub const HIDDEN: &[HiddenRange] = &[
    range(0x0000, 0x001f, HiddenGroup::Control),
    range(0x007f, 0x009f, HiddenGroup::Control),
    range(0x00ad, 0x00ad, HiddenGroup::ZeroWidth),
    range(0x034f, 0x034f, HiddenGroup::ZeroWidth),
    range(0x061c, 0x061c, HiddenGroup::Bidi),
    range(0x115f, 0x1160, HiddenGroup::Filler),
    range(0x17b4, 0x17b5, HiddenGroup::Filler),
    range(0x180b, 0x180d, HiddenGroup::VariationSelector),
    range(0x180e, 0x180e, HiddenGroup::ZeroWidth),
    range(0x180f, 0x180f, HiddenGroup::VariationSelector),
    range(0x200b, 0x200d, HiddenGroup::ZeroWidth),
    range(0x200e, 0x200f, HiddenGroup::Bidi),
    range(0x2028, 0x2029, HiddenGroup::Separator),
    range(0x202a, 0x202e, HiddenGroup::Bidi),
    range(0x2060, 0x2064, HiddenGroup::ZeroWidth),
    range(0x2065, 0x2065, HiddenGroup::Ignorable),
    range(0x2066, 0x2069, HiddenGroup::Bidi),
    range(0x206a, 0x206f, HiddenGroup::Ignorable),
    range(0x3164, 0x3164, HiddenGroup::Filler),
    range(0xe000, 0xf8ff, HiddenGroup::PrivateUse),
    range(0xfdd0, 0xfdef, HiddenGroup::Noncharacter),
    range(0xfe00, 0xfe0f, HiddenGroup::VariationSelector),
    range(0xfeff, 0xfeff, HiddenGroup::ZeroWidth),
    range(0xffa0, 0xffa0, HiddenGroup::Filler),
    range(0xfff0, 0xfff8, HiddenGroup::Ignorable),
    range(0xfff9, 0xfffb, HiddenGroup::Annotation),
    range(0xfffe, 0xffff, HiddenGroup::Noncharacter),
    range(0x1bca0, 0x1bca3, HiddenGroup::Ignorable),
    range(0x1d173, 0x1d17a, HiddenGroup::Ignorable),
    range(0x1fffe, 0x1ffff, HiddenGroup::Noncharacter),
    range(0x2fffe, 0x2ffff, HiddenGroup::Noncharacter),
    range(0x3fffe, 0x3ffff, HiddenGroup::Noncharacter),
    range(0x4fffe, 0x4ffff, HiddenGroup::Noncharacter),
    range(0x5fffe, 0x5ffff, HiddenGroup::Noncharacter),
    range(0x6fffe, 0x6ffff, HiddenGroup::Noncharacter),
    range(0x7fffe, 0x7ffff, HiddenGroup::Noncharacter),
    range(0x8fffe, 0x8ffff, HiddenGroup::Noncharacter),
    range(0x9fffe, 0x9ffff, HiddenGroup::Noncharacter),
    range(0xafffe, 0xaffff, HiddenGroup::Noncharacter),
    range(0xbfffe, 0xbffff, HiddenGroup::Noncharacter),
    range(0xcfffe, 0xcffff, HiddenGroup::Noncharacter),
    range(0xdfffe, 0xdffff, HiddenGroup::Noncharacter),
    range(0xe0000, 0xe007f, HiddenGroup::Tag),
    range(0xe0080, 0xe00ff, HiddenGroup::Ignorable),
    range(0xe0100, 0xe01ef, HiddenGroup::VariationSelector),
    range(0xe01f0, 0xe0fff, HiddenGroup::Ignorable),
    range(0xefffe, 0xeffff, HiddenGroup::Noncharacter),
    range(0xf0000, 0xffffd, HiddenGroup::PrivateUse),
    range(0xffffe, 0xfffff, HiddenGroup::Noncharacter),
    range(0x10_0000, 0x10_fffd, HiddenGroup::PrivateUse),
    range(0x10_fffe, 0x10_ffff, HiddenGroup::Noncharacter),
];

/// Why `c` is hidden; none for a character that is written as it is.
pub fn hidden_group(c: char) -> Option<HiddenGroup> {
    if matches!(c, ' '..='~') {
        return None;
    }
    let code = u32::from(c);
    HIDDEN
        .binary_search_by(|range| {
            if range.last < code {
                Ordering::Less
            } else if range.first > code {
                Ordering::Greater
            } else {
                Ordering::Equal
            }
        })
        .ok()
        .map(|i| HIDDEN[i].group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_its_ranges_do_not_touch_in_one_group() {
        for range in HIDDEN {
            assert!(range.first <= range.last, "{range:x?}");
        }
        for pair in HIDDEN.windows(2) {
            assert!(pair[0].last < pair[1].first, "{pair:x?}");
            assert!(
                pair[0].last + 1 < pair[1].first || pair[0].group != pair[1].group,
                "{pair:x?} is one range"
            );
        }
    }

    #[test]
    fn the_search_finds_what_a_scan_finds_for_every_character() {
        for c in '\0'..=char::MAX {
            let code = u32::from(c);
            let scanned = HIDDEN
                .iter()
                .find(|range| (range.first..=range.last).contains(&code))
                .map(|range| range.group);
            assert_eq!(hidden_group(c), scanned, "U+{code:04X}");
        }
    }

    #[test]
    fn the_document_prints_the_table() {
        let document = include_str!("../../docs/lockfile.md");
        let mut printed = Vec::new();
        for line in document.lines() {
            let Some(row) = line.strip_prefix("| U+") else {
                continue;
            };
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let (first, last) = cells[0]
                .split_once(" to U+")
                .unwrap_or((cells[0], cells[0]));
            let code = |hex| u32::from_str_radix(hex, 16).unwrap();
            printed.push((code(first), code(last), cells[1].to_owned()));
        }
        let table: Vec<_> = HIDDEN
            .iter()
            .map(|range| (range.first, range.last, range.group.word().to_owned()))
            .collect();
        assert_eq!(printed, table);
    }

    /// Compared with the list of the suites; each difference is deliberate.
    #[test]
    fn the_table_agrees_with_the_unicode_data_but_for_stated_differences() {
        let Some(root) = std::env::var_os("MCPLOCK_SUITES") else {
            println!("SKIPPED: MCPLOCK_SUITES is not set, the Unicode data was not compared");
            return;
        };
        let path =
            std::path::Path::new(&root).join("suites/vendor/unicode-hidden/hidden-code-points.tsv");
        let data = std::fs::read_to_string(&path).unwrap();
        // What must be hidden; the other tags are visible (deprecated letters, Arabic number
        // signs and other visible format characters) or blank in a way that people write (spaces,
        // the empty Braille pattern U+2800).
        let hides = [
            "default-ignorable",
            "bidi-control",
            "join-control",
            "variation-selector",
            "noncharacter",
            "tag-block",
            "gc-Cc",
            "gc-Co",
            "gc-Zl",
            "gc-Zp",
        ];
        let mut wanted = std::collections::BTreeSet::new();
        for line in data.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            let code = |hex| u32::from_str_radix(hex, 16).unwrap();
            if cells[2].split(',').any(|tag| hides.contains(&tag)) {
                wanted.extend(code(cells[0])..=code(cells[1]));
            }
        }
        // Format characters without the default-ignorable property, yet drawn as nothing by most
        // fonts, and able to hide the text between them.
        wanted.extend(0xfff9..=0xfffb);
        let ours: std::collections::BTreeSet<u32> = HIDDEN
            .iter()
            .flat_map(|range| range.first..=range.last)
            .collect();
        assert_eq!(
            ours.symmetric_difference(&wanted)
                .map(|code| format!("{code:04X}"))
                .collect::<Vec<_>>(),
            Vec::<String>::new()
        );
    }
}
