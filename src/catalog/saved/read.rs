//! Recognising what files hold, and putting a catalog together from it.

use std::ops::Range;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::protocol::Kind;
use crate::text::visible;

use super::super::fetched::brief;
use super::super::item::document;
use super::super::{Catalog, Instructions, Item};
use super::greeting::Greeting;
use super::own;
use super::source::{Members, Source};

/// One catalog from one or several files: their names for messages, and their contents.
///
/// A file holds what `fetch` wrote, or answers of a server: to `initialize` or `server/discover`
/// and to the four list methods, as JSON-RPC responses or as bare results; one value, JSON Lines or
/// an array of them; pages of one list follow one another. A bare array of tools will do, too.
/// Lists that stand in no file are `unknown`. A file of another shape is passed over with a remark,
/// unless nothing else is there.
///
/// # Errors
///
/// [`ErrorKind::File`], with the place: no files; a file that is empty, not UTF-8 or not JSON; a
/// JSON-RPC error where a result should be; a list that is incomplete or there twice; nothing known
/// in any file.
pub fn read_saved<P: AsRef<Path>, T: AsRef<[u8]>>(files: &[(P, T)]) -> Result<Catalog> {
    let mut reader = Reader::default();
    for (path, bytes) in files {
        reader.file(Source::new(path.as_ref(), bytes.as_ref())?)?;
    }
    reader.catalog(files.first().map(|(path, _)| path.as_ref()))
}

/// What the files have given so far.
#[derive(Default)]
struct Reader {
    own: Option<Catalog>,
    greeting: Option<Greeting>,
    listings: Vec<Listing>,
    remarks: Vec<String>,
}

/// What is known of one kind.
struct Listing {
    kind: Kind,
    offered: bool,
    items: Vec<Item>,
    /// The error to be given if no page follows.
    incomplete: Option<Error>,
}

/// What became of one value.
#[derive(PartialEq)]
enum Seen {
    /// It is a part of the catalog.
    Part,
    /// It is of no known shape.
    Foreign,
    /// It adds nothing, and a remark says so.
    Told,
}

impl Reader {
    fn file(&mut self, source: Source<'_>) -> Result<()> {
        let mut parts = 0;
        let mut foreign = Vec::new();
        for span in source.values()? {
            for value in self.spread(source, span, &mut parts)? {
                match self.object(source, &value)? {
                    Seen::Part => parts += 1,
                    Seen::Foreign => foreign.push(value.start),
                    Seen::Told => {}
                }
            }
        }
        let file = visible(&source.path.display().to_string());
        match foreign.first() {
            Some(_) if parts == 0 => self.remarks.push(format!(
                "`{file}` was passed over: it holds no answer of a server"
            )),
            Some(&first) => self.remarks.push(format!(
                "{} of the values in `{file}` were passed over, the first on line {}: \
                 neither a list nor an answer to `initialize`",
                foreign.len(),
                source.line(first)
            )),
            None => {}
        }
        Ok(())
    }

    /// The values to look at one by one: `span` itself, or the elements of an array of answers. A
    /// bare array of tools is taken at once.
    fn spread(
        &mut self,
        source: Source<'_>,
        span: Range<usize>,
        parts: &mut usize,
    ) -> Result<Vec<Range<usize>>> {
        let Some(elements) = source.elements(&span)? else {
            return Ok(vec![span]);
        };
        if items(source, Kind::Tool, &elements, 0)
            .any(|tool| tool.value().get("inputSchema").is_some())
        {
            self.page(source, Kind::Tool, span.start, &elements, None)?;
            *parts += 1;
            return Ok(Vec::new());
        }
        // An empty array is neither; it stays to be told as foreign.
        Ok(if elements.is_empty() {
            vec![span]
        } else {
            elements
        })
    }

