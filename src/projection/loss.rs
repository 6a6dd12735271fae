//! The vocabulary of a projection: what was lost, where, and why it is believed.

use crate::compare::{Basis, Witness};
use crate::json::{Pointer, Value};

/// One thing that the far side says otherwise than the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// What kind; each has a rule.
    pub kind: LossKind,
    /// `tool:NAME`, by the server's name where it has the tool.
    pub label: String,
    /// Where: in the server's tool, or for what the far side adds in the far one (its schema is
    /// called `inputSchema` there too, whatever the format calls it).
    pub pointer: Pointer,
    /// A sentence fragment for people; text of either side in it is made visible.
    pub message: String,
    /// What the server says there.
    pub old: Option<Value>,
    /// What the far side says there.
    pub new: Option<Value>,
    /// Why it is believed.
    pub basis: Basis,
    /// A call that shows it, checked by the validator on both sides.
    pub witness: Option<Witness>,
}

/// The kinds of loss; each has one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LossKind {
    /// The far side does not show a tool of the server.
    ToolLost,
    /// The far side shows a tool that the server does not have.
    ToolInvented,
    /// A tool has a name on the far side that is not made from the server's.
    ToolRenamed,
    /// Which far tool stands for a tool of the server can't be told.
    PairingAmbiguous,
    /// The far side admits a call that the server refuses.
    ConstraintLost,
    /// The far side refuses a legal call.
    Narrowed,
    /// The far side does not declare an argument of the server.
    ArgumentLost,
    /// The far side declares an argument that the server does not know.
    ArgumentInvented,
    /// An argument has another name on the far side.
    ArgumentRenamed,
    /// Words that the model should read are missing or cut short.
    WordsLost,
    /// Words are others.
    WordsRewritten,
    /// A default is missing or another one.
    DefaultLost,
    /// An annotation such as `format` is missing or another one.
    AnnotationLost,
    /// An argument of a call reached the server with another type.
    CallCoerced,
    /// An argument of a call reached the server with another value.
    CallChanged,
    /// An argument of a call did not reach the server.
    CallDropped,
    /// An argument of a call reached the server under another name.
    CallRenamed,
    /// The server received an argument that the model did not send.
    CallFilledIn,
    /// The documented subset of a provider refuses a construct.
    ProviderRefuses,
    /// The documented subset of a provider's strict mode refuses a construct.
    ProviderStrictRefuses,
    /// A provider takes a construct and does not enforce it, as documented.
    ProviderIgnores,
    /// One of the two schemas can't be read, so nothing was compared.
    NotCompared,
}

impl Loss {
    /// A loss that nothing is known of but kind, place and words.
    pub(super) fn new(
        kind: LossKind,
        label: &str,
        pointer: Pointer,
        message: impl Into<String>,
    ) -> Self {
        Loss {
            kind,
            label: label.to_owned(),
            pointer,
            message: message.into(),
            old: None,
            new: None,
            basis: Basis::Proof,
            witness: None,
        }
    }

    /// With what either side says there.
    pub(super) fn values(mut self, old: Option<&Value>, new: Option<&Value>) -> Self {
        self.old = old.cloned();
        self.new = new.cloned();
        self
    }
}
