//! The links in a text, as X finds them.
//!
//! X's library `twitter-text` (<https://github.com/twitter/twitter-text>, version 3.1.0, read on
//! 2026-11-29) finds a link with or without a scheme. The link ends before the marks that end a
//! sentence around it. Any name under a known top-level domain is a link, even if it results from a
//! missing blank, such as `fim.de`. A host ends with its last known top-level domain:
//! `exemplo.com.Veja` has the link `exemplo.com`. An e-mail address contains no link.

/// Generic top-level domains of links that people write without a scheme. X knows all generic
/// domains; here, names under the domains that are not listed count as text.
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
/// The two-letter top-level domains of IANA's root zone, sorted
/// (<https://data.iana.org/TLD/tlds-alpha-by-domain.txt>).
const COUNTRIES: &[&str] = &[
    "ac", "ad", "ae", "af", "ag", "ai", "al", "am", "ao", "aq", "ar", "as", "at", "au", "aw", "ax",
    "az", "ba", "bb", "bd", "be", "bf", "bg", "bh", "bi", "bj", "bm", "bn", "bo", "br", "bs", "bt",
    "bv", "bw", "by", "bz", "ca", "cc", "cd", "cf", "cg", "ch", "ci", "ck", "cl", "cm", "cn", "co",
    "cr", "cu", "cv", "cw", "cx", "cy", "cz", "de", "dj", "dk", "dm", "do", "dz", "ec", "ee", "eg",
    "er", "es", "et", "eu", "fi", "fj", "fk", "fm", "fo", "fr", "ga", "gb", "gd", "ge", "gf", "gg",
    "gh", "gi", "gl", "gm", "gn", "gp", "gq", "gr", "gs", "gt", "gu", "gw", "gy", "hk", "hm", "hn",
    "hr", "ht", "hu", "id", "ie", "il", "im", "in", "io", "iq", "ir", "is", "it", "je", "jm", "jo",
    "jp", "ke", "kg", "kh", "ki", "km", "kn", "kp", "kr", "kw", "ky", "kz", "la", "lb", "lc", "li",
    "lk", "lr", "ls", "lt", "lu", "lv", "ly", "ma", "mc", "md", "me", "mg", "mh", "mk", "ml", "mm",
    "mn", "mo", "mp", "mq", "mr", "ms", "mt", "mu", "mv", "mw", "mx", "my", "mz", "na", "nc", "ne",
    "nf", "ng", "ni", "nl", "no", "np", "nr", "nu", "nz", "om", "pa", "pe", "pf", "pg", "ph", "pk",
    "pl", "pm", "pn", "pr", "ps", "pt", "pw", "py", "qa", "re", "ro", "rs", "ru", "rw", "sa", "sb",
    "sc", "sd", "se", "sg", "sh", "si", "sj", "sk", "sl", "sm", "sn", "so", "sr", "ss", "st", "su",
    "sv", "sx", "sy", "sz", "tc", "td", "tf", "tg", "th", "tj", "tk", "tl", "tm", "tn", "to", "tr",
    "tt", "tv", "tw", "tz", "ua", "ug", "uk", "us", "uy", "uz", "va", "vc", "ve", "vg", "vi", "vn",
    "vu", "wf", "ws", "ye", "yt", "za", "zm", "zw",
];
/// The marks that the path of a link may contain. Only the marks in [`ENDS`] may end a path.
const MARKS: &str = "!*';:=+,.$/%#[]-\u{2013}_~@|&?()";
const ENDS: &str = "=_#/-+&";
/// The longest name of a host, in bytes.
const LONGEST_HOST: usize = 253;

/// Returns the link that begins at this position of a text.
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
    let end = end.unwrap_or(address.len());
    let host = &address[..find_end_of_domain(address, end, scheme.is_some())?];
    let after = &address[host.len()..];
    let path = match (after.as_bytes().first(), after.as_bytes().get(1)) {
        (Some(b'/'), _) => measure_path(after),
        (Some(b'?'), _) if scheme.is_some() => measure_path(after),
        (Some(b':'), Some(digit))
            if digit.is_ascii_digit() && has_port(after, scheme.is_some()) =>
        {
            measure_path(after)
        }
        _ => 0,
    };
    Some(&rest[..start + host.len() + path])
}

