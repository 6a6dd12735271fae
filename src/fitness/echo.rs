//! A server that repeats a secret in its catalog, where every model and lockfile would read it.

use crate::catalog::{Catalog, Instructions};
use crate::config::Redactor;
use crate::json::{Pointer, Value};

use super::{Fault, FaultKind};

/// One fault for each string of the catalog that holds a known secret. The secret itself is in
/// none of them.
pub fn echoes(catalog: &Catalog, secrets: &Redactor) -> Vec<Fault> {
    let mut faults = Vec::new();
    for item in &catalog.items {
        // Most catalogs hold no secret: one look at the bytes says so, unless escapes hide it.
        if item.raw.contains('\\') || secrets.finds(&item.raw) {
            search(item.value(), &Pointer::root(), secrets, &mut |pointer| {
                faults.push(Fault {
                    kind: FaultKind::SecretEcho,
                    item: Some(item.kind),
                    label: secrets.mask(&item.label()).into_owned(),
                    pointer,
                    message: MESSAGE.to_owned(),
                    value: None,
                });
            });
        }
    }
    if let Instructions::Present(document) = &catalog.instructions {
        search(&document.value, &Pointer::root(), secrets, &mut |pointer| {
            faults.push(Fault {
                kind: FaultKind::SecretEcho,
                item: None,
                label: "instructions".to_owned(),
                pointer,
                message: MESSAGE.to_owned(),
                value: None,
            });
        });
    }
    faults
}

const MESSAGE: &str = "the text holds the value of a secret that the server was given";

/// Calls `found` with the place of every string, number and member name that holds a secret.
fn search(value: &Value, at: &Pointer, secrets: &Redactor, found: &mut dyn FnMut(Pointer)) {
    match value {
        Value::String(text) if secrets.finds(text) => found(at.clone()),
        Value::Number(number) if secrets.finds(number.as_str()) => found(at.clone()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                search(item, &at.index(index), secrets, found);
            }
        }
        Value::Object(object) => {
            for (key, member) in object.iter() {
                if secrets.finds(key) {
                    found(at.clone());
                }
                let inside = at.key(&secrets.mask(key));
                search(member, &inside, secrets, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::read_saved;
    use crate::config::Secret;

    fn places(text: &str) -> Vec<String> {
        let catalog = read_saved(&[("c.json", text)]).unwrap();
        let secrets = [Secret::credential("hunter2hunter2")];
        let faults = echoes(&catalog, &Redactor::of_credentials(&secrets));
        assert!(
            faults
                .iter()
                .all(|fault| !format!("{fault:?}").contains("hunter2"))
        );
        faults
            .iter()
            .map(|fault| format!("{} {}", fault.label, fault.pointer))
            .collect()
    }

    #[test]
    fn a_secret_is_found_in_texts_names_and_escapes_and_never_repeated() {
        let echo = r#"{"tools":[{"name":"a","description":"key hunter2hunter2","inputSchema":
            {"type":"object","properties":{"hunter2hunter2":{}}}},
            {"name":"b","description":"\u0068unter2hunter2","inputSchema":{"type":"object"}}]}"#;
        assert_eq!(
            places(echo),
            [
                "tool:a /description",
                "tool:a /inputSchema/properties",
                "tool:b /description"
            ]
        );
        assert!(places(r#"{"tools":[{"name":"a","description":"hunter2"}]}"#).is_empty());
    }

    #[test]
    fn an_encoded_secret_is_found_in_every_kind_of_item_and_in_the_instructions() {
        let echo = r#"{"prompts":[{"name":"p","description":"68756e7465723268756e74657232"}],
            "resources":[{"name":"r","uri":"x://h?k=hunter2hunter2"}],
            "resourceTemplates":[{"name":"t","uriTemplate":"x://{a}","_meta":{"k":["aHVudGVyMmh1bnRlcjI="]}}]}"#;
        assert_eq!(
            places(echo),
            [
                "prompt:p /description",
                "resource:x://h?k=<redacted> /uri",
                "resource_template:x://{a} /_meta/k/0"
            ]
        );
        let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25",
            "capabilities":{},"serverInfo":{"name":"s","version":"1"},
            "instructions":"Basic dTpodW50ZXIyaHVudGVyMg=="}}"#
            .replace('\n', "");
        assert_eq!(places(&hello), ["instructions "]);
    }

    #[test]
    fn a_secret_that_is_a_number_is_found_as_one() {
        let text = r#"{"tools":[{"name":"a","inputSchema":{"default":4711471147}}]}"#;
        let catalog = read_saved(&[("c.json", text)]).unwrap();
        let secrets = [Secret::credential("4711471147")];
        assert_eq!(
            echoes(&catalog, &Redactor::of_credentials(&secrets)).len(),
            1
        );
    }
}
