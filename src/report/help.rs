//! What to do next: commands that a reader can copy.
//!
//! Pure. Names of servers and items are quoted for a shell, and a name that can't be shown as it is
//! gets no command at all.

use crate::catalog::Kind;
use crate::rules::{self, Finding, Level, Rule};

use super::{Outcome, PinAction, Report, ServerReport, sanitize};

/// One thing to do: for what, and the command (or, without one, advice in words).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// What it does, as a fragment.
    pub(super) what: String,
    /// The command.
    pub(super) command: Option<String>,
}

impl Step {
    fn command(what: &str, command: String) -> Self {
        Step {
            what: what.to_owned(),
            command: Some(command),
        }
    }

    fn advice(what: &str) -> Self {
        Step {
            what: what.to_owned(),
            command: None,
        }
    }
}

/// What to do about a server, most useful first; nothing where nothing needs doing.
pub(super) fn steps(report: &Report, server: &ServerReport, shown: &[&Finding]) -> Vec<Step> {
    let mut steps = Vec::new();
    let pin = word(&server.title()).map(|name| format!("mcplock pin {name}"));
    match &server.outcome {
        Outcome::NotJudged(_) | Outcome::Disabled => return steps,
        Outcome::NotPinned => {
            steps.extend(pin.map(|pin| Step::command("review and pin it", pin)));
            return steps;
        }
        Outcome::NotConfigured => {
            steps.push(Step::advice("keep it: name it in mcplock.toml"));
            steps.extend(word(&server.title()).map(|name| {
                Step::command(
                    "compare it as it was pinned",
                    format!("mcplock verify {name}"),
                )
            }));
            steps.push(Step::command(
                "drop what no config names",
                "mcplock pin --prune".to_owned(),
            ));
            return steps;
        }
        Outcome::NotStarted => {
            steps.extend(word(&server.title()).map(|name| {
                let command = format!("mcplock verify {name} --allow-launch-change");
                Step::command("start and compare it all the same", command)
            }));
        }
        Outcome::Judged | Outcome::Pinned(_) => {}
    }
    let worst = shown.iter().min_by_key(|finding| finding.level);
    if let Some(finding) = worst {
        steps.push(Step::command(
            "what the rule means",
            format!("mcplock explain {}", finding.rule),
        ));
    }
    let unfit = shown.iter().any(|finding| finding.level == Level::Unfit);
    if server.projection.is_some() {
        if unfit {
            steps.push(Step::advice(
                "tell the author of what stands between, with the call; the server is as it was",
            ));
        }
        return steps;
    }
    if unfit {
        steps.extend(waivers(server, shown));
    }
    let wrote = matches!(
        server.outcome,
        Outcome::Pinned(
            PinAction::Added | PinAction::Updated | PinAction::Unchanged | PinAction::Pruned
        )
    );
    let drifts = |finding: &&&Finding| {
        matches!(
            finding.level,
            Level::Breaking | Level::Risky | Level::Compatible
        )
    };
    if matches!(server.outcome, Outcome::NotStarted) {
        // What else has changed is not known yet, so a yes is not offered.
        steps.extend(pin.map(|pin| Step::command("see what it changes, and accept it", pin)));
        return steps;
    }
    if let (Some(pin), false) = (&pin, server.narrowed.is_empty()) {
        steps.extend(narrowed(
            server,
            pin,
            wrote,
            shown.iter().any(|f| drifts(&f)),
        ));
        return steps;
    }
    if let Some(pin) = pin.filter(|_| report.accept && !wrote && !unfit) {
        let drifted: Vec<_> = shown.iter().filter(drifts).collect();
        let several = drifted
            .first()
            .is_some_and(|first| drifted.iter().any(|other| other.label != first.label));
        let item = drifted
            .iter()
            .filter(|finding| is_item(&finding.label))
            .min_by_key(|finding| finding.level)
            .and_then(|finding| word(&finding.label));
        if let (true, Some(item)) = (several, item) {
            steps.push(Step::command(
                "accept one item",
                format!("{pin} --item {item} --yes"),
            ));
        }
        if !drifted.is_empty() {
            let what = if several {
                "accept all of it"
            } else {
                "accept it"
            };
            steps.push(Step::command(what, format!("{pin} --yes")));
        }
    }
    steps
}

/// What to do about a server of which only some items were to be pinned: nothing here accepts more
/// than those.
fn narrowed(server: &ServerReport, pin: &str, wrote: bool, drifts: bool) -> Option<Step> {
    if wrote || !drifts {
        return None;
    }
    if server
        .findings
        .iter()
        .any(|finding| finding.label == "launch")
    {
        let command = format!("{pin} --yes");
        return Some(Step::command(
            "accept the launch, and all that it lists",
            command,
        ));
    }
    let items: Option<Vec<String>> = server
        .narrowed
        .iter()
        .map(|label| word(label).map(|label| format!(" --item {label}")))
        .collect();
    Some(Step::command(
        "accept it",
        format!("{pin}{} --yes", items?.concat()),
    ))
}

/// Contracts whose digest is given in full, for a waiver.
const MAX_DIGESTS: usize = 3;

/// What to do about unfit items: tell the author, and how those that can be waived are named.
fn waivers(server: &ServerReport, shown: &[&Finding]) -> Vec<Step> {
    let unfit: Vec<_> = shown
        .iter()
        .filter(|finding| finding.level == Level::Unfit)
        .collect();
    let waivable = |finding: &&&&Finding| rules::rule(finding.rule).is_some_and(Rule::is_waivable);
    if !unfit.iter().all(|finding| waivable(&finding)) {
        return vec![Step::advice(
            "an unfit item can't be pinned: tell the server's author",
        )];
    }
    let mut steps = vec![Step::advice(
        "an unfit item can't be pinned: tell the server's author, or waive it with a reason \
         in mcplock.toml",
    )];
    let named = server
        .waivable
        .iter()
        .filter(|(label, _)| unfit.iter().any(|finding| finding.label == *label))
        .take(MAX_DIGESTS)
        .filter_map(|(label, digest)| Some((word(label)?, digest)));
    steps.extend(named.map(|(label, digest)| {
        Step::command(
            &format!("the contract of {label}"),
            format!("contract = \"{digest}\""),
        )
    }));
    steps
}

/// Whether a label names an item, and not `launch` or `instructions`.
fn is_item(label: &str) -> bool {
    label
        .split_once(':')
        .is_some_and(|(kind, _)| Kind::from_word(kind).is_some())
}

/// The longest word that is put into a command: a longer one is shown nowhere in full.
const LONGEST_WORD: usize = super::layout::NAME;

/// `text` as one word of a POSIX shell; none for a word that can't be shown exactly.
pub(super) fn word(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    let long = text.chars().nth(LONGEST_WORD).is_some();
    if long || sanitize::literal(text) != text || text.starts_with('-') {
        None
    } else if !text.is_empty() && text.chars().all(plain) {
        Some(text.to_owned())
    } else {
        Some(format!("'{}'", text.replace('\'', "'\\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_is_inert_in_a_command_or_gets_none() {
        assert_eq!(word("tool:search").as_deref(), Some("tool:search"));
        assert_eq!(word("tool:$(rm -rf)").as_deref(), Some("'tool:$(rm -rf)'"));
        assert_eq!(word("it's").as_deref(), Some("'it'\\''s'"));
        assert_eq!(word("a\nb"), None);
        assert_eq!(word("--yes"), None);
        assert_eq!(word(&"x".repeat(10_000)), None);
    }
}
