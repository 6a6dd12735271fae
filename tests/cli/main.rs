//! The program as its users run it: real processes, real files, real servers.
#![cfg(test)]

mod cases;
mod clients;
mod comparison;
mod config_cases;
mod corpus;
mod corpus_twice;
mod docs;
mod getting_started;
mod hostile_catalogs;
mod integrations;
#[cfg(unix)]
mod interrupted;
mod list_check;
mod lockfile_in_git;
mod narrowed;
mod neighbours;
mod no_fetch;
#[cfg(unix)]
mod peers;
mod pin_and_verify;
mod profiles;
mod project;
mod projections;
#[cfg(unix)]
#[path = "../support/peers.rs"]
mod real;
mod real_servers;
mod reports;
#[cfg(unix)]
mod twenty;
mod twice;
mod waivers;
