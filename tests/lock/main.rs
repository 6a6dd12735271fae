//! The lockfile as users meet it: its bytes, what is refused, what a write leaves alone.
//!
//! The modules say `cfg(test)`, which always holds here, so that the lints know their helpers as
//! test code.

#[cfg(test)]
mod build;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod input;
#[cfg(test)]
mod merge;
#[cfg(test)]
mod read;
#[cfg(test)]
mod roundtrip;
#[cfg(test)]
mod script;
#[cfg(test)]
mod store;
#[cfg(test)]
mod tamper;
