//! What `mcplock.toml` changes about findings: levels, and waivers of unfit contracts.

use crate::canonical::Digest;
use crate::config::{LevelOverride, Policy, ServerName, Waiver};
use crate::error::{Error, Result};

use super::finding::Finding;
use super::level::Level;
use super::registry::{self, Rule, Subject};

/// What is wrong with the overrides and waivers of `policy`, whichever servers they are for.
pub fn flaws(policy: &Policy) -> Vec<Error> {
    let overrides = policy.overrides.iter().map(|change| {
        let rule = registry::rule(rule_of(change)?);
        let level = change.level.read(level_named)?;
        let drift = !matches!(level, Level::Unfit | Level::Advice);
        match rule.map(|rule| &rule.subject) {
            Some(Subject::Fault {
                level: Level::Unfit,
            }) => Err(change
                .rule
                .error("an unfit contract can't be given another level")
                .help(
                    "a `[[waiver]]` with the digest of the contract accepts what can be accepted",
                )),
            Some(Subject::Change { .. }) if !drift => Err(change
                .level
                .error("drift is breaking, risky, compatible or equivalent, nothing else")),
            _ => Ok(()),
        }
    });
    let waivers = policy.waivers.iter().map(|waiver| {
        let rule = registry::rule(waiver.rule.read(known_rule)?);
        let _: Digest = waiver.contract.read(str::parse)?;
        if rule.is_some_and(Rule::is_waivable) {
            Ok(())
        } else {
            Err(waiver
                .rule
                .error(format!(
                    "`{}` can't be waived",
                    crate::text::visible(&waiver.rule.text)
                ))
                .help("`mcplock explain` says of each rule what can be done"))
        }
    });
    overrides.chain(waivers).filter_map(Result::err).collect()
}

/// Applies the overrides and waivers of `policy` to the findings about one server. `contract`
/// gives the digest of the live contract of an item, by its label.
///
/// Returns remarks: each waiver that was used, and each one for this server that matched nothing.
///
/// # Errors
///
/// A setting that names no rule, level or digest, with its place.
pub fn adjust(
    findings: &mut Vec<Finding>,
    server: &ServerName,
    policy: &Policy,
    contract: impl Fn(&str) -> Option<Digest>,
) -> Result<Vec<String>> {
    for change in &policy.overrides {
        let (rule, level) = (rule_of(change)?, change.level.read(level_named)?);
        let concerned = findings.iter_mut().filter(|finding| {
            finding.rule == rule
                && change
                    .server
                    .as_ref()
                    .is_none_or(|name| name.text == server.as_str())
                && change
                    .item
                    .as_ref()
                    .is_none_or(|item| item.text == finding.label)
        });
        concerned.for_each(|finding| finding.level = level);
    }
    let mut remarks = Vec::new();
    for waiver in policy
        .waivers
        .iter()
        .filter(|waiver| waiver.server.text == server.as_str())
    {
        let rule = waiver.rule.read(known_rule)?;
        let digest: Digest = waiver.contract.read(str::parse)?;
        let before = findings.len();
        let holds = contract(&waiver.item.text) == Some(digest);
        findings.retain(|finding| {
            let waived = holds
                && finding.level == Level::Unfit
                && finding.rule == rule
                && finding.label == waiver.item.text;
            !waived
        });
        remarks.push(told(waiver, rule, findings.len() < before, holds));
    }
    Ok(remarks)
}

fn told(waiver: &Waiver, rule: &str, used: bool, holds: bool) -> String {
    let item = crate::text::visible(&waiver.item.text);
    let reason = crate::text::visible(&waiver.reason);
    if used {
        format!("`{rule}` of {item} is waived: {reason}")
    } else if holds {
        format!("the waiver of `{rule}` for {item} matches nothing: remove it")
    } else {
        format!("the waiver of `{rule}` for {item} has lapsed: the contract is another one now")
    }
}

fn rule_of(change: &LevelOverride) -> Result<&'static str> {
    change.rule.read(known_rule)
}

fn known_rule(id: &str) -> Result<&'static str, String> {
    registry::rule(id)
        .map(|rule| rule.id)
        .ok_or_else(|| format!("no rule is called `{}`", crate::text::visible(id)))
}

fn level_named(word: &str) -> Result<Level, String> {
    Level::parse(word).ok_or_else(|| format!("`{}` is no level", crate::text::visible(word)))
}
