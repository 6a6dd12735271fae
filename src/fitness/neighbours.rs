//! Tools of several servers that a host, or a person, takes for one.
//!
//! Pure. The names may come from live catalogs and from lockfiles.

use std::collections::{BTreeMap, HashMap};

use crate::catalog::Kind;
use crate::json::Pointer;
use crate::text::visible;

use super::scripts::Looks;
use super::{Fault, FaultKind};

/// How many characters hosts keep of `mcp__SERVER__TOOL`.
const HOST_NAME: usize = 64;

/// The names of the tools of one server.
#[derive(Debug, Clone, Copy)]
pub struct Roster<'n> {
    /// The server.
    pub server: &'n str,
    /// Its profile; the profiles of one server are never on one host together.
    pub profile: Option<&'n str>,
    /// The tools.
    pub tools: &'n [String],
    /// Whether its tools are judged, or only stand beside those that are.
    pub judged: bool,
}

/// Tools of different servers, or of one, that get one name where hosts join the names of server
/// and tool and cut what is too long; and tools of different servers that look alike in letters of
/// different scripts. Each fault goes with the position of its roster, which is judged.
pub fn collisions(rosters: &[Roster<'_>]) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    let mut hosts: HashMap<String, (usize, &str)> = HashMap::new();
    let mut looks = Looks::default();
    // those that are not judged come first, so that what collides with them is told of the others
    let (beside, judged): (Vec<_>, Vec<_>) = rosters
        .iter()
        .enumerate()
        .partition(|(_, roster)| !roster.judged);
    for (which, roster) in beside.into_iter().chain(judged) {
        let mut fault = |tool: &str, message: String| {
            if roster.judged {
                let fault = Fault {
                    kind: FaultKind::NameCollision,
                    item: Some(Kind::Tool),
                    label: format!("{}:{tool}", Kind::Tool),
                    pointer: Pointer::root().key("name"),
                    message,
                    value: None,
                };
                faults.push((which, fault));
            }
        };
        for tool in roster.tools {
            let (other, other_tool) = *hosts
                .entry(host_name(roster.server, tool))
                .or_insert((which, tool));
            let others = &rosters[other];
            let same_tool = others.server == roster.server && other_tool == tool;
            let one_host = other == which || others.server != roster.server;
            if !same_tool && one_host {
                let message = format!(
                    "hosts that call it `mcp__SERVER__TOOL`, in {HOST_NAME} characters, give one name \
                     to `{}` of server `{}` and `{}` of server `{}`",
                    visible(tool),
                    visible(roster.server),
                    visible(other_tool),
                    visible(others.server),
                );
                fault(tool, message);
            }
            if let Some((other, other_tool)) = looks.like(tool, which)
                && rosters[other].server != roster.server
            {
                let message = format!(
                    "`{}` of server `{}` looks like `{}` of server `{}`, with letters of another script",
                    visible(tool),
                    visible(roster.server),
                    visible(other_tool),
                    visible(rosters[other].server),
                );
                fault(tool, message);
            }
        }
    }
    faults
}

/// Names that tools of several servers have, with those servers: no fault where hosts put the
/// server's name before the tool's.
pub fn shared<'n>(rosters: &[Roster<'n>]) -> BTreeMap<&'n str, Vec<&'n str>> {
    let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for roster in rosters {
        for tool in roster.tools {
            let known = servers.entry(tool).or_default();
            if !known.contains(&roster.server) {
                known.push(roster.server);
            }
        }
    }
    servers.retain(|_, servers| servers.len() > 1);
    servers
}

fn host_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || c == '-' => c,
            _ => '_',
        })
        .take(HOST_NAME)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tools: &[&str]) -> Vec<String> {
        tools.iter().map(|tool| (*tool).to_owned()).collect()
    }

    fn roster<'n>(server: &'n str, tools: &'n [String]) -> Roster<'n> {
        Roster {
            server,
            profile: None,
            tools,
            judged: true,
        }
    }

    fn found(servers: &[(&str, &[&str])]) -> Vec<(usize, String)> {
        let tools: Vec<Vec<String>> = servers.iter().map(|(_, tools)| names(tools)).collect();
        let rosters: Vec<Roster<'_>> = servers
            .iter()
            .zip(&tools)
            .map(|((server, _), tools)| roster(server, tools))
            .collect();
        collisions(&rosters)
            .into_iter()
            .map(|(which, fault)| (which, fault.label))
            .collect()
    }

    #[test]
    fn one_name_in_two_servers_is_no_fault_and_is_known() {
        let (a, b) = (names(&["search", "read"]), names(&["search"]));
        let rosters = [roster("a", &a), roster("b", &b)];
        assert_eq!(collisions(&rosters), []);
        let shared = shared(&rosters);
        assert_eq!(
            shared.into_iter().collect::<Vec<_>>(),
            [("search", vec!["a", "b"])]
        );
    }

    #[test]
    fn names_that_hosts_make_one_of_are_told_with_both_servers() {
        let (a, b) = (names(&["b__c", "run"]), names(&["c", "run"]));
        let told = collisions(&[roster("a", &a), roster("a__b", &b)]);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((told[0].0, told[0].1.label.as_str()), (1, "tool:c"));
        for part in ["`c` of server `a__b`", "`b__c` of server `a`"] {
            assert!(told[0].1.message.contains(part), "{}", told[0].1.message);
        }
        assert_eq!(
            found(&[("my files", &["x"]), ("my.files", &["x"])]).len(),
            1
        );
    }

    #[test]
    fn names_that_are_cut_or_mangled_alike_in_one_server_are_told() {
        let long = "x".repeat(60);
        let (one, two) = (format!("{long}_one"), format!("{long}_two"));
        let told = found(&[("s", &[&one, &two, "a.b", "a b", "a-b"])]);
        assert_eq!(
            told,
            [(0, format!("tool:{two}")), (0, "tool:a b".to_owned())]
        );
    }

    #[test]
    fn a_tool_that_imitates_one_of_another_server_is_told() {
        let imitation = "\u{0440}\u{0430}\u{0443}";
        assert_eq!(
            found(&[("bank", &["pay"]), ("other", &[imitation])]),
            [(1, format!("tool:{imitation}"))]
        );
        assert_eq!(found(&[("a", &["list_1"]), ("b", &["list_l"])]), []);
    }

    #[test]
    fn what_only_stands_beside_is_not_blamed() {
        let (a, b) = (names(&["c"]), names(&["b__c"]));
        let mut rosters = [roster("a__b", &a), roster("a", &b)];
        rosters[1].judged = false;
        let told = collisions(&rosters);
        assert_eq!(
            told.iter().map(|(which, _)| *which).collect::<Vec<_>>(),
            [0]
        );
        rosters[0].judged = false;
        assert_eq!(collisions(&rosters), []);
    }

    #[test]
    fn two_profiles_of_one_server_do_not_collide() {
        let (a, b) = (names(&["a.b"]), names(&["a b"]));
        let mut rosters = [roster("s", &a), roster("s", &b)];
        rosters[1].profile = Some("staging");
        assert_eq!(collisions(&rosters), []);
    }
}
