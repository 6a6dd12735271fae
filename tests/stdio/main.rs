//! Servers over standard streams, as real processes: what goes wrong, and reports from the field.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod eras;
#[cfg(test)]
mod faults;
#[cfg(test)]
#[path = "../support/run.rs"]
mod run;
