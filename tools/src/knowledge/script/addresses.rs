//! Removes invented URLs from texts that a model wrote. URLs of the sources stay.

use std::collections::HashSet;

/// The top-level domains by which a URL without `https://` is recognized.
const ENDINGS: &[&str] = &[
    "ai", "app", "art", "biz", "br", "co", "com", "dev", "edu", "eu", "gov", "info", "io", "link",
    "ly", "me", "net", "online", "org", "pt", "shop", "site", "store", "tv", "us", "xyz",
];

/// The allowed URLs and e-mail addresses.
#[derive(Debug, Default)]
pub(super) struct Addresses(HashSet<String>);

impl Addresses {
    /// Allows the URLs in a text, and their hosts.
    pub fn allow_addresses(&mut self, text: &str) {
        for run in split_at_addresses(text).filter_map(|(run, _)| run) {
            let address = normalize_address(run);
            let host = address.split(['/', '?', '#']).next().unwrap_or_default();
            self.0.insert(host.to_owned());
            self.0.insert(address);
        }
    }

    /// Removes all other URLs from a text. Returns the text and the number of URLs removed.
    pub fn remove_other_addresses(&self, text: &str) -> (String, usize) {
        let (mut kept, mut removed) = (String::with_capacity(text.len()), 0);
        for (address, piece) in split_at_addresses(text) {
            match address {
                Some(address) if !self.0.contains(&normalize_address(address)) => {
                    removed += 1;
                    kept.push_str(piece.strip_prefix(address).unwrap_or_default());
                }
                _ => kept.push_str(piece),
            }
        }
        if removed == 0 {
            return (kept, 0);
        }
        (remove_link_remains(&kept), removed)
    }
}

/// Splits a text into pieces. Each piece is paired with the URL at its start, if there is one.
fn split_at_addresses(text: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || "-._~:/?#@!$&*+,;=%".contains(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let same = is_part(first);
        let end = rest.find(|c| is_part(c) != same).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        let address = piece.trim_end_matches(|c| ".,;:!?*_~-&=".contains(c));
        Some((Some(address).filter(|a| same && is_address(a)), piece))
    })
}

fn is_address(text: &str) -> bool {
    if text.contains("://") || text.to_lowercase().starts_with("www.") {
        return true;
    }
    let host = text.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let label = |label: &str| {
        let letters = label.chars().all(|c| c.is_alphanumeric() || c == '-');
        !label.is_empty() && letters
    };
    match host.rsplit_once('.') {
        Some((name, ending)) => ENDINGS.contains(&ending) && name.split('.').all(label),
        None => false,
    }
}

/// Normalizes a URL for comparison.
fn normalize_address(address: &str) -> String {
    let lower = address.to_lowercase();
    let bare = lower.split_once("://").map_or(&*lower, |(_, bare)| bare);
    let bare = bare.strip_prefix("www.").unwrap_or(bare);
    bare.trim_end_matches('/').to_owned()
}

/// Cleans up after a removed URL: the brackets of its Markdown link, and double spaces.
fn remove_link_remains(text: &str) -> String {
    let mut tidy = text.to_owned();
    while let Some(at) = tidy.find("]()") {
        let Some(open) = tidy[..at].rfind('[') else {
            tidy.replace_range(at + 1..at + 3, "");
            continue;
        };
        tidy.replace_range(at..at + 3, "");
        tidy.replace_range(open..=open, "");
    }
    for (from, to) in [
        ("()", ""),
        ("<>", ""),
        ("  ", " "),
        (" .", "."),
        (" ,", ","),
    ] {
        while tidy.contains(from) {
            tidy = tidy.replace(from, to);
        }
    }
    tidy.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_the_sources_stay() {
        let mut addresses = Addresses::default();
        addresses.allow_addresses("Veja https://escola.org/pao?x=1, e escreva a oi@escola.org.");
        for kept in [
            "Veja https://escola.org/pao?x=1.",
            "Veja (https://www.escola.org/pao?x=1/)!",
            "Em escola.org, ou oi@escola.org.",
            "Sem endereço: 1.5 kg, S.A., Node.js, fim.Com isso, 12:30, e/ou.",
            "",
        ] {
            assert_eq!(addresses.remove_other_addresses(kept), (kept.to_owned(), 0));
        }
        for (text, left) in [
            ("Veja https://invento.com/x.", "Veja."),
            ("Leia [o guia](http://outro.br) hoje", "Leia o guia hoje"),
            ("Em loja.com.br, ou www.loja.pt", "Em, ou"),
            ("Escreva a eu@loja.com (https://a.b)", "Escreva a"),
            ("https://escola.org/outra", ""),
            ("javascript://alerta e ftp://x", "e"),
        ] {
            let (kept, removed) = addresses.remove_other_addresses(text);
            assert_eq!(kept, left, "{text}");
            assert!(removed > 0);
        }
    }
}
