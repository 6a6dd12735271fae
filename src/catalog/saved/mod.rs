//! Saved catalogs: what `fetch` writes, and what other programs leave of a server's answers.
//!
//! Pure, on texts that the caller read. A text that can't be understood, or a list that is not
//! complete, is an error: what was not seen must never be judged.

mod greeting;
mod own;
mod read;
mod source;
#[cfg(test)]
mod tests;

pub use own::write_saved;
pub use read::read_saved;
