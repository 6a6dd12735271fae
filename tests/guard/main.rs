//! The guard, as real processes: what an agent gets, and above all what the server received.
#![cfg(test)]

mod agent;
mod arguments;
mod cases;
mod closed;
mod configs;
mod docs;
mod drift;
mod faults;
mod listing;
#[path = "../cli/project.rs"]
mod project;
mod real;
mod relay;
mod remote;
