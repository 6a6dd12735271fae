//! What one server is called where a person names it: `NAME`, or `NAME@PROFILE`.
//!
//! Pure. Messages, reports and `mcplock.toml` use the same form as the command line.

/// What is called `NAME@PROFILE`, or `NAME` where there is no profile.
pub fn address(name: &str, profile: Option<&str>) -> String {
    match profile {
        Some(profile) => format!("{name}@{profile}"),
        None => name.to_owned(),
    }
}

/// Whether `text` names the server `name` with `profile`: its name alone stands for every profile,
/// `NAME@PROFILE` for one, and `NAME@` for the one without a profile.
///
/// Names may hold `@` themselves, so a text can name two servers of different names; who asks for
/// one server has to look.
pub fn names(text: &str, name: &str, profile: Option<&str>) -> bool {
    text == name
        || text
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('@'))
            .is_some_and(|rest| rest == profile.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_stands_for_all_its_profiles_and_an_address_for_one() {
        for (text, name, profile, is_meant) in [
            ("files", "files", None, true),
            ("files", "files", Some("ci"), true),
            ("files@ci", "files", Some("ci"), true),
            ("files@ci", "files", None, false),
            ("files@ci", "files", Some("dev"), false),
            ("files@", "files", None, true),
            ("files@", "files", Some("ci"), false),
            ("@scope/x", "@scope/x", None, true),
            ("@scope/x@ci", "@scope/x", Some("ci"), true),
            ("a@b", "a@b", None, true),
            ("a@b", "a@b", Some("c"), true),
            ("files", "file", Some("s"), false),
        ] {
            assert_eq!(
                names(text, name, profile),
                is_meant,
                "{text} {name} {profile:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_address_names_its_server(name in "[a-z@]{1,6}", profile in prop::option::of("[a-z@]{1,6}")) {
            prop_assert!(names(&address(&name, profile.as_deref()), &name, profile.as_deref()));
        }
    }
}
