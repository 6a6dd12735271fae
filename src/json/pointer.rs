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
        let mut text = String::with_capacity(self.0.len() + name.len() + 1);
        text.push_str(&self.0);
        text.push('/');
        for c in name.chars() {
            match c {
                '~' => text.push_str("~0"),
                '/' => text.push_str("~1"),
                c => text.push(c),
            }
        }
        Pointer(text)
    }

    /// This pointer with one more array index.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Pointer(format!("{}/{index}", self.0))
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

    /// What it points at in `value`.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.tokens().try_fold(value, |at, token| match at {
            Value::Object(object) => object.get(&token),
            Value::Array(items) if token == "0" || !token.starts_with('0') => {
                token.parse::<usize>().ok().and_then(|i| items.get(i))
            }
            _ => None,
        })
    }
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
