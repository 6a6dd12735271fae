//! The table of all rules.

use std::fmt;

use crate::compare::{Change, ChangeKind};
use crate::fitness::FaultKind;
use crate::projection::LossKind;

use super::level::Level;
use super::{
    arguments, calls, contents, faults, hints, items, losses, outputs, schemas, server, values,
    words,
};

/// One rule: what it looks at, and what people are told about it.
#[derive(Debug)]
pub struct Rule {
    /// Stable name in kebab case; also its anchor in `docs/rules.md`.
    pub id: &'static str,
    /// What it judges.
    pub subject: Subject,
    /// One line, a sentence fragment.
    pub summary: &'static str,
    /// What happened and why it matters.
    pub meaning: &'static str,
    /// What to do about it.
    pub action: &'static str,
}

/// What a rule judges, and how.
pub enum Subject {
    /// A change; its level follows from the two axes (see [`super::level`]).
    Change {
        /// The levels it can have, in words.
        levels: &'static str,
        /// The message for one change.
        message: fn(&Change) -> String,
    },
    /// A fault of one item, whose level is fixed.
    Fault {
        /// The level.
        level: Level,
        /// Whether a waiver can let it in: it is unfit, but can be pinned.
        waivable: bool,
        /// Why it is of that level, a fragment.
        why: &'static str,
    },
    /// What the far side of a client, gateway or conversion loses; its level is fixed, but can be
    /// set to `advice` or `unfit`.
    Loss {
        /// The level.
        level: Level,
    },
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Change { levels, .. } => f.debug_tuple("Change").field(levels).finish(),
            Subject::Fault { level, .. } => f.debug_tuple("Fault").field(level).finish(),
            Subject::Loss { level } => f.debug_tuple("Loss").field(level).finish(),
        }
    }
}

impl Rule {
    /// Whether a contract with this fault can be accepted with a reason: it is unfit, but can be
    /// pinned, and its digest names it.
    pub fn is_waivable(&self) -> bool {
        matches!(self.subject, Subject::Fault { waivable: true, .. })
    }

    /// Where it is documented, relative to the project.
    pub fn anchor(&self) -> String {
        format!("docs/rules.md#{}", self.id)
    }
}

/// Makes the table and the three functions into it from one list, so that no kind is without a rule.
macro_rules! table {
    (changes { $($change:ident => $change_rule:path,)* } faults { $($fault:ident => $fault_rule:path,)* } losses { $($loss:ident => $loss_rule:path,)* }) => {
        /// The rule for a kind of change.
        pub fn of_change(kind: ChangeKind) -> &'static Rule {
            match kind { $(ChangeKind::$change => &$change_rule,)* }
        }

        /// The rule for a kind of fault.
        pub fn of_fault(kind: FaultKind) -> &'static Rule {
            match kind { $(FaultKind::$fault => &$fault_rule,)* }
        }

        /// The rule for a kind of loss.
        pub fn of_loss(kind: LossKind) -> &'static Rule {
            match kind { $(LossKind::$loss => &$loss_rule,)* }
        }

        /// All rules, those for changes first, each next to those of its subject.
        static RULES: &[&Rule] = &[$(&$change_rule,)* $(&$fault_rule,)* $(&$loss_rule,)*];
    };
}

