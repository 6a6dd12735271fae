//! Ways to exchange messages with a server: standard streams of a child process, later HTTP.
//!
//! Moves bytes; knows nothing of what a message means.
