//! JSON Pointers (RFC 6901).

use std::fmt;

use super::Value;

/// A JSON Pointer: empty for the whole document, else `/`-separated escaped tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// From text that is already a pointer; `None` when it is not (RFC 6901, section 3).
    pub fn parse(text: &str) -> Option<Self> {
        if !text.is_empty() && !text.starts_with('/') {
            return None;
        }
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if c == '~' && !matches!(chars.next(), Some('0' | '1')) {
                return None;
            }
        }
        Some(Pointer(text.to_owned()))
    }

    /// This pointer with one more member name.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        let mut pointer = Pointer(String::with_capacity(self.0.len() + name.len() + 1));
        pointer.0.push_str(&self.0);
        pointer.push_key(name);
        pointer
    }

    /// This pointer with one more array index.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut pointer = self.clone();
        pointer.push_index(index);
        pointer
    }

    /// Appends a member name.
    pub fn push_key(&mut self, name: &str) {
        self.0.push('/');
        for c in name.chars() {
            match c {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                c => self.0.push(c),
            }
        }
    }

    /// Appends an array index.
    pub fn push_index(&mut self, index: usize) {
        self.0.push('/');
        self.0.push_str(&index.to_string());
    }

    /// This pointer followed by another.
    #[must_use]
    pub fn join(&self, tail: &Pointer) -> Self {
        Pointer(format!("{}{}", self.0, tail.0))
    }

    /// The pointer without its last token, and that token; `None` at the root.
    pub fn split_last(&self) -> Option<(Pointer, String)> {
        let (head, token) = self.0.rsplit_once('/')?;
        Some((Pointer(head.to_owned()), unescape(token)))
    }

    /// The unescaped tokens in order.
    pub fn tokens(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').skip(1).map(unescape)
    }

    /// The text, as RFC 6901 writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What it points at in `value`; of two members with one name, the first.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.tokens().try_fold(value, |at, token| match at {
            Value::Object(object) => object.get(&token),
            Value::Array(items) => items.get(array_index(&token)?),
            _ => None,
        })
    }
}

/// An array index as RFC 6901, section 4 writes it: digits, no leading zero, no sign.
fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = token.len() > 1 && token.starts_with('0');
    (plain && !leading_zero)
        .then(|| token.parse().ok())
        .flatten()
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Limits, parse};

    fn tree(text: &str) -> Value {
        parse(text.as_bytes(), &Limits::default()).unwrap().value
    }

    #[test]
    fn the_examples_of_rfc_6901_are_found() {
        let value = tree(
            r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#,
        );
        for (pointer, expected) in [
            ("/foo/0", "\"bar\""),
            ("/", "0"),
            ("/a~1b", "1"),
            ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"),
            ("/i\\j", "5"),
            ("/k\"l", "6"),
            ("/ ", "7"),
            ("/m~0n", "8"),
        ] {
            let pointer = Pointer::parse(pointer).unwrap();
            assert_eq!(pointer.find(&value), Some(&tree(expected)), "{pointer}");
        }
        assert_eq!(Pointer::root().find(&value), Some(&value));
    }

    #[test]
    fn an_array_index_has_no_sign_no_leading_zero_and_no_dash() {
        let value = tree("[[10,11],12]");
        for text in [
            "/+1",
            "/01",
            "/-",
            "/00",
            "/",
            "/2",
            "/99999999999999999999",
            "/0/2",
        ] {
            assert_eq!(Pointer::parse(text).unwrap().find(&value), None, "{text}");
        }
        assert_eq!(
            Pointer::parse("/0/1").unwrap().find(&value),
            Some(&tree("11"))
        );
    }

    #[test]
    fn text_that_is_no_pointer_is_refused() {
        for text in ["a", "a/b", "/~", "/~2", "/a~/b"] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn tokens_and_text_round_trip(tokens in prop::collection::vec("[a-c~/01é😀]{0,4}", 0..5)) {
            let pointer = tokens.iter().fold(Pointer::root(), |at, token| at.key(token));
            prop_assert_eq!(pointer.tokens().collect::<Vec<_>>(), tokens.clone());
            prop_assert_eq!(Pointer::parse(pointer.as_str()), Some(pointer.clone()));
            if let Some((head, last)) = pointer.split_last() {
                prop_assert_eq!(&last, tokens.last().unwrap());
                prop_assert_eq!(head.key(&last), pointer.clone());
            }
            prop_assert_eq!(Pointer::root().join(&pointer), pointer);
        }
    }
}
