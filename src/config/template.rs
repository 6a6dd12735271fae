//! Text with variables in it: the one dialect that is stored, and expanding it exactly once.
//!
//! Pure but for `${file:…}`, whose content the caller supplies. What a client writes in a dialect
//! of its own is read by [`super::dialect`] into the same [`Template`].
//!
//! The stored dialect: `${NAME}`, `${NAME:-default}` (taken when the variable is unset or empty),
//! `${workspace}`, `${workspace_name}`, `${file:PATH}`, and `$$` for a dollar sign. Any other `$`
//! is an error, so that nobody takes `$HOME` for a variable.

use std::fmt;

use super::credential::is_secret_form;

/// A text with variables. Its `Debug` form shows the variables only, since a literal part may be a
/// credential.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Template {
    pieces: Vec<Piece>,
}

/// One part of a template.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal text.
    Text(String),
    /// An environment variable.
    Variable {
        /// Its name.
        name: String,
        /// What it is when it is unset or empty; without a default, unset is an error.
        default: Option<String>,
    },
    /// The project folder.
    Workspace,
    /// The last part of the project folder's path.
    WorkspaceName,
    /// The content of a file, without the space around it.
    File(String),
}

/// Why text is not a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TemplateError {
    /// A fragment.
    pub(super) message: String,
    /// What to do.
    pub(super) help: String,
}

impl TemplateError {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        TemplateError {
            message: message.into(),
            help: help.into(),
        }
    }
}

impl Template {
    /// Text without variables.
    pub(super) fn literal(text: impl Into<String>) -> Self {
        let mut template = Template::default();
        template.push_text(&text.into());
        template
    }

    /// One variable.
    pub(super) fn variable(name: impl Into<String>) -> Self {
        Template {
            pieces: vec![Piece::Variable {
                name: name.into(),
                default: None,
            }],
        }
    }

    /// Reads the stored dialect.
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut template = Template::default();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            template.push_text(before);
            if let Some(tail) = after.strip_prefix('$') {
                template.push_text("$");
                rest = tail;
            } else if let Some(inner) = after.strip_prefix('{') {
                let (inner, tail) = inner.split_once('}').ok_or_else(unclosed)?;
                template.push(stored_form(inner)?);
                rest = tail;
            } else {
                return Err(TemplateError::new(
                    "a `$` that begins no variable",
                    "write `${NAME}` for a variable, `$$` for a dollar sign",
                ));
            }
        }
        template.push_text(rest);
        Ok(template)
    }

    /// The stored dialect. Literal credentials are still in it: for redaction first.
    pub(super) fn stored(&self) -> String {
        self.pieces.iter().map(Piece::stored).collect()
    }

    /// Adds a part.
    pub(super) fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.push_text(&text),
            piece => self.pieces.push(piece),
        }
    }

    /// Adds literal text, joined to literal text before it.
    pub(super) fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else {
            self.pieces.push(Piece::Text(text.to_owned()));
        }
    }

    /// The parts.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The names of its variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Variable { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// The text, if there is no variable in it.
    pub(super) fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Replaces each part by what `value` says; what comes back is never looked at again.
    pub(super) fn expand<E>(
        &self,
        mut value: impl FnMut(&Piece) -> Result<String, E>,
    ) -> Result<String, E> {
        let mut out = String::new();
        for piece in &self.pieces {
            out.push_str(&value(piece)?);
        }
        Ok(out)
    }
}

impl Piece {
    /// This part in the stored dialect.
    pub(super) fn stored(&self) -> String {
        match self {
            Piece::Text(text) => text.replace('$', "$$"),
            Piece::Variable {
                name,
                default: None,
            } => format!("${{{name}}}"),
            Piece::Variable {
                name,
                default: Some(default),
            } => format!("${{{name}:-{}}}", default.replace('$', "$$")),
            Piece::Workspace => "${workspace}".to_owned(),
            Piece::WorkspaceName => "${workspace_name}".to_owned(),
            Piece::File(path) => format!("${{file:{}}}", path.replace('$', "$$")),
        }
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.pieces).finish()
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Text(_) => f.write_str("<text>"),
            Piece::Variable { name, .. } => write!(f, "${{{name}}}"),
            Piece::Workspace => f.write_str("${workspace}"),
            Piece::WorkspaceName => f.write_str("${workspace_name}"),
            Piece::File(_) => f.write_str("${file}"),
        }
    }
}

