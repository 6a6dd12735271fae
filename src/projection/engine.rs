//! The questions about two schemas: the engine that proves or finds a call, and the validator on
//! whose word alone a call is believed.
//!
//! Pure.

use crate::compare::Witness;
use crate::json::{Object, Pointer, Value};
use crate::schema::inclusion::{self, Options, Verdict};
use crate::schema::reason::Reason;
use crate::schema::{Dialect, Validator, Verdict as Validity};
use crate::text::visible;

use super::fragment::{Step, one, without};

/// Steps of one proof about one constraint.
const BUDGET: u64 = 60_000;

/// What the engine says of one constraint.
#[derive(Debug)]
pub(super) enum Answer {
    /// The other side refuses all that it refuses: proved.
    Kept,
    /// The other side admits this call, which it refuses.
    Lost(Witness),
    /// Neither was shown.
    Undecided,
}

/// Which constraints are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Those of the server: what does the far side admit?
    Lost,
    /// Those of the far side: which legal calls does it refuse?
    Narrowed,
}

/// The engine of [`crate::schema::inclusion`] for two documents, and the product's validator on
/// whose word alone a witness is believed.
pub(super) struct Engine<'v> {
    own: &'v Value,
    other: &'v Value,
    own_validator: Validator,
    other_validator: Validator,
    options: Options,
    direction: Direction,
}

impl<'v> Engine<'v> {
    /// The engine for what `own` refuses and `other` admits; else which side can't be used (true for
    /// the own one), and why.
    pub(super) fn new(
        (own, own_dialect): (&'v Value, Dialect),
        (other, other_dialect): (&'v Value, Dialect),
        direction: Direction,
    ) -> Result<Self, (bool, String)> {
        let validator = |schema, dialect, is_own: bool| {
            Validator::new(schema, dialect).map_err(|unusable| (is_own, unusable.to_string()))
        };
        Ok(Engine {
            own,
            other,
            own_validator: validator(own, own_dialect, true)?,
            other_validator: validator(other, other_dialect, false)?,
            options: Options {
                old_dialect: other_dialect,
                new_dialect: own_dialect,
                budget: BUDGET,
            },
            direction,
        })
    }

    /// Whether the other side refuses all that `fragment`, a cut of the own document, refuses.
    pub(super) fn ask(&self, fragment: &Value) -> Answer {
        self.answer(&match self.direction {
            Direction::Lost => inclusion::inclusion(self.other, fragment, &self.options),
            Direction::Narrowed => inclusion::careful(self.other, fragment, &self.options),
        })
    }

    /// A call that only the constraint at `at` refuses, for one that others refuse as well; `keyword`
    /// is the one whose reason is shown.
    pub(super) fn sharpened(&self, witness: Witness, at: &Pointer, keyword: &str) -> Witness {
        let refuses_alone = |value: &Value| match self.own_validator.validate(value) {
            Validity::Invalid(reasons) => reasons.len() == 1,
            Validity::Valid | Validity::OverBudget(_) => false,
        };
        let witness = match self.ask_alone(at) {
            Answer::Lost(alone) if !refuses_alone(&witness.value) => alone,
            _ => witness,
        };
        match self.own_validator.validate(&witness.value) {
            Validity::Invalid(mut reasons) => {
                reasons.sort_by_key(|reason| reason.keyword != keyword);
                shown(&witness.value, &reasons)
            }
            Validity::Valid | Validity::OverBudget(_) => witness,
        }
    }

    /// Whether the other side admits something that the own document refuses for the keyword at
    /// `at` alone.
    pub(super) fn ask_alone(&self, at: &Pointer) -> Answer {
        self.ask_within(self.own, &without(self.own, at))
    }

    /// Whether the other side admits something that `fragment` refuses and `within` admits.
    pub(super) fn ask_within(&self, fragment: &Value, within: &Value) -> Answer {
        self.answer(&inclusion::inclusion_within(
            self.other,
            fragment,
            within,
            &self.options,
        ))
    }

    /// The whole question, without looking for the constraint.
    pub(super) fn ask_whole(&self) -> Answer {
        self.ask(self.own)
    }

    fn answer(&self, verdict: &Verdict) -> Answer {
        match verdict {
            Verdict::Equal | Verdict::Included(_) => Answer::Kept,
            Verdict::Broken(witness) => match self.confirmed(&witness.value) {
                Some(reasons) => Answer::Lost(shown(&witness.value, &reasons)),
                None => Answer::Undecided,
            },
            Verdict::Undecided(_) => Answer::Undecided,
        }
    }

    /// Why the own document refuses a value that the other one accepts; none when it does not.
    fn confirmed(&self, value: &Value) -> Option<Vec<Reason>> {
        if !self.other_validator.validate(value).is_valid() {
            return None;
        }
        match self.own_validator.validate(value) {
            Validity::Invalid(reasons) => Some(reasons),
            Validity::Valid | Validity::OverBudget(_) => None,
        }
    }

    /// A value that the other document accepts and that holds the member called `name` at the end
    /// of `route`, preferably one that the own document refuses.
    pub(super) fn with_member(&self, route: &[Step], name: &str) -> Option<Witness> {
        let holder = holder(route, name)?;
        let refused = inclusion::inclusion_within(self.other, self.own, &holder, &self.options);
        if let Answer::Lost(witness) = self.answer(&refused) {
            return Some(witness);
        }
        let outside = one("not", holder);
        match inclusion::inclusion(self.other, &outside, &self.options) {
            Verdict::Broken(witness) if self.own_validator.validate(&witness.value).is_valid() => {
                Some(Witness {
                    value: witness.value,
                    reason: format!("admitted, and one side does not know `{}`", visible(name)),
                })
            }
            _ => None,
        }
    }
}

/// A schema of the values that hold the member called `name` at the end of `route`.
fn holder(route: &[Step], name: &str) -> Option<Value> {
    let text = |text: &str| Value::String(text.to_owned());
    let object = |members: Vec<(&str, Value)>| {
        let members = members
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        Value::Object(Object::new(members.collect()))
    };
    let mut schema = object(vec![
        ("type", text("object")),
        ("required", Value::Array(vec![text(name)])),
    ]);
    for step in route.iter().rev() {
        schema = match step {
            Step::Member(member) => object(vec![
                ("type", text("object")),
                ("required", Value::Array(vec![text(member)])),
                ("properties", one(member, schema)),
            ]),
            Step::Elements(0) => object(vec![("type", text("array")), ("contains", schema)]),
            Step::Pattern(_) | Step::Others(..) | Step::Element(_) | Step::Elements(_) => {
                return None;
            }
        };
    }
    Some(schema)
}

fn shown(value: &Value, reasons: &[Reason]) -> Witness {
    let reason = reasons.first().map_or_else(String::new, |reason| {
        if reason.instance == Pointer::root() {
            reason.message.clone()
        } else {
            let place = visible(reason.instance.as_str());
            format!("`{place}` {}", reason.message)
        }
    });
    Witness {
        value: value.clone(),
        reason,
    }
}
