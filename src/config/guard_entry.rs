//! A config entry that runs `mcplock guard` stands for the server that it guards.
//!
//! Pure.

use super::spec::Word;
use crate::text::address;

/// Flags of the guard, and of the program, that take a value in the next word.
pub(crate) const WITH_VALUE: [&str; 22] = [
    "--lockfile",
    "--policy",
    "--client",
    "--client-config",
    "--color",
    "--profile",
    "--fail-on",
    "--max-age",
    "--log",
    "--name",
    "--url",
    "--header",
    "--env",
    "--start-timeout",
    "--request-timeout",
    "--timeout",
    "--max-message",
    "--max-catalog",
    "--max-items",
    "--max-pages",
    "--max-relists",
    "--ca-file",
];

/// What an entry guards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Guarded {
    /// A server that the lockfile pins.
    Pinned(String),
    /// A server that the entry itself describes: its name, and the words from which it is started
    /// or reached.
    Given(Given),
}

/// A server on the command line of a guard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) profile: Option<String>,
    /// Where its program and arguments begin in the entry's own words; none for a URL.
    pub(super) command: Option<usize>,
    /// The position of the words that follow `--url`, `--header` and `--env`.
    pub(super) url: Option<usize>,
    pub(super) headers: Vec<usize>,
    pub(super) env: Vec<usize>,
}

/// What a command guards, if it runs `mcplock guard`, by whatever runner.
pub(super) fn guarded(words: &[Word]) -> Option<Guarded> {
    let texts: Vec<Option<&str>> = words
        .iter()
        .map(|word| word.template.as_literal())
        .collect();
    let program = texts.iter().position(|word| word.is_some_and(is_mcplock))?;
    let mut at = program + 1;
    // Flags of the program itself may stand before the command.
    while texts.get(at)?.as_ref()? != &"guard" {
        let flag = (*texts.get(at)?)?;
        if !flag.starts_with('-') {
            return None;
        }
        at += 1 + usize::from(WITH_VALUE.contains(&flag));
    }
    arguments(&texts, at + 1)
}

fn arguments(texts: &[Option<&str>], mut at: usize) -> Option<Guarded> {
    let mut given = Given::default();
    let mut server = None;
    while at < texts.len() {
        let Some(word) = texts[at] else {
            // A value by variable: the name of a server can't be told from it.
            return None;
        };
        if word == "--" {
            given.command = (at + 1 < texts.len()).then_some(at + 1);
            break;
        }
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value)),
            _ => (word, None),
        };
        match (flag, inline) {
            ("--name", Some(name)) => name.clone_into(&mut given.name),
            ("--name", None) => (*texts.get(at + 1)?)?.clone_into(&mut given.name),
            ("--profile", Some(profile)) => given.profile = Some(profile.to_owned()),
            ("--profile", None) => given.profile = Some((*texts.get(at + 1)?)?.to_owned()),
            ("--url", None) => given.url = Some(at + 1),
            ("--header", None) => given.headers.push(at + 1),
            ("--env", None) => given.env.push(at + 1),
            _ if !word.starts_with('-') => {
                server.get_or_insert(word);
            }
            _ => {}
        }
        at += 1;
        if inline.is_none() && WITH_VALUE.contains(&flag) {
            at += 1;
        }
    }
    if given.name.is_empty() {
        // `mcplock guard -- NAME` names a server too.
        let server = server.or_else(|| texts.get(given.command?).copied().flatten())?;
        return Some(Guarded::Pinned(server.to_owned()));
    }
    Some(if given.command.is_some() || given.url.is_some() {
        Guarded::Given(given)
    } else {
        Guarded::Pinned(address(&given.name, given.profile.as_deref()))
    })
}

/// `mcplock`, with a path before it, `.exe` or a version behind it.
fn is_mcplock(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    name.strip_suffix(".exe").unwrap_or(name) == "mcplock"
}

#[cfg(test)]
mod tests {
    use super::super::template::Template;
    use super::*;

    fn of(line: &str) -> Option<Guarded> {
        let words: Vec<Word> = line
            .split(' ')
            .map(|text| Word {
                template: Template::literal(text),
                line: None,
            })
            .collect();
        guarded(&words)
    }

    #[test]
    fn the_guarded_server_is_found_behind_runners_and_flags() {
        for line in [
            "mcplock guard files",
            "/usr/local/bin/mcplock guard --max-age 30s files",
            "C:\\bin\\mcplock.exe --lockfile l.toml guard --require-list files",
            "npx -y mcplock@1.0.0 guard files --log x.log",
            "mcplock guard --fail-on=risky -- files",
            "mcplock guard --name files",
        ] {
            assert_eq!(
                of(line),
                Some(Guarded::Pinned("files".to_owned())),
                "{line}"
            );
        }
        for line in [
            "mcplock verify files",
            "guard files",
            "mcplock",
            "mcplock guard",
            "npx mcplock-other guard x",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn a_server_that_is_given_to_the_guard_is_told_by_its_words() {
        let Some(Guarded::Given(given)) = of("mcplock guard --name t --env K -- uvx time x") else {
            panic!("not given");
        };
        assert_eq!((given.name.as_str(), given.command), ("t", Some(7)));
        assert_eq!(given.env, [5]);
        assert_eq!(
            of("mcplock guard --name files --profile ci"),
            Some(Guarded::Pinned("files@ci".to_owned()))
        );
        let line = "mcplock guard --name=t --profile=ci --url u --header h";
        let Some(Guarded::Given(given)) = of(line) else {
            panic!("not given");
        };
        assert_eq!(given.profile.as_deref(), Some("ci"));
        assert_eq!((given.url, given.headers), (Some(5), vec![7]));
    }
}
