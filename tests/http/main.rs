//! Remote servers, over real sockets: both transports, both eras, and what goes wrong.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod eras;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod old;
#[cfg(test)]
mod redirects;
#[cfg(test)]
#[path = "../support/rogue_http.rs"]
mod rogue_http;
#[cfg(test)]
mod tls;
