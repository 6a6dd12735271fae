//! Reading a lockfile: everything that it says is checked, every refusal has its line
//! (`docs/lockfile.md`, section 8).
//!
//! Pure. Errors carry no file name; `store` adds it.

mod fields;
mod item;
mod lines;
mod server;
mod shape;

use std::cmp::Ordering;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Result};
use crate::text::visible;

use super::{Lockfile, VERSION};
use fields::Fields;
use lines::Lines;
use server::ReadEntry;

/// Largest file that is read, in bytes.
pub(super) const MAX_BYTES: usize = 256 << 20;
/// What helps where nothing else does.
const RESTORE: &str =
    "restore the file from version control, or delete the table concerned and run `mcplock pin`";

/// A lockfile as it was read: what it says, and the text that says it.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// The text with LF line ends and no byte order mark.
    text: String,
    lockfile: Lockfile,
    /// End of what stands above the first table.
    head: usize,
    /// Where the tables stand, in the order of the entries.
    places: Vec<EntryPlace>,
}

/// Where the tables of one entry stand in the text.
#[derive(Debug, Clone)]
struct EntryPlace {
    server: Range<usize>,
    /// In the order of the entry's items.
    items: Vec<Range<usize>>,
}

impl Source {
    /// What the file says.
    pub fn lockfile(&self) -> &Lockfile {
        &self.lockfile
    }

    /// What the file says.
    pub fn into_lockfile(self) -> Lockfile {
        self.lockfile
    }

    /// What stands above the first table, without white space at the end; empty for no file.
    pub(super) fn head_text(&self) -> &str {
        self.text[..self.head].trim_end()
    }

    /// The text of the table of entry number `entry` without its items, comments directly above it
    /// included.
    pub(super) fn server_text(&self, entry: usize) -> Option<&str> {
        let place = self.places.get(entry)?;
        Some(self.text[place.server.clone()].trim_end())
    }

    /// The text of the table of item number `item` of entry number `entry`.
    pub(super) fn item_text(&self, entry: usize, item: usize) -> Option<&str> {
        let range = self.places.get(entry)?.items.get(item)?;
        Some(self.text[range.clone()].trim_end())
    }
}

/// Reads a lockfile.
///
/// # Errors
///
/// [`crate::error::ErrorKind::Lockfile`] with line, column, server and item as far as they are
/// known, for anything that section 8 of the specification refuses.
pub fn decode(bytes: &[u8]) -> Result<Source> {
    let text = normal_text(bytes)?;
    let lines = Lines::new(&text);
    refuse_conflicts(&lines)?;
    let (root, errors) = DeTable::parse_recoverable(&text);
    let root = root.get_ref();
    check_version(root, &lines)?;
    let place = |error: &toml::de::Error| error.span().map_or(text.len(), |span| span.start);
    // They come from several passes, so the first in the list need not be the first in the text.
    if let Some(error) = errors.iter().min_by_key(|error| place(error)) {
        let offset = place(error);
        let message = format!("the lockfile is not TOML: {}", visible(error.message()));
        return Err(lines.error(offset, message).help(RESTORE));
    }
    let fields = Fields::new(root, 0, &lines, &["version", "server"])?;
    if root.get("version").is_none() {
        return Err(lines
            .error(0, "the lockfile has no `version`")
            .help(RESTORE));
    }
    let mut read = Vec::new();
    for (table, header) in fields.tables("server")? {
        read.push(server::read(table, header, &lines)?);
    }
    refuse_duplicates(&read, &lines)?;

    let cuts = cuts(root, &read, &lines);
    let cut = |header: usize| -> Range<usize> {
        // The header itself was cut, so it is found; the table ends where the next begins.
        let at = cuts.partition_point(|cut| cut.header < header);
        let start = cuts.get(at).map_or(text.len(), |cut| cut.start);
        let end = cuts.get(at + 1).map_or(text.len(), |cut| cut.start);
        start..end
    };
    let head = cuts.first().map_or(text.len(), |cut| cut.start);
    read.sort_by(|a, b| a.entry.identity().cmp(&b.entry.identity()));
    let mut entries = Vec::with_capacity(read.len());
    let mut places = Vec::with_capacity(read.len());
    for mut one in read {
        one.items
            .sort_by(|a, b| a.0.identity().cmp(&b.0.identity()));
        let mut items = Vec::with_capacity(one.items.len());
        for (item, header) in one.items {
            one.entry.items.push(item);
            items.push(cut(header));
        }
        places.push(EntryPlace {
            server: cut(one.header),
            items,
        });
        entries.push(one.entry);
    }
    Ok(Source {
        lockfile: Lockfile { entries },
        head,
        places,
        text,
    })
}

