//! Whether one item, alone, can be relied on.
//!
//! Pure. Yields [`Fault`]s; [`crate::rules`] decides what they are worth.

mod echo;
mod items;
mod json;
mod references;
mod schema;

pub use echo::echoes;

use crate::catalog::{Catalog, Item, Kind};
use crate::json::{Pointer, Value};
use crate::schema::{Dialect, Undeclared};

/// All that is wrong with a catalog, item by item in the order received; `instructions` last.
///
/// `setting` is the server's `default-dialect`. Of an item with a JSON defect nothing else is
/// judged but its name: what its tree holds is not what every reader sees.
pub fn check_catalog(catalog: &Catalog, setting: Option<Dialect>) -> Vec<Fault> {
    let reading = Reading {
        undeclared: Undeclared::for_revision(catalog.revision, setting),
        outputs_are_objects: catalog
            .revision
            .is_some_and(|revision| !revision.is_modern()),
    };
    let mut names = items::Names::default();
    let mut faults = Vec::new();
    for item in &catalog.items {
        let mut report = Report {
            item,
            faults: &mut faults,
        };
        json::check(item, &mut report);
        items::check(item, &mut names, &mut report);
        if item.kind == Kind::Tool && item.document.defects.is_empty() {
            schema::check(item, reading, &mut report);
        }
    }
    items::instructions(&catalog.instructions, &mut faults);
    faults
}

/// How the schemas of one catalog are read.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// How a schema without `$schema` is read.
    undeclared: Undeclared,
    /// The revision asks for `type: "object"` at the root of an `outputSchema` too.
    outputs_are_objects: bool,
}

/// Where the faults of one item go.
struct Report<'c> {
    item: &'c Item,
    faults: &'c mut Vec<Fault>,
}

impl Report<'_> {
    fn fault(&mut self, kind: FaultKind, pointer: Pointer, message: impl Into<String>) {
        self.faults.push(Fault {
            kind,
            item: Some(self.item.kind),
            label: self.item.label(),
            pointer,
            message: message.into(),
            value: None,
        });
    }
}

/// What is wrong, or merely worth telling, about one item or one catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What it is; each kind has a rule.
    pub kind: FaultKind,
    /// The item's kind; none for a fault of `instructions`.
    pub item: Option<Kind>,
    /// The item's label as [`crate::catalog::Item::label`] gives it; `instructions` for those.
    pub label: String,
    /// Where in the item.
    pub pointer: Pointer,
    /// What exactly, as a fragment. Server text in it has passed [`crate::text::visible`].
    pub message: String,
    /// The value at the place, when it helps to see it.
    pub value: Option<Value>,
}

/// The kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two members of one object have one name.
    DuplicateKey,
    /// A string holds half a surrogate pair.
    LoneSurrogate,
    /// Nested deeper than the limit.
    TooDeep,
    /// A number whose exponent nothing can compare.
    ExponentTooLarge,
    /// Not an object, or its key is missing, not a string or empty.
    NotAnItem,
    /// Two items of one kind have one key.
    DuplicateItem,
    /// A tool without `inputSchema`.
    InputSchemaMissing,
    /// `inputSchema` is not a schema whose root has `type: "object"`.
    RootNotObject,
    /// `$schema` names a dialect that is not known.
    UnknownDialect,
    /// Not valid against the metaschema of its dialect.
    NotWellFormed,
    /// A `$ref` points outside the document.
    ExternalRef,
    /// A `$ref` points at nothing in the document.
    DanglingRef,
    /// References that lead back to themselves without consuming any of the instance.
    RefLoop,
    /// `instructions` is not a string.
    InstructionsNotText,
    /// A schema is too large to be judged.
    SchemaTooLarge,
    /// Whether the schema is well-formed, or where its references lead, depends on the dialect
    /// that it does not declare.
    DialectDependent,
    /// A text of the catalog holds a secret that the server was given.
    SecretEcho,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 17] = [
        FaultKind::DuplicateKey,
        FaultKind::LoneSurrogate,
        FaultKind::TooDeep,
        FaultKind::ExponentTooLarge,
        FaultKind::NotAnItem,
        FaultKind::DuplicateItem,
        FaultKind::InputSchemaMissing,
        FaultKind::RootNotObject,
        FaultKind::UnknownDialect,
        FaultKind::NotWellFormed,
        FaultKind::ExternalRef,
        FaultKind::DanglingRef,
        FaultKind::RefLoop,
        FaultKind::InstructionsNotText,
        FaultKind::SchemaTooLarge,
        FaultKind::DialectDependent,
        FaultKind::SecretEcho,
    ];
}
