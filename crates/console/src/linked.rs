//! Draws plain text with its web addresses as links.

use maud::{Markup, html};
use url::Url;

/// The schemes of the addresses that become links.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// Draws the text with its `http` and `https` addresses as links. The links send no referrer to the
/// linked site.
pub(crate) fn draw_linked(text: &str) -> Markup {
    html! {
        @for part in split_links(text) {
            @match part {
                Part::Text(text) => (text),
                Part::Link(address) => {
                    a href=(address) dir="ltr" rel="noreferrer noopener nofollow" target="_blank" hx-boost="false" { (address) }
                }
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Text(&'t str),
    Link(&'t str),
}

/// Splits the text into plain parts and links, in order.
fn split_links(text: &str) -> Vec<Part<'_>> {
    let mut parts = vec![];
    let (mut rest, mut searched) = (text, 0);
    while let Some(at) = find_scheme(&rest[searched..]) {
        let start = searched + at;
        let address = cut_address(&rest[start..]);
        if !is_address(address) || !begins_word(&rest[..start]) {
            searched = start + SCHEMES[1].len();
            continue;
        }
        if start > 0 {
            parts.push(Part::Text(&rest[..start]));
        }
        parts.push(Part::Link(address));
        (rest, searched) = (&rest[start + address.len()..], 0);
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    parts
}

/// Returns the byte offset of the first scheme in the text.
fn find_scheme(text: &str) -> Option<usize> {
    let found = SCHEMES.iter().filter_map(|scheme| text.find(scheme));
    found.min()
}

/// True if an address may begin after this text. An address cannot follow a letter or digit, as in
/// `xhttps://`.
fn begins_word(before: &str) -> bool {
    !before
        .chars()
        .next_back()
        .is_some_and(char::is_alphanumeric)
}

/// Returns the address at the start of a text, without punctuation at its end that belongs to the
/// sentence.
fn cut_address(text: &str) -> &str {
    let end = text.find(ends_address).unwrap_or(text.len());
    let mut address = &text[..end];
    let count = |wanted: char| address.chars().filter(|one| *one == wanted).count();
    let (round, square) = (count('('), count('['));
    let (mut closed_round, mut closed_square) = (count(')'), count(']'));
    while let Some(last) = address.chars().next_back() {
        // A closing bracket belongs to the address if its opening bracket is in the address.
        let is_of_sentence = match last {
            ')' => closed_round > round,
            ']' => closed_square > square,
            _ => ".,;:!?'*_~…’”»".contains(last),
        };
        if !is_of_sentence {
            break;
        }
        closed_round -= usize::from(last == ')');
        closed_square -= usize::from(last == ']');
        address = &address[..address.len() - last.len_utf8()];
    }
    address
}

/// True if the character ends an address in a text: white space, quotes, angle brackets, invisible
/// characters, and characters that change the direction of the text.
fn ends_address(one: char) -> bool {
    let is_hidden = matches!(one, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    one.is_whitespace() || one.is_control() || is_hidden || "<>\"“‘«`|\\^{}".contains(one)
}

/// True if the address has a host and no user name or password. A user name before an `@` could look
/// like the host.
fn is_address(address: &str) -> bool {
    let url = Url::parse(address).ok();
    url.is_some_and(|url| url.has_host() && url.username().is_empty() && url.password().is_none())
}

#[cfg(test)]
mod tests {
    use super::{Part, draw_linked, split_links};

    fn links(text: &str) -> Vec<&str> {
        let parts = split_links(text).into_iter();
        let links = parts.filter_map(|part| match part {
            Part::Link(address) => Some(address),
            Part::Text(_) => None,
        });
        links.collect()
    }

    #[test]
    fn only_web_addresses_become_links() {
        for (text, found) in [
            (
                "Veja https://example.com/receita.",
                vec!["https://example.com/receita"],
            ),
            (
                "(http://a.test/b_(c)) e https://b.test?x=1&y=2!",
                vec!["http://a.test/b_(c)", "https://b.test?x=1&y=2"],
            ),
            ("“https://a.test/ação”", vec!["https://a.test/ação"]),
            (
                "https://a.test\nhttps://b.test",
                vec!["https://a.test", "https://b.test"],
            ),
            ("javascript:alert(1) data:text/html,x ftp://a.test", vec![]),
            ("https:// http://. xhttps://a.test", vec![]),
            ("https://banco.test@mal.test", vec![]),
            ("https://a.test/\u{202e}gnp.exe", vec!["https://a.test/"]),
            ("https://a.test\"onclick=x", vec!["https://a.test"]),
            ("", vec![]),
        ] {
            assert_eq!(links(text), found, "{text}");
        }
    }

    #[test]
    fn the_parts_are_the_whole_text_and_the_rest_is_escaped() {
        let text = "<b>1</b> https://a.test/?a=1&b=2, 2 http:// https://b.test";
        let whole = split_links(text).into_iter().map(|part| match part {
            Part::Link(part) | Part::Text(part) => part,
        });
        assert_eq!(whole.collect::<String>(), text);
        let drawn = draw_linked(text).into_string();
        assert!(
            drawn.starts_with("&lt;b&gt;1&lt;/b&gt; <a href=\"https://a.test/?a=1&amp;b=2\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("rel=\"noreferrer noopener nofollow\""),
            "{drawn}"
        );
    }
}
