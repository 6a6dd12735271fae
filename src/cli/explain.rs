//! `mcplock explain`: what a rule means.

use std::fmt::Write as _;
use std::process::ExitCode;

use crate::error::{Error, Result};
use crate::rules;
use crate::text::visible;

use super::Shell;
use super::args::ExplainArgs;
use crate::text::nearest;

/// Runs `mcplock explain`.
pub(crate) fn run(shell: &Shell, args: &ExplainArgs) -> Result<ExitCode> {
    let text = match &args.rule {
        None => {
            let mut text = String::new();
            for rule in rules::rules() {
                let _ = writeln!(text, "{:<26} {}", rule.id, rule.summary);
            }
            text
        }
        Some(id) => {
            let rule = rules::rule(id).ok_or_else(|| {
                let error = Error::usage(format!("no rule is called `{}`", visible(id)));
                match nearest(id, rules::rules().iter().map(|rule| rule.id)) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help("`mcplock explain` lists them"),
                }
            })?;
            rule.to_string()
        }
    };
    shell
        .printer
        .product(&text)
        .map_err(|error| Error::usage(format!("could not write the explanation: {error}")))?;
    Ok(ExitCode::SUCCESS)
}
