//! A config entry that runs `mcplock guard NAME` stands for the server NAME itself.
//!
//! Pure.

use super::spec::Word;

/// Flags of `mcplock guard` that take a value in the next word.
const WITH_VALUE: [&str; 14] = [
    "--lockfile",
    "--policy",
    "--client",
    "--client-config",
    "--profile",
    "--max-age",
    "--recheck-after",
    "--fail-on",
    "--log",
    "--log-file",
    "--timeout",
    "--color",
    "--format",
    "--report",
];

/// The server that a command guards, if it runs `mcplock guard`, by whatever runner.
pub(super) fn guarded(words: &[Word]) -> Option<&str> {
    let words: Vec<Option<&str>> = words
        .iter()
        .map(|word| word.template.as_literal())
        .collect();
    let program = words.iter().position(|word| word.is_some_and(is_mcplock))?;
    let mut rest = words[program + 1..].iter().copied();
    let guard = |word: Option<&str>| word == Some("guard");
    // Flags of the program itself may stand before the command.
    while let Some(word) = rest.next() {
        if guard(word) {
            return server(rest);
        }
        match word {
            Some(flag) if WITH_VALUE.contains(&flag) => {
                rest.next();
            }
            Some(flag) if flag.starts_with('-') => {}
            _ => return None,
        }
    }
    None
}

fn server<'w>(mut words: impl Iterator<Item = Option<&'w str>>) -> Option<&'w str> {
    while let Some(word) = words.next() {
        match word? {
            "--" => return words.next().flatten(),
            flag if WITH_VALUE.contains(&flag) => {
                words.next();
            }
            flag if flag.starts_with('-') => {}
            name => return Some(name),
        }
    }
    None
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

    fn of(line: &str) -> Option<String> {
        let words: Vec<Word> = line
            .split(' ')
            .map(|text| Word {
                template: Template::literal(text),
                line: None,
            })
            .collect();
        guarded(&words).map(str::to_owned)
    }

    #[test]
    fn the_guarded_server_is_found_behind_runners_and_flags() {
        for line in [
            "mcplock guard files",
            "/usr/local/bin/mcplock guard --max-age 30s files",
            "C:\\bin\\mcplock.exe --lockfile l.toml guard --strict files",
            "npx -y mcplock@1.0.0 guard files",
            "mcplock guard --fail-on=risky -- files",
        ] {
            assert_eq!(of(line).as_deref(), Some("files"), "{line}");
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
}
