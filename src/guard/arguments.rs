//! The arguments of a call against the pinned contract: strictly, and never repaired.
//!
//! Pure. Says what is wrong by pointer and keyword; a value never gets into a message.

use std::collections::HashMap;

use crate::json::{Document, Limits, Object, Pointer, Value, parse};
use crate::lock::PinnedItem;
use crate::schema::{Declared, Dialect, Formats, Undeclared, Validator, Verdict, dialect};
use crate::text::visible;

use super::decision::Reason;
use super::names::undeclared;

/// No more than this many reasons or names are told.
const TOLD: usize = 5;

/// What is wrong with arguments, or with the schema that they are to be judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flaw {
    pub(super) reason: Reason,
    pub(super) message: String,
}

impl Flaw {
    fn new(reason: Reason, message: impl Into<String>) -> Self {
        Flaw {
            reason,
            message: message.into(),
        }
    }
}

/// What the arguments of tools are validated with; validators are kept once they are built.
#[derive(Debug)]
pub(super) struct Arguments {
    undeclared_dialect: Undeclared,
    formats: Formats,
    reserved: Vec<String>,
    deny_undeclared: bool,
    built: HashMap<(String, Side), Built>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Input,
    Output,
}

/// One validator, or two where the dialect is not stated; or why there is none.
#[derive(Debug)]
enum Built {
    Ready(Vec<Validator>),
    Unusable(String),
}

impl Arguments {
    pub(super) fn new(
        undeclared_dialect: Undeclared,
        formats: Formats,
        reserved: Vec<String>,
        deny_undeclared: bool,
    ) -> Self {
        Arguments {
            undeclared_dialect,
            formats,
            reserved,
            deny_undeclared,
            built: HashMap::new(),
        }
    }

    /// Judges the arguments of a call of `tool`; `text` is the JSON of `arguments` as sent. The
    /// notes are names that are not declared and pass all the same.
    pub(super) fn of_tool(
        &mut self,
        tool: &PinnedItem,
        text: Option<&str>,
    ) -> Result<Vec<String>, Flaw> {
        let document = read(text)?;
        if let Some(name) = self.reserved_in(&document.value) {
            return Err(Flaw::new(
                Reason::Reserved,
                format!(
                    "the argument `{}` is reserved by the policy",
                    visible(&name)
                ),
            ));
        }
        let Some(schema) = tool.value.get("inputSchema") else {
            return Err(Flaw::new(
                Reason::CanNotTell,
                "the pinned tool has no `inputSchema`",
            ));
        };
        self.validate(tool, Side::Input, schema, &document.value)?;
        let names = undeclared(schema, &document.value);
        let told: Vec<String> = names.iter().take(TOLD).map(shown).collect();
        if self.deny_undeclared && !told.is_empty() {
            return Err(Flaw::new(
                Reason::Undeclared,
                format!("not declared in the pinned schema: {}", told.join(", ")),
            ));
        }
        Ok(told
            .into_iter()
            .map(|name| format!("undeclared argument {name}"))
            .collect())
    }

    /// Judges the arguments of a prompt: those that are required, and those that are declared.
    pub(super) fn of_prompt(
        &self,
        prompt: &PinnedItem,
        text: Option<&str>,
    ) -> Result<Vec<String>, Flaw> {
        let document = read(text)?;
        if let Some(name) = self.reserved_in(&document.value) {
            return Err(Flaw::new(
                Reason::Reserved,
                format!(
                    "the argument `{}` is reserved by the policy",
                    visible(&name)
                ),
            ));
        }
        let declared = prompt
            .value
            .get("arguments")
            .and_then(Value::as_array)
            .unwrap_or_default();
        let name_of = |argument: &'_ Value| {
            argument
                .get("name")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        for argument in declared {
            let required = argument.get("required").and_then(Value::as_bool) == Some(true);
            if let Some(name) = name_of(argument)
                && required
                && document.value.get(&name).is_none()
            {
                return Err(Flaw::new(
                    Reason::Arguments,
                    format!("the required argument `{}` is missing", visible(&name)),
                ));
            }
        }
        let mut notes = Vec::new();
        for (name, value) in document
            .value
            .as_object()
            .into_iter()
            .flat_map(Object::iter)
        {
            if value.as_str().is_none() {
                return Err(Flaw::new(
                    Reason::Arguments,
                    format!("the argument `{}` must be a string", visible(name)),
                ));
            }
            if !declared.iter().any(|a| name_of(a).as_deref() == Some(name)) {
                let name = shown(&Pointer::root().key(name));
                if self.deny_undeclared {
                    return Err(Flaw::new(
                        Reason::Undeclared,
                        format!("not declared by the pinned prompt: {name}"),
                    ));
                }
                if notes.len() < TOLD {
                    notes.push(format!("undeclared argument {name}"));
                }
            }
        }
        Ok(notes)
    }

