//! Servers behind TLS: whom mcplock trusts, and what it says when it does not.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use crate::rogue_http::RogueHttp;
use rcgen::{CertificateParams, KeyPair};

/// A server with a certificate of its own making for `name`, valid until `year`; and that
/// certificate as a file.
fn server(name: &str, year: i32) -> (RogueHttp, tempfile::NamedTempFile) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        )
        .unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(pem(certificate.der()).as_bytes()).unwrap();
    let server = RogueHttp::listening("localhost", Some(Arc::new(config)), |_, _| false);
    (server, file)
}

/// A certificate in PEM form.
fn pem(der: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("-----BEGIN CERTIFICATE-----\n");
    for (at, group) in der.chunks(3).enumerate() {
        let mut bits = [0; 3];
        bits[..group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes([0, bits[0], bits[1], bits[2]]);
        for digit in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * digit)) as usize & 63];
            text.push(if digit > group.len() {
                '='
            } else {
                char::from(letter)
            });
        }
        if at % 16 == 15 {
            text.push('\n');
        }
    }
    text.push_str("\n-----END CERTIFICATE-----\n");
    text
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
