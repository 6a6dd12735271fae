//! One item's table: its definition has to be byte for byte its own layout and to match every
//! digest (`docs/lockfile.md`, sections 1.3, 3 and 8).

use toml::de::DeTable;

use crate::canonical::{Contract, Digest, contract_value};
use crate::error::{Error, Result};
use crate::json::{DefectKind, Limits, Value, parse};
use crate::protocol::Kind;
use crate::text::visible;

use super::fields::{Fields, Text};
use super::lines::Lines;
use super::shape;
use crate::lock::PinnedItem;
use crate::lock::encode::{definition_value, key_name};
use crate::lock::model::label;

/// How deep a definition may nest. More than any contract that can be fetched with the default
/// limits, and little enough for recursive code.
const DEPTH: usize = 512;

/// Reads an item.
pub(super) fn read(
    kind: Kind,
    table: &DeTable<'_>,
    header: usize,
    lines: &Lines<'_>,
) -> Result<PinnedItem> {
    let name = key_name(kind);
    let known: &[&str] = if kind == Kind::Tool {
        &[name, "contract", "schema", "description", "definition"]
    } else {
        &[name, "contract", "definition"]
    };
    let claimed = table
        .get(name)
        .and_then(|value| value.get_ref().as_str())
        .map_or_else(|| kind.word().to_owned(), |key| label(kind, key));
    let fields = Fields::new(table, header, lines, known);
    fields
        .and_then(|fields| {
            Reader {
                kind,
                fields,
                lines,
            }
            .item(header)
        })
        .map_err(|error| error.for_item(&claimed))
}

struct Reader<'a> {
    kind: Kind,
    fields: Fields<'a>,
    lines: &'a Lines<'a>,
}

/// A digest as written, beside the one that was computed.
struct Compared<'a> {
    name: &'static str,
    /// The member of the definition that it covers; none for the whole.
    member: Option<&'static str>,
    written: Option<(Digest, Text<'a>)>,
    computed: Option<Digest>,
}

impl Compared<'_> {
    fn differs(&self) -> bool {
        self.written.as_ref().map(|(digest, _)| *digest) != self.computed
    }
}

impl<'a> Reader<'a> {
    fn item(&self, header: usize) -> Result<PinnedItem> {
        let fields = &self.fields;
        let key = fields.required(key_name(self.kind))?;
        fields.required("contract")?;
        let definition = fields.required("definition")?;
        let value = self.definition(&definition)?;
        if contract_value(self.kind, &value) != value {
            return Err(fields.error(
                definition.span.start,
                "the definition holds `size` or `annotations.lastModified`, which are no contract",
            ));
        }
        let contract = Contract::of(self.kind, &value);
        self.compare(&contract, &definition)?;
        let member = self.kind.key_member();
        if value.get(member).and_then(Value::as_str) != Some(key.value) {
            return Err(fields.error(
                key.span.start,
                format!(
                    "`{}` is not the `{member}` of the definition",
                    key_name(self.kind)
                ),
            ));
        }
        Ok(PinnedItem {
            kind: self.kind,
            key: key.value.to_owned(),
            contract: contract.digest,
            schema: contract.schema,
            description: contract.description,
            value,
            line: self.lines.of(header).0,
        })
    }