    /// Judges the structured content of a result; `text` is its JSON as sent. A tool without an
    /// output schema promises nothing.
    pub(super) fn of_result(&mut self, tool: &PinnedItem, text: Option<&str>) -> Result<(), Flaw> {
        let Some(schema) = tool.value.get("outputSchema") else {
            return Ok(());
        };
        let Some(text) = text else {
            return Err(Flaw::new(
                Reason::Result,
                "the result has no `structuredContent`, which the pinned `outputSchema` promises",
            ));
        };
        let broken = |_| Flaw::new(Reason::Result, "`structuredContent` can't be read");
        let document = parse(text.as_bytes(), &Limits::default()).map_err(broken)?;
        let Some(value) = document.sound() else {
            return Err(Flaw::new(
                Reason::Result,
                "`structuredContent` can be read in two ways",
            ));
        };
        self.validate(tool, Side::Output, schema, value)
    }

    fn reserved_in(&self, arguments: &Value) -> Option<String> {
        self.reserved
            .iter()
            .find(|name| arguments.get(name).is_some())
            .cloned()
    }

    fn validate(
        &mut self,
        tool: &PinnedItem,
        side: Side,
        schema: &Value,
        value: &Value,
    ) -> Result<(), Flaw> {
        let (undeclared, formats) = (self.undeclared_dialect, self.formats);
        let built = self
            .built
            .entry((tool.key.clone(), side))
            .or_insert_with(|| build(schema, undeclared, formats));
        let name = match side {
            Side::Input => "inputSchema",
            Side::Output => "outputSchema",
        };
        let validators = match built {
            Built::Ready(validators) => validators,
            Built::Unusable(why) => {
                return Err(Flaw::new(
                    Reason::CanNotTell,
                    format!("the pinned `{name}` can't be validated against: {why}"),
                ));
            }
        };
        let verdicts: Vec<Verdict> = validators
            .iter()
            .map(|validator| validator.validate(value))
            .collect();
        if let Some(limit) = verdicts.iter().find_map(|verdict| match verdict {
            Verdict::OverBudget(limit) => Some(limit),
            _ => None,
        }) {
            return Err(Flaw::new(
                Reason::CanNotTell,
                format!(
                    "could not be evaluated against the pinned `{name}` within bounds: {limit}"
                ),
            ));
        }
        let refused = verdicts.iter().find_map(|verdict| match verdict {
            Verdict::Invalid(reasons) => Some(reasons),
            _ => None,
        });
        let Some(reasons) = refused else {
            return Ok(());
        };
        if verdicts.iter().any(Verdict::is_valid) {
            return Err(Flaw::new(
                Reason::CanNotTell,
                format!(
                    "the pinned `{name}` states no dialect, and {} and {} differ on this value",
                    Dialect::Draft2020_12,
                    Dialect::Draft7
                ),
            ));
        }
        let mut told: Vec<String> = reasons
            .iter()
            .take(TOLD)
            .map(|reason| {
                let at = reason.instance.as_str();
                if at.is_empty() {
                    reason.message.clone()
                } else {
                    format!("{} {}", shown(&reason.instance), reason.message)
                }
            })
            .collect();
        if reasons.len() > TOLD {
            told.push("and more".to_owned());
        }
        let (reason, what) = match side {
            Side::Input => (Reason::Arguments, "the arguments are"),
            Side::Output => (Reason::Result, "`structuredContent` is"),
        };
        Err(Flaw::new(
            reason,
            format!(
                "{what} not valid against the pinned `{name}`: {}",
                told.join("; ")
            ),
        ))
    }
}

fn shown(pointer: &Pointer) -> String {
    format!("`{}`", visible(pointer.as_str()))
}

/// The arguments as a sound object; none sent are none.
fn read(text: Option<&str>) -> Result<Document, Flaw> {
    let document = parse(text.unwrap_or("{}").as_bytes(), &Limits::default())
        .map_err(|_| Flaw::new(Reason::Unreadable, "the arguments are no JSON"))?;
    match document.sound() {
        None => Err(Flaw::new(
            Reason::Unreadable,
            match document.defects.first() {
                Some(defect) => format!(
                    "the arguments can be read in two ways, at {}",
                    shown(&defect.pointer)
                ),
                None => "the arguments can be read in two ways".to_owned(),
            },
        )),
        Some(Value::Object(_)) => Ok(document),
        Some(other) => Err(Flaw::new(
            Reason::Arguments,
            format!("the arguments must be an object, not {}", other.type_name()),
        )),
    }
}

fn build(schema: &Value, undeclared: Undeclared, formats: Formats) -> Built {
    let dialects = match (dialect::declared(schema), undeclared) {
        (Declared::Absent, Undeclared::Either) => vec![Dialect::Draft2020_12, Dialect::Draft7],
        _ => vec![undeclared.first()],
    };
    let mut validators = Vec::new();
    for dialect in dialects {
        match Validator::with(schema, dialect, formats) {
            Ok(validator) => validators.push(validator),
            Err(why) => return Built::Unusable(why.to_string()),
        }
    }
    Built::Ready(validators)
}
