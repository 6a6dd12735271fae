//! What people and scripts see of whole reports.

use proptest::prelude::*;

use super::*;

fn shown(report: &Report, width: usize, verbosity: Verbosity) -> String {
    let options = Options {
        width,
        color: false,
        verbosity,
    };
    render(Format::Human, report, &options).unwrap()
}

#[test]
fn every_outcome_and_level_is_told_worst_first_at_80_columns() {
    insta::assert_snapshot!(shown(&sample::everything(), 80, Verbosity::Normal));
}

#[test]
fn a_wide_terminal_is_used() {
    insta::assert_snapshot!(shown(&sample::everything(), 160, Verbosity::Normal));
}

#[test]
fn the_verbose_report_adds_pointers_notes_equivalent_changes_and_whole_values() {
    insta::assert_snapshot!(shown(&sample::everything(), 100, Verbosity::Verbose));
}

#[test]
fn success_is_one_line() {
    assert_eq!(
        shown(&sample::clean(), 80, Verbosity::Normal),
        "ok: compared 2 servers, 23 items, no drift\n"
    );
}

#[test]
fn equivalent_changes_are_told_in_the_line_of_success() {
    let mut report = sample::clean();
    report.servers[0].findings = vec![sample::finding(
        "order-only",
        crate::rules::Level::Equivalent,
        "tool:a",
        "",
    )];
    assert_eq!(
        shown(&report, 80, Verbosity::Normal),
        "ok: compared 2 servers, 23 items: 1 equivalent (-v shows more)\n"
    );
}

#[test]
fn nothing_compared_never_reads_like_success() {
    assert_eq!(
        shown(&Report::new("verify"), 80, Verbosity::Normal),
        "done: nothing was compared\n"
    );
}

#[test]
fn quiet_is_the_last_line_alone() {
    insta::assert_snapshot!(shown(&sample::everything(), 200, Verbosity::Quiet));
}

#[test]
fn quiet_success_is_silent_but_nothing_compared_is_no_success() {
    assert_eq!(shown(&sample::clean(), 80, Verbosity::Quiet), "");
    assert_eq!(
        shown(&Report::new("verify"), 80, Verbosity::Quiet),
        "done: nothing was compared\n"
    );
}

#[test]
fn pin_says_what_it_did_with_each_entry() {
    insta::assert_snapshot!(shown(&sample::pinned(), 80, Verbosity::Normal));
}

#[test]
fn a_usage_error_is_a_report_in_every_format() {
    let error = Error::usage("no server is called `fles`").help("did you mean `files`?");
    let report = Report::failed("verify", error);
    insta::assert_snapshot!(shown(&report, 80, Verbosity::Normal));
    for format in Format::ALL {
        let text = render(format, &report, &Options::default()).unwrap();
        assert!(text.contains("fles"), "{}", format.name());
    }
}

#[test]
fn an_error_shows_its_place_detail_and_way_out() {
    let Outcome::NotJudged(error) = sample::not_judged().outcome else {
        unreachable!("the sample is not judged")
    };
    insta::assert_snapshot!(render_error(&error, 60, false));
}

#[test]
fn colour_replaces_the_marks_and_nothing_else() {
    let options = Options {
        color: true,
        ..Options::default()
    };
    let report = sample::everything();
    let coloured = render(Format::Human, &report, &options).unwrap();
    insta::assert_snapshot!(coloured.replace('\u{1b}', "␛"));
    let bare = anstream::adapter::strip_str(&coloured).to_string();
    assert!(bare.contains("breaking[argument-removed]"), "{bare}");
    assert!(!bare.contains("[-") && !bare.contains("{+"), "{bare}");
}

#[test]
fn names_of_formats_are_what_parse_takes() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.name()), Some(format));
    }
    assert_eq!(Format::parse("Human"), None);
}

