//! What a terminal would show, as SVG: reads text with colour from standard input.
//!
//! `mcplock demo --color always | terminal_svg [--light] [--animate] [--title TEXT]`
//!
//! Makes the recording in the README, and pictures of reports on dark and light. Knows the few
//! escape sequences that mcplock writes and stops at any other, so that a picture never hides one.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::process::ExitCode;

/// Width and height of a cell in pixels.
const CELL: (f32, f32) = (8.43, 19.0);
/// Pixels around the text.
const MARGIN: f32 = 16.0;
/// Height of the bar at the top.
const BAR: f32 = 30.0;

/// Colours of a theme: background, bar, text, then red, green, yellow, blue and cyan.
struct Theme {
    ground: &'static str,
    bar: &'static str,
    text: &'static str,
    colours: [(u8, &'static str); 5],
}

const DARK: Theme = Theme {
    ground: "#0d1117",
    bar: "#21262d",
    text: "#e6edf3",
    colours: [
        (31, "#ff7b72"),
        (32, "#7ee787"),
        (33, "#e3b341"),
        (34, "#79c0ff"),
        (36, "#76e3ea"),
    ],
};

const LIGHT: Theme = Theme {
    ground: "#ffffff",
    bar: "#eaeef2",
    text: "#1f2328",
    colours: [
        (31, "#cf222e"),
        (32, "#116329"),
        (33, "#7d4e00"),
        (34, "#0969da"),
        (36, "#1b7c83"),
    ],
};

/// A run of text, its first column, and the classes of its look.
struct Run {
    column: usize,
    text: String,
    look: Vec<&'static str>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let title = arguments
        .iter()
        .position(|argument| argument == "--title")
        .and_then(|at| arguments.get(at + 1))
        .map_or("", String::as_str);
    let mut input = String::new();
    let read = std::io::stdin().read_to_string(&mut input);
    let theme = if has("--light") { &LIGHT } else { &DARK };
    let drawn = read
        .map_err(|error| error.to_string())
        .and_then(|_| lines(&input))
        .map(|lines| draw(&lines, theme, title, has("--animate")));
    let written = drawn.and_then(|svg| {
        std::io::stdout()
            .write_all(svg.as_bytes())
            .map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nowhere else to tell it.
            let _ = writeln!(std::io::stderr(), "terminal_svg: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The lines of `text` as runs.
fn lines(text: &str) -> Result<Vec<Vec<Run>>, String> {
    let mut look = Vec::new();
    text.lines()
        .map(|line| {
            let mut runs: Vec<Run> = Vec::new();
            let mut column = 0;
            let mut rest = line;
            while let Some(at) = rest.find('\u{1b}') {
                push(&mut runs, &mut column, &rest[..at], &look);
                let (codes, tail) = rest[at..]
                    .strip_prefix("\u{1b}[")
                    .and_then(|sequence| sequence.split_once('m'))
                    .ok_or_else(|| format!("an escape sequence that is no colour: {line:?}"))?;
                for code in codes.split(';') {
                    apply(&mut look, code)?;
                }
                rest = tail;
            }
            push(&mut runs, &mut column, rest, &look);
            Ok(runs)
        })
        .collect()
}

fn push(runs: &mut Vec<Run>, column: &mut usize, text: &str, look: &[&'static str]) {
    if !text.is_empty() {
        runs.push(Run {
            column: *column,
            text: text.to_owned(),
            look: look.to_vec(),
        });
        *column += text.chars().count();
    }
}

/// The classes of the styles that mcplock writes.
const CLASSES: [(&str, &str); 9] = [
    ("1", "b"),
    ("2", "d"),
    ("4", "u"),
    ("9", "s"),
    ("31", "c31"),
    ("32", "c32"),
    ("33", "c33"),
    ("34", "c34"),
    ("36", "c36"),
];

fn apply(look: &mut Vec<&'static str>, code: &str) -> Result<(), String> {
    if matches!(code, "" | "0") {
        look.clear();
        return Ok(());
    }
    let class = CLASSES.iter().find(|(known, _)| *known == code);
    let (_, class) = class.ok_or_else(|| format!("the style {code:?} is not known"))?;
    look.push(class);
    Ok(())
}

fn draw(lines: &[Vec<Run>], theme: &Theme, title: &str, animate: bool) -> String {
    let columns = lines
        .iter()
        .filter_map(|line| line.last())
        .map(|run| run.column + run.text.chars().count())
        .max()
        .unwrap_or(0);
    let width = MARGIN * 2.0 + at(columns, CELL.0);
    let height = BAR + MARGIN * 2.0 + at(lines.len(), CELL.1);
    let mut svg = String::new();
    // Writing to a string can't fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n<style>\n\
         text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', \
         monospace; fill: {}; white-space: pre }}\n.b {{ font-weight: bold }} .d {{ fill-opacity: \
         .62 }} .u {{ text-decoration: underline }} .s {{ text-decoration: line-through }}",
        escaped(title),
        theme.text
    );
    for (code, colour) in theme.colours {
        let _ = writeln!(svg, ".c{code} {{ fill: {colour} }}");
    }
    if animate {
        svg.push_str(
            "@keyframes show { from { opacity: 0 } to { opacity: 1 } }\n\
             .l { animation: show .1s linear backwards }\n\
             @media (prefers-reduced-motion) { .l { animation: none } }\n",
        );
    }
    let _ = writeln!(
        svg,
        "</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n\
         <path d=\"M0 {BAR}V8a8 8 0 0 1 8-8H{:.0}a8 8 0 0 1 8 8V{BAR}z\" fill=\"{}\"/>\n\
         <circle cx=\"18\" cy=\"15\" r=\"5\" fill=\"#ff5f57\"/><circle cx=\"36\" cy=\"15\" r=\"5\" \
         fill=\"#febc2e\"/><circle cx=\"54\" cy=\"15\" r=\"5\" fill=\"#28c840\"/>\n\
         <text x=\"72\" y=\"20\" class=\"d\">{}</text>",
        theme.ground,
        width - 8.0,
        theme.bar,
        escaped(title)
    );
    let mut delay = 0.0;
    for (row, line) in lines.iter().enumerate() {
        let typed = line.first().is_some_and(|run| run.text.starts_with("$ "));
        delay += if typed { 1.4 } else { 0.06 };
        if line.iter().all(|run| run.text.trim().is_empty()) {
            continue;
        }
        let y = BAR + MARGIN + at(row, CELL.1) + 14.0;
        let class = if animate {
            format!(" class=\"l\" style=\"animation-delay:{delay:.2}s\"")
        } else {
            String::new()
        };
        let _ = write!(svg, "<text{class} xml:space=\"preserve\" y=\"{y:.0}\">");
        for run in line {
            svg.push_str(&span(run));
        }
        svg.push_str("</text>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn span(run: &Run) -> String {
    let class = if run.look.is_empty() {
        String::new()
    } else {
        format!(" class=\"{}\"", run.look.join(" "))
    };
    // Each run has its place and its length, so that columns stand in line in every font.
    format!(
        "<tspan x=\"{:.1}\" textLength=\"{:.1}\"{class}>{}</tspan>",
        MARGIN + at(run.column, CELL.0),
        at(run.text.chars().count(), CELL.0),
        escaped(&run.text)
    )
}

/// `count` cells in pixels.
fn at(count: usize, size: f32) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX)) * size
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
