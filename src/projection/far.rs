//! All tools of a server against a far side.

use crate::canonical::canonical;
use crate::catalog::{Catalog, Instructions, Item, Kind};
use crate::compare::Basis;
use crate::fitness::{self, FaultKind};
use crate::json::{Object, Pointer, Value};
use crate::protocol::Revision;
use crate::schema::{Dialect, Undeclared};
use crate::text::visible;

use super::loss::{Loss, LossKind};
use super::pairing::pair;
use super::shape::{FarTool, Projection};
use super::{tool, words};

/// The server's side.
#[derive(Debug, Clone, Copy)]
pub struct Near<'a> {
    /// The server's name, which hosts put before the names of tools.
    pub name: &'a str,
    /// What it advertises.
    pub catalog: &'a Catalog,
    /// `default-dialect`
    pub default_dialect: Option<Dialect>,
}

/// What a far side loses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compared {
    /// The losses, tool by tool in the server's order; tools of the far side alone come last.
    pub losses: Vec<Loss>,
    /// Faults that the schemas of the far side have by themselves and the server's have not, such
    /// as a reference to a definition that was dropped.
    pub faults: Vec<fitness::Fault>,
    /// The labels of the tools that were compared.
    pub compared: Vec<String>,
    /// Remarks: which far name stands for which tool.
    pub notes: Vec<String>,
}

/// Compares the tools of `near` with those of a far side.
pub fn compare(near: &Near<'_>, projection: &Projection) -> Compared {
    let tools: Vec<&Item> = near.catalog.of_kind(Kind::Tool).collect();
    let names: Vec<&str> = tools
        .iter()
        .map(|item| item.key.as_deref().unwrap_or_default())
        .collect();
    let far_names: Vec<&str> = projection
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    let mut pairing = pair(near.name, &names, &far_names);
    let mut compared = Compared::default();
    let renamed = by_content(&tools, projection, &mut pairing.lost, &mut pairing.invented);
    let mut pairs: Vec<(usize, usize)> = pairing.pairs.clone();
    pairs.extend(&renamed);
    pairs.sort_unstable();
    for (here, there) in pairs {
        let (item, far) = (tools[here], &projection.tools[there]);
        let label = item.label();
        if renamed.contains(&(here, there)) {
            compared.losses.push(
                Loss::new(
                    LossKind::ToolRenamed,
                    &label,
                    Pointer::root().key("name"),
                    format!(
                        "the tool is called `{}` on the far side",
                        visible(&far.name)
                    ),
                )
                .values(
                    item.value().get("name"),
                    Some(&Value::String(far.name.clone())),
                ),
            );
        } else if item.key.as_deref() != Some(&far.name) {
            compared.notes.push(format!(
                "{} is `{}` on the far side",
                visible(&label),
                visible(&far.name)
            ));
        }
        one_pair(near, item, far, &mut compared);
        compared.compared.push(label);
    }
    for here in pairing.lost {
        let loss = Loss::new(
            LossKind::ToolLost,
            &tools[here].label(),
            Pointer::root(),
            "the far side does not show the tool",
        );
        compared
            .losses
            .push(loss.values(Some(tools[here].value()), None));
    }
    for (here, there) in pairing.ambiguous {
        let names: Vec<String> = there
            .iter()
            .map(|&i| format!("`{}`", visible(far_names[i])))
            .collect();
        compared.losses.push(Loss {
            basis: Basis::Undecided,
            ..Loss::new(
                LossKind::PairingAmbiguous,
                &tools[here].label(),
                Pointer::root().key("name"),
                format!(
                    "which far tool stands for it could not be decided: {}",
                    names.join(", ")
                ),
            )
        });
    }
    for there in pairing.invented {
        let far = &projection.tools[there];
        let loss = Loss::new(
            LossKind::ToolInvented,
            &format!("tool:{}", far.name),
            Pointer::root(),
            "the far side shows a tool that the server does not have",
        );
        compared.losses.push(loss.values(None, Some(&as_tool(far))));
    }
    for builtin in &projection.builtin {
        compared.notes.push(format!(
            "`{builtin}` belongs to the far side and was not compared"
        ));
    }
    compared
}