/// UTF-8 without a byte order mark, with LF line ends, not blank.
fn normal_text(bytes: &[u8]) -> Result<String> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::lockfile(format!(
            "the lockfile is larger than {} MiB",
            MAX_BYTES >> 20
        )));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Error::lockfile("the lockfile is not UTF-8")
            .at_line(line, None)
            .help(RESTORE)
    })?;
    if text.trim().is_empty() {
        return Err(Error::lockfile("the lockfile is empty").help(
            "restore it from version control, or delete it and run `mcplock pin` to start anew",
        ));
    }
    Ok(text.replace("\r\n", "\n"))
}

/// Conflict markers of git and others; no line of a lockfile begins like one.
fn refuse_conflicts(lines: &Lines<'_>) -> Result<()> {
    let marker = |line: &str| {
        line == "======="
            || ["<<<<<<<", "|||||||", ">>>>>>>"].iter().any(|marker| {
                line.strip_prefix(marker)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
    };
    let mut offset = 0;
    for line in lines.text().split('\n') {
        if marker(line) {
            return Err(lines
                .error(offset, "the lockfile holds an unresolved merge conflict")
                .help("take either side of each conflict, then run `mcplock pin` again"));
        }
        offset += line.len() + 1;
    }
    Ok(())
}

fn check_version(root: &DeTable<'_>, lines: &Lines<'_>) -> Result<()> {
    let Some(value) = root.get("version") else {
        return Ok(());
    };
    let DeValue::Integer(integer) = value.get_ref() else {
        return Err(lines
            .error(value.span().start, "`version` is not an integer")
            .help(RESTORE));
    };
    // What does not even fit is larger or smaller than any version.
    let text = integer.as_str();
    let version = i64::from_str_radix(text, integer.radix()).unwrap_or(if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    });
    let at = value.span().start;
    match version.cmp(&VERSION) {
        Ordering::Equal => Ok(()),
        Ordering::Less => Err(lines
            .error(at, "the lockfile's form is old: pin again")
            .help("delete the file, run `mcplock pin`, and review the result as a first pin")),
        Ordering::Greater => Err(lines
            .error(at, "the lockfile was written by a newer mcplock")
            .help("update mcplock")),
    }
}

fn refuse_duplicates(read: &[ReadEntry], lines: &Lines<'_>) -> Result<()> {
    let mut seen = std::collections::BTreeMap::new();
    for one in read {
        if let Some(first) = seen.insert(one.entry.identity(), one.entry.line) {
            let name = visible(one.entry.name.as_str());
            let message = match &one.entry.profile {
                None => format!("server `{name}` is here twice, first in line {first}"),
                Some(profile) => format!(
                    "server `{name}` with profile `{}` is here twice, first in line {first}",
                    visible(profile)
                ),
            };
            return Err(lines
                .error(one.header, message)
                .for_server(one.entry.name.as_str())
                .help("delete the wrong one with its items, and run `mcplock pin`"));
        }
    }
    Ok(())
}

/// Where a table begins: its header, and above that the comments that belong to it.
struct Cut {
    header: usize,
    start: usize,
}

/// Every table of the file, in the order of the text.
fn cuts(root: &DeTable<'_>, read: &[ReadEntry], lines: &Lines<'_>) -> Vec<Cut> {
    let mut ends = Vec::new();
    for value in root.iter().map(|(_, value)| value) {
        value_ends(value, &mut ends);
    }
    ends.sort_unstable();
    let mut headers: Vec<usize> = read
        .iter()
        .flat_map(|one| {
            std::iter::once(one.header).chain(one.items.iter().map(|&(_, header)| header))
        })
        .collect();
    headers.sort_unstable();
    headers
        .into_iter()
        .map(|header| {
            let before = ends.partition_point(|&end| end <= header);
            let floor = before.checked_sub(1).map_or(0, |i| ends[i]);
            Cut {
                header,
                start: with_comments(lines.text(), header, floor),
            }
        })
        .collect()
}

/// Ends of all values and headers: a line that begins with `#` before one of them may be the inside
/// of a string.
fn value_ends(value: &Spanned<DeValue<'_>>, ends: &mut Vec<usize>) {
    ends.push(value.span().end);
    match value.get_ref() {
        DeValue::Array(items) => items.iter().for_each(|item| value_ends(item, ends)),
        DeValue::Table(table) => table.iter().for_each(|(_, value)| value_ends(value, ends)),
        _ => {}
    }
}

/// Where the comment lines directly above `header` begin, not before `floor`.
fn with_comments(text: &str, header: usize, floor: usize) -> usize {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |i| i + 1);
    let mut start = line_start(header);
    while start > floor {
        let above = line_start(start - 1);
        if above < floor || !text[above..start].trim_start().starts_with('#') {
            break;
        }
        start = above;
    }
    start
}
