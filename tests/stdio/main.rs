//! Servers over standard streams, as real processes: what goes wrong, and reports from the field.

mod cases;
mod faults;
#[path = "../support/run.rs"]
mod run;
