//! How much two names, or two sorted lists of features, have in common, in whole percents.

/// The words of a text, in lower case, sorted, each once. A letter of a script without case, of
/// which many are written without spaces, is a word by itself.
pub(super) fn text_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        for c in run.chars() {
            if c.is_ascii() || c.is_lowercase() || c.is_uppercase() {
                word.extend(c.to_lowercase());
            } else {
                words.push(c.to_string());
            }
        }
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.dedup();
    words
}

/// The words of a name in their order, in lower case: `readTextFile` and `read-text_file` are the
/// same three.
pub(in super::super) fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && !last.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Twice what two sorted lists share, by the weight of that, over what both hold; none where both
/// are empty.
pub(super) fn shared<T: Ord>(a: &[T], b: &[T], weight: impl Fn(&T) -> u64) -> Option<u64> {
    let total: u64 = a.iter().chain(b).map(&weight).sum();
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                common += weight(x);
                i += 1;
                j += 1;
            }
        }
    }
    (200 * common).checked_div(total)
}

/// How alike two names are. Another spelling of the same words is all alike, an abbreviation
/// (`q` of `query`, `msg` of `message`) counts 80.
pub(super) fn names(a: &str, b: &str) -> u64 {
    let (a, b) = (name_words(a), name_words(b));
    let (whole_a, whole_b) = (a.concat(), b.concat());
    if whole_a == whole_b {
        return 100;
    }
    let (short, long, words) = if whole_a.len() <= whole_b.len() {
        (&whole_a, &whole_b, &b)
    } else {
        (&whole_b, &whole_a, &a)
    };
    if short.is_empty() {
        return 0;
    }
    let initials: String = words
        .iter()
        .filter_map(|word| word.chars().next())
        .collect();
    if long.starts_with(short.as_str())
        || (words.len() > 1 && *short == initials)
        || (short.len() > 1 && skeleton(short) == *short && skeleton(long) == *short)
    {
        return 80;
    }
    let sorted = |mut list: Vec<String>| {
        list.sort_unstable();
        list
    };
    let pairs = |whole: &str| {
        let letters: Vec<char> = whole.chars().collect();
        sorted(letters.windows(2).map(|two| two.iter().collect()).collect())
    };
    let by_letters = shared(&pairs(&whole_a), &pairs(&whole_b), |_| 1).unwrap_or(0);
    let by_words = shared(&sorted(a), &sorted(b), |_| 1).unwrap_or(0);
    by_words.max(by_letters)
}

/// A word without the vowels after its first letter and without doubled letters.
fn skeleton(word: &str) -> String {
    let mut out = String::new();
    for (i, c) in word.chars().enumerate() {
        if (i == 0 || !"aeiou".contains(c)) && !out.ends_with(c) {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_word_by_word() {
        assert_eq!(name_words("readTextFile"), ["read", "text", "file"]);
        assert_eq!(name_words("read-text_file"), ["read", "text", "file"]);
        assert_eq!(name_words("getURL2"), ["get", "url2"]);
        assert_eq!(text_words("Read, then read."), ["read", "then"]);
        assert_eq!(text_words("検索 API"), ["api", "検", "索"]);
    }

    #[test]
    fn abbreviations_and_spellings_are_alike_and_other_names_are_not() {
        assert_eq!(names("maxResults", "max_results"), 100);
        for (long, short) in [
            ("query", "q"),
            ("message", "msg"),
            ("repository", "repo"),
            ("count", "cnt"),
            ("max_results", "mr"),
        ] {
            assert_eq!(names(long, short), 80, "{long} {short}");
            assert_eq!(names(short, long), 80, "{long} {short}");
        }
        assert!(names("file_path", "path") > 60);
        assert!(names("owner", "repo") < 20);
        assert_eq!(names("limit", "page"), 0);
        assert_eq!(names("", "a"), 0);
    }

    #[test]
    fn what_is_shared_counts_by_its_weight() {
        let a = ["common", "rare"];
        assert_eq!(shared(&a, &["common"], |_| 1), Some(66));
        let rare = |word: &&str| if *word == "rare" { 8 } else { 1 };
        assert_eq!(shared(&a, &["common"], rare), Some(20));
        assert_eq!(shared(&[] as &[u8], &[], |_| 1), None);
    }
}
