//! Servers behind TLS: whom mcplock trusts, and what it says when it does not.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::certificates::certificate;
use crate::rogue_http::RogueHttp;

/// A server with a certificate of its own making for `name`, valid until `year`; and that
/// certificate as a file.
fn server(name: &str, year: i32) -> (RogueHttp, tempfile::NamedTempFile) {
    let (config, pem) = certificate(name, year);
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pem.as_bytes()).unwrap();
    let server = RogueHttp::listening("localhost", Some(config), |_, _| false);
    (server, file)
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused_unless_it_is_named() {
    let (mut server, file) = server("localhost", 2099);
    let error = server.fails(&["comes from no authority that is trusted here"]);
    assert!(error.help_text().unwrap().contains("--ca-file"));
    assert_eq!(server.requests().len(), 0, "nothing was sent to it");
    server.options.ca_file = Some(file.path().to_path_buf());
    server.passes();
}

#[test]
fn a_certificate_that_has_expired_is_refused() {
    let (mut server, file) = server("localhost", 2021);
    server.options.ca_file = Some(file.path().to_path_buf());
    server.fails(&["its certificate has expired"]);
}

#[test]
fn a_certificate_for_another_host_is_refused() {
    let (mut server, file) = server("other.example", 2099);
    server.options.ca_file = Some(file.path().to_path_buf());
    server.fails(&["its certificate is for another host name"]);
}

#[test]
fn a_server_without_tls_is_told_from_one_with_a_bad_certificate() {
    let mut server = RogueHttp::new(|_, _| false);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    server.url = format!("https://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    server.fails(&["the TLS handshake failed"]);
}
