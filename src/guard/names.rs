//! The names in a value that its schema does not declare.
//!
//! Pure. In an open object such a name is accepted and, most likely, silently ignored: that is how
//! an agent with a stale list goes wrong without an error.

use crate::json::{Object, Pointer, Value};

/// No more schemas than this are looked at for one value.
const VISITS: usize = 10_000;
/// No more names than this are told.
const TOLD: usize = 20;

/// The names in `value` that no schema which may apply there declares, as pointers into it.
pub(super) fn undeclared(schema: &Value, value: &Value) -> Vec<Pointer> {
    let mut search = Search {
        root: schema,
        visits: VISITS,
        found: Vec::new(),
    };
    let here = search.in_place(vec![schema]);
    search.walk(&here, value, &Pointer::root(), true);
    search.found
}

struct Search<'s> {
    root: &'s Value,
    visits: usize,
    found: Vec<Pointer>,
}

impl<'s> Search<'s> {
    /// The schemas that may say something of the same value: those given, and what they apply in
    /// place or refer to within the document.
    fn in_place(&mut self, schemas: Vec<&'s Value>) -> Vec<&'s Object> {
        let mut queue = schemas;
        let mut seen: Vec<*const Value> = Vec::new();
        let mut found = Vec::new();
        while let Some(schema) = queue.pop() {
            if self.visits == 0 || seen.contains(&std::ptr::from_ref(schema)) {
                continue;
            }
            self.visits -= 1;
            seen.push(std::ptr::from_ref(schema));
            let Value::Object(object) = schema else {
                continue;
            };
            found.push(object);
            for (keyword, below) in object.iter() {
                match (keyword, below) {
                    ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => queue.extend(list),
                    ("if" | "then" | "else", one) => queue.push(one),
                    ("dependentSchemas", Value::Object(map)) => {
                        queue.extend(map.iter().map(|(_, below)| below));
                    }
                    ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(target)) => {
                        queue.extend(self.referred(target));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn referred(&self, target: &str) -> Option<&'s Value> {
        let fragment = target.strip_prefix('#')?;
        Pointer::parse(fragment)?.find(self.root)
    }

    fn walk(&mut self, schemas: &[&'s Object], value: &Value, at: &Pointer, top: bool) {
        if self.found.len() >= TOLD || self.visits == 0 {
            return;
        }
        match value {
            Value::Object(members) => {
                let of =
                    |name: &'static str| schemas.iter().filter_map(move |schema| schema.get(name));
                let properties: Vec<&'s Object> =
                    of("properties").filter_map(Value::as_object).collect();
                // A map takes any name, and an object that declares none takes what it is given.
                let is_map = of("patternProperties").next().is_some()
                    || of("additionalProperties")
                        .chain(of("unevaluatedProperties"))
                        .any(|below| matches!(below, Value::Object(object) if !object.is_empty()));
                let declares = top || properties.iter().any(|declared| !declared.is_empty());
                let others: Vec<&'s Value> = of("additionalProperties").collect();
                for (name, member) in members.iter() {
                    let here = at.key(name);
                    let mut below: Vec<&'s Value> = properties
                        .iter()
                        .filter_map(|declared| declared.get(name))
                        .collect();
                    if below.is_empty() {
                        if declares && !is_map {
                            self.found.push(here);
                            continue;
                        }
                        below.extend(&others);
                    }
                    let below = self.in_place(below);
                    self.walk(&below, member, &here, false);
                }
            }
            Value::Array(elements) => {
                let lists = ["items", "additionalItems", "prefixItems", "contains"];
                let mut below: Vec<&'s Value> = Vec::new();
                for schema in schemas {
                    for (_, part) in schema.iter().filter(|(name, _)| lists.contains(name)) {
                        match part {
                            Value::Array(each) => below.extend(each),
                            one => below.push(one),
                        }
                    }
                }
                let below = self.in_place(below);
                for (index, element) in elements.iter().enumerate() {
                    self.walk(&below, element, &at.index(index), false);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn of(schema: &str, value: &str) -> Vec<String> {
        let read = |text: &str| parse(text.as_bytes(), &Limits::default()).unwrap().value;
        let (schema, value) = (read(schema), read(value));
        let found = undeclared(&schema, &value);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_that_an_open_object_ignores_is_told_wherever_it_stands() {
        let schema = r##"{"type":"object","properties":{"q":{},"o":{"$ref":"#/$defs/o"},
            "l":{"items":{"properties":{"a":{}}}}},"allOf":[{"properties":{"z":{}}}],
            "$defs":{"o":{"properties":{"x":{"type":"string"}}}}}"##;
        let value = r#"{"q":1,"z":1,"query":1,"o":{"x":"","y":1},"l":[{"a":1},{"b":1}]}"#;
        assert_eq!(of(schema, value), ["/query", "/o/y", "/l/1/b"]);
    }

    #[test]
    fn maps_and_objects_without_names_take_any() {
        let schema = r#"{"properties":{"headers":{"additionalProperties":{"type":"string"}},
            "any":{"type":"object"},"pattern":{"patternProperties":{"^x":{}}}}}"#;
        let value = r#"{"headers":{"a":"b"},"any":{"c":{"d":1}},"pattern":{"e":1}}"#;
        assert_eq!(of(schema, value), [""; 0]);
    }

    #[test]
    fn a_tool_without_parameters_declares_none() {
        assert_eq!(of(r#"{"type":"object"}"#, r#"{"query":1}"#), ["/query"]);
        assert_eq!(of(r##"{"$ref":"#"}"##, r#"{"query":1}"#), ["/query"]);
    }
}
