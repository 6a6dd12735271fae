//! Certificates of our own making, and servers that show them.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};

/// The TLS side of a server with a certificate of its own making for `name`, valid until `year`;
/// and that certificate in PEM form.
pub(crate) fn certificate(name: &str, year: i32) -> (Arc<rustls::ServerConfig>, String) {
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
    (Arc::new(config), pem(certificate.der()))
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
