//! Canonical form and digests.
//!
//! Pure. The canonical form is RFC 8785 (JCS) with one addition, the exact-number rule (see
//! [`number`]), so that two different numbers never share a digest.

mod contract;
mod digest;
mod jcs;
pub mod number;

pub use crate::json::write_string;
pub use contract::{Contract, contract, contract_value};
pub use digest::{Digest, ParseDigestError};
pub use jcs::canonical;
pub(crate) use jcs::sorted;
