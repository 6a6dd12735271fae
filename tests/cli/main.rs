//! The program as its users run it: real processes, real files, real servers.
#![cfg(test)]

mod cases;
mod corpus;
mod docs;
mod hostile_catalogs;
#[cfg(unix)]
mod interrupted;
mod neighbours;
mod no_fetch;
mod pin_and_verify;
mod project;
mod real_http;
mod real_servers;
mod waivers;
