//! Reading what was written gives back what was meant, whatever strings a server chooses.

use std::collections::BTreeMap;

use mcplock::catalog::{Instructions, Kind};
use mcplock::config::{Launch, ServerName, Target};
use mcplock::json::{Limits, Pointer, parse};
use mcplock::lock::{Entry, Lockfile, Volatile, Words, build_entry, decode, encode};
use mcplock::protocol::Revision;
use mcplock::text::is_hidden;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::input;

/// Strings of pieces that mean something to TOML, JSON, git or a terminal.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(vec![
            "'", "''", "'''", "''''", "\"", "\"\"\"", "\\", "\\u0027", "\\u202e", "\n", "\r\n", "\r",
            "\t", "\0", "\u{1b}[2J", "\u{7f}", "\u{85}", "\u{2028}", "\u{202e}", "\u{200b}",
            "\u{fe0f}", "\u{e0041}", "\u{e000}", "\u{ffff}", "\u{10fffd}", "\u{fffc}", "\u{feff}",
            "[[server]]", "<<<<<<< HEAD", "=======", "#", "=", "{", "}", ",", "Ж", "తె", "🙂", " ", "a",
            "é", "e\u{301}",
        ])
        .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn filled() -> impl Strategy<Value = String> {
    nasty().prop_filter("empty", |text| !text.is_empty())
}

fn name() -> impl Strategy<Value = String> {
    filled().prop_map(|text| {
        let shown: String = text.chars().filter(|&c| !is_hidden(c)).take(200).collect();
        match shown.trim() {
            "" => "x".to_owned(),
            shown => shown.to_owned(),
        }
    })
}

/// JSON text.
fn json() -> impl Strategy<Value = String> {
    let quoted = |text: String| serde_json::to_string(&text).unwrap();
    let leaf = prop_oneof![
        select(vec![
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1.0",
            "1e400",
            "-1.50E-400",
            "9007199254740993",
            "123456789012345678901234567890",
            "1e21",
            "1e-7",
            "0.1",
            "5e-324",
        ])
        .prop_map(str::to_owned),
        any::<f64>()
            .prop_filter("finite", |x| x.is_finite())
            .prop_map(|x| format!("{x:e}")),
        any::<i64>().prop_map(|n| n.to_string()),
        nasty().prop_map(quoted),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(", "))),
            btree_map(nasty(), inner, 0..5).prop_map(move |members| object(&members)),
        ]
    })
}

fn object(members: &BTreeMap<String, String>) -> String {
    // Backwards, so that the order received is not the canonical one.
    let members: Vec<String> = members
        .iter()
        .rev()
        .map(|(name, value)| format!("{}:{value}", serde_json::to_string(name).unwrap()))
        .collect();
    format!("{{{}}}", members.join(",\t"))
}

fn launch() -> impl Strategy<Value = Launch> {
    let map = || btree_map(nasty(), nasty(), 0..3);
    let target = prop_oneof![
        (filled(), vec(nasty(), 0..3)).prop_map(|(program, args)| {
            Target::Command(std::iter::once(program).chain(args).collect())
        }),
        (nasty(), map()).prop_map(|(url, headers)| Target::Url { url, headers }),
    ];
    (target, option::of(nasty()), btree_set(nasty(), 0..3), map()).prop_map(
        |(target, cwd, env, env_values)| Launch {
            target,
            cwd,
            env: env.into_iter().collect(),
            env_values,
        },
    )
}

fn rules() -> impl Strategy<Value = Vec<Volatile>> {
    let rule = (nasty(), vec(filled(), 1..3), filled()).prop_map(|(key, path, words)| {
        let path = path
            .iter()
            .fold(Pointer::root().key("x"), |at, name| at.key(name));
        Volatile {
            item: format!("tool:{key}"),
            pointer: path.to_string(),
            pattern: regex::escape(&words),
        }
    });
    vec(rule, 0..3)
}

fn entry() -> impl Strategy<Value = Entry> {
    let items = vec(
        (
            select(Kind::ALL.to_vec()),
            nasty(),
            btree_map(nasty(), json(), 0..4),
            option::of(nasty()),
        ),
        0..5,
    );
    (
        (name(), option::of(name()), launch()),
        select(Revision::ALL.to_vec()),
        (
            btree_set(nasty(), 0..3),
            option::of(nasty()),
            option::of(nasty()),
        ),
        rules(),
        items,
    )
        .prop_map(
            |(
                (name, profile, launch),
                revision,
                (declared, implementation, text),
                rules,
                items,
            )| {
                let mut members = BTreeMap::new();
                for (kind, key, mut object, description) in items {
                    let quoted = |text: &str| serde_json::to_string(text).unwrap();
                    object.insert(kind.key_member().to_owned(), quoted(&key));
                    if let Some(description) = description {
                        object.insert("description".to_owned(), quoted(&description));
                        object.insert("inputSchema".to_owned(), "{\"type\":\"object\"}".to_owned());
                    }
                    members.insert((kind, key), object);
                }
                let items = members
                    .iter()
                    .rev()
                    .map(|((kind, _), members)| input::item(*kind, 0, &object(members)))
                    .collect();
                let mut catalog = input::catalog(revision, items);
                catalog.declared = declared.into_iter().collect();
                catalog.implementation = implementation;
                if let Some(text) = text {
                    let json = serde_json::to_string(&text).unwrap();
                    catalog.instructions =
                        Instructions::Present(parse(json.as_bytes(), &Limits::default()).unwrap());
                }
                let name = ServerName::new(&name).unwrap();
                let words = Words::compile(&rules).unwrap();
                build_entry(&name, profile.as_deref(), &launch, &catalog, &words)
                    .unwrap()
                    .entry
            },
        )
}

fn lockfile() -> impl Strategy<Value = Lockfile> {
    vec(entry(), 0..3).prop_map(|entries| {
        let mut lockfile = Lockfile::default();
        for entry in entries {
            lockfile.put(entry);
        }
        lockfile
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn reading_what_was_written_gives_what_was_meant(lockfile in lockfile()) {
        let text = encode(&lockfile);
        let hidden = text.chars().find(|&c| c != '\n' && is_hidden(c));
        prop_assert_eq!(hidden, None);
        let read = decode(text.as_bytes());
        prop_assert!(read.is_ok(), "{:?}\n{}", read.err(), text);
        let read = read.unwrap().into_lockfile();
        prop_assert_eq!(&read, &lockfile);
        prop_assert_eq!(encode(&read), text);
    }

    #[test]
    fn carriage_returns_change_nothing(lockfile in lockfile()) {
        let text = encode(&lockfile).replace('\n', "\r\n");
        prop_assert_eq!(decode(text.as_bytes()).unwrap().into_lockfile(), lockfile);
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_a_panic(text in nasty(), rest in nasty()) {
        let _ = decode(text.as_bytes());
        let _ = decode(format!("version = 1\n{text}\n[[server]]\n{rest}").as_bytes());
    }
}
