//! What people read about a rule: on the terminal, and in `docs/rules.md`.

use std::fmt::{self, Write as _};

use super::registry::{Rule, Subject, rules};

impl fmt::Display for Rule {
    /// The rule as `mcplock explain` prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.id, self.summary)?;
        writeln!(f, "level: {}", self.levels())?;
        writeln!(f, "\n{}", wrapped(self.meaning))?;
        if let Some(why) = self.why() {
            writeln!(f, "\n{}", wrapped(&why))?;
        }
        writeln!(f, "\n{}", wrapped(self.action))
    }
}

impl Rule {
    /// The levels that the rule can give, in words.
    pub fn levels(&self) -> &'static str {
        match self.subject {
            Subject::Change { levels, .. } => levels,
            Subject::Fault { level, .. } | Subject::Loss { level } => level.word(),
        }
    }
}

impl Rule {
    /// Why a fault is of its level, as a sentence.
    fn why(&self) -> Option<String> {
        match self.subject {
            Subject::Fault { level, why, .. } => {
                let word = capital(level.word());
                Some(format!("{word}, because {why}."))
            }
            Subject::Change { .. } | Subject::Loss { .. } => None,
        }
    }
}

/// The whole of `docs/rules.md`.
pub fn reference() -> String {
    let mut out = String::from(
        "# Rules\n\
         \n\
         Every finding names one of these rules; `mcplock explain RULE` prints the same text. The \
         level of a change follows from two questions:\nwhat callers can no longer do, and whether \
         a model reads something else.\n\
         \n\
         | callers \\ model's text | same | changed |\n\
         |---|---|---|\n\
         | same set of calls and meaning | equivalent | risky |\n\
         | proved wider | compatible | risky |\n\
         | undecided | risky | risky |\n\
         | narrower, ignored, or result outside the promise | breaking | breaking |\n\
         \n\
         The level of a fault is fixed, and each says why. `unfit` is what can't be relied on: two \
         readers see two contracts, part of it lies elsewhere, or people see something else than \
         models and machines do. It stops a pin. `advice` is a contract that is clear but not what \
         its author meant; it never fails a run without `--strict`.\n\
         What a projection loses has a fixed level too: see [projections.md](projections.md).\n\
         \n\
         <!-- Made from src/rules/ by a test. To make it again: MCPLOCK_BLESS=1 cargo test --test \
         rules -->\n\
         \n\
         | rule | level | what |\n|---|---|---|\n",
    );
    for rule in rules() {
        // Writing to a string never fails.
        let _ = writeln!(
            out,
            "| [`{id}`](#{id}) | {} | {} |",
            rule.levels(),
            rule.summary,
            id = rule.id,
        );
    }
    for rule in rules() {
        let _ = write!(
            out,
            "\n## {}\n\n{}.\n\n**Level:** {}.\n\n{}{}\n\n**What to do:** {}\n",
            rule.id,
            capital(rule.summary),
            rule.levels(),
            rule.meaning,
            rule.why().map_or_else(String::new, |why| format!(" {why}")),
            rule.action,
        );
    }
    out
}

/// `text` with a capital first letter, unless it begins with code.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// `text` in lines of at most 80 columns.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 80 {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out
}
