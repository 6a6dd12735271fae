//! Reads the members of a table by name, type and place, and knows which of them nobody asked for.
//!
//! Pure. Two kinds of file: our own refuse an unknown member with the nearest known name, those of
//! clients tolerate it with a remark.

use std::path::Path;

use super::document::{Data, Member, Node, Spot};
use crate::error::{Error, Result};
use crate::text::{nearest, visible};

/// The members of one table, as they are asked for.
pub(super) struct Fields<'a> {
    file: &'a Path,
    what: String,
    spot: Spot,
    members: &'a [Member],
    known: Vec<&'static str>,
}

/// A string and its place.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    /// The string.
    pub(super) text: &'a str,
    /// Where it begins.
    pub(super) spot: Spot,
}

/// A string under a name, and where the string begins.
pub(super) type Named<'a> = (&'a str, String, Spot);

/// An error in `file` at `spot`.
pub(super) fn error_at(file: &Path, spot: Spot, message: impl Into<String>) -> Error {
    Error::config(message)
        .in_file(file)
        .at_line(spot.line, Some(spot.column))
}

impl<'a> Fields<'a> {
    /// The members of `node`, which must be a table; `what` names it in messages.
    pub(super) fn of(node: &'a Node, file: &'a Path, what: impl Into<String>) -> Result<Self> {
        let what = what.into();
        match &node.data {
            Data::Table(members) => Ok(Fields {
                file,
                what,
                spot: node.spot,
                members,
                known: Vec::new(),
            }),
            _ => Err(error_at(
                file,
                node.spot,
                format!("{what} must be a table, not {}", node.type_name()),
            )),
        }
    }

    /// Where the table begins.
    pub(super) fn spot(&self) -> Spot {
        self.spot
    }

    /// An error at `spot` in this file.
    pub(super) fn error(&self, spot: Spot, message: impl Into<String>) -> Error {
        error_at(self.file, spot, message)
    }

    /// The value of `name`; `null` counts as absent.
    pub(super) fn get(&mut self, name: &'static str) -> Option<&'a Node> {
        self.known.push(name);
        self.members
            .iter()
            .find(|member| member.name == name)
            .map(|member| &member.node)
            .filter(|node| !matches!(node.data, Data::Null))
    }

    /// Says that `names` are known, though nothing is read from them.
    pub(super) fn know(&mut self, names: &[&'static str]) {
        self.known.extend(names);
    }

    fn wrong(&self, name: &str, wanted: &str, node: &Node) -> Error {
        self.error(
            node.spot,
            format!(
                "`{name}` of {} must be {wanted}, not {}",
                self.what,
                node.type_name()
            ),
        )
    }

    /// A string.
    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<Told<'a>>> {
        match self.get(name) {
            None => Ok(None),
            Some(Node {
                spot,
                data: Data::Text(text),
            }) => Ok(Some(Told { text, spot: *spot })),
            Some(node) => Err(self.wrong(name, "a string", node)),
        }
    }

    /// A boolean.
    pub(super) fn flag(&mut self, name: &'static str) -> Result<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(Node {
                data: Data::Flag(flag),
                ..
            }) => Ok(Some(*flag)),
            Some(node) => Err(self.wrong(name, "true or false", node)),
        }
    }

    /// A whole number that is not negative, and its place.
    pub(super) fn whole_number(&mut self, name: &'static str) -> Result<Option<(u64, Spot)>> {
        match self.get(name) {
            None => Ok(None),
            Some(node) => match &node.data {
                Data::Number(text) => match text.replace('_', "").parse() {
                    Ok(number) => Ok(Some((number, node.spot))),
                    Err(_) => Err(self.error(
                        node.spot,
                        format!(
                            "`{name}` of {} must be a whole number, not negative",
                            self.what
                        ),
                    )),
                },
                _ => Err(self.wrong(name, "a whole number", node)),
            },
        }
    }

    /// A list of strings.
    pub(super) fn texts(&mut self, name: &'static str) -> Result<Option<Vec<Told<'a>>>> {
        let Some(node) = self.get(name) else {
            return Ok(None);
        };
        let Data::List(items) = &node.data else {
            return Err(self.wrong(name, "a list of strings", node));
        };
        items
            .iter()
            .map(|item| match &item.data {
                Data::Text(text) => Ok(Told {
                    text,
                    spot: item.spot,
                }),
                _ => Err(self.error(
                    item.spot,
                    format!(
                        "`{name}` of {} must hold strings, not {}",
                        self.what,
                        item.type_name()
                    ),
                )),
            })
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }

    /// A table of strings; numbers and booleans count as their text when `loose`, since some
    /// clients take them in `env`.
    pub(super) fn text_table(
        &mut self,
        name: &'static str,
        loose: bool,
    ) -> Result<Option<Vec<Named<'a>>>> {
        let Some(node) = self.get(name) else {
            return Ok(None);
        };
        let Data::Table(members) = &node.data else {
            return Err(self.wrong(name, "a table of strings", node));
        };
        members
            .iter()
            .filter(|member| !(loose && matches!(member.node.data, Data::Null)))
            .map(|member| {
                let text = match &member.node.data {
                    Data::Text(text) => text.clone(),
                    Data::Number(text) if loose => text.clone(),
                    Data::Flag(flag) if loose => flag.to_string(),
                    _ => {
                        return Err(self.error(
                            member.node.spot,
                            format!(
                                "`{}` in `{name}` of {} must be a string, not {}",
                                visible(&member.name),
                                self.what,
                                member.node.type_name()
                            ),
                        ));
                    }
                };
                Ok((member.name.as_str(), text, member.node.spot))
            })
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }

    /// A list of tables.
    pub(super) fn tables(&mut self, name: &'static str) -> Result<&'a [Node]> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Node {
                data: Data::List(items),
                ..
            }) => Ok(items),
            Some(node) => Err(self.wrong(name, "a list of tables", node)),
        }
    }

    /// Members that were never asked for.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &'a Member> + '_ {
        self.members
            .iter()
            .filter(|member| !self.known.iter().any(|known| *known == member.name))
    }

    /// An error for the first member that was never asked for.
    pub(super) fn refuse_unknown(&self) -> Result<()> {
        let Some(member) = self.unknown().next() else {
            return Ok(());
        };
        let error = self.error(
            member.spot,
            format!("unknown key `{}` in {}", visible(&member.name), self.what),
        );
        if let Some(name) = nearest(&member.name, self.known.iter().copied()) {
            return Err(error.help(format!("did you mean `{name}`?")));
        }
        let mut known = self.known.clone();
        known.sort_unstable();
        known.dedup();
        Err(error.help(format!("known keys are {}", known.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::{Syntax, parse};
    use super::*;

    #[test]
    fn an_unknown_key_is_refused_with_the_name_that_was_meant() {
        let file = Path::new("mcplock.toml");
        let node = parse("fail_no = 'x'\n", Syntax::Toml, file).unwrap_or_else(|_| panic!());
        let mut fields = Fields::of(&node, file, "the file").unwrap_or_else(|_| panic!());
        assert!(fields.get("fail-on").is_none());
        fields.know(&["server"]);
        let error = fields.refuse_unknown().unwrap_err();
        assert_eq!(
            error.to_string(),
            "mcplock.toml:1:1: unknown key `fail_no` in the file"
        );
        assert_eq!(error.help_text(), Some("did you mean `fail-on`?"));
        assert_eq!(nearest("quite-different", ["fail-on"]), None);
        assert_eq!(nearest("comand", ["command", "cwd"]), Some("command"));
    }
}
