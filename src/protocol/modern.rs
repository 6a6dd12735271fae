//! The revisions from 2026-07-28 on: `server/discover`, and metadata in every request.
//!
//! Pure: reads what a server replied, and says which revision both sides speak.

use serde_json::value::RawValue;

use super::Revision;
use super::jsonrpc::{RpcError, texts};
use super::legacy::Opened;
use super::members::{Unreadable, members};
use super::paging::malformed;
use crate::error::{Error, Result};
use crate::transport::Quoter;

/// How much of what a server says a message quotes.
const QUOTED: usize = 200;
/// The key under which a server names itself in the `_meta` of a result.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// What a reply to `server/discover` says about the revision to go on with.
#[derive(Debug)]
pub(super) enum Discovered {
    /// Both sides speak a revision without a handshake.
    Modern(Opened),
    /// The server names its revisions, and mcplock speaks only those with a handshake.
    Handshake,
    /// It is the result of `initialize`.
    Shaken,
    /// Both sides have none in common; the revisions of the server.
    Nothing(Vec<String>),
    /// It is no such reply.
    Unlike(&'static str),
}

/// Reads the result of `server/discover`.
pub(super) fn discovered(result: &RawValue) -> Discovered {
    let names = [
        "resultType",
        "supportedVersions",
        "capabilities",
        "instructions",
        "_meta",
        "protocolVersion",
    ];
    let Ok([kind, versions, capabilities, instructions, meta, agreed]) =
        members(result.get(), names)
    else {
        return Discovered::Unlike("it is no object, or holds a name twice");
    };
    if agreed.is_some() && capabilities.is_some() && versions.is_none() {
        return Discovered::Shaken;
    }
    let Some(versions) = versions.filter(|raw| raw.get().starts_with('[')) else {
        return Discovered::Unlike("it has no `supportedVersions`");
    };
    if kind.is_some_and(|kind| kind.get() != "\"complete\"") {
        return Discovered::Unlike("its `resultType` is not `complete`");
    }
    let revision = match common(&texts(versions)) {
        Common::Modern(revision) => revision,
        Common::Handshake => return Discovered::Handshake,
        Common::Nothing(versions) => return Discovered::Nothing(versions),
    };
    let Some(capabilities) = capabilities.filter(|raw| raw.get().starts_with('{')) else {
        return Discovered::Unlike("it has no `capabilities` object");
    };
    let info = meta
        .and_then(|meta| members(meta.get(), [SERVER_INFO]).ok())
        .and_then(|[info]| info);
    let present =
        |raw: Option<&RawValue>| raw.filter(|raw| raw.get() != "null").map(ToOwned::to_owned);
    Discovered::Modern(Opened {
        revision,
        server_info: present(info),
        capabilities: capabilities.to_owned(),
        instructions: present(instructions),
    })
}

/// What the revisions of a server and those of mcplock have in common.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Common {
    /// The newest of them has no handshake.
    Modern(Revision),
    /// They have a handshake.
    Handshake,
    /// Nothing; the revisions of the server.
    Nothing(Vec<String>),
}

/// Compares the revisions that a server names with those that are known here.
pub(super) fn common(versions: &[String]) -> Common {
    match versions
        .iter()
        .filter_map(|date| Revision::parse(date))
        .max()
    {
        Some(revision) if revision.is_modern() => Common::Modern(revision),
        Some(_) => Common::Handshake,
        None => Common::Nothing(versions.to_vec()),
    }
}

/// Whether only a server of these revisions would answer so.
pub(super) fn is_modern_error(error: &RpcError) -> bool {
    matches!(
        error.code,
        Some(
            RpcError::UNSUPPORTED_VERSION
                | RpcError::HEADER_MISMATCH
                | RpcError::MISSING_CAPABILITY
        )
    )
}

/// The error of a server whose revisions are all unknown here.
pub(super) fn nothing_in_common(versions: &[String], quoter: &Quoter) -> Error {
    let theirs = quoter.line(versions.join(", ").as_bytes(), QUOTED);
    Error::server(format!(
        "it speaks no protocol revision that mcplock knows: {}",
        if theirs.is_empty() { "none" } else { &theirs }
    ))
    .help(format!(
        "mcplock speaks {}: update the server, or mcplock",
        Revision::ALL.map(Revision::as_str).join(", ")
    ))
}

/// Refuses a list result that is not the whole answer: no list may ask for input, and what an
/// unknown kind of result leaves out nobody knows.
pub(crate) fn complete(result: &RawValue, method: &str, quoter: &Quoter) -> Result<()> {
    match members(result.get(), ["resultType"]) {
        Ok([Some(kind)]) if kind.get() != "\"complete\"" => Err(malformed(format!(
            "its reply to `{method}` has the `resultType` {}, not `complete`",
            quoter.line(kind.get().as_bytes(), QUOTED)
        ))),
        Err(Unreadable::Twice(name)) => Err(malformed(format!(
            "its reply to `{method}` holds `{name}` twice"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_server_that_names_the_newest_revision_is_spoken_to_without_a_handshake() {
        let result = raw(
            r#"{"resultType":"complete","supportedVersions":["2025-11-25","2026-07-28","2031-01-01"],
                "capabilities":{"tools":{}},"instructions":"x",
                "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"demo"}}}"#,
        );
        let Discovered::Modern(opened) = discovered(&result) else {
            panic!("{result}");
        };
        assert_eq!(opened.revision, Revision::V2026_07_28);
        assert_eq!(opened.server_info.unwrap().get(), r#"{"name":"demo"}"#);
        assert_eq!(opened.instructions.unwrap().get(), "\"x\"");
    }

    #[test]
    fn older_and_unknown_revisions_are_told_apart() {
        assert!(matches!(
            discovered(&raw(
                r#"{"supportedVersions":["2024-11-05"],"capabilities":{}}"#
            )),
            Discovered::Handshake
        ));
        assert!(matches!(
            discovered(&raw(
                r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#
            )),
            Discovered::Shaken
        ));
        assert!(matches!(
            discovered(&raw(r#"{"supportedVersions":["2031-01-01"],"capabilities":{}}"#)),
            Discovered::Nothing(theirs) if theirs == ["2031-01-01"]
        ));
        let said = nothing_in_common(&["20\u{1b}31".to_owned()], &Quoter::default());
        assert!(said.message().ends_with("knows: 20\\u{1b}31"), "{said}");
    }

    #[test]
    fn what_is_no_reply_to_discover_is_not_taken_for_one() {
        for text in [
            "{}",
            "[]",
            r#"{"supportedVersions":["2026-07-28"]}"#,
            r#"{"resultType":"input_required","supportedVersions":["2026-07-28"],"capabilities":{}}"#,
        ] {
            assert!(
                matches!(discovered(&raw(text)), Discovered::Unlike(_)),
                "{text}"
            );
        }
    }

    #[test]
    fn only_a_complete_result_is_a_list() {
        let quoter = Quoter::default();
        for text in [r#"{"tools":[]}"#, r#"{"resultType":"complete"}"#] {
            assert!(complete(&raw(text), "tools/list", &quoter).is_ok());
        }
        for text in [
            r#"{"resultType":"input_required"}"#,
            r#"{"resultType":""}"#,
            r#"{"resultType":null}"#,
            r#"{"resultType":"complete","resultType":"complete"}"#,
        ] {
            let error = complete(&raw(text), "tools/list", &quoter).unwrap_err();
            assert!(error.message().contains("`resultType`"), "{text}");
        }
    }
}
