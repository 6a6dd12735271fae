//! Picks named members out of a JSON object without touching the bytes of their values.
//!
//! Pure. The one place where envelopes are read: a member that stands twice is refused, since
//! readers disagree on which of the two counts.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Why an object gives no members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It is JSON, but no object.
    NotAnObject,
    /// A member that was asked for stands twice.
    Twice(&'static str),
    /// It is not JSON.
    NotJson,
}

/// The values of the members called `names`, in that order.
pub(super) fn members<'t, const N: usize>(
    text: &'t str,
    names: [&'static str; N],
) -> Result<[Option<&'t RawValue>; N], Unreadable> {
    if !text.trim_start().starts_with('{') {
        return Err(match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Unreadable::NotAnObject,
            Err(_) => Unreadable::NotJson,
        });
    }
    let mut picked = Picked {
        names,
        values: [None; N],
        twice: None,
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    reader
        .deserialize_map(&mut picked)
        .and_then(|()| reader.end())
        .map_err(|_| Unreadable::NotJson)?;
    match picked.twice {
        Some(name) => Err(Unreadable::Twice(name)),
        None => Ok(picked.values),
    }
}

struct Picked<'t, const N: usize> {
    names: [&'static str; N],
    values: [Option<&'t RawValue>; N],
    twice: Option<&'static str>,
}

impl<'t, const N: usize> Visitor<'t> for &mut Picked<'t, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key_seed(KeySeed)? {
            match self.names.iter().position(|name| *name == key) {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(at) => {
                    let value = map.next_value::<&'t RawValue>()?;
                    if self.values[at].replace(value).is_some() {
                        self.twice.get_or_insert(self.names[at]);
                    }
                }
            }
        }
        Ok(())
    }
}

/// A member name; borrowed unless it is written with escapes.
struct Key<'t>(Cow<'t, str>);

struct KeySeed;

impl<'t> DeserializeSeed<'t> for KeySeed {
    type Value = Key<'t>;

    fn deserialize<D: serde::Deserializer<'t>>(self, reader: D) -> Result<Key<'t>, D::Error> {
        struct Text;
        impl<'t> Visitor<'t> for Text {
            type Value = Key<'t>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }
            fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Key<'t>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Key<'t>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }
        reader.deserialize_str(Text)
    }
}

/// The elements of an array, or `None` when it is no array. Stops after `most` elements: the flag
/// says that there are more.
pub(super) fn elements(text: &str, most: usize) -> Option<(Vec<&RawValue>, bool)> {
    struct Elements(usize);
    impl<'t> Visitor<'t> for Elements {
        type Value = (Vec<&'t RawValue>, bool);
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }
        fn visit_seq<A: SeqAccess<'t>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut found = Vec::new();
            while found.len() < self.0 {
                match seq.next_element::<&'t RawValue>()? {
                    Some(element) => found.push(element),
                    None => return Ok((found, false)),
                }
            }
            let mut more = false;
            while seq.next_element::<IgnoredAny>()?.is_some() {
                more = true;
            }
            Ok((found, more))
        }
    }
    serde_json::Deserializer::from_str(text)
        .deserialize_seq(Elements(most))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<'t, const N: usize>(
        text: &'t str,
        names: [&'static str; N],
    ) -> Result<[Option<&'t str>; N], Unreadable> {
        members(text, names).map(|found| found.map(|value| value.map(RawValue::get)))
    }

    #[test]
    fn values_keep_every_byte() {
        assert_eq!(
            texts(
                r#"{"z":[ ],"a": {"n" : 1.50, "n":1E400} ,"b":"\ud800"}"#,
                ["a", "b", "c"]
            ),
            Ok([
                Some(r#"{"n" : 1.50, "n":1E400}"#),
                Some(r#""\ud800""#),
                None
            ])
        );
    }

    #[test]
    fn a_member_that_stands_twice_is_refused_however_it_is_spelled() {
        assert_eq!(
            texts(r#"{"id":1,"\u0069d":2}"#, ["id"]),
            Err(Unreadable::Twice("id"))
        );
        assert_eq!(texts(r#"{"x":1,"x":2,"id":3}"#, ["id"]), Ok([Some("3")]));
    }

    #[test]
    fn what_is_no_object_is_told_from_what_is_no_json() {
        assert_eq!(texts("[1]", ["a"]), Err(Unreadable::NotAnObject));
        assert_eq!(texts("-42", ["a"]), Err(Unreadable::NotAnObject));
        for text in ["{\"a\":1", "{\"a\":NaN}", "{} x", "nope", "{\"a\":1,}"] {
            assert_eq!(texts(text, ["a"]), Err(Unreadable::NotJson), "{text}");
        }
    }

    #[test]
    fn elements_stop_at_the_bound_and_say_so() {
        let (found, more) = elements("[1, 2 ,3]", 2).unwrap();
        assert_eq!(
            found.iter().map(|e| e.get()).collect::<Vec<_>>(),
            ["1", "2"]
        );
        assert!(more);
        assert!(!elements("[1,2]", 2).unwrap().1);
        assert!(elements("{}", 2).is_none());
        assert!(elements("null", 2).is_none());
    }
}
