//! The gate: a pinned entry, what a server lists now and a call in; a decision out.
//!
//! Pure: knows no stream, file or process. Whoever embeds it lists before each call.

use crate::canonical::Contract;
use crate::catalog::{Item, Kind};
use crate::compare::{self, Live, LiveText};
use crate::error::Result;
use crate::json::{Document, Object, Value};
use crate::lock::{Entry, PinnedItem, PinnedText, Words, pin_instructions, pin_item};
use crate::protocol::Revision;
use crate::rules::{self, Finding};
use crate::schema::Undeclared;
use crate::text::visible;

use super::arguments::{Arguments, Flaw};
use super::call::{Call, CallKind};
use super::decision::{Decision, Reason};
use super::served::Served;
use super::settings::Settings;
use super::template;
use super::view::{Agent, Judged, Standing, View};

/// How many items of one list are compared in full. Beyond, an item that differs has drifted, and
/// nobody is told how: a server that changes everything at once must not make the guard slow.
const COMPARED: usize = 256;

/// The gate of one server.
#[derive(Debug)]
pub struct Gate {
    entry: Entry,
    settings: Settings,
    words: Words,
    arguments: Arguments,
}

impl Gate {
    /// The gate in front of the server that `entry` pins.
    ///
    /// # Errors
    ///
    /// Volatile words that do not compile.
    pub fn new(entry: Entry, settings: Settings) -> Result<Self> {
        let words = Words::compile(&entry.volatile)?;
        let undeclared = Undeclared::for_revision(Some(entry.protocol), settings.default_dialect);
        let arguments = Arguments::new(
            undeclared,
            settings.formats,
            settings.reserved_arguments.clone(),
            settings.deny_undeclared,
        );
        Ok(Gate {
            entry,
            settings,
            words,
            arguments,
        })
    }

