//! What each kind of text looks like on a terminal.
//!
//! Colour only repeats what words, marks or other effects say: old words are struck through, new
//! ones underlined, levels are named.

use anstyle::{AnsiColor, Effects, Style};

use crate::rules::Level;

/// What a run of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Nothing special.
    Plain,
    /// The name of a server or item; a heading.
    Strong,
    /// A label, a gutter, a remark about the report itself.
    Dim,
    /// A command that can be copied.
    Command,
    /// Words that went.
    Old,
    /// Words that came.
    New,
    /// The word `error`.
    Error,
    /// All is well.
    Good,
    /// The word of a level.
    Level(Level),
}

/// The style of a role.
pub(super) fn style(role: Role) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match role {
        Role::Plain => Style::new(),
        Role::Strong => Style::new().bold(),
        Role::Dim | Role::Level(Level::Equivalent) => Style::new().dimmed(),
        Role::Command => colour(AnsiColor::Cyan),
        Role::Old => colour(AnsiColor::Red).effects(Effects::STRIKETHROUGH),
        Role::New => colour(AnsiColor::Green).effects(Effects::UNDERLINE),
        Role::Error | Role::Level(Level::Breaking | Level::Unfit) => colour(AnsiColor::Red).bold(),
        Role::Good => colour(AnsiColor::Green).bold(),
        Role::Level(Level::Risky) => colour(AnsiColor::Yellow).bold(),
        Role::Level(Level::Compatible) => colour(AnsiColor::Green),
        Role::Level(Level::Advice) => colour(AnsiColor::Blue),
    }
}