    /// The definition's value, once it is known to be in its layout.
    fn definition(&self, text: &Text<'_>) -> Result<Value> {
        let written = &self.lines.text()[text.span.clone()];
        let Some(start) = written.strip_prefix("'''\n").map(|_| text.span.start + 4) else {
            return Err(self.fields.error(
                text.span.start,
                "`definition` does not begin with three apostrophes and a new line",
            ));
        };
        // The literal string has no escapes, so offsets in it are offsets in the file.
        let document = parse(text.value.as_bytes(), &Limits { depth: DEPTH }).map_err(|error| {
            let line = shape::first_bad_line(text.value).unwrap_or(error.offset);
            self.fields.error(
                start + line.min(error.offset),
                format!("the definition is not JSON: {}", error.message),
            )
        })?;
        if let Some(defect) = document.defects.first() {
            let what = match defect.kind {
                DefectKind::DuplicateKey => "a member twice".to_owned(),
                DefectKind::LoneSurrogate => "half a surrogate pair".to_owned(),
                DefectKind::TooDeep => format!("more than {DEPTH} levels"),
                _ => "a number that nothing can compare".to_owned(),
            };
            return Err(self
                .fields
                .error(
                    start + defect.offset,
                    format!("the definition holds {what}"),
                )
                .at_pointer(defect.pointer.as_str()));
        }
        let expected = definition_value(&document.value);
        refuse_other_layout(&self.fields, "definition", text, &expected, self.lines)?;
        Ok(document.value)
    }

    /// Compares every digest.
    fn compare(&self, contract: &Contract, definition: &Text<'_>) -> Result<()> {
        let whole = self.compared("contract", None, Some(contract.digest))?;
        let mut parts = Vec::new();
        if self.kind == Kind::Tool {
            parts.push(self.compared("description", Some("description"), contract.description)?);
            parts.push(self.compared("schema", Some("inputSchema"), contract.schema)?);
        }
        // Where a part and the whole both fail, the definition was edited inside that part.
        let found = parts
            .iter()
            .find(|part| part.differs())
            .or_else(|| Some(&whole).filter(|whole| whole.differs()));
        let Some(found) = found else {
            return Ok(());
        };
        let name = found.name;
        Err(match (&found.written, found.member) {
            (None, _) => self.fields.error_here(format!(
                "`{name}` is missing, the definition has such a member"
            )),
            (Some(_), Some(member)) if found.computed.is_none() => self.fields.error_at(
                name,
                format!("`{name}` is a digest of `{member}`, which the definition does not have"),
            ),
            (Some((_, text)), member) => {
                let edited = member.filter(|_| whole.differs());
                let offset = edited
                    .and_then(|member| self.member_offset(definition, member))
                    .unwrap_or(text.span.start);
                self.fields.error(
                    offset,
                    format!(
                        "the definition does not match the digest `{name}`: \
                         one of the two was edited or badly merged"
                    ),
                )
            }
        })
    }

    fn compared(
        &self,
        name: &'static str,
        member: Option<&'static str>,
        computed: Option<Digest>,
    ) -> Result<Compared<'a>> {
        let written = match self.fields.text(name)? {
            Some(text) => Some((digest(&self.fields, name, &text)?, text)),
            None => None,
        };
        Ok(Compared {
            name,
            member,
            written,
            computed,
        })
    }

    /// Where a top-level member begins in a definition that is in its layout.
    fn member_offset(&self, definition: &Text<'_>, member: &str) -> Option<usize> {
        let written = &self.lines.text()[definition.span.clone()];
        let at = written.find(&format!("\n  \"{member}\": "))?;
        Some(definition.span.start + at + "\n  ".len())
    }
}

/// Reads a digest.
pub(super) fn digest(fields: &Fields<'_>, key: &str, text: &Text<'_>) -> Result<Digest> {
    text.value.parse().map_err(|error| {
        fields.error(
            text.span.start,
            format!("`{key}` is `{}`: {error}", visible(text.value)),
        )
    })
}

/// Refuses a token that is not byte for byte `expected`, at the first byte that differs.
pub(super) fn refuse_other_layout(
    fields: &Fields<'_>,
    key: &str,
    text: &Text<'_>,
    expected: &str,
    lines: &Lines<'_>,
) -> Result<(), Error> {
    let written = &lines.text()[text.span.clone()];
    if written == expected {
        return Ok(());
    }
    let same = written
        .bytes()
        .zip(expected.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    Err(fields.error(
        text.span.start + same,
        format!("`{key}` is not in its one layout from here on: it was edited or reformatted"),
    ))
}
