//! Remote servers, over real sockets: both transports, both eras, and what goes wrong.

#[cfg(test)]
mod cases;
#[cfg(test)]
#[path = "../support/certificates.rs"]
mod certificates;
#[cfg(test)]
mod eras;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod old;
#[cfg(test)]
mod redirects;
#[cfg(test)]
mod rogue_http;
#[cfg(test)]
#[path = "../support/rogue_http.rs"]
mod rogue_server;
#[cfg(test)]
mod tls;
