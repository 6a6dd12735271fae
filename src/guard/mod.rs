//! The guard: no call on a contract that has drifted.
//!
//! Two parts that know nothing of each other's business. The *gate* is pure and can be embedded: a
//! pinned entry, what a server lists now and a call go in, a [`Decision`] comes out. The *relay*
//! stands between an agent and a server, moves bytes that it does not change, and asks the gate.
//!
//! The only stage that knows the name of the method that calls a tool, and it never originates
//! one: it relays an agent's own call or refuses it.
//!
//! ```
//! use mcplock::catalog::Kind;
//! use mcplock::guard::{Agent, Call, Gate, Reason, Served, Settings, View};
//! # use std::collections::BTreeMap;
//! # use mcplock::catalog::Item;
//! # use mcplock::config::{Launch, ServerName, Target};
//! # use mcplock::lock::{Entry, Words, pin_item};
//! # use mcplock::protocol::Revision;
//! # let tool = r#"{"name":"search","inputSchema":{"type":"object","properties":{"limit":{"type":"integer","maximum":100}}}}"#;
//! # let item = Item::new(Kind::Tool, 0, tool.into());
//! # let entry = Entry {
//! #     name: ServerName::new("orders")?,
//! #     profile: None,
//! #     launch: Launch {
//! #         target: Target::Command(vec!["orders".into()]),
//! #         cwd: None,
//! #         env: Vec::new(),
//! #         env_values: BTreeMap::new(),
//! #     },
//! #     protocol: Revision::V2025_11_25,
//! #     capabilities: Vec::new(),
//! #     implementation: None,
//! #     instructions: None,
//! #     volatile: Vec::new(),
//! #     items: vec![pin_item(&item, &Words::default()).map_err(|no| no.why.to_string())?.0],
//! #     line: 0,
//! # };
//! // `entry` is the server's entry in the lockfile (see `mcplock::lock::load`).
//! let mut gate = Gate::new(entry, Settings::default())?;
//! let mut served = Served::default();
//! let mut view = View::new(Agent { revision: Some(Revision::V2025_11_25), declared: None });
//!
//! // Before each call: list again, all pages, and let the gate judge what came.
//! view.put(Kind::Tool, gate.judge(Kind::Tool, [tool], view.agent()));
//! let call = Call::tool("search", Some(r#"{"limit": 10}"#));
//! assert_eq!(gate.decide(&view, &served, &call).reason, Reason::Equal);
//!
//! // Arguments are validated against the pinned schema, and never repaired.
//! let call = Call::tool("search", Some(r#"{"limit": "10"}"#));
//! assert_eq!(gate.decide(&view, &served, &call).reason, Reason::Arguments);
//!
//! // The same name with another contract: refused, with what changed.
//! let drifted = tool.replace("100", "50");
//! view.put(Kind::Tool, gate.judge(Kind::Tool, [drifted.as_str()], view.agent()));
//! let decision = gate.decide(&view, &served, &Call::tool("search", Some("{}")));
//! assert_eq!(decision.reason, Reason::Drift);
//! assert_eq!(decision.findings[0].pointer.as_str(), "/inputSchema/properties/limit/maximum");
//! # served.forget();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod call;
mod decision;
mod front;
mod gate;
mod log;
mod message;
mod names;
mod pins;
mod refusal;
mod relay;
mod scan;
mod served;
mod session;
mod settings;
mod signals;
mod stand_in;
mod template;
mod upstream;
mod view;
mod withhold;

pub use call::{Call, CallKind};
pub use decision::{Decision, Reason};
pub use gate::Gate;
pub use pins::Pins;
pub use relay::{Ending, Options, run};
pub use served::Served;
pub use settings::Settings;
pub use view::{Agent, Judged, Standing, View};
