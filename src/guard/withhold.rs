//! Cuts items out of a list reply, and leaves every other byte as it came.
//!
//! Pure.

use std::ops::Range;

use crate::catalog::Kind;
use crate::json;

use super::message::Fields;

/// The items in the result of a list.
#[derive(Debug)]
pub(super) struct Page {
    /// Where each item stands in the whole text.
    pub(super) items: Vec<Range<usize>>,
    /// Whether another page follows.
    pub(super) more: bool,
}

/// Reads the result at `result` of the reply `text`.
pub(super) fn page(text: &str, result: &Range<usize>, kind: Kind) -> Result<Page, &'static str> {
    let fields = Fields::of(&text[result.clone()])?;
    let list = fields
        .range(kind.list_member())
        .ok_or("it holds no list of that kind")?;
    let items = json::elements(text, result.start + list.start).map_err(|error| error.message)?;
    let more = fields
        .get("nextCursor")
        .is_some_and(|cursor| cursor != "null");
    Ok(Page { items, more })
}

/// `text` without those of `items` that `keep` is false for. What stands between two items that
/// stay is that which stood before the second.
pub(super) fn cut(text: &str, items: &[Range<usize>], keep: &[bool]) -> Vec<u8> {
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        return text.as_bytes().to_vec();
    };
    let mut out = Vec::with_capacity(text.len());
    out.extend_from_slice(&text.as_bytes()[..first.start]);
    let mut before = first.start;
    let mut any = false;
    for (item, keep) in items.iter().zip(keep) {
        if *keep {
            if any {
                out.extend_from_slice(&text.as_bytes()[before..item.start]);
            }
            out.extend_from_slice(&text.as_bytes()[item.clone()]);
            any = true;
        }
        before = item.end;
    }
    out.extend_from_slice(&text.as_bytes()[last.end..]);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut_of(text: &str, keep: &[bool]) -> String {
        let start = text.find("{\"tools").unwrap();
        let found = page(text, &(start..text.len() - 1), Kind::Tool).unwrap();
        String::from_utf8(cut(text, &found.items, keep)).unwrap()
    }

    #[test]
    fn what_is_kept_keeps_its_bytes_and_the_cursor_stays() {
        let text =
            r#"{"id":1,"result":{"tools":[ {"n" : 1.50} , 2 ,{"c":"]"} ], "nextCursor":"x"}}"#;
        assert_eq!(cut_of(text, &[true, true, true]), text);
        assert_eq!(
            cut_of(text, &[true, false, true]),
            r#"{"id":1,"result":{"tools":[ {"n" : 1.50} ,{"c":"]"} ], "nextCursor":"x"}}"#
        );
        assert_eq!(
            cut_of(text, &[false, true, false]),
            r#"{"id":1,"result":{"tools":[ 2 ], "nextCursor":"x"}}"#
        );
        assert_eq!(
            cut_of(text, &[false; 3]),
            r#"{"id":1,"result":{"tools":[  ], "nextCursor":"x"}}"#
        );
    }

    proptest! {
        #[test]
        fn a_cut_list_is_the_list_of_those_kept(keep in proptest::collection::vec(any::<bool>(), 0..8)) {
            let items: Vec<String> = (0..keep.len()).map(|i| format!("{{\"name\":\"t{i}\"}}")).collect();
            let text = format!("{{\"id\":1,\"result\":{{\"tools\":[{}]}}}}", items.join(", "));
            let value: serde_json::Value = serde_json::from_str(&cut_of(&text, &keep)).unwrap();
            let kept: Vec<String> = value["result"]["tools"].as_array().unwrap().iter()
                .map(ToString::to_string).collect();
            let wanted: Vec<String> = items.into_iter().zip(&keep)
                .filter(|(_, keep)| **keep).map(|(item, _)| item).collect();
            prop_assert_eq!(kept, wanted);
        }
    }
}