    fn object(&mut self, source: Source<'_>, span: &Range<usize>) -> Result<Seen> {
        let Some(members) = source.members(span)? else {
            return Ok(Seen::Foreign);
        };
        if members.has(own::MARK) {
            let catalog = own::read(source, span, &members)?;
            if self.own.replace(catalog).is_some() {
                return Err(alone(source, span.start));
            }
            return Ok(Seen::Part);
        }
        match (members.get("result"), members.get("error")) {
            (Some(result), Some(_)) => {
                Err(source.error(result.start, "an answer with both a result and an error"))
            }
            (None, Some(error)) => self.refusal(source, &error),
            (Some(result), None) => match source.members(&result)? {
                Some(members) => self.result(source, &members, true),
                None => Ok(Seen::Foreign),
            },
            (None, None) if members.has("method") => Ok(Seen::Foreign),
            (None, None) => self.result(source, &members, false),
        }
    }

    /// A JSON-RPC error. "Method not found" means that a list is not offered; which one, only the
    /// name of the file can tell.
    fn refusal(&mut self, source: Source<'_>, span: &Range<usize>) -> Result<Seen> {
        let error = document(source.slice(span)).value;
        let code = match error.get("code") {
            Some(Value::Number(code)) => code.as_str(),
            _ => "without a code",
        };
        let message = error.get("message").and_then(Value::as_str);
        let told = format!("{code}, `{}`", brief(message.unwrap_or_default()));
        if code != "-32601" {
            return Err(source
                .error(
                    span.start,
                    format!("the server answered with an error: {told}"),
                )
                .help("save the answer again when the server gives a result"));
        }
        let Some(kind) = kind_of_file(source.path) else {
            self.remarks.push(format!(
                "`{}` line {}: the server does not know a method, and the answer does not say \
                 which: {told}",
                visible(&source.path.display().to_string()),
                source.line(span.start)
            ));
            return Ok(Seen::Told);
        };
        if self.listings.iter().any(|listing| listing.kind == kind) {
            return Err(twice(source, kind, span.start));
        }
        self.listings.push(Listing {
            kind,
            offered: false,
            items: Vec::new(),
            incomplete: None,
        });
        Ok(Seen::Part)
    }

    /// A result, by its shape; `wrapped` when a JSON-RPC response vouches that it is one.
    fn result(&mut self, source: Source<'_>, members: &Members, wrapped: bool) -> Result<Seen> {
        let mut seen = Seen::Foreign;
        for kind in Kind::ALL {
            let Some(span) = members.get(kind.list_member()) else {
                continue;
            };
            let Some(elements) = source.elements(&span)? else {
                let message = format!("`{}` is not an array", kind.list_member());
                return Err(source.error(span.start, message));
            };
            if let Some(result_type) = members.get("resultType")
                && source.slice(&result_type) != "\"complete\""
            {
                let message = "a list whose `resultType` is not `complete`";
                return Err(source.error(result_type.start, message));
            }
            let incomplete = members
                .get("nextCursor")
                .filter(|cursor| source.slice(cursor) != "null")
                .map(|cursor| incomplete(source, kind, cursor.start));
            self.page(source, kind, span.start, &elements, incomplete)?;
            seen = Seen::Part;
        }
        if seen == Seen::Foreign && Greeting::is_one(members, wrapped) {
            self.greeting(source, members)?;
            seen = Seen::Part;
        }
        Ok(seen)
    }

    fn page(
        &mut self,
        source: Source<'_>,
        kind: Kind,
        offset: usize,
        elements: &[Range<usize>],
        incomplete: Option<Error>,
    ) -> Result<()> {
        match self
            .listings
            .iter_mut()
            .find(|listing| listing.kind == kind)
        {
            Some(listing) if listing.incomplete.is_none() => Err(twice(source, kind, offset)),
            Some(listing) => {
                let first = listing.items.len();
                listing.items.extend(items(source, kind, elements, first));
                listing.incomplete = incomplete;
                Ok(())
            }
            None => {
                self.listings.push(Listing {
                    kind,
                    offered: true,
                    items: items(source, kind, elements, 0).collect(),
                    incomplete,
                });
                Ok(())
            }
        }
    }