    /// What is pinned.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Judges the items of one list, or of one page of it, from the bytes that the server sent.
    pub fn judge<'t>(
        &self,
        kind: Kind,
        items: impl IntoIterator<Item = &'t str>,
        agent: &Agent,
    ) -> Judged {
        let mut judged = Judged::default();
        let mut compared = 0;
        for (position, raw) in items.into_iter().enumerate() {
            let item = Item::new(kind, position, raw.into());
            let standing = self.standing(&item, agent, &mut compared);
            judged.push(item.key.as_deref(), standing);
        }
        judged
    }

    fn standing(&self, item: &Item, agent: &Agent, compared: &mut usize) -> Standing {
        let key = item.key.as_deref().unwrap_or_default();
        let pinned = self.pinned(item.kind, key);
        let digest = pinned.map(|pinned| pinned.contract);
        let Ok((live, _)) = pin_item(item, &self.words) else {
            return Standing::new(Reason::Unfit, digest, None);
        };
        let contract = Some(live.contract);
        let Some(pinned) = pinned else {
            let ignored = item.kind == Kind::Resource && self.settings.ignore_resources;
            let reason = if ignored {
                Reason::Ignored
            } else {
                Reason::NotPinned
            };
            return Standing::new(reason, None, contract);
        };
        if pinned.contract == live.contract {
            return Standing::new(Reason::Equal, digest, contract);
        }
        let (old, new) = (
            in_both(pinned, self.entry.protocol, agent.revision),
            in_both(&live, self.entry.protocol, agent.revision),
        );
        if old.contract == new.contract {
            return Standing::new(Reason::Equal, digest, contract);
        }
        let mut standing = Standing::new(Reason::Drift, digest, contract);
        *compared += 1;
        if *compared > COMPARED {
            return standing;
        }
        standing.findings = self.findings(&old, &new, agent.revision);
        if self.tolerates(&standing.findings) {
            standing.reason = Reason::Tolerated;
        }
        standing
    }

    fn findings(
        &self,
        old: &PinnedItem,
        new: &PinnedItem,
        revision: Option<Revision>,
    ) -> Vec<Finding> {
        let live = Live {
            items: std::slice::from_ref(new),
            ..nothing()
        };
        let revisions = (Some(self.entry.protocol), revision);
        let comparison = compare::compare_items(std::slice::from_ref(old), &live, revisions);
        self.judged(&comparison.drifts)
    }

    fn judged(&self, drifts: &[compare::ItemDrift]) -> Vec<Finding> {
        let (name, profile) = self.entry.identity();
        let address = self.entry.address();
        let mut findings: Vec<Finding> = drifts
            .iter()
            .flat_map(|drift| rules::judge(&address, drift))
            .collect();
        let adjustments = &self.settings.adjustments;
        adjustments.relevel(&mut findings, (name.as_str(), profile));
        rules::sort(&mut findings);
        findings
    }

    /// Whether a difference is below the threshold. One that nobody can name is not.
    fn tolerates(&self, findings: &[Finding]) -> bool {
        !findings.is_empty()
            && !findings
                .iter()
                .any(|finding| rules::fails(finding, self.settings.fail_on))
    }

    /// Judges the instructions that a server gave; none when it gave none.
    pub fn judge_instructions(&self, sent: Option<&Document>) -> Standing {
        let pinned = self.entry.instructions.as_ref();
        let digest = pinned.map(|text| text.digest);
        let live: Option<PinnedText> = match sent {
            None => None,
            Some(document) => match pin_instructions(document, &self.words) {
                Ok((text, _)) => Some(text),
                Err(_) => return Standing::new(Reason::Unfit, digest, None),
            },
        };
        let live_digest = live.as_ref().map(|text| text.digest);
        if digest == live_digest {
            return Standing::new(Reason::Equal, digest, live_digest);
        }
        let mut head = self.entry.clone();
        head.items.clear();
        let text = live
            .as_ref()
            .map_or(LiveText::Absent, |text| LiveText::Text(&text.text));
        let live = Live {
            instructions: text,
            ..nothing()
        };
        let mut standing = Standing::new(Reason::Drift, digest, live_digest);
        standing.findings = self.judged(&compare::compare(&head, &live).drifts);
        if self.tolerates(&standing.findings) {
            standing.reason = Reason::Tolerated;
        }
        standing
    }

    /// Whether this item is pinned, by a search in the sorted entry.
    fn pinned(&self, kind: Kind, key: &str) -> Option<&PinnedItem> {
        let items = &self.entry.items;
        let at = items.binary_search_by(|item| item.identity().cmp(&(kind, key)));
        at.ok().map(|at| &items[at])
    }

    /// The lists that have to be known before this call is decided, given those in `view`.
    pub fn needs(&self, view: &View, call: &Call<'_>) -> Vec<Kind> {
        match call.kind {
            CallKind::Tool => vec![Kind::Tool],
            CallKind::Prompt => vec![Kind::Prompt],
            CallKind::Resource => match view.list(Kind::Resource) {
                Some(list) if list.get(call.key).is_some() => vec![Kind::Resource],
                _ => vec![Kind::Resource, Kind::ResourceTemplate],
            },
        }
    }

    /// Decides whether `call` may go to the server.
    ///
    /// `view` holds what [`Gate::needs`] names, listed just now; `served` is what this agent was
    /// shown.
    pub fn decide(&mut self, view: &View, served: &Served, call: &Call<'_>) -> Decision {
        let (kind, key) = self.subject(view, call);
        let label = format!("{}:{}", kind.word(), visible(&key));
        let mut decision = self.stands(view, call, kind, &key);
        decision.item = label;
        if let Some(standing) = served.instructions()
            && !standing.reason.passes()
        {
            decision.reason = Reason::Instructions;
            decision.findings.clone_from(&standing.findings);
            decision.pinned = standing.pinned;
            decision.live = standing.live;
            return decision.says(
                "the instructions of the server have drifted from the pinned ones",
                "look at `mcplock diff`, and pin again if the change is wanted",
            );
        }
        if served.must_list(kind) {
            decision.reason = Reason::Stale;
            return decision.says(
                "the lockfile was pinned anew, and this agent has not listed since",
                format!("call `{}` to its last page, then try again", kind.method()),
            );
        }
        if !decision.passes() {
            return decision;
        }
        match served.contract(kind, &key) {
            Some(shown) if decision.live.is_some_and(|live| live != shown) => {
                decision.reason = Reason::ServedOther;
                return decision.says(
                    "this agent was last shown another contract than the one that holds now",
                    format!("call `{}` to its last page, then try again", kind.method()),
                );
            }
            Some(_) => {}
            None if self.settings.require_list => {
                decision.reason = Reason::NotListed;
                return decision.says(
                    "it was not listed to this agent in this session",
                    format!("call `{}` first", kind.method()),
                );
            }
            None => decision
                .notes
                .push("never listed in this session".to_owned()),
        }
        self.argued(decision, kind, &key, call)
    }

    /// The item that a call is about: of a resource that is not listed, the template it comes from.
    fn subject(&self, view: &View, call: &Call<'_>) -> (Kind, String) {
        let kind = match call.kind {
            CallKind::Tool => Kind::Tool,
            CallKind::Prompt => Kind::Prompt,
            CallKind::Resource => {
                let concrete = self.pinned(Kind::Resource, call.key).is_some()
                    || view
                        .list(Kind::Resource)
                        .is_some_and(|list| list.get(call.key).is_some());
                if concrete {
                    Kind::Resource
                } else {
                    return match Self::templates(view, call.key).first() {
                        Some((template, _)) => (Kind::ResourceTemplate, template.clone()),
                        None => (Kind::Resource, call.key.to_owned()),
                    };
                }
            }
        };
        (kind, call.key.to_owned())
    }

    /// The live templates that a URI may come from, those that refuse it first.
    fn templates(view: &View, uri: &str) -> Vec<(String, Standing)> {
        let list = view.list(Kind::ResourceTemplate);
        let mut found: Vec<(String, Standing)> = list
            .into_iter()
            .flat_map(Judged::items)
            .filter_map(|(key, standing)| Some((key?, standing)))
            .filter(|(key, _)| template::matches(key, uri))
            .map(|(key, standing)| (key.to_owned(), standing.clone()))
            .collect();
        found.sort_by_key(|(_, standing)| standing.reason.passes());
        found
    }

    fn stands(&self, view: &View, call: &Call<'_>, kind: Kind, key: &str) -> Decision {
        let pinned = self.pinned(kind, key);
        let Some(list) = view.list(kind) else {
            return Decision::new("", Reason::NoList)
                .says("what the server lists now is not known", "list first");
        };
        let Some(standing) = list.get(key) else {
            let mut decision = Decision::new("", Reason::NotPinned);
            let Some(pinned) = pinned else {
                if call.kind == CallKind::Resource && self.settings.ignore_resources {
                    decision.reason = Reason::Ignored;
                    return decision;
                }
                return decision.says(
                    "it is neither pinned nor listed",
                    "pin the server again if it has come to offer this",
                );
            };
            decision.pinned = Some(pinned.contract);
            if self.shows_less(view.agent()) {
                decision.reason = Reason::Unavailable;
                return decision.says(
                    "it is pinned, and the server does not list it to an agent with this revision \
                     and these capabilities",
                    "it was pinned by a client that declares more",
                );
            }
            decision.reason = Reason::Gone;
            return decision.says(
                "it is pinned, and the server lists it no longer",
                "look at `mcplock diff`",
            );
        };
        let mut decision = Decision::new("", standing.reason);
        decision.pinned = standing.pinned;
        decision.live = standing.live;
        decision.findings.clone_from(&standing.findings);
        match standing.reason {
            Reason::Drift => {
                let what = drifted(&standing.findings);
                decision.says(
                    format!("its contract has drifted from the pinned one: {what}"),
                    format!(
                        "look at `mcplock diff {0}`, and accept the change with `mcplock pin {0}` \
                         if it is wanted",
                        visible(self.entry.name.as_str())
                    ),
                )
            }
            Reason::NotPinned => decision.says(
                "the server lists it, and it is not pinned",
                format!(
                    "look at it, and pin it with `mcplock pin {}` if it is wanted",
                    visible(self.entry.name.as_str())
                ),
            ),
            Reason::Unfit => decision.says(
                "what the server lists under this name has no contract to compare",
                "`mcplock check` says what is wrong with it",
            ),
            Reason::Twice => decision.says(
                "the server lists two of this name, and nobody knows which one a call reaches",
                "tell the author of the server",
            ),
            _ => decision,
        }
    }

    /// Whether this agent may be shown less than the client that pinned.
    fn shows_less(&self, agent: &Agent) -> bool {
        let other_revision = agent
            .revision
            .is_some_and(|revision| revision != self.entry.protocol);
        let fewer = agent.declared.as_ref().is_some_and(|declared| {
            self.entry
                .capabilities
                .iter()
                .any(|capability| !declared.contains(capability))
        });
        other_revision || fewer
    }

    /// The arguments of a call whose contract passes.
    fn argued(
        &mut self,
        mut decision: Decision,
        kind: Kind,
        key: &str,
        call: &Call<'_>,
    ) -> Decision {
        let items = &self.entry.items;
        let at = items.binary_search_by(|item| item.identity().cmp(&(kind, key)));
        let Some(pinned) = at.ok().map(|at| &items[at]) else {
            return decision;
        };
        let outcome = match call.kind {
            CallKind::Tool => self.arguments.of_tool(pinned, call.arguments),
            CallKind::Prompt => self.arguments.of_prompt(pinned, call.arguments),
            CallKind::Resource => Ok(Vec::new()),
        };
        match outcome {
            Ok(notes) => {
                decision.notes.extend(notes);
                decision
            }
            Err(flaw) => flawed(decision, flaw),
        }
    }

    /// Judges the structured content of the result of a tool; none when it is as promised.
    pub fn judge_result(&mut self, tool: &str, structured: Option<&str>) -> Option<Decision> {
        let items = &self.entry.items;
        let at = items.binary_search_by(|item| item.identity().cmp(&(Kind::Tool, tool)));
        let pinned = at.ok().map(|at| &items[at])?;
        let flaw = self.arguments.of_result(pinned, structured).err()?;
        let mut decision = Decision::new(format!("tool:{}", visible(tool)), flaw.reason);
        decision.pinned = Some(pinned.contract);
        Some(flawed(decision, flaw))
    }
}

