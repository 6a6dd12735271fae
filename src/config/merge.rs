//! The same server in several places is one; a clash shows both.
//!
//! Pure.

use std::collections::BTreeMap;

use super::discover::{Discovered, OtherPlace, Standing};
use super::spec::{ServerName, ServerSpec};
use crate::error::Error;
use crate::text::visible;

/// Which places go before which others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    CommandLine,
    Policy,
    Project,
    User,
}

pub(super) struct Candidate {
    /// The server.
    pub(super) spec: ServerSpec,
    /// Where it stands.
    pub(super) rank: Rank,
}

/// One server for each name and profile.
pub(super) fn merge(candidates: impl Iterator<Item = Candidate>, out: &mut Discovered) {
    let mut groups: BTreeMap<(ServerName, Option<String>), Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let key = (candidate.spec.name.clone(), candidate.spec.profile.clone());
        groups.entry(key).or_default().push(candidate);
    }
    for ((name, profile), mut group) in groups {
        // The first that is switched on decides; a stable sort keeps the order of the files.
        group.sort_by_key(|candidate| (candidate.spec.disabled, candidate.rank));
        let mut group = group.into_iter();
        let Some(first) = group.next() else { continue };
        let mut clashes = false;
        for other in group {
            let (one, two) = (&first.spec.launch, &other.spec.launch);
            let same = one.matches(two) || two.matches(one);
            let standing = if same {
                Standing::Same
            } else if other.spec.disabled && !first.spec.disabled {
                Standing::Disabled
            } else if shadows(&first, &other) {
                Standing::Shadowed
            } else {
                out.errors.push(clash(&first.spec, &other.spec));
                clashes = true;
                continue;
            };
            if standing == Standing::Shadowed {
                out.notes.push(format!(
                    "server `{}` of {} is shadowed by {}",
                    visible(&first.spec.address()),
                    other.spec.origin,
                    first.spec.origin
                ));
            }
            out.others.push(OtherPlace {
                name: name.clone(),
                profile: profile.clone(),
                origin: other.spec.origin,
                standing,
            });
        }
        if !clashes {
            out.servers.push(first.spec);
        }
    }
}

/// Whether `first` goes before `other` though they differ. A project's file goes before the same
/// client's user-level one, as the clients have it; between clients nobody decides.
fn shadows(first: &Candidate, other: &Candidate) -> bool {
    match (first.rank, other.rank) {
        (Rank::CommandLine, _) => true,
        (Rank::Policy, other) => other > Rank::Policy,
        (Rank::Project, Rank::User) => first.spec.origin.kind == other.spec.origin.kind,
        _ => false,
    }
}

fn clash(first: &ServerSpec, other: &ServerSpec) -> Error {
    let difference = first.launch.differences(&other.launch).into_iter().next();
    let detail = difference.map(|difference| {
        let word = |text: &Option<String>| match text {
            Some(text) => format!("`{}`", visible(text)),
            None => "nothing".to_owned(),
        };
        format!(
            "at {}: {} in {}, {} in {}",
            difference.pointer,
            word(&difference.old),
            first.origin,
            word(&difference.new),
            other.origin
        )
    });
    let error = other.place(
        Error::config(format!(
            "{} describes a server of this name in another way",
            first.origin
        ))
        .help("make the two agree, or describe the server in mcplock.toml, which goes before both"),
    );
    match detail {
        Some(detail) => error.detail(detail),
        None => error,
    }
}
