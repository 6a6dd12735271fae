//! The classes of meaning, with their senses and the phrases that show them: a table, no code.

/// The sense of phrases that only look like another one.
pub(super) const NOTHING: &str = "";

/// The class that means something of a single argument only.
pub(super) const MUST: &str = "whether it must be given";

/// A class of meaning: what it is called, whether words of it that only came or only went count,
/// and its senses, each with its name and the phrases that show it.
pub(super) struct Class {
    pub(super) name: &'static str,
    pub(super) alone: bool,
    pub(super) senses: &'static [(&'static str, &'static [&'static str])],
}

/// Phrases are words in lower case, as [`read`] writes them; `in …` counts for any unit.
pub(super) const CLASSES: &[Class] = &[
    Class {
        name: "the unit",
        alone: false,
        senses: &[
            ("nanoseconds", &["nanosecond", "nanoseconds", "ns"]),
            ("microseconds", &["microsecond", "microseconds", "us", "µs"]),
            (
                "milliseconds",
                &["millisecond", "milliseconds", "ms", "millis", "msec"],
            ),
            ("seconds", &["second", "seconds", "sec", "secs"]),
            ("minutes", &["minute", "minutes", "min", "mins"]),
            ("hours", &["hour", "hours"]),
            ("days", &["day", "days"]),
            ("weeks", &["week", "weeks"]),
            ("months", &["month", "months"]),
            ("years", &["year", "years"]),
        ],
    },
    Class {
        name: "the unit",
        alone: false,
        senses: &[
            ("bits", &["bit", "bits"]),
            ("bytes", &["byte", "bytes"]),
            ("kilobytes", &["kilobyte", "kilobytes", "kb", "kib"]),
            ("megabytes", &["megabyte", "megabytes", "mb", "mib"]),
            ("gigabytes", &["gigabyte", "gigabytes", "gb", "gib"]),
            ("characters", &["character", "characters", "chars"]),
            ("tokens", &["token", "tokens"]),
            ("words", &["word", "words"]),
            ("lines", &["line", "lines"]),
            ("pages", &["page", "pages"]),
        ],
    },
    Class {
        name: "the unit",
        alone: false,
        senses: &[
            ("degrees Celsius", &["celsius", "centigrade", "°c"]),
            ("degrees Fahrenheit", &["fahrenheit", "°f"]),
            ("kelvin", &["kelvin"]),
        ],
    },
    Class {
        name: "the unit",
        alone: false,
        senses: &[
            (
                "millimetres",
                &[
                    "millimeter",
                    "millimeters",
                    "millimetre",
                    "millimetres",
                    "mm",
                ],
            ),
            (
                "centimetres",
                &[
                    "centimeter",
                    "centimeters",
                    "centimetre",
                    "centimetres",
                    "cm",
                ],
            ),
            ("metres", &["meter", "meters", "metre", "metres"]),
            (
                "kilometres",
                &["kilometer", "kilometers", "kilometre", "kilometres", "km"],
            ),
            ("miles", &["mile", "miles"]),
            ("feet", &["foot", "feet", "ft"]),
            ("inches", &["inch", "inches"]),
            ("pixels", &["pixel", "pixels", "px"]),
            ("points", &["point", "points", "pt"]),
        ],
    },
    Class {
        name: "the unit",
        alone: false,
        senses: &[
            ("degrees", &["degree", "degrees"]),
            ("radians", &["radian", "radians"]),
        ],
    },
    Class {
        name: "the unit",
        alone: false,
        senses: &[
            (
                "percent",
                &["percent", "percentage", "%", "0 to 100", "0-100"],
            ),
            (
                "a fraction",
                &[
                    "fraction",
                    "ratio",
                    "0 to 1",
                    "0-1",
                    "0.0-1.0",
                    "0.0 to 1.0",
                ],
            ),
        ],
    },
    Class {
        name: "the unit",
        alone: false,
        senses: &[
            ("cents", &["cent", "cents"]),
            ("dollars", &["dollar", "dollars", "usd"]),
            ("euros", &["euro", "euros", "eur"]),
            ("pounds", &["gbp", "pound", "pounds"]),
        ],
    },
    Class {
        name: "where counting starts",
        alone: true,
        senses: &[
            (
                "at 0",
                &[
                    "0-based",
                    "zero-based",
                    "0-indexed",
                    "zero-indexed",
                    "0 based",
                    "zero based",
                    "starting at 0",
                    "starting from 0",
                    "starts at 0",
                    "starts from 0",
                ],
            ),
            (
                "at 1",
                &[
                    "1-based",
                    "one-based",
                    "1-indexed",
                    "one-indexed",
                    "1 based",
                    "one based",
                    "starting at 1",
                    "starting from 1",
                    "starts at 1",
                    "starts from 1",
                ],
            ),
        ],
    },
    Class {
        name: "what the number says",
        alone: false,
        senses: &[
            (
                "a limit",
                &[
                    "max",
                    "maximum",
                    "at most",
                    "limit",
                    "up to",
                    "how many",
                    "number of results",
                    "most results",
                    "number of items",
                ],
            ),
            (
                "the size of a page",
                &[
                    "per page",
                    "page size",
                    "results per page",
                    "items per page",
                ],
            ),
            (
                "a page",
                &[
                    "page index",
                    "page number",
                    "number of the page",
                    "index of the page",
                    "which page",
                    "page to return",
                    "page to fetch",
                    "page of results",
                ],
            ),
            (
                "an offset",
                &[
                    "offset",
                    "skip",
                    "to skip",
                    "start index",
                    "starting position",
                ],
            ),
        ],
    },
    Class {
        name: "the sign",
        alone: true,
        senses: &[
            (
                "not negative",
                &["non-negative", "nonnegative", "not negative"],
            ),
            (
                "positive",
                &["positive", "greater than 0", "greater than zero"],
            ),
            ("negative", &["negative"]),
        ],
    },
    Class {
        name: "the end of the range",
        alone: true,
        senses: &[
            ("inclusive", &["inclusive", "included"]),
            (
                NOTHING,
                &["mutually exclusive", "included in", "not included"],
            ),
            ("exclusive", &["exclusive", "excluded"]),
        ],
    },
    Class {
        name: "the time zone",
        alone: true,
        senses: &[
            ("UTC", &["utc", "gmt", "zulu"]),
            (
                "local time",
                &[
                    "local time",
                    "local timezone",
                    "local time zone",
                    "localtime",
                ],
            ),
            (
                "the server's time",
                &[
                    "server time",
                    "server's time",
                    "server timezone",
                    "server's timezone",
                ],
            ),
            (
                "the user's time",
                &[
                    "user's timezone",
                    "user's time zone",
                    "user timezone",
                    "user's local time",
                ],
            ),
        ],
    },
    Class {
        name: MUST,
        alone: true,
        senses: &[
            (
                "required",
                &[
                    "required",
                    "mandatory",
                    "must be given",
                    "must be provided",
                    "must be set",
                ],
            ),
            (
                "required in some cases",
                &[
                    "required by",
                    "required for",
                    "required if",
                    "required in",
                    "required only",
                    "required to",
                    "required unless",
                    "required when",
                    "required with",
                ],
            ),
            (
                "optional",
                &[
                    "optional",
                    "not required",
                    "may be omitted",
                    "can be omitted",
                    "if omitted",
                    "may be left out",
                ],
            ),
            (
                "optional in some cases",
                &[
                    "optional for",
                    "optional if",
                    "optional unless",
                    "optional when",
                    "optional with",
                ],
            ),
        ],
    },
    Class {
        name: "the kind of path",
        alone: true,
        senses: &[("absolute", &["absolute"]), ("relative", &["relative"])],
    },
    Class {
        name: "the order",
        alone: false,
        senses: &[
            (
                "ascending",
                &["ascending", "asc", "oldest first", "lowest first"],
            ),
            (
                "descending",
                &["descending", "desc", "newest first", "highest first"],
            ),
        ],
    },
    Class {
        name: "letter case",
        alone: true,
        senses: &[
            ("counts", &["case-sensitive", "case sensitive"]),
            ("does not count", &["case-insensitive", "case insensitive"]),
        ],
    },
    Class {
        name: "its future",
        alone: true,
        senses: &[("deprecated", &["deprecated", "legacy", "obsolete"])],
    },
];
