//! Patterns of URLs in which one part differs between installations.

/// Maximum length of the variable part, in characters.
const LONGEST: usize = 100;

/// Matches a text with a pattern and returns the text in the place of `{}`; empty if the pattern
/// has no `{}`, and `None` if the text does not match. The returned part has none of the characters
/// that separate parts of a URL.
pub(super) fn match_part<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    let Some((before, after)) = pattern.split_once("{}") else {
        return (pattern == text).then_some("");
    };
    let part = text.strip_prefix(before)?.strip_suffix(after)?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_().".contains(&b);
    let is_name = !part.is_empty() && part.len() <= LONGEST && part.bytes().all(plain);
    (is_name && part.bytes().any(|b| b.is_ascii_alphanumeric())).then_some(part)
}

/// Replaces `{}` in the pattern.
pub(super) fn fill_pattern(pattern: &str, part: &str) -> String {
    pattern.replace("{}", part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_placeholder_matches_exactly_one_name() {
        assert_eq!(match_part("a://b/{}/c", "a://b/x-1/c"), Some("x-1"));
        assert_eq!(match_part("a://b", "a://b"), Some(""));
        for other in [
            "a://b//c",
            "a://b/x/y/c",
            "a://b/../c",
            "a://b/x?y/c",
            "a://b/c",
            "x",
        ] {
            assert_eq!(match_part("a://b/{}/c", other), None, "{other}");
        }
        assert_eq!(fill_pattern("a://b/{}/c", "x"), "a://b/x/c");
    }
}
