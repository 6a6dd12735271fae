//! Witnesses: values that one document accepts and the other refuses.
//!
//! No value leaves here that the product's validator has not judged against both documents as
//! they were written.

mod judge;
mod shrink;

pub(crate) use judge::Judges;
pub(crate) use shrink::shrink;