fn flawed(mut decision: Decision, flaw: Flaw) -> Decision {
    decision.reason = flaw.reason;
    let help = match flaw.reason {
        Reason::Arguments => "send what the schema asks for; nothing is converted or filled in",
        Reason::Undeclared => "list again: the name may be an old one",
        Reason::Reserved => "leave the argument out: the host sets it",
        Reason::Result => "tell the author of the server",
        Reason::CanNotTell => "`mcplock check` says what can't be relied on in the schema",
        _ => "send each name once",
    };
    decision.says(flaw.message, help)
}

/// The worst of the findings, as the end of a sentence.
fn drifted(findings: &[Finding]) -> String {
    match findings {
        [] => "so much has changed that it was not compared in full".to_owned(),
        [one] => format!("{}: {}", one.rule, one.message),
        [first, rest @ ..] => format!(
            "{}: {} (and {} more)",
            first.rule,
            first.message,
            rest.len()
        ),
    }
}

/// The live side of a comparison of nothing.
fn nothing<'a>() -> Live<'a> {
    Live {
        items: &[],
        unfit: &[],
        unknown: &[],
        instructions: LiveText::Unknown,
        launch: None,
        protocol: None,
        capabilities: None,
        volatile: None,
    }
}

/// The part of a contract that both revisions have: `execution` is known to 2025-11-25 alone.
fn in_both(item: &PinnedItem, pinned: Revision, live: Option<Revision>) -> PinnedItem {
    let has = |revision: Revision| revision == Revision::V2025_11_25;
    let Some(live) = live else {
        return item.clone();
    };
    if item.kind != Kind::Tool || (has(pinned) && has(live)) {
        return item.clone();
    }
    let Value::Object(object) = &item.value else {
        return item.clone();
    };
    let members = object.members().iter();
    let value = Value::Object(Object::new(
        members
            .filter(|(name, _)| name != "execution")
            .cloned()
            .collect(),
    ));
    let contract = Contract::of(item.kind, &value);
    PinnedItem {
        contract: contract.digest,
        schema: contract.schema,
        description: contract.description,
        value,
        ..item.clone()
    }
}
