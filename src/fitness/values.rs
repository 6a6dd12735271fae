//! Values that their own schema refuses, and schemas that refuse everything.

use crate::canonical::number::{Decimal, canonical};
use crate::json::{Object, Pointer, Value};
use crate::schema::{Budget, Dialect, Outline, Subschema};

use super::{FaultKind, Report};

/// Values of one list that are looked at.
const MAX_VALUES: usize = 200;

/// Every subschema of a well-formed schema.
pub(super) fn check(outline: &Outline, at: &Pointer, report: &mut Report) {
    let mut budget = Budget::of(outline);
    for subschema in outline.subschemas() {
        let Value::Object(object) = subschema.value() else {
            continue;
        };
        if subschema.is_mere_reference() {
            continue;
        }
        let here = |keyword: &str| at.join(&subschema.pointer()).key(keyword);
        if let Some((keyword, message)) = contradiction(object, &subschema, &mut budget) {
            report.fault(FaultKind::Unsatisfiable, here(keyword), message);
            continue;
        }
        undeclared(object, &here, report);
        if let Some(value) = object.get("default")
            && subschema.takes(value, None, &mut budget) == Some(false)
        {
            let message = "the schema refuses its own default";
            report.fault(FaultKind::DefaultRefused, here("default"), message);
        }
        for (keyword, except) in [("enum", Some("enum")), ("examples", None)] {
            let Some(Value::Array(values)) = object.get(keyword) else {
                continue;
            };
            for (i, value) in values.iter().take(MAX_VALUES).enumerate() {
                if subschema.takes(value, except, &mut budget) == Some(false) {
                    report.fault(
                        FaultKind::ValueRefused,
                        here(keyword).index(i),
                        format!("the schema refuses this value of its own `{keyword}`"),
                    );
                }
            }
        }
        inexact(object, &here, report);
    }
}

/// The keyword that makes `object` refuse every value, or every value of its type.
fn contradiction(
    object: &Object,
    subschema: &Subschema,
    budget: &mut Budget,
) -> Option<(&'static str, String)> {
    for (least, most) in [
        ("minimum", "maximum"),
        ("minLength", "maxLength"),
        ("minItems", "maxItems"),
        ("minProperties", "maxProperties"),
    ] {
        if let (Some(low), Some(high)) = (bound(object, least), bound(object, most))
            && low > high
        {
            let message = format!("no value is right: `{least}` is above `{most}`");
            return Some((least, message));
        }
    }
    if subschema.dialect() > Dialect::Draft4 {
        let low = bound(object, "exclusiveMinimum");
        let high = bound(object, "exclusiveMaximum").or_else(|| bound(object, "maximum"));
        if let (Some(low), Some(high)) = (low, high)
            && low >= high
        {
            let message = "no number is right: `exclusiveMinimum` is not below the upper bound";
            return Some(("exclusiveMinimum", message.to_owned()));
        }
        if let Some(value) = object.get("const")
            && subschema.takes(value, Some("const"), budget) == Some(false)
        {
            let message = "no value is right: the schema refuses its own `const`";
            return Some(("const", message.to_owned()));
        }
    }
    if let Some(Value::Array(values)) = object.get("enum")
        && values.len() <= MAX_VALUES
        && values
            .iter()
            .all(|value| subschema.takes(value, Some("enum"), budget) == Some(false))
    {
        let message = "no value is right: `enum` holds none that the rest of the schema takes";
        return Some(("enum", message.to_owned()));
    }
    None
}

/// A bound that is a number which a double tells apart from its neighbours.
fn bound(object: &Object, keyword: &str) -> Option<f64> {
    match object.get(keyword) {
        Some(Value::Number(number)) if number.as_str().len() <= 15 => number.as_str().parse().ok(),
        _ => None,
    }
}

/// Names that `required` asks for and a closed object does not let in.
fn undeclared(object: &Object, here: &impl Fn(&str) -> Pointer, report: &mut Report) {
    if object.get("additionalProperties") != Some(&Value::Bool(false))
        || object.contains_key("patternProperties")
    {
        return;
    }
    let declared = object.get("properties").and_then(Value::as_object);
    let Some(Value::Array(names)) = object.get("required") else {
        return;
    };
    for (i, name) in names.iter().take(MAX_VALUES).enumerate() {
        let known = name
            .as_str()
            .is_some_and(|name| declared.is_some_and(|declared| declared.contains_key(name)));
        if !known {
            report.fault(
                FaultKind::RequiredUndeclared,
                here("required").index(i),
                "the object must have a member that it does not declare and does not let in",
            );
        }
    }
}

/// Numbers that readers round to different ones.
fn inexact(object: &Object, here: &impl Fn(&str) -> Pointer, report: &mut Report) {
    for keyword in [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "const",
        "default",
    ] {
        if let Some(Value::Number(number)) = object.get(keyword)
            && !is_double(number.as_str())
        {
            report.fault(
                FaultKind::InexactNumber,
                here(keyword),
                "no double holds this number, so that most readers take it for another one",
            );
        }
    }
}

fn is_double(token: &str) -> bool {
    if token.len() <= 15 {
        return token.parse::<f64>().is_ok_and(f64::is_finite)
            && (!token.contains(['e', 'E']) || same(token));
    }
    same(token)
}

/// Whether the double nearest to `token`, written out, is `token` again.
fn same(token: &str) -> bool {
    let Ok(double) = token.parse::<f64>() else {
        return false;
    };
    double.is_finite()
        && Decimal::parse(&canonical(&format!("{double:e}"))) == Decimal::parse(token)
}