/// The tool of the server called `server` that a call on a far side is for.
pub fn called<'c>(server: &str, catalog: &'c Catalog, name: &str) -> Option<&'c Item> {
    let tools: Vec<&Item> = catalog.of_kind(Kind::Tool).collect();
    let names: Vec<&str> = tools
        .iter()
        .map(|item| item.key.as_deref().unwrap_or_default())
        .collect();
    let pairing = pair(server, &names, &[name]);
    pairing.pairs.first().map(|(here, _)| tools[*here])
}

/// Tools left over on both sides that say the very same under another name: taken out of `lost` and
/// `invented`.
fn by_content(
    tools: &[&Item],
    projection: &Projection,
    lost: &mut Vec<usize>,
    invented: &mut Vec<usize>,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for here in lost.clone() {
        let item = tools[here].value();
        let description = item.get("description").and_then(Value::as_str);
        let same: Vec<usize> = invented
            .iter()
            .copied()
            .filter(|&there| {
                let far = &projection.tools[there];
                far.description.as_deref() == description
                    && description.is_some_and(|text| !text.is_empty())
            })
            .collect();
        if let [there] = same.as_slice() {
            found.push((here, *there));
            lost.retain(|left| *left != here);
            invented.retain(|left| left != there);
        }
    }
    found
}

fn one_pair(near: &Near<'_>, item: &Item, far: &FarTool, compared: &mut Compared) {
    let label = item.label();
    let own = item.value().get("description");
    if let Some((kind, what)) = words::texts(
        own.and_then(Value::as_str).unwrap_or_default(),
        far.description.as_deref(),
    ) {
        let theirs = far.description.clone().map(Value::String);
        compared.losses.push(
            Loss::new(kind, &label, Pointer::root().key("description"), what)
                .values(own, theirs.as_ref()),
        );
    }
    let Some(schema) = item.value().get("inputSchema") else {
        return;
    };
    if canonical(schema) == canonical(&far.schema) {
        return;
    }
    let faults = new_faults(near, item, far, &label);
    let dialect = Undeclared::for_revision(near.catalog.revision, near.default_dialect).first();
    let losses = tool::compare(&tool::Pair {
        label: &label,
        near: schema,
        near_dialect: dialect,
        far: &far.schema,
    });
    compared.losses.extend(losses);
    compared.faults.extend(faults);
}

/// The faults that make a schema useless on the far side, and that it does not have on the near one.
fn new_faults(near: &Near<'_>, item: &Item, far: &FarTool, label: &str) -> Vec<fitness::Fault> {
    let decisive = |kind: FaultKind| {
        matches!(
            kind,
            FaultKind::DanglingRef
                | FaultKind::ExternalRef
                | FaultKind::RefLoop
                | FaultKind::NotWellFormed
                | FaultKind::UnknownDialect
                | FaultKind::RootNotObject
        )
    };
    let of = |value: &Value, revision: Option<Revision>| {
        let raw = canonical(value);
        let catalog = Catalog {
            revision,
            declared: Vec::new(),
            implementation: None,
            instructions: Instructions::Unknown,
            listed: vec![Kind::Tool],
            unknown: Vec::new(),
            items: vec![Item::new(Kind::Tool, 0, raw.into())],
            remarks: Vec::new(),
            doubts: Vec::new(),
        };
        let mut faults = fitness::check_catalog(&catalog, near.default_dialect);
        faults.retain(|fault| decisive(fault.kind));
        faults
    };
    let here = of(item.value(), near.catalog.revision);
    let mut there = of(&as_tool(far), near.catalog.revision);
    there.retain(|fault| {
        !here
            .iter()
            .any(|own| own.kind == fault.kind && own.pointer == fault.pointer)
    });
    for fault in &mut there {
        label.clone_into(&mut fault.label);
        fault.message = format!("on the far side, {}", fault.message);
    }
    there
}

/// A far tool as MCP would have it.
fn as_tool(far: &FarTool) -> Value {
    let mut members = vec![("name".to_owned(), Value::String(far.name.clone()))];
    if let Some(description) = &far.description {
        members.push(("description".to_owned(), Value::String(description.clone())));
    }
    members.push(("inputSchema".to_owned(), far.schema.clone()));
    Value::Object(Object::new(members))
}