    fn greeting(&mut self, source: Source<'_>, members: &Members) -> Result<()> {
        if self.greeting.is_some() {
            let offset = members.names().next().map_or(0, |(_, offset)| offset);
            return Err(source.error(
                offset,
                "a second answer to `initialize` or `server/discover`",
            ));
        }
        self.greeting = Some(Greeting::read(source, members, &mut self.remarks));
        Ok(())
    }

    fn catalog(self, first: Option<&Path>) -> Result<Catalog> {
        let Some(first) = first else {
            return Err(Error::new(ErrorKind::File, "no file of a saved catalog"));
        };
        let other_parts = self.greeting.is_some() || !self.listings.is_empty();
        if let Some(mut own) = self.own {
            own.remarks.extend(self.remarks);
            return if other_parts {
                Err(alone_among(first))
            } else {
                Ok(own)
            };
        }
        if !other_parts {
            return Err(
                Error::new(ErrorKind::File, "no catalog in it, or none that is known")
                    .in_file(first)
                    .help(
                        "give what `mcplock fetch` wrote, or answers to `tools/list` and the like",
                    ),
            );
        }
        let mut listings = self.listings;
        listings.sort_by_key(|listing| listing.kind);
        if let Some(error) = listings.iter_mut().find_map(|l| l.incomplete.take()) {
            return Err(error);
        }
        let greeting = self.greeting.unwrap_or(Greeting {
            revision: None,
            implementation: None,
            instructions: Instructions::Unknown,
        });
        let kinds = |listing: &Listing| listing.offered.then_some(listing.kind);
        Ok(Catalog {
            revision: greeting.revision,
            declared: Vec::new(),
            implementation: greeting.implementation,
            instructions: greeting.instructions,
            listed: listings.iter().filter_map(kinds).collect(),
            unknown: Kind::ALL
                .into_iter()
                .filter(|kind| listings.iter().all(|listing| listing.kind != *kind))
                .collect(),
            items: listings
                .into_iter()
                .flat_map(|listing| listing.items)
                .collect(),
            remarks: self.remarks,
            doubts: Vec::new(),
        })
    }
}

fn items<'a>(
    source: Source<'a>,
    kind: Kind,
    elements: &'a [Range<usize>],
    first: usize,
) -> impl Iterator<Item = Item> + 'a {
    let numbered = elements.iter().enumerate();
    numbered.map(move |(i, span)| Item::new(kind, first + i, source.slice(span).into()))
}

/// The kind whose list a file holds, by a name such as `tools.json` or `resource-templates.json`.
fn kind_of_file(path: &Path) -> Option<Kind> {
    let stem = path.file_stem()?.to_str()?;
    let letters: String = stem.chars().filter(char::is_ascii_alphabetic).collect();
    match letters.to_ascii_lowercase().trim_end_matches("list") {
        "tools" => Some(Kind::Tool),
        "prompts" => Some(Kind::Prompt),
        "resources" => Some(Kind::Resource),
        "templates" | "resourcetemplates" | "resourcestemplates" => Some(Kind::ResourceTemplate),
        _ => None,
    }
}

fn twice(source: Source<'_>, kind: Kind, offset: usize) -> Error {
    source
        .error(offset, format!("a second answer to `{}`", kind.method()))
        .help("keep one: pages belong together only while a `nextCursor` says that more follows")
}

fn incomplete(source: Source<'_>, kind: Kind, offset: usize) -> Error {
    let message = format!(
        "the list of `{}` goes on: no page follows its `nextCursor`",
        kind.method()
    );
    source
        .error(offset, message)
        .help("save every page, or use `mcplock fetch`")
}

fn alone(source: Source<'_>, offset: usize) -> Error {
    source.error(
        offset,
        "what `mcplock fetch` wrote is a whole catalog, and here are two",
    )
}

fn alone_among(first: &Path) -> Error {
    Error::new(
        ErrorKind::File,
        "what `mcplock fetch` wrote is a whole catalog, and here are other answers beside it",
    )
    .in_file(first)
}
