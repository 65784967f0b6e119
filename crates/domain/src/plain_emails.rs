//! Plain e-mail addresses inside other text, such as the address of a page.

use std::borrow::Cow;

/// The replacement for a removed address.
const MASK: &str = "***";
/// The sign between user and host, also in its percent-encoded forms.
const SIGNS: [&str; 3] = ["@", "%40", "%2540"];

/// True if the text contains an e-mail address.
#[must_use]
pub fn has_email(text: &str) -> bool {
    find(text, 0).is_some()
}

/// Replaces the e-mail addresses in the text.
#[must_use]
pub fn without_emails(text: &str) -> Cow<'_, str> {
    let mut found = find(text, 0);
    if found.is_none() {
        return text.into();
    }
    let (mut clean, mut from) = (String::with_capacity(text.len()), 0);
    while let Some((start, end)) = found {
        clean.push_str(&text[from..start]);
        clean.push_str(MASK);
        from = end;
        found = find(text, from);
    }
    clean.push_str(&text[from..]);
    clean.into()
}

/// The start and end of the first address after `from`.
fn find(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut searched = from;
    loop {
        let (at, length) = sign(text, searched)?;
        let user = text[from..at].trim_end_matches(in_user);
        let host = text[at + length..].trim_start_matches(in_host);
        let (start, end) = (from + user.len(), text.len() - host.len());
        if start < at && end > at + length {
            return Some((start, end));
        }
        searched = at + length;
    }
}

/// The position and length of the first such sign after `from`.
fn sign(text: &str, from: usize) -> Option<(usize, usize)> {
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

fn in_user(c: char) -> bool {
    c.is_alphanumeric() || "._%+'-".contains(c)
}

fn in_host(c: char) -> bool {
    c.is_alphanumeric() || ".-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_out_in_every_form() {
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
    fn other_text_stays() {
        for text in ["", "@pauta", "preço @ loja", "a@", "/promo?x=1%402", "50%"] {
            let is_kept = without_emails(text) == text;
            assert_eq!(is_kept, !has_email(text), "{text}");
        }
        assert_eq!(without_emails("siga @pauta hoje"), "siga @pauta hoje");
    }
}
