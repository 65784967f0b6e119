//! Removes plain e-mail addresses from other text, such as a URL.

use std::borrow::Cow;

/// The text that replaces an e-mail address.
const MASK: &str = "***";
/// The `@` between user and host, also in its percent-encoded forms.
const SIGNS: [&str; 3] = ["@", "%40", "%2540"];

/// True if the text contains an e-mail address.
#[must_use]
pub fn has_email(text: &str) -> bool {
    find_address(text, 0).is_some()
}

/// Replaces every e-mail address in the text.
#[must_use]
pub fn without_emails(text: &str) -> Cow<'_, str> {
    let mut found = find_address(text, 0);
    if found.is_none() {
        return text.into();
    }
    let (mut clean, mut from) = (String::with_capacity(text.len()), 0);
    while let Some((start, end)) = found {
        clean.push_str(&text[from..start]);
        clean.push_str(MASK);
        from = end;
        found = find_address(text, from);
    }
    clean.push_str(&text[from..]);
    clean.into()
}

/// Returns the start and end of the first e-mail address after `from`.
fn find_address(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut searched = from;
    loop {
        let (at, length) = find_at_sign(text, searched)?;
        let user = text[from..at].trim_end_matches(is_user_char);
        let host = text[at + length..].trim_start_matches(is_host_char);
        let (start, end) = (from + user.len(), text.len() - host.len());
        if start < at && end > at + length {
            return Some((start, end));
        }
        searched = at + length;
    }
}

/// Returns the position and length of the first `@` or encoded `@` after `from`.
fn find_at_sign(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut rest = &text.as_bytes()[from..];
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'@' | b'%')) {
        rest = &rest[at..];
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
            return Some((text.len() - rest.len(), sign.len()));
        }
        rest = &rest[1..];
    }
    None
}

fn is_user_char(c: char) -> bool {
    c.is_alphanumeric() || "._%+'-".contains(c)
}

fn is_host_char(c: char) -> bool {
    c.is_alphanumeric() || ".-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_removed_in_every_form() {
        for (text, clean) in [
            ("ana@exemplo.com.br", "***"),
            ("Ana.Lima+x@Exemplo.com e bia@x.org", "*** e ***"),
            ("/obrigado?email=ana@x.com&ok=1", "/obrigado?email=***&ok=1"),
            (
                "/obrigado?email=ana%40x.com&ok=1",
                "/obrigado?email=***&ok=1",
            ),
            ("/o?u=ana%2540x.com#fim", "/o?u=***#fim"),
            ("<joão@café.com>", "<***>"),
            ("@ana@x.com", "@***"),
            ("100% de ana%40x.com", "100% de ***"),
            ("é%%40x.com%", "***%"),
        ] {
            assert_eq!(without_emails(text), clean);
            assert!(has_email(text), "{text}");
        }
    }

    #[test]
    fn other_text_is_not_changed() {
        for text in ["", "@pauta", "preço @ loja", "a@", "/promo?x=1%402", "50%"] {
            let is_kept = without_emails(text) == text;
            assert_eq!(is_kept, !has_email(text), "{text}");
        }
        assert_eq!(without_emails("siga @pauta hoje"), "siga @pauta hoje");
    }
}
