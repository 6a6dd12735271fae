//! Whether one item, alone, can be relied on.
//!
//! Pure. Yields [`Fault`]s; [`crate::rules`] decides what they are worth.

mod echo;
mod headers;
mod hidden;
mod items;
mod json;
mod meaning;
mod names;
mod neighbours;
mod patterns;
mod references;
mod schema;
mod scripts;
mod values;
mod words;

pub use echo::echoes;
pub use neighbours::{Roster, collisions, shared};

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::catalog::{Catalog, Instructions, Item, Kind};
use crate::json::{Pointer, Value};
use crate::schema::{Dialect, Formats, Undeclared};

/// What people set about how one server is judged.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `default-dialect`
    pub default_dialect: Option<Dialect>,
    /// `reserved-arguments`
    pub reserved_arguments: Vec<String>,
    /// `assert-format`
    pub formats: Formats,
}

/// [`check_with`] for a server about which nothing but its `default-dialect` is set.
pub fn check_catalog(catalog: &Catalog, default_dialect: Option<Dialect>) -> Vec<Fault> {
    check_with(
        catalog,
        &Settings {
            default_dialect,
            ..Settings::default()
        },
    )
}

/// All that is wrong with a catalog, or worth telling, item by item in the order received;
/// `instructions` last.
///
/// Of an item with a JSON defect only its name and its hidden text are judged: what its tree holds
/// is not what every reader sees.
pub fn check_with(catalog: &Catalog, settings: &Settings) -> Vec<Fault> {
    let reading = Reading {
        undeclared: Undeclared::for_revision(catalog.revision, settings.default_dialect),
        outputs_are_objects: catalog
            .revision
            .is_some_and(|revision| !revision.is_modern()),
        reserved: &settings.reserved_arguments,
        formats: settings.formats,
    };
    let mut names = items::Names::default();
    let mut looks = names::Names::default();
    let mut faults = Vec::new();
    for item in &catalog.items {
        let mut report = Report {
            item,
            faults: &mut faults,
            told: BTreeMap::new(),
            untold: BTreeMap::new(),
        };
        json::check(item, &mut report);
        items::check(item, &mut names, &mut report);
        names::check(item, &mut looks, &mut report);
        hidden::check(item.value(), |kind, pointer, message| {
            report.fault(kind, pointer, message);
        });
        if item.document.defects.is_empty() {
            words::check(item, &mut report);
            if item.kind == Kind::Tool {
                schema::check(item, reading, &mut report);
            }
        }
        report.finish();
    }
    items::instructions(&catalog.instructions, &mut faults);
    if let Instructions::Present(document) = &catalog.instructions {
        hidden::check(&document.value, |kind, pointer, message| {
            faults.push(Fault::of_instructions(kind, pointer, message));
        });
    }
    faults
}

/// How the schemas of one catalog are read.
#[derive(Debug, Clone, Copy)]
struct Reading<'s> {
    /// How a schema without `$schema` is read.
    undeclared: Undeclared,
    /// The revision asks for `type: "object"` at the root of an `outputSchema` too.
    outputs_are_objects: bool,
    /// Arguments that the host keeps for itself.
    reserved: &'s [String],
    /// Whether `format` refuses values.
    formats: Formats,
}

/// Faults of one kind that are told of one item; of the rest their number is.
const MAX_OF_A_KIND: usize = 256;
/// Once a catalog has so many faults, one of a kind and item is told.
const MANY: usize = 50_000;

/// Where the faults of one item go.
struct Report<'c> {
    item: &'c Item,
    faults: &'c mut Vec<Fault>,
    /// How many of each kind there were.
    told: BTreeMap<FaultKind, usize>,
    /// How many of them were not told.
    untold: BTreeMap<FaultKind, usize>,
}

impl Report<'_> {
    fn fault(&mut self, kind: FaultKind, pointer: Pointer, message: impl Into<String>) {
        let count = self.told.entry(kind).or_default();
        *count += 1;
        let most = if self.faults.len() < MANY {
            MAX_OF_A_KIND
        } else {
            1
        };
        if *count > most {
            *self.untold.entry(kind).or_default() += 1;
            return;
        }
        self.faults.push(Fault {
            kind,
            item: Some(self.item.kind),
            label: self.item.label(),
            pointer,
            message: message.into(),
            value: None,
        });
    }

    /// Says how many faults were not told.
    fn finish(self) {
        for (kind, more) in self.untold {
            let last = self
                .faults
                .iter_mut()
                .rev()
                .find(|fault| fault.kind == kind);
            if let Some(last) = last {
                let _ = write!(last.message, "; and so in {more} more places of the item");
            }
        }
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

impl Fault {
    fn of_instructions(kind: FaultKind, pointer: Pointer, message: String) -> Self {
        Fault {
            kind,
            item: None,
            label: "instructions".to_owned(),
            pointer,
            message,
            value: None,
        }
    }
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
    /// A vocabulary must be known to read the schema, and is not.
    UnknownVocabulary,
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
    /// A keyword constrains nothing in the schema's dialect, though it does in another.
    KeywordWithoutEffect,
    /// A `default` that its own schema refuses.
    DefaultRefused,
    /// A value of `enum` or `examples` that its own schema refuses.
    ValueRefused,
    /// A subschema that refuses every value, or every value of its type.
    Unsatisfiable,
    /// A closed object requires a member that it does not let in.
    RequiredUndeclared,
    /// A number that no double holds.
    InexactNumber,
    /// A pattern that is one only without the `u` flag.
    PatternNeedsNonUnicode,
    /// A pattern that is too large to be evaluated.
    PatternNotEvaluated,
    /// A name that the specification does not allow.
    OddName,
    /// A name that is a path.
    PathName,
    /// A name with a letter of another script among its own.
    MixedScript,
    /// A name that looks like another one, with letters of another script.
    LookAlikeName,
    /// Two tools that hosts give one name.
    NameCollision,
    /// Text that a person does not see and a model reads.
    HiddenText,
    /// An argument that the host keeps for itself.
    ReservedArgument,
    /// An `x-mcp-header` that HTTP clients do not accept.
    InvalidHeader,
    /// A tool without a description.
    DescriptionMissing,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [FaultKind; 35] = [
        FaultKind::DuplicateKey,
        FaultKind::LoneSurrogate,
        FaultKind::TooDeep,
        FaultKind::ExponentTooLarge,
        FaultKind::NotAnItem,
        FaultKind::DuplicateItem,
        FaultKind::InputSchemaMissing,
        FaultKind::RootNotObject,
        FaultKind::UnknownDialect,
        FaultKind::UnknownVocabulary,
        FaultKind::NotWellFormed,
        FaultKind::ExternalRef,
        FaultKind::DanglingRef,
        FaultKind::RefLoop,
        FaultKind::InstructionsNotText,
        FaultKind::SchemaTooLarge,
        FaultKind::DialectDependent,
        FaultKind::SecretEcho,
        FaultKind::KeywordWithoutEffect,
        FaultKind::DefaultRefused,
        FaultKind::ValueRefused,
        FaultKind::Unsatisfiable,
        FaultKind::RequiredUndeclared,
        FaultKind::InexactNumber,
        FaultKind::PatternNeedsNonUnicode,
        FaultKind::PatternNotEvaluated,
        FaultKind::OddName,
        FaultKind::PathName,
        FaultKind::MixedScript,
        FaultKind::LookAlikeName,
        FaultKind::NameCollision,
        FaultKind::HiddenText,
        FaultKind::ReservedArgument,
        FaultKind::InvalidHeader,
        FaultKind::DescriptionMissing,
    ];
}
