//! Witnesses: values that one document accepts and the other refuses.
//!
//! No value leaves here that the product's validator has not judged against both documents as
//! they were written.

mod harvest;
mod judge;
mod search;
mod shrink;

pub(crate) use harvest::harvest;
pub(crate) use judge::Judges;
pub(crate) use search::search;
pub(crate) use shrink::shrink;
