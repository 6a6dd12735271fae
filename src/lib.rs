//! mcplock pins, verifies and guards the contracts of MCP servers.
//!
//! Data flows in one direction; each stage knows the types of the stages before it only:
//!
//! ```text
//! cli -> config -> transport -> protocol -> catalog -> canonical -> lock -> schema
//!     -> fitness, compare -> rules -> report
//! ```
//!
//! Below them all stand [`json`] (the lossless tree), [`text`] (hostile text), [`error`] and
//! [`exit`]. Only [`cli`] and [`report`] write to streams; only [`config`], [`transport`] and
//! [`lock`] touch files, processes or sockets; everything else is a pure function.

pub mod canonical;
pub mod catalog;
pub mod cli;
pub mod compare;
pub mod config;
pub mod error;
pub mod exit;
pub mod fitness;
pub mod json;
pub mod lock;
pub mod protocol;
pub mod report;
pub mod rules;
pub mod schema;
pub mod text;
pub mod transport;
