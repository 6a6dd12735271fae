//! What servers and networks do wrong, through the program as its users run it: every row of
//! `docs/faults.md`, beside a healthy server in the same run.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod canary;
mod cases;
#[path = "../support/certificates.rs"]
mod certificates;
mod docs;
mod ends;
mod http_rows;
mod network_rows;
mod project;
mod reply_rows;
#[path = "../support/rogue_http.rs"]
mod rogue_server;
mod stdio_rows;
mod table;
mod told;
mod watch;
