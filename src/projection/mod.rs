//! The same tools as they look on the far side of a client, a gateway or a provider conversion,
//! compared with what the server said.
//!
//! Pure. Yields [`Loss`]es; [`crate::rules`] decides what they are worth. What a constraint is worth
//! is asked of the one engine of [`crate::schema::inclusion`]: a constraint is lost when the far
//! side admits a call that the constraint refuses, and that call is the witness.
//!
//! Data flows so: `shape` reads a file into tools, `pairing` finds the server's tool for each,
//! `tool` compares one pair: `walk` goes through both schemas and asks the `engine` about each
//! constraint (`fragment` cuts it out, `union` looks into unions), `words` reads beside it. `call`
//! compares one call, and `provider` says of a server alone what a provider's documented subset
//! refuses or ignores.

mod call;
mod constraint;
mod engine;
mod far;
mod found;
mod fragment;
mod gemini;
mod loss;
mod pairing;
mod provider;
mod provider_facts;
mod shape;
mod tool;
mod union;
mod view;
mod walk;
mod wire;
mod words;

pub use call::{Call, compare_call, read_arguments, read_call};
pub use far::{Compared, Near, called, compare};
pub use loss::{Loss, LossKind};
pub use provider::{Provider, lint};
pub use provider_facts::{Construct, Effect, FACTS, Fact};
pub use shape::{FarTool, Projection, Shape};
pub use wire::read;
