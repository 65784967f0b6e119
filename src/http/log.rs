//! The path of a request, safe for the log.

use domain::is_id;

/// The matched route, as written in the table.
#[derive(Clone, Copy)]
pub(super) struct Route(pub &'static str);

/// The route with its identifiers filled in. Other placeholder values are left out: a caller can
/// put anything there, even a credential.
pub(super) fn path(path: &str, route: Option<&Route>) -> String {
    let parts = path.split('/').take(8);
    let shown: Vec<&str> = match route {
        Some(Route(route)) => route.split('/').zip(parts).map(filled).collect(),
        None => parts
            .map(|part| if is_plain(part) { part } else { "*" })
            .collect(),
    };
    shown.join("/")
}

fn filled<'a>((name, given): (&'a str, &'a str)) -> &'a str {
    if name.starts_with('{') && is_id(given) {
        given
    } else {
        name
    }
}

fn is_plain(part: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    is_id(part) || (part.len() <= 32 && part.bytes().all(plain))
}
