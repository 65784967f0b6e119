//! Addresses of which one part differs from installation to installation.

/// The longest part, in characters.
const LONGEST: usize = 100;

/// What stands for `{}` of the pattern in this text; the empty text where the pattern has none. `None`
/// where the text is not of the pattern. The part is one name: it has no character that divides addresses.
pub(super) fn part<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    let Some((before, after)) = pattern.split_once("{}") else {
        return (pattern == text).then_some("");
    };
    let part = text.strip_prefix(before)?.strip_suffix(after)?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_().".contains(&b);
    let is_name = !part.is_empty() && part.len() <= LONGEST && part.bytes().all(plain);
    (is_name && part.bytes().any(|b| b.is_ascii_alphanumeric())).then_some(part)
}

/// The address that the pattern stands for.
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
