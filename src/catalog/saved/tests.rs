//! What is read from saved files, and what is refused.

use serde_json::value::RawValue;

use super::*;
use crate::catalog::{Catalog, Instructions, Item};
use crate::error::Error;
use crate::protocol::{Fetched, Kind, List, Revision};

fn read(text: &str) -> Catalog {
    read_saved(&[("saved.json", text)]).unwrap()
}

fn refused(text: impl AsRef<[u8]>) -> Error {
    read_saved(&[("saved.json", text)]).unwrap_err()
}

fn labels(catalog: &Catalog) -> Vec<String> {
    catalog.items.iter().map(Item::label).collect()
}

/// Line and column of an error.
fn place(error: &Error) -> (usize, usize) {
    let place = error.place();
    assert_eq!(place.file.as_deref(), Some("saved.json".as_ref()));
    (place.line.unwrap(), place.column.unwrap())
}

const TOOLS: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}]}}"#;
const PROMPTS: &str = r#"{"result":{"prompts":[]},"jsonrpc":"2.0","id":3}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18",
    "capabilities":{},"serverInfo":{"name":"n","version":"1"},"instructions":"i"}}"#;

#[test]
fn one_response_is_one_list_and_the_rest_is_unknown() {
    let catalog = read(TOOLS);
    assert_eq!(labels(&catalog), ["tool:a", "tool:b"]);
    assert_eq!(catalog.listed, [Kind::Tool]);
    assert_eq!(
        catalog.unknown,
        [Kind::Prompt, Kind::Resource, Kind::ResourceTemplate]
    );
    assert_eq!(catalog.instructions, Instructions::Unknown);
    assert_eq!(catalog.revision, None);
    assert_eq!(catalog.remarks, [""; 0]);
}

#[test]
fn responses_results_arrays_and_lines_all_say_the_same() {
    let bare = r#"{"tools":[{"name":"a"},{"name":"b"}]}"#;
    let array = format!("[{TOOLS},\n{PROMPTS}]");
    let lines = format!("{TOOLS}\n{PROMPTS}\n");
    let other_order = format!("\u{feff}{PROMPTS}\r\n\r\n\u{feff}{TOOLS}\r\n");
    let together = r#"{"prompts":[],"tools":[{"name":"a"},{"name":"b"}]}"#;
    let wanted = read(&array);
    assert_eq!(labels(&wanted), ["tool:a", "tool:b"]);
    assert_eq!(wanted.listed, [Kind::Tool, Kind::Prompt]);
    assert_eq!(read(&lines), wanted);
    assert_eq!(read(&other_order), wanted);
    assert_eq!(read(together), wanted);
    assert_eq!(read(bare), read(TOOLS));
}

