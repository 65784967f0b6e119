//! The links in a text, as X finds them.
//!
//! X's library `twitter-text` (<https://github.com/twitter/twitter-text>, read on 2026-11-29) finds a link
//! with or without a scheme. The link ends before the marks that end a sentence around it. A name of two
//! parts under the code of a country, such as `fim.de`, is a link only with a path, because most are a
//! missing blank.

/// Generic top-level domains of links that people write without a scheme. X knows all; the other ones
/// count as text here.
const GENERIC: &[&str] = &[
    "academy",
    "agency",
    "app",
    "art",
    "biz",
    "blog",
    "cafe",
    "cloud",
    "club",
    "com",
    "community",
    "courses",
    "design",
    "dev",
    "digital",
    "edu",
    "events",
    "expert",
    "gov",
    "guru",
    "health",
    "info",
    "ink",
    "int",
    "jobs",
    "life",
    "live",
    "love",
    "media",
    "mil",
    "mobi",
    "name",
    "net",
    "network",
    "news",
    "one",
    "online",
    "org",
    "page",
    "photos",
    "plus",
    "press",
    "pro",
    "school",
    "shop",
    "site",
    "social",
    "software",
    "space",
    "store",
    "studio",
    "systems",
    "team",
    "tech",
    "today",
    "tools",
    "travel",
    "video",
    "website",
    "wiki",
    "world",
    "xyz",
];
/// Codes of countries under which a name of two parts is a link even without a path.
const SHORT: &[&str] = &["co", "tv"];
/// Marks within an address. Those that may end one are in [`ENDS`].
const MARKS: &str = "!*';:=+,.$/%#[]-\u{2013}_~@|&?()";
const ENDS: &str = "=_#/-+&";

/// The link that begins at this position of a text.
pub(super) fn link_at(text: &str, at: usize) -> Option<&str> {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|mark| mark.is_alphanumeric() || "@#$_".contains(mark)) {
        return None;
    }
    let rest = &text[at..];
    let scheme = ["https://", "http://"].into_iter().find(|scheme| {
        let start = rest.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    if scheme.is_none() && before.is_some_and(|mark| "-./".contains(mark)) {
        return None;
    }
    let start = scheme.map_or(0, str::len);
    let address = &rest[start..];
    let is_of_host = |character: char| {
        let is_letter = match scheme {
            Some(_) => character.is_alphanumeric(),
            None => character.is_ascii_alphanumeric(),
        };
        is_letter || matches!(character, '-' | '.' | '_')
    };
    let end = address.find(|character| !is_of_host(character));
    let host = &address[..end.unwrap_or(address.len())];
    let host = host.trim_end_matches(['-', '.', '_']);
    let after = &address[host.len()..];
    let path = match (after.as_bytes().first(), after.as_bytes().get(1)) {
        (Some(b'/' | b'?'), _) => measure_path(after),
        (Some(b':'), Some(digit)) if digit.is_ascii_digit() => measure_path(after),
        _ => 0,
    };
    let is_link = is_domain(host, scheme.is_some(), path > 0);
    is_link.then(|| &rest[..start + host.len() + path])
}

/// Whether a host is a domain under a top-level domain.
fn is_domain(host: &str, has_scheme: bool, has_path: bool) -> bool {
    let Some((names, top)) = host.rsplit_once('.') else {
        return false;
    };
    if names.split('.').any(str::is_empty) {
        return false;
    }
    let top = top.to_ascii_lowercase();
    if has_scheme {
        let is_written = top.chars().all(char::is_alphabetic) && top.chars().count() > 1;
        return is_written || top.starts_with("xn--");
    }
    let is_country = top.len() == 2 && top.bytes().all(|letter| letter.is_ascii_lowercase());
    let is_short = !names.contains('.') && !has_path && !SHORT.contains(&&*top);
    GENERIC.contains(&&*top) || (is_country && !is_short)
}

/// The number of bytes of the path, the query and the fragment with which a text begins.
fn measure_path(text: &str) -> usize {
    let is_of_path = |character: char| {
        (character < '\u{530}' && character.is_alphanumeric()) || MARKS.contains(character)
    };
    let end = text.find(|character| !is_of_path(character));
    let mut path = &text[..end.unwrap_or(text.len())];
    while let Some(last) = path.chars().next_back() {
        let closes = last == ')' && path.matches('(').count() >= path.matches(')').count();
        if last.is_alphanumeric() || ENDS.contains(last) || closes {
            break;
        }
        path = &path[..path.len() - last.len_utf8()];
    }
    path.len()
}
