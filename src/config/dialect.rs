//! Each client's way of writing variables, read into the one [`Template`].
//!
//! Pure. A form that the client itself leaves as text stays text; one that it would expand to
//! something that another machine can't know is an error.

use super::template::{Piece, Template, TemplateError, is_variable_name, unclosed, variable_form};

/// A client's variable dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Dialect {
    /// mcplock's own: `mcplock.toml`, the command line, the lockfile.
    Stored,
    /// Claude Code: `${VAR}`, `${VAR:-default}`; a bare `$VAR` is text.
    Claude,
    /// VS Code: `${env:VAR}`, `${input:id}`, `${workspaceFolder}`, `${userHome}`.
    VsCode,
    /// Cursor: as VS Code without inputs.
    Cursor,
    /// Windsurf: `${env:VAR}`, `${file:PATH}`.
    Windsurf,
    /// Gemini CLI and Copilot CLI: `$VAR`, `${VAR}`, `${VAR:-default}`.
    Dollar,
    /// opencode: `{env:VAR}`, `{file:PATH}`.
    Curly,
    /// No variables at all.
    Plain,
}

impl Dialect {
    /// Reads `text`.
    pub(super) fn parse(self, text: &str) -> Result<Template, TemplateError> {
        match self {
            Dialect::Stored => Template::parse(text),
            Dialect::Plain => Ok(Template::literal(text)),
            Dialect::Claude => braces(text, true, claude_form),
            Dialect::VsCode | Dialect::Cursor | Dialect::Windsurf => {
                braces(text, false, |inner| self.named_form(inner))
            }
            Dialect::Dollar => dollar(text),
            Dialect::Curly => curly(text),
        }
    }

    /// How this dialect writes the variable `name`, for a hint; none where it has no variables.
    pub(super) fn example(self, name: &str) -> Option<String> {
        match self {
            Dialect::Stored | Dialect::Claude | Dialect::Dollar => Some(format!("${{{name}}}")),
            Dialect::VsCode | Dialect::Cursor | Dialect::Windsurf => {
                Some(format!("${{env:{name}}}"))
            }
            Dialect::Curly => Some(format!("{{env:{name}}}")),
            Dialect::Plain => None,
        }
    }

    fn named_form(self, inner: &str) -> Result<Option<Piece>, TemplateError> {
        let folders = self != Dialect::Windsurf;
        Ok(Some(match inner {
            "workspaceFolder" | "workspaceRoot" if folders => Piece::Workspace,
            "workspaceFolderBasename" if folders => Piece::WorkspaceName,
            "userHome" if folders => variable("HOME"),
            // One spelling on every machine; Windows takes the slash as well.
            "pathSeparator" | "/" if folders => Piece::Text("/".to_owned()),
            _ => match inner.split_once(':') {
                Some(("env", name)) => env_variable(name)?,
                Some(("input", id)) if self == Dialect::VsCode => input(id)?,
                Some(("file", path)) if self == Dialect::Windsurf => file(path)?,
                Some(("command" | "config", _)) if self == Dialect::VsCode => {
                    return Err(TemplateError::new(
                        format!(
                            "`${{{}}}` is known to the editor alone",
                            crate::text::visible(inner)
                        ),
                        "take a variable instead: `${env:NAME}`",
                    ));
                }
                _ => return Ok(None),
            },
        }))
    }
}

/// The environment variable that answers `${input:id}` outside the editor.
pub(super) fn input_variable(id: &str) -> String {
    let id: String = id
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect();
    format!("{INPUT_PREFIX}{id}")
}

/// What the names of [`input_variable`] begin with.
pub(super) const INPUT_PREFIX: &str = "MCPLOCK_INPUT_";

fn variable(name: &str) -> Piece {
    Piece::Variable {
        name: name.to_owned(),
        default: None,
    }
}

fn env_variable(name: &str) -> Result<Piece, TemplateError> {
    variable_form(name)
}

fn input(id: &str) -> Result<Piece, TemplateError> {
    if id.is_empty() {
        Err(TemplateError::new(
            "`${input:}` names no input",
            "write `${input:ID}`",
        ))
    } else {
        Ok(variable(&input_variable(id)))
    }
}

fn file(path: &str) -> Result<Piece, TemplateError> {
    if path.is_empty() {
        Err(TemplateError::new(
            "a file form without a path",
            "name the file",
        ))
    } else {
        Ok(Piece::File(path.to_owned()))
    }
}

