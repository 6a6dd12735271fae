//! The only way to hold a value that must never be printed, and the mask for text that may hold it.

use std::borrow::Cow;
use std::fmt;

use super::REDACTED;
use super::spelling::spellings;

/// Text that does not show itself: it has no `Display`, and its `Debug` form reveals nothing, not
/// even the length.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Secret {
    value: String,
    credential: bool,
}

impl Secret {
    /// Wraps a value that is nobody's business.
    pub fn new(value: impl Into<String>) -> Self {
        Secret {
            value: value.into(),
            credential: false,
        }
    }

    /// Wraps a value that is known to be a credential: by the name of its variable, flag or
    /// header, or by its form. A server that repeats one in its catalog is unfit.
    pub fn credential(value: impl Into<String>) -> Self {
        Secret {
            value: value.into(),
            credential: true,
        }
    }

    /// The value, for the one place that hands it to a process or a socket.
    pub fn expose(&self) -> &str {
        &self.value
    }

    /// Whether it is known to be a credential, not only private.
    pub fn is_credential(&self) -> bool {
        self.credential
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

/// Values shorter than this are never masked: they would turn every text into holes.
const SHORTEST: usize = 4;
/// Values shorter than this are masked only where they stand alone, so that `test` leaves
/// `latest` as it is.
pub(super) const ANYWHERE: usize = 8;

/// Masks known secret values in any text: a server's standard error, an error message, a log.
#[derive(Clone, Default)]
pub struct Redactor {
    /// The values in every spelling, the longest first.
    spellings: Vec<String>,
}

impl Redactor {
    /// A mask for all of `secrets`.
    pub fn new<'s>(secrets: impl IntoIterator<Item = &'s Secret>) -> Self {
        let mut spellings: Vec<String> = secrets
            .into_iter()
            .flat_map(|secret| spellings(secret.expose()))
            .filter(|value| value.chars().count() >= SHORTEST)
            .collect();
        spellings.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        spellings.dedup();
        Redactor { spellings }
    }

    /// A mask for those of `secrets` that are credentials: what a catalog must not repeat.
    pub fn of_credentials<'s>(secrets: impl IntoIterator<Item = &'s Secret>) -> Self {
        Self::new(secrets.into_iter().filter(|secret| secret.is_credential()))
    }

    /// Adds the values of another mask.
    pub fn extend(&mut self, other: &Redactor) {
        self.spellings.extend(other.spellings.iter().cloned());
        self.spellings
            .sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.spellings.dedup();
    }

    /// The length of the longest spelling, in bytes.
    pub fn longest(&self) -> usize {
        self.spellings.first().map_or(0, String::len)
    }

    /// Whether `text` holds one of the values.
    pub fn finds(&self, text: &str) -> bool {
        self.first(text, 0).is_some()
    }

    /// `text` with every known value replaced by `<redacted>`.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(mut hit) = self.first(text, 0) else {
            return Cow::Borrowed(text);
        };
        let mut masked = String::with_capacity(text.len());
        let mut done = 0;
        loop {
            masked.push_str(&text[done..hit.0]);
            masked.push_str(REDACTED);
            done = hit.1;
            match self.first(text, done) {
                Some(next) => hit = next,
                None => break,
            }
        }
        masked.push_str(&text[done..]);
        Cow::Owned(masked)
    }

    /// The first hit at or after `from`, the longest of those that begin there.
    fn first(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        self.spellings
            .iter()
            .filter_map(|value| find(text, from, value))
            .min_by_key(|&(start, end)| (start, std::cmp::Reverse(end)))
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.spellings.len())
    }
}

fn find(text: &str, from: usize, value: &str) -> Option<(usize, usize)> {
    let anywhere = value.chars().count() >= ANYWHERE;
    text[from..]
        .match_indices(value)
        .map(|(at, hit)| (from + at, from + at + hit.len()))
        .find(|&(start, end)| {
            anywhere
                || (!text[..start].ends_with(char::is_alphanumeric)
                    && !text[end..].starts_with(char::is_alphanumeric))
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_formatting_reveals_a_secret() {
        let secret = Secret::credential("hunter2hunter2");
        assert_eq!(format!("{secret:?} {secret:#?}"), "<secret> <secret>");
        assert!(!format!("{:?}", Redactor::new([&secret])).contains("hunter2"));
    }

    #[test]
    fn a_short_value_is_masked_only_where_it_stands_alone() {
        let mask = Redactor::new([&Secret::new("test"), &Secret::new("abc")]);
        assert_eq!(
            mask.mask("latest test=test abc"),
            "latest <redacted>=<redacted> abc"
        );
    }

    #[test]
    fn a_value_is_masked_in_json_in_urls_and_behind_its_scheme() {
        let mask = Redactor::new([&Secret::new("Bearer p\"a/ss\\word+1")]);
        for text in [
            "Bearer p\"a/ss\\word+1",
            r#"{"h":"Bearer p\"a/ss\\word+1"}"#,
            "?h=Bearer%20p%22a%2Fss%5Cword%2B1",
            "token p\"a/ss\\word+1",
        ] {
            assert!(mask.mask(text).contains(REDACTED), "{text}");
            assert!(!mask.mask(text).contains("word+1") && !mask.mask(text).contains("word%2B1"));
        }
    }

    proptest! {
        #[test]
        fn masked_text_holds_no_long_value(
            values in prop::collection::vec("[a-z0-9+/$<>é]{8,20}", 1..4),
            between in prop::collection::vec("[a-z <>]{0,6}", 4),
        ) {
            let secrets: Vec<Secret> = values.iter().map(Secret::new).collect();
            let mut text = String::new();
            for (i, gap) in between.iter().enumerate() {
                text.push_str(gap);
                text.push_str(&values[i % values.len()]);
            }
            let masked = Redactor::new(&secrets).mask(&text).into_owned();
            // What is left between the masks holds none of the values.
            for rest in masked.split(REDACTED) {
                for value in &values {
                    prop_assert!(!rest.contains(value.as_str()));
                }
            }
        }
    }
}
