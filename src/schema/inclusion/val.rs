//! Instances as the decision procedure sees them: numbers by value, members by name.

use std::collections::BTreeMap;

use crate::canonical::number::canonical;
use crate::json::{self, Number, Object, Value};

use super::exact::Exact;
use super::ir::Types;

/// A JSON value up to JSON Schema's equality (1 equals 1.0, order of members is nothing).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Val {
    Null,
    Bool(bool),
    Num(Exact),
    /// A number with more digits than exact arithmetic takes: its canonical text, and whether it is
    /// an integer.
    Big(String, bool),
    Str(String),
    Arr(Vec<Val>),
    Obj(BTreeMap<String, Val>),
}

impl Val {
    /// None when a number's exponent is beyond all use.
    pub(crate) fn of(value: &Value) -> Option<Val> {
        Some(match value {
            Value::Null => Val::Null,
            Value::Bool(b) => Val::Bool(*b),
            Value::Number(n) => match Exact::parse(n.as_str()) {
                Some(n) => Val::Num(n),
                None => Val::Big(canonical(n.as_str()).into_owned(), is_whole(n.as_str())?),
            },
            Value::String(s) => Val::Str(s.clone()),
            Value::Array(items) => Val::Arr(items.iter().map(Val::of).collect::<Option<_>>()?),
            Value::Object(object) => Val::Obj(
                object
                    .iter()
                    .map(|(k, v)| Some((k.to_owned(), Val::of(v)?)))
                    .collect::<Option<_>>()?,
            ),
        })
    }

    /// The value as a tree.
    pub(crate) fn json(&self) -> json::Value {
        match self {
            Val::Null => Value::Null,
            Val::Bool(b) => Value::Bool(*b),
            Val::Num(n) => Value::Number(Number::new(&n.token())),
            Val::Big(text, _) => Value::Number(Number::new(text)),
            Val::Str(s) => Value::String(s.clone()),
            Val::Arr(items) => Value::Array(items.iter().map(Val::json).collect()),
            Val::Obj(members) => Value::Object(Object::new(
                members.iter().map(|(k, v)| (k.clone(), v.json())).collect(),
            )),
        }
    }

    /// The one type bit of the value.
    pub(crate) fn kind(&self) -> Types {
        match self {
            Val::Null => Types::NULL,
            Val::Bool(_) => Types::BOOL,
            Val::Num(n) if n.is_integer() => Types::INTEGER,
            Val::Big(_, true) => Types::INTEGER,
            Val::Num(_) | Val::Big(_, false) => Types::FRACTION,
            Val::Str(_) => Types::STRING,
            Val::Arr(_) => Types::ARRAY,
            Val::Obj(_) => Types::OBJECT,
        }
    }

    /// How many nodes it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Val::Arr(items) => 1 + items.iter().map(Val::size).sum::<usize>(),
            Val::Obj(members) => 1 + members.values().map(Val::size).sum::<usize>(),
            _ => 1,
        }
    }
}

/// Whether a number token denotes an integer.
fn is_whole(token: &str) -> Option<bool> {
    let (mantissa, exponent) = match token.find(['e', 'E']) {
        Some(i) => (&token[..i], token[i + 1..].parse::<i64>().ok()?),
        None => (token, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let decimals = i64::try_from(fraction.len()).ok()? - i64::try_from(zeros).ok()?;
    Some(exponent >= decimals)
}
