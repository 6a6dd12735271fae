//! The JSON, canonical and catalog stages against published suites and recorded catalogs.
//!
//! They lie outside the project; `MCPLOCK_SUITES` names their folder. Without it every test here
//! passes after saying on standard error that it was skipped.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod json_test_suite;
#[cfg(test)]
mod rfc8785;
#[cfg(test)]
mod suites;
