//! What changes and faults are worth: levels, the two-axis table, and the rules with their ids.
//!
//! Pure. A rule is a constant in the file of its subject (what it says, what it means, what to do),
//! one line in the table of `registry`, and a folder in `testdata/rules/`. Files hold several
//! rules because the rules of one subject share their wording and are read side by side.

mod arguments;
mod calls;
mod contents;
mod faults;
mod finding;
mod hints;
mod items;
mod level;
mod losses;
mod outputs;
mod page;
mod policy;
mod registry;
mod schemas;
mod server;
mod values;
mod wording;
mod words;

pub use finding::{Finding, fails, fingerprint, judge, judge_fault, judge_loss, mask, sort};
pub use level::{FailOn, Level, level};
pub use page::reference;
pub use policy::Adjustments;
pub use registry::{Rule, Subject, of_change, of_fault, of_loss, rule, rules};
