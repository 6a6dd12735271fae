//! What `mcplock.toml` changes about findings: levels, and waivers of unfit contracts.

use crate::canonical::Digest;
use crate::config::{LevelOverride, Policy, ServerName, Waiver};
use crate::error::{Error, Result};
use crate::text::{names, visible};

use super::finding::Finding;
use super::level::Level;
use super::registry::{self, Rule, Subject};

/// The overrides and waivers of a policy, read.
#[derive(Debug, Clone, Default)]
pub struct Adjustments {
    overrides: Vec<Override>,
    waivers: Vec<Accepted>,
}

#[derive(Debug, Clone)]
struct Override {
    rule: &'static str,
    level: Level,
    server: Option<String>,
    item: Option<String>,
}

#[derive(Debug, Clone)]
struct Accepted {
    rule: &'static str,
    server: String,
    item: String,
    contract: Digest,
    reason: String,
}

impl Adjustments {
    /// What `policy` adjusts, whichever servers it is for.
    ///
    /// # Errors
    ///
    /// Each setting that names no rule, level or digest, or one that can't be adjusted so, with its
    /// place.
    pub fn read(policy: &Policy) -> Result<Self, Vec<Error>> {
        let mut read = Adjustments::default();
        let mut errors = Vec::new();
        for change in &policy.overrides {
            match Override::read(change) {
                Ok(change) => read.overrides.push(change),
                Err(error) => errors.push(error),
            }
        }
        for waiver in &policy.waivers {
            match Accepted::read(waiver) {
                Ok(waiver) => read.waivers.push(waiver),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(read)
        } else {
            Err(errors)
        }
    }

    /// Gives findings about one server the levels that are set for them.
    pub fn relevel(&self, findings: &mut [Finding], (server, profile): (&str, Option<&str>)) {
        for change in &self.overrides {
            let is_for = |text: &String| names(text, server, profile);
            if !change.server.as_ref().is_none_or(is_for) {
                continue;
            }
            for finding in findings.iter_mut() {
                let item = &change.item;
                if finding.rule == change.rule
                    && item.as_ref().is_none_or(|item| *item == finding.label)
                {
                    finding.level = change.level;
                }
            }
        }
    }

    /// Takes out the unfit findings about one server that are waived. `contract` gives the digest of
    /// the live contract of an item, by its label.
    ///
    /// Returns remarks: each waiver that was used, and each one for this server that matched nothing.
    pub fn waive(
        &self,
        findings: &mut Vec<Finding>,
        (server, profile): (&ServerName, Option<&str>),
        contract: impl Fn(&str) -> Option<Digest>,
    ) -> Vec<String> {
        let own = self
            .waivers
            .iter()
            .filter(|waiver| names(&waiver.server, server.as_str(), profile));
        own.map(|waiver| {
            let live = contract(&waiver.item);
            let before = findings.len();
            findings.retain(|finding| {
                let waived = live == Some(waiver.contract)
                    && finding.level == Level::Unfit
                    && finding.rule == waiver.rule
                    && finding.label == waiver.item;
                !waived
            });
            waiver.remark(findings.len() < before, live)
        })
        .collect()
    }
}

impl Override {
    fn read(change: &LevelOverride) -> Result<Self> {
        let rule = change.rule.read(known_rule)?;
        let level = change.level.read(level_named)?;
        let is_drift = !matches!(level, Level::Unfit | Level::Advice);
        match rule.subject {
            Subject::Fault {
                level: Level::Unfit,
                ..
            } => Err(change
                .rule
                .error("an unfit contract can't be given another level")
                .help(
                    "a `[[waiver]]` with the digest of the contract accepts what can be accepted",
                )),
            Subject::Loss { .. } if is_drift => Err(change
                .level
                .error("what a projection loses is unfit or advice, nothing else")),
            Subject::Change { .. } if !is_drift => Err(change
                .level
                .error("drift is breaking, risky, compatible or equivalent, nothing else")),
            _ => Ok(Override {
                rule: rule.id,
                level,
                server: change.server.as_ref().map(|name| name.text.clone()),
                item: change.item.as_ref().map(|item| item.text.clone()),
            }),
        }
    }
}

impl Accepted {
    fn read(waiver: &Waiver) -> Result<Self> {
        let rule = waiver.rule.read(known_rule)?;
        let contract = waiver.contract.read(str::parse)?;
        if !rule.is_waivable() {
            return Err(waiver
                .rule
                .error(format!("`{}` can't be waived", rule.id))
                .help("`mcplock explain` says of each rule what can be done"));
        }
        Ok(Accepted {
            rule: rule.id,
            server: waiver.server.text.clone(),
            item: waiver.item.text.clone(),
            contract,
            reason: waiver.reason.clone(),
        })
    }

    /// What is told of it, where `live` is the digest of the item as it is.
    fn remark(&self, used: bool, live: Option<Digest>) -> String {
        let rule = self.rule;
        let item = visible(&self.item);
        if used {
            return format!("`{rule}` of {item} is waived: {}", visible(&self.reason));
        }
        match live {
            None => format!(
                "the waiver of `{rule}` for {item} matches nothing: the server lists no such item"
            ),
            Some(live) if live == self.contract => {
                format!("the waiver of `{rule}` for {item} matches nothing: remove it")
            }
            Some(live) => format!(
                "the waiver of `{rule}` for {item} has lapsed: the contract is another one now, {live}"
            ),
        }
    }
}

fn known_rule(id: &str) -> Result<&'static Rule, String> {
    registry::rule(id).ok_or_else(|| format!("no rule is called `{}`", visible(id)))
}

fn level_named(word: &str) -> Result<Level, String> {
    Level::parse(word).ok_or_else(|| format!("`{}` is no level", visible(word)))
}
