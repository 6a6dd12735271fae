//! Launches that don't say which version they start: what answers today need not answer tomorrow.
//!
//! Pure.

use super::launch::{Launch, Target};

/// A launch without an exact version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unversioned {
    /// The program that fetches: `npx`, `uvx`, `docker` …
    pub runner: String,
    /// The package or image, as the launch names it.
    pub package: String,
    /// How an exact version is written there.
    pub example: String,
}

/// What a launch fetches without an exact version, if it fetches anything.
pub fn unversioned(launch: &Launch) -> Option<Unversioned> {
    let Target::Command(words) = &launch.target else {
        return None;
    };
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    // `cmd /c npx …`, `env A=b npx …`
    if words.first().is_some_and(|word| program(word) == "cmd") {
        words.drain(..words.len().min(2));
    } else if words.first().is_some_and(|word| program(word) == "env") {
        let end = words
            .iter()
            .skip(1)
            .take_while(|word| word.contains('='))
            .count()
            + 1;
        words.drain(..end);
    }
    let runner = program(words.first()?).to_owned();
    let rest = &words[1..];
    let told = |runner: &str, package: &str, example: String| {
        Some(Unversioned {
            runner: runner.to_owned(),
            package: package.to_owned(),
            example,
        })
    };
    match (runner.as_str(), rest.first().copied()) {
        ("npx" | "bunx" | "pnpx", _) => node(&runner, rest),
        ("pnpm" | "yarn", Some("dlx")) => node(&format!("{runner} dlx"), &rest[1..]),
        ("npm", Some("exec" | "x")) => node("npm exec", &rest[1..]),
        ("bun", Some("x")) => node("bun x", &rest[1..]),
        ("uvx", _) => python("uvx", rest),
        ("uv", Some("tool")) if rest.get(1) == Some(&"run") => python("uv tool run", &rest[2..]),
        ("pipx", Some("run")) => python("pipx run", &rest[1..]),
        ("docker" | "podman" | "nerdctl", Some("run")) => {
            let image = image(&rest[1..])?;
            if image.contains("@sha256:") {
                None
            } else {
                told(
                    &runner,
                    image,
                    format!("{}@sha256:…", image.split('@').next().unwrap_or(image)),
                )
            }
        }
        ("dnx", _) => {
            let package = rest.iter().find(|word| !word.starts_with('-'))?;
            let exact = package
                .split_once('@')
                .is_some_and(|(_, version)| is_exact(version));
            if exact {
                None
            } else {
                told("dnx", package, format!("{package}@1.2.3"))
            }
        }
        ("deno", Some("run")) => {
            let package = rest
                .iter()
                .find(|word| word.starts_with("npm:") || word.starts_with("jsr:"))?;
            if has_node_version(&package[4..]) {
                None
            } else {
                told("deno", package, format!("{package}@1.2.3"))
            }
        }
        ("go", Some("run")) => {
            let package = rest.iter().skip(1).find(|word| word.contains('@'))?;
            let exact = package
                .rsplit_once('@')
                .and_then(|(_, version)| version.strip_prefix('v'))
                .is_some_and(is_exact);
            if exact {
                None
            } else {
                told("go run", package, "module@v1.2.3".to_owned())
            }
        }
        _ => None,
    }
}

/// The name of a program without its folder and ending.
fn program(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    [".exe", ".cmd", ".bat"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

fn node(runner: &str, words: &[&str]) -> Option<Unversioned> {
    let package = flag_value(words, &["-p", "--package"]).or_else(|| {
        first_word(
            words,
            &[
                "-c",
                "--call",
                "--registry",
                "--cache",
                "--userconfig",
                "-w",
                "--workspace",
            ],
        )
    })?;
    // A folder, a tarball or a repository is not looked up by version.
    if package.starts_with(['.', '/']) || package.contains(':') {
        return None;
    }
    if has_node_version(package) {
        return None;
    }
    let name = match package.get(1..).and_then(|rest| rest.find('@')) {
        Some(at) => &package[..=at],
        None => package,
    };
    Some(Unversioned {
        runner: runner.to_owned(),
        package: package.to_owned(),
        example: format!("{name}@1.2.3"),
    })
}

fn has_node_version(package: &str) -> bool {
    // The `@` of a scope comes first.
    package
        .get(1..)
        .and_then(|rest| rest.split_once('@'))
        .is_some_and(|(_, version)| is_exact(version))
}

fn python(runner: &str, words: &[&str]) -> Option<Unversioned> {
    let package = flag_value(words, &["--from", "--spec"]).or_else(|| {
        first_word(
            words,
            &[
                "-p",
                "--python",
                "--with",
                "--index",
                "--index-url",
                "--extra-index-url",
                "--default-index",
                "-i",
                "--with-editable",
                "--directory",
                "-w",
            ],
        )
    })?;
    if package.starts_with(['.', '/', '$']) {
        return None;
    }
    let exact = if let Some(address) = package.strip_prefix("git+") {
        address.rsplit_once('@').is_some_and(|(_, commit)| {
            commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit())
        })
    } else if package.contains("://") {
        true
    } else {
        package
            .split_once("==")
            .or_else(|| package.split_once('@'))
            .is_some_and(|(_, version)| is_exact(version.trim()))
    };
    if exact {
        return None;
    }
    let name = package
        .split(['@', '=', '<', '>', '~', '!'])
        .next()
        .unwrap_or(package);
    Some(Unversioned {
        runner: runner.to_owned(),
        package: package.to_owned(),
        example: if package.starts_with("git+") {
            "git+https://…@COMMIT".to_owned()
        } else {
            format!("{name}==1.2.3")
        },
    })
}

/// The image of `docker run`: the first word that is neither a flag nor a flag's value.
fn image<'w>(words: &[&'w str]) -> Option<&'w str> {
    image_position(words).map(|at| words[at])
}