/// Returns the end of the domain with which an address begins: the position after the last known
/// top-level domain within the first `most` bytes, which are the host. If no top-level domain of
/// the host is known, an unknown one counts, but only in a link with a scheme.
fn find_end_of_domain(address: &str, most: usize, has_scheme: bool) -> Option<usize> {
    let host = &address[..most];
    let dots = host.rmatch_indices('.').map(|(dot, _)| dot);
    let known = dots.filter(|dot| *dot <= LONGEST_HOST).find_map(|dot| {
        let length = measure_known_top(&host[dot + 1..])?;
        let is_end = ends_domain(&address[dot + 1 + length..]) && are_valid_names(&host[..dot]);
        is_end.then_some(dot + 1 + length)
    });
    if known.is_some() || !has_scheme {
        return known;
    }
    let host = host.trim_end_matches(['-', '.', '_']);
    let (names, top) = host.rsplit_once('.')?;
    let is_written = top.chars().all(char::is_alphabetic) && top.chars().count() > 1;
    let is_domain = is_written && are_valid_names(names) && ends_domain(&address[host.len()..]);
    is_domain.then_some(host.len())
}

/// True if a port belongs to a link: the link has a scheme, or a path follows the port.
fn has_port(after: &str, has_scheme: bool) -> bool {
    let digits = after[1..].trim_start_matches(|digit: char| digit.is_ascii_digit());
    has_scheme || digits.starts_with('/')
}

/// True if a text is a valid list of names before a top-level domain: no name is empty, and each
/// name begins and ends with a letter or a digit.
fn are_valid_names(text: &str) -> bool {
    text.split('.').all(|name| {
        name.starts_with(char::is_alphanumeric) && name.ends_with(char::is_alphanumeric)
    })
}

/// Returns the number of bytes of the known top-level domain with which a text begins.
fn measure_known_top(text: &str) -> Option<usize> {
    let is_encoded = text
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    let end = text.find(|character: char| {
        !(character.is_ascii_alphanumeric() || (is_encoded && character == '-'))
    });
    let top = text[..end.unwrap_or(text.len())].to_ascii_lowercase();
    let is_known = (is_encoded && top.len() > 4)
        || GENERIC.contains(&&*top)
        || COUNTRIES.binary_search(&&*top).is_ok();
    is_known.then_some(top.len())
}

/// True if a domain may end before this text. A domain does not end within an e-mail address or a
/// longer name.
fn ends_domain(after: &str) -> bool {
    !after.starts_with(|next: char| next.is_ascii_alphanumeric() || "@+-".contains(next))
}

/// Returns the number of bytes of the path, the query and the fragment with which a text begins.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the links of a text, in order.
    fn links_of(text: &str) -> Vec<&str> {
        let (mut at, mut links) = (0, vec![]);
        while let Some(next) = text[at..].chars().next() {
            at += match link_at(text, at) {
                Some(link) => {
                    links.push(link);
                    link.len()
                }
                None => next.len_utf8(),
            };
        }
        links
    }

    #[test]
    fn the_codes_of_countries_are_sorted_for_the_search() {
        assert!(COUNTRIES.is_sorted_by(|one, next| one < next));
        assert!(COUNTRIES.iter().all(|code| code.len() == 2));
    }

    /// The expected links are the results of `twitter-text` 3.1.0.
    #[test]
    fn a_link_ends_with_its_last_known_domain() {
        for (text, links) in [
            ("foo.jp", &["foo.jp"][..]),
            ("it.so", &["it.so"]),
            ("Fim.De novo", &["Fim.De"]),
            ("john.doe.jp@mail.com", &[]),
            ("maria.art@gmail.com", &[]),
            ("maria.com.silva@gmail.com", &["maria.com"]),
            ("exemplo.com.Veja", &["exemplo.com"]),
            ("exemplo.com.br.Veja", &["exemplo.com.br"]),
            ("https://exemplo.com.Veja/x mais", &["https://exemplo.com"]),
            ("exemplo.com_x", &["exemplo.com"]),
            ("exemplo.com-x fim", &[]),
            ("https://exemplo.com+1", &[]),
            ("https://exemplo.com@x", &[]),
            ("_exemplo.com", &[]),
            ("https://-x.com", &[]),
            ("exemplo.com?x=1", &["exemplo.com"]),
            ("exemplo.com:8080", &["exemplo.com"]),
            ("exemplo.com:8080/a", &["exemplo.com:8080/a"]),
            ("https://exemplo.com:8080", &["https://exemplo.com:8080"]),
            ("exemplo.com/?a=b.", &["exemplo.com/?a=b"]),
            ("exemplo.xn--p1ai", &["exemplo.xn--p1ai"]),
            ("v1.2.3, fim.e, p.ex", &[]),
        ] {
            assert_eq!(links_of(text), links, "{text}");
        }
    }
}
