//! The two validators, made when first asked.

use crate::json::Value;
use crate::schema::Dialect;
use crate::schema::reason::Reason;
use crate::schema::{Unusable, Validator, Verdict};

use super::super::val::Val;

/// A document with its validator.
pub(crate) struct Judge<'v> {
    pub(crate) schema: &'v Value,
    dialect: Dialect,
    validator: Option<Result<Validator, Unusable>>,
}

impl<'v> Judge<'v> {
    fn new(schema: &'v Value, dialect: Dialect) -> Self {
        Judge {
            schema,
            dialect,
            validator: None,
        }
    }

    fn validator(&mut self) -> Result<&Validator, &Unusable> {
        let (schema, dialect) = (self.schema, self.dialect);
        self.validator
            .get_or_insert_with(|| Validator::new(schema, dialect))
            .as_ref()
    }

    /// Whether the document accepts the value; none when that can't be told.
    pub(crate) fn accepts(&mut self, value: &Value) -> Option<bool> {
        match self.validator().ok()?.validate(value) {
            Verdict::Valid => Some(true),
            Verdict::Invalid(_) => Some(false),
            Verdict::OverBudget(_) => None,
        }
    }
}

/// Both documents' validators.
pub(crate) struct Judges<'v> {
    pub(crate) old: Judge<'v>,
    pub(crate) new: Judge<'v>,
}

impl<'v> Judges<'v> {
    pub(crate) fn new(old: (&'v Value, Dialect), new: (&'v Value, Dialect)) -> Self {
        Judges {
            old: Judge::new(old.0, old.1),
            new: Judge::new(new.0, new.1),
        }
    }

    /// Why a document can't be validated against.
    pub(crate) fn unusable(&mut self) -> Option<(bool, Unusable)> {
        let old = self.old.validator().err().cloned();
        let new = self.new.validator().err().cloned();
        old.map(|u| (true, u)).or(new.map(|u| (false, u)))
    }

    /// Whether the value is accepted by `old` and refused by `new`.
    pub(crate) fn separates(&mut self, value: &Val) -> bool {
        let value = value.json();
        self.old.accepts(&value) == Some(true) && self.new.accepts(&value) == Some(false)
    }

    /// Whether both accept the value.
    pub(crate) fn both_accept(&mut self, value: &Val) -> bool {
        let value = value.json();
        self.old.accepts(&value) == Some(true) && self.new.accepts(&value) == Some(true)
    }

    /// Why `new` refuses the value.
    pub(crate) fn reasons(&mut self, value: &Value) -> Vec<Reason> {
        match self.new.validator().map(|v| v.validate(value)) {
            Ok(Verdict::Invalid(reasons)) => reasons,
            _ => Vec::new(),
        }
    }
}
