//! The lockfile as users meet it: its bytes, what is refused, what a write leaves alone.

mod corpus;
mod golden;
mod input;
mod merge;
mod read;
mod roundtrip;
mod script;
mod store;
mod tamper;
