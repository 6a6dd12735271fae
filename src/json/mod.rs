//! JSON as it was written: a tree that keeps number text, key order and duplicate keys.
//!
//! Pure: touches no file, process or socket. The parser is RFC 8259, nothing more; what it accepts
//! but a reader could misunderstand (duplicate keys, lone surrogates, too much depth) is recorded
//! as a [`Defect`] with its place, so that one bad member never hides the others.

mod parse;
mod pointer;
mod quote;
mod scan;
mod split;
mod syntax;
mod value;

pub use parse::{Defect, DefectKind, Document, Limits, parse};
pub use pointer::Pointer;
pub use quote::write_string;
pub use split::{elements, members, next_value};
pub use syntax::{SyntaxError, line_column, without_bom};
pub use value::{Number, Object, Value};
