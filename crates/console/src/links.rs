//! Addresses of this service.

use gateway::Services;

/// The address of a path of this service.
pub(crate) fn at(services: &Services, path: &str) -> String {
    let url = url::Url::parse(&services.public_url).ok();
    let base = url
        .as_ref()
        .map_or("", |url| url.path().trim_end_matches('/'));
    format!("{base}{path}")
}