/// Where the image of `docker run` stands among the words behind `run`.
pub(super) fn image_position(words: &[&str]) -> Option<usize> {
    // Long flags of `run` that stand alone; every other one takes a value.
    const ALONE: [&str; 12] = [
        "--rm",
        "--init",
        "--interactive",
        "--tty",
        "--detach",
        "--privileged",
        "--read-only",
        "--publish-all",
        "--no-healthcheck",
        "--oom-kill-disable",
        "--quiet",
        "--sig-proxy",
    ];
    let mut words = words.iter().enumerate();
    while let Some((at, word)) = words.next() {
        if !word.starts_with('-') {
            return Some(at);
        }
        let takes_value = if word.starts_with("--") {
            !word.contains('=') && !ALONE.contains(word)
        } else {
            // `-it` stands alone, `-e NAME` does not, `-eNAME` holds its value.
            word.len() == 2 && !matches!(*word, "-i" | "-t" | "-d" | "-q" | "-P")
        };
        if takes_value {
            words.next();
        }
    }
    None
}

fn flag_value<'w>(words: &[&'w str], flags: &[&str]) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(i, word)| {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (*word, None),
        };
        // Behind the package stand the server's own arguments.
        let is_before = words[..i].iter().all(|word| word.starts_with('-'));
        (is_before && flags.contains(&flag)).then(|| value.or_else(|| words.get(i + 1).copied()))?
    })
}

fn first_word<'w>(words: &[&'w str], with_value: &[&str]) -> Option<&'w str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "--" {
            return words.next().copied();
        }
        if !word.starts_with('-') {
            return Some(word);
        }
        if with_value.contains(word) {
            words.next();
        }
    }
    None
}

/// Whether a version names one release: at least two numbers with dots, no range, no tag.
fn is_exact(version: &str) -> bool {
    let numbers = version.split(['-', '+']).next().unwrap_or(version);
    let mut parts = numbers.split('.');
    version
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || ".-+!_".contains(c))
        && numbers.contains('.')
        && parts
            .next()
            .is_some_and(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
        && parts.all(|part| part.starts_with(|c: char| c.is_ascii_digit()) && !part.contains('x'))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn of(line: &str) -> Option<String> {
        let launch = Launch {
            target: Target::Command(line.split(' ').map(str::to_owned).collect()),
            cwd: None,
            env: Vec::new(),
            env_values: BTreeMap::new(),
        };
        unversioned(&launch).map(|found| format!("{}: {}", found.package, found.example))
    }

    #[test]
    fn a_launch_that_names_one_release_is_quiet() {
        for line in [
            "npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .",
            "npx -y --package=a@1.2.3 b",
            "npx -p a@1.2.3-beta.1 b",
            "cmd /c npx -y a@1.2.3",
            "pnpm dlx a@1.2.3",
            "uvx mcp-server-git==2026.1.14",
            "uvx --python 3.12 mcp-server-git@2026.1.14 --repository .",
            "uvx --from git+https://github.com/o/r@0123456789abcdef0123456789abcdef01234567 r",
            "docker run -i --rm -e TOKEN -v /a:/b mcp/time@sha256:00 x",
            "node server.js",
            "npx ./local",
            "/usr/bin/python3 -m server",
            "go run example.test/x@v1.2.3",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn a_launch_that_may_start_any_release_is_told() {
        for (line, told) in [
            ("npx -y @scope/pkg", "@scope/pkg: @scope/pkg@1.2.3"),
            ("npx -y pkg@latest --port 3", "pkg@latest: pkg@1.2.3"),
            ("npx pkg@^1.2.3", "pkg@^1.2.3: pkg@1.2.3"),
            ("npx @scope/pkg@1", "@scope/pkg@1: @scope/pkg@1.2.3"),
            ("C:\\node\\npx.cmd -y pkg", "pkg: pkg@1.2.3"),
            ("bunx pkg", "pkg: pkg@1.2.3"),
            ("npx -y pkg@${VERSION}", "pkg@${VERSION}: pkg@1.2.3"),
            (
                "uvx mcp-server-git",
                "mcp-server-git: mcp-server-git==1.2.3",
            ),
            (
                "uvx --from git+https://github.com/o/r r",
                "git+https://github.com/o/r: git+https://…@COMMIT",
            ),
            ("pipx run pkg>=1.0", "pkg>=1.0: pkg==1.2.3"),
            (
                "docker run -it --rm --name x -e A=b mcp/time:1.0",
                "mcp/time:1.0: mcp/time:1.0@sha256:…",
            ),
            ("podman run --network=host img", "img: img@sha256:…"),
            ("env A=b npx pkg", "pkg: pkg@1.2.3"),
        ] {
            assert_eq!(of(line).as_deref(), Some(told), "{line}");
        }
    }
}
