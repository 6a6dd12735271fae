//! Dialects of JSON Schema, and which one a schema is written in.

use std::fmt;

use crate::json::Value;
use crate::protocol::Revision;

/// A published dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// draft-04
    Draft4,
    /// draft-06
    Draft6,
    /// draft-07
    Draft7,
    /// 2019-09
    Draft2019_09,
    /// 2020-12
    Draft2020_12,
}

impl Dialect {
    /// All dialects, oldest first.
    pub const ALL: [Dialect; 5] = [
        Dialect::Draft4,
        Dialect::Draft6,
        Dialect::Draft7,
        Dialect::Draft2019_09,
        Dialect::Draft2020_12,
    ];

    /// The dialect that `uri` names, with or without an empty fragment, over http or https.
    pub fn from_uri(uri: &str) -> Option<Dialect> {
        let rest = strip_scheme(uri)?;
        Dialect::ALL
            .into_iter()
            .find(|dialect| strip_scheme(dialect.uri()) == Some(rest))
    }

    /// The dialect that a vocabulary metaschema such as
    /// `https://json-schema.org/draft/2020-12/meta/core` belongs to.
    pub(crate) fn of_vocabulary_metaschema(uri: &str) -> Option<Dialect> {
        let rest = strip_scheme(uri)?.strip_prefix("json-schema.org/draft/")?;
        let (dialect, names): (_, &[&str]) = match rest.split_once("/meta/")?.0 {
            "2019-09" => (
                Dialect::Draft2019_09,
                &[
                    "core",
                    "applicator",
                    "validation",
                    "meta-data",
                    "format",
                    "content",
                ],
            ),
            "2020-12" => (
                Dialect::Draft2020_12,
                &[
                    "core",
                    "applicator",
                    "unevaluated",
                    "validation",
                    "meta-data",
                    "format-annotation",
                    "format-assertion",
                    "content",
                ],
            ),
            _ => return None,
        };
        let name = rest.split_once("/meta/")?.1;
        names.contains(&name).then_some(dialect)
    }

    /// The URI that `$schema` names it by.
    pub fn uri(self) -> &'static str {
        match self {
            Dialect::Draft4 => "http://json-schema.org/draft-04/schema#",
            Dialect::Draft6 => "http://json-schema.org/draft-06/schema#",
            Dialect::Draft7 => "http://json-schema.org/draft-07/schema#",
            Dialect::Draft2019_09 => "https://json-schema.org/draft/2019-09/schema",
            Dialect::Draft2020_12 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The name that people use: `draft-07`, `2020-12`.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Draft4 => "draft-04",
            Dialect::Draft6 => "draft-06",
            Dialect::Draft7 => "draft-07",
            Dialect::Draft2019_09 => "2019-09",
            Dialect::Draft2020_12 => "2020-12",
        }
    }

    /// The dialect that [`Dialect::name`] or [`Dialect::from_uri`] gives: for settings.
    pub fn from_name(text: &str) -> Option<Dialect> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.name() == text)
            .or_else(|| Dialect::from_uri(text))
    }

    /// The keyword that identifies a schema resource.
    pub fn id_keyword(self) -> &'static str {
        match self {
            Dialect::Draft4 => "id",
            _ => "$id",
        }
    }

    /// Whether everything beside a `$ref` is ignored (up to draft-07).
    pub fn ref_hides_siblings(self) -> bool {
        self <= Dialect::Draft7
    }

    /// Whether `true` and `false` are schemas.
    pub fn has_boolean_schemas(self) -> bool {
        self > Dialect::Draft4
    }
}

fn strip_scheme(uri: &str) -> Option<&str> {
    let uri = uri.strip_suffix('#').unwrap_or(uri);
    uri.strip_prefix("https://")
        .or_else(|| uri.strip_prefix("http://"))
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a schema resource says of its own dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// There is no `$schema`.
    Absent,
    /// `$schema` names a published dialect.
    Known(Dialect),
    /// `$schema` is something else, or not a string.
    Unknown,
}

/// What the resource root `schema` says. `$schema` counts nowhere else.
pub fn declared(schema: &Value) -> Declared {
    match schema.get("$schema") {
        None => Declared::Absent,
        Some(Value::String(uri)) => {
            Dialect::from_uri(uri).map_or(Declared::Unknown, Declared::Known)
        }
        Some(_) => Declared::Unknown,
    }
}

/// How a schema without `$schema` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undeclared {
    /// In this dialect.
    Is(Dialect),
    /// The revision does not say and much of the world reads draft-07: under 2020-12 and under
    /// draft-07, and where the two differ that is a finding.
    Either,
}

impl Undeclared {
    /// The rule for a server whose `revision` answered; `setting` is its `default-dialect`.
    ///
    /// A catalog that does not say which revision it comes from is read by the newest one.
    pub fn for_revision(revision: Option<Revision>, setting: Option<Dialect>) -> Self {
        match (setting, revision) {
            (Some(dialect), _) => Undeclared::Is(dialect),
            (None, Some(revision)) if !revision.states_dialect() => Undeclared::Either,
            (None, _) => Undeclared::Is(Dialect::Draft2020_12),
        }
    }

    /// The dialect to read by where one must be chosen.
    pub fn first(self) -> Dialect {
        match self {
            Undeclared::Is(dialect) => dialect,
            Undeclared::Either => Dialect::Draft2020_12,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_known_with_and_without_hash_over_http_and_https() {
        for uri in [
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-07/schema",
            "https://json-schema.org/draft-07/schema#",
            "https://json-schema.org/draft-07/schema",
        ] {
            assert_eq!(Dialect::from_uri(uri), Some(Dialect::Draft7), "{uri}");
        }
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::from_uri(dialect.uri()), Some(dialect));
            assert_eq!(Dialect::from_name(dialect.name()), Some(dialect));
        }
    }

    #[test]
    fn another_uri_names_no_dialect() {
        for uri in [
            "http://json-schema.org/schema#",
            "http://json-schema.org/draft-05/schema#",
            "http://json-schema.org/draft-07/schema##",
            "http://json-schema.org/draft-07/schema#/definitions/x",
            "json-schema.org/draft-07/schema",
            "https://json-schema.org/draft/2020-12/meta/core",
            "",
        ] {
            assert_eq!(Dialect::from_uri(uri), None, "{uri}");
        }
    }

    #[test]
    fn the_revision_decides_how_an_undeclared_dialect_is_read() {
        let of = |revision| Undeclared::for_revision(revision, None);
        assert_eq!(of(Some(Revision::V2025_06_18)), Undeclared::Either);
        let newest = Undeclared::Is(Dialect::Draft2020_12);
        assert_eq!(of(Some(Revision::V2025_11_25)), newest);
        assert_eq!(of(None), newest);
        assert_eq!(
            Undeclared::for_revision(Some(Revision::V2024_11_05), Some(Dialect::Draft7)),
            Undeclared::Is(Dialect::Draft7)
        );
    }
}
