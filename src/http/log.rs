//! Removes secrets from the path of a request before it is logged.

use domain::is_id;

/// The matched route pattern.
#[derive(Clone, Copy)]
pub(super) struct Route(pub &'static str);

/// The path for the log: the route with its ids filled in. Other placeholders stay unfilled,
/// because a caller can send anything there, even a credential.
pub(super) fn loggable_path(path: &str, route: Option<&Route>) -> String {
    let parts = path.split('/').take(8);
    let shown: Vec<&str> = match route {
        Some(Route(route)) => route.split('/').zip(parts).map(fill_id).collect(),
        None => parts
            .map(|part| if is_loggable(part) { part } else { "*" })
            .collect(),
    };
    shown.join("/")
}

fn fill_id<'a>((name, given): (&'a str, &'a str)) -> &'a str {
    if name.starts_with('{') && is_id(given) {
        given
    } else {
        name
    }
}

fn is_loggable(part: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    is_id(part) || (part.len() <= 32 && part.bytes().all(plain))
}
