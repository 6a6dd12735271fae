//! From the lossless tree to `serde_json`'s, for the validator library.
//!
//! What is lost: key order, the second of two equal keys, and the spelling of numbers. Integers
//! from -2^63 to 2^64-1 arrive exactly, every other number as the nearest double; where that is
//! not the number that was written, [`Bridged::exact`] is false and no verdict may rest on it.

use serde_json::{Map, Number};

use crate::canonical::number::{Decimal, canonical};
use crate::json::Value;

/// Values that nest deeper are not handed to the library, which recurses.
pub const MAX_DEPTH: usize = 256;

/// A value for the library.
#[derive(Debug, Clone)]
pub struct Bridged {
    /// The value.
    pub value: serde_json::Value,
    /// Whether every number arrived as the number that was written.
    pub exact: bool,
}

/// `value` for the library; none when it nests deeper than [`MAX_DEPTH`].
pub fn to_serde(value: &Value) -> Option<Bridged> {
    let mut exact = true;
    let value = convert(value, MAX_DEPTH, &mut exact)?;
    Some(Bridged { value, exact })
}

fn convert(value: &Value, depth: usize, exact: &mut bool) -> Option<serde_json::Value> {
    Some(match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(value) => serde_json::Value::Bool(*value),
        Value::Number(token) => serde_json::Value::Number(number(token.as_str(), exact)),
        Value::String(text) => serde_json::Value::String(text.clone()),
        Value::Array(items) => {
            let depth = depth.checked_sub(1)?;
            let items = items.iter().map(|item| convert(item, depth, exact));
            serde_json::Value::Array(items.collect::<Option<_>>()?)
        }
        Value::Object(object) => {
            let depth = depth.checked_sub(1)?;
            let mut map = Map::new();
            for (key, member) in object.iter() {
                if !map.contains_key(key) {
                    map.insert(key.to_owned(), convert(member, depth, exact)?);
                }
            }
            serde_json::Value::Object(map)
        }
    })
}

fn number(token: &str, exact: &mut bool) -> Number {
    if let Ok(integer) = token.parse::<i64>()
        && token != "-0"
    {
        return integer.into();
    }
    if let Ok(integer) = token.parse::<u64>() {
        return integer.into();
    }
    let double = token.parse::<f64>().unwrap_or(f64::INFINITY);
    let double = double.clamp(f64::MIN, f64::MAX);
    *exact &= Decimal::parse(&format!("{double:e}")) == Decimal::parse(token);
    // an integral double goes over as an integer where one holds it, so that 1e3 and 1000 are one
    if let Ok(integer) = canonical(token).parse::<i64>() {
        return integer.into();
    }
    Number::from_f64(double).unwrap_or_else(|| 0.into())
}

/// From the library's tree back: numbers in the shortest spelling that reads as the same double.
pub fn from_serde(value: &serde_json::Value) -> Value {
    use crate::json::{Number, Object};
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => {
            Value::Number(Number::new(&canonical(&number.to_string())))
        }
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Array(items) => Value::Array(items.iter().map(from_serde).collect()),
        serde_json::Value::Object(map) => Value::Object(Object::new(
            map.iter()
                .map(|(key, member)| (key.clone(), from_serde(member)))
                .collect(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn bridged(text: &str) -> Bridged {
        let document = parse(text.as_bytes(), &Limits { depth: 1000 }).unwrap();
        to_serde(&document.value).unwrap()
    }

    #[test]
    fn numbers_that_arrive_exactly_are_told_from_those_that_do_not() {
        for (text, exact) in [
            ("0", true),
            ("-0", true),
            ("1.0", true),
            ("0.1", true),
            ("1e3", true),
            ("9007199254740993", true),
            ("18446744073709551615", true),
            ("-9223372036854775808", true),
            ("18446744073709551617", false),
            ("9007199254740993.5", false),
            ("1e400", false),
            ("-1e400", false),
            ("1e-400", false),
            ("0.1000000000000000055511151231257827", false),
        ] {
            assert_eq!(bridged(text).exact, exact, "{text}");
        }
        assert_eq!(bridged("1e3").value, serde_json::json!(1000));
    }

    #[test]
    fn of_two_equal_keys_the_first_arrives() {
        assert_eq!(
            bridged(r#"{"a":1,"a":2}"#).value,
            serde_json::json!({"a": 1})
        );
    }

    #[test]
    fn a_value_beyond_the_depth_is_refused() {
        let deep = |n: usize| {
            let text = "[".repeat(n) + &"]".repeat(n);
            let document = parse(text.as_bytes(), &Limits { depth: 1000 }).unwrap();
            to_serde(&document.value).is_some()
        };
        assert!(deep(MAX_DEPTH));
        assert!(!deep(MAX_DEPTH + 1));
    }

    #[test]
    fn a_value_survives_the_way_there_and_back() {
        let text = r#"{"a":[1,-2.5,"x",null,true],"b":{}}"#;
        let value = parse(text.as_bytes(), &Limits::default()).unwrap().value;
        assert_eq!(from_serde(&to_serde(&value).unwrap().value), value);
    }
}
