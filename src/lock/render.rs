//! A changed lockfile as text: what did not change keeps its bytes (`docs/lockfile.md`, section 9).
//!
//! Pure.

use super::encode::{head, in_order, item_block, push_block, server_block};
use super::{Entry, Lockfile, PinnedItem, Source};

/// The text that holds `lockfile`. Tables whose content is the same in `source` are copied from it
/// with the comments that belong to them, and so is what stands above the first table.
pub(super) fn render(source: &Source, lockfile: &Lockfile) -> String {
    let mut out = match source.head_text() {
        "" => head(),
        text => format!("{text}\n"),
    };
    for entry in in_order(&lockfile.entries, Entry::identity) {
        let old = source
            .lockfile()
            .entries
            .iter()
            .enumerate()
            .find(|(_, old)| old.identity() == entry.identity());
        let copied = old
            .filter(|(_, old)| old.same_head(entry))
            .and_then(|(at, _)| source.server_text(at));
        push(&mut out, copied, || server_block(entry));
        for item in in_order(&entry.items, PinnedItem::identity) {
            let copied = old.and_then(|(at, old)| {
                let position = old
                    .items
                    .binary_search_by(|old| old.identity().cmp(&item.identity()))
                    .ok()?;
                (old.items[position] == *item)
                    .then(|| source.item_text(at, position))
                    .flatten()
            });
            push(&mut out, copied, || item_block(item));
        }
    }
    out
}

fn push(out: &mut String, copied: Option<&str>, fresh: impl FnOnce() -> String) {
    match copied {
        Some(text) => push_block(out, &format!("{text}\n")),
        None => push_block(out, &fresh()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lock::{decode, encode};

    const BY_HAND: &str = r#"# top

# still top
version = 1 # one

# about b
[[server]] # here
# inside b
name = 'b'
command = [
  "run", # the program
]
protocol = "2025-11-25"
implementation = """
#not a comment"""

   # about a

# directly above a
[[server]]
command = ["a"]
name = "a"
protocol = "2025-11-25"
# at the end
"#;

    #[test]
    fn tables_that_do_not_change_keep_their_bytes_and_comments() {
        let source = decode(BY_HAND.as_bytes()).unwrap();
        let mut lockfile = source.lockfile().clone();
        lockfile.entries[0].implementation = Some("1".to_owned());
        let text = render(&source, &lockfile);
        assert_eq!(
            text,
            r#"# top

# still top
version = 1 # one

[[server]]
name = "a"
command = ["a"]
protocol = "2025-11-25"
implementation = "1"

# about b
[[server]] # here
# inside b
name = 'b'
command = [
  "run", # the program
]
protocol = "2025-11-25"
implementation = """
#not a comment"""

   # about a
"#
        );
        assert_eq!(*decode(text.as_bytes()).unwrap().lockfile(), lockfile);
    }

    #[test]
    fn without_a_file_the_text_is_the_one_byte_form() {
        let lockfile = decode(BY_HAND.as_bytes()).unwrap().into_lockfile();
        assert_eq!(render(&Source::default(), &lockfile), encode(&lockfile));
    }
}
