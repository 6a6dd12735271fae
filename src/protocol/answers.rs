//! What mcplock answers when a server asks it something: `ping` and `roots/list`, nothing else.
//!
//! Pure.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::value::RawValue;

/// Whether a request of this method is granted. `roots` says whether roots were declared.
pub(super) fn grants(method: &str, roots: bool) -> bool {
    method == "ping" || (method == "roots/list" && roots)
}

/// The reply to a request: `id` goes back as it came. `root` is the working folder to tell, when
/// roots were declared.
pub(super) fn answer(id: &RawValue, method: &str, root: Option<&Path>) -> Vec<u8> {
    let outcome = match (method, root) {
        ("ping", _) => r#""result":{}"#.to_owned(),
        ("roots/list", Some(root)) => {
            format!(r#""result":{{"roots":[{{"uri":"{}"}}]}}"#, file_uri(root))
        }
        _ => r#""error":{"code":-32601,"message":"mcplock only reads catalogs and declines this"}"#
            .to_owned(),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{},{outcome}}}"#, id.get()).into_bytes()
}

/// A `file:` URI (RFC 8089) of an absolute path; only unreserved characters stand unescaped
/// (RFC 3986, section 2.3).
fn file_uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    let mut uri = "file://".to_owned();
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            b':' if cfg!(windows) => uri.push(':'),
            _ => {
                // Writing to a string can't fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(id: &str, method: &str, root: Option<&str>) -> serde_json::Value {
        let id = RawValue::from_string(id.to_owned()).unwrap();
        serde_json::from_slice(&answer(&id, method, root.map(Path::new))).unwrap()
    }

    #[test]
    fn ping_and_roots_are_answered_and_the_rest_is_declined() {
        assert_eq!(said("2", "ping", None)["result"], serde_json::json!({}));
        assert_eq!(
            said("\"s-9\"", "roots/list", Some("/a b/ü\"%"))["result"]["roots"][0]["uri"],
            "file:///a%20b/%C3%BC%22%25"
        );
        for method in [
            "sampling/createMessage",
            "elicitation/create",
            "tasks/get",
            "x",
        ] {
            let reply = said("\"s-9\"", method, Some("/"));
            assert_eq!(reply["error"]["code"], -32601);
            assert_eq!(reply["id"], "s-9");
        }
        assert_eq!(said("1", "roots/list", None)["error"]["code"], -32601);
    }
}
