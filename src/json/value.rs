//! The lossless tree.

/// A JSON number as it was spelled, e.g. `1e2`, `1.50`, `12345678901234567890`.
///
/// Equality is equality of the spelling; compare values with [`crate::canonical::number`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// Wraps text that is a JSON number (RFC 8259, section 6); the parser guarantees it.
    pub(crate) fn new(text: &str) -> Self {
        Number(text.into())
    }

    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The members of a JSON object in the order received, duplicates included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object(Vec<(String, Value)>);

impl Object {
    /// From members in order.
    pub fn new(members: Vec<(String, Value)>) -> Self {
        Object(members)
    }

    /// The value of the *first* member called `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The members themselves.
    pub fn members(&self) -> &[(String, Value)] {
        &self.0
    }

    /// The members, to be changed.
    pub fn members_mut(&mut self) -> &mut Vec<(String, Value)> {
        &mut self.0
    }

    /// Whether there is a member called `name`.
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A JSON value as it was written.
///
/// Equality is that of the spelling: order of keys and number text count. The canonical form
/// decides whether two values mean the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number with its spelling.
    Number(Number),
    /// A string, unescaped; a lone surrogate reads as U+FFFD and is a defect of its document.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

impl Value {
    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The member called `name`, if this is an object that has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object().and_then(|object| object.get(name))
    }

    /// The JSON name of the type: `null`, `boolean`, `number`, `string`, `array`, `object`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }
}
