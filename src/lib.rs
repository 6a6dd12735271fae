//! mcplock pins, verifies and guards the contracts of MCP servers.
//!
//! Data flows in one direction; each stage knows the types of the stages before it only:
//!
//! ```text
//! cli -> config -> transport -> protocol -> catalog -> canonical -> lock -> schema
//!     -> fitness, compare -> projection -> rules -> report -> guard
//! ```
//!
//! Below them all stand [`json`] (the lossless tree), [`text`] (hostile text), [`error`] and
//! [`exit`]. Only [`cli`], [`report`] and [`guard`] write to streams; only [`config`],
//! [`transport`], [`lock`] and [`guard`] touch files, processes or sockets; everything else is a pure
//! function.
//!
//! The digest of a contract depends on neither the order of keys nor the spelling of numbers, and
//! two different numbers never share one:
//!
//! ```
//! use mcplock::canonical::{Digest, canonical};
//! use mcplock::json::{Limits, SyntaxError, parse};
//!
//! let digest = |text: &str| -> Result<Digest, SyntaxError> {
//!     let document = parse(text.as_bytes(), &Limits::default())?;
//!     Ok(Digest::of(canonical(&document.value).as_bytes()))
//! };
//! assert_eq!(digest(r#"{"type":"integer","maximum":100}"#)?, digest(r#"{"maximum":1e2,"type":"integer"}"#)?);
//! assert_ne!(digest("9007199254740992")?, digest("9007199254740993")?);
//! # Ok::<(), SyntaxError>(())
//! ```

pub mod canonical;
pub mod catalog;
pub mod cli;
pub mod compare;
pub mod config;
pub mod error;
pub mod exit;
pub mod fitness;
pub mod guard;
pub mod json;
pub mod lock;
pub mod projection;
pub mod protocol;
pub mod report;
pub mod rules;
pub mod schema;
pub mod text;
pub mod transport;
