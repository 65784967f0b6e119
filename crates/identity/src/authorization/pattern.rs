//! Addresses with one part that differs between installations.

/// Maximum length of the variable part, in characters.
const LONGEST: usize = 100;

/// The part of the text at the place of `{}` in the pattern; empty if the pattern has no `{}`.
/// `None` if the text does not match. The part is a single name, without characters that separate
/// parts of an address.
pub(super) fn part<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    let Some((before, after)) = pattern.split_once("{}") else {
        return (pattern == text).then_some("");
    };
    let part = text.strip_prefix(before)?.strip_suffix(after)?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_().".contains(&b);
    let is_name = !part.is_empty() && part.len() <= LONGEST && part.bytes().all(plain);
    (is_name && part.bytes().any(|b| b.is_ascii_alphanumeric())).then_some(part)
}

/// Replaces `{}` in the pattern.
pub(super) fn fill(pattern: &str, part: &str) -> String {
    pattern.replace("{}", part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_stands_for_the_braces() {
        assert_eq!(part("a://b/{}/c", "a://b/x-1/c"), Some("x-1"));
        assert_eq!(part("a://b", "a://b"), Some(""));
        for other in [
            "a://b//c",
            "a://b/x/y/c",
            "a://b/../c",
            "a://b/x?y/c",
            "a://b/c",
            "x",
        ] {
            assert_eq!(part("a://b/{}/c", other), None, "{other}");
        }
        assert_eq!(fill("a://b/{}/c", "x"), "a://b/x/c");
    }
}