fn schema() -> jsonschema::Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/report.v1.schema.json");
    let text = std::fs::read_to_string(path).unwrap();
    let schema = serde_json::from_str(&text).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn json_is_valid_against_the_published_schema() {
    let schema = schema();
    for report in [
        sample::everything(),
        sample::clean(),
        sample::pinned(),
        sample::hostile("\u{1b}[31m\n::error::\u{202e}"),
        Report::failed("verify", Error::usage("no such server")),
    ] {
        let text = render(Format::Json, &report, &Options::default()).unwrap();
        let value = serde_json::from_str(&text).unwrap();
        let faults: Vec<_> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}\n{text}");
    }
}

#[test]
fn the_schema_refuses_what_version_1_never_writes() {
    let schema = schema();
    let text = render(Format::Json, &sample::everything(), &Options::default()).unwrap();
    let good: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (pointer, bad) in [
        ("/schema_version", serde_json::json!(2)),
        ("/exit/code", serde_json::json!(9)),
        ("/servers/0/outcome", serde_json::json!("Judged")),
        ("/servers/0/outcome", serde_json::json!("not-judged")),
        ("/servers/6/findings/0/level", serde_json::json!("Breaking")),
        ("/servers/6/findings/0/pointer", serde_json::json!("a")),
    ] {
        let mut value = good.clone();
        *value.pointer_mut(pointer).unwrap() = bad;
        assert!(!schema.is_valid(&value), "{pointer}");
    }
}