#[test]
fn a_bare_array_of_tools_is_a_list_of_tools_bad_ones_included() {
    let catalog = read(r#"[{"name":"a"},7,{"name":"b","inputSchema":{},"inputSchema":{}}]"#);
    assert_eq!(labels(&catalog), ["tool:a", "tool:#1", "tool:b"]);
    assert_eq!(catalog.items[2].document.sound(), None);
    assert_eq!(catalog.listed, [Kind::Tool]);
}

#[test]
fn items_keep_their_bytes() {
    let catalog = read("{\"tools\" : [ {\"name\" : \"a\",\r\n \"x\":1.50e+1} , null ]}");
    let raws: Vec<_> = catalog.items.iter().map(|item| &*item.raw).collect();
    assert_eq!(raws, ["{\"name\" : \"a\",\r\n \"x\":1.50e+1}", "null"]);
}

#[test]
fn pages_of_one_list_are_put_together() {
    let page = |name: &str, more: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"{name}"}}]{more}}}}}"#)
    };
    let text = [
        page("a", r#","nextCursor":"""#),
        PROMPTS.to_owned(),
        page("b", r#","nextCursor":"2""#),
        page("c", r#","nextCursor":null"#),
    ]
    .join("\n");
    let catalog = read(&text);
    assert_eq!(labels(&catalog), ["tool:a", "tool:b", "tool:c"]);
    let positions: Vec<_> = catalog.items.iter().map(|item| item.position).collect();
    assert_eq!(positions, [0, 1, 2]);
    let files = [
        ("1.json", page("a", r#","nextCursor":"x""#)),
        ("2.json", page("b", "")),
    ];
    assert_eq!(labels(&read_saved(&files).unwrap()), ["tool:a", "tool:b"]);
}

#[test]
fn a_list_that_goes_on_is_never_judged() {
    let error = refused("\n{\"tools\":[{\"name\":\"a\"}],\n\"nextCursor\":\"\"}");
    assert_eq!(
        error.message(),
        "the list of `tools/list` goes on: no page follows its `nextCursor`"
    );
    assert_eq!(place(&error), (3, 14));
    let error = refused(r#"{"tools":[],"resultType":"input_required"}"#);
    assert_eq!(
        error.message(),
        "a list whose `resultType` is not `complete`"
    );
}

#[test]
fn a_list_that_is_there_twice_is_refused_at_the_second() {
    let error = refused(format!("{TOOLS}\n{TOOLS}"));
    assert_eq!(error.message(), "a second answer to `tools/list`");
    assert_eq!(error.place().line, Some(2));
    let error = refused(format!("{INITIALIZE}\n{INITIALIZE}"));
    assert_eq!(
        error.message(),
        "a second answer to `initialize` or `server/discover`"
    );
    assert_eq!(
        refused(r#"{"tools":[],"too\u006cs":[]}"#).message(),
        "not JSON: a second member of the same name"
    );
}

#[test]
fn the_handshake_tells_revision_implementation_and_instructions() {
    let catalog = read(&format!("{INITIALIZE}\n{TOOLS}"));
    assert_eq!(catalog.revision, Some(Revision::V2025_06_18));
    assert_eq!(catalog.implementation.as_deref(), Some("n 1"));
    assert!(matches!(
        &catalog.instructions,
        Instructions::Present(document) if document.value.as_str() == Some("i")
    ));
    let silent = read(r#"{"protocolVersion":"2024-11-05","capabilities":{}}"#);
    assert_eq!(silent.instructions, Instructions::Absent);
    assert_eq!(silent.unknown, Kind::ALL);
    let discover = read(
        r#"{"result":{"supportedVersions":["2025-11-25","2026-07-28","2099-01-01"],"capabilities":{},
        "resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"d"}}}}"#,
    );
    assert_eq!(discover.revision, Some(Revision::V2026_07_28));
    assert_eq!(discover.implementation.as_deref(), Some("d"));
}

#[test]
fn a_revision_that_is_not_known_is_told() {
    let catalog = read(r#"{"result":{"protocolVersion":"2099-01-01","capabilities":{}}}"#);
    assert_eq!(catalog.revision, None);
    assert_eq!(catalog.remarks.len(), 1);
    assert!(catalog.remarks[0].contains("2099-01-01"));
}

#[test]
fn an_error_in_place_of_a_result_is_an_error_with_its_place() {
    let error = refused(
        "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"boom\"}}",
    );
    assert_eq!(
        error.message(),
        "the server answered with an error: -32603, `boom`"
    );
    assert_eq!(place(&error), (2, 33));
    assert_eq!(
        refused(r#"{"id":1,"result":{"tools":[]},"error":{"code":1}}"#).message(),
        "an answer with both a result and an error"
    );
}

#[test]
fn method_not_found_means_not_offered_where_the_file_says_which_list() {
    let not_found = r#"{"id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
    for (name, kind) in [
        ("prompts.json", Kind::Prompt),
        ("resources-list.json", Kind::Resource),
        ("templates.jsonl", Kind::ResourceTemplate),
        ("resourceTemplates.json", Kind::ResourceTemplate),
        ("resources_templates_list.json", Kind::ResourceTemplate),
    ] {
        let catalog = read_saved(&[("tools.json", TOOLS), (name, not_found)]).unwrap();
        assert_eq!(catalog.listed, [Kind::Tool], "{name}");
        assert!(!catalog.is_unknown(kind), "{name}");
        assert_eq!(catalog.unknown.len(), 2, "{name}");
    }
    let catalog = read(&format!("{TOOLS}\n{not_found}"));
    assert_eq!(catalog.unknown.len(), 3);
    assert!(
        catalog.remarks[0].contains("line 2"),
        "{:?}",
        catalog.remarks
    );
    assert!(read_saved(&[("x.json", not_found)]).is_err());
}

#[test]
fn a_file_of_another_shape_is_passed_over_but_never_alone() {
    let meta =
        r#"{"registry":"npm","protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}"#;
    let catalog = read_saved(&[("meta.json", meta), ("tools.json", TOOLS)]).unwrap();
    assert_eq!(labels(&catalog), ["tool:a", "tool:b"]);
    assert_eq!(
        catalog.remarks,
        ["`meta.json` was passed over: it holds no answer of a server"]
    );
    assert_eq!(catalog.revision, None);
    for text in [
        meta,
        "{}",
        "[]",
        "7",
        "[[]]",
        "[{\"name\":\"a\"}]",
        "{\"result\":{}}",
    ] {
        let error = refused(text);
        assert_eq!(
            error.message(),
            "no catalog in it, or none that is known",
            "{text}"
        );
    }
    let none: [(&str, &str); 0] = [];
    assert!(read_saved(&none).is_err());
}

#[test]
fn other_messages_between_the_answers_are_told() {
    let text = format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{}}}}\n{TOOLS}\n{{\"id\":9,\"result\":{{}}}}"
    );
    let catalog = read(&text);
    assert_eq!(labels(&catalog), ["tool:a", "tool:b"]);
    assert_eq!(catalog.remarks.len(), 1);
    assert!(catalog.remarks[0].starts_with("2 of the values in `saved.json`"));
}

#[test]
fn what_is_not_json_is_refused_with_line_and_column() {
    for (text, message, at) in [
        (&b""[..], "the file is empty", None),
        (b" \r\n", "the file is empty", None),
        (b"\xef\xbb\xbf", "the file is empty", None),
        (
            b"{\"tools\":[\n{\"a\":NaN}]}",
            "not JSON: expected a value",
            Some((2, 6)),
        ),
        (
            b"{\"tools\":[\r\n{\"name\":\"a\"},",
            "not JSON: unexpected end",
            Some((2, 14)),
        ),
        (
            b"{\"tools\":[]}\n{\"prom",
            "not JSON: unexpected end inside a string",
            Some((2, 7)),
        ),
        (
            b"{\"tools\":[\n\"\xff\"]}",
            "not JSON: invalid UTF-8",
            Some((2, 2)),
        ),
        (
            b"{\"tools\":[]} x",
            "not JSON: expected a value",
            Some((1, 14)),
        ),
        (
            b"{\"tools\":[],}",
            "not JSON: expected a member name in double quotes",
            Some((1, 13)),
        ),
        (b"{\"tools\":{}}", "`tools` is not an array", Some((1, 10))),
        (
            b"{\"result\":{\"tools\":null}}",
            "`tools` is not an array",
            Some((1, 20)),
        ),
    ] {
        let error = refused(text);
        assert_eq!(error.message(), message);
        match at {
            Some(at) => assert_eq!(place(&error), at, "{message}"),
            None => assert_eq!(error.place().line, None),
        }
    }
}

#[test]
fn a_broken_file_is_an_error_even_beside_a_good_one() {
    let files = [("tools.json", TOOLS), ("prompts.json", "{\"prompts\":[")];
    assert!(read_saved(&files).is_err());
    let files = [("tools.json", TOOLS), ("prompts.json", "")];
    assert!(read_saved(&files).is_err());
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn fetched() -> Fetched {
    let list = |kind, items: &[&str]| List {
        kind,
        items: items.iter().map(|text| raw(text)).collect(),
    };
    Fetched {
        revision: Revision::V2025_11_25,
        declared: vec!["elicitation".to_owned(), "roots".to_owned()],
        server_info: Some(raw(r#"{"name":"n \"q\"","version":"1"}"#)),
        capabilities: Some(raw("{}")),
        instructions: Some(raw(r#""a\ud800\u00e9 é""#)),
        lists: vec![
            list(Kind::Resource, &[r#"{"uri":"u",  "size":1.0}"#]),
            list(
                Kind::Tool,
                &[
                    "{\r\n \"name\":\"a\"}",
                    "null",
                    r#"{"name":"b","name":"c"}"#,
                    "{\"name\":\"\u{202e}\"}",
                ],
            ),
            list(Kind::Prompt, &[]),
        ],
        remarks: Vec::new(),
        doubts: Vec::new(),
    }
}

#[test]
fn what_fetch_writes_reads_back_as_what_was_fetched() {
    let text = write_saved(&fetched());
    assert_eq!(read(&text), Catalog::from_fetched(fetched()));
    let crlf = format!("\u{feff}{text}\r\n");
    assert_eq!(read(&crlf), Catalog::from_fetched(fetched()));
}

#[test]
fn an_absent_list_is_not_offered_and_an_empty_one_is() {
    let catalog = read(&write_saved(&fetched()));
    assert_eq!(catalog.listed, [Kind::Tool, Kind::Prompt, Kind::Resource]);
    assert_eq!(catalog.unknown, []);
    let mut nothing = fetched();
    nothing.lists.clear();
    nothing.instructions = None;
    nothing.server_info = None;
    nothing.declared.clear();
    let catalog = read(&write_saved(&nothing));
    assert_eq!(catalog, Catalog::from_fetched(nothing));
    assert_eq!((catalog.listed.len(), catalog.unknown.len()), (0, 0));
    assert_eq!(catalog.instructions, Instructions::Absent);
}

#[test]
fn a_saved_catalog_that_was_tampered_with_or_is_newer_is_refused() {
    let text = write_saved(&fetched());
    for (from, to, message) in [
        (
            "_catalog\": 1",
            "_catalog\": 2",
            "a saved catalog of an unknown version",
        ),
        (
            "_catalog\": 1",
            "_catalog\": \"1\"",
            "a saved catalog of an unknown version",
        ),
        (
            "\"prompts\"",
            "\"promts\"",
            "unknown member `promts` in a saved catalog",
        ),
        (
            "2025-11-25",
            "2025-11-26",
            "an unknown revision of the protocol",
        ),
        (
            "\"declared\": [\"",
            "\"declared\": [1, \"",
            "expected a string",
        ),
        (
            "\"prompts\": []",
            "\"prompts\": {}",
            "`prompts` is not an array",
        ),
        (
            "  \"protocol\": \"2025-11-25\",\n",
            "",
            "a saved catalog without `protocol`",
        ),
    ] {
        let edited = text.replace(from, to);
        assert_ne!(edited, text, "{from}");
        assert_eq!(refused(&edited).message(), message);
    }
}

#[test]
fn what_fetch_wrote_stands_alone() {
    let own = write_saved(&fetched());
    assert!(read_saved(&[("a.json", own.as_str()), ("b.json", TOOLS)]).is_err());
    assert!(read_saved(&[("a.json", own.as_str()), ("b.json", own.as_str())]).is_err());
    let beside = read_saved(&[("a.json", own.as_str()), ("b.json", "{}")]).unwrap();
    assert_eq!(beside.remarks.len(), 1);
}
