//! The vectors of RFC 8785.

use std::fmt::Write as _;
use std::fs;

use mcplock::canonical::{canonical, number};
use mcplock::json::{Limits, parse};

use super::suites::{files, name, suites};

#[test]
fn every_vector_has_the_canonical_bytes_that_are_published() {
    let Some(root) = suites("RFC 8785 vectors") else {
        return;
    };
    let folder = root.join("suites/vendor/rfc8785-jcs");
    let inputs = files(&folder.join("input"), ".json");
    assert_eq!(inputs.len(), 6);
    for input in inputs {
        let document = parse(&fs::read(&input).unwrap(), &Limits::default()).unwrap();
        let mut ours = canonical(document.sound().unwrap());
        let name = name(&input);
        // One number of the vectors is none that a double holds. RFC 8785 rounds it; the
        // exact-number rule keeps its digits, and nothing else differs.
        if name == "values.json" {
            assert_eq!(ours.matches("333333333.33333329").count(), 1);
            ours = ours.replace("333333333.33333329", "333333333.3333333");
        }
        let output = fs::read_to_string(folder.join("output").join(&name)).unwrap();
        assert_eq!(ours, output.trim_end_matches('\n'), "{name}");
        let hex = fs::read_to_string(folder.join("outhex").join(name.replace(".json", ".txt")));
        let wanted: Vec<String> = hex.unwrap().split_whitespace().map(str::to_owned).collect();
        let bytes: Vec<String> = ours.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(bytes, wanted, "{name}");
    }
}

#[test]
fn ten_thousand_doubles_have_the_texts_that_are_published() {
    let Some(root) = suites("RFC 8785 numbers") else {
        return;
    };
    let path = root.join("suites/vendor/rfc8785-jcs/es6-numbers-10k.csv");
    let (mut compared, mut ties) = (0, 0);
    let mut wrong = String::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let (hex, text) = line.split_once(',').unwrap();
        let bits = u64::from_str_radix(hex, 16).unwrap();
        let double = f64::from_bits(bits);
        let read = |text: &str| text.parse::<f64>().unwrap().to_bits();
        assert_eq!(read(text), if text == "0" { 0 } else { bits }, "{line}");
        // Another writer's shortest text of the same double, in another layout.
        let mut token = format!("{double:e}");
        if number::Decimal::parse(&token) != number::Decimal::parse(text) {
            // Two shortest texts are equally near; ECMAScript takes the even one, Rust does not.
            // To the exact-number rule they are two numbers.
            assert_eq!(read(&token), bits, "{line}");
            assert_ne!(number::canonical(&token), text, "{line}");
            ties += 1;
            text.clone_into(&mut token);
        }
        compared += 1;
        if number::canonical(&token) != text || number::canonical(text) != text {
            writeln!(wrong, "{hex}: {token} became {}", number::canonical(&token)).unwrap();
        }
    }
    println!("{compared} numbers compared, {ties} of them with two shortest texts");
    assert_eq!(wrong, "");
    assert_eq!((compared, ties), (10_000, 3));
}
