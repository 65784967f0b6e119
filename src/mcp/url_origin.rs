/// Returns the scheme, host and port of a URL.
pub(super) fn url_origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    format!("{scheme}://{}", rest.split('/').next().unwrap_or(rest))
}
