//! What a change of a tool's schemas does to its callers.
//!
//! An input schema is asked three questions. The *careful* caller, who uses declared names only,
//! decides; the difference that only *any* caller could meet is a note; and an argument that was
//! declared and no longer is, where the new object tolerates it, is *silently ignored*. An output
//! schema is asked one question, the other way round.

use crate::json::{Pointer, Value};

use super::eval::holds;
use super::ir::{Arena, Id, Node, Types};
use super::lower::{Lowering, Openness, Shape};
use super::solve::{Solver, no, yes};
use super::val::Val;
use super::witness::shrink;
use super::{Comparison, Options, Verdict};

/// An argument that callers may still send, but that nothing declares any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Where objects have the argument: member names, and `*` for any item of an array.
    pub at: Pointer,
    /// The argument's name.
    pub name: String,
    /// A call that both schemas accept and that holds the argument; none when no call was found,
    /// though it is not proved that there is none.
    pub call: Option<Value>,
}

/// What a change of a tool's input schema does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputVerdict {
    /// Whether every call that uses declared names only is still accepted: this decides.
    pub careful: Verdict,
    /// Whether every call is still accepted, undeclared names and all.
    pub any: Verdict,
    /// Whether the new schema accepts nothing that the old one did not.
    pub back: Verdict,
    /// Declared arguments that are silently ignored now.
    pub ignored: Vec<Ignored>,
}

/// Judges a change of a tool's input schema.
pub fn tool_input(old: &Value, new: &Value, options: &Options) -> InputVerdict {
    let any = super::inclusion(old, new, options);
    let back = super::inclusion(new, old, &options.swapped());
    let ask = Comparison::with(old, new, options, |comparison| {
        let (accepted, careful) = careful_caller(comparison, &any, options);
        let ignored = silently_ignored(comparison, &accepted, options);
        (careful, ignored)
    });
    let (careful, ignored) = match ask {
        Ok(answer) => answer,
        Err(reason) => (Verdict::Undecided(reason), Vec::new()),
    };
    InputVerdict {
        careful,
        any,
        back,
        ignored,
    }
}

/// The first question of [`tool_input`] alone: whether every call of `old` that uses declared names
/// only is accepted by `new`.
pub fn careful(old: &Value, new: &Value, options: &Options) -> Verdict {
    let any = super::inclusion(old, new, options);
    if any.is_included() {
        return any;
    }
    Comparison::with(old, new, options, |comparison| {
        careful_caller(comparison, &any, options).1
    })
    .unwrap_or_else(Verdict::Undecided)
}

/// The sets that a call of a careful caller which both schemas accept is in, and the verdict on
/// such callers; `any` is the verdict on all.
fn careful_caller(
    comparison: &mut Comparison,
    any: &Verdict,
    options: &Options,
) -> ([Id; 3], Verdict) {
    let (old, new) = comparison.ids();
    let closing = Lowering::new(comparison.old_graph, comparison.arena).careful();
    // A schema whose names are all undeclared has no careful caller: then any caller counts.
    let vacuous = Solver::new(comparison.arena, options.budget)
        .goal(vec![yes(old), yes(closing)])
        .is_empty();
    let closing = if vacuous { Arena::TRUE } else { closing };
    let careful = if any.is_included() || vacuous {
        any.clone()
    } else {
        comparison.decide(&[yes(old), yes(closing), no(new)], Some(closing))
    };
    ([old, closing, new], careful)
}

/// Judges a change of a tool's output schema: whether every result that the new one promises keeps
/// the old promise. A witness is a result that the new schema allows and the old one did not.
pub fn tool_output(old: &Value, new: &Value, options: &Options) -> Verdict {
    super::inclusion(new, old, &options.swapped())
}

#[derive(Clone)]
enum Step {
    Member(String),
    Item,
}

fn silently_ignored(
    comparison: &mut Comparison,
    accepted: &[Id],
    options: &Options,
) -> Vec<Ignored> {
    let old = Lowering::new(comparison.old_graph, comparison.arena).shape();
    let new = Lowering::new(comparison.new_graph, comparison.arena).shape();
    let (Some(old), Some(new)) = (old, new) else {
        return Vec::new();
    };
    let mut gone = Vec::new();
    undeclared(comparison.arena, &old, &new, &mut Vec::new(), &mut gone);
    let mut ignored = Vec::new();
    for (path, name) in gone {
        let holder = holder(comparison.arena, &path, &name);
        let mut goal: Vec<_> = accepted.iter().map(|id| yes(*id)).collect();
        goal.push(yes(holder));
        let answer = Solver::new(comparison.arena, options.budget).goal(goal);
        if answer.is_empty() {
            continue;
        }
        let call = answer.value().filter(|v| comparison.judges.both_accept(v));
        let call = call.map(|call| {
            let shows = |value: &Val| {
                comparison.judges.both_accept(value)
                    && accepted
                        .iter()
                        .chain([&holder])
                        .all(|id| holds(comparison.arena, *id, value) == Some(true))
            };
            shrink(call, shows).json()
        });
        ignored.push(Ignored {
            at: path.iter().fold(Pointer::root(), |at, step| match step {
                Step::Member(name) => at.key(name),
                Step::Item => at.key("*"),
            }),
            name,
            call,
        });
    }
    ignored
}

/// The names that `old` declares where `new` tolerates them without declaring them.
fn undeclared(
    arena: &mut Arena,
    old: &Shape,
    new: &Shape,
    path: &mut Vec<Step>,
    gone: &mut Vec<(Vec<Step>, String)>,
) {
    // Below the root, an object that declares no name any more is a free map now.
    let declares = path.is_empty() || !new.names.is_empty() || !new.patterns.is_empty();
    for (name, below) in &old.names {
        if let Some(still) = new.names.get(name) {
            if let (Some(below), Some(still)) = (below, still) {
                path.push(Step::Member(name.clone()));
                undeclared(arena, below, still, path, gone);
                path.pop();
            }
            continue;
        }
        let text = Val::Str(name.clone());
        let matches = new.patterns.iter().any(|pattern| {
            let class = arena.pattern(pattern);
            holds(arena, class, &text) != Some(false)
        });
        if declares && !matches && new.openness != Openness::Typed {
            gone.push((path.clone(), name.clone()));
        }
    }
    if let (Some(old), Some(new)) = (&old.items, &new.items) {
        path.push(Step::Item);
        undeclared(arena, old, new, path, gone);
        path.pop();
    }
}

/// The values that hold the name at the end of the path.
fn holder(arena: &mut Arena, path: &[Step], name: &str) -> Id {
    let object = arena.types(Types::OBJECT);
    let required = arena.add(Node::Required(name.to_owned()));
    let mut set = arena.and(vec![object, required]);
    for step in path.iter().rev() {
        set = match step {
            Step::Member(name) => {
                let required = arena.add(Node::Required(name.clone()));
                let member = arena.member(name, set);
                arena.and(vec![object, required, member])
            }
            Step::Item => {
                let array = arena.types(Types::ARRAY);
                let some = arena.count(Node::AtLeast(1, set));
                arena.and(vec![array, some])
            }
        };
    }
    set
}