fn claude_form(inner: &str) -> Result<Option<Piece>, TemplateError> {
    let name = inner.split_once(":-").map_or(inner, |(name, _)| name);
    // Claude Code gives this name to the project folder in a server's environment, not to itself,
    // which is why people write it with a default.
    if name == "CLAUDE_PROJECT_DIR" {
        return Ok(Some(Piece::Workspace));
    }
    variable_form(inner).map(Some)
}

/// Text with `${…}` forms; where `form` knows none, they are text.
fn braces(
    text: &str,
    must_close: bool,
    form: impl Fn(&str) -> Result<Option<Piece>, TemplateError>,
) -> Result<Template, TemplateError> {
    let mut template = Template::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        template.push_text(before);
        let Some((inner, tail)) = after.split_once('}') else {
            if must_close {
                return Err(unclosed());
            }
            template.push_text("${");
            rest = after;
            continue;
        };
        if let Some(piece) = form(inner)? {
            template.push(piece);
            rest = tail;
        } else {
            template.push_text("${");
            rest = after;
        }
    }
    template.push_text(rest);
    Ok(template)
}

fn dollar(text: &str) -> Result<Template, TemplateError> {
    let mut template = Template::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        template.push_text(before);
        if let Some(inner) = after.strip_prefix('{') {
            let (inner, tail) = inner.split_once('}').ok_or_else(unclosed)?;
            template.push(variable_form(inner)?);
            rest = tail;
            continue;
        }
        let end = after
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        if is_variable_name(name) {
            template.push(variable(name));
            rest = tail;
        } else {
            template.push_text("$");
            rest = after;
        }
    }
    template.push_text(rest);
    Ok(template)
}

fn curly(text: &str) -> Result<Template, TemplateError> {
    let mut template = Template::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        template.push_text(before);
        let form = after
            .split_once('}')
            .and_then(|(inner, tail)| Some((inner.split_once(':')?, tail)));
        match form {
            Some((("env", name), tail)) => {
                template.push(env_variable(name)?);
                rest = tail;
            }
            Some((("file", path), tail)) => {
                template.push(file(path)?);
                rest = tail;
            }
            _ => {
                template.push_text("{");
                rest = after;
            }
        }
    }
    template.push_text(rest);
    Ok(template)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stored(dialect: Dialect, text: &str) -> String {
        dialect
            .parse(text)
            .map_or_else(|error| format!("error: {}", error.message), |t| t.stored())
    }

    #[test]
    fn every_dialect_has_its_own_forms_and_one_stored_form() {
        use Dialect::{Claude, Curly, Cursor, Dollar, Plain, VsCode, Windsurf};
        for (dialect, text, expected) in [
            (Claude, "${A}/${B:-x}", "${A}/${B:-x}"),
            (Claude, "$A costs $5", "$$A costs $$5"),
            (Claude, "${CLAUDE_PROJECT_DIR:-.}/x", "${workspace}/x"),
            (
                Claude,
                "${env:A}",
                "error: `env:A` is not the name of a variable",
            ),
            (
                VsCode,
                "${env:A} ${input:api-key}",
                "${A} ${MCPLOCK_INPUT_API_KEY}",
            ),
            (VsCode, "${workspaceFolder}/a", "${workspace}/a"),
            (VsCode, "${A}", "$${A}"),
            (Cursor, "${userHome}${/}x${pathSeparator}y", "${HOME}/x/y"),
            (Cursor, "${workspaceFolderBasename}", "${workspace_name}"),
            (Cursor, "${input:x}", "$${input:x}"),
            (
                Windsurf,
                "Bearer ${file:/run/token}",
                "Bearer ${file:/run/token}",
            ),
            (Windsurf, "${workspaceFolder}", "$${workspaceFolder}"),
            (Dollar, "$A-${B} 5$ $1", "${A}-${B} 5$$ $$1"),
            (
                Curly,
                "{env:A}{file:t.txt}{x}${env:Y}",
                "${A}${file:t.txt}{x}$$${Y}",
            ),
            (Plain, "${A} $B {env:C}", "$${A} $$B {env:C}"),
        ] {
            assert_eq!(stored(dialect, text), expected, "{dialect:?} {text}");
        }
    }

    proptest! {
        #[test]
        fn what_any_dialect_reads_is_stored_and_read_back(text in "[ -~]{0,24}") {
            for dialect in [
                Dialect::Claude, Dialect::VsCode, Dialect::Cursor, Dialect::Windsurf,
                Dialect::Dollar, Dialect::Curly, Dialect::Plain, Dialect::Stored,
            ] {
                if let Ok(template) = dialect.parse(&text) {
                    prop_assert_eq!(Template::parse(&template.stored()), Ok(template));
                }
            }
        }
    }
}
