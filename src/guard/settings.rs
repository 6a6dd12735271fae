//! What decides beside the pinned entry: the threshold, and what the policy says of one server.
//!
//! Pure.

use crate::config::{Policy, ServerName};
use crate::error::{Error, Result};
use crate::rules::{Adjustments, FailOn};
use crate::schema::{Dialect, Formats};

/// What decides beside the pinned entry.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The least drift that refuses a call (`--fail-on`).
    pub fail_on: FailOn,
    /// Overrides of levels.
    pub adjustments: Adjustments,
    /// `default-dialect`
    pub default_dialect: Option<Dialect>,
    /// `assert-format`: whether `format` is checked in values.
    pub formats: Formats,
    /// `reserved-arguments`: a call that holds one of these names is refused.
    pub reserved_arguments: Vec<String>,
    /// `resources = "ignore"`: concrete resources are not pinned, and may be read.
    pub ignore_resources: bool,
    /// Refuse what the agent has not listed in this session.
    pub require_list: bool,
    /// Refuse arguments that the pinned schema does not declare.
    pub deny_undeclared: bool,
}

impl Settings {
    /// What `policy` says of one server.
    pub fn of(policy: &Policy, name: &ServerName, profile: Option<&str>) -> Result<Self> {
        let adjustments = Adjustments::read(policy).map_err(|errors| {
            let first = errors.into_iter().next();
            first.unwrap_or_else(|| Error::config("the policy can't be read"))
        })?;
        let settings = policy.settings(name, profile);
        let dialect = settings.default_dialect.as_ref().map(|setting| {
            setting.read(|text| Dialect::from_name(text).ok_or("no dialect of that name"))
        });
        let fail_on = policy
            .fail_on
            .as_ref()
            .map(|setting| setting.read(|text| FailOn::parse(text).ok_or("no level of that name")));
        Ok(Settings {
            fail_on: fail_on.transpose()?.unwrap_or_default(),
            adjustments,
            default_dialect: dialect.transpose()?,
            formats: match settings.assert_format {
                Some(true) => Formats::Asserted,
                _ => Formats::Noted,
            },
            reserved_arguments: settings.reserved_arguments,
            ignore_resources: settings.ignore_resources == Some(true),
            require_list: false,
            deny_undeclared: false,
        })
    }
}
