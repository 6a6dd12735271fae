//! Sets of code points, with two marks for the ends of a string.

/// The mark before the first character.
pub(super) const START: u32 = 0x11_0000;
/// The mark after the last character.
pub(super) const END: u32 = 0x11_0001;

/// Sorted, disjoint, non-adjacent inclusive ranges.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct CharSet(Vec<(u32, u32)>);

impl CharSet {
    pub(super) fn of(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut ranges: Vec<(u32, u32)> = ranges.into_iter().collect();
        ranges.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match out.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => out.push((low, high)),
            }
        }
        CharSet(out)
    }

    pub(super) fn single(c: u32) -> Self {
        CharSet(vec![(c, c)])
    }

    /// Every character that a string can hold.
    pub(super) fn chars() -> Self {
        CharSet(vec![(0, 0xd7ff), (0xe000, 0x10_ffff)])
    }

    /// Every character and both marks.
    pub(super) fn everything() -> Self {
        CharSet(vec![(0, 0xd7ff), (0xe000, END)])
    }

    pub(super) fn digits() -> Self {
        CharSet::of([(0x30, 0x39)])
    }

    pub(super) fn word() -> Self {
        CharSet::of([(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)])
    }

    /// `WhiteSpace` and `LineTerminator` of ECMA-262, sections 12.2 and 12.3.
    pub(super) fn space() -> Self {
        CharSet::of([
            (0x09, 0x0d),
            (0x20, 0x20),
            (0xa0, 0xa0),
            (0x1680, 0x1680),
            (0x2000, 0x200a),
            (0x2028, 0x2029),
            (0x202f, 0x202f),
            (0x205f, 0x205f),
            (0x3000, 0x3000),
            (0xfeff, 0xfeff),
        ])
    }

    /// What `.` matches: no line terminator.
    pub(super) fn dot() -> Self {
        CharSet::of([(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)]).complement()
    }

    pub(super) fn union(&self, other: &CharSet) -> Self {
        CharSet::of(self.0.iter().chain(&other.0).copied())
    }

    /// The other characters (marks are never in it).
    pub(super) fn complement(&self) -> Self {
        let mut out = Vec::new();
        for (low, high) in CharSet::chars().0 {
            let mut at = low;
            for &(l, h) in self.0.iter().filter(|(l, h)| *h >= low && *l <= high) {
                if l > at {
                    out.push((at, l - 1));
                }
                at = at.max(h.saturating_add(1));
            }
            if at <= high {
                out.push((at, high));
            }
        }
        CharSet(out)
    }

    pub(super) fn has(&self, c: u32) -> bool {
        let at = self.0.partition_point(|(_, high)| *high < c);
        self.0.get(at).is_some_and(|(low, _)| *low <= c)
    }

    /// The one code point in it, if it is one.
    pub(super) fn only(&self) -> Option<u32> {
        match self.0.as_slice() {
            [(low, high)] if low == high => Some(*low),
            _ => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where membership changes: the first code point of each run, in and out.
    pub(super) fn cuts(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|(low, high)| [*low, high + 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complement_holds_exactly_the_other_characters() {
        let set = CharSet::of([(0x30, 0x39), (0x41, 0x5a), (0x10_ff00, 0x10_ffff)]);
        let other = set.complement();
        for c in [
            0, 0x2f, 0x30, 0x39, 0x3a, 0x5a, 0x5b, 0xd7ff, 0xe000, 0x10_ff00,
        ] {
            assert_ne!(set.has(c), other.has(c), "{c:x}");
        }
        assert!(!other.has(START) && !other.has(END));
        assert_eq!(other.complement(), set);
        assert!(CharSet::chars().complement().is_empty());
    }
}
