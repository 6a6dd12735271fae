//! From an item to its contract.

use crate::catalog::{Item, Kind};
use crate::json::{Object, Value};

use super::{Digest, canonical};

/// The part of an item that reaches a model or a host, in canonical form, with its digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// Canonical form of the contract.
    pub canonical: String,
    /// Digest of the whole contract.
    pub digest: Digest,
    /// Digest of `inputSchema`; only for a tool that has one.
    pub schema: Option<Digest>,
    /// Digest of `description`; only for a tool that has one.
    pub description: Option<Digest>,
}

/// The contract of `item`; none when its document is not sound, so that it has no canonical form.
pub fn contract(item: &Item) -> Option<Contract> {
    let value = item.document.sound()?;
    Some(Contract::of(item.kind, &contract_value(item.kind, value)))
}

impl Contract {
    /// The contract with the value `value`, which has been cut by [`contract_value`].
    pub fn of(kind: Kind, value: &Value) -> Self {
        let part = |name| {
            let member = (kind == Kind::Tool).then(|| value.get(name)).flatten()?;
            Some(Digest::of(canonical(member).as_bytes()))
        };
        let canonical = canonical(value);
        Contract {
            digest: Digest::of(canonical.as_bytes()),
            schema: part("inputSchema"),
            description: part("description"),
            canonical,
        }
    }
}

/// What of an item's value is contract: all of it, but of a concrete resource not `size` and
/// `annotations.lastModified`, which describe data. An `annotations` that this empties stays `{}`.
pub fn contract_value(kind: Kind, value: &Value) -> Value {
    let Value::Object(object) = value else {
        return value.clone();
    };
    if kind != Kind::Resource {
        return value.clone();
    }
    let members = object.members().iter().filter(|(key, _)| key != "size");
    Value::Object(Object::new(
        members
            .map(|(key, member)| match (key.as_str(), member) {
                ("annotations", Value::Object(inner)) => {
                    let kept = inner.members().iter().filter(|(k, _)| k != "lastModified");
                    (
                        key.clone(),
                        Value::Object(Object::new(kept.cloned().collect())),
                    )
                }
                _ => (key.clone(), member.clone()),
            })
            .collect(),
    ))
}