#[test]
fn json_keeps_number_text_and_tells_null_from_nothing() {
    let mut report = sample::clean();
    report.servers[0].findings = vec![sample::changed(
        sample::finding(
            "default-changed",
            crate::rules::Level::Risky,
            "tool:a",
            "/x",
        ),
        "null",
        "[1e400,0.10,12345678901234567890]",
    )];
    let text = render(Format::Json, &report, &Options::default()).unwrap();
    assert!(text.contains(r#""old": null"#), "{text}");
    assert!(
        text.contains(r#""new": [1e400,0.10,12345678901234567890]"#),
        "{text}"
    );
    report.servers[0].findings[0].old = None;
    let text = render(Format::Json, &report, &Options::default()).unwrap();
    assert!(!text.contains(r#""old""#), "{text}");
}

#[test]
fn the_json_of_a_whole_report_stays_as_it_is() {
    let text = render(Format::Json, &sample::everything(), &Options::default()).unwrap();
    insta::assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}

/// Code points that must never reach a terminal, listed here on their own so that the test does
/// not lean on the code it tests.
fn steers(c: char) -> bool {
    matches!(u32::from(c),
        0x00..=0x09 | 0x0b..=0x1f | 0x7f..=0x9f          // C0 but LF, DEL, C1
        | 0x061c | 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069  // bidi
        | 0x200b..=0x200d | 0x2028 | 0x2029 | 0x2060..=0x2064 | 0xfeff  // breaks, zero width
        | 0xe0000..=0xe007f) // tags
}

/// Strings of the kind that attack a report, mixed with ordinary and arbitrary ones.
fn attack() -> impl Strategy<Value = String> {
    let bit = prop_oneof![
        Just("::error::".to_owned()),
        Just("\n::add-mask::x\n".to_owned()),
        Just("##[error]".to_owned()),
        Just("##vso[task.setvariable]".to_owned()),
        Just("\u{1b}[2J\u{1b}]0;x\u{7}".to_owned()),
        Just("\u{9b}31m".to_owned()),
        Just("\r\n".to_owned()),
        Just("\u{202e}\u{2066}".to_owned()),
        Just("\u{e0041}\u{200b}".to_owned()),
        Just("`".to_owned()),
        Just("```\n".to_owned()),
        Just("]]>".to_owned()),
        Just("</script><img src=x onerror=a>".to_owned()),
        Just("</pre></code></details>".to_owned()),
        Just("@octocat [a](http://b.c) http://d.e www.f.g".to_owned()),
        Just("| a | b |\n|---|".to_owned()),
        Just(" ".to_owned()),
        Just("word ".repeat(30)),
        any::<String>(),
    ];
    prop::collection::vec(bit, 1..6).prop_map(|bits| bits.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_server_text_steers_a_terminal_or_begins_a_line(
        text in attack(),
        width in 40_usize..130,
        verbose in any::<bool>(),
    ) {
        let verbosity = if verbose { Verbosity::Verbose } else { Verbosity::Normal };
        let report = sample::hostile(&text);
        let page = shown(&report, width, verbosity);
        for line in page.lines() {
            prop_assert!(!line.chars().any(steers), "{line:?}");
            prop_assert!(begins_with_our_own(line), "{line:?}");
            for mark in ["##[", "##vso["] {
                prop_assert!(!line.contains(mark), "{line:?}");
            }
        }
    }

    #[test]
    fn two_texts_that_differ_never_look_the_same(code in 0_u32..0x30) {
        let real = char::from_u32(code).unwrap_or(' ');
        if crate::text::is_hidden(real) && !matches!(real, '\n' | '\t') {
            let fake = format!("{}", real.escape_unicode());
            prop_assert_ne!(sanitize::literal(&real.to_string()), sanitize::literal(&fake));
        }
    }

    #[test]
    fn no_server_text_stands_raw_in_json(text in attack()) {
        let report = sample::hostile(&text);
        let page = render(Format::Json, &report, &Options::default()).unwrap();
        prop_assert!(!page.chars().any(steers));
        prop_assert!(!page.contains("</") && !page.contains("<!"));
        serde_json::from_str::<serde_json::Value>(&page).unwrap();
    }
}

fn begins_with_our_own(line: &str) -> bool {
    let line = line.trim_start();
    [
        "",
        "│",
        "server ",
        "tool ",
        "the ",
        "the same ",
        "error: ",
        "note: ",
        "help: ",
        "--> ",
        "failed: ",
        "unfit[",
        "breaking[",
        "risky[",
        "accept ",
        "what the rule means ",
        "an unfit item",
    ]
    .iter()
    .any(|own| {
        if own.is_empty() {
            line.is_empty()
        } else {
            line.starts_with(own.trim_end())
        }
    })
}

mod formats {
    //! The formats that machines read.

    use super::*;
    use crate::report::{markdown, sample, step_summary};

    fn text(format: Format, report: &Report) -> String {
        render(format, report, &Options::default()).unwrap()
    }

    fn whole(format: Format) -> String {
        text(format, &sample::everything()).replace(env!("CARGO_PKG_VERSION"), "VERSION")
    }

    #[test]
    fn sarif_of_a_whole_report() {
        insta::assert_snapshot!(whole(Format::Sarif));
    }

    #[test]
    fn junit_of_a_whole_report() {
        insta::assert_snapshot!(whole(Format::Junit));
    }

    #[test]
    fn github_commands_of_a_whole_report() {
        insta::assert_snapshot!(whole(Format::Github));
    }

    #[test]
    fn gitlab_of_a_whole_report() {
        insta::assert_snapshot!(whole(Format::Gitlab));
    }

    #[test]
    fn markdown_of_a_whole_report() {
        insta::assert_snapshot!(whole(Format::Markdown));
    }

    #[test]
    fn a_server_that_was_not_judged_is_a_result_in_every_format() {
        for format in Format::ALL {
            let shown = text(format, &sample::everything());
            assert!(
                shown.contains("the server ended before it answered"),
                "{}",
                format.name()
            );
        }
        for format in [Format::Sarif, Format::Gitlab, Format::Junit, Format::Github] {
            let shown = text(format, &sample::everything());
            assert!(
                shown.contains("its contracts were not judged"),
                "{}",
                format.name()
            );
        }
        let junit = text(Format::Junit, &sample::everything());
        let junit = roxmltree::Document::parse(&junit).unwrap();
        let web = junit
            .descendants()
            .find(|node| node.has_tag_name("testsuite") && node.attribute("name") == Some("web"))
            .unwrap();
        assert_eq!(
            (web.attribute("errors"), web.attribute("failures")),
            (Some("1"), Some("0"))
        );
    }

    #[test]
    fn junit_fails_only_what_fails_the_run() {
        let mut report = sample::everything();
        report.fail_on = crate::rules::FailOn::Breaking;
        let shown = text(Format::Junit, &report);
        let xml = roxmltree::Document::parse(&shown).unwrap();
        let case = |name: &str| {
            xml.descendants()
                .find(|node| node.attribute("name") == Some(name))
                .unwrap()
        };
        assert!(
            case("tool:search")
                .children()
                .any(|n| n.has_tag_name("failure"))
        );
        let wider = case("tool:fetch");
        assert!(!wider.children().any(|n| n.has_tag_name("failure")));
        assert!(
            wider.children().any(|n| n.has_tag_name("system-out")),
            "but it is told"
        );
        // An item that is not pinned fails under every threshold but `never`.
        assert!(
            case("tool:delete_all")
                .children()
                .any(|n| n.has_tag_name("failure"))
        );
    }

    #[test]
    fn a_step_shows_ten_annotations_of_a_level_and_the_tenth_counts_the_rest() {
        let mut report = sample::everything();
        report.servers[6].findings.extend((0..12).map(|i| {
            let label = format!("tool:other_{i}");
            let one = sample::finding("words-changed", crate::rules::Level::Risky, &label, "");
            sample::saying(one, &format!("the text moved {i}"))
        }));
        let shown = text(Format::Github, &report);
        let warnings: Vec<_> = shown
            .lines()
            .filter(|line| line.starts_with("::warning "))
            .collect();
        assert_eq!(warnings.len(), 10);
        assert!(warnings[9].contains("::8 more"), "{}", warnings[9]);
        assert!(
            shown.contains("title=risky 9 items (search)"),
            "the same edit is one annotation"
        );
    }

    #[test]
    fn gitlab_fingerprints_are_all_different() {
        let shown: serde_json::Value =
            serde_json::from_str(&text(Format::Gitlab, &sample::everything())).unwrap();
        let prints: Vec<_> = shown
            .as_array()
            .unwrap()
            .iter()
            .map(|i| &i["fingerprint"])
            .collect();
        let different: std::collections::HashSet<_> =
            prints.iter().map(|print| print.as_str().unwrap()).collect();
        assert_eq!(prints.len(), different.len());
    }

    #[test]
    fn sarif_fingerprints_do_not_move_with_the_lines() {
        let prints = |report: &Report| -> Vec<serde_json::Value> {
            let log: serde_json::Value =
                serde_json::from_str(&text(Format::Sarif, report)).unwrap();
            log["runs"][0]["results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|result| result["partialFingerprints"].clone())
                .collect()
        };
        let before = sample::everything();
        let mut after = before.clone();
        for server in &mut after.servers {
            server.line = server.line.map(|line| line + 100);
            server
                .item_lines
                .iter_mut()
                .for_each(|(_, line)| *line += 100);
        }
        assert_eq!(prints(&before), prints(&after));
    }

    #[test]
    fn a_comment_keeps_its_limit_and_says_what_it_left_out() {
        let mut report = sample::everything();
        let mut many = sample::drifted();
        many.findings = (0..2_000)
            .map(|i| {
                sample::changed(
                    sample::finding(
                        "words-changed",
                        crate::rules::Level::Risky,
                        &format!("tool:t{i}"),
                        "/description",
                    ),
                    &format!("\"The {i} old words of a tool\""),
                    &format!("\"The {i} new words of a tool\""),
                )
            })
            .collect();
        report.servers.push(many);
        let shown = text(Format::Markdown, &report);
        assert!(shown.chars().count() <= 65_536, "{}", shown.len());
        assert!(
            shown.contains("did not fit here"),
            "{}",
            &shown[shown.len() - 300..]
        );
        assert!(shown.find("breaking").unwrap() < shown.find("t1").unwrap());
        assert!(step_summary(&report, 0).unwrap().len() <= 1_048_576);
    }

    /// What the HTML of a comment may consist of.
    const TAGS: [&str; 14] = [
        "<code>",
        "</code>",
        "<del>",
        "</del>",
        "<ins>",
        "</ins>",
        "<br>",
        "<pre>",
        "</pre>",
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
        "<!-- mcplock -->",
    ];

    /// Reads Markdown with a `CommonMark` parser: no link, image or element but ours comes of it.
    fn assert_inert(markdown: &str) {
        use pulldown_cmark::{Event, Options, Parser, Tag};
        for event in Parser::new_ext(markdown, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    let mut rest = html.as_ref();
                    while let Some(at) = rest.find('<') {
                        let tag = TAGS.iter().find(|tag| rest[at..].starts_with(**tag));
                        rest = &rest[at + tag.unwrap_or_else(|| panic!("{html}")).len()..];
                    }
                }
                Event::Start(
                    Tag::Link { .. }
                    | Tag::Image { .. }
                    | Tag::CodeBlock(_)
                    | Tag::Strikethrough
                    | Tag::BlockQuote(_)
                    | Tag::FootnoteDefinition(_),
                )
                | Event::Code(_)
                | Event::Rule => panic!("{event:?} in\n{markdown}"),
                _ => {}
            }
        }
    }

    #[test]
    fn markdown_of_a_whole_report_is_made_of_our_own_elements() {
        assert_inert(&text(Format::Markdown, &sample::everything()));
        assert_inert(&text(Format::Markdown, &sample::pinned()));
    }

    /// Text outside of code elements, where a forge looks for mentions and references.
    fn outside_code(markdown: &str) -> String {
        use pulldown_cmark::{Event, Parser};
        let (mut depth, mut out) = (0_usize, String::new());
        for event in Parser::new_ext(markdown, pulldown_cmark::Options::all()) {
            match event {
                Event::InlineHtml(tag) if tag.as_ref() == "<code>" => depth += 1,
                Event::InlineHtml(tag) if tag.as_ref() == "</code>" => depth -= 1,
                Event::Text(text) if depth == 0 => out.push_str(&text),
                _ => {}
            }
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn no_format_lets_server_text_through(text in attack()) {
            let report = sample::hostile(&text);
            for format in Format::ALL {
                let shown = super::formats::text(format, &report);
                for line in shown.lines() {
                    prop_assert!(!line.chars().any(steers), "{}: {line:?}", format.name());
                }
            }
        }

        #[test]
        fn hostile_text_is_inert_in_markdown(text in attack()) {
            let report = sample::hostile(&text);
            let shown = markdown::render(&report, markdown::STEP_SUMMARY);
            assert_inert(&shown);
            let outside = outside_code(&shown);
            prop_assert!(!outside.contains("@octocat"), "{shown}");
        }

        #[test]
        fn hostile_text_is_data_in_xml(text in attack()) {
            let shown = super::formats::text(Format::Junit, &sample::hostile(&text));
            let xml = roxmltree::Document::parse(&shown).unwrap();
            let known = ["testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"];
            for node in xml.descendants().filter(roxmltree::Node::is_element) {
                prop_assert!(known.contains(&node.tag_name().name()), "{shown}");
            }
        }

        #[test]
        fn hostile_text_gives_no_workflow_command_of_its_own(text in attack()) {
            let shown = super::formats::text(Format::Github, &sample::hostile(&text));
            for line in shown.lines() {
                prop_assert!(
                    ["::error file=", "::warning file=", "::notice file=", "::error title=", "::warning title=", "mcplock: "]
                        .iter()
                        .any(|own| line.starts_with(own)),
                    "{line}"
                );
                // The properties end at the first `::` after the command.
                let properties = line[2..].split("::").next().unwrap_or_default();
                prop_assert!(!properties.contains("%0A"));
            }
        }

        #[test]
        fn hostile_text_is_inert_in_sarif(text in attack()) {
            let shown = super::formats::text(Format::Sarif, &sample::hostile(&text));
            let log: serde_json::Value = serde_json::from_str(&shown).unwrap();
            for result in log["runs"][0]["results"].as_array().unwrap() {
                let message = result["message"]["text"].as_str().unwrap();
                prop_assert!(!message.replace("\\\\", "").replace("\\[", "").contains('['), "{message}");
            }
        }
    }
}
