//! What is read, what is tolerated, and what is refused with which words.

use mcplock::error::{Error, ErrorKind};
use mcplock::exit;
use mcplock::lock::{decode, encode};

use crate::input;

const SMALL: &str = r#"version = 1

[[server]]
name = "a"
command = ["run"]
protocol = "2025-11-25"

[[server.tool]]
name = "t"
contract = "sha256:60ab0a34e9b6b9cb1d0d11c7d0f5b1d93c6fa2a0bd0a3a7d2f6a3c2aa1e4c0de"
definition = '''
{
  "name": "t"
}
'''
"#;

/// `SMALL` with the right digest.
fn small() -> String {
    let at = SMALL.find("sha256:").unwrap();
    let right = mcplock::canonical::Digest::of(br#"{"name":"t"}"#).to_string();
    SMALL.replace(&SMALL[at..at + 71], &right)
}

fn refused(text: &str) -> Error {
    match decode(text.as_bytes()) {
        Ok(_) => panic!("this was read:\n{text}"),
        Err(error) => error,
    }
}

#[test]
fn carriage_returns_and_a_byte_order_mark_change_nothing() {
    for name in input::names() {
        let text = std::fs::read_to_string(input::folder().join(format!("{name}.toml"))).unwrap();
        let crlf = text.replace('\n', "\r\n");
        for other in [
            crlf.clone(),
            format!("\u{feff}{text}"),
            format!("\u{feff}{crlf}"),
        ] {
            let read = decode(other.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(*read.lockfile(), input::built(&name), "{name}");
        }
    }
}

#[test]
fn a_lone_carriage_return_is_refused() {
    let text = small();
    let at = text.find("  \"name\"").unwrap();
    assert_eq!(
        refused(&format!("{}\r{}", &text[..at], &text[at..]))
            .place()
            .line,
        Some(13)
    );
}

#[test]
fn order_comments_and_the_spelling_of_other_strings_carry_no_meaning() {
    let text = r#"
        version = 0x1 # hex
        [[server]]
        protocol = "2025-11-25"
        capabilities = ["roots", 'elicitation']
        env = []
        command = [
            "run",  # first
            """two""",
        ]
        name = 'b'
        [[server]]
        headers = { "B" = 'x', A = "y" }
        url = "http://localhost"
        name = "\u0061"
        protocol = "2025-11-25"
    "#;
    let read = decode(text.as_bytes()).unwrap();
    assert_eq!(
        encode(read.lockfile()),
        r#"# Written by mcplock. Review it like code; change it with `mcplock pin`.
version = 1

[[server]]
name = "a"
url = "http://localhost"
headers = { A = "y", B = "x" }
protocol = "2025-11-25"

[[server]]
name = "b"
command = ["run", "two"]
protocol = "2025-11-25"
capabilities = ["elicitation", "roots"]
"#
    );
}

#[test]
fn a_lockfile_that_is_empty_or_cut_off_is_never_nothing_pinned() {
    for (text, says) in [
        ("", "is empty"),
        ("\u{feff}\r\n \t\n", "is empty"),
        ("# only a comment\n", "no `version`"),
        ("[[server]]\nname = \"a\"\n", "no `version`"),
        (
            "{\"lockfileVersion\": 1, \"servers\": {\"demo\": {\"too",
            "not TOML",
        ),
    ] {
        let error = refused(text);
        assert!(error.message().contains(says), "{error}");
        assert!(error.help_text().is_some());
        assert_eq!(error.kind().reason().code(), exit::USAGE);
    }
    assert!(
        decode(b"version = 1\n\xff")
            .unwrap_err()
            .message()
            .contains("UTF-8")
    );
}

#[test]
fn a_golden_file_cut_off_anywhere_is_refused_or_ends_between_tables() {
    let text = std::fs::read_to_string(input::folder().join("kinds.toml")).unwrap();
    let whole = decode(text.as_bytes()).unwrap().into_lockfile();
    for (end, _) in text.char_indices() {
        if let Ok(read) = decode(&text.as_bytes()[..end]) {
            let read = read.into_lockfile();
            let cut_at_a_table = text[end..].trim_start().starts_with("[[")
                || text[end..].trim().is_empty()
                // Optional keys of the server, the last ones of its table.
                || read.entries[0].items.is_empty();
            assert!(cut_at_a_table, "cut at {end}");
            assert!(read == whole || end < text.trim_end().len());
        }
    }
}

#[test]
fn another_version_is_told_before_anything_else() {
    for (version, says) in [
        ("0", "the lockfile's form is old: pin again"),
        ("-1", "the lockfile's form is old: pin again"),
        ("2", "written by a newer mcplock"),
        ("99", "written by a newer mcplock"),
        ("99999999999999999999999", "written by a newer mcplock"),
    ] {
        for rest in ["", "servers = 1\n", "[[server]]\nnew = {\n= broken\n"] {
            let error = refused(&format!("# top\nversion = {version}\n{rest}"));
            assert!(error.message().contains(says), "{version}: {error}");
            assert_eq!(error.place().line, Some(2));
        }
    }
    assert!(
        refused("version = \"1\"\n")
            .message()
            .contains("not an integer")
    );
    assert!(
        refused("version = 1.0\n")
            .message()
            .contains("not an integer")
    );
}

#[test]
fn conflict_markers_have_their_own_message() {
    for marker in [
        "<<<<<<< HEAD",
        "=======",
        ">>>>>>> other",
        "||||||| base",
        "<<<<<<<",
    ] {
        for text in [
            format!("version = 1\n{marker}\n"),
            small().replace("{\n", &format!("{{\n{marker}\n")),
        ] {
            let error = refused(&text);
            assert!(error.message().contains("merge conflict"), "{error}");
            let line = text.lines().position(|line| line == marker).unwrap() + 1;
            assert_eq!(error.place().line, Some(line));
        }
    }
}

/// Each edit of a right lockfile, the line that is told, and the words.
#[test]
fn every_refusal_names_its_line_server_and_item() {
    let cases: &[(&str, &str, usize, &str)] = &[
        (
            "version = 1",
            "version = 1\nsigned = true",
            2,
            "unknown key `signed`",
        ),
        (
            "name = \"a\"",
            "name = \"a\"\ntrust = \"all\"",
            5,
            "unknown key `trust`",
        ),
        (
            "name = \"t\"",
            "name = \"t\"\n\"e\\u202el\" = 1",
            10,
            r"unknown key `e\u{202e}l`",
        ),
        (
            "name = \"a\"",
            "name = \" a\"",
            4,
            "begin or end with a space",
        ),
        (
            "name = \"a\"",
            "name = \"a\\u200b\"",
            4,
            "can't hold the character",
        ),
        (
            "name = \"a\"",
            "name = \"a\"\nprofile = \"\"",
            5,
            "`profile`",
        ),
        ("name = \"a\"\n", "", 3, "`name` is missing"),
        (
            "name = \"a\"",
            "name = 1",
            4,
            "type integer where a string belongs",
        ),
        (
            "command = [\"run\"]\n",
            "",
            3,
            "`command` or `url` is missing",
        ),
        ("command = [\"run\"]", "command = []", 5, "names no program"),
        (
            "command = [\"run\"]",
            "command = \"run\"",
            5,
            "type string where an array",
        ),
        (
            "command = [\"run\"]",
            "command = [\"run\", 1]",
            5,
            "type integer where a string",
        ),
        (
            "command = [\"run\"]",
            "command = [\"run\"]\nurl = \"http://x\"",
            6,
            "not both",
        ),
        (
            "command = [\"run\"]",
            "command = [\"run\"]\nheaders = { A = \"b\" }",
            6,
            "belong to a `url`",
        ),
        (
            "command = [\"run\"]",
            "command = [\"run\"]\nenv_values.PATH = \"x\"",
            6,
            "inline table",
        ),
        (
            "command = [\"run\"]",
            "command = [\"run\"]\ncommand = [\"x\"]",
            6,
            "duplicate key",
        ),
        ("2025-11-25", "2031-01-01", 6, "unknown protocol revision"),
        (
            "protocol = \"2025-11-25\"\n",
            "",
            3,
            "`protocol` is missing",
        ),
        (
            "\n\n[[server.tool]]",
            "\ninstructions = \"sha256:00\"\n\n[[server.tool]]",
            7,
            "without `instructions_text`",
        ),
        (
            "\n\n[[server.tool]]",
            "\ninstructions_text = '''\"\"'''\n\n[[server.tool]]",
            7,
            "without `instructions`",
        ),
        (
            "\n\n[[server.tool]]",
            "\nvolatile = [{ item = \"tool:t\", pointer = \"/a\" }]\n\n[[server.tool]]",
            7,
            "`pattern` is missing",
        ),
        (
            "\n\n[[server.tool]]",
            "\nvolatile = [\n{ item = \"tool:t\", pointer = \"/a\", pattern = \"(\" }]\n\n[[server.tool]]",
            8,
            "does not compile",
        ),
        (
            "[[server.tool]]",
            "[server.tool]",
            8,
            "under a header of its own",
        ),
        (
            "[[server.tool]]",
            "[[server.gadget]]",
            8,
            "unknown key `gadget`",
        ),
        ("[[server]]", "[server]", 3, "under a header of its own"),
        (
            "[[server.tool]]\nname",
            "[[server.prompt]]\nschema = \"x\"\nname",
            9,
            "unknown key `schema`",
        ),
        (
            "contract = \"sha256:",
            "contract = \"md5:",
            10,
            "expected `sha256:` and 64 lowercase hex digits",
        ),
        (
            "contract = \"sha256:",
            "schema = \"sha256:",
            8,
            "`contract` is missing",
        ),
        ("'''\n{", "'''{", 11, "begin with three apostrophes"),
        (
            "{\n  \"name\": \"t\"\n}",
            "{\n  \"name\": \"t\",\n  \"name\": \"t\"\n}",
            14,
            "a member twice",
        ),
        (
            "{\n  \"name\": \"t\"\n}",
            "{\n  \"name\": \"\\ud800\"\n}",
            13,
            "half a surrogate pair",
        ),
        (
            "{\n  \"name\": \"t\"\n}",
            "{\n  \"name\": t\n}",
            13,
            "not JSON",
        ),
        ("{\n  \"name\": \"t\"\n}", "{\"name\": \"t\"}", 12, "layout"),
        (
            "{\n  \"name\": \"t\"\n}\n",
            "{\n  \"name\": \"t\"\n}\n\n",
            15,
            "layout",
        ),
        ("  \"name\": \"t\"", "  \"name\": \"\\u0074\"", 13, "layout"),
        (
            "name = \"t\"",
            "name = \"u\"",
            9,
            "is not the `name` of the definition",
        ),
    ];
    for (old, new, line, says) in cases {
        let text = small();
        assert_eq!(text.matches(old).count(), 1, "{old:?}");
        let error = refused(&text.replace(old, new));
        assert!(error.message().contains(says), "{new:?}: {error}");
        assert_eq!(error.place().line, Some(*line), "{new:?}: {error}");
        assert_eq!(error.kind(), ErrorKind::Lockfile);
        assert!(error.help_text().is_some(), "{new:?}: {error}");
        if *line >= 9 && !says.contains("gadget") {
            assert_eq!(
                error.place().server.as_deref(),
                Some("a"),
                "{new:?}: {error}"
            );
            assert!(error.place().item.is_some(), "{new:?}: {error}");
        }
    }
}

#[test]
fn an_entry_or_item_that_is_there_twice_is_refused_at_the_second() {
    let text = small();
    let server = &text[text.find("[[server]]").unwrap()..];
    let error = refused(&format!("{text}\n{server}"));
    assert!(
        error.message().contains("twice, first in line 3"),
        "{error}"
    );
    assert_eq!(error.place().line, Some(17));

    let item = &text[text.find("[[server.tool]]").unwrap()..];
    let error = refused(&format!("{text}\n{item}"));
    assert!(
        error.message().contains("twice, first in line 8"),
        "{error}"
    );
    assert_eq!(error.place().line, Some(17));
    assert_eq!(error.place().item.as_deref(), Some("tool:t"));

    let other = server.replace("name = \"a\"", "name = \"a\"\nprofile = \"p\"");
    assert!(decode(format!("{text}\n{other}").as_bytes()).is_ok());
}

#[test]
fn a_definition_of_a_resource_with_data_in_it_is_refused() {
    for (members, refused) in [
        ("\"size\": 1,\n  \"uri\": \"x:y\"", true),
        (
            "\"annotations\": {\n    \"lastModified\": \"x\"\n  },\n  \"uri\": \"x:y\"",
            true,
        ),
        ("\"annotations\": {},\n  \"uri\": \"x:y\"", false),
    ] {
        let definition = format!("{{\n  {members}\n}}\n");
        let value = mcplock::json::parse(definition.as_bytes(), &mcplock::json::Limits::default())
            .unwrap()
            .value;
        let digest =
            mcplock::canonical::Digest::of(mcplock::canonical::canonical(&value).as_bytes());
        let text = format!(
            "version = 1\n[[server]]\nname = \"a\"\ncommand = [\"r\"]\nprotocol = \"2025-11-25\"\n\
             [[server.resource]]\nuri = \"x:y\"\ncontract = \"{digest}\"\ndefinition = '''\n{definition}'''\n"
        );
        assert_eq!(decode(text.as_bytes()).is_err(), refused, "{members}");
    }
}

#[test]
fn messages_show_hostile_text_as_code_points() {
    let error = refused(&small().replace("name = \"t\"", "name = \"\\u001b[2J\\u202e\""));
    let shown = error.to_string();
    assert!(shown.contains(r"tool:\u{1b}[2J\u{202e}"), "{shown}");
    assert!(!shown.chars().any(mcplock::text::is_hidden), "{shown}");
}
