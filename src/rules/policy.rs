//! What `mcplock.toml` changes about findings: levels, and waivers of unfit contracts.

use crate::canonical::Digest;
use crate::config::{LevelOverride, Policy, ServerName, Waiver};
use crate::error::Result;

use super::finding::Finding;
use super::level::Level;
use super::registry;

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