/// Whether `name` can be the name of a variable.
pub(super) fn is_variable_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What stands between `${` and `}` as a variable with an optional default, literal otherwise.
pub(super) fn variable_form(inner: &str) -> Result<Piece, TemplateError> {
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    if is_secret_form(name) {
        return Err(TemplateError::new(
            "what stands in `${…}` looks like a credential, not like the name of a variable",
            "write the name of the variable that holds it",
        ));
    }
    if !is_variable_name(name) {
        return Err(TemplateError::new(
            format!(
                "`{}` is not the name of a variable",
                crate::text::visible(name)
            ),
            "a name has letters, digits and `_` only, and does not begin with a digit",
        ));
    }
    if matches!(name, "workspace" | "workspace_name") {
        return Err(TemplateError::new(
            format!("`{name}` is the project folder, it can't be a variable of that name"),
            "give the variable another name",
        ));
    }
    if default.is_some_and(|default| default.contains("${")) {
        return Err(TemplateError::new(
            format!("the default of `{name}` holds another variable"),
            "a default is taken as it is, it is not expanded again: write plain text",
        ));
    }
    Ok(Piece::Variable {
        name: name.to_owned(),
        default: default.map(str::to_owned),
    })
}

pub(super) fn unclosed() -> TemplateError {
    TemplateError::new(
        "a `${` without its `}`",
        "close it, or write `$$` for a dollar sign",
    )
}

fn stored_form(inner: &str) -> Result<Piece, TemplateError> {
    if inner == "workspace" {
        return Ok(Piece::Workspace);
    }
    if inner == "workspace_name" {
        return Ok(Piece::WorkspaceName);
    }
    if let Some(path) = inner.strip_prefix("file:") {
        return Ok(Piece::File(undollar(path)?));
    }
    match variable_form(inner)? {
        Piece::Variable {
            name,
            default: Some(default),
        } => Ok(Piece::Variable {
            name,
            default: Some(undollar(&default)?),
        }),
        piece => Ok(piece),
    }
}

/// Reads `$$` as `$` in a default or a path.
fn undollar(text: &str) -> Result<String, TemplateError> {
    let plain = text.replace("$$", "");
    if plain.contains('$') {
        Err(TemplateError::new(
            "a `$` that begins no variable",
            "write `$$` for a dollar sign",
        ))
    } else {
        Ok(text.replace("$$", "$"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expand(template: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let template = Template::parse(template).map_err(|error| error.message)?;
        template.expand(|piece| match piece {
            Piece::Variable { name, default } => variables
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| (*value).to_owned())
                .or_else(|| default.clone())
                .ok_or_else(|| format!("unset {name}")),
            Piece::Text(text) => Ok(text.clone()),
            Piece::Workspace => Ok("/p".to_owned()),
            _ => Ok(String::new()),
        })
    }

    #[test]
    fn what_a_variable_holds_is_not_expanded_again() {
        assert_eq!(
            expand("x${DEMO_TOKEN}y", &[("DEMO_TOKEN", "a${HOME}b$$c")]).unwrap(),
            "xa${HOME}b$$cy"
        );
        assert_eq!(expand("${A:-$$B}", &[("B", "no")]).unwrap(), "$B");
    }

    #[test]
    fn an_unset_variable_without_a_default_is_an_error() {
        assert_eq!(expand("${A}", &[]), Err("unset A".to_owned()));
        assert_eq!(expand("${A:-}", &[]).unwrap(), "");
    }

    #[test]
    fn a_lone_dollar_an_open_brace_and_a_nested_default_are_errors() {
        for bad in [
            "$HOME",
            "a$",
            "${A",
            "${A b}",
            "${}",
            "${A:-${B}}",
            "${1A}",
            "${A:-$B}",
        ] {
            assert!(Template::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(expand("$$HOME costs 5$$", &[]).unwrap(), "$HOME costs 5$");
    }

    #[test]
    fn a_credential_in_the_place_of_a_name_is_refused_and_not_repeated() {
        let text = concat!("${gh", "p_0123456789abcdefABCDEF0123456789abcd}");
        let error = Template::parse(text).unwrap_err();
        assert!(!format!("{error:?}").contains("0123"), "{error:?}");
    }

    #[test]
    fn debug_output_hides_literal_text() {
        let shown = format!("{:?}", Template::parse("s3cr3t${A:-hidden}").unwrap());
        assert!(
            !shown.contains("s3cr3t") && !shown.contains("hidden"),
            "{shown}"
        );
    }

    fn piece() -> impl Strategy<Value = Piece> {
        prop_oneof![
            "[ -~é$]{1,8}".prop_map(Piece::Text),
            ("[A-Z_][A-Z0-9_]{0,5}", prop::option::of("[a-z$ :-]{0,5}"))
                .prop_map(|(name, default)| Piece::Variable { name, default }),
            Just(Piece::Workspace),
            Just(Piece::WorkspaceName),
            "[a-z/.$]{1,8}".prop_map(Piece::File),
        ]
    }

    proptest! {
        #[test]
        fn the_stored_form_reads_back_as_the_same_template(
            pieces in prop::collection::vec(piece(), 0..6)
        ) {
            let mut template = Template::default();
            for piece in pieces {
                template.push(piece);
            }
            prop_assert_eq!(Template::parse(&template.stored()).unwrap(), template);
        }

        #[test]
        fn any_literal_survives(text in "\\PC*") {
            let stored = Template::literal(text.clone()).stored();
            let read = Template::parse(&stored).unwrap();
            prop_assert_eq!(read.as_literal(), Some(text.as_str()));
        }
    }
}