table! {
    changes {
    Gone => items::GONE,
    Added => items::ADDED,
    ArgumentRemoved => arguments::REMOVED,
    ArgumentRequired => arguments::REQUIRED,
    ArgumentAdded => arguments::ADDED,
    ArgumentOptional => arguments::OPTIONAL,
    PromptArguments => arguments::PROMPT_ARGUMENTS,
    EnumNarrowed => values::ENUM_NARROWED,
    EnumWidened => values::ENUM_WIDENED,
    TypeNarrowed => values::TYPE_NARROWED,
    TypeWidened => values::TYPE_WIDENED,
    InputSchemaEmptied => schemas::EMPTIED,
    InputSchema => schemas::INPUT,
    Closed => schemas::OPENNESS,
    Dialect => schemas::DIALECT,
    OutputRemoved => outputs::REMOVED,
    OutputAdded => outputs::ADDED,
    OutputBroken => outputs::BROKEN,
    OutputExtended => outputs::EXTENDED,
    OutputSchema => outputs::OUTPUT,
    Words => words::WORDS,
    Default => words::DEFAULT,
    Format => words::FORMAT,
    Keyword => words::KEYWORD,
    AnnotationsDanger => hints::DANGER,
    Annotations => hints::ANNOTATIONS,
    Execution => hints::EXECUTION,
    Icons => hints::ICONS,
    Meta => hints::META,
    MimeType => hints::MIME_TYPE,
    Instructions => server::INSTRUCTIONS,
    Launch => server::LAUNCH,
    Volatile => server::VOLATILE,
    Protocol => server::PROTOCOL,
    Capabilities => server::CAPABILITIES,
    Spelling => items::SPELLING,
    Other => items::OTHER,
    }
    faults {
    DuplicateKey => faults::DUPLICATE_KEY,
    LoneSurrogate => faults::LONE_SURROGATE,
    TooDeep => faults::TOO_DEEP,
    ExponentTooLarge => faults::EXPONENT_TOO_LARGE,
    NotAnItem => faults::NOT_AN_ITEM,
    DuplicateItem => faults::DUPLICATE_ITEM,
    InputSchemaMissing => faults::INPUT_SCHEMA_MISSING,
    RootNotObject => faults::ROOT_NOT_OBJECT,
    UnknownDialect => faults::UNKNOWN_DIALECT,
    UnknownVocabulary => faults::UNKNOWN_VOCABULARY,
    NotWellFormed => faults::NOT_WELL_FORMED,
    ExternalRef => faults::EXTERNAL_REF,
    DanglingRef => faults::DANGLING_REF,
    RefLoop => faults::REF_LOOP,
    InstructionsNotText => faults::INSTRUCTIONS_NOT_TEXT,
    SchemaTooLarge => faults::SCHEMA_TOO_LARGE,
    DialectDependent => faults::DIALECT_DEPENDENT,
    SecretEcho => faults::SECRET_ECHO,
    KeywordWithoutEffect => contents::KEYWORD_WITHOUT_EFFECT,
    DefaultRefused => contents::DEFAULT_REFUSED,
    ValueRefused => contents::VALUE_REFUSED,
    Unsatisfiable => contents::UNSATISFIABLE,
    RequiredUndeclared => contents::REQUIRED_UNDECLARED,
    InexactNumber => contents::INEXACT_NUMBER,
    PatternNeedsNonUnicode => contents::PATTERN_NEEDS_NON_UNICODE,
    PatternNotEvaluated => contents::PATTERN_NOT_EVALUATED,
    OddName => contents::ODD_NAME,
    PathName => contents::PATH_NAME,
    MixedScript => contents::MIXED_SCRIPT,
    LookAlikeName => contents::LOOK_ALIKE_NAME,
    NameCollision => contents::NAME_COLLISION,
    HiddenText => contents::HIDDEN_TEXT,
    ReservedArgument => contents::RESERVED_ARGUMENT,
    InvalidHeader => contents::INVALID_HEADER,
    DescriptionMissing => contents::DESCRIPTION_MISSING,
    }
    losses {
    ToolLost => losses::TOOL_LOST,
    ToolInvented => losses::TOOL_INVENTED,
    ToolRenamed => losses::TOOL_RENAMED,
    PairingAmbiguous => losses::PAIRING_AMBIGUOUS,
    ConstraintLost => losses::CONSTRAINT_LOST,
    Narrowed => losses::NARROWED,
    ArgumentLost => losses::ARGUMENT_LOST,
    ArgumentInvented => losses::ARGUMENT_INVENTED,
    ArgumentRenamed => losses::ARGUMENT_RENAMED,
    WordsLost => losses::WORDS_LOST,
    WordsRewritten => losses::WORDS_REWRITTEN,
    DefaultLost => losses::DEFAULT_LOST,
    AnnotationLost => losses::ANNOTATION_LOST,
    NotCompared => losses::NOT_COMPARED,
    CallCoerced => calls::COERCED,
    CallChanged => calls::CHANGED,
    CallDropped => calls::DROPPED,
    CallRenamed => calls::RENAMED,
    CallFilledIn => calls::FILLED_IN,
    ProviderRefuses => losses::PROVIDER_REFUSES,
    ProviderStrictRefuses => losses::PROVIDER_STRICT_REFUSES,
    ProviderIgnores => losses::PROVIDER_IGNORES,
    }
}

/// All rules.
pub fn rules() -> &'static [&'static Rule] {
    RULES
}

/// The rule called `id`.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_id_is_kebab_case_and_stands_for_one_rule() {
        let mut seen = HashSet::new();
        for rule in rules() {
            let plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(rule.id.chars().all(plain), "{}", rule.id);
            assert!(seen.insert(rule.id), "{} stands for two rules", rule.id);
        }
    }

    #[test]
    fn a_rule_for_changes_is_never_one_for_faults() {
        for kind in FaultKind::ALL {
            assert!(matches!(of_fault(kind).subject, Subject::Fault { .. }));
        }
        let changes = rules()
            .iter()
            .take_while(|rule| matches!(rule.subject, Subject::Change { .. }));
        let others = rules().iter().skip(changes.count());
        for rule in others {
            assert!(
                !matches!(rule.subject, Subject::Change { .. }),
                "{}: changes come first",
                rule.id
            );
        }
    }

    #[test]
    fn every_rule_says_what_happened_and_what_to_do() {
        for rule in rules() {
            assert!(!rule.summary.ends_with('.'), "{}: a fragment", rule.id);
            if let Subject::Fault { why, .. } = rule.subject {
                assert!(why.len() > 20 && !why.ends_with('.'), "{}: {why}", rule.id);
            }
            for text in [rule.meaning, rule.action] {
                assert!(text.ends_with('.'), "{}: {text}", rule.id);
            }
        }
    }
}
